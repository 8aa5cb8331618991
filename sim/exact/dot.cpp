// SPDX-License-Identifier: Apache-2.0
#include "sim/exact/dot.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nearcube::exact {
namespace {

/// So many products are reduced at once: the bound's argument holds for less than 2^25 additions.
constexpr std::size_t kMostReduced = std::size_t{1} << 24;

/// Fewer products are faster added one by one.
constexpr std::size_t kFewestSplit = 16;

std::uint32_t bits_of(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

}  // namespace

std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, bool negate, std::optional<std::uint32_t> init) {
  const auto x = std::bit_cast<float>(negate ? a ^ 0x8000'0000 : a);
  const auto y = std::bit_cast<float>(b);
  const float result = init ? std::fma(x, y, std::bit_cast<float>(*init)) : x * y;
  return std::isnan(result) ? kQuietNan : std::bit_cast<std::uint32_t>(result);
}

void add_products(Path path, Sum& sum, const std::uint32_t* a, const std::uint32_t* b, std::size_t count,
                  bool negate, Decisions& decisions) {
  while (count > 0) {
    const std::size_t block = std::min(count, kMostSplit);
    Split parts;
    if (block >= kFewestSplit && sum.has_room()) {
      const Reduction reduced = reduce(path, a, b, block);
      if (std::isfinite(reduced.magnitude) && reduced.magnitude > 0)
        parts = split(path, a, b, block, reduced);
    }
    if (parts.exact) {
      for (const double part : parts.parts) sum.add_double(negate ? -part : part);
      sum.add_flags(kAnySummand | kNotMinusZero);
      ++decisions.split;
    } else {
      for (std::size_t i = 0; i < block; ++i) sum.add_product(a[i], b[i], negate);
      ++decisions.one_by_one;
    }
    a += block;
    b += block;
    count -= block;
  }
}

std::uint32_t dot(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count, bool negate,
                  std::optional<std::uint32_t> init, Decisions& decisions) {
  if (count == 1) {
    ++decisions.by_bound;
    return multiply_add(*a, *b, negate, init);
  }
  if (count <= kMostReduced) {
    Reduction reduced = reduce(path, a, b, count);
    if (negate) reduced.sum = -reduced.sum;
    if (init) {
      const auto x = static_cast<double>(std::bit_cast<float>(*init));
      reduced.sum += x;
      reduced.magnitude += std::fabs(x);
      reduced.depth += 1;
    }
    if (std::isfinite(reduced.magnitude) && reduced.magnitude > 0) {
      const std::uint32_t low = bits_of(reduced.sum - reduced.error());
      if (low == bits_of(reduced.sum + reduced.error())) {
        ++decisions.by_bound;
        return low;
      }
    } else if (reduced.magnitude == 0 && !negate && count > 0) {
      // Nothing but zeros: adding them up keeps -0 as long as all are. (The negation of a sum of both is not
      // the sum of the negations.)
      ++decisions.by_bound;
      return bits_of(reduced.sum);
    }
  }
  Sum sum;
  if (init) sum.add_value(*init);
  add_products(path, sum, a, b, count, negate, decisions);
  ++decisions.in_full;
  return sum.round();
}

}  // namespace nearcube::exact
