// SPDX-License-Identifier: Apache-2.0
// Made-up traffic for a cube: a fixed number of requests under way, a new one for each that completes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hmc/cube.h"

namespace nearcube::hmc {

enum class Pattern : std::uint8_t {
  kSequential,  ///< one after the other, over all ports together
  kRandom,      ///< anywhere
  kStride,      ///< TrafficOptions::stride_bytes apart
  kOneVault,    ///< anywhere in vault 0
  kOneBank,     ///< anywhere in bank 0 of vault 0
  kOneAddress,  ///< always the same
};
/// "sequential", "random", ... in the order of Pattern.
const std::vector<std::string>& pattern_names();

struct TrafficOptions {
  Pattern pattern = Pattern::kSequential;
  std::uint32_t bytes = 64;  ///< of a request; several granules go as several requests at once
  double write_share = 0;    ///< 0 to 1, of the requests
  std::uint32_t outstanding = 32;
  std::uint64_t requests = 10'000;  ///< measured, after a tenth as many, or outstanding, that are not
  std::uint64_t stride_bytes = 4096;
  std::uint64_t seed = 1;
  unsigned ports = 32;
};

struct TrafficResult {
  std::uint64_t requests = 0, bytes = 0;  ///< measured
  std::uint64_t ps = 0;                   ///< from the completion before the first measured one to the last
  LatencyCounters reads, writes;          ///< of whole requests
  double gb_per_s() const { return ps == 0 ? 0 : static_cast<double>(bytes) * 1e3 / static_cast<double>(ps); }
};

/// Throws Error (kBadInput) for a size, share or number that cannot be.
void check(const CubeConfig& config, const TrafficOptions& options);

/// Runs it on an idle cube with at least as many ports. Throws as check().
TrafficResult run_traffic(Cube& cube, const TrafficOptions& options);

}  // namespace nearcube::hmc
