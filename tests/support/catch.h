// SPDX-License-Identifier: Apache-2.0
// Catch2 2.x and 3.x under one name. What the two call differently is spelled once, here.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define NEARCUBE_CATCH_CONTAINS Catch::Matchers::ContainsSubstring
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#define NEARCUBE_CATCH_CONTAINS Catch::Matchers::Contains
#endif

#include <string>

namespace nearcube::test {

/// Matches a string that contains `text`: REQUIRE_THROWS_WITH(f(), contains("no such file")).
inline auto contains(const std::string& text) { return NEARCUBE_CATCH_CONTAINS(text); }

}  // namespace nearcube::test
