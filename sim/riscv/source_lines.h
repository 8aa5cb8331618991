// SPDX-License-Identifier: Apache-2.0
// Source file and line of an instruction, from the DWARF debugging information of a firmware file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace nearcube::riscv {

class SourceLines {
 public:
  /// Nothing is known.
  SourceLines() = default;
  /// Opens the file; without debugging information, or with none that can be read, it knows no line.
  static SourceLines load(const std::string& path);

  /// "riscv-firmware/hal/io.h:19 < main.c:31": the line, and where a function that it belongs to was inlined;
  /// empty if the file does not say. Any number of threads may ask.
  std::string find(std::uint32_t address) const;

 private:
  class File;
  std::shared_ptr<File> file_;
};

}  // namespace nearcube::riscv
