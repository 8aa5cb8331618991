// SPDX-License-Identifier: Apache-2.0
// An NTX's accumulator that puts off the work: it collects operands, and sums them when a result is wanted,
// as a dot product of them all is far faster than as many additions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/exact/dot.h"
#include "sim/fast/block.h"

namespace nearcube::fast {

class Accumulation {
 public:
  explicit Accumulation(exact::Path path);

  /// Begins a sum of products, or with `negate` of their negations; with a value, or an image, or nothing.
  void start(bool negate, std::optional<std::uint32_t> value = {});
  void start_image(bool negate, std::span<const std::uint32_t, exact::kImageWords> image, bool negate_image);

  /// Adds the sum behind an image.
  void add_image(std::span<const std::uint32_t, exact::kImageWords> image);

  /// Adds `count` products, the operands `stride` words apart. Without `b`, the values themselves.
  void add(const std::uint32_t* a, std::ptrdiff_t a_stride, const std::uint32_t* b, std::ptrdiff_t b_stride,
           std::size_t count);

  /// The same for each row, which begins as it says from a and b.
  void add_rows(const std::uint32_t* a, std::ptrdiff_t a_stride, const std::uint32_t* b,
                std::ptrdiff_t b_stride, std::size_t count, std::span<const BlockRow> rows);

  /// The rounded sum; `continues`: more is added to it afterwards.
  std::uint32_t result(bool continues);

  void store_image(std::span<std::uint32_t, exact::kImageWords> image);

  const exact::Decisions& decisions() const { return decisions_; }

 private:
  /// Operands beyond so many go into the exact sum: they stay in the host's cache.
  static constexpr std::size_t kMostHeld = 4 * exact::kMostSplit;

  /// Puts what is held into the exact sum.
  void fold();

  exact::Path path_;
  exact::Decisions decisions_;
  bool negate_ = false;
  bool folded_ = false;  ///< sum_ is in use, and the init operand in it
  exact::Sum sum_;
  std::optional<std::uint32_t> value_;
  std::size_t held_ = 0;
  std::vector<std::uint32_t> a_, b_;
};

}  // namespace nearcube::fast
