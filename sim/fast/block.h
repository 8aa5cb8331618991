// SPDX-License-Identifier: Apache-2.0
// The innermost loops of a command as a whole: which addresses they pass, from wherever they begin.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/fast/ntx_command.h"

namespace nearcube::fast {

/// Where a run of loop 0 begins, in words from the block's begin.
struct BlockRow {
  std::int32_t a, b;
};

struct Block {
  /// As many of the innermost `level` loops as have no more than some thousand rows. `last`: trip counts
  /// minus one.
  Block(const NtxRegisters& registers, const std::array<std::uint32_t, kLoops>& last, unsigned level,
        std::int64_t reach);

  unsigned level = 0;       ///< loops 0 to level - 1; 0: it is not worth while
  std::uint64_t steps = 1;  ///< of all
  std::vector<BlockRow> rows;
  /// What an address generator does, in bytes from the block's begin.
  struct Path {
    std::int64_t lowest = 0, highest = 0, last = 0;
    bool far = false;         ///< one of its strides is far (address.h)
    std::uint64_t moves = 0;  ///< steps that it begins elsewhere than the step before
  };
  std::array<Path, kAgus> paths;
};

}  // namespace nearcube::fast
