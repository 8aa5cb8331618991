// SPDX-License-Identifier: Apache-2.0
// Dot products, rounded once, at the speed of a reduction in double precision.
//
// A sum in double precision comes with a bound on its error (products.h). Rounding is monotonic: if both ends
// of the interval sum +/- error round to the same binary32 number, so does the true sum, and that number is
// the result, whatever the order of the additions was. Only when a rounding boundary lies in between the
// products are summed again, without error. Zeros need care, as their sign does not show in the interval:
// products that are all zero are told by their magnitude; a sum of others that might be zero has a boundary,
// 0, in its interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/exact/products.h"
#include "sim/exact/sum.h"

namespace nearcube::exact {

/// How sums were decided.
struct Decisions {
  std::uint64_t by_bound = 0;    ///< dot products that the bound decided
  std::uint64_t in_full = 0;     ///< those summed again
  std::uint64_t split = 0;       ///< blocks of products added by their parts
  std::uint64_t one_by_one = 0;  ///< blocks of products added one by one
};

/// Adds a[i] * b[i], or their negations, to an exact sum.
void add_products(Path path, Sum& sum, const std::uint32_t* a, const std::uint32_t* b, std::size_t count,
                  bool negate, Decisions& decisions);

/// a * b, or its negation, plus `init`, unless it is none: IEEE multiply, and fused multiply-add. A NaN is
/// kQuietNan.
std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, bool negate, std::optional<std::uint32_t> init);

/// `init`, unless it is none, plus (or minus) the sum of all a[i] * b[i], rounded once. The same as Sum's.
std::uint32_t dot(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count, bool negate,
                  std::optional<std::uint32_t> init, Decisions& decisions);

}  // namespace nearcube::exact
