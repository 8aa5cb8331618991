// SPDX-License-Identifier: Apache-2.0
// What every unit did when, for --timeline: a file in the Trace Event Format (JSON) that ui.perfetto.dev and
// chrome://tracing open. A track each unit; spans for phases, commands, transfers and long stalls by cause.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/riscv/core.h"
#include "sim/system/command_trace.h"

namespace nearcube::system {

struct TimelineOptions {
  std::string file;
  /// NTX clock cycles; of commands, those that are written in them.
  std::uint64_t from = 0, to = ~std::uint64_t{0};
  double ntx_hz = 1.25e9;
  std::vector<std::string> phase_names;  ///< by value of the control register phase
  /// Shorter stalls of an NTX or the core, in NTX clock cycles, get no span of their own.
  std::uint64_t stall_cycles = 32;
};

class Timeline {
 public:
  /// Opens the file; throws Error as base::AtomicFile. `place` names a pc.
  Timeline(const TimelineOptions& options, unsigned ntx, std::function<std::string(std::uint32_t)> place);

  const TimelineOptions& options() const { return options_; }

  /// A phase of the program, from its first cycle to that of the next.
  void phase(std::uint8_t phase, std::uint64_t from, std::uint64_t to);
  /// The core's counters after the core cycle that ended with NTX cycle `now`.
  void core(const riscv::CoreCounters& counters, std::uint64_t now);
  void command(const CommandRow& row);
  /// The run ended: what is under way lasted until here. Before the last commands are handed over.
  void end(std::uint64_t cycles);
  /// Gives the file its name.
  void commit();

 private:
  using Arguments = std::vector<std::pair<const char*, std::string>>;
  void name_track(unsigned track, const std::string& name);
  void span(unsigned track, const std::string& name, std::uint64_t from, std::uint64_t to,
            const Arguments& arguments = {});
  void event(const std::string& json);
  void ntx_command(const CommandRow& row);
  void transfer(const CommandRow& row);

  TimelineOptions options_;
  std::function<std::string(std::uint32_t)> place_;
  base::AtomicFile file_;
  bool first_ = true;
  std::uint64_t end_ = 0;
  // The core's present state: which counter moves, and since when.
  riscv::CoreCounters last_;
  const char* state_ = nullptr;
  std::uint64_t state_since_ = 0, state_until_ = 0;
  std::vector<std::uint64_t> lanes_;  ///< of the DMA: the cycle from which each is free
};

}  // namespace nearcube::system
