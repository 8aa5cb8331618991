// SPDX-License-Identifier: Apache-2.0
// IEEE 754-2019 binary32 as bits: what an encoding means, without touching the host's floating point.
#pragma once

#include <cstdint>

namespace nearcube::golden {

inline constexpr std::uint32_t kQuietNan = 0x7FC0'0000;
inline constexpr std::uint32_t kPlusInf = 0x7F80'0000;
inline constexpr std::uint32_t kMinusInf = 0xFF80'0000;
inline constexpr std::uint32_t kOne = 0x3F80'0000;
inline constexpr std::uint32_t kSignBit = 0x8000'0000;

constexpr bool is_negative(std::uint32_t x) { return (x & kSignBit) != 0; }
constexpr bool is_nan(std::uint32_t x) { return (x & ~kSignBit) > kPlusInf; }
constexpr bool is_inf(std::uint32_t x) { return (x & ~kSignBit) == kPlusInf; }
constexpr bool is_zero(std::uint32_t x) { return (x & ~kSignBit) == 0; }

/// The integer m of a finite x = (-1)^sign * m * 2^exponent_of(x).
constexpr std::uint32_t significand_of(std::uint32_t x) {
  const std::uint32_t fraction = x & 0x007F'FFFF;
  return (x & kPlusInf) == 0 ? fraction : fraction | 0x0080'0000;
}

/// The exponent of a finite x's last significand bit: -149 for subnormals, up to 104.
constexpr int exponent_of(std::uint32_t x) {
  const int biased = static_cast<int>((x & kPlusInf) >> 23);
  return (biased == 0 ? 1 : biased) - 150;
}

}  // namespace nearcube::golden
