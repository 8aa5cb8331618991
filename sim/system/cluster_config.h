// SPDX-License-Identifier: Apache-2.0
// What one run of a cluster is made of, from a file in config/cluster.
#pragma once

#include <cstdint>
#include <string>

#include "sim/memory/axi_memory.h"
#include "sim/memory/flat_memory.h"
#include "sim/rtl/cluster_parameters.h"

namespace nearcube::system {

/// What the RTL is built with: a run takes the model that has these, if there is one.
using rtl::ClusterParameters;

struct ClusterConfig {
  std::string file;  ///< where it was read from
  ClusterParameters cluster;
  double ntx_hz = 1.25e9;
  std::uint64_t memory_bytes = 2ull << 30;
  memory::Untouched untouched = memory::Untouched::kPoison;
  memory::AxiTiming timing;
  std::uint64_t watchdog_cycles = 200000;     ///< NTX clock cycles without progress that end a run
  std::uint64_t max_cycles = 20'000'000'000;  ///< NTX clock cycles that end a run in any case

  double core_hz() const { return ntx_hz / cluster.core_clock_ratio; }
};

/// Reads a configuration; throws Error (kBadInput) with file, line, key and reason.
ClusterConfig load_cluster_config(const std::string& path);

}  // namespace nearcube::system
