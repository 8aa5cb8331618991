// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/bound.h"

#include <cmath>

namespace nearcube::analysis {

Bound bound_of(const LeastWork& work, const Rates& rates) {
  Bound bound{.resource = "compute"};
  double longest = static_cast<double>(work.macs) / rates.macs;
  const auto look_at = [&](std::uint64_t bytes, double rate, const char* resource) {
    const double cycles = static_cast<double>(bytes) / rate;
    if (cycles <= longest) return;
    longest = cycles;
    bound.resource = resource;
  };
  look_at(work.read_bytes, rates.read_bytes, "memory read");
  look_at(work.written_bytes, rates.written_bytes, "memory write");
  bound.cycles = static_cast<std::uint64_t>(std::ceil(longest));
  return bound;
}

}  // namespace nearcube::analysis
