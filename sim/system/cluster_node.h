// SPDX-License-Identifier: Apache-2.0
// One cluster of a cube: its RTL, its core, its end of the memory port, and whatever looks at it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/wrapping_counters.h"
#include "sim/debug/debugger.h"
#include "sim/debug/stuck.h"
#include "sim/memory/axi_port.h"
#include "sim/memory/flat_memory.h"
#include "sim/riscv/core.h"
#include "sim/rtl/cluster.h"
#include "sim/system/cluster_config.h"
#include "sim/system/command_table.h"
#include "sim/system/command_trace.h"
#include "sim/system/commands.h"
#include "sim/system/counters.h"
#include "sim/system/faults.h"
#include "sim/system/instruction_trace.h"
#include "sim/system/program.h"
#include "sim/system/run_result.h"
#include "sim/system/timeline.h"

namespace nearcube::system {

/// What stands for a cluster's hardware.
enum class Backend : std::uint8_t {
  kRtl,   ///< the Verilated RTL
  kFast,  ///< sim/fast: the same bits, time by formula
};

struct NodeOptions {
  unsigned id = 0, count = 1;  ///< of the cube's clusters
  std::uint64_t seed = 1;      ///< of the values that registers without reset start with
  bool traceable = false;      ///< trace() will be called
  unsigned granule_bytes = 64;
  memory::ProtectedMemory* protection = nullptr;  ///< of the memory, if it has one
  Backend backend = Backend::kRtl;
};

/// Driven from window to window by a CubeSystem, which carries the port's accesses to the memory in between.
/// Nodes share nothing that changes while they advance, so each may do so in a thread of its own.
class ClusterNode {
 public:
  /// `memory` is there to be looked at by a debugger and by reports. Throws as check_model.
  ClusterNode(const ClusterConfig& config, const NodeOptions& options, memory::FlatMemory& memory);

  unsigned id() const { return id_; }
  const ClusterParameters& parameters() const { return config_.cluster; }
  memory::AxiPort& port() { return port_; }

  /// Throws Error (kBadInput) naming the file, the key and both values if the RTL's registers tell of another
  /// machine than the configuration.
  void check_parameters();

  // Before and after the run:

