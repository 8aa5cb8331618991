// SPDX-License-Identifier: Apache-2.0
// fp32_compare against the host's comparisons (IEEE 754 by the C++ implementation) and the standard's text
// for maximum and minimum.
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#include "Vfp32_compare.h"
#include "sim/rtl/simulation.h"
#include "tests/golden/binary32.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::test {
namespace {

static_assert(std::numeric_limits<float>::is_iec559);

struct Outcome {
  bool holds;
  std::uint32_t selected;
  bool replaces;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& x) {
  return out << "holds " << x.holds << " selected 0x" << std::hex << x.selected << std::dec << " replaces "
             << x.replaces;
}

Outcome expected(std::uint32_t x, std::uint32_t y, bool integer, unsigned relation, bool minimum) {
  const auto fx = std::bit_cast<float>(x);
  const auto fy = std::bit_cast<float>(y);
  Outcome out{};
  switch (relation) {
    case 0:
      out.holds = integer ? x == y : fx == fy;
      break;
    case 1:
      out.holds = integer ? x < y : fx < fy;
      break;
    case 2:
      out.holds = integer ? x <= y : fx <= fy;
      break;
    default:
      out.holds = false;
  }
  if (std::isnan(fx) || std::isnan(fy)) {
    out.selected = golden::kQuietNan;
    out.replaces = !std::isnan(fy);
  } else {
    // IEEE 754-2019 9.6: as a comparison, but -0 is less than +0.
    const bool greater = fx > fy || (fx == 0 && fy == 0 && !std::signbit(fx) && std::signbit(fy));
    const bool less = fx < fy || (fx == 0 && fy == 0 && std::signbit(fx) && !std::signbit(fy));
    out.replaces = minimum ? less : greater;
    out.selected = out.replaces ? x : y;
  }
  return out;
}

class CompareBench {
 public:
  void check(std::uint32_t x, std::uint32_t y) {
    for (unsigned relation = 0; relation < 4; ++relation) {
      for (unsigned bits = 0; bits < 4; ++bits) {
        const bool integer = (bits & 1) != 0;
        const bool minimum = (bits & 2) != 0;
        model_.x_i = x;
        model_.y_i = y;
        model_.integer_i = integer;
        model_.relation_i = static_cast<std::uint8_t>(relation);
        model_.minimum_i = minimum;
        model_.eval();
        const Outcome seen{model_.holds_o != 0, model_.selected_o, model_.replaces_o != 0};
        const Outcome wanted = expected(x, y, integer, relation, minimum);
        if (seen != wanted) {
          INFO("x 0x" << std::hex << x << " y 0x" << y << " relation " << relation << " integer " << integer
                      << " minimum " << minimum);
          REQUIRE(seen == wanted);
        }
      }
    }
  }

 private:
  rtl::Simulation<Vfp32_compare> simulation_{seed()};
  Vfp32_compare& model_ = *simulation_;
};

TEST_CASE("all pairs of corner values") {
  CompareBench bench;
  std::vector<std::uint32_t> corners;
  for (std::uint32_t x : {0u, 1u, 2u, 0x007F'FFFFu, 0x0080'0000u, 0x3F7F'FFFFu, 0x3F80'0000u, 0x3F80'0001u,
                          0x7F7F'FFFFu, 0x7F80'0000u, 0x7F80'0001u, 0x7FC0'0000u, 0x7FFF'FFFFu}) {
    corners.push_back(x);
    corners.push_back(x | golden::kSignBit);
  }
  for (std::uint32_t x : corners) {
    for (std::uint32_t y : corners) bench.check(x, y);
  }
}

TEST_CASE("random and adjacent pairs") {
  CompareBench bench;
  std::cout << "compare: seed " << seed() << std::endl;
  Random random(seed());
  for (std::uint64_t i = 0, end = cases(200'000, 2'000'000); i < end; ++i) {
    const auto x = static_cast<std::uint32_t>(random());
    std::uint32_t y = static_cast<std::uint32_t>(random());
    switch (random() % 4) {
      case 0:
        y = x;
        break;
      case 1:
        y = x ^ (1u << (random() % 32));
        break;
      case 2:
        y = x + static_cast<std::uint32_t>(random() % 3) - 1;
        break;
      default:
        break;
    }
    bench.check(x, y);
  }
}

TEST_CASE(
    "a stream's extremum and its index do not depend on chance: the earliest of equals, the first NaN") {
  CompareBench bench;
  const rtl::Simulation<Vfp32_compare> simulation(seed());
  Vfp32_compare& model = *simulation;
  Random random(seed());
  const std::vector<std::uint32_t> pool = {0,           0x8000'0000, 0x3F80'0000, 0xBF80'0000,
                                           0x4000'0000, 0x7FC0'1234, 0x7F80'0000};
  for (int round = 0; round < 20'000; ++round) {
    const bool minimum = random() % 2 != 0;
    const std::size_t usable = round % 3 == 0 ? pool.size() : pool.size() - 2;
    std::vector<std::uint32_t> stream(2 + random() % 12);
    for (std::uint32_t& x : stream) x = pool[random() % usable];
    std::uint32_t best = stream[0];
    std::size_t index = 0;
    for (std::size_t i = 1; i < stream.size(); ++i) {
      model.x_i = stream[i];
      model.y_i = best;
      model.minimum_i = minimum;
      model.eval();
      best = model.selected_o;
      if (model.replaces_o) index = i;
    }
    // The first element that no other beats, by an order with NaN above (below) all and -0 below +0.
    const auto rank = [&](std::uint32_t x) {
      const auto f = static_cast<double>(std::bit_cast<float>(x));
      if (std::isnan(f)) return std::numeric_limits<double>::infinity();
      const double clipped = std::isinf(f) ? std::copysign(1e300, f) : f;
      const double signed_zero = f == 0 ? (std::signbit(f) ? -1e-300 : 1e-300) : clipped;
      return minimum ? -signed_zero : signed_zero;
    };
    std::size_t wanted = 0;
    for (std::size_t i = 1; i < stream.size(); ++i) {
      if (rank(stream[i]) > rank(stream[wanted])) wanted = i;
    }
    REQUIRE(index == wanted);
    REQUIRE(best == (golden::is_nan(stream[wanted]) ? golden::kQuietNan : stream[wanted]));
  }
}

}  // namespace
}  // namespace nearcube::test
