// SPDX-License-Identifier: Apache-2.0
// What one run of a cluster is made of, from a file in config/cluster.
#pragma once

#include <cstdint>
#include <string>

#include "sim/memory/axi_memory.h"
#include "sim/memory/flat_memory.h"

namespace nearcube::system {

/// Parameters that the RTL was built with; rtl/cluster's registers say what it has.
struct ClusterParameters {
  unsigned ntx = 8;
  std::uint32_t tcdm_bytes = 65536;
  unsigned tcdm_banks = 64;
  unsigned core_clock_ratio = 2;  ///< NTX clock cycles in one core clock cycle
  int accumulator_lsb = -298;     ///< exponent of its least significant bit
  unsigned accumulator_segments = 19;

  bool operator==(const ClusterParameters&) const = default;
};

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
