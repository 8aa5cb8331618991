// SPDX-License-Identifier: Apache-2.0
// The product's own check library (sw/reference) against the golden sum, the golden NTX and hand-made tables.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>

#include "sw/reference/exact_sum.h"
#include "sw/reference/kernels.h"
#include "tests/golden/binary32.h"
#include "tests/golden/exact.h"
#include "tests/golden/ntx_golden.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"

namespace nearcube::golden {
namespace {

using Words = std::vector<std::uint32_t>;
using Floats = reference::Values;

constexpr float kInf = std::numeric_limits<float>::infinity();

float number(std::uint32_t word) { return std::bit_cast<float>(word); }
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

Words all_bits(const Floats& values) {
  Words words(values.size());
  std::transform(values.begin(), values.end(), words.begin(), bits);
  return words;
}

Floats all_numbers(std::span<const std::uint32_t> words) {
  Floats values(words.size());
  std::transform(words.begin(), words.end(), values.begin(), number);
  return values;
}

Floats random_array(test::Random& random, std::int64_t count, Values kind) {
  Words words(static_cast<std::size_t>(count));
  fill_values(random, kind, words);
  return all_numbers(words);
}

/// Mostly tame data; now and then anything.
Values layer_values(test::Random& random) {
  return random() % 3 != 0 ? Values::kOrdinary : random_values_kind(random);
}

}  // namespace

TEST_CASE("the fast sum is the golden sum") {
  const auto seed = test::seed(41);
  std::cout << "seed " << seed << "\n";
  test::Random random(seed);
  const auto count = test::cases(60'000, 2'000'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    Words words(2 * (1 + random() % 12));
    fill_values(random, random_values_kind(random), std::span(words).first(words.size() / 2));
    fill_values(random, random_values_kind(random), std::span(words).last(words.size() / 2));
    ExactSum golden;
    reference::ExactSum fast;
    for (std::size_t k = 0; k < words.size(); k += 2) {
      if (random() % 8 == 0) {
        golden.add_value(words[k]);
        fast.add(number(words[k]));
      } else {
        golden.add_product(words[k], words[k + 1]);
        fast.add_product(number(words[k]), number(words[k + 1]));
      }
      if (golden.round() != bits(fast.round()) || golden.round(true) != bits(fast.round(true))) {
        CAPTURE(i, k, words, golden.round(), bits(fast.round()));
        FAIL("sums differ");
      }
    }
  }
}

TEST_CASE("the fast sum's carries wait, and are not lost") {
  ExactSum golden;
  reference::ExactSum fast;
  CHECK(bits(fast.round()) == 0);
  const std::uint32_t max = 0x7F7F'FFFF;
  for (int i = 0; i < 200'000; ++i) {
    golden.add_product(max, max, true);
    fast.add_product(number(max), -number(max));
    golden.add_product(1, 1);
    fast.add_product(number(1), number(1));
  }
  CHECK(golden.round() == bits(fast.round()));
  for (int i = 0; i < 200'000; ++i) {
    golden.add_product(max, max);
    fast.add_product(number(max), number(max));
  }
  CHECK(golden.round() == 0);
  CHECK(bits(fast.round()) == 0);
  golden.add_value(0x3F80'0000, true);
  fast.add(-1.0F);
  CHECK(bits(fast.round()) == golden.round());
  fast.clear();
  fast.add(-0.0F);
  CHECK(bits(fast.round()) == kSignBit);
}

TEST_CASE("more products than the carries wait for (nightly) sum up right") {
  const std::uint64_t rest = 12345;
  const std::uint64_t count = test::cases(rest, (std::uint64_t{1} << 30) + rest);
  reference::ExactSum fast;
  const float max = number(0x7F7F'FFFF);
  for (std::uint64_t i = 0; i < count; ++i) {
    fast.add_product(-max, 0x1p-126F);
  }
  ExactSum golden;  // the count in two factors that binary32 holds
  golden.add_product(bits(static_cast<float>(count - rest) * 0x1p-126F), bits(max), true);
  golden.add_product(bits(static_cast<float>(rest) * 0x1p-126F), bits(max), true);
  CHECK(bits(fast.round()) == golden.round());
}

TEST_CASE("conv2d is the sum of its window, whatever shape") {
  test::Random random(test::seed(42));
  for (int i = 0; i < 60; ++i) {
    reference::Conv2d shape;
    shape.batch = 1 + static_cast<std::int64_t>(random() % 2);
    shape.in_channels = 1 + static_cast<std::int64_t>(random() % 4);
    shape.out_channels = 1 + static_cast<std::int64_t>(random() % 4);
    shape.kernel_height = 1 + static_cast<std::int64_t>(random() % 5);
    shape.kernel_width = 1 + static_cast<std::int64_t>(random() % 5);
    shape.stride = 1 + static_cast<std::int64_t>(random() % 3);
    shape.pad = static_cast<std::int64_t>(random() % 3);
    shape.height = shape.kernel_height + static_cast<std::int64_t>(random() % 8);
    shape.width = shape.kernel_width + static_cast<std::int64_t>(random() % 8);
    shape.relu = random() % 2 == 0;
    const Floats input = random_array(random, shape.batch * shape.in_channels * shape.height * shape.width,
                                      layer_values(random));
    const Floats weights = random_array(
        random, shape.out_channels * shape.in_channels * shape.kernel_height * shape.kernel_width,
        layer_values(random));
    const Floats bias =
        random() % 2 == 0 ? Floats{} : random_array(random, shape.out_channels, layer_values(random));
    const Floats out = reference::conv2d(shape, input, weights, bias);

    // By way of an explicitly padded input, and with the sums in another order.
    const std::int64_t ph = shape.height + 2 * shape.pad;
    const std::int64_t pw = shape.width + 2 * shape.pad;
    std::int64_t at = 0;
    for (std::int64_t n = 0; n < shape.batch; ++n) {
      Floats padded(static_cast<std::size_t>(shape.in_channels * ph * pw));
      for (std::int64_t c = 0; c < shape.in_channels; ++c)
        for (std::int64_t y = 0; y < shape.height; ++y)
          for (std::int64_t x = 0; x < shape.width; ++x)
            padded[(c * ph + y + shape.pad) * pw + x + shape.pad] =
                input[((n * shape.in_channels + c) * shape.height + y) * shape.width + x];
      for (std::int64_t o = 0; o < shape.out_channels; ++o)
        for (std::int64_t y = 0; y + shape.kernel_height <= ph; y += shape.stride)
          for (std::int64_t x = 0; x + shape.kernel_width <= pw; x += shape.stride) {
            ExactSum sum;
            for (std::int64_t i2 = shape.kernel_height; i2-- > 0;)
              for (std::int64_t j2 = shape.kernel_width; j2-- > 0;)
                for (std::int64_t c = 0; c < shape.in_channels; ++c)
                  sum.add_product(bits(padded[(c * ph + y + i2) * pw + x + j2]),
                                  bits(weights[((o * shape.in_channels + c) * shape.kernel_height + i2) *
                                                   shape.kernel_width +
                                               j2]));
            if (!bias.empty()) sum.add_value(bits(bias[o]));
            REQUIRE(bits(out.at(at)) == sum.round(shape.relu));
            ++at;
          }
    }
    REQUIRE(out.size() == static_cast<std::size_t>(at));
  }
}

TEST_CASE("conv2d by the golden NTX command") {
  // One command: 2 input channels, 3x3 window, 6x5 outputs of one output channel (five loops), as a firmware
  // programs it.
  test::Random random(test::seed(43));
  reference::Conv2d shape;
  shape.in_channels = 2;
  shape.height = 8;
  shape.width = 7;
  shape.kernel_height = shape.kernel_width = 3;
  shape.relu = true;
  const Floats input = random_array(random, 112, Values::kOrdinary);
  const Floats weights = random_array(random, 18, Values::kOrdinary);
  const Floats bias = random_array(random, 1, Values::kOrdinary);
  Words tcdm(16384);
  std::transform(input.begin(), input.end(), tcdm.begin() + 64, bits);
  std::transform(weights.begin(), weights.end(), tcdm.begin() + 512, bits);
  for (int i = 0; i < 30; ++i) {
    tcdm[1024 + i] = bits(bias[0]);
  }
  Command c;
  c.loops = {2, 2, 1, 4, 5};  // window column, window row, channel, output column, output row
  const std::array<std::array<std::int32_t, 5>, 3> plain = {
      {{4, 28, 224, 4, 28}, {4, 12, 36, 0, 0}, {0, 0, 0, 4, 20}}};
  for (unsigned u = 0; u < 3; ++u) {
    std::int32_t inner = 0;
    for (unsigned k = 0; k < 5; ++k) {
      c.stride[u][k] = plain[u][k] - inner;
      inner += static_cast<std::int32_t>(c.loops[k]) * plain[u][k];
    }
  }
  c.base = {256, 2048, 4096};
  CommandFields f;
  f.init_level = f.store_level = 3;
  f.outer_level = 5;
  f.init_source = 2;
  f.aux = 1;
  c.cmd = encode(f);
  const Outcome out = run(c, tcdm);
  REQUIRE(!out.hazard);
  const Floats expected = reference::conv2d(shape, input, weights, bias);
  REQUIRE(expected.size() == 30);
  CHECK(Words(tcdm.begin() + 1024, tcdm.begin() + 1054) == all_bits(expected));
}

TEST_CASE("gemm, gemv, axpy") {
  test::Random random(test::seed(44));
  for (int i = 0; i < 60; ++i) {
    const auto m = static_cast<std::int64_t>(1 + random() % 6);
    const auto n = static_cast<std::int64_t>(1 + random() % 6);
    const auto k = static_cast<std::int64_t>(1 + random() % 40);
    const Floats a = random_array(random, m * k, layer_values(random));
    const Floats b = random_array(random, k * n, layer_values(random));
    const Floats c = reference::gemm(m, n, k, a, b);
    REQUIRE(c.size() == static_cast<std::size_t>(m * n));
    for (std::int64_t y = 0; y < m; ++y)
      for (std::int64_t x = 0; x < n; ++x) {
        ExactSum sum;
        for (std::int64_t p = k; p-- > 0;) sum.add_product(bits(a[y * k + p]), bits(b[p * n + x]));
        REQUIRE(bits(c[y * n + x]) == sum.round());
      }
    const Floats column = reference::gemm(m, 1, k, a, Floats(b.begin(), b.begin() + k));
    REQUIRE(all_bits(reference::gemv(m, k, a, Floats(b.begin(), b.begin() + k))) == all_bits(column));

    const Floats x = random_array(random, 50, random_values_kind(random));
    const Floats y = random_array(random, 50, random_values_kind(random));
    const float scale = number(random_value(random, random_values_kind(random)));
    const Floats sum = reference::axpy(scale, x, y);
    for (std::size_t e = 0; e < 50; ++e) {
      const float fused = std::fma(scale, x[e], y[e]);
      REQUIRE(bits(sum[e]) == (std::isnan(fused) ? kQuietNan : bits(fused)));
    }
  }
}

TEST_CASE("max_pool and relu select") {
  reference::MaxPool shape;
  shape.height = 3;
  shape.width = 5;
  shape.pad = 1;
  const float nan = number(0xFFC0'0123);
  const Floats image = {1,  -2, -0.0F, nan, 5,      //
                        3,  -4, 0.0F,  7,   -kInf,  //
                        -1, -1, 2,     2,   kInf};
  // Windows of 2x2 from (-1, -1) with stride 2: 2 rows of 3.
  CHECK(all_bits(reference::max_pool(shape, image)) ==
        Words{bits(1), bits(-0.0F), kQuietNan, bits(3), bits(2), bits(kInf)});
  shape.pad = 0;
  CHECK(all_bits(reference::max_pool(shape, image)) == Words{bits(3), kQuietNan});
  // Windows that see padding only.
  CHECK(all_bits(reference::max_pool({1, 1, 1, 1, 1, 1, 1}, Floats{2})) ==
        Words{bits(-kInf), bits(-kInf), bits(-kInf), bits(-kInf), bits(2), bits(-kInf), bits(-kInf),
              bits(-kInf), bits(-kInf)});
  CHECK(all_bits(reference::max_pool({1, 1, 2, 2, 2, 1, 0}, Floats{-0.0F, -1, 0.0F, -0.0F})) == Words{0});
  // Two images of two channels.
  CHECK(reference::max_pool({2, 2, 2, 2, 2, 2, 0}, Floats{1, 2, 3, 4, 6, 5, 8, 7, -1, -2, -3, -4, 0, 0, 9,
                                                          0}) == Floats{4, 8, -1, 9});

  CHECK(
      all_bits(reference::relu(Floats{1, -1, -0.0F, 0, nan, kInf, -kInf, number(1), number(0x8000'0001)})) ==
      Words{bits(1), 0, 0, 0, 0xFFC0'0123, bits(kInf), 0, 1, 0});
}

TEST_CASE("stencils: a table, and one rounding a dimension") {
  CHECK(reference::laplace(std::array<std::int64_t, 1>{3}, Floats{1, 2, 4}) == Floats{0, 1, -6});
  CHECK(reference::laplace(std::array<std::int64_t, 2>{2, 3}, Floats{1, 2, 4, 8, 16, 32}) ==
        Floats{6, 13, 18, -15, -22, -108});
  Floats impulse(27);
  impulse[13] = 1;
  Floats star(27);
  for (const int neighbour : {4, 10, 12, 14, 16, 22}) star[neighbour] = 1;
  star[13] = -6;
  CHECK(reference::laplace(std::array<std::int64_t, 3>{3, 3, 3}, impulse) == star);

  test::Random random(test::seed(45));
  for (int i = 0; i < 30; ++i) {
    std::array<std::int64_t, 3> extent{1, 1, 1};  // planes, rows, columns
    const std::size_t dimensions = 1 + random() % 3;
    for (std::size_t d = 3 - dimensions; d < 3; ++d) extent[d] = 1 + static_cast<std::int64_t>(random() % 6);
    const auto& [planes, rows, columns] = extent;
    const Floats field = random_array(random, planes * rows * columns, layer_values(random));
    std::array<float, 7> w{};
    for (float& x : w) x = number(random_value(random, Values::kOrdinary));
    const std::span<const std::int64_t> shape(extent.data() + 3 - dimensions, dimensions);
    const Floats out = reference::stencil(shape, field, w);
    const auto at = [&, p = planes, r = rows, c = columns](std::int64_t z, std::int64_t y, std::int64_t x) {
      return z < 0 || y < 0 || x < 0 || z >= p || y >= r || x >= c ? 0 : bits(field[(z * r + y) * c + x]);
    };
    for (std::int64_t z = 0; z < planes; ++z)
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x) {
          ExactSum sum;
          sum.add_product(at(z, y, x - 1), bits(w[0]));
          sum.add_product(at(z, y, x), bits(w[1]));
          sum.add_product(at(z, y, x + 1), bits(w[2]));
          std::uint32_t value = sum.round();
          if (dimensions >= 2) {
            sum.clear();
            sum.add_value(value);
            sum.add_product(at(z, y - 1, x), bits(w[3]));
            sum.add_product(at(z, y + 1, x), bits(w[4]));
            value = sum.round();
          }
          if (dimensions == 3) {
            sum.clear();
            sum.add_value(value);
            sum.add_product(at(z - 1, y, x), bits(w[5]));
            sum.add_product(at(z + 1, y, x), bits(w[6]));
            value = sum.round();
          }
          REQUIRE(bits(out[(z * rows + y) * columns + x]) == value);
        }
  }
}

TEST_CASE("diffusion: sweeps of the stencil, and heat is conserved away from the border") {
  const std::array<std::int64_t, 2> extent{9, 9};
  Floats field(81);
  field[40] = 1024;
  const Floats out = reference::diffusion(extent, field, 0.125F, 3);
  float total = 0;
  for (const float x : out) total += x;
  CHECK(total == 1024);  // exact: dyadic values
  CHECK(out[40] == 1024 * (0.125F + 3 * 4 * 0.5F * 0.125F * 0.125F));
  CHECK(reference::diffusion(extent, field, 0.125F, 0) == field);
  const std::array<float, 7> w{0.1F, std::fma(-4.0F, 0.1F, 1.0F), 0.1F, 0.1F, 0.1F, 0.1F, 0.1F};
  CHECK(reference::diffusion(extent, field, 0.1F, 2) ==
        reference::stencil(extent, reference::stencil(extent, field, w), w));
}

TEST_CASE("sizes that do not fit the shape are refused") {
  reference::Conv2d conv;
  conv.height = conv.width = 2;
  CHECK_THROWS_AS(reference::conv2d(conv, Floats(3), Floats(1)), std::invalid_argument);
  CHECK_THROWS_AS(reference::conv2d(conv, Floats(4), Floats(2)), std::invalid_argument);
  CHECK_THROWS_AS(reference::conv2d(conv, Floats(4), Floats(1), Floats(2)), std::invalid_argument);
  conv.kernel_height = 3;
  CHECK_THROWS_AS(reference::conv2d(conv, Floats(4), Floats(3)), std::invalid_argument);
  conv.pad = 1;
  CHECK_NOTHROW(reference::conv2d(conv, Floats(4), Floats(3)));
  conv.stride = 0;
  CHECK_THROWS_AS(reference::conv2d(conv, Floats(4), Floats(3)), std::invalid_argument);
  CHECK_THROWS_AS(reference::gemm(2, 2, 2, Floats(4), Floats(5)), std::invalid_argument);
  CHECK_THROWS_AS(reference::gemm(2, 0, 2, Floats(4), Floats(0)), std::invalid_argument);
  CHECK_THROWS_AS(reference::gemv(2, 2, Floats(4), Floats(3)), std::invalid_argument);
  CHECK_THROWS_AS(reference::axpy(1, Floats(4), Floats(3)), std::invalid_argument);
  CHECK_THROWS_AS(reference::max_pool({1, 1, 1, 1, 2, 1, 0}, Floats(1)), std::invalid_argument);
  CHECK_THROWS_AS(reference::laplace(std::array<std::int64_t, 1>{3}, Floats(2)), std::invalid_argument);
  CHECK_THROWS_AS(reference::laplace(std::array<std::int64_t, 4>{1, 1, 1, 1}, Floats(1)),
                  std::invalid_argument);
  CHECK_THROWS_AS(reference::laplace(std::span<const std::int64_t>(), Floats(1)), std::invalid_argument);
}

TEST_CASE("a layer of 4.7 million products is checked in well under a second") {
  test::Random random(test::seed(46));
  reference::Conv2d shape;
  shape.in_channels = 16;
  shape.out_channels = 32;
  shape.height = shape.width = 32;
  shape.kernel_height = shape.kernel_width = 3;
  shape.pad = 1;
  const Floats input = random_array(random, 16384, Values::kOrdinary);
  const Floats weights = random_array(random, 4608, Values::kOrdinary);
  const auto start = std::chrono::steady_clock::now();
  const Floats out = reference::conv2d(shape, input, weights);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::cout << "conv2d 16->32 32x32 3x3: " << taken.count() * 1e3 << " ms\n";
  CHECK(out.size() == 32768);
  CHECK(taken.count() < 10);  // a sanitizer build on a busy machine, too
}

}  // namespace nearcube::golden
