// SPDX-License-Identifier: Apache-2.0
// 64-bit totals of hardware counters of 32 bits that wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearcube::base {

/// Adds up what each counter moved from sample to sample. Right as long as none moves by 2^32 or more between
/// two samples.
class WrappingCounters {
 public:
  explicit WrappingCounters(std::size_t count) : last_(count), totals_(count) {}

  /// The counters' values now, in the same order every time.
  void sample(std::span<const std::uint32_t> values);
  /// The counters were set to zero.
  void clear();

  /// What each has counted since the start or the last clear(), as of the last sample.
  const std::vector<std::uint64_t>& totals() const { return totals_; }

 private:
  std::vector<std::uint32_t> last_;
  std::vector<std::uint64_t> totals_;
};

}  // namespace nearcube::base