  bool in_tcdm(std::uint64_t address, std::uint64_t bytes) const;
  /// The scratchpad through the core's data port; in_tcdm() holds.
  void write_tcdm(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void read_tcdm(std::uint64_t address, std::span<std::uint8_t> bytes);

  /// Records a window of the run to come.
  void trace(const rtl::TraceOptions& options) { trace_ = options; }
  /// Ends it; see rtl::Cluster::finish_trace.
  bool finish_trace() { return cluster_.finish_trace(); }
  /// Tables of the run to come, a line each instruction of the core, and each command of the NTX and the DMA,
  /// from cycle `from` to `to`. Throws Error if the file cannot be written.
  void trace_instructions(const std::string& file, std::uint64_t from, std::uint64_t to);
  void trace_commands(const std::string& file, std::uint64_t from, std::uint64_t to);
  /// The same as a timeline of all units.
  void trace_timeline(const TimelineOptions& options);
  /// Gives them their names; throws Error (kOther) and removes them if that fails. `reason`: of the run's
  /// end.
  void finish_tables(const std::string& reason);
  /// Takes the characters that the program prints; without it they are dropped.
  void set_console(std::function<void(char)> console) { console_ = std::move(console); }
  /// What is loaded, for names in reports; must outlive the node. Null: nothing.
  void set_program(const Program* program) { program_ = program; }

  // The run:

  /// Resets the cluster; the core starts at `entry`. `limits` must outlive the run; the debugger is for this
  /// node.
  void start(std::uint32_t entry, const RunLimits& limits, debug::Debugger* debugger);
  /// Goes on to the end of that core cycle since the start, or to the end of its part of the run.
  void advance(std::uint64_t core_cycle);
  /// Ends its part of the run between two windows, at the end of that core cycle.
  void stop(End end, std::uint64_t core_cycle);
  /// The first core cycle in which something can happen: it sleeps until then. 0: it does not sleep.
  std::uint64_t sleeps_until() const;

  /// The program runs.
  bool running() const { return state_ == State::kRunning; }
  /// Its part of the run has ended, and so has what its core had under way.
  bool done() const { return state_ == State::kDone; }
  /// Complete when done().
  const ClusterResult& result() const { return result_; }
  /// Time in which a debugger halted the run.
  std::chrono::steady_clock::duration halted() const { return halted_; }

  /// Waits at the cube-wide barrier; asleep or not.
  bool at_barrier() const;
  /// The core cycle at whose end the watchdog's time will have passed since its last progress, if it makes
  /// none; all ones if its timer will wake it.
  std::uint64_t stalled_from() const;
  /// Core cycle of its last arrival at the barrier that was not released, or 0.
  std::uint64_t arrived_at() const { return arrived_at_; }
  /// The barrier releases it at the end of that core cycle.
  void release(std::uint64_t core_cycle) {
    arrived_at_ = 0;
    release_at_ = core_cycle;
  }

  // In words:

  /// "asleep in nc_wait_events", "waits at the barrier, asleep in ...", "ended with exit code 0": where the
  /// program was at the end of this cluster's part of the run.
  const std::string& last_place() const { return last_place_; }
  /// The core took a trap that is an exception; describe_trap() says which, where and why.
  bool trapped() const { return core_.counters().exceptions != 0; }
  std::string describe_trap() const;
  /// The last 16 instructions as lines: until now, or those that led to the last exception, with the one that
  /// took it.
  std::string history(bool of_exception) const;

 private:
  enum class State : std::uint8_t { kReset, kRunning, kEnding, kDone };
  /// Who uses the core's data port.
  enum class DataPort : std::uint8_t {
    kCore,
    kHarness,      ///< the core is in reset or its run is over
    kHarnessHeld,  ///< the core is held and goes on later: its instruction port stays its own
  };
  class DebugTarget;

  // cluster_node.cpp
  void run(std::uint64_t until);
  std::optional<End> end_of_cycle(std::uint64_t now);
  bool falls_asleep(const rtl::ClusterOutputs& out);
  void wake(std::uint64_t core_cycle);
  void tick(const rtl::ClusterOutputs& out);
  void drive_core_data();
  void drive_core_instructions();
  void watch_port(const rtl::ClusterOutputs& out);
  bool timer_will_wake() const;
  void enter_phase(std::uint8_t phase, std::uint64_t cycle);
  void begin_end(End end);
  void quiesce(std::uint64_t until);
  void finish(bool quiet);
  void sample_counters();

  // cluster_access.cpp
  void step();
  std::optional<std::uint32_t> try_port(std::uint32_t address, bool write, std::uint8_t enables,
                                        std::uint32_t data);
  std::uint32_t port_read(std::uint32_t address);
  void port_write(std::uint32_t address, std::uint8_t enables, std::uint32_t data);
  std::optional<ClusterCounters> read_counters();
  std::vector<std::string> read_faults();
  enum class Served : std::uint8_t { kNot, kRun, kKill };
  Served serve_debugger();

  // cluster_report.cpp
  CommandTrace& follow_commands();
  std::string place(std::uint32_t pc) const;
  std::string function(std::uint32_t pc) const { return program_ ? program_->function(pc) : ""; }
  std::string source_line(std::uint32_t pc) const { return program_ ? program_->line(pc) : ""; }
  std::string describe_commands(unsigned unit, const rtl::ClusterDebug& words) const;
  std::string describe_place() const;
  std::string end_message() const;
  AddressMap address_map() const;
  debug::ClusterView view() const;

  ClusterConfig config_;
  unsigned id_, granule_bytes_;
  memory::FlatMemory& memory_;
  memory::ProtectedMemory* protection_;
  memory::AxiPort port_;
  rtl::Cluster cluster_;
  riscv::Core core_;
  rtl::ClusterInputs inputs_;
  DataPort data_port_ = DataPort::kHarness;
  const Program* program_ = nullptr;
  std::function<void(char)> console_;

  CommandLog commands_;
  std::unique_ptr<CommandTrace> command_trace_;
  std::unique_ptr<CommandTable> command_table_;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<InstructionTrace> instruction_trace_;
  std::optional<rtl::TraceOptions> trace_;
  riscv::Observers observers_;
  debug::Debugger* debugger_ = nullptr;

  State state_ = State::kReset;
  const RunLimits* limits_ = nullptr;
  std::uint64_t max_cycles_ = 0;
  ClusterResult result_;
  std::array<std::uint64_t, 256> phase_cycles_{};
  std::vector<std::uint8_t> phase_order_;
  std::uint8_t phase_ = 0;
  std::uint64_t phase_start_ = 0;
  base::WrappingCounters counters_;
  std::uint64_t last_sample_ = 0;
  std::uint64_t last_progress_ = 0;  ///< NTX clock cycle
  std::uint64_t last_active_ = 0;
  bool axi_moved_ = false;
  unsigned quiet_cycles_ = 0;                      ///< core cycles in which nothing happened
  bool asleep_ = false;                            ///< left out until sleeps_until()
  std::uint64_t arrived_at_ = 0, release_at_ = 0;  ///< core cycles; 0: none
  std::uint64_t held_since_ = 0;  ///< cycle in which a debugger's stop was first asked for; 0: none was
  std::chrono::steady_clock::duration halted_{};
  // Of the end:
  std::string last_place_;
  debug::ClusterView last_view_;
  rtl::ClusterDebug last_words_;
  std::uint64_t patience_ = 0;  ///< core cycles that the core has left to come to rest
};

}  // namespace nearcube::system
