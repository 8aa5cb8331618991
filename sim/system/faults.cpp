// SPDX-License-Identifier: Apache-2.0
#include "sim/system/faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/units.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;
namespace ntx = interfaces::ntx;

constexpr std::uint32_t kNtxPitch = static_cast<std::uint32_t>(regs::kNtxSize / 8);

std::uint32_t field(std::uint32_t word, unsigned lsb, unsigned width) {
  return word >> lsb & ((1u << width) - 1);
}

std::string tcdm(const AddressMap& map) {
  return fmt::format("the TCDM ({:#x} to {:#x})", regs::kTcdmBase, regs::kTcdmBase + map.tcdm_bytes - 1);
}

std::string cube(const AddressMap& map) {
  return fmt::format("the cube's memory ({} from {:#x} on, key memory.capacity_bytes)",
                     base::format_bytes(map.cube_bytes), regs::kCubeBase);
}

// What an error answer of the cube's memory means.
constexpr const char* kBeyondRepair =
    "a word of the access has more than one wrong bit of its 72 and is beyond repair";

/// What is wrong with a command word.
std::string command_fault(std::uint32_t cause, std::uint32_t cmd) {
  const std::uint32_t opcode = field(cmd, ntx::kCmdOpcodeLsb, ntx::kCmdOpcodeWidth);
  const std::uint32_t aux = field(cmd, ntx::kCmdAuxLsb, ntx::kCmdAuxWidth);
  switch (cause) {
    case ntx::kErrorCauseCauseOpcode:
      return fmt::format("opcode {} does not exist (0 to {} do)", opcode, ntx::kCmdOpcodeCopy);
    case ntx::kErrorCauseCauseLevels:
      return fmt::format("store level {} <= init level {} <= outer level {} <= 5 does not hold",
                         field(cmd, ntx::kCmdStoreLevelLsb, ntx::kCmdStoreLevelWidth),
                         field(cmd, ntx::kCmdInitLevelLsb, ntx::kCmdInitLevelWidth),
                         field(cmd, ntx::kCmdOuterLevelLsb, ntx::kCmdOuterLevelWidth));
    case ntx::kErrorCauseCauseIrq:
      return fmt::format("irq {} does not exist (0 to {} do)", field(cmd, ntx::kCmdIrqLsb, ntx::kCmdIrqWidth),
                         ntx::kCmdIrqWritebackDone);
    case ntx::kErrorCauseCauseAux:
      if (opcode == ntx::kCmdOpcodeMac || opcode == ntx::kCmdOpcodeVaddsub) {
        return fmt::format("aux {} asks for ReLU and a wide store, which exclude each other", aux);
      }
      return fmt::format("aux {} has no meaning for opcode {}", aux, opcode);
    default:
      return fmt::format("bits 31:22 are {:#x}, and must be 0", cmd >> 22);
  }
}

}  // namespace

std::string describe_ntx_fault(const NtxFault& fault, const AddressMap& map) {
  const std::uint32_t cause = field(fault.cause, ntx::kErrorCauseCauseLsb, ntx::kErrorCauseCauseWidth);
  const std::uint32_t agu = field(fault.cause, ntx::kErrorCauseAguLsb, ntx::kErrorCauseAguWidth);
  std::string text;
  if (cause == ntx::kErrorCauseCauseOutOfRange) {
    text = fmt::format(
        "NTX {} stopped in a command: registers agu{}_base and agu{}_stride lead to {:#010x}, which is not "
        "in {}",
        fault.unit, agu, agu, fault.value, tcdm(map));
  } else if (cause == ntx::kErrorCauseCauseMisalignedBase) {
    text = fmt::format("NTX {} refused a command: register agu{}_base ({:#010x}) is no multiple of 4",
                       fault.unit, agu, fault.value);
  } else if (cause == ntx::kErrorCauseCauseMisalignedStride) {
    // The hardware keeps the value, not which of the five it was.
    const auto at = std::find(fault.strides.begin(), fault.strides.end(), fault.value);
    const std::string index =
        at == fault.strides.end() ? "" : fmt::format("[{}]", at - fault.strides.begin());
    text =
        fmt::format("NTX {} refused a command: register agu{}_stride{} ({:#010x}, or {}) is no multiple of 4",
                    fault.unit, agu, index, fault.value, static_cast<std::int32_t>(fault.value));
  } else {
    text = fmt::format("NTX {} refused a command: register cmd ({:#010x}): {}", fault.unit, fault.value,
                       command_fault(cause, fault.value));
  }
  if (fault.dropped != 0) text += fmt::format("; {} later commands were dropped", fault.dropped);
  return text;
}

