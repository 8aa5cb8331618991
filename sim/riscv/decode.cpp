// SPDX-License-Identifier: Apache-2.0
// Formats and opcodes: RISC-V Unprivileged ISA 20191213, chapters 2, 3, 7, 9, 16 and 24.
#include <array>

#include "sim/riscv/instruction.h"

namespace nearcube::riscv {
namespace {

/// Bits `high`:`low` of `value`.
constexpr std::uint32_t bits_of(std::uint32_t value, unsigned high, unsigned low) {
  return (value >> low) & ((2u << (high - low)) - 1u);
}

/// Moves bits `high`:`low` of `value` to bit `to`.
constexpr std::uint32_t move(std::uint32_t value, unsigned high, unsigned low, unsigned to) {
  return bits_of(value, high, low) << to;
}

/// The low `width` bits of `value` as a signed number.
constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width) {
  const unsigned shift = 32 - width;
  return static_cast<std::int32_t>(value << shift) >> shift;
}

constexpr std::uint8_t destination(std::uint32_t number) {
  return number == 0 ? kSink : static_cast<std::uint8_t>(number);
}

/// An instruction under construction.
struct Build {
  Instruction i;

  Build(std::uint32_t bits, std::uint32_t length) {
    i.op = Op::kIllegal;
    i.bits = bits;
    i.length = length;
  }
  Build& rd(std::uint32_t number) {
    i.rd = destination(number);
    return *this;
  }
  Build& rs1(std::uint32_t number) {
    i.rs1 = static_cast<std::uint8_t>(number);
    return *this;
  }
  Build& rs2(std::uint32_t number) {
    i.rs2 = static_cast<std::uint8_t>(number);
    return *this;
  }
  Build& imm(std::int32_t value) {
    i.imm = value;
    return *this;
  }
  Build& imm(std::uint32_t value) { return imm(static_cast<std::int32_t>(value)); }
  Instruction as(Op op) {
    i.op = op;
    return i;
  }
};

Instruction decode_wide(std::uint32_t w) {
  using enum Op;
  const auto build = [w] { return Build(w, 4); };
  const Instruction illegal = build().i;
  const std::uint32_t rd = bits_of(w, 11, 7), rs1 = bits_of(w, 19, 15), rs2 = bits_of(w, 24, 20);
  const std::uint32_t funct3 = bits_of(w, 14, 12), funct7 = bits_of(w, 31, 25);
  const std::int32_t imm_i = sign_extend(bits_of(w, 31, 20), 12);

  switch (bits_of(w, 6, 0)) {
    case 0x37:
      return build().rd(rd).imm(w & 0xFFFFF000u).as(kLui);
    case 0x17:
      return build().rd(rd).imm(w & 0xFFFFF000u).as(kAuipc);
    case 0x6F: {
      const std::uint32_t offset =
          move(w, 31, 31, 20) | move(w, 19, 12, 12) | move(w, 20, 20, 11) | move(w, 30, 21, 1);
      return build().rd(rd).imm(sign_extend(offset, 21)).as(kJal);
    }
    case 0x67:
      return funct3 == 0 ? build().rd(rd).rs1(rs1).imm(imm_i).as(kJalr) : illegal;
    case 0x63: {
      constexpr std::array ops{kBeq, kBne, kIllegal, kIllegal, kBlt, kBge, kBltu, kBgeu};
      if (ops[funct3] == kIllegal) return illegal;
      const std::uint32_t offset =
          move(w, 31, 31, 12) | move(w, 7, 7, 11) | move(w, 30, 25, 5) | move(w, 11, 8, 1);
      return build().rs1(rs1).rs2(rs2).imm(sign_extend(offset, 13)).as(ops[funct3]);
    }
    case 0x03: {
      constexpr std::array ops{kLb, kLh, kLw, kIllegal, kLbu, kLhu, kIllegal, kIllegal};
      if (ops[funct3] == kIllegal) return illegal;
      return build().rd(rd).rs1(rs1).imm(imm_i).as(ops[funct3]);
    }
    case 0x23: {
      constexpr std::array ops{kSb, kSh, kSw};
      if (funct3 >= ops.size()) return illegal;
      const std::uint32_t offset = move(w, 31, 25, 5) | rd;
      return build().rs1(rs1).rs2(rs2).imm(sign_extend(offset, 12)).as(ops[funct3]);
    }
    case 0x13: {
      constexpr std::array ops{kAddi, kSlli, kSlti, kSltiu, kXori, kSrli, kOri, kAndi};
      Build common = build().rd(rd).rs1(rs1).imm(imm_i);
      if (funct3 == 1) return funct7 == 0 ? common.imm(rs2).as(kSlli) : illegal;
      if (funct3 == 5) {
        if (funct7 == 0) return common.imm(rs2).as(kSrli);
        return funct7 == 0x20 ? common.imm(rs2).as(kSrai) : illegal;
      }
      return common.as(ops[funct3]);
    }
    case 0x33: {
      constexpr std::array base_ops{kAdd, kSll, kSlt, kSltu, kXor, kSrl, kOr, kAnd};
      constexpr std::array multiply_ops{kMul, kMulh, kMulhsu, kMulhu, kDiv, kDivu, kRem, kRemu};
      Build common = build().rd(rd).rs1(rs1).rs2(rs2);
      if (funct7 == 0) return common.as(base_ops[funct3]);
      if (funct7 == 1) return common.as(multiply_ops[funct3]);
      if (funct7 == 0x20 && funct3 == 0) return common.as(kSub);
      if (funct7 == 0x20 && funct3 == 5) return common.as(kSra);
      return illegal;
    }
    case 0x0F:  // unused fields of fences are reserved for finer ones and ignored (section 2.7)
      if (funct3 == 0) return build().as(kFence);
      return funct3 == 1 ? build().as(kFenceI) : illegal;
    case 0x73: {
      constexpr std::array ops{kIllegal, kCsrrw, kCsrrs, kCsrrc, kIllegal, kCsrrwi, kCsrrsi, kCsrrci};
      if (w == 0x00000073) return build().as(kEcall);
      if (w == 0x00100073) return build().as(kEbreak);
      if (w == 0x30200073) return build().as(kMret);
      if (w == 0x10500073) return build().as(kWfi);
      if (ops[funct3] == kIllegal) return illegal;
      const std::uint32_t number = bits_of(w, 31, 20);
      if (funct3 >= 5) return build().rd(rd).imm(number | rs1 << 16).as(ops[funct3]);
      return build().rd(rd).rs1(rs1).imm(number).as(ops[funct3]);
    }
    default:
      return illegal;
  }
}

Instruction decode_compressed(std::uint32_t h) {
  using enum Op;
  constexpr std::uint32_t sp = 2, ra = 1;
  const auto build = [h] { return Build(h, 2); };
  const Instruction illegal = build().i;
  const std::uint32_t rd = bits_of(h, 11, 7), rs2 = bits_of(h, 6, 2);             // full register fields
  const std::uint32_t rd_s = 8 + bits_of(h, 4, 2), rs1_s = 8 + bits_of(h, 9, 7);  // x8 to x15
  const std::int32_t imm6 = sign_extend(move(h, 12, 12, 5) | bits_of(h, 6, 2), 6);
  // RV32: shift amounts of 32 and more are for non-standard extensions.
  const bool long_shift = bits_of(h, 12, 12) != 0;
  const std::int32_t jump =
      sign_extend(move(h, 12, 12, 11) | move(h, 11, 11, 4) | move(h, 10, 9, 8) | move(h, 8, 8, 10) |
                      move(h, 7, 7, 6) | move(h, 6, 6, 7) | move(h, 5, 3, 1) | move(h, 2, 2, 5),
                  12);
  const std::int32_t branch = sign_extend(
      move(h, 12, 12, 8) | move(h, 11, 10, 3) | move(h, 6, 5, 6) | move(h, 4, 3, 1) | move(h, 2, 2, 5), 9);
  const std::uint32_t word_offset = move(h, 12, 10, 3) | move(h, 6, 6, 2) | move(h, 5, 5, 6);

  switch (bits_of(h, 1, 0) << 3 | bits_of(h, 15, 13)) {
    case 0b00'000: {  // c.addi4spn; the all-zero halfword is one of its reserved encodings
      const std::uint32_t offset =
          move(h, 12, 11, 4) | move(h, 10, 7, 6) | move(h, 6, 6, 2) | move(h, 5, 5, 3);
      return offset != 0 ? build().rd(rd_s).rs1(sp).imm(offset).as(kAddi) : illegal;
    }
    case 0b00'010:
      return build().rd(rd_s).rs1(rs1_s).imm(word_offset).as(kLw);
    case 0b00'110:
      return build().rs1(rs1_s).rs2(rd_s).imm(word_offset).as(kSw);

    case 0b01'000:
      return build().rd(rd).rs1(rd).imm(imm6).as(kAddi);
    case 0b01'001:
      return build().rd(ra).imm(jump).as(kJal);
    case 0b01'010:
      return build().rd(rd).imm(imm6).as(kAddi);
    case 0b01'011:
      if (rd == sp) {  // c.addi16sp
        const std::int32_t step = sign_extend(
            move(h, 12, 12, 9) | move(h, 6, 6, 4) | move(h, 5, 5, 6) | move(h, 4, 3, 7) | move(h, 2, 2, 5),
            10);
        return step != 0 ? build().rd(sp).rs1(sp).imm(step).as(kAddi) : illegal;
      }
      return imm6 != 0 ? build().rd(rd).imm(static_cast<std::uint32_t>(imm6) << 12).as(kLui) : illegal;
    case 0b01'100: {
      Build common = build().rd(rs1_s).rs1(rs1_s);
      switch (bits_of(h, 11, 10)) {
        case 0:
          return long_shift ? illegal : common.imm(bits_of(h, 6, 2)).as(kSrli);
        case 1:
          return long_shift ? illegal : common.imm(bits_of(h, 6, 2)).as(kSrai);
        case 2:
          return common.imm(imm6).as(kAndi);
        default: {
          constexpr std::array ops{kSub, kXor, kOr, kAnd};
          return bits_of(h, 12, 12) != 0 ? illegal : common.rs2(rd_s).as(ops[bits_of(h, 6, 5)]);
        }
      }
    }
    case 0b01'101:
      return build().imm(jump).as(kJal);
    case 0b01'110:
      return build().rs1(rs1_s).imm(branch).as(kBeq);
    case 0b01'111:
      return build().rs1(rs1_s).imm(branch).as(kBne);

