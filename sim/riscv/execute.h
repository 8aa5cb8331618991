// SPDX-License-Identifier: Apache-2.0
// What each instruction does: the one definition that the timed core and the functional executor share.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/riscv/csr.h"
#include "sim/riscv/instruction.h"

namespace nearcube::riscv {

/// How a load or store went.
enum class Access : std::uint8_t {
  kDone,
  kDevice,  ///< done, and interrupt lines may have changed
  kStop,    ///< done, and the device asks for the run to end
  kFault,   ///< bus error
};

/// How an instruction ended. Those up to kJump ask for nothing more in functional execution.
enum class Outcome : std::uint8_t {
  kNext,
  kBranch,  ///< taken
  kJump,
  kSystem,  ///< a CSR may have changed what interrupts are pending
  kReturn,  ///< mret; likewise
  kWfi,
  kFenceI,
  kDevice,
  kStop,
  kTrap,  ///< nothing was done but to fill in the trap
  kUndecoded,
  kDeferred,  ///< the environment leaves execute_system to its caller
};

/// Cycles of a division in the execute stage, 3 to 35. RI5CY's serial divider (CV32E40P User Manual, pipeline
/// details: "3 - 35, by the number of leading zeros of the divisor") first aligns the divisor, then makes one
/// quotient bit a cycle: 3 + leading zeros of a non-negative or unsigned divisor (32 for 0), and 2 + leading
/// ones of a negative signed one, whose redundant sign bits it skips.
constexpr unsigned divide_cycles(Op op, std::uint32_t divisor) {
  const bool is_signed = op == Op::kDiv || op == Op::kRem;
  const bool negative = is_signed && (divisor >> 31) != 0;
  std::uint32_t bits = negative ? ~divisor : divisor;
  unsigned leading = 32;
  for (; bits != 0; bits >>= 1) --leading;
  return 3 + leading - (negative ? 1 : 0);
}

/// Executes what is neither arithmetic nor a jump nor a memory access: CSR accesses, traps, fences, WFI and
/// whatever is illegal.
Outcome execute_system(const Instruction& i, std::uint32_t* x, std::uint32_t& pc, CsrFile& csr, Trap& trap);

/// Executes one instruction on the kRegisterSlots registers at `x`. `pc` is its address and becomes the next
/// one's, unless it traps. `environment` offers
///   Access load(address, T& value) and Access store(address, T value), T unsigned of 8, 16 or 32 bits, any
///   alignment std::uint32_t fault_address()   after kFault: the address mtval shows Outcome
///   system(instruction, pc, trap)   calls execute_system
template <class Environment>
[[gnu::always_inline]] inline Outcome execute(const Instruction& i, std::uint32_t* x, std::uint32_t& pc,
                                              Environment& environment, Trap& trap) {
  const auto as_signed = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
  const auto as_unsigned = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t imm = as_unsigned(i.imm);
  const auto a = [&] { return x[i.rs1]; };
  const auto b = [&] { return x[i.rs2]; };
  const auto next = [&](std::uint32_t value) {
    x[i.rd] = value;
    pc += i.length;
    return Outcome::kNext;
  };
  const auto branch = [&](bool taken) {
    pc += taken ? imm : i.length;
    return taken ? Outcome::kBranch : Outcome::kNext;
  };
  const auto done = [&](Access access, std::uint32_t fault_cause) {
    if (access == Access::kDone) [[likely]] {
      pc += i.length;
      return Outcome::kNext;
    }
    if (access == Access::kFault) {
      trap = {pc, fault_cause, environment.fault_address()};
      return Outcome::kTrap;
    }
    pc += i.length;
    return access == Access::kDevice ? Outcome::kDevice : Outcome::kStop;
  };
  const auto load = [&]<class T>(T value, auto extend) {
    const Access access = environment.load(a() + imm, value);
    if (access != Access::kFault) [[likely]]
      x[i.rd] = extend(value);
    return done(access, cause::kLoadAccessFault);
  };
  const auto store = [&]<class T>(T value) {
    return done(environment.store(a() + imm, value), cause::kStoreAccessFault);
  };
  const auto product = [](std::int64_t left, std::int64_t right) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(left * right) >> 32);
  };
  constexpr std::int32_t minimum = std::numeric_limits<std::int32_t>::min();

  switch (i.op) {
    case Op::kUndecoded:
      return Outcome::kUndecoded;
    case Op::kLui:
      return next(imm);
    case Op::kAuipc:
      return next(pc + imm);
    case Op::kJal:
      x[i.rd] = pc + i.length;
      pc += imm;
      return Outcome::kJump;
    case Op::kJalr: {
      const std::uint32_t target = (a() + imm) & ~1u;
      x[i.rd] = pc + i.length;
      pc = target;
      return Outcome::kJump;
    }
    case Op::kBeq:
      return branch(a() == b());
    case Op::kBne:
      return branch(a() != b());
    case Op::kBlt:
      return branch(as_signed(a()) < as_signed(b()));
    case Op::kBge:
      return branch(as_signed(a()) >= as_signed(b()));
    case Op::kBltu:
      return branch(a() < b());
    case Op::kBgeu:
      return branch(a() >= b());
    case Op::kLb:
      return load(std::uint8_t{}, [&](std::uint8_t v) { return as_unsigned(static_cast<std::int8_t>(v)); });
    case Op::kLh:
      return load(std::uint16_t{},
                  [&](std::uint16_t v) { return as_unsigned(static_cast<std::int16_t>(v)); });
    case Op::kLw:
      return load(std::uint32_t{}, [](std::uint32_t v) { return v; });
    case Op::kLbu:
      return load(std::uint8_t{}, [](std::uint8_t v) { return std::uint32_t{v}; });
    case Op::kLhu:
      return load(std::uint16_t{}, [](std::uint16_t v) { return std::uint32_t{v}; });
    case Op::kSb:
      return store(static_cast<std::uint8_t>(b()));
    case Op::kSh:
      return store(static_cast<std::uint16_t>(b()));
    case Op::kSw:
      return store(b());
    case Op::kAddi:
      return next(a() + imm);
    case Op::kSlti:
      return next(as_signed(a()) < i.imm ? 1 : 0);
    case Op::kSltiu:
      return next(a() < imm ? 1 : 0);
    case Op::kXori:
      return next(a() ^ imm);
    case Op::kOri:
      return next(a() | imm);
    case Op::kAndi:
      return next(a() & imm);
    case Op::kSlli:
      return next(a() << (imm & 31u));
    case Op::kSrli:
      return next(a() >> (imm & 31u));
    case Op::kSrai:
      return next(as_unsigned(as_signed(a()) >> (imm & 31u)));
    case Op::kAdd:
      return next(a() + b());
    case Op::kSub:
      return next(a() - b());
    case Op::kSll:
      return next(a() << (b() & 31u));
    case Op::kSlt:
      return next(as_signed(a()) < as_signed(b()) ? 1 : 0);
    case Op::kSltu:
      return next(a() < b() ? 1 : 0);
    case Op::kXor:
      return next(a() ^ b());
    case Op::kSrl:
      return next(a() >> (b() & 31u));
    case Op::kSra:
      return next(as_unsigned(as_signed(a()) >> (b() & 31u)));
    case Op::kOr:
      return next(a() | b());
    case Op::kAnd:
      return next(a() & b());
    case Op::kMul:
      return next(a() * b());
    case Op::kMulh:
      return next(product(as_signed(a()), as_signed(b())));
    case Op::kMulhsu:
      return next(product(as_signed(a()), std::int64_t{b()}));
    case Op::kMulhu:
      return next(static_cast<std::uint32_t>((std::uint64_t{a()} * b()) >> 32));
    // Division by zero and overflow give fixed results and no trap (Unprivileged ISA, table 7.1).
    case Op::kDiv:
      if (b() == 0) return next(~0u);
      if (as_signed(a()) == minimum && as_signed(b()) == -1) return next(a());
      return next(as_unsigned(as_signed(a()) / as_signed(b())));
    case Op::kDivu:
      return next(b() == 0 ? ~0u : a() / b());
    case Op::kRem:
      if (b() == 0) return next(a());
      if (as_signed(a()) == minimum && as_signed(b()) == -1) return next(0);
      return next(as_unsigned(as_signed(a()) % as_signed(b())));
    case Op::kRemu:
      return next(b() == 0 ? a() : a() % b());
    default:
      return environment.system(i, pc, trap);
  }
}

}  // namespace nearcube::riscv
