// SPDX-License-Identifier: Apache-2.0
// exact_mac against the golden sum, in the default and in the published NTX's format: directed corners, and
// families of random sequences. A family checks at least 10^5 results in `make test` and 10^6 in `make
// nightly`.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "Vexact_mac.h"
#include "Vexact_mac_narrow.h"
#include "Vexact_mac_synthesis.h"
#include "tests/fp32/exact_mac_bench.h"
#include "tests/golden/binary32.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::test {
namespace {

using golden::kMinusInf;
using golden::kOne;
using golden::kPlusInf;
using golden::kQuietNan;
using golden::kSignBit;

constexpr golden::AccumulatorFormat kExact{};
constexpr golden::AccumulatorFormat kNarrow{-150, 9};
constexpr std::uint32_t kMaxFinite = 0x7F7F'FFFF;
constexpr std::uint32_t kMinSubnormal = 1;
constexpr std::uint32_t kMinNormal = 0x0080'0000;

/// 2^exponent, -149 to 127.
std::uint32_t power(int exponent) {
  return exponent >= -126 ? static_cast<std::uint32_t>(exponent + 127) << 23 : 1u << (exponent + 149);
}

/// Factors with the product 2^exponent, -298 to 254.
Op power_step(int exponent, bool negate = false) {
  Op op;
  const int half = exponent / 2;
  op.a = power(half);
  op.b = power(exponent - half);
  op.negate = negate;
  return op;
}

Op step(std::uint32_t a, std::uint32_t b, Init init = Init::kNone, std::uint32_t value = 0) {
  Op op;
  op.a = a;
  op.b = b;
  op.init = init;
  op.init_value = value;
  return op;
}

Op of_kind(Op::Kind kind) {
  Op op;
  op.kind = kind;
  return op;
}

Op image_op(Op::Kind kind, std::vector<std::uint32_t> image) {
  Op op;
  op.kind = kind;
  op.image = std::move(image);
  return op;
}

using ExactBench = ExactMacBench<Vexact_mac>;
using NarrowBench = ExactMacBench<Vexact_mac_narrow>;
/// The default format as synthesis reads it: other descriptions of adders, no work left out.
using SynthesisBench = ExactMacBench<Vexact_mac_synthesis>;

/// All models must do what the golden sum does.
void expect_golden(const std::vector<Op>& ops) {
  ExactBench exact_bench(kExact);
  const std::string exact = check(exact_bench, ops);
  INFO("default format: " << exact);
  REQUIRE(exact.empty());
  SynthesisBench synthesis_bench(kExact);
  const std::string synthesis = check(synthesis_bench, ops);
  INFO("default format as synthesized: " << synthesis);
  REQUIRE(synthesis.empty());
  NarrowBench narrow_bench(kNarrow);
  const std::string narrow = check(narrow_bench, ops);
  INFO("published format: " << narrow);
  REQUIRE(narrow.empty());
}

/// Random sequences made by `make` until `results` results were checked in this bench.
template <typename Bench>
void run_family(const char* name, Bench& bench, std::uint64_t results,
                const std::function<std::vector<Op>(Random&, const golden::AccumulatorFormat&)>& make) {
  const std::uint64_t first_seed = seed();
  std::cout << name << ", lsb " << bench.format().lsb << ": seed " << first_seed << ", " << results
            << " results" << std::endl;
  const std::uint64_t end = bench.results() + results;
  for (std::uint64_t number = 0; bench.results() < end; ++number) {
    Random random(first_seed + 0x9E37'79B9'7F4A'7C15 * (number + 1));
    const std::string failure = check(bench, make(random, bench.format()));
    INFO(name << " sequence " << number << " of seed " << first_seed << ": " << failure);
    REQUIRE(failure.empty());
  }
}

void run_family(const char* name,
                const std::function<std::vector<Op>(Random&, const golden::AccumulatorFormat&)>& make) {
  ExactBench exact_bench(kExact);
  run_family(name, exact_bench, cases(100'000, 1'000'000), make);
  SynthesisBench synthesis_bench(kExact);
  run_family(name, synthesis_bench, cases(30'000, 1'000'000), make);
  NarrowBench narrow_bench(kNarrow);
  run_family(name, narrow_bench, cases(100'000, 1'000'000), make);
}

bool one_in(Random& random, unsigned n) { return random() % n == 0; }

std::uint32_t with_exponent(Random& random, unsigned biased) {
  auto bits = static_cast<std::uint32_t>(random());
  // Runs of ones and zeros in the fraction make long carries.
  switch (random() % 4) {
    case 0:
      bits |= 0x007F'FFFF;
      break;
    case 1:
      bits &= 0xFF80'0000;
      break;
    case 2:
      bits = (bits & 0xFF80'0000) | ((0x007F'FFFFu << (random() % 24)) & 0x007F'FFFF);
      break;
    default:
      break;
  }
  return (bits & 0x807F'FFFF) | (biased << 23);
}

/// An image of runs of zeros and ones, and now and then random words, one set or one clear bit.
std::vector<std::uint32_t> random_image(Random& random, const golden::AccumulatorFormat& format) {
  std::vector<std::uint32_t> image(format.segments + 1);
  std::uint32_t fill = one_in(random, 2) ? 0 : ~0u;
  for (unsigned i = 0; i < format.segments; ++i) {
    if (one_in(random, 6)) fill = ~fill;
    image[i] = fill;
    switch (random() % 12) {
      case 0:
        image[i] = static_cast<std::uint32_t>(random());
        break;
      case 1:
        image[i] = 1u << (random() % 32);
        break;
      case 2:
        image[i] = ~(1u << (random() % 32));
        break;
      case 3:
        image[i] = 1;
        break;
      case 4:
        image[i] = ~1u;
        break;
      default:
        break;
    }
  }
  // A sum within reach of rounding, mostly.
  if (!one_in(random, 4)) {
    const unsigned top = static_cast<unsigned>(100 - format.lsb) / 32;
    const std::uint32_t sign = one_in(random, 2) ? 0 : ~0u;
    for (unsigned i = static_cast<unsigned>(random() % (top + 2)); i < format.segments; ++i) image[i] = sign;
  }
  image[format.segments] = 0x18;
  if (one_in(random, 8)) image[format.segments] = static_cast<std::uint32_t>(random() & 0x3F);
  return image;
}

// ---------------------------------------------------------------------------------------------------------
// Directed corners
// ---------------------------------------------------------------------------------------------------------

TEST_CASE("one product is IEEE multiplication on all pairs of corner values") {
  std::vector<std::uint32_t> corners;
  for (std::uint32_t x :
       {0u,           kMinSubnormal, 2u,         3u,           0x007F'FFFFu, 0x0040'0000u, kMinNormal,
        0x0080'0001u, power(-75),    power(-74), 0x1A7F'FFFFu, 0x3F7F'FFFFu, kOne,         0x3F80'0001u,
        0x3FFF'FFFFu, 0x4040'0000u,  power(63),  power(64),    0x5F7F'FFFFu, kMaxFinite,   0x7F00'0000u,
        kPlusInf,     0x7F80'0001u,  kQuietNan,  0x7FFF'FFFFu}) {
    corners.push_back(x);
    corners.push_back(x | kSignBit);
  }
  std::vector<Op> ops;
  for (std::uint32_t a : corners) {
    for (std::uint32_t b : corners) {
      for (unsigned variant = 0; variant < 4; ++variant) {
        Op op = step(a, b, Init::kZero);
        op.negate = (variant & 1) != 0;
        op.relu = (variant & 2) != 0;
        ops.push_back(op);
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("one product and an init operand is a fused multiply-add on all corner values") {
  std::vector<std::uint32_t> corners;
  for (std::uint32_t x : {0u, kMinSubnormal, 0x007F'FFFFu, kMinNormal, power(-75), 0x3F7F'FFFFu, kOne,
                          0x3F80'0001u, power(64), kMaxFinite, kPlusInf, kQuietNan}) {
    corners.push_back(x);
    corners.push_back(x | kSignBit);
  }
  std::vector<Op> ops;
  for (std::uint32_t a : corners) {
    for (std::uint32_t b : corners) {
      for (std::uint32_t c : corners) {
        Op op = step(a, b, Init::kValue, c);
        op.init_negate = ops.size() % 2 != 0;
        ops.push_back(op);
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("a product plus an init operand agrees with the host's fused multiply-add") {
  Random random(seed());
  std::vector<Op> ops;
  golden::ExactSum sum;
  for (int i = 0; i < 20'000; ++i) {
    const auto kind = golden::random_values_kind(random);
    Op op = step(golden::random_value(random, kind), golden::random_value(random, kind), Init::kValue,
                 golden::random_value(random, golden::random_values_kind(random)));
    ops.push_back(op);
    sum.clear();
    sum.add_value(op.init_value);
    sum.add_product(op.a, op.b);
    auto host = std::bit_cast<std::uint32_t>(std::fma(std::bit_cast<float>(op.a), std::bit_cast<float>(op.b),
                                                      std::bit_cast<float>(op.init_value)));
    if (golden::is_nan(host)) host = kQuietNan;
    REQUIRE(sum.round() == host);
  }
  expect_golden(ops);
}

TEST_CASE("every power of two alone, and cancelled again") {
  std::vector<Op> ops;
  for (int e = -298; e <= 254; ++e) {
    for (bool negative : {false, true}) {
      Op op = power_step(e, negative);
      op.init = Init::kZero;
      ops.push_back(op);
      ops.push_back(power_step(e, !negative));
      ops.push_back(of_kind(Op::Kind::kStore));
    }
  }
  expect_golden(ops);
}

TEST_CASE("a large and a small power of two: carries and borrows across any number of segments") {
  std::vector<Op> ops;
  for (int large = -298; large <= 254; large += 3) {
    for (int small = large - 1; small >= -298; small -= (large - small < 100 ? 1 : 13)) {
      for (unsigned signs = 0; signs < 4; ++signs) {
        Op op = power_step(large, (signs & 1) != 0);
        op.init = Init::kZero;
        op.store = false;
        ops.push_back(op);
        ops.push_back(power_step(small, (signs & 2) != 0));
        // And back through zero to the other sign.
        op = power_step(large, (signs & 1) == 0);
        ops.push_back(op);
        ops.push_back(power_step(small, (signs & 2) == 0));
        if (ops.size() % 1024 == 0) ops.push_back(of_kind(Op::Kind::kStore));
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("ties and their neighbours in every binade") {
  std::vector<Op> ops;
  for (int e = -149; e <= 127; ++e) {
    // The last place of a number with the leading bit 2^e.
    const int last = std::max(e - 23, -149);
    for (unsigned odd = 0; odd < 2; ++odd) {
      for (int nudge : {-1, 0, 1}) {
        for (bool negative : {false, true}) {
          Op op = power_step(e, negative);
          op.init = Init::kZero;
          ops.push_back(op);
          if (odd != 0) ops.push_back(power_step(last, negative));
          ops.push_back(power_step(last - 1, negative));
          if (nudge != 0) ops.push_back(power_step(-298, negative != (nudge < 0)));
          if (nudge != 0)
            ops.push_back(power_step(last - 40 > -298 ? last - 40 : -298, negative != (nudge < 0)));
        }
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("signed zeros: -0 only if every summand was -0") {
  std::vector<Op> ops;
  for (std::uint32_t a : {0u, kSignBit}) {
    for (std::uint32_t b : {kOne, kOne | kSignBit, 0u, kSignBit}) {
      for (std::uint32_t c : {0u, kSignBit, kOne, kOne | kSignBit}) {
        for (unsigned bits = 0; bits < 8; ++bits) {
          Op op = step(a, b, (bits & 1) != 0 ? Init::kValue : Init::kZero, c);
          op.negate = (bits & 2) != 0;
          op.relu = (bits & 4) != 0;
          ops.push_back(op);
          op.init = Init::kNone;
          op.a = kSignBit;
          op.b = kOne;
          op.negate = false;
          ops.push_back(op);
          op.b = kOne | kSignBit;
          ops.push_back(op);
          // An exact cancellation is +0.
          op.a = c;
          op.b = kOne;
          op.negate = true;
          ops.push_back(op);
          ops.push_back(of_kind(Op::Kind::kStore));
        }
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("infinities and NaN stick until the next init, and leave nothing behind") {
  std::vector<Op> ops;
  const std::vector<std::uint32_t> values = {kPlusInf,    kMinusInf, kQuietNan, 0x7F80'0001,
                                             0xFFFF'FFFF, kOne,      0,         kSignBit};
  for (std::uint32_t first : values) {
    for (std::uint32_t second : values) {
      for (Init init : {Init::kZero, Init::kValue}) {
        ops.push_back(step(first, kOne, init, second));
        ops.push_back(step(kOne, kOne));
        ops.push_back(step(second, 0));
        ops.push_back(step(second, kOne | kSignBit));
        ops.push_back(of_kind(Op::Kind::kStore));
        ops.push_back(step(kOne, kOne, Init::kZero));
      }
    }
  }
  expect_golden(ops);
}

TEST_CASE("2^17 products of maximum size, up and down again") {
  std::vector<Op> ops;
  for (bool negative : {false, true}) {
    for (unsigned i = 0; i < 1u << 18; ++i) {
      Op op = step(kMaxFinite, kMaxFinite, i == 0 ? Init::kZero : Init::kNone);
      op.negate = (i >= 1u << 17) != negative;
      op.store = i % 1021 == 0 || i + 2 >= 1u << 18;
      ops.push_back(op);
    }
    ops.push_back(of_kind(Op::Kind::kStore));
  }
  ExactBench bench(kExact);
  const std::string failure = check(bench, ops);
  INFO(failure);
  REQUIRE(failure.empty());
}

TEST_CASE("2^17 values of maximum size fit the published format as well") {
  std::vector<Op> ops;
  for (unsigned i = 0; i < 1u << 17; ++i) {
    Op op = step(kMaxFinite, i < 1u << 9 ? kOne : kSignBit, i == 0 ? Init::kValue : Init::kNone, kMaxFinite);
    op.store = i % 1021 == 0;
    ops.push_back(op);
  }
  ops.push_back(of_kind(Op::Kind::kStore));
  expect_golden(ops);
}

TEST_CASE("the range's ends: the last sum inside, the first outside, both signs") {
  for (const golden::AccumulatorFormat& format : {kExact, kNarrow}) {
    std::vector<Op> ops;
    std::vector<std::uint32_t> largest(format.segments + 1, ~0u);
    largest[format.segments - 1] = 0x7FFF'FFFF;
    largest[format.segments] = 0x18;
    std::vector<std::uint32_t> lowest(format.segments + 1, 0);
    lowest[format.segments - 1] = 0x8000'0000;
    lowest[format.segments] = 0x18;
    std::vector<std::uint32_t> minus_one(format.segments + 1, ~0u);
    minus_one[format.segments] = 0x18;
    std::vector<std::uint32_t> one(format.segments + 1, 0);
    one[0] = 1;
    one[format.segments] = 0x18;
    // The smallest step up: one unit of the last place in either format.
    const Op up = format.lsb < -150 ? power_step(format.lsb) : step(kMinSubnormal, 0x3F00'0000);
    Op down = up;
    down.negate = true;
    for (const auto& start : {largest, lowest}) {
      for (const Op& move : {up, down, image_op(Op::Kind::kAdd, one), image_op(Op::Kind::kAdd, minus_one),
                             image_op(Op::Kind::kAdd, largest), image_op(Op::Kind::kAdd, lowest)}) {
        ops.push_back(image_op(Op::Kind::kLoad, start));
        ops.push_back(move);
        ops.push_back(of_kind(Op::Kind::kStore));
        ops.push_back(step(kOne, kOne));
        ops.push_back(of_kind(Op::Kind::kStore));
        ops.push_back(step(kOne, kOne, Init::kZero));
        ops.push_back(of_kind(Op::Kind::kStore));
      }
    }
    ExactBench exact_bench(kExact);
    NarrowBench narrow_bench(kNarrow);
    const std::string failure = format.lsb == kExact.lsb ? check(exact_bench, ops) : check(narrow_bench, ops);
    INFO(failure);
    REQUIRE(failure.empty());
  }
}

TEST_CASE("products beyond the published format's range are caught at every exponent") {
  std::vector<Op> ops;
  for (int e = 100; e <= 254; ++e) {
    for (unsigned bits = 0; bits < 8; ++bits) {
      Op op = power_step(e, (bits & 1) != 0);
      op.init = (bits & 2) != 0 ? Init::kValue : Init::kZero;
      op.init_value = (bits & 4) != 0 ? kMaxFinite : kMaxFinite | kSignBit;
      ops.push_back(op);
      ops.push_back(of_kind(Op::Kind::kStore));
      op = step(kMaxFinite, power(e - 127), Init::kZero);
      op.negate = (bits & 1) != 0;
      ops.push_back(op);
      ops.push_back(of_kind(Op::Kind::kStore));
    }
  }
  expect_golden(ops);
}

TEST_CASE("one step and one result every cycle, each after the latency") {
  // The bench compares every result's cycle; here nothing but steps.
  std::vector<Op> ops;
  for (std::uint32_t i = 0; i < 4096; ++i) ops.push_back(step(kOne + i, kOne, Init::kValue, kOne));
  ExactBench bench(kExact);
  const std::uint64_t before = bench.cycles();
  const std::uint64_t results = bench.results();
  REQUIRE_FALSE(bench.run(ops));
  REQUIRE(bench.results() - results == 4096);
  // One cycle of clear first, and the cycles to drain.
  REQUIRE(bench.cycles() - before == 4096 + 1 + kLatency + 1);
}

// ---------------------------------------------------------------------------------------------------------
// Random families
// ---------------------------------------------------------------------------------------------------------

TEST_CASE("random products") {
  run_family("products", [](Random& random, const golden::AccumulatorFormat&) {
    std::vector<Op> ops(256);
    const auto kind_a = golden::random_values_kind(random);
    const auto kind_b = golden::random_values_kind(random);
    for (Op& op : ops) {
      op = step(golden::random_value(random, kind_a), golden::random_value(random, kind_b), Init::kZero);
      op.negate = one_in(random, 2);
      op.relu = one_in(random, 4);
    }
    return ops;
  });
}

TEST_CASE("random fused multiply-adds, an init operand every step") {
  run_family("fused multiply-adds", [](Random& random, const golden::AccumulatorFormat&) {
    std::vector<Op> ops(256);
    const auto kind = golden::random_values_kind(random);
    const auto kind_init = golden::random_values_kind(random);
    for (Op& op : ops) {
      op = step(golden::random_value(random, kind), golden::random_value(random, kind), Init::kValue,
                golden::random_value(random, kind_init));
      if (one_in(random, 3)) {
        // As large as the product and of the other sign, or nearly.
        const float product = std::bit_cast<float>(op.a) * std::bit_cast<float>(op.b);
        op.init_value = std::bit_cast<std::uint32_t>(-product) + static_cast<std::uint32_t>(random() % 3) - 1;
      }
      op.negate = one_in(random, 8);
      op.init_negate = one_in(random, 8);
      op.relu = one_in(random, 4);
    }
    return ops;
  });
}

TEST_CASE("random sums of all kinds, lengths, inits and stores, with idle cycles") {
  run_family("sums", [](Random& random, const golden::AccumulatorFormat&) {
    std::vector<Op> ops;
    const auto length = static_cast<std::size_t>(1) << (random() % 10);
    std::vector<std::uint32_t> a(length);
    std::vector<std::uint32_t> b(length);
    golden::fill_values(random, golden::random_values_kind(random), a);
    golden::fill_values(random, golden::random_values_kind(random), b);
    const auto store_every = static_cast<unsigned>(1 + random() % 4);
    const auto init_every = static_cast<unsigned>(1 + random() % 64);
    const bool idle = one_in(random, 2);
    for (std::size_t i = 0; i < length; ++i) {
      Op op = step(a[i], b[i]);
      if (i == 0 || one_in(random, init_every)) op.init = one_in(random, 2) ? Init::kZero : Init::kValue;
      op.init_value = golden::random_value(random, golden::Values::kFinite);
      op.init_negate = one_in(random, 2);
      op.negate = one_in(random, 4);
      op.store = i + 1 == length || one_in(random, store_every);
      op.summand = !one_in(random, 16);
      op.relu = one_in(random, 4);
      ops.push_back(op);
      if (idle && one_in(random, 3)) ops.push_back(of_kind(Op::Kind::kIdle));
    }
    ops.push_back(of_kind(Op::Kind::kStore));
    return ops;
  });
}

TEST_CASE("random sums of few far exponents and long runs, which carry, borrow and cancel across segments") {
  run_family("adversarial", [](Random& random, const golden::AccumulatorFormat&) {
    std::vector<Op> ops;
    // A few places at which everything happens.
    unsigned places[4];
    for (unsigned& place : places) place = static_cast<unsigned>(random() % 255);
    std::vector<Op> undo;
    for (unsigned i = 0; i < 64; ++i) {
      Op op;
      if (!undo.empty() && one_in(random, 3)) {
        const std::size_t at = random() % undo.size();
        op = undo[at];
        op.negate = !op.negate;
        op.init = Init::kNone;
        undo.erase(undo.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        const unsigned jitter = one_in(random, 2) ? 0 : static_cast<unsigned>(random() % 40);
        op.a = with_exponent(random, std::min(254u, places[random() % 4] + jitter));
        op.b = with_exponent(random, places[random() % 4]);
        undo.push_back(op);
      }
      if (i == 0) {
        op.init = one_in(random, 2) ? Init::kZero : Init::kValue;
        op.init_value = with_exponent(random, places[random() % 4]);
      }
      ops.push_back(op);
    }
    for (Op& op : undo) {
      op.negate = !op.negate;
      op.init = Init::kNone;
      ops.push_back(op);
    }
    ops.push_back(of_kind(Op::Kind::kStore));
    return ops;
  });
}

TEST_CASE("random images loaded, added, stepped on and stored") {
  run_family("images", [](Random& random, const golden::AccumulatorFormat& format) {
    std::vector<Op> ops;
    ops.push_back(image_op(Op::Kind::kLoad, random_image(random, format)));
    const auto length = 1 + random() % 24;
    for (std::uint64_t i = 0; i < length; ++i) {
      switch (random() % 8) {
        case 0:
          ops.push_back(
              image_op(one_in(random, 2) ? Op::Kind::kLoad : Op::Kind::kAdd, random_image(random, format)));
          ops.back().negate = one_in(random, 2);
          ops.back().init_negate = one_in(random, 3);
          break;
        case 1:
          ops.push_back(of_kind(Op::Kind::kStore));
          break;
        default: {
          Op op = step(with_exponent(random, static_cast<unsigned>(random() % 255)),
                       with_exponent(random, static_cast<unsigned>(random() % 255)));
          if (one_in(random, 2)) op.b = kOne;
          op.summand = !one_in(random, 8);
          if (one_in(random, 16)) {
            op.init = one_in(random, 2) ? Init::kZero : Init::kValue;
            op.init_value = with_exponent(random, static_cast<unsigned>(random() % 255));
          }
          ops.push_back(op);
        }
      }
    }
    ops.push_back(of_kind(Op::Kind::kStore));
    return ops;
  });
}

TEST_CASE("random soft clears in mid-stream, with steps, images and results under way") {
  run_family("soft clears", [](Random& random, const golden::AccumulatorFormat& format) {
    std::vector<Op> ops;
    for (unsigned i = 0; i < 100; ++i) {
      Op op = step(golden::random_value(random, golden::Values::kSpecials), with_exponent(random, 127));
      if (one_in(random, 4)) op.init = one_in(random, 2) ? Init::kZero : Init::kValue;
      op.init_value = golden::random_value(random, golden::Values::kFinite);
      if (one_in(random, 12)) op.kind = Op::Kind::kClear;
      if (one_in(random, 12)) op.kind = Op::Kind::kIdle;
      if (one_in(random, 30)) op.kind = Op::Kind::kStore;
      if (one_in(random, 30)) {
        op.kind = one_in(random, 2) ? Op::Kind::kLoad : Op::Kind::kAdd;
        op.image = random_image(random, format);
        op.image[format.segments] &= 0x18;
      }
      ops.push_back(op);
    }
    return ops;
  });
}

TEST_CASE("equal sums give equal images: any order, any split over images") {
  ExactBench bench(kExact);
  Random random(seed());
  std::cout << "order: seed " << seed() << std::endl;
  const std::uint64_t rounds = cases(300, 3'000);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<Op> steps(40);
    const auto kind = golden::random_values_kind(random);
    for (Op& op : steps) {
      op = step(golden::random_value(random, kind), golden::random_value(random, golden::Values::kFinite));
      op.store = false;
    }
    const auto total = [&](std::size_t split) {
      std::vector<Op> ops;
      std::vector<std::uint32_t> part;
      if (split != 0) {
        ops.assign(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(split));
        ops.front().init = Init::kZero;
        ops.push_back(of_kind(Op::Kind::kStore));
        REQUIRE_FALSE(bench.run(ops));
        part = bench.stored();
      }
      ops.assign(steps.begin() + static_cast<std::ptrdiff_t>(split), steps.end());
      ops.front().init = Init::kZero;
      if (split != 0) ops.push_back(image_op(Op::Kind::kAdd, part));
      ops.push_back(of_kind(Op::Kind::kStore));
      REQUIRE_FALSE(bench.run(ops));
      return bench.stored();
    };
    const auto reference = total(0);
    std::shuffle(steps.begin(), steps.end(), random);
    REQUIRE(total(0) == reference);
    REQUIRE(total(1 + random() % (steps.size() - 1)) == reference);
  }
}

}  // namespace
}  // namespace nearcube::test
