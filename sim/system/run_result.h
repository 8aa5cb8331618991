// SPDX-License-Identifier: Apache-2.0
// How far a run may go, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/debug/debugger.h"
#include "sim/memory/protected_memory.h"
#include "sim/riscv/core.h"
#include "sim/system/counters.h"

namespace nearcube::system {

/// Why a run, or a cluster's part of it, ended.
enum class End : std::uint8_t {
  kExit,         ///< the program wrote an exit code
  kUncaught,     ///< an exception had no handler
  kMaxCycles,    ///< the cycle limit
  kStuck,        ///< no progress
  kInterrupted,  ///< Ctrl-C
  kKilled,       ///< by the debugger
  kStopped,      ///< of a cluster: another one ended the run
};

struct PhaseCycles {
  std::uint8_t phase = 0;
  std::uint64_t cycles = 0;  ///< NTX clock cycles spent in it, all visits together
};

/// One cluster's part of a run.
struct ClusterResult {
  End end = End::kExit;
  std::uint32_t exit_code = 0;
  std::uint64_t cycles = 0;                 ///< NTX clock cycles from reset to the end
  std::vector<PhaseCycles> phases;          ///< in the order of their first visit; they add up to `cycles`
  std::optional<ClusterCounters> counters;  ///< none if the cluster no longer answered
  bool counters_exact = true;               ///< else they were read while they went on: up to 200 are missing
  riscv::CoreCounters core;                 ///< in core clock cycles
  std::vector<std::string> faults;  ///< what the NTX and the DMA hold as their errors: "NTX 2 refused ..."
  std::string message;              ///< kUncaught, kMaxCycles, kStuck, kInterrupted: what a user should know
};

/// What the rule checker saw of the vaults' commands.
struct DramCheck {
  std::uint64_t commands = 0, violations = 0;
  std::string report;  ///< a line, and one for each of the first violations
};

/// A run ends when every cluster's program has written exit code 0, or with the first cluster that ends
/// otherwise: its end and exit code are the run's, its message tells about all.
struct RunResult {
  End end = End::kExit;
  std::uint32_t exit_code = 0;
  unsigned cluster = 0;      ///< that ended otherwise
  std::uint64_t cycles = 0;  ///< NTX clock cycles from reset to the last cluster's end
  std::string message;
  std::vector<ClusterResult> clusters;
  // Of all clusters together, as in ClusterResult; of each unit number and phase the sum over the clusters.
  std::vector<PhaseCycles> phases;
  std::optional<ClusterCounters> counters;
  bool counters_exact = true;
  riscv::CoreCounters core;
  std::vector<std::string> faults;                     ///< with the cluster's number, if there are several
  std::optional<memory::ProtectionResult> protection;  ///< if the memory was protected
  std::optional<DramCheck> dram_check;                 ///< if it was asked for
  unsigned threads = 1;                                ///< host threads that took part
  /// Wall clock of the run, without the time in which a debugger halted it.
  double host_seconds = 0;
  /// Processor time of all threads together.
  double host_cpu_seconds = 0;

  double simulated_khz() const {
    return host_seconds > 0 ? static_cast<double>(cycles) / host_seconds / 1e3 : 0;
  }
};

struct RunLimits {
  std::uint64_t max_cycles = 0;  ///< NTX clock cycles; 0: the configuration's
  /// NTX clock cycles between two looks at the 32-bit counters. Below 2^30: the DMA's move by 4 a cycle.
  std::uint64_t counter_interval = std::uint64_t{1} << 28;
  /// Clusters that sleep are left out until something can wake them. Changes nothing but the host's time.
  bool skip_idle = true;
  /// Called about ten times a second with the cycles so far.
  std::function<void(std::uint64_t)> progress = {};
  /// Holds the core of the observed cluster and looks at the machine; null for none.
  debug::Debugger* debugger = nullptr;
};

}  // namespace nearcube::system
