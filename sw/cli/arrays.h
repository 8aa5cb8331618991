// SPDX-License-Identifier: Apache-2.0
// Arrays of a user's firmware: --load SYMBOL=x.npy and --dump SYMBOL:SHAPE=y.npy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/riscv/elf.h"
#include "sw/network/npy.h"
#include "sw/network/tensor.h"

namespace nearcube::cli {

/// A place in the cluster's address space.
struct Place {
  std::string name;  ///< as the user wrote it
  std::uint64_t address = 0;
  std::optional<std::uint64_t> size_bytes;  ///< of the symbol, where the ELF says
};

/// An array to be written before the run.
struct Load {
  Place place;
  std::string file;
  network::Tensor values;  ///< bits of fp32 or int32
};

/// An array to be read after the run.
struct Dump {
  Place place;
  std::string file;
  network::Shape shape;
  network::Element element = network::Element::kFp32;
};

/// "SYMBOL=FILE" or "0xADDRESS=FILE"; reads the file. Throws Error (kBadInput) that quotes the argument and
/// says what is wrong: its form, an unknown symbol, a file that is no array of 32-bit elements or larger than
/// the symbol.
Load parse_load(const std::string& argument, const riscv::ElfFile& elf);

/// "SYMBOL:SHAPE=FILE" with SHAPE as 16x32 and, for integers, ":int32" after it.
Dump parse_dump(const std::string& argument, const riscv::ElfFile& elf);

}  // namespace nearcube::cli
