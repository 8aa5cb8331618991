// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/compare.h"

#include <cmath>
#include <limits>

#include "sim/base/error.h"
#include "tests/support/catch.h"

using namespace nearcube;
using cli::ulp_distance;

TEST_CASE("distances in ulp count binary32 values", "[cli]") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(ulp_distance(1.0f, 1.0f) == 0);
  CHECK(ulp_distance(1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(ulp_distance(std::nextafter(1.0f, 0.0f), std::nextafter(1.0f, 2.0f)) == 2);
  CHECK(ulp_distance(0.0f, -0.0f) == 1);
  CHECK(ulp_distance(std::numeric_limits<float>::denorm_min(), -0.0f) == 2);
  CHECK(ulp_distance(inf, std::numeric_limits<float>::max()) == 1);
  CHECK(ulp_distance(-1.0f, 1.0f) == 2ull * 0x3F800000 + 1);
  CHECK(ulp_distance(nan, nan) == 0);
  CHECK(ulp_distance(nan, -nan) == 1ull << 32);
  CHECK(ulp_distance(1.0f, nan) == 1ull << 32);
}

TEST_CASE("the first mismatch is kept with its index, the rest are counted", "[cli]") {
  const network::Tensor expected({2, 3}, {1, 2, 3, 4, 5, 6});
  network::Tensor got = expected;
  cli::Check check;
  cli::compare("y", expected, got, check);
  CHECK(check.words == 6);
  CHECK(check.mismatches == 0);
  CHECK_FALSE(check.first);
  got[4] = std::nextafter(5.0f, 6.0f);
  got[5] = -6;
  cli::compare("y", expected, got, check);
  CHECK(check.words == 12);
  CHECK(check.mismatches == 2);
  REQUIRE(check.first);
  CHECK(check.first->index == "[1][1]");
  CHECK(check.first->expected == 5.0f);
  CHECK(check.max_ulp == ulp_distance(6, -6));
  CHECK_THROWS_AS(cli::compare("y", expected, got.reshaped({6}), check), Error);
}
