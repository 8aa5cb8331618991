// SPDX-License-Identifier: Apache-2.0
// A cube: clusters, each with its core, in front of one memory; from a loaded image to a finished run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/thread_pool.h"
#include "sim/memory/fault_injection.h"
#include "sim/memory/flat_memory.h"
#include "sim/memory/protected_memory.h"
#include "sim/riscv/elf.h"
#include "sim/system/cluster_config.h"
#include "sim/system/cluster_node.h"
#include "sim/system/memory_side.h"
#include "sim/system/program.h"
#include "sim/system/run_result.h"

namespace nearcube::system {

/// Clusters that a cube can have (the NTX paper's largest is 512 over several cubes; a cube's logic base
/// holds 16 to 128: arXiv 1803.04783, section IV).
inline constexpr unsigned kMostClusters = 128;

struct CubeOptions {
  unsigned clusters = 1;
  unsigned threads = 1;    ///< host threads; more than clusters are not used. Results do not depend on it
  std::uint64_t seed = 1;  ///< of the values that registers without reset start with
  unsigned observed = 0;   ///< the cluster that traces, the debugger and dumps of the scratchpad are of
  bool traceable = false;  ///< the observed cluster's trace() will be called
  Backend backend = Backend::kRtl;
  /// The cube's vaults; none: flat memory, as the cluster's configuration has it.
  std::optional<hmc::CubeConfig> memory = {};
  bool check_dram = false;  ///< hold every command of the vaults against the DRAM's rules; needs `memory`
  /// Faults that the memory is to have; if any, its words are protected by a SECDED code.
  memory::FaultInjection faults = {};
};

/// Throws Error (kBadInput) that names the file, each key and both values if there is no model for `config`:
/// no RTL that was built, or none that the fast backend can be.
void check_model(const ClusterConfig& config, bool traceable = false, Backend backend = Backend::kRtl);

/// The clusters go on side by side in host threads, for a window of as many core cycles as an access to
/// memory takes at least. Then one thread takes what they asked of the memory and of each other - accesses in
/// order of (time, cluster), arrivals at the barrier - and the next window begins. So what a cluster sees in
/// a cycle does not depend on the threads.
class CubeSystem {
 public:
  /// Takes the models with the parameters of `config` and checks them against their registers; throws Error
  /// (kBadInput) that names the file, each key and both values if there is none, or if they differ.
  explicit CubeSystem(const ClusterConfig& config, const CubeOptions& options = {});

  const ClusterParameters& parameters() const { return config_.cluster; }
  const ClusterConfig& config() const { return config_; }
  std::uint64_t memory_bytes() const { return memory_.capacity(); }
  unsigned clusters() const { return static_cast<unsigned>(nodes_.size()); }
  /// That of CubeOptions::observed.
  ClusterNode& observed() { return *nodes_[options_.observed]; }
  const ClusterNode& node(unsigned cluster) const { return *nodes_[cluster]; }

  /// Copies the segments to where they go, those of the scratchpad into each, and starts the cores at the
  /// entry.
  void load(const riscv::ElfFile& elf);
  /// Bytes of cube memory, or of the scratchpads: before a run write() concerns all of them, read() that of
  /// the observed cluster. Throws Error (kBadInput) for a range that is in neither.
  /// read() throws Error (kOther) if a word of cube memory in the range is beyond repair.
  void write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void read(std::uint64_t address, std::span<std::uint8_t> bytes);
  /// Throws Error (kBadInput) unless the range is in cube memory or in the scratchpad.
  void require_exists(std::uint64_t address, std::uint64_t bytes) const;

  /// Takes what the programs print, a character at a time of a single cluster, else whole lines with the
  /// cluster's number before each; without it they are dropped.
  void set_console(std::function<void(const std::string&)> console);

  /// Resets the clusters and runs them from the entry. Once per system.
  RunResult run(const RunLimits& limits = {});

 private:
  bool exists(std::uint64_t address, std::uint64_t bytes) const;
  bool in_stuck_bank(std::uint64_t address) const;
  void serve_memory(std::uint64_t core_cycle);
  void serve_barrier();
  std::uint64_t barrier_lost_from() const;
  void print_lines(bool all);
  RunResult conclude();
  std::string describe_places(unsigned but) const;

  ClusterConfig config_;
  CubeOptions options_;
  memory::FlatMemory memory_;
  std::unique_ptr<memory::ProtectedMemory> protection_;  ///< null without faults
  std::vector<std::unique_ptr<ClusterNode>> nodes_;
  std::unique_ptr<MemorySide> side_;
  std::uint64_t window_ = 1;  ///< core cycles that clusters go on by themselves
  std::unique_ptr<Program> program_;
  base::ThreadPool pool_;
  std::function<void(const std::string&)> console_;
  std::vector<std::string> lines_;  ///< of each cluster, printed and not yet shown
  std::vector<ClusterAccess> accesses_;
  bool ran_ = false;
  bool barrier_lost_ = false;  ///< the run ended because nobody is left to come to the barrier
};

}  // namespace nearcube::system
