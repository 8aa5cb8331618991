// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/exact_sum.h"

#include <algorithm>

namespace nearcube::reference {
namespace {

constexpr std::uint32_t kInf = 0x7F80'0000;
constexpr std::uint32_t kQuietNan = 0x7FC0'0000;
constexpr std::uint32_t kSign = 0x8000'0000;

constexpr int kUnit = 298;             // the digits count units of 2^-298
constexpr int kLastPlace = 298 - 149;  // position of binary32's smallest number

}  // namespace

void ExactSum::add_special(std::uint32_t x, std::uint32_t y) {
  any_ = not_minus_zero_ = true;
  const std::uint32_t x_magnitude = x & ~kSign;
  const std::uint32_t y_magnitude = y & ~kSign;
  if (x_magnitude > kInf || y_magnitude > kInf || x_magnitude == 0 || y_magnitude == 0) {
    nan_ = true;  // an operand that is NaN, or infinity times zero
  } else if (((x ^ y) & kSign) != 0) {
    minus_inf_ = true;
  } else {
    plus_inf_ = true;
  }
}

void ExactSum::carry() {
  waiting_ = 0;
  for (int i = 0; i + 1 < kDigits; ++i) {
    digits_[i + 1] += digits_[i] >> 32;
    digits_[i] &= static_cast<std::int64_t>(kDigitMask);
  }
}

float ExactSum::round(bool relu) const {
  if (nan_ || (plus_inf_ && minus_inf_)) {
    return std::bit_cast<float>(kQuietNan);
  }
  ExactSum sum = *this;
  sum.carry();
  const bool negative = minus_inf_ || (!plus_inf_ && sum.digits_.back() < 0);
  if (negative && !minus_inf_) {
    for (std::int64_t& digit : sum.digits_) {
      digit = -digit;
    }
    sum.carry();
  }

  std::uint32_t bits = 0;
  int top = kDigits - 1;
  while (top > 0 && sum.digits_[top] == 0) {
    --top;
  }
  if (plus_inf_ || minus_inf_) {
    bits = kInf;
  } else if (sum.digits_[top] == 0) {
    return any_ && !not_minus_zero_ && !relu ? -0.0F : 0.0F;
  } else {
    const auto top_digit = static_cast<std::uint64_t>(sum.digits_[top]);
    const int leading = 32 * top + static_cast<int>(std::bit_width(top_digit)) - 1;
    // The result's last place: 24 bits from the leading one on, but none below 2^-149.
    const int last = std::max(leading - 23, kLastPlace);
    if (leading - kUnit > 127) {
      bits = kInf;
    } else {
      const auto bit = [&](int position) {
        return static_cast<std::uint32_t>(sum.digits_[position / 32] >> (position % 32) & 1);
      };
      std::uint32_t kept = 0;
      for (int position = leading; position >= last; --position) {
        kept = kept << 1 | bit(position);
      }
      const std::uint32_t half = bit(last - 1);
      const auto digits_below = sum.digits_.begin() + (last - 1) / 32;
      const bool rest =
          (*digits_below & ((std::int64_t{1} << (last - 1) % 32) - 1)) != 0 ||
          std::any_of(sum.digits_.begin(), digits_below, [](std::int64_t digit) { return digit != 0; });
      kept += half & (rest ? 1 : kept);
      // With the hidden bit added to the exponent field, normal and subnormal results and a carry need no
      // cases.
      bits = (static_cast<std::uint32_t>(last - kLastPlace) << 23) + kept;
    }
  }
  if (negative) {
    bits = relu ? 0 : bits | kSign;
  }
  return std::bit_cast<float>(bits);
}

}  // namespace nearcube::reference
