// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/random_values.h"

#include <array>
#include <bit>

#include "tests/golden/binary32.h"

namespace nearcube::golden {
namespace {

std::uint32_t word(test::Random& random) { return static_cast<std::uint32_t>(random() >> 32); }

std::uint32_t finite(test::Random& random) {
  std::uint32_t x = word(random);
  while ((x & kPlusInf) == kPlusInf) {
    x = word(random);
  }
  return x;
}

std::uint32_t special(test::Random& random) {
  static constexpr std::array<std::uint32_t, 18> corners = {
      0x00000000, 0x00000001, 0x00000002, 0x007FFFFF, 0x00800000, 0x00800001,
      0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F000000,
      0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x33800000, 0x4B000000};
  const std::uint32_t pick = word(random);
  if (pick % 4 == 0) {
    return word(random);
  }
  return corners[(pick >> 8) % corners.size()] | (pick & kSignBit);
}

// Sum of four uniform variates, scaled to variance 1; the low bits stay random.
std::uint32_t ordinary(test::Random& random) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<float>(static_cast<std::int32_t>(word(random))) * 0x1p-31F;
  }
  return std::bit_cast<std::uint32_t>(sum * 0.8660254F);
}

std::uint32_t with_exponent(std::uint32_t bits, std::uint32_t biased) {
  return (bits & 0x807F'FFFF) | (biased << 23);
}

}  // namespace

Values random_values_kind(test::Random& random) {
  return static_cast<Values>(random() % static_cast<unsigned>(kValuesCount));
}

std::uint32_t random_value(test::Random& random, Values kind) {
  const std::uint32_t bits = word(random);
  switch (kind) {
    case Values::kAnyBits:
      return bits;
    case Values::kFinite:
      return finite(random);
    case Values::kSpecials:
      return special(random);
    case Values::kSmallIntegers:
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(bits % 9) - 4)) ^
             (bits % 9 == 4 && (bits & 0x1000'0000) != 0 ? kSignBit : 0);
    case Values::kCancelling:
    case Values::kOrdinary:
      return ordinary(random);
    case Values::kSubnormal: {
      // Half around the bottom of the range, half small enough that a product of two is near 2^-149.
      const std::uint32_t choice = bits & 7;
      return choice < 4 ? with_exponent(word(random), choice / 2)
                        : with_exponent(word(random), 42 + word(random) % 24);
    }
    case Values::kHuge:
      return with_exponent(word(random), (bits & 1) != 0 ? 254 - bits % 3 : 190 - (bits >> 8) % 4);
  }
  return bits;
}

void fill_values(test::Random& random, Values kind, std::span<std::uint32_t> words) {
  const Values base = kind == Values::kCancelling && (random() & 1) != 0 ? Values::kFinite : kind;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (kind == Values::kCancelling && i > 0 && (random() & 3) != 0) {
      const std::uint32_t partner = words[random() % i] ^ kSignBit;
      const std::uint32_t moved = partner + static_cast<std::uint32_t>(random() % 3) - 1;
      words[i] = (moved & kPlusInf) == kPlusInf ? partner : moved;
    } else {
      words[i] = random_value(random, base);
    }
  }
}

}  // namespace nearcube::golden
