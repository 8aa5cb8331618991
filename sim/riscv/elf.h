// SPDX-License-Identifier: Apache-2.0
// Firmware files: ELF, 32 bits, little endian, RISC-V, executable, soft-float ABI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearcube::riscv {

class ElfFile {
 public:
  /// Part of the memory image. The bytes past `bytes` up to `memory_bytes` are 0.
  struct Segment {
    std::uint32_t address = 0;  ///< physical address (p_paddr)
    std::vector<std::uint8_t> bytes;
    std::uint32_t memory_bytes = 0;
    bool executable = false;
  };
  /// A named object, function or address.
  struct Symbol {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size_bytes = 0;  ///< 0 when the file does not say
    bool is_function = false;
  };
  /// A symbol and the distance of an address from its start.
  struct Location {
    const Symbol* symbol = nullptr;
    std::uint32_t offset = 0;
  };

  /// Reads and checks the file. Throws Error (kBadInput) that says what is wrong: not readable, not an ELF
  /// file, of a foreign machine or format, truncated, not linked, hard-float, no segment, overlapping
  /// segments, or an entry outside the executable ones.
  static ElfFile load(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint32_t entry() const { return entry_; }
  /// In ascending order of addresses; empty ones left out.
  const std::vector<Segment>& segments() const { return segments_; }
  /// In ascending order of addresses; only named ones with an address.
  const std::vector<Symbol>& symbols() const { return symbols_; }

  /// The symbol called `name`, or null.
  const Symbol* find(std::string_view name) const;
  /// The symbol called `name`; throws Error (kBadInput) that suggests near names if there is none.
  const Symbol& symbol(std::string_view name) const;
  /// The function (else object) that `address` lies in, for reports; symbol is null if there is none.
  Location locate(std::uint32_t address) const;

 private:
  std::string path_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;
};

}  // namespace nearcube::riscv
