// SPDX-License-Identifier: Apache-2.0
// A line for every instruction of the core, for --trace-instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "sim/base/atomic_file.h"
#include "sim/riscv/observer.h"

namespace nearcube::system {

class InstructionTrace final : public riscv::Observer {
 public:
  /// Opens the file; throws Error as base::AtomicFile. NTX clock cycles `from` to `to` are traced. `place`
  /// names a pc: "main+0x10 file.c:31".
  InstructionTrace(const std::string& path, std::uint64_t from, std::uint64_t to,
                   std::function<std::string(std::uint32_t)> place);

  /// The NTX clock cycle in which what follows completes.
  void at(std::uint64_t cycle) { cycle_ = cycle; }
  void retires(const riscv::Retirement& retirement) override;
  void traps(const riscv::Trap& trap, std::uint64_t cycle) override;

  /// Ends it with a line that says why the run ended, and gives the file its name.
  void commit(const std::string& reason);

 private:
  /// What is the same whenever an instruction is executed.
  struct Code {
    std::uint32_t bits = 0;
    std::string text;  ///< pc, encoding and disassembly
    std::string place;
  };
  const Code& code(std::uint32_t pc, const riscv::Instruction& instruction);

  base::AtomicFile file_;
  std::uint64_t from_, to_;
  std::function<std::string(std::uint32_t)> place_;
  std::uint64_t cycle_ = 0;
  std::unordered_map<std::uint32_t, Code> codes_;
};

}  // namespace nearcube::system
