// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/exact.h"

#include <algorithm>
#include <stdexcept>

#include "tests/golden/binary32.h"

namespace nearcube::golden {

ExactSum::ExactSum(AccumulatorFormat format) : format_(format) {
  if (format.lsb < -298 || format.segments < 1 || format.segments > 64 ||
      format.lsb + 32 * static_cast<int>(format.segments) < 129) {
    throw std::invalid_argument("accumulator format does not hold binary32");
  }
  limit_ = Integer(1) << (32 * format.segments - 1);
}

void ExactSum::clear() {
  sum_ = 0;
  flags_ = 0;
}

void ExactSum::add_product(std::uint32_t a, std::uint32_t b, bool negate) {
  const bool negative = (is_negative(a) != is_negative(b)) != negate;
  if (is_nan(a) || is_nan(b) || (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b))) {
    flags_ |= kAnySummand | kNotMinusZero | kNanSeen;
  } else if (is_inf(a) || is_inf(b)) {
    flags_ |= kAnySummand | kNotMinusZero | (negative ? kMinusInfSeen : kPlusInfSeen);
  } else {
    add_finite(negative, std::uint64_t{significand_of(a)} * significand_of(b),
               exponent_of(a) + exponent_of(b));
  }
}

void ExactSum::add_value(std::uint32_t x, bool negate) { add_product(x, kOne, negate); }

void ExactSum::add_finite(bool negative, std::uint64_t magnitude, int exponent) {
  flags_ |= kAnySummand;
  if (magnitude == 0) {
    if (!negative) {
      flags_ |= kNotMinusZero;
    }
    return;
  }
  flags_ |= kNotMinusZero;
  Integer summand = magnitude;
  const int shift = exponent - format_.lsb;
  if (shift >= 0) {
    summand <<= static_cast<unsigned>(shift);
  } else {
    // Division truncates; a floor goes the other way for a negative number that loses a bit.
    const Integer unit = Integer(1) << static_cast<unsigned>(-shift);
    if (negative) {
      summand += unit - 1;
    }
    summand /= unit;
  }
  if (negative) {
    summand = -summand;
  }
  add_integer(summand);
}

void ExactSum::add_integer(const Integer& summand) {
  sum_ += summand;
  if (sum_ >= limit_ || sum_ < -limit_) {
    flags_ |= kRangeOverflow;
    const Integer modulus = 2 * limit_;
    sum_ %= modulus;  // truncating: in (-modulus, modulus)
    if (sum_ >= limit_) {
      sum_ -= modulus;
    } else if (sum_ < -limit_) {
      sum_ += modulus;
    }
  }
}

void ExactSum::add_image(std::span<const std::uint32_t> image, bool negate) {
  if (image.size() != image_words()) {
    throw std::invalid_argument("an image has segments + 1 words");
  }
  Integer value = 0;
  for (unsigned i = format_.segments; i-- > 0;) {
    value = (value << 32) | image[i];
  }
  if (value >= limit_) {
    value -= 2 * limit_;
  }
  std::uint32_t flags = image[format_.segments] & 0x3F;
  if (negate) {
    value = -value;
    const std::uint32_t infinities = (flags & kPlusInfSeen) << 1 | (flags & kMinusInfSeen) >> 1;
    flags = (flags & ~(kPlusInfSeen | kMinusInfSeen)) | infinities;
    if ((flags & kAnySummand) != 0) {
      flags |= kNotMinusZero;
    }
  }
  flags_ |= flags;
  add_integer(value);
}

void ExactSum::load_image(std::span<const std::uint32_t> image) {
  clear();
  add_image(image);
}

std::vector<std::uint32_t> ExactSum::image() const {
  Integer value = sum_ < 0 ? Integer(sum_ + 2 * limit_) : sum_;
  std::vector<std::uint32_t> words(image_words());
  for (unsigned i = 0; i < format_.segments; ++i) {
    words[i] = static_cast<std::uint32_t>(value & 0xFFFF'FFFFu);
    value >>= 32;
  }
  words[format_.segments] = flags_;
  return words;
}

std::uint32_t ExactSum::round(bool relu) const {
  const bool plus_inf = (flags_ & kPlusInfSeen) != 0;
  const bool minus_inf = (flags_ & kMinusInfSeen) != 0;
  if ((flags_ & (kNanSeen | kRangeOverflow)) != 0 || (plus_inf && minus_inf)) {
    return kQuietNan;
  }
  std::uint32_t result = 0;
  if (plus_inf || minus_inf) {
    result = plus_inf ? kPlusInf : kMinusInf;
  } else if (sum_ == 0) {
    const bool only_minus_zeros = (flags_ & (kAnySummand | kNotMinusZero)) == kAnySummand;
    result = only_minus_zeros ? kSignBit : 0;
  } else {
    const Integer magnitude = abs(sum_);
    const int leading = static_cast<int>(msb(magnitude)) + format_.lsb;
    if (leading > 127) {
      result = kPlusInf;
    } else {
      // The result's last place: 24 significant bits, but nothing below 2^-149.
      const int last = std::max(leading - 23, -149);
      const int shift = last - format_.lsb;
      Integer kept;
      if (shift <= 0) {
        kept = magnitude << static_cast<unsigned>(-shift);
      } else {
        const Integer unit = Integer(1) << static_cast<unsigned>(shift);
        kept = magnitude / unit;
        const Integer twice_rest = 2 * (magnitude % unit);
        if (twice_rest > unit || (twice_rest == unit && (kept & 1) != 0)) {
          ++kept;
        }
      }
      // `kept` includes the hidden bit, so adding it to the exponent field one lower encodes normals,
      // subnormals, and a carry into the next binade or to infinity alike.
      result = (static_cast<std::uint32_t>(last + 149) << 23) + static_cast<std::uint32_t>(kept);
    }
    if (sum_ < 0) {
      result |= kSignBit;
    }
  }
  return relu && is_negative(result) ? 0 : result;
}

}  // namespace nearcube::golden
