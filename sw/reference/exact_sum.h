// SPDX-License-Identifier: Apache-2.0
// An exact sum of binary32 products, fast enough to check whole layers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace nearcube::reference {

/// Sum of products and values, rounded once to nearest even (IEEE 754-2019: subnormals, infinities, quiet NaN
/// 0x7FC00000; an exact zero is +0 unless every summand was -0). It never overflows.
///
/// The sum is kept in units of 2^-298, the smallest product, as digits of 32 bits with 32 bits to spare each
/// (R. Neal, "Fast exact summation using small and large superaccumulators", arXiv 1505.05571): a product
/// touches three digits, and carries wait.
class ExactSum {
 public:
  void clear() { *this = ExactSum(); }

  void add(float x) { add_product(x, 1.0F); }

  void add_product(float a, float b) {
    const auto x = std::bit_cast<std::uint32_t>(a);
    const auto y = std::bit_cast<std::uint32_t>(b);
    const std::uint32_t x_exponent = x >> 23 & 0xFF;
    const std::uint32_t y_exponent = y >> 23 & 0xFF;
    const std::uint32_t negative = (x ^ y) >> 31;
    if (x_exponent == 0xFF || y_exponent == 0xFF) [[unlikely]] {
      add_special(x, y);
      return;
    }
    const std::uint32_t x_normal = x_exponent != 0;
    const std::uint32_t y_normal = y_exponent != 0;
    const std::uint64_t product =
        std::uint64_t{(x & 0x7F'FFFF) | x_normal << 23} * std::uint64_t{(y & 0x7F'FFFF) | y_normal << 23};
    // A subnormal has the exponent of the smallest normal number, 1.
    const std::uint32_t position = x_exponent + (1 - x_normal) + y_exponent + (1 - y_normal) - 2;
    const std::uint32_t shift = position % 32;
    const std::uint64_t low = (product & kDigitMask) << shift;
    const std::uint64_t high = (product >> 32) << shift;
    const auto sign = -static_cast<std::int64_t>(negative);
    std::int64_t* digit = digits_.data() + position / 32;
    digit[0] += (static_cast<std::int64_t>(low & kDigitMask) ^ sign) - sign;
    digit[1] += (static_cast<std::int64_t>((low >> 32) + (high & kDigitMask)) ^ sign) - sign;
    digit[2] += (static_cast<std::int64_t>(high >> 32) ^ sign) - sign;
    any_ = true;
    not_minus_zero_ |= product != 0 || negative == 0;
    if (++waiting_ == kCarryEvery) [[unlikely]] {
      carry();
    }
  }

  /// The sum, rounded. With `relu`, everything with a minus sign becomes +0; NaN stays.
  float round(bool relu = false) const;

 private:
  static constexpr std::uint64_t kDigitMask = 0xFFFF'FFFF;
  // A digit grows by less than 2^33 a product, so 2^29 of them keep it below 2^63 with its own 2^32.
  static constexpr std::uint32_t kCarryEvery = 1u << 29;
  // Positions up to 506 and products of 48 bits reach digit 17; two above take what carries out of it.
  static constexpr int kDigits = 20;

  void carry();
  void add_special(std::uint32_t x, std::uint32_t y);

  std::array<std::int64_t, kDigits> digits_{};
  std::uint32_t waiting_ = 0;
  bool any_ = false;
  bool not_minus_zero_ = false;
  bool plus_inf_ = false;
  bool minus_inf_ = false;
  bool nan_ = false;
};

}  // namespace nearcube::reference
