// SPDX-License-Identifier: Apache-2.0
#include "sim/base/wrapping_counters.h"

#include <algorithm>

#include "sim/base/error.h"

namespace nearcube::base {

void WrappingCounters::sample(std::span<const std::uint32_t> values) {
  if (values.size() != last_.size()) {
    throw error(ExitStatus::kOther, "{} counters sampled, there are {}", values.size(), last_.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Modulo 2^32.
    totals_[i] += static_cast<std::uint32_t>(values[i] - last_[i]);
    last_[i] = values[i];
  }
}

void WrappingCounters::clear() {
  std::fill(last_.begin(), last_.end(), 0);
  std::fill(totals_.begin(), totals_.end(), 0);
}

}  // namespace nearcube::base
