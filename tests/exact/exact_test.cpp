// SPDX-License-Identifier: Apache-2.0
// The exact sums of the simulator against the golden sum, on every path of this CPU.
#include "tests/golden/exact.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

#include "sim/exact/dot.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::exact {
namespace {

using Words = std::vector<std::uint32_t>;
using Image = std::array<std::uint32_t, kImageWords>;

std::uint32_t word(float x) { return std::bit_cast<std::uint32_t>(x); }

Image image_of(const Sum& sum) {
  Image image;
  sum.store_image(image);
  return image;
}

void require_same(const Sum& sum, const golden::ExactSum& expected) {
  const auto words = expected.image();
  const Image image = image_of(sum);
  REQUIRE(Words(image.begin(), image.end()) == words);
  REQUIRE(sum.round() == expected.round());
}

Words random_words(test::Random& random, std::size_t count) {
  Words words(count);
  golden::fill_values(random, golden::random_values_kind(random), words);
  return words;
}

/// A dot product to be computed.
struct Case {
  Words a, b;
  bool negate = false;
  std::optional<std::uint32_t> init;
};

golden::ExactSum golden_sum(const Case& c) {
  golden::ExactSum sum;
  if (c.init) sum.add_value(*c.init);
  for (std::size_t i = 0; i < c.a.size(); ++i) sum.add_product(c.a[i], c.b[i], c.negate);
  return sum;
}

/// On every path, rounded at once and added to a sum.
void require_right(const Case& c, Decisions& decisions) {
  const golden::ExactSum expected = golden_sum(c);
  for (const Path path : available_paths()) {
    INFO(name_of(path) << ", " << c.a.size() << " products, negate " << c.negate << ", init "
                       << (c.init ? std::to_string(*c.init) : "none"));
    REQUIRE(dot(path, c.a.data(), c.b.data(), c.a.size(), c.negate, c.init, decisions) == expected.round());
    Sum sum;
    if (c.init) sum.add_value(*c.init);
    add_products(path, sum, c.a.data(), c.b.data(), c.a.size(), c.negate, decisions);
    require_same(sum, expected);
  }
}

Case random_case(test::Random& random, std::size_t count) {
  Case c{random_words(random, count), random_words(random, count), random() % 2 == 0, {}};
  if (random() % 2 == 0) c.init = golden::random_value(random, golden::random_values_kind(random));
  return c;
}

}  // namespace

TEST_CASE("Sums of products, values and images are the golden sum's") {
  test::Random random(test::seed(21));
  std::cout << "sums: seed " << test::seed(21) << "\n";
  const auto count = test::cases(20'000, 1'000'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    Sum sum;
    golden::ExactSum expected;
    for (std::uint64_t step = random() % 24; step > 0; --step) {
      const bool negate = random() % 2 == 0;
      const std::uint32_t x = golden::random_value(random, golden::random_values_kind(random));
      const std::uint32_t y = golden::random_value(random, golden::random_values_kind(random));
      switch (random() % 8) {
        case 0: {  // any image, also such as no sum leaves
          Words image = random_words(random, kImageWords);
          if (random() % 2 == 0) image[18] = random() % 2 == 0 ? 0x7FFF'FFFF : 0x8000'0000;
          if (random() % 4 == 0) std::fill_n(image.begin(), 19, 0u);
          sum.add_image(std::span<const std::uint32_t, kImageWords>(image), negate);
          expected.add_image(image, negate);
          break;
        }
        case 1: {  // its own: twice the sum, or nothing
          const Image image = image_of(sum);
          sum.add_image(image, negate);
          expected.add_image(image, negate);
          break;
        }
        case 2:
          sum.add_value(x, negate);
          expected.add_value(x, negate);
          break;
        default:
          sum.add_product(x, y, negate);
          expected.add_product(x, y, negate);
          break;
      }
      require_same(sum, expected);
    }
  }
}

TEST_CASE("Dot products of all kinds of data are rounded once on every path") {
  test::Random random(test::seed(22));
  std::cout << "dot products: seed " << test::seed(22) << "\n";
  Decisions decisions;
  const auto count = test::cases(4'000, 200'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    require_right(random_case(random, random() % (i % 16 == 0 ? 700 : 80)), decisions);
  }
  // Blocks, and their borders.
  for (const std::size_t length : {kMostSplit - 1, kMostSplit, kMostSplit + 1, 2 * kMostSplit + 13}) {
    require_right(random_case(random, length), decisions);
  }
  // All ways of deciding took part.
  CHECK(decisions.by_bound > 0);
  CHECK(decisions.in_full > 0);
  CHECK(decisions.split > 0);
  CHECK(decisions.one_by_one > 0);
}

