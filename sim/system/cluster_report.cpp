// SPDX-License-Identifier: Apache-2.0
// What a cluster does, in traces and in words.
#include <fmt/format.h>

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/units.h"
#include "sim/riscv/disassemble.h"
#include "sim/system/cluster_node.h"

namespace nearcube::system {

namespace regs = interfaces;

void ClusterNode::trace_instructions(const std::string& file, std::uint64_t from, std::uint64_t to) {
  instruction_trace_ = std::make_unique<InstructionTrace>(file, from, to, [this](std::uint32_t pc) {
    const std::string at = source_line(pc);
    return at.empty() ? function(pc) : fmt::format("{} {}", function(pc), at);
  });
}

CommandTrace& ClusterNode::follow_commands() {
  if (!command_trace_) {
    command_trace_ = std::make_unique<CommandTrace>(parameters().ntx);
    commands_.on_command = [this](const NtxCommand& command, bool dropped) {
      command_trace_->start(command, dropped);
    };
    commands_.on_transfer = [this](const DmaTransfer& transfer) { command_trace_->start(transfer); };
    commands_.on_clear = [this](unsigned unit) { command_trace_->clear(unit); };
  }
  return *command_trace_;
}

void ClusterNode::trace_commands(const std::string& file, std::uint64_t from, std::uint64_t to) {
  command_table_ = std::make_unique<CommandTable>(file, [this](std::uint32_t pc) {
    return Place{function(pc), source_line(pc)};
  });
  follow_commands().add([this](const CommandRow& row) { command_table_->add(row); }, from, to);
}

void ClusterNode::trace_timeline(const TimelineOptions& options) {
  timeline_ =
      std::make_unique<Timeline>(options, parameters().ntx, [this](std::uint32_t pc) { return place(pc); });
  follow_commands().add([this](const CommandRow& row) { timeline_->command(row); }, options.from, options.to,
                        options.stall_cycles);
}

void ClusterNode::finish_tables(const std::string& reason) {
  if (instruction_trace_) instruction_trace_->commit(reason);
  instruction_trace_.reset();
  if (command_trace_) command_trace_->flush();
  if (command_table_) command_table_->commit();
  command_table_.reset();
  if (timeline_) timeline_->commit();
  timeline_.reset();
}

std::string ClusterNode::place(std::uint32_t pc) const {
  return program_ != nullptr ? program_->place(pc) : fmt::format("{:#010x}", pc);
}

std::string ClusterNode::history(bool of_exception) const {
  const std::vector<riscv::Executed> list = of_exception ? core_.before_exception() : core_.recent();
  if (list.empty()) return "no instruction was completed";
  std::string text =
      fmt::format("the last {} instructions{}:", list.size(), of_exception ? ", and the one at fault" : "");
  const auto append = [&](std::uint32_t pc, const riscv::Instruction& instruction) {
    const std::string at = source_line(pc);
    text += fmt::format("\n  {:08x}  {:<28}{}{}{}", pc, riscv::disassemble(instruction, pc), function(pc),
                        at.empty() ? "" : "  ", at);
  };
  for (const auto& [pc, instruction] : list) append(pc, instruction);
  const std::uint32_t pc = core_.trap().pc;
  if (of_exception && memory_.contains(pc, 4)) {
    std::array<std::uint8_t, 4> bytes{};
    memory_.read(pc, bytes);
    append(pc, riscv::decode(bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
                             std::uint32_t{bytes[3]} << 24));
  }
  return text;
}

// The commands that an NTX has not finished, in words.
std::string ClusterNode::describe_commands(unsigned unit, const rtl::ClusterDebug& words) const {
  const auto& latest = commands_.latest(unit);
  const std::uint32_t word = words.ntx[unit];
  const auto holds = [word](unsigned lsb) { return (word >> lsb & 1) != 0; };
  if (latest.empty()) return "";
  const auto describe = [this](const NtxCommand& command) {
    return fmt::format("\n  {}", describe_command(command, [this](std::uint32_t pc) { return place(pc); }));
  };
  if (holds(regs::ntx::kDebugInvalidLsb)) {
    // Others may have been staged behind one that leads out of the scratchpad, none behind one that was
    // refused.
    const auto astray = std::find_if(latest.begin(), latest.end(), [this](const NtxCommand& command) {
      return leaves_tcdm(command, parameters().tcdm_bytes);
    });
    return describe(astray == latest.end() ? latest.back() : *astray);
  }
  const std::size_t unfinished =
      std::size_t{holds(regs::ntx::kDebugActiveLsb)} + std::size_t{holds(regs::ntx::kDebugStagedLsb)};
  std::string text;
  for (std::size_t i = latest.size() - std::min(latest.size(), unfinished); i < latest.size(); ++i) {
    text += describe(latest[i]);
  }
  return text;
}

std::string ClusterNode::end_message() const {
  switch (result_.end) {
    case End::kExit:
    case End::kStopped:
      return "";
    case End::kUncaught:
      return fmt::format("{}\n{}", describe_trap(), history(true));
    case End::kMaxCycles:
      return fmt::format("the limit of {} cycles (--max-cycles) was reached without an end of the program",
                         base::with_separators(max_cycles_));
    case End::kStuck:
      return fmt::format("stuck: no instruction, NTX step, DMA or AXI transfer for {} cycles",
                         base::with_separators(config_.watchdog_cycles));
    case End::kKilled:
      return fmt::format("killed by the debugger after {} cycles", base::with_separators(result_.cycles));
    case End::kInterrupted:
      return fmt::format("interrupted after {} cycles", base::with_separators(result_.cycles));
  }
  return "";
}

std::string ClusterNode::describe_place() const {
  const riscv::CoreStatus status = core_.status();
  std::string name = function(status.pc);
  name = name.substr(0, name.find('+'));
  return fmt::format("{}{}{}", at_barrier() ? "waits at the barrier, " : "",
                     status.sleeping ? "asleep" : "at work",
                     name.empty() ? fmt::format(" at {:#010x}", status.pc) : " in " + name);
}

AddressMap ClusterNode::address_map() const {
  return {.tcdm_bytes = parameters().tcdm_bytes,
          .cube_bytes = memory_.capacity(),
          .ntx = parameters().ntx,
          .memory_errors = protection_ != nullptr && protection_->result().uncorrectable != 0};
}

debug::ClusterView ClusterNode::view() const {
  const rtl::ClusterDebug words = cluster_.debug();
  const riscv::CoreStatus status = core_.status();
  debug::ClusterView view;
  view.dma = words.dma;
  view.core = words.core;
  view.ntx.assign(words.ntx.begin(), words.ntx.begin() + parameters().ntx);
  view.core_place = place(status.pc);
  view.core_wait = riscv::describe(status.wait);
  if (status.wait == riscv::CoreWait::kDataGrant || status.wait == riscv::CoreWait::kDataAnswer ||
      status.wait == riscv::CoreWait::kInstructionGrant || status.wait == riscv::CoreWait::kInstructionData) {
    view.core_address = status.wait_address;
  }
  view.core_asleep = status.sleeping;
  view.core_ended = core_.halted();
  view.memory = port_.describe();
  return view;
}

std::string ClusterNode::describe_trap() const {
  const riscv::Trap& trap = core_.trap();
  const bool bus_error = trap.cause == riscv::cause::kInstructionAccessFault ||
                         trap.cause == riscv::cause::kLoadAccessFault ||
                         trap.cause == riscv::cause::kStoreAccessFault;
  return fmt::format("uncaught exception: {} (mcause {}) at pc {}, {} {:#010x}{}",
                     riscv::describe_cause(trap.cause), trap.cause, place(trap.pc),
                     trap.cause == riscv::cause::kIllegalInstruction ? "instruction" : "address", trap.value,
                     bus_error ? ": " + describe_bus_error(trap.value, address_map()) : "");
}

}  // namespace nearcube::system
