// SPDX-License-Identifier: Apache-2.0
// The golden exact sum: binary32 products and values in a Boost.Multiprecision integer. This is the
// definition that the RTL and the simulator are held against; it shares nothing with either and is written
// for clarity, not for speed.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace nearcube::golden {

/// Format of an accumulator: a two's complement integer of 32 * segments bits that counts units of 2^lsb.
///
/// The default covers every product of two binary32 numbers exactly (smallest 2^-298, largest below 2^256)
/// with 53 guard bits above. A narrower one (the published NTX: 2^-150) floors each summand to a multiple of
/// 2^lsb. A format must hold every binary32 value below its sign bit (lsb + 32 * segments >= 129), and lsb
/// must be at least -298.
struct AccumulatorFormat {
  int lsb = -298;
  unsigned segments = 19;
};

/// Flags word of a wide image. Bits 31:6 are written as zero and ignored when read.
enum ImageFlags : std::uint32_t {
  kPlusInfSeen = 1u << 0,  ///< a summand was +Inf
  kMinusInfSeen =
      1u << 1,         ///< a summand was -Inf (with kPlusInfSeen: the sum is NaN; kNanSeen is not set for it)
  kNanSeen = 1u << 2,  ///< an operand was NaN, or a product was Inf x 0
  kAnySummand = 1u << 3,     ///< there was a summand (a zero init is none)
  kNotMinusZero = 1u << 4,   ///< a summand was something other than -0 (also an Inf or NaN)
  kRangeOverflow = 1u << 5,  ///< the sum left the accumulator's range; sticky, rounds to NaN
};

/// A sum of binary32 products and values, exact until round().
///
/// Rules, where ntx.md's text leaves a choice:
///  * Inf and NaN summands set their flags and leave the integer alone, so finite summands before and after
///  still count in
///    the image, and equal multisets of summands give equal images in any order.
///  * Floor: each summand alone is floored to a multiple of 2^lsb, *after* its sign is applied, then added.
///  * Range overflow trips when the exact sum (previous integer + floored summand, or + the other image's
///  integer) is
///    outside [-2^(W-1), 2^(W-1)), W = 32 * segments. The integer goes on modulo 2^W. It is the only thing
///    here that may depend on the order of the summands: {big, big, -big} may trip where {big, -big, big}
///    does not. In the default format it takes 2^54 products of maximum size, or a doctored image, so the
///    promise of order independence holds in practice.
///  * A sum with no summand at all rounds to +0.
class ExactSum {
 public:
  /// Throws std::invalid_argument for a format that AccumulatorFormat's comment excludes.
  explicit ExactSum(AccumulatorFormat format = {});

  /// Forgets everything: no summand.
  void clear();

  /// Adds a * b, or -(a * b): the sign of the product is inverted, also that of zero, Inf. A NaN stays a NaN.
  void add_product(std::uint32_t a, std::uint32_t b, bool negate = false);

  /// Adds x or -x.
  void add_value(std::uint32_t x, bool negate = false);

  /// Adds the sum behind an image of segments + 1 words, or its negation. The integers are added (so negating
  /// the most negative one alone trips the range), the flags united. Negation swaps the Inf flags, and as an
  /// image does not tell whether all its summands were +0, what is negated never counts as -0.
  void add_image(std::span<const std::uint32_t> image, bool negate = false);

  /// Becomes the sum behind an image, as clear() and add_image() do.
  void load_image(std::span<const std::uint32_t> image);

  /// Integer, least significant word first, in two's complement, then the flags word: segments + 1 words.
  std::vector<std::uint32_t> image() const;

  /// The sum rounded once to binary32, ties to even; subnormals are kept, overflow gives infinity, NaN is
  /// 0x7FC00000. An exact zero is +0 unless every summand was -0; a non-zero sum that rounds to zero keeps
  /// its sign. With `relu`, everything with a minus sign (-0 and -Inf as well) becomes +0, and NaN stays.
  std::uint32_t round(bool relu = false) const;

  const AccumulatorFormat& format() const { return format_; }
  /// Words of an image: segments + 1.
  unsigned image_words() const { return format_.segments + 1; }

 private:
  // Wide enough for 64 segments with room for a carry; no heap, which also keeps g++ 12 from a false warning.
  using Integer = boost::multiprecision::number<
      boost::multiprecision::cpp_int_backend<2304, 2304, boost::multiprecision::signed_magnitude,
                                             boost::multiprecision::unchecked, void>,
      boost::multiprecision::et_off>;

  void add_finite(bool negative, std::uint64_t magnitude, int exponent);
  void add_integer(const Integer& summand);

  AccumulatorFormat format_;
  Integer limit_;  ///< 2^(W-1)
  Integer sum_;    ///< in units of 2^lsb
  std::uint32_t flags_ = 0;
};

}  // namespace nearcube::golden
