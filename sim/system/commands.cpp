// SPDX-License-Identifier: Apache-2.0
#include "sim/system/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/units.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;
namespace ntx = interfaces::ntx;
namespace dma = interfaces::dma;
using base::with_separators;

constexpr std::uint32_t kNtxPitch = static_cast<std::uint32_t>(regs::kNtxSize / 8);
constexpr std::uint32_t kAguPitch = ntx::kAgu1BaseOffset - ntx::kAgu0BaseOffset;

constexpr std::uint32_t field(std::uint32_t word, unsigned lsb, unsigned width) {
  return word >> lsb & ((1u << width) - 1);
}
constexpr bool within(std::uint32_t address, std::uint64_t base, std::uint64_t size) {
  return address >= base && address - base < size;
}

/// What the operation table of docs/ntx-programming.md says about an opcode.
struct Operation {
  const char* name;
  const char* agu[3];  ///< what each address generator is for; null: unused
  bool has_init;
};

constexpr std::array<Operation, 9> kOperations = {{
    {"MAC", {"operand A", "operand B", "result"}, true},
    {"VADDSUB", {"operand A", nullptr, "result"}, true},
    {"VMULT", {"operand A", "operand B", "result"}, false},
    {"OUTERP", {"operand A", nullptr, "result"}, true},
    {"MAXMIN", {nullptr, "operand B", "result"}, true},
    {"THTST", {nullptr, "operand B", "result"}, true},
    {"MASK", {"operand A", "operand B", "result"}, true},
    {"MASKMAC", {"operand v", "operand B", "modified words"}, false},
    {"COPY", {"operand A", nullptr, "result"}, true},
}};

const Operation* operation(std::uint32_t cmd) {
  const std::uint32_t opcode = field(cmd, ntx::kCmdOpcodeLsb, ntx::kCmdOpcodeWidth);
  return opcode < kOperations.size() ? &kOperations[opcode] : nullptr;
}

/// What a command uses an address generator for, as "operand A and init operand"; empty if it does not.
std::string use_of(const NtxCommand& command, unsigned agu) {
  const Operation* of = operation(command.cmd);
  if (of == nullptr) return "";
  std::string use = of->agu[agu] != nullptr ? of->agu[agu] : "";
  if (of->has_init && field(command.cmd, ntx::kCmdInitSourceLsb, ntx::kCmdInitSourceWidth) == agu) {
    use += use.empty() ? "init operand" : " and init operand";
  }
  return use;
}

std::uint32_t outer_level(const NtxCommand& command) {
  return std::min(field(command.cmd, ntx::kCmdOuterLevelLsb, ntx::kCmdOuterLevelWidth), 5u);
}

}  // namespace

const char* opcode_name(std::uint32_t cmd) {
  const Operation* of = operation(cmd);
  return of != nullptr ? of->name : "unknown";
}

AddressRange address_range(const NtxCommand& command, unsigned agu) {
  AddressRange range{command.base[agu], command.base[agu]};
  // What one iteration of a loop adds: its stride and what all inner loops have added.
  std::int64_t inner = 0;
  for (unsigned n = 0; n < outer_level(command); ++n) {
    const std::int64_t step = command.stride[agu][n] + inner;
    const std::int64_t all = step * command.loop[n];
    (all < 0 ? range.first : range.last) += all;
    inner += all;
  }
  return range;
}

bool leaves_tcdm(const NtxCommand& command, std::uint32_t tcdm_bytes) {
  for (unsigned agu = 0; agu < 3; ++agu) {
    const AddressRange range = address_range(command, agu);
    const auto base = static_cast<std::int64_t>(regs::kTcdmBase);
    if (!use_of(command, agu).empty() && (range.first < base || range.last + 4 > base + tcdm_bytes))
      return true;
  }
  return false;
}

std::string describe_command(const NtxCommand& command,
                             const std::function<std::string(std::uint32_t)>& place) {
  const auto cmd = [&command](unsigned lsb, unsigned width) { return field(command.cmd, lsb, width); };
  std::string text = fmt::format("NTX {}, command {}: {} (cmd {:#010x}), written in cycle {} by pc {}\n",
                                 command.unit, command.number, opcode_name(command.cmd), command.cmd,
                                 with_separators(command.written), place(command.pc));
  std::vector<std::string> trips;
  std::uint64_t steps = 1;
  for (unsigned n = 0; n < outer_level(command); ++n) {
    trips.push_back(std::to_string(command.loop[n] + 1));
    steps *= command.loop[n] + 1;
  }
  text += fmt::format("    loops {} ({} steps), init level {}, store level {}\n",
                      trips.empty() ? "none" : fmt::format("{}", fmt::join(trips, " x ")),
                      with_separators(steps), cmd(ntx::kCmdInitLevelLsb, ntx::kCmdInitLevelWidth),
                      cmd(ntx::kCmdStoreLevelLsb, ntx::kCmdStoreLevelWidth));
  for (unsigned agu = 0; agu < 3; ++agu) {
    const std::string use = use_of(command, agu);
    if (use.empty()) continue;
    const auto strides = std::span(command.stride[agu]).first(outer_level(command));
    const AddressRange range = address_range(command, agu);
    const auto address = [](std::int64_t value) {
      return value < 0 ? fmt::format("-{:#x}", -value) : fmt::format("{:#010x}", value);
    };
    text +=
        fmt::format("    agu{} ({}): base {:#010x}, strides {}: from {} to {}\n", agu, use, command.base[agu],
                    fmt::join(strides, ", "), address(range.first), address(range.last + 3));
  }
  text.pop_back();
  return text;
}

