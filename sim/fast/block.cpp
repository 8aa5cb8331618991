// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/block.h"

#include <algorithm>

#include "sim/fast/address.h"

namespace nearcube::fast {
namespace {

constexpr std::uint64_t kMostRows = 4096;
/// Shorter blocks are as fast step by step.
constexpr std::uint64_t kFewestSteps = 4;

}  // namespace

Block::Block(const NtxRegisters& registers, const std::array<std::uint32_t, kLoops>& last,
             unsigned most_level, std::int64_t reach) {
  std::uint64_t row_count = 1;
  while (level < most_level && (level == 0 || row_count * (last[level] + 1) <= kMostRows)) {
    if (level > 0) row_count *= last[level] + 1;
    steps *= last[level] + 1;
    ++level;
  }
  if (steps < kFewestSteps) {
    level = 0;
    return;
  }
  std::array<std::uint32_t, kLoops> index{};
  std::array<std::int64_t, kAgus> at{};
  const auto advance = [&](unsigned loop, std::uint32_t times) {
    for (unsigned u = 0; u < kAgus; ++u) {
      const std::int64_t stride = registers.stride[u][loop];
      Path& path = paths[u];
      path.far = path.far || is_far(stride, reach);
      path.moves += stride != 0 ? times : 0;
      at[u] += stride * times;
      path.lowest = std::min(path.lowest, at[u]);
      path.highest = std::max(path.highest, at[u]);
    }
  };
  rows.reserve(row_count);
  for (;;) {
    rows.push_back({static_cast<std::int32_t>(at[0] / 4), static_cast<std::int32_t>(at[1] / 4)});
    if (last[0] != 0) advance(0, last[0]);
    unsigned k = 1;
    while (k < level && index[k] == last[k]) index[k++] = 0;
    if (k >= level) break;
    ++index[k];
    advance(k, 1);
  }
  for (unsigned u = 0; u < kAgus; ++u) paths[u].last = at[u];
}

}  // namespace nearcube::fast
