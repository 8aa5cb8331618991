// SPDX-License-Identifier: Apache-2.0
// The fewest cycles that a machine can do a workload in, whatever its program: the longest of computing,
// reading and writing, each at full rate from the first cycle to the last.
#pragma once

#include <cstdint>
#include <string>

namespace nearcube::analysis {

/// LeastWork by a workload's definition: no tiling, no word twice.
struct LeastWork {
  std::uint64_t macs = 0;           ///< products, comparisons for pooling, elements for ReLU
  std::uint64_t read_bytes = 0;     ///< all operands, once
  std::uint64_t written_bytes = 0;  ///< all results, once
};

/// Per NTX clock cycle; all above 0.
struct Rates {
  double macs = 0;
  double read_bytes = 0;
  double written_bytes = 0;
};

struct Bound {
  std::uint64_t cycles = 0;  ///< NTX clock cycles, rounded up
  std::string resource;      ///< "compute", "memory read" or "memory write": what takes that long
};

Bound bound_of(const LeastWork& work, const Rates& rates);

}  // namespace nearcube::analysis
