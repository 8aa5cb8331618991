// SPDX-License-Identifier: Apache-2.0
// The accumulator of an NTX in software, in its default format: the exact sum of binary32 products and
// values, and its images.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace nearcube::exact {

/// The NaN that results are.
inline constexpr std::uint32_t kQuietNan = 0x7FC0'0000;

/// Words of an image: 19 of a two's-complement integer in units of 2^-298, least significant first, and the
/// flags.
inline constexpr unsigned kImageWords = 20;

/// Bits of an image's last word (docs/exactness.md).
enum SumFlag : std::uint32_t {
  kPlusInf = 1u << 0,        ///< a summand was +Inf
  kMinusInf = 1u << 1,       ///< a summand was -Inf
  kNan = 1u << 2,            ///< a summand was NaN, Inf x 0 included
  kAnySummand = 1u << 3,     ///< there was a summand
  kNotMinusZero = 1u << 4,   ///< a summand was not -0
  kRangeOverflow = 1u << 5,  ///< the integer left its range at some time
};

/// An exact sum. Operands and results are binary32 as bits.
///
/// The integer is kept in ten 64-bit limbs, two's complement, sign extended from the image's 608 bits; a
/// summand is added where it lies, and a carry runs as far as it must. Infinities and NaN only set flags.
class Sum {
 public:
  /// No summand.
  void clear() { *this = Sum(); }

  /// Adds a * b, or -(a * b).
  void add_product(std::uint32_t a, std::uint32_t b, bool negate = false);

  /// Adds x, or -x.
  void add_value(std::uint32_t x, bool negate = false);

  /// Adds a finite x that is a multiple of 2^-298, below 2^300. The caller accounts for the flags by
  /// add_flags().
  void add_double(double x);

  /// Adds the sum behind an image, or its negation, which never counts as a sum of -0 only.
  void add_image(std::span<const std::uint32_t, kImageWords> image, bool negate = false);

  void add_flags(std::uint32_t flags) { flags_ |= flags; }

  void store_image(std::span<std::uint32_t, kImageWords> image) const;

  /// The sum rounded once, to nearest even; an exact zero is +0 unless every summand was -0.
  std::uint32_t round() const;

  /// No sum of less than 2^300 leaves the range from here.
  bool has_room() const;

 private:
  static constexpr unsigned kLimbs = 10;

  /// Adds +/- magnitude * 2^(position - 298).
  void add_scaled(bool negative, std::uint64_t magnitude, unsigned position);
  void keep_in_range();

  std::array<std::uint64_t, kLimbs> limbs_{};
  std::uint32_t flags_ = 0;
};

}  // namespace nearcube::exact
