// SPDX-License-Identifier: Apache-2.0
// Why a cluster makes no progress: each unit's state, the handshake it waits on, and who waits for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nearcube::debug {

/// What a watchdog sees of a cluster. The debug words are those of rtl/cluster's ports.
struct ClusterView {
  std::uint32_t dma = 0;                      ///< dma_debug_o
  std::uint32_t core = 0;                     ///< core_debug_o
  std::vector<std::uint32_t> ntx;             ///< register ntx.debug of each
  std::string core_place;                     ///< "0x80000120 (wait_event+0x8)"
  std::string core_wait;                      ///< "the grant of its data request"
  std::optional<std::uint32_t> core_address;  ///< data or instruction address waited for
  bool core_asleep = false;
  bool core_ended = false;                    ///< halted or held: it waits for nobody
  std::optional<std::uint32_t> event_mask;    ///< control.event_mask, if it could be read
  std::optional<std::uint32_t> event_status;  ///< control.event_status, likewise
  std::vector<std::string> memory;            ///< transfers under way in the memory, a line each
};

struct UnitReport {
  std::string unit;      ///< "core", "DMA", "NTX 3", "memory"
  std::string state;     ///< "asleep at 0x80000120", "MAC active"
  std::string waits_on;  ///< the handshake: "operand A: TCDM port 0 request not granted"; empty: nothing
  std::vector<std::string> waits_for;  ///< units that it waits for
};

/// Every unit that is not idle, the core first.
std::vector<UnitReport> describe_units(const ClusterView& view);

/// The units as indented lines of text, then who waits for whom.
std::string format_units(const std::vector<UnitReport>& units);

/// Units move although nothing else shows it: an NTX steps, or the DMA moves words within the cluster.
bool units_move(std::uint32_t dma, const std::uint32_t* ntx, std::size_t ntx_count);

}  // namespace nearcube::debug
