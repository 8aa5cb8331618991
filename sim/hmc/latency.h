// SPDX-License-Identifier: Apache-2.0
// Latencies, counted and summed up.
#pragma once

#include <array>
#include <cstdint>

namespace nearcube::hmc {

/// Latencies in picoseconds, with a histogram whose bins are an eighth of an octave.
struct LatencyCounters {
  /// Bins 0 to 7 are of their own number; bin 8 e + k, e >= 1, of (8 + k) 2^(e-1) up to the next bin's first.
  static constexpr std::size_t kBins = 8 * 40;

  std::uint64_t count = 0, sum_ps = 0, min_ps = ~std::uint64_t{0}, max_ps = 0;
  std::array<std::uint64_t, kBins> bins = {};  ///< the last one takes whatever is longer, 2^42 ps (4 s)

  void add(std::uint64_t ps);
  /// Of a count above 0.
  double mean_ps() const { return static_cast<double>(sum_ps) / static_cast<double>(count); }
  /// At least the share `share` (0 to 1) of them is no longer than this: the upper end of a bin, so at most
  /// an eighth too long, and never beyond min_ps or max_ps. Of a count above 0.
  std::uint64_t quantile_ps(double share) const;
};

}  // namespace nearcube::hmc
