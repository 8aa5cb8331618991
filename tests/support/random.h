// SPDX-License-Identifier: Apache-2.0
// Seeds and trip counts for random tests. A test prints the seed it uses, and NEARCUBE_SEED repeats it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace nearcube::test {

/// The run's seed: NEARCUBE_SEED if set, else `fallback` (fixed, so that the same test runs the same way
/// twice).
inline std::uint64_t seed(std::uint64_t fallback = 1) {
  const char* text = std::getenv("NEARCUBE_SEED");
  return text ? std::stoull(text, nullptr, 0) : fallback;
}

/// `quick` cases in `make test`, `nightly` cases in `make nightly`.
inline std::uint64_t cases(std::uint64_t quick, std::uint64_t nightly) {
  return std::getenv("NEARCUBE_NIGHTLY") ? nightly : quick;
}

using Random = std::mt19937_64;

}  // namespace nearcube::test
