// SPDX-License-Identifier: Apache-2.0
#include "sim/system/instruction_trace.h"

#include <fmt/format.h>

#include "sim/riscv/disassemble.h"

namespace nearcube::system {

InstructionTrace::InstructionTrace(const std::string& path, std::uint64_t from, std::uint64_t to,
                                   std::function<std::string(std::uint32_t)> place)
    : file_(path), from_(from), to_(to), place_(std::move(place)) {
  file_.write(
      "# Nearcube instruction trace 1: NTX clock cycle, pc, encoding, instruction | register = value "
      "[address] or "
      "[address] = stored value | function, source line\n");
}

const InstructionTrace::Code& InstructionTrace::code(std::uint32_t pc,
                                                     const riscv::Instruction& instruction) {
  Code& code = codes_[pc];
  // Code may change.
  if (code.text.empty() || code.bits != instruction.bits) {
    code.bits = instruction.bits;
    code.text = instruction.length == 2 ? fmt::format("{:08x}     {:04x} ", pc, instruction.bits & 0xFFFF)
                                        : fmt::format("{:08x} {:08x} ", pc, instruction.bits);
    code.text += fmt::format("{:<26}", riscv::disassemble(instruction, pc));
    code.place = place_(pc);
  }
  return code;
}

void InstructionTrace::retires(const riscv::Retirement& retirement) {
  if (cycle_ < from_ || cycle_ > to_) return;
  const riscv::Instruction& i = retirement.instruction;
  const Code& known = code(retirement.pc, i);
  const unsigned digits = 2 * riscv::access_bytes(i.op);
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  fmt::format_to(out, "{:>11} {} | ", cycle_, known.text);
  const std::size_t start = line.size();
  if (riscv::is_store(i.op)) {
    const std::uint32_t mask = digits == 8 ? ~0u : (1u << (4 * digits)) - 1;
    fmt::format_to(out, "[{:08x}] = {:0{}x}", retirement.address, retirement.value & mask, digits);
  } else if (i.rd != riscv::kSink) {
    fmt::format_to(out, "{} = {:08x}", riscv::register_name(i.rd), retirement.value);
    if (riscv::is_load(i.op)) fmt::format_to(out, " [{:08x}]", retirement.address);
  }
  fmt::format_to(out, "{:{}} | {}\n", "", 26 - std::min<std::size_t>(26, line.size() - start), known.place);
  file_.write({line.data(), line.size()});
}

void InstructionTrace::traps(const riscv::Trap& trap, std::uint64_t /*cycle*/) {
  if (cycle_ < from_ || cycle_ > to_) return;
  file_.write(fmt::format("# cycle {}: {} (mcause {:#x}, mtval {:#010x}) at pc {:08x} {}\n", cycle_,
                          riscv::describe_cause(trap.cause), trap.cause, trap.value, trap.pc,
                          place_(trap.pc)));
}

void InstructionTrace::commit(const std::string& reason) {
  file_.write(fmt::format("# end: {}\n", reason));
  file_.commit();
}

}  // namespace nearcube::system
