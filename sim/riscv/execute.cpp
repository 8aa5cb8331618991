// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/execute.h"

namespace nearcube::riscv {
namespace {

/// csrrw, csrrs, csrrc and their immediate forms. False: no such register, or a write to a read-only one.
bool access_csr(const Instruction& i, std::uint32_t* x, CsrFile& csr) {
  const auto number = static_cast<std::uint32_t>(i.imm) & 0xFFFu;
  const bool immediate = i.op >= Op::kCsrrwi;
  const std::uint32_t uimm = static_cast<std::uint32_t>(i.imm) >> 16;
  const std::uint32_t operand = immediate ? uimm : x[i.rs1];
  const bool names_operand = immediate ? uimm != 0 : i.rs1 != 0;
  const auto old = csr.read(number);
  if (!old) return false;
  switch (i.op) {
    case Op::kCsrrw:
    case Op::kCsrrwi:
      if (!csr.write(number, operand)) return false;
      break;
    // Set and clear with x0 or 0 write nothing, which makes them legal on read-only registers.
    case Op::kCsrrs:
    case Op::kCsrrsi:
      if (names_operand && !csr.write(number, *old | operand)) return false;
      break;
    default:
      if (names_operand && !csr.write(number, *old & ~operand)) return false;
      break;
  }
  x[i.rd] = *old;
  return true;
}

}  // namespace

Outcome execute_system(const Instruction& i, std::uint32_t* x, std::uint32_t& pc, CsrFile& csr, Trap& trap) {
  switch (i.op) {
    case Op::kFence:  // accesses are in order: nothing to wait for
      pc += i.length;
      return Outcome::kNext;
    case Op::kFenceI:
      pc += i.length;
      return Outcome::kFenceI;
    case Op::kWfi:
      pc += i.length;
      return Outcome::kWfi;
    case Op::kMret:
      pc = csr.return_from_trap();
      return Outcome::kReturn;
    case Op::kEcall:
      trap = {pc, cause::kEcallFromM, 0};
      return Outcome::kTrap;
    case Op::kEbreak:
      trap = {pc, cause::kBreakpoint, pc};
      return Outcome::kTrap;
    default:
      if (is_csr(i.op) && access_csr(i, x, csr)) {
        pc += i.length;
        return Outcome::kSystem;
      }
      trap = {pc, cause::kIllegalInstruction, i.bits};
      return Outcome::kTrap;
  }
}

}  // namespace nearcube::riscv
