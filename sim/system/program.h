// SPDX-License-Identifier: Apache-2.0
// A loaded image, and what its addresses are called.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sim/riscv/elf.h"
#include "sim/riscv/source_lines.h"

namespace nearcube::system {

class Program {
 public:
  explicit Program(riscv::ElfFile elf)
      : elf_(std::move(elf)), lines_(riscv::SourceLines::load(elf_.path())) {}

  const riscv::ElfFile& elf() const { return elf_; }
  /// "main", "main+0x10"; empty if no symbol holds it.
  std::string function(std::uint32_t pc) const;
  /// "main.c:31"; empty if unknown.
  std::string line(std::uint32_t pc) const { return lines_.find(pc); }
  /// "0x80000120 (main+0x10, main.c:31)"
  std::string place(std::uint32_t pc) const;

 private:
  riscv::ElfFile elf_;
  riscv::SourceLines lines_;
};

}  // namespace nearcube::system
