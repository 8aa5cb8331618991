// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nearcube::hmc {
namespace {

std::size_t bin_of(std::uint64_t ps) {
  if (ps < 8) return static_cast<std::size_t>(ps);
  const auto shift = static_cast<std::size_t>(std::bit_width(ps) - 4);
  return std::min(8 * shift + static_cast<std::size_t>(ps >> shift), LatencyCounters::kBins - 1);
}

std::uint64_t first_of(std::size_t bin) {
  return bin < 8 ? bin : std::uint64_t{8 + bin % 8} << (bin / 8 - 1);
}

}  // namespace

void LatencyCounters::add(std::uint64_t ps) {
  ++count;
  sum_ps += ps;
  min_ps = std::min(min_ps, ps);
  max_ps = std::max(max_ps, ps);
  ++bins[bin_of(ps)];
}

std::uint64_t LatencyCounters::quantile_ps(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
    seen += bins[bin];
    if (seen >= wanted) return std::clamp(first_of(bin + 1) - 1, min_ps, max_ps);
  }
  return max_ps;
}

}  // namespace nearcube::hmc
