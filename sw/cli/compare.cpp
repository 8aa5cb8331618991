// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/error.h"

namespace nearcube::cli {
namespace {

// Order of binary32 as integers: -0 is just below +0.
std::int64_t rank(std::uint32_t bits) {
  const auto magnitude = static_cast<std::int64_t>(bits & 0x7FFFFFFF);
  return (bits & 0x80000000) != 0 ? -magnitude - 1 : magnitude;
}

std::string index_text(const network::Shape& shape, std::int64_t at) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    text = fmt::format("[{}]", at % shape[d]) + text;
    at /= shape[d];
  }
  return text;
}

}  // namespace

std::uint64_t ulp_distance(float a, float b) {
  const auto x = std::bit_cast<std::uint32_t>(a);
  const auto y = std::bit_cast<std::uint32_t>(b);
  if (x == y) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::uint64_t{1} << 32;
  const std::int64_t distance = rank(x) - rank(y);
  return static_cast<std::uint64_t>(distance < 0 ? -distance : distance);
}

void compare(const std::string& name, const network::Tensor& expected, const network::Tensor& got,
             Check& check) {
  if (expected.shape() != got.shape()) {
    throw base::error(ExitStatus::kOther, "{}: the reference has shape {}, the result {}", name,
                      network::to_string(expected.shape()), network::to_string(got.shape()));
  }
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t ulp = ulp_distance(expected[i], got[i]);
    ++check.words;
    if (ulp == 0) continue;
    ++check.mismatches;
    check.max_ulp = std::max(check.max_ulp, ulp);
    if (!check.first) check.first = FirstMismatch{name, index_text(expected.shape(), i), expected[i], got[i]};
  }
}

}  // namespace nearcube::cli
