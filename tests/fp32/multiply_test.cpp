// SPDX-License-Identifier: Apache-2.0
// The multiplier that synthesis sees (Booth rows and carry-save adders) against the host's product.
#include <cstdint>
#include <iostream>
#include <vector>

#include "Vmultiply24_booth.h"
#include "sim/rtl/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::test {
namespace {

constexpr std::uint32_t kMask = 0xFF'FFFF;

class MultiplyBench {
 public:
  void check(std::uint32_t a, std::uint32_t b) {
    model_.a_i = a;
    model_.b_i = b;
    for (bool negate : {false, true}) {
      model_.negate_i = negate;
      model_.eval();
      const std::uint64_t product = (model_.sum_o + model_.carry_o) & 0xFFFF'FFFF'FFFF;
      const std::uint64_t expected =
          (negate ? 0 - std::uint64_t{a} * b : std::uint64_t{a} * b) & 0xFFFF'FFFF'FFFF;
      if (product != expected) {
        INFO(std::hex << (negate ? "-0x" : "0x") << a << " * 0x" << b << " gives 0x" << product);
        REQUIRE(product == expected);
      }
      rows_ |= model_.carry_o;
    }
  }
  /// That the model is the one with rows.
  std::uint64_t rows() const { return rows_; }

 private:
  rtl::Simulation<Vmultiply24_booth> simulation_{seed()};
  Vmultiply24_booth& model_ = *simulation_;
  std::uint64_t rows_ = 0;
};

TEST_CASE("multiplier: corners and every digit of the second factor") {
  MultiplyBench bench;
  std::vector<std::uint32_t> corners = {0,         1,         2,         3,         0x55'5555,
                                        0xAA'AAAA, 0x7F'FFFF, 0x80'0000, 0x80'0001, kMask};
  for (unsigned i = 0; i < 24; ++i) {
    corners.push_back(1u << i);
    corners.push_back(kMask ^ (1u << i));
    corners.push_back((kMask << i) & kMask);
  }
  for (std::uint32_t a : corners) {
    for (std::uint32_t b : corners) bench.check(a, b);
    for (std::uint32_t digits = 0; digits < 32; ++digits) {
      for (unsigned i = 0; i < 20; ++i) bench.check(a, digits << i);
    }
  }
  REQUIRE(bench.rows() != 0);
}

TEST_CASE("multiplier: random factors") {
  MultiplyBench bench;
  std::cout << "multiplier: seed " << seed() << std::endl;
  Random random(seed());
  for (std::uint64_t i = 0, end = cases(1'000'000, 10'000'000); i < end; ++i) {
    bench.check(static_cast<std::uint32_t>(random()) & kMask, static_cast<std::uint32_t>(random()) & kMask);
  }
}

}  // namespace
}  // namespace nearcube::test