CommandLog::CommandLog(unsigned ntx, std::uint32_t tcdm_bytes) : tcdm_bytes_(tcdm_bytes), units_(ntx) {
  dma_[dma::kCount1Offset / 4] = dma_[dma::kCount2Offset / 4] = 1;
}

void CommandLog::write(std::uint32_t address, std::uint32_t value, std::uint32_t pc, std::uint64_t cycle,
                       const std::function<bool(unsigned)>& refuses) {
  if (within(address, regs::kNtxBase, regs::kNtxSize)) {
    const auto offset = static_cast<std::uint32_t>(address - regs::kNtxBase);
    const unsigned unit = offset / kNtxPitch;
    if (unit < units_.size()) write_ntx(unit, offset % kNtxPitch, value, pc, cycle, refuses(unit));
  } else if (within(address, regs::kNtxBroadcastBase, regs::kNtxBroadcastSize)) {
    for (unsigned unit = 0; unit < units_.size(); ++unit) {
      write_ntx(unit, static_cast<std::uint32_t>(address - regs::kNtxBroadcastBase), value, pc, cycle,
                refuses(unit));
    }
  } else if (within(address, regs::kDmaBase, regs::kDmaSize)) {
    write_dma(static_cast<std::uint32_t>(address - regs::kDmaBase), value, pc, cycle);
  } else if (address == regs::kControlBase + regs::control::kMtimecmpLoOffset) {
    timer_compare_ = (timer_compare_ & ~std::uint64_t{0xFFFFFFFF}) | value;
  } else if (address == regs::kControlBase + regs::control::kMtimecmpHiOffset) {
    timer_compare_ = (timer_compare_ & 0xFFFFFFFF) | std::uint64_t{value} << 32;
  }
}

void CommandLog::write_ntx(unsigned number, std::uint32_t offset, std::uint32_t value, std::uint32_t pc,
                           std::uint64_t cycle, bool refuses) {
  Unit& unit = units_[number];
  if (offset == ntx::kCtrlOffset && (value >> ntx::kCtrlSoftClearLsb & 1) != 0) {
    unit.latest.clear();
    if (on_clear) on_clear(number);
  }
  unit.registers[offset / 4 % unit.registers.size()] = value;
  if (offset != ntx::kCmdOffset) return;
  NtxCommand command{.unit = number, .number = ++unit.number, .cmd = value, .pc = pc, .written = cycle};
  for (unsigned n = 0; n < 5; ++n) {
    command.loop[n] = unit.registers[ntx::kLoopOffset / 4 + n] & 0xFFFF;
    for (unsigned agu = 0; agu < 3; ++agu) {
      command.stride[agu][n] =
          static_cast<std::int32_t>(unit.registers[(ntx::kAgu0StrideOffset + agu * kAguPitch) / 4 + n]);
    }
  }
  for (unsigned agu = 0; agu < 3; ++agu) {
    const std::uint32_t base = unit.registers[(ntx::kAgu0BaseOffset + agu * kAguPitch) / 4];
    // Bits 31:20 may be left out.
    command.base[agu] = (base >> 20) == 0 ? static_cast<std::uint32_t>(regs::kTcdmBase) + base : base;
  }
  if (!refuses) {
    unit.latest.push_back(command);
    if (unit.latest.size() > 3) unit.latest.pop_front();
  }
  if (on_command) on_command(command, refuses);
}

void CommandLog::write_dma(std::uint32_t offset, std::uint32_t value, std::uint32_t pc, std::uint64_t cycle) {
  if (offset / 4 < dma_.size()) dma_[offset / 4] = value;
  if (offset != dma::kStartOffset) return;
  ++dma_id_;
  if (!on_transfer) return;
  const auto wide = [this](std::uint32_t low) {
    return std::uint64_t{dma_[low / 4 + 1]} << 32 | dma_[low / 4];
  };
  DmaTransfer transfer{.id = dma_id_,
                       .fill = (value >> dma::kStartFillLsb & 1) != 0,
                       .source = wide(dma::kSrcLoOffset),
                       .destination = wide(dma::kDstLoOffset),
                       .bytes = dma_[dma::kBytesOffset / 4],
                       .count1 = dma_[dma::kCount1Offset / 4],
                       .count2 = dma_[dma::kCount2Offset / 4],
                       .pc = pc,
                       .written = cycle};
  if (transfer.fill) transfer.source = dma_[dma::kFillOffset / 4];
  transfer.to_tcdm =
      transfer.destination >= regs::kTcdmBase && transfer.destination - regs::kTcdmBase < tcdm_bytes_;
  on_transfer(transfer);
}

}  // namespace nearcube::system
