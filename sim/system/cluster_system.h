// SPDX-License-Identifier: Apache-2.0
// One cluster with its core and memory, from a loaded image to a finished run.
#pragma once

#include <array>
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
#include "sim/memory/axi_memory.h"
#include "sim/memory/flat_memory.h"
#include "sim/riscv/core.h"
#include "sim/riscv/elf.h"
#include "sim/riscv/source_lines.h"
#include "sim/rtl/cluster.h"
#include "sim/system/cluster_config.h"
#include "sim/system/command_table.h"
#include "sim/system/command_trace.h"
#include "sim/system/commands.h"
#include "sim/system/counters.h"
#include "sim/system/faults.h"
#include "sim/system/instruction_trace.h"
#include "sim/system/timeline.h"

namespace nearcube::system {

/// Why a run ended.
enum class End : std::uint8_t {
  kExit,         ///< the program wrote an exit code
  kUncaught,     ///< an exception had no handler
  kMaxCycles,    ///< the cycle limit
  kStuck,        ///< no progress
  kInterrupted,  ///< Ctrl-C
  kKilled,       ///< by the debugger
};

struct PhaseCycles {
  std::uint8_t phase = 0;
  std::uint64_t cycles = 0;  ///< NTX clock cycles spent in it, all visits together
};

struct RunResult {
  End end = End::kExit;
  std::uint32_t exit_code = 0;
  std::uint64_t cycles = 0;                 ///< NTX clock cycles from reset to the end
  std::vector<PhaseCycles> phases;          ///< in the order of their first visit; they add up to `cycles`
  std::optional<ClusterCounters> counters;  ///< none if the cluster no longer answered
  bool counters_exact = true;               ///< else they were read while they went on: up to 200 are missing
  riscv::CoreCounters core;                 ///< in core clock cycles
  std::vector<std::string> faults;  ///< what the NTX and the DMA hold as their errors: "NTX 2 refused ..."
  std::string message;              ///< kUncaught, kMaxCycles, kStuck, kInterrupted: what a user should know
  /// Wall clock of the run, without the time in which a debugger halted it.
  double host_seconds = 0;

  double simulated_khz() const {
    return host_seconds > 0 ? static_cast<double>(cycles) / host_seconds / 1e3 : 0;
  }
};

struct RunLimits {
  std::uint64_t max_cycles = 0;  ///< NTX clock cycles; 0: the configuration's
  /// NTX clock cycles between two looks at the 32-bit counters. Below 2^30: the DMA's move by 4 a cycle.
  std::uint64_t counter_interval = std::uint64_t{1} << 28;
  /// Called about ten times a second with the cycles so far.
  std::function<void(std::uint64_t)> progress = {};
  debug::Debugger* debugger = nullptr;  ///< holds the core and looks at the machine; null for none
};

/// Throws Error (kBadInput) that names the file, each key and both values if no RTL model was built for
/// `config`.
void check_model(const ClusterConfig& config, bool traceable = false);

class ClusterSystem {
 public:
  /// Takes the model with the parameters of `config` and checks them against its registers; throws Error
  /// (kBadInput) that names the file, each key and both values if there is none, or if they differ. `seed`:
  /// of the values that registers without reset start with. `traceable`: trace() will be called.
  explicit ClusterSystem(const ClusterConfig& config, std::uint64_t seed = 1, bool traceable = false);

  /// What the RTL was built with; all but multicast and FIFO depth as its registers say.
  const ClusterParameters& parameters() const { return parameters_; }
  const ClusterConfig& config() const { return config_; }

  /// Copies the segments to where they go and starts the core at the entry.
  void load(const riscv::ElfFile& elf);
  /// Bytes of cube memory or of the scratchpad (through the core's data port, before or after a run). Throws
  /// Error (kBadInput) for a range that is in neither.
  void write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void read(std::uint64_t address, std::span<std::uint8_t> bytes);

  /// Throws Error (kBadInput) unless the range is in cube memory or in the scratchpad.
  void require_exists(std::uint64_t address, std::uint64_t bytes) const;

  /// Records a window of the run to come.
  void trace(const rtl::TraceOptions& options);
  /// Ends it; see rtl::Cluster::finish_trace.
  bool finish_trace();
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

  /// Resets the cluster and runs it from the entry. Once per system.
  RunResult run(const RunLimits& limits = {});

  /// "0x80000120 (main+0x10, main.c:31)" with the loaded ELF's symbols and line tables.
  std::string place(std::uint32_t pc) const;

  /// The core took a trap that is an exception; describe_trap() says which, where and why.
  bool trapped() const { return core_.counters().exceptions != 0; }
  std::string describe_trap() const;
  /// The last 16 instructions as lines: until now, or those that led to the last exception, with the one that
  /// took it.
  std::string history(bool of_exception) const;

 private:
  /// Who uses the core's data port.
  enum class DataPort : std::uint8_t {
    kCore,
    kHarness,      ///< the core is in reset or its run is over
    kHarnessHeld,  ///< the core is held and goes on later: its instruction port stays its own
  };
  class DebugTarget;

  void tick(const rtl::ClusterOutputs& out);
  void drive_core_data();
  void drive_core_instructions();
  void step();
  void watch_port(const rtl::ClusterOutputs& out);
  bool timer_will_wake(std::uint64_t max_cycles) const;
  CommandTrace& follow_commands();
  std::string describe_commands(unsigned unit, const rtl::ClusterDebug& words) const;
  std::string function(std::uint32_t pc) const;
  std::optional<std::uint32_t> try_port(std::uint32_t address, bool write, std::uint8_t enables,
                                        std::uint32_t data);
  std::uint32_t port_read(std::uint32_t address);
  void port_write(std::uint32_t address, std::uint8_t enables, std::uint32_t data);
  bool quiesce();
  void sample_counters();
  enum class Served : std::uint8_t { kNot, kRun, kKill };
  Served serve_debugger(debug::Debugger& debugger);
  std::optional<ClusterCounters> read_counters();
  std::vector<std::string> read_faults();
  AddressMap address_map() const;
  debug::ClusterView view() const;
  void check_parameters();
  bool exists(std::uint64_t address, std::uint64_t bytes) const;
  bool in_tcdm(std::uint64_t address, std::uint64_t bytes) const;

  ClusterConfig config_;
  ClusterParameters parameters_;
  memory::FlatMemory memory_;
  std::unique_ptr<memory::AxiMemory> axi_;
  rtl::Cluster cluster_;
  riscv::Core core_;
  rtl::ClusterInputs inputs_;
  std::function<void(char)> console_;
  std::optional<riscv::ElfFile> elf_;
  riscv::SourceLines lines_;
  CommandLog commands_;
  std::unique_ptr<CommandTrace> command_trace_;
  std::unique_ptr<CommandTable> command_table_;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<InstructionTrace> instruction_trace_;
  std::optional<rtl::TraceOptions> trace_;
  std::uint32_t entry_ = 0;
  base::WrappingCounters counters_;
  DataPort data_port_ = DataPort::kHarness;
  std::uint64_t held_since_ = 0;  ///< cycle in which a debugger's stop was first asked for; 0: none was
  bool axi_moved_ = false;
  bool ran_ = false;
};

}  // namespace nearcube::system
