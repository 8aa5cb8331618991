// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/exact.h"

#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "tests/golden/binary32.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"

namespace nearcube::golden {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

float to_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t to_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return is_nan(bits) ? kQuietNan : bits;
}

/// A number of MPFR with its storage.
class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  ~Mpfr() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

void set_bits(Mpfr& x, std::uint32_t bits) { mpfr_set_flt(x.get(), to_float(bits), MPFR_RNDN); }

/// Bits of a 24-bit result computed with an unbounded exponent, as binary32 sees it (MPFR manual,
/// mpfr_subnormalize).
std::uint32_t to_binary32(Mpfr& x, int ternary) {
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  ternary = mpfr_check_range(x.get(), ternary, MPFR_RNDN);
  mpfr_subnormalize(x.get(), ternary, MPFR_RNDN);
  const std::uint32_t bits = to_bits(mpfr_get_flt(x.get(), MPFR_RNDN));
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return bits;
}

/// The correctly rounded sum of products by mpfr_sum.
std::uint32_t mpfr_dot(const std::vector<Pair>& pairs) {
  Mpfr a(24);
  Mpfr b(24);
  std::vector<std::unique_ptr<Mpfr>> products;
  std::vector<mpfr_ptr> pointers;
  for (const auto& [x, y] : pairs) {
    set_bits(a, x);
    set_bits(b, y);
    products.push_back(std::make_unique<Mpfr>(48));
    mpfr_mul(products.back()->get(), a.get(), b.get(), MPFR_RNDN);
    pointers.push_back(products.back()->get());
  }
  Mpfr sum(24);
  const int ternary = mpfr_sum(sum.get(), pointers.data(), pointers.size(), MPFR_RNDN);
  return to_binary32(sum, ternary);
}

ExactSum sum_of(const std::vector<Pair>& pairs, AccumulatorFormat format = {}) {
  ExactSum sum(format);
  for (const auto& [a, b] : pairs) {
    sum.add_product(a, b);
  }
  return sum;
}

std::vector<Pair> random_pairs(test::Random& random, std::size_t count) {
  std::vector<std::uint32_t> words(2 * count);
  fill_values(random, random_values_kind(random), std::span(words).first(count));
  fill_values(random, random_values_kind(random), std::span(words).last(count));
  std::vector<Pair> pairs(count);
  for (std::size_t i = 0; i < count; ++i) {
    pairs[i] = {words[i], words[count + i]};
  }
  return pairs;
}

constexpr std::uint32_t kMinusZero = kSignBit;
constexpr std::uint32_t kMax = 0x7F7F'FFFF;

}  // namespace

TEST_CASE("a product alone is IEEE multiply, with a value IEEE fused multiply-add") {
  const auto seed = test::seed(11);
  std::cout << "seed " << seed << "\n";
  test::Random random(seed);
  const auto count = test::cases(200'000, 5'000'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t a = random_value(random, random_values_kind(random));
    const std::uint32_t b = random_value(random, random_values_kind(random));
    std::uint32_t c = random_value(random, random_values_kind(random));
    if (random() % 4 == 0) {  // cancel most of the product
      c = to_bits(-(to_float(a) * to_float(b)));
    }
    ExactSum sum;
    sum.add_product(a, b);
    const std::uint32_t product = sum.round();
    sum.add_value(c);
    const std::uint32_t fused = sum.round();
    // fma() of doubles here is exact in its product; float's is IEEE fusedMultiplyAdd of binary32 in the C
    // library.
    const bool right = product == to_bits(to_float(a) * to_float(b)) &&
                       fused == to_bits(std::fma(to_float(a), to_float(b), to_float(c)));
    if (!right) {
      CAPTURE(i, a, b, c, product, fused);
      FAIL("differs from the host");
    }
  }
}

