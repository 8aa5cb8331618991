// SPDX-License-Identifier: Apache-2.0
// Instructions as an assembler writes them.
#pragma once

#include <cstdint>
#include <string>

#include "sim/riscv/instruction.h"

namespace nearcube::riscv {

/// ABI name of x0 to x31: "a0" (RISC-V ELF psABI 1.0, table of integer registers).
const char* register_name(unsigned number);

/// "addi a0, a0, 1". Branches and jumps show the address that they lead to; compressed instructions the base
/// instruction that they abbreviate; no pseudo-instructions but "nop", "li", "mv", "j", "jr" and "ret".
std::string disassemble(const Instruction& instruction, std::uint32_t pc);

}  // namespace nearcube::riscv
