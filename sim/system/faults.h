// SPDX-License-Identifier: Apache-2.0
// What units refused or could not do, in words: the error registers of NTX and DMA, and bus errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearcube::system {

/// What there is to reach.
struct AddressMap {
  std::uint32_t tcdm_bytes = 65536;
  std::uint64_t cube_bytes = std::uint64_t{2} << 30;
  unsigned ntx = 8;
  bool memory_errors = false;  ///< words of the cube's memory were beyond repair
};

/// The error registers of an NTX whose status shows `invalid` (interfaces/registers.yaml, block ntx).
struct NtxFault {
  unsigned unit = 0;
  std::uint32_t cause = 0;                  ///< register error_cause
  std::uint32_t value = 0;                  ///< register error_addr
  std::uint32_t dropped = 0;                ///< register dropped
  std::vector<std::uint32_t> strides = {};  ///< the stride registers of the AGU at fault, as they are now
};

/// "NTX 2 refused a command: register cmd (0x0000000f): opcode 15 does not exist (0 to 8 do)".
std::string describe_ntx_fault(const NtxFault& fault, const AddressMap& map);

/// The error registers of a DMA whose status shows an error.
struct DmaFault {
  std::uint32_t id = 0;
  std::uint64_t address = 0;
  std::uint32_t cause = 0;
};

/// "DMA transfer 3 failed: ..."
std::string describe_dma_fault(const DmaFault& fault, const AddressMap& map);

/// Why an access of the core to `address` may have been a bus error: "block control has no register at offset
/// 0x800 that this access suits".
std::string describe_bus_error(std::uint32_t address, const AddressMap& map);

}  // namespace nearcube::system