TEST_CASE("an fma agrees with MPFR") {
  test::Random random(test::seed(12));
  const auto count = test::cases(50'000, 1'000'000);
  Mpfr a(24);
  Mpfr b(24);
  Mpfr c(24);
  Mpfr r(24);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t x = random_value(random, random_values_kind(random));
    const std::uint32_t y = random_value(random, random_values_kind(random));
    const std::uint32_t z = random_value(random, random_values_kind(random));
    set_bits(a, x);
    set_bits(b, y);
    set_bits(c, z);
    const int ternary = mpfr_fma(r.get(), a.get(), b.get(), c.get(), MPFR_RNDN);
    const std::uint32_t expected = to_binary32(r, ternary);
    ExactSum sum;
    sum.add_value(z);
    sum.add_product(x, y);
    if (sum.round() != expected) {
      CAPTURE(i, x, y, z, sum.round(), expected);
      FAIL("differs from mpfr_fma");
    }
  }
}

TEST_CASE("a sum agrees with mpfr_sum, in any order") {
  test::Random random(test::seed(13));
  const auto count = test::cases(10'000, 300'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::vector<Pair> pairs = random_pairs(random, 1 + random() % 20);
    const ExactSum sum = sum_of(pairs);
    const std::uint32_t expected = mpfr_dot(pairs);
    if (sum.round() != expected) {
      CAPTURE(i, pairs, sum.round(), expected);
      FAIL("differs from mpfr_sum");
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    REQUIRE(sum_of(pairs).image() == sum.image());
  }
}

TEST_CASE("a chain through images is one sum") {
  test::Random random(test::seed(14));
  const auto count = test::cases(3'000, 100'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const AccumulatorFormat format = random() % 2 == 0 ? AccumulatorFormat{} : AccumulatorFormat{-150, 9};
    const std::vector<Pair> pairs = random_pairs(random, 2 + random() % 20);
    const std::size_t cut = 1 + random() % (pairs.size() - 1);
    ExactSum whole = sum_of(pairs, format);
    ExactSum first = sum_of({pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(cut)}, format);
    const ExactSum second = sum_of({pairs.begin() + static_cast<std::ptrdiff_t>(cut), pairs.end()}, format);

    ExactSum resumed(format);
    resumed.add_value(kOne);  // must be forgotten
    resumed.load_image(first.image());
    REQUIRE(resumed.image() == first.image());
    for (std::size_t k = cut; k < pairs.size(); ++k) {
      resumed.add_product(pairs[k].first, pairs[k].second);
    }
    REQUIRE(resumed.image() == whole.image());
    REQUIRE(resumed.round() == whole.round());

    first.add_image(second.image());
    // Where no range overflow is about, the sum of the parts is the whole.
    if (((whole.image().back() | first.image().back()) & kRangeOverflow) == 0) {
      REQUIRE(first.image() == whole.image());
    }
  }
}

TEST_CASE("signed zeros, infinities, NaN") {
  struct Row {
    std::vector<Pair> products;
    std::uint32_t result;
    std::uint32_t relu;
    std::uint32_t flags;
  };
  const std::uint32_t tiny = 1;
  const std::uint32_t some = kAnySummand | kNotMinusZero;
  const std::vector<Row> rows = {
      {{}, 0, 0, 0},
      {{{kMinusZero, kOne}}, kMinusZero, 0, kAnySummand},
      {{{kMinusZero, kOne}, {kOne, kMinusZero}}, kMinusZero, 0, kAnySummand},
      {{{kMinusZero, kOne}, {0, kOne}}, 0, 0, some},
      {{{kMinusZero, kMinusZero}}, 0, 0, some},
      {{{kOne, kOne}, {kOne | kSignBit, kOne}}, 0, 0, some},
      {{{tiny, tiny | kSignBit}}, kMinusZero, 0, some},
      {{{tiny, tiny}}, 0, 0, some},
      {{{kPlusInf, kOne}, {kMax, kMax}}, kPlusInf, kPlusInf, some | kPlusInfSeen},
      {{{kPlusInf, kOne | kSignBit}}, kMinusInf, 0, some | kMinusInfSeen},
      {{{kMinusInf, kMinusInf}}, kPlusInf, kPlusInf, some | kPlusInfSeen},
      {{{kPlusInf, kOne}, {kMinusInf, kOne}}, kQuietNan, kQuietNan, some | kPlusInfSeen | kMinusInfSeen},
      {{{kPlusInf, 0}}, kQuietNan, kQuietNan, some | kNanSeen},
      {{{kMinusZero, kMinusInf}}, kQuietNan, kQuietNan, some | kNanSeen},
      {{{0xFF80'0001, kOne}}, kQuietNan, kQuietNan, some | kNanSeen},
      {{{0xFFC0'0000, kPlusInf}}, kQuietNan, kQuietNan, some | kNanSeen},
      {{{kMax, kMax}}, kPlusInf, kPlusInf, some},
      {{{kMax, kMax | kSignBit}}, kMinusInf, 0, some},
      {{{kMax, kOne}, {0x7300'0000, kOne}}, kPlusInf, kPlusInf, some},  // max + 2^103: a tie, even is above
      {{{kMax, kOne}, {0x7300'0000, kOne}, {kSignBit | 1, tiny}}, kMax, kMax, some},
  };
  for (const Row& row : rows) {
    CAPTURE(row.products);
    const ExactSum sum = sum_of(row.products);
    CHECK(sum.round() == row.result);
    CHECK(sum.round(true) == row.relu);
    CHECK(sum.image().back() == row.flags);
  }
}

TEST_CASE("negate turns the summand's sign, also of zero and infinity, not of NaN") {
  for (const auto& [x, expected] : std::vector<Pair>{{0, kMinusZero},
                                                     {kMinusZero, 0},
                                                     {kOne, kOne | kSignBit},
                                                     {kPlusInf, kMinusInf},
                                                     {0x7F80'0001, kQuietNan}}) {
    ExactSum value;
    value.add_value(x, true);
    CHECK(value.round() == expected);
    ExactSum product;
    product.add_product(x, kOne, true);
    CHECK(product.image() == value.image());
  }
}

TEST_CASE("2^17 products of maximum size neither overflow the range nor lose a bit") {
  ExactSum sum;
  for (int i = 0; i < 1 << 17; ++i) {
    sum.add_product(kMax, kMax);
  }
  sum.add_product(1, 1);
  CHECK(sum.round() == kPlusInf);
  for (int i = 0; i < 1 << 17; ++i) {
    sum.add_product(kMax, kMax, true);
  }
  std::vector<std::uint32_t> expected(20, 0);
  expected[0] = 1;
  expected[19] = kAnySummand | kNotMinusZero;
  CHECK(sum.image() == expected);
  CHECK(sum.round() == 0);
}

TEST_CASE("range overflow is sticky, wraps, and rounds to NaN") {
  std::vector<std::uint32_t> image(20, 0xFFFF'FFFF);
  image[18] = 0x7FFF'FFFF;
  image[19] = kAnySummand | kNotMinusZero;
  ExactSum sum;
  sum.load_image(image);
  CHECK(sum.round() == kPlusInf);
  CHECK(sum.image() == image);
  sum.add_product(1, 1);  // one unit of 2^-298 too much
  std::vector<std::uint32_t> wrapped(20, 0);
  wrapped[18] = 0x8000'0000;
  wrapped[19] = kAnySummand | kNotMinusZero | kRangeOverflow;
  CHECK(sum.image() == wrapped);
  CHECK(sum.round() == kQuietNan);
  CHECK(sum.round(true) == kQuietNan);
  sum.add_product(1, 1, true);
  image[19] |= kRangeOverflow;
  CHECK(sum.image() == image);
  CHECK(sum.round() == kQuietNan);

  // The most negative integer is in range; one less is not.
  wrapped[19] = kAnySummand | kNotMinusZero;
  sum.load_image(wrapped);
  CHECK(sum.round() == kMinusInf);
  sum.add_product(1, 1, true);
  CHECK(sum.image() == image);

  // Order decides whether an intermediate sum trips.
  image[19] = wrapped[19];
  sum.load_image(image);
  sum.add_product(1, 1, true);
  sum.add_product(1, 1);
  CHECK(sum.image() == image);
}

TEST_CASE("a narrow accumulator floors each summand") {
  const AccumulatorFormat format{-150, 9};
  const std::uint32_t smallest = 1;         // 2^-149
  const std::uint32_t half = 0x3F00'0000;   // 2^-149 * 2^-1 is the unit
  const std::uint32_t third = 0x3E80'0000;  // 2^-151: below it
  ExactSum sum(format);
  sum.add_product(smallest, half);
  CHECK(sum.image()[0] == 1);
  sum.add_product(smallest, third);
  CHECK(sum.image()[0] == 1);
  sum.add_product(smallest, third, true);  // floor(-1/2) = -1
  CHECK(sum.image()[0] == 0);
  sum.add_product(smallest, third, true);
  for (int i = 0; i < 9; ++i) {
    CHECK(sum.image()[static_cast<std::size_t>(i)] == 0xFFFF'FFFF);
  }
  CHECK(sum.round() == kMinusZero);
  sum.clear();
  sum.add_product(smallest, half, true);  // nothing to floor
  sum.add_product(smallest, half);
  CHECK(sum.image()[0] == 0);
  CHECK(sum.round() == 0);
  // Products of 2^137 and more do not fit.
  ExactSum large(format);
  large.add_product(0x7F00'0000, 0x4380'0000);  // 2^127 * 2^8
  CHECK(large.round() == kPlusInf);
  large.add_product(0x7F00'0000, 0x4400'0000, true);  // -2^136
  CHECK(large.round() == kMinusInf);
  large.clear();
  large.add_product(0x7F00'0000, 0x4480'0000);  // 2^137
  CHECK(large.round() == kQuietNan);
  large.clear();
  large.add_product(kMax, kMax);
  CHECK((large.image().back() & kRangeOverflow) != 0);
}

TEST_CASE("a negated image") {
  struct Row {
    std::vector<Pair> products;
    std::uint32_t flags;
    std::uint32_t result;
  };
  const std::uint32_t some = kAnySummand | kNotMinusZero;
  for (const Row& row : std::vector<Row>{
           {{}, 0, 0},
           {{{kMinusZero, kOne}}, some, 0},
           {{{0, kOne}}, some, 0},  // cannot be told from 1 - 1
           {{{kOne, kOne}}, some, kOne | kSignBit},
           {{{kOne, kOne | kSignBit}}, some, kOne},
           {{{kPlusInf, kOne}}, some | kMinusInfSeen, kMinusInf},
           {{{kMinusInf, kOne}}, some | kPlusInfSeen, kPlusInf},
           {{{kMinusInf, kOne}, {kPlusInf, kOne}}, some | kPlusInfSeen | kMinusInfSeen, kQuietNan},
           {{{kQuietNan, kOne}}, some | kNanSeen, kQuietNan}}) {
    CAPTURE(row.products);
    ExactSum sum;
    sum.add_image(sum_of(row.products).image(), true);
    CHECK(sum.image().back() == row.flags);
    CHECK(sum.round() == row.result);
  }
  std::vector<std::uint32_t> lowest(20, 0);
  lowest[18] = 0x8000'0000;
  lowest[19] = some;
  ExactSum sum;
  sum.add_image(lowest, true);
  lowest[19] |= kRangeOverflow;
  CHECK(sum.image() == lowest);
}

TEST_CASE("formats that cannot hold binary32 are refused") {
  CHECK_THROWS_AS(ExactSum({-299, 19}), std::invalid_argument);
  CHECK_THROWS_AS(ExactSum({-298, 13}), std::invalid_argument);
  CHECK_THROWS_AS(ExactSum({-150, 8}), std::invalid_argument);
  CHECK_NOTHROW(ExactSum({-149, 9}));
  ExactSum sum;
  const std::vector<std::uint32_t> small(19);
  CHECK_THROWS_AS(sum.add_image(small), std::invalid_argument);
}

}  // namespace nearcube::golden
