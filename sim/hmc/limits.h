// SPDX-License-Identifier: Apache-2.0
// Bandwidths that a cube cannot exceed, from its own values, and the traffic that reaches them.
#pragma once

#include <string>
#include <vector>

#include "sim/hmc/cube_config.h"

namespace nearcube::hmc {

struct Limit {
  std::string name;
  std::string formula;  ///< with the names of cube_config.h's values
  double gb_per_s = 0;  ///< refresh taken off, where there is any
};

/// One bank, one vault, the whole cube and its links, for accesses of a granule, and one vault's of 32 B. A
/// bank's row cycle takes tRC, or its access and what closes the row if that is longer; four activates take a
/// window of tFAW; the rest is widths. Where rows are hit, a vault may exceed the bound by tFAW and tRRD, but
/// never that of its bus.
std::vector<Limit> bandwidth_limits(const CubeConfig& config);

}  // namespace nearcube::hmc
