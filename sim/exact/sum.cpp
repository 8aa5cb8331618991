// SPDX-License-Identifier: Apache-2.0
#include "sim/exact/sum.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace nearcube::exact {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000;
constexpr std::uint32_t kInfinity = 0x7F80'0000;
/// The integer's unit is 2^-298.
constexpr int kLsb = -298;

/// |x| of a finite x is significand * 2^(scale - 149).
struct Parts {
  explicit Parts(std::uint32_t x)
      : significand((x & 0x7F'FFFF) | ((x & kInfinity) != 0 ? 0x80'0000u : 0u)),
        scale(std::max((x & kInfinity) >> 23, 1u) - 1) {}
  std::uint32_t significand;
  unsigned scale;
};

bool is_nan(std::uint32_t x) { return (x & ~kSign) > kInfinity; }
bool is_infinite(std::uint32_t x) { return (x & ~kSign) == kInfinity; }
bool is_special(std::uint32_t x) { return (x & kInfinity) == kInfinity; }
bool is_zero(std::uint32_t x) { return (x & ~kSign) == 0; }

}  // namespace

void Sum::add_product(std::uint32_t a, std::uint32_t b, bool negate) {
  const bool negative = (((a ^ b) & kSign) != 0) != negate;
  if (is_special(a) || is_special(b)) [[unlikely]] {
    const bool no_number = is_nan(a) || is_nan(b) || is_zero(a) || is_zero(b);
    flags_ |= kAnySummand | kNotMinusZero | (no_number ? kNan : negative ? kMinusInf : kPlusInf);
    return;
  }
  const Parts x(a);
  const Parts y(b);
  const std::uint64_t magnitude = std::uint64_t{x.significand} * y.significand;
  flags_ |= kAnySummand | (negative && magnitude == 0 ? 0u : static_cast<std::uint32_t>(kNotMinusZero));
  add_scaled(negative, magnitude, x.scale + y.scale);
}

void Sum::add_value(std::uint32_t x, bool negate) {
  const bool negative = ((x & kSign) != 0) != negate;
  flags_ |= kAnySummand | (negative && is_zero(x) ? 0u : static_cast<std::uint32_t>(kNotMinusZero));
  if (is_special(x)) [[unlikely]] {
    flags_ |= is_infinite(x) ? (negative ? kMinusInf : kPlusInf) : kNan;
    return;
  }
  const Parts parts(x);
  add_scaled(negative, parts.significand, parts.scale + static_cast<unsigned>(-149 - kLsb));
}

void Sum::add_double(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  if (exponent == 0) return;  // zero: of what is not a multiple of 2^-1022 the caller has none
  const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
  const int position = exponent - 1075 - kLsb;
  const bool negative = (bits >> 63) != 0;
  if (position >= 0) {
    add_scaled(negative, significand, static_cast<unsigned>(position));
  } else {
    add_scaled(negative, significand >> -position, 0);  // only zeros are lost
  }
}

void Sum::add_scaled(bool negative, std::uint64_t magnitude, unsigned position) {
  const unsigned limb = position / 64;
  const unsigned shift = position % 64;
  const std::uint64_t low = magnitude << shift;
  const std::uint64_t high = shift == 0 ? 0 : magnitude >> (64 - shift);
  // `high` has a bit to spare, so the first carry goes with it.
  if (negative) {
    const bool borrow = __builtin_sub_overflow(limbs_[limb], low, &limbs_[limb]);
    bool more =
        __builtin_sub_overflow(limbs_[limb + 1], high + static_cast<unsigned>(borrow), &limbs_[limb + 1]);
    for (unsigned i = limb + 2; more && i < kLimbs; ++i) more = limbs_[i]-- == 0;
  } else {
    const bool carry = __builtin_add_overflow(limbs_[limb], low, &limbs_[limb]);
    bool more =
        __builtin_add_overflow(limbs_[limb + 1], high + static_cast<unsigned>(carry), &limbs_[limb + 1]);
    for (unsigned i = limb + 2; more && i < kLimbs; ++i) more = ++limbs_[i] == 0;
  }
  keep_in_range();
}

