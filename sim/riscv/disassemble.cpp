// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/disassemble.h"

#include <fmt/format.h>

#include <array>

namespace nearcube::riscv {
namespace {

/// How the operands of an operation are written.
enum class Form : std::uint8_t {
  kNone,
  kUpper,
  kJump,
  kJumpRegister,
  kBranch,
  kLoad,
  kStore,
  kImmediate,
  kRegisters,
  kCsr,
  kCsrImmediate
};

constexpr Form form_of(Op op) {
  if (op == Op::kLui || op == Op::kAuipc) return Form::kUpper;
  if (op == Op::kJal) return Form::kJump;
  if (op == Op::kJalr) return Form::kJumpRegister;
  if (is_branch(op)) return Form::kBranch;
  if (is_load(op)) return Form::kLoad;
  if (is_store(op)) return Form::kStore;
  if (op >= Op::kAddi && op <= Op::kSrai) return Form::kImmediate;
  if (op >= Op::kAdd && op <= Op::kRemu) return Form::kRegisters;
  if (op >= Op::kCsrrw && op <= Op::kCsrrc) return Form::kCsr;
  if (op >= Op::kCsrrwi && op <= Op::kCsrrci) return Form::kCsrImmediate;
  return Form::kNone;
}

/// CSRs that have a name here (Privileged Architecture 20190608, table 2.5).
std::string csr_name(std::uint32_t number) {
  switch (number) {
    case 0x300:
      return "mstatus";
    case 0x304:
      return "mie";
    case 0x305:
      return "mtvec";
    case 0x340:
      return "mscratch";
    case 0x341:
      return "mepc";
    case 0x342:
      return "mcause";
    case 0x343:
      return "mtval";
    case 0x344:
      return "mip";
    case 0xB00:
      return "mcycle";
    case 0xB02:
      return "minstret";
    case 0xF14:
      return "mhartid";
    default:
      return fmt::format("{:#x}", number);
  }
}

/// The few pseudo-instructions that everybody reads more easily; empty for all others.
std::string pseudo(const Instruction& i, const char* rd, const char* rs1, std::uint32_t target) {
  if (i.op == Op::kAddi && i.rd == kSink && i.rs1 == 0 && i.imm == 0) return "nop";
  if (i.op == Op::kAddi && i.rs1 == 0) return fmt::format("li {}, {}", rd, i.imm);
  if (i.op == Op::kAddi && i.imm == 0) return fmt::format("mv {}, {}", rd, rs1);
  if (i.op == Op::kAdd && i.rs1 == 0) return fmt::format("mv {}, {}", rd, register_name(i.rs2));
  if (i.op == Op::kJal && i.rd == kSink) return fmt::format("j {:#x}", target);
  if (i.op == Op::kJalr && i.rd == kSink && i.imm == 0) return i.rs1 == 1 ? "ret" : fmt::format("jr {}", rs1);
  return "";
}

}  // namespace

const char* register_name(unsigned number) {
  static constexpr std::array<const char*, 32> kNames = {
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames[number % kNames.size()];
}

std::string disassemble(const Instruction& i, std::uint32_t pc) {
  const char* name = mnemonic(i.op);
  const char* rd = register_name(i.rd == kSink ? 0 : i.rd);
  const char* rs1 = register_name(i.rs1);
  const char* rs2 = register_name(i.rs2);
  const std::uint32_t target = pc + static_cast<std::uint32_t>(i.imm);
  if (std::string text = pseudo(i, rd, rs1, target); !text.empty()) return text;
  switch (form_of(i.op)) {
    case Form::kNone:
      return i.op == Op::kIllegal ? fmt::format("illegal {:#x}", i.bits) : name;
    case Form::kUpper:
      return fmt::format("{} {}, {:#x}", name, rd, static_cast<std::uint32_t>(i.imm) >> 12);
    case Form::kJump:
      return fmt::format("{} {}, {:#x}", name, rd, target);
    case Form::kBranch:
      return fmt::format("{} {}, {}, {:#x}", name, rs1, rs2, target);
    case Form::kJumpRegister:
    case Form::kLoad:
      return fmt::format("{} {}, {}({})", name, rd, i.imm, rs1);
    case Form::kStore:
      return fmt::format("{} {}, {}({})", name, rs2, i.imm, rs1);
    case Form::kImmediate:
      return fmt::format("{} {}, {}, {}", name, rd, rs1, i.imm);
    case Form::kRegisters:
      return fmt::format("{} {}, {}, {}", name, rd, rs1, rs2);
    case Form::kCsr:
      return fmt::format("{} {}, {}, {}", name, rd, csr_name(static_cast<std::uint32_t>(i.imm) & 0xFFFu),
                         rs1);
    case Form::kCsrImmediate:
      return fmt::format("{} {}, {}, {}", name, rd, csr_name(static_cast<std::uint32_t>(i.imm) & 0xFFFu),
                         static_cast<std::uint32_t>(i.imm) >> 16);
  }
  return name;
}

}  // namespace nearcube::riscv
