// SPDX-License-Identifier: Apache-2.0
// Rooflines: what a machine's arithmetic and its memory allow, and measured kernels beneath (Williams,
// Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sw/plot/chart.h"

namespace nearcube::analysis {

/// A machine's two limits; both above 0.
struct Roof {
  std::string name;
  double gflops = 0;    ///< Gflop/s, a multiply-accumulate is two
  double gb_per_s = 0;  ///< GB/s, reads and writes together

  /// Gflop/s that it allows a kernel with so many flop a byte.
  double at(double flops_per_byte) const;
};

/// A kernel as it was measured.
struct Kernel {
  std::string name;
  double flops_per_byte = 0;  ///< of the bytes it read from memory and wrote to it
  double gflops = 0;
};

/// Of a report ("nearcube run --json"): its roofs, and its kernel. Throws Error (kBadInput) that names `file`
/// and what is missing, for a run that moved no bytes or counted nothing too.
struct Measured {
  std::vector<Roof> roofs;
  Kernel kernel;
};
Measured from_report(const nlohmann::json& report, const std::string& file);

/// Each roof as a line, each kernel as a point, on logarithmic axes. Both must not be empty.
plot::Chart roofline(const std::vector<Roof>& roofs, const std::vector<Kernel>& kernels);

/// A line each kernel: intensity, Gflop/s, what the first roof allows it, and by what it is bound.
std::string roofline_table(const std::vector<Roof>& roofs, const std::vector<Kernel>& kernels);

}  // namespace nearcube::analysis
