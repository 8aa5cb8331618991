// SPDX-License-Identifier: Apache-2.0
// Results against their reference, bit by bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/network/tensor.h"

namespace nearcube::cli {

struct FirstMismatch {
  std::string output;  ///< which result
  std::string index;   ///< "[0][3][7]"
  float expected = 0;
  float got = 0;
};

struct Check {
  std::uint64_t words = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t max_ulp = 0;  ///< largest distance in units in the last place
  std::optional<FirstMismatch> first;
};

/// Number of binary32 values from `a` to `b`: 0 for equal bits, 1 for neighbours and for +0 and -0. If
/// exactly one is NaN, or both with different bits: 2^32.
std::uint64_t ulp_distance(float a, float b);

/// Compares a result of the same shape and adds to `check`.
void compare(const std::string& name, const network::Tensor& expected, const network::Tensor& got,
             Check& check);

}  // namespace nearcube::cli
