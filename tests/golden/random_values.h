// SPDX-License-Identifier: Apache-2.0
// Random binary32 data that reaches the corners of exact summation.
#pragma once

#include <cstdint>
#include <span>

#include "tests/support/random.h"

namespace nearcube::golden {

/// What a block of random data looks like.
enum class Values {
  kAnyBits,   ///< uniform over the 2^32 encodings: the whole exponent range, one Inf or NaN in 128
  kFinite,    ///< as kAnyBits without Inf and NaN
  kSpecials,  ///< zeros, Inf, NaN of many payloads, smallest and largest subnormals and normals, +/-1, and
              ///< kAnyBits
  kSmallIntegers,  ///< -4 .. 4: many equal values, zeros and exact cancellations
  kCancelling,  ///< each value is likely an earlier one with the sign flipped, perhaps one unit in the last
                ///< place off
  kOrdinary,    ///< about N(0,1), as in a neural network
  kSubnormal,   ///< magnitudes below or just above 2^-126, and factors that push products around 2^-149
  kHuge,        ///< magnitudes near the largest finite one
};
inline constexpr int kValuesCount = 8;

Values random_values_kind(test::Random& random);
/// One value; kCancelling is as kOrdinary here.
std::uint32_t random_value(test::Random& random, Values kind);
void fill_values(test::Random& random, Values kind, std::span<std::uint32_t> words);

}  // namespace nearcube::golden
