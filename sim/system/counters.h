// SPDX-License-Identifier: Apache-2.0
// The cluster's performance counters (region `counters`) by name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearcube::system {

/// In NTX clock cycles unless a name says otherwise; 64-bit totals of the RTL's 32-bit counters.
struct ClusterCounters {
  std::uint64_t cycles = 0;
  std::uint64_t compute_cycles = 0;  ///< at least one NTX held a command
  std::uint64_t dma_read_bytes = 0, dma_write_bytes = 0;
  std::uint64_t dma_busy = 0, dma_wait_bus = 0, dma_wait_tcdm = 0;
  std::uint64_t core_wait_tcdm = 0;
  struct Ntx {
    std::uint64_t busy = 0, stall_a = 0, stall_b = 0, stall_init = 0, stall_result = 0, stall_hazard = 0,
                  idle = 0;
    std::uint64_t macs = 0, results = 0, commands = 0;
  };
  std::vector<Ntx> ntx;
  struct Bank {
    std::uint64_t accesses = 0, conflicts = 0;
  };
  std::vector<Bank> banks;

  /// Adds another cluster's, unit by unit; both have the same units.
  ClusterCounters& operator+=(const ClusterCounters& other);
};

/// Offsets in the region of every counter of a cluster with so many NTX and banks, in the order of
/// rtl::Cluster::counters() and to_counters().
std::vector<std::uint32_t> counter_offsets(unsigned ntx, unsigned banks);

/// The values in the order of counter_offsets().
ClusterCounters to_counters(std::span<const std::uint64_t> values, unsigned ntx, unsigned banks);

}  // namespace nearcube::system
