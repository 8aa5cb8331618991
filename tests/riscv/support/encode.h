// SPDX-License-Identifier: Apache-2.0
// Instruction formats (RISC-V Unprivileged ISA, section 2.3), for tests that make programs of their own.
#pragma once

#include <cstdint>

namespace nearcube::test {

inline std::uint32_t r_type(std::uint32_t funct7, unsigned rs2, unsigned rs1, std::uint32_t funct3,
                            unsigned rd, std::uint32_t opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
inline std::uint32_t i_type(std::int32_t imm, unsigned rs1, std::uint32_t funct3, unsigned rd,
                            std::uint32_t opcode) {
  return static_cast<std::uint32_t>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
inline std::uint32_t s_type(std::int32_t imm, unsigned rs2, unsigned rs1, std::uint32_t funct3,
                            std::uint32_t opcode) {
  const auto u = static_cast<std::uint32_t>(imm);
  return (u >> 5 & 0x7Fu) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (u & 0x1Fu) << 7 | opcode;
}
inline std::uint32_t b_type(std::int32_t imm, unsigned rs2, unsigned rs1, std::uint32_t funct3) {
  const auto u = static_cast<std::uint32_t>(imm);
  return (u >> 12 & 1u) << 31 | (u >> 5 & 0x3Fu) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         (u >> 1 & 0xFu) << 8 | (u >> 11 & 1u) << 7 | 0x63u;
}
inline std::uint32_t j_type(std::int32_t imm, unsigned rd) {
  const auto u = static_cast<std::uint32_t>(imm);
  return (u >> 20 & 1u) << 31 | (u >> 1 & 0x3FFu) << 21 | (u >> 11 & 1u) << 20 | (u >> 12 & 0xFFu) << 12 |
         rd << 7 | 0x6Fu;
}
inline std::uint32_t lui(unsigned rd, std::uint32_t value) { return (value & 0xFFFFF000u) | rd << 7 | 0x37u; }
inline std::uint32_t addi(unsigned rd, unsigned rs1, std::int32_t imm) {
  return i_type(imm, rs1, 0, rd, 0x13);
}
/// funct3: 1 csrrw, 2 csrrs, 3 csrrc, 5 to 7 the same with an immediate in `source`.
inline std::uint32_t csr_access(std::uint32_t funct3, unsigned rd, std::uint32_t number, unsigned source) {
  return number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73u;
}

}  // namespace nearcube::test