std::string describe_dma_fault(const DmaFault& fault, const AddressMap& map) {
  const std::string start = fmt::format("DMA transfer {} failed: ", fault.id);
  const bool read = fault.cause == regs::dma::kErrorCauseCauseBusRead;
  if (!read && fault.cause != regs::dma::kErrorCauseCauseBusWrite) {
    return start + fmt::format(
                       "source or destination (registers src, dst, bytes, strides, counts) leads to {:#x}, "
                       "which is neither in {} nor in {}, or not in the one in which it begins",
                       fault.address, tcdm(map), cube(map));
  }
  if (fault.address >= regs::kCubeBase && fault.address - regs::kCubeBase < map.cube_bytes) {
    return start + fmt::format("the memory answered a {} at {:#x} with an error: {}", read ? "read" : "write",
                               fault.address, kBeyondRepair);
  }
  return start + fmt::format("its {} leads to {:#x}, which is not in {}",
                             read ? "source (registers src, bytes, src_stride, count)"
                                  : "destination (registers dst, bytes, dst_stride, count)",
                             fault.address, cube(map));
}

std::string describe_bus_error(std::uint32_t address, const AddressMap& map) {
  const auto in = [address](std::uint64_t base, std::uint64_t size) {
    return address >= base && address - base < size;
  };
  const auto no_register = [address](const std::string& block, std::uint64_t base) {
    return fmt::format(
        "{} has no register at offset {:#x} that takes this access (docs/reference/registers.md; whole words "
        "only)",
        block, address - base);
  };
  if (in(regs::kControlBase, regs::kControlSize)) return no_register("block control", regs::kControlBase);
  if (in(regs::kDmaBase, regs::kDmaSize)) return no_register("block dma", regs::kDmaBase);
  if (in(regs::kCountersBase, regs::kCountersSize)) return no_register("block counters", regs::kCountersBase);
  if (in(regs::kNtxBase, regs::kNtxSize)) {
    const auto unit = static_cast<unsigned>((address - regs::kNtxBase) / kNtxPitch);
    if (unit >= map.ntx) return fmt::format("there is no NTX {}, only {}", unit, map.ntx);
    return no_register(fmt::format("NTX {}", unit), regs::kNtxBase + unit * kNtxPitch);
  }
  if (in(regs::kNtxBroadcastBase, regs::kNtxBroadcastSize)) {
    return no_register("the NTX's broadcast block, which is write-only,", regs::kNtxBroadcastBase);
  }
  if (in(regs::kTcdmBase, regs::kTcdmSize) && !in(regs::kTcdmBase, map.tcdm_bytes)) {
    return fmt::format("beyond {}", tcdm(map));
  }
  if (address >= regs::kCubeBase && !in(regs::kCubeBase, map.cube_bytes)) {
    return fmt::format("beyond {}", cube(map));
  }
  if (map.memory_errors && in(regs::kCubeBase, map.cube_bytes)) {
    return fmt::format("the memory answered with an error: {}", kBeyondRepair);
  }
  if (in(regs::kTcdmBase, map.tcdm_bytes) || in(regs::kCubeBase, map.cube_bytes)) {
    return "memory is there, but not for this kind of access";
  }
  return "neither memory nor registers are there (docs/reference/registers.md)";
}

}  // namespace nearcube::system
