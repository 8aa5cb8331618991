// SPDX-License-Identifier: Apache-2.0
// One decoded RV32IMC instruction. Compressed instructions decode to the base instruction that they
// abbreviate (RISC-V Unprivileged ISA 20191213, chapter 16), so nothing past the decoder knows of them but
// for their length.
#pragma once

#include <cstdint>

namespace nearcube::riscv {

/// What an instruction does. The order matters to the predicates below.
enum class Op : std::uint8_t {
  kUndecoded,  ///< an empty entry of a cache of decoded instructions; decode() never returns it
  kIllegal,
  kLui,
  kAuipc,
  kJal,
  kJalr,
  kBeq,
  kBne,
  kBlt,
  kBge,
  kBltu,
  kBgeu,
  kLb,
  kLh,
  kLw,
  kLbu,
  kLhu,
  kSb,
  kSh,
  kSw,
  kAddi,
  kSlti,
  kSltiu,
  kXori,
  kOri,
  kAndi,
  kSlli,
  kSrli,
  kSrai,
  kAdd,
  kSub,
  kSll,
  kSlt,
  kSltu,
  kXor,
  kSrl,
  kSra,
  kOr,
  kAnd,
  kMul,
  kMulh,
  kMulhsu,
  kMulhu,
  kDiv,
  kDivu,
  kRem,
  kRemu,
  kFence,
  kFenceI,
  kEcall,
  kEbreak,
  kMret,
  kWfi,
  kCsrrw,
  kCsrrs,
  kCsrrc,
  kCsrrwi,
  kCsrrsi,
  kCsrrci,
};

/// Number of the register that writes to x0 go to, so that no write needs a test for x0.
inline constexpr std::uint8_t kSink = 32;
/// Registers of a hart: x0 to x31 and the sink.
inline constexpr unsigned kRegisterSlots = 33;

struct Instruction {
  Op op = Op::kUndecoded;
  std::uint8_t rd = kSink;   ///< destination; kSink for x0 and for instructions without one
  std::uint8_t rs1 = 0;      ///< first source; 0 when unused
  std::uint8_t rs2 = 0;      ///< second source; 0 when unused
  std::int32_t imm = 0;      ///< sign-extended immediate; CSR instructions: number | uimm << 16
  std::uint32_t bits = 0;    ///< as in memory, 16 or 32 bits; what mtval shows for an illegal one
  std::uint32_t length = 4;  ///< 2 or 4 bytes
};
static_assert(sizeof(Instruction) == 16);

constexpr bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeu; }
constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }
constexpr bool is_store(Op op) { return op >= Op::kSb && op <= Op::kSw; }
constexpr bool is_memory(Op op) { return op >= Op::kLb && op <= Op::kSw; }
constexpr bool is_multiply_high(Op op) { return op >= Op::kMulh && op <= Op::kMulhu; }
constexpr bool is_divide(Op op) { return op >= Op::kDiv && op <= Op::kRemu; }
constexpr bool is_csr(Op op) { return op >= Op::kCsrrw && op <= Op::kCsrrci; }

/// Bytes that a load or store moves: 1, 2 or 4.
constexpr unsigned access_bytes(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb:
      return 1;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh:
      return 2;
    default:
      return 4;
  }
}

/// Length in bytes, 2 or 4, of the instruction whose first 16 bits are `low`.
constexpr unsigned instruction_length(std::uint16_t low) { return (low & 3u) == 3u ? 4 : 2; }

/// Decodes the instruction in `bits`; for a compressed one bits 31:16 are ignored. Anything that is not a
/// defined RV32IMC, Zicsr, Zifencei or M-mode instruction becomes kIllegal.
Instruction decode(std::uint32_t bits);

/// Assembler name of an operation, as "addi".
const char* mnemonic(Op op);

}  // namespace nearcube::riscv