TEST_CASE("Sums near a tie are rounded by what lies far below it") {
  test::Random random(test::seed(23));
  std::cout << "ties: seed " << test::seed(23) << "\n";
  Decisions decisions;
  const auto count = test::cases(4'000, 200'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    // x, half a unit in its last place, something tiny or nothing, and pairs that cancel, in any order.
    const int exponent = static_cast<int>(random() % 250) - 125;
    const float x = std::ldexp(1.0f + static_cast<float>(random() % 0x80'0000) * 0x1p-23f, exponent);
    std::vector<std::pair<float, float>> pairs = {
        {x, 1.0f}, {std::ldexp(1.0f, exponent / 2), std::ldexp(1.0f, exponent - exponent / 2 - 24)}};
    if (random() % 3 != 0) {
      const int below = static_cast<int>(random() % 100) + 30;
      pairs.emplace_back(std::ldexp(random() % 2 == 0 ? 1.0f : -1.0f, std::max(exponent - below, -149)),
                         1.0f);
    }
    for (std::uint64_t more = random() % 40; more > 0; --more) {
      const float big = std::ldexp(static_cast<float>(random() % 1000), exponent / 2 - 8);
      const float factor = std::ldexp(static_cast<float>(random() % 1000), exponent / 2 - 8);
      pairs.emplace_back(big, factor);
      pairs.emplace_back(-big, factor);
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    Case c;
    c.negate = random() % 2 == 0;
    for (const auto& [a, b] : pairs) {
      c.a.push_back(word(a));
      c.b.push_back(word(b));
    }
    require_right(c, decisions);
  }
  CHECK(decisions.in_full > count);
}

TEST_CASE("Corners: zeros of either sign, cancellation, the ends of the range") {
  Decisions decisions;
  const std::uint32_t zero = 0, minus_zero = 0x8000'0000, one = word(1.0f), most = 0x7F7F'FFFF, least = 1,
                      infinity = 0x7F80'0000, minus_infinity = 0xFF80'0000, nan = 0x7F80'0001;
  const std::uint32_t half_step = word(0x1p103f);  // half a unit in the last place of `most`
  const std::vector<std::vector<std::uint32_t>> sums = {
      {},
      {zero},
      {minus_zero},
      {minus_zero, minus_zero},
      {minus_zero, zero},
      {zero, zero, zero},
      {one, one ^ minus_zero},
      {most, most},
      {most, half_step},                      // a tie, to infinity
      {most, half_step, least | minus_zero},  // below it
      {most, most, most ^ minus_zero},
      {least, least, least},
      {infinity, one},
      {infinity, minus_infinity},
      {nan, one},
      {infinity, zero},
  };
  for (const auto& sum : sums) {
    for (const bool negate : {false, true}) {
      for (const std::uint32_t factor : {one, one ^ minus_zero, zero, least, most}) {
        for (const std::optional<std::uint32_t> init :
             {std::optional<std::uint32_t>{}, {zero}, {minus_zero}, {one}, {infinity}, {nan}}) {
          require_right({sum, Words(sum.size(), factor), negate, init}, decisions);
        }
      }
    }
  }
}

TEST_CASE("The bound decides all but a few ordinary sums, and the parts the others") {
  test::Random random(test::seed(24));
  const auto count = test::cases(20'000, 1'000'000);
  for (const Path path : available_paths()) {
    Decisions decisions;
    Words a(576), b(576);
    golden::fill_values(random, golden::Values::kOrdinary, a);
    for (std::uint64_t i = 0; i < count; ++i) {
      golden::fill_values(random, golden::Values::kOrdinary, std::span(b).first(64));
      std::rotate(b.begin(), b.begin() + 64, b.end());
      dot(path, a.data(), b.data(), a.size(), false, {}, decisions);
      Sum sum;
      add_products(path, sum, a.data(), b.data(), a.size(), false, decisions);
    }
    std::cout << name_of(path) << ": seed " << test::seed(24) << ", " << decisions.in_full << " of " << count
              << " sums of 576 products in full, " << decisions.one_by_one << " blocks one by one\n";
    CHECK(decisions.in_full * 10'000 <= count);
    CHECK(decisions.one_by_one == 0);
  }
}

}  // namespace nearcube::exact
