// SPDX-License-Identifier: Apache-2.0
// A bus for Functional: a few regions of host memory, and one function for everything else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/riscv/elf.h"
#include "sim/riscv/execute.h"

namespace nearcube::riscv {

class DirectMemory {
 public:
  /// Serves an access outside all regions: a word address, byte enables, and the word read or written.
  using Device = std::function<Access(std::uint32_t word_address, bool write, std::uint8_t byte_enables,
                                      std::uint32_t& data)>;

  /// Adds zeroed memory; `base` and `bytes` are multiples of 4 KiB, and regions do not overlap. `executable`:
  /// code may lie there (in a cluster: cube memory, not the TCDM).
  void add_region(std::uint32_t base, std::uint32_t bytes, bool executable);
  /// Without a device every access outside the regions is a bus error.
  void set_device(Device device) { device_ = std::move(device); }

  /// Host access; throws Error (kBadInput) if the range is not within one region.
  void write(std::uint32_t address, std::span<const std::uint8_t> bytes);
  std::span<const std::uint8_t> read(std::uint32_t address, std::uint32_t bytes) const;
  /// Copies the segments of an ELF file and clears their rest.
  void load(const ElfFile& file);

  std::uint8_t* data_page(std::uint32_t page);
  const std::uint8_t* code_page(std::uint32_t page) const;
  Access device(std::uint32_t word_address, bool write, std::uint8_t byte_enables, std::uint32_t& data) {
    return device_ ? device_(word_address, write, byte_enables, data) : Access::kFault;
  }

 private:
  struct Region {
    std::uint32_t base = 0;
    bool executable = false;
    std::vector<std::uint8_t> bytes;
  };
  const Region* find(std::uint32_t address, std::uint64_t bytes) const;

  std::vector<Region> regions_;
  Device device_;
};

}  // namespace nearcube::riscv