    case 0b10'000:
      return long_shift ? illegal : build().rd(rd).rs1(rd).imm(bits_of(h, 6, 2)).as(kSlli);
    case 0b10'010: {
      const std::uint32_t offset = move(h, 12, 12, 5) | move(h, 6, 4, 2) | move(h, 3, 2, 6);
      return rd != 0 ? build().rd(rd).rs1(sp).imm(offset).as(kLw) : illegal;
    }
    case 0b10'100:
      if (bits_of(h, 12, 12) == 0) {
        if (rs2 != 0) return build().rd(rd).rs2(rs2).as(kAdd);  // c.mv
        return rd != 0 ? build().rs1(rd).as(kJalr) : illegal;   // c.jr
      }
      if (rs2 != 0) return build().rd(rd).rs1(rd).rs2(rs2).as(kAdd);
      return rd != 0 ? build().rd(ra).rs1(rd).as(kJalr) : build().as(kEbreak);
    case 0b10'110:
      return build().rs1(sp).rs2(rs2).imm(move(h, 12, 9, 2) | move(h, 8, 7, 6)).as(kSw);

    default:  // floating point and reserved
      return illegal;
  }
}

}  // namespace

Instruction decode(std::uint32_t bits) {
  return instruction_length(static_cast<std::uint16_t>(bits)) == 4 ? decode_wide(bits)
                                                                   : decode_compressed(bits & 0xFFFFu);
}

const char* mnemonic(Op op) {
  constexpr std::array names{
      "undecoded", "illegal", "lui",   "auipc", "jal",   "jalr",  "beq",    "bne",    "blt",     "bge",
      "bltu",      "bgeu",    "lb",    "lh",    "lw",    "lbu",   "lhu",    "sb",     "sh",      "sw",
      "addi",      "slti",    "sltiu", "xori",  "ori",   "andi",  "slli",   "srli",   "srai",    "add",
      "sub",       "sll",     "slt",   "sltu",  "xor",   "srl",   "sra",    "or",     "and",     "mul",
      "mulh",      "mulhsu",  "mulhu", "div",   "divu",  "rem",   "remu",   "fence",  "fence.i", "ecall",
      "ebreak",    "mret",    "wfi",   "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"};
  static_assert(names.size() == static_cast<std::size_t>(Op::kCsrrci) + 1);
  return names[static_cast<std::size_t>(op)];
}

}  // namespace nearcube::riscv
