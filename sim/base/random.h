// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers with the same bits on every machine: the standard library's distributions are not.
#pragma once

#include <cstdint>

namespace nearcube::base {

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 .. bound-1 (bound > 0); the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  /// Uniform in [0, 1), a multiple of 2^-24.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  /// Roughly normal, mean 0 and variance 1: the sum of twelve uniform numbers (Irwin-Hall), exact in
  /// binary32's bits on every machine, which std::normal_distribution is not.
  float normal() {
    float sum = -6.0f;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace nearcube::base