void Sum::keep_in_range() {
  const auto extended = static_cast<std::uint64_t>(static_cast<std::int32_t>(limbs_[kLimbs - 1]));
  if (limbs_[kLimbs - 1] != extended) [[unlikely]] {
    flags_ |= kRangeOverflow;
    limbs_[kLimbs - 1] = extended;
  }
}

bool Sum::has_room() const {
  return std::abs(static_cast<std::int64_t>(limbs_[kLimbs - 1])) < std::int64_t{1} << 30;
}

void Sum::add_image(std::span<const std::uint32_t, kImageWords> image, bool negate) {
  bool carry = negate;  // -x = ~x + 1
  for (unsigned i = 0; i < kLimbs; ++i) {
    std::uint64_t limb = image[2 * i];
    limb = i + 1 < kLimbs ? limb | std::uint64_t{image[2 * i + 1]} << 32
                          : static_cast<std::uint64_t>(static_cast<std::int32_t>(image[2 * i]));
    if (negate) limb = ~limb;
    const bool first = __builtin_add_overflow(limbs_[i], limb, &limbs_[i]);
    const bool second = __builtin_add_overflow(limbs_[i], static_cast<std::uint64_t>(carry), &limbs_[i]);
    carry = first || second;
  }
  std::uint32_t flags = image[kImageWords - 1] & 0x3F;
  if (negate) {
    const std::uint32_t infinities = flags & (kPlusInf | kMinusInf);
    flags = (flags & ~infinities) | (infinities >> 1) | ((infinities << 1) & kMinusInf);
    if ((flags & kAnySummand) != 0) flags |= kNotMinusZero;
  }
  flags_ |= flags;
  keep_in_range();
}

void Sum::store_image(std::span<std::uint32_t, kImageWords> image) const {
  for (unsigned i = 0; i + 1 < kImageWords; ++i) {
    image[i] = static_cast<std::uint32_t>(limbs_[i / 2] >> (i % 2 * 32));
  }
  image[kImageWords - 1] = flags_;
}

std::uint32_t Sum::round() const {
  const std::uint32_t infinities = flags_ & (kPlusInf | kMinusInf);
  if ((flags_ & (kNan | kRangeOverflow)) != 0 || infinities == (kPlusInf | kMinusInf)) return kQuietNan;
  if (infinities != 0) return infinities == kPlusInf ? kInfinity : kInfinity | kSign;

  // Sign and magnitude.
  const bool negative = limbs_[kLimbs - 1] >> 63 != 0;
  std::array<std::uint64_t, kLimbs> magnitude = limbs_;
  if (negative) {
    bool carry = true;
    for (auto& limb : magnitude) {
      limb = ~limb + static_cast<std::uint64_t>(carry);
      carry = carry && limb == 0;
    }
  }
  const std::uint32_t sign = negative ? kSign : 0;
  unsigned top = kLimbs;
  while (top > 0 && magnitude[top - 1] == 0) --top;
  if (top == 0) return (flags_ & (kAnySummand | kNotMinusZero)) == kAnySummand ? kSign : 0;

  const int leading = static_cast<int>(64 * top) - 1 - std::countl_zero(magnitude[top - 1]);
  if (leading + kLsb > 127) return sign | kInfinity;
  // Of the result's last bit: 23 below the leading one, but not below 2^-149, so never the integer's last.
  const auto last = static_cast<unsigned>(std::max(leading - 23, -149 - kLsb));
  const auto bit = [&](unsigned i) { return (magnitude[i / 64] >> (i % 64) & 1) != 0; };
  std::uint64_t kept = magnitude[last / 64] >> (last % 64);
  if (last % 64 != 0 && last / 64 + 1 < kLimbs) kept |= magnitude[last / 64 + 1] << (64 - last % 64);
  const unsigned half = last - 1;
  bool rest = (magnitude[half / 64] & ((std::uint64_t{1} << (half % 64)) - 1)) != 0;
  for (unsigned i = 0; i < half / 64; ++i) rest = rest || magnitude[i] != 0;
  if (bit(half) && (rest || (kept & 1) != 0)) ++kept;
  // The hidden bit counts up the exponent; so does a carry out of the fraction, up to infinity.
  const auto exponent = last - static_cast<unsigned>(-149 - kLsb);
  return sign | static_cast<std::uint32_t>((std::uint64_t{exponent} << 23) + kept);
}

}  // namespace nearcube::exact
