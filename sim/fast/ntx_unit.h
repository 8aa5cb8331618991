// SPDX-License-Identifier: Apache-2.0
// One NTX as the core sees it: staged registers, status, interrupts, and commands that take their time.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "sim/fast/ntx.h"

namespace nearcube::fast {

/// Performance counters of an NTX, in the order of their registers; 32 bits, wrapping.
struct NtxCounters {
  std::uint32_t busy = 0, stall_a = 0, stall_b = 0, stall_init = 0, stall_result = 0, stall_hazard = 0,
                idle = 0, macs = 0, results = 0, commands = 0;
};

/// A command's stores are done as soon as it begins; when it seems to end is by formula: as many cycles as it
/// has steps and moves images, or as the two ports need for its accesses, whichever is more, and what filling
/// and draining the pipeline take. Conflicts of banks are not in it. A soft clear ends a command, but what it
/// would have stored later is stored.
class NtxUnit {
 public:
  /// All units may share `ntx`, as commands run one at a time.
  NtxUnit(Ntx& ntx, std::span<std::uint32_t> tcdm) : ntx_(ntx), tcdm_(tcdm) {}

  /// Register accesses by byte offset, in core cycles.
  bool grants(std::uint32_t offset, bool write) const;
  std::uint32_t read(std::uint32_t offset, std::uint32_t priority) const;
  void write(std::uint32_t offset, std::uint32_t value);

  /// What the present NTX clock cycle adds to the counters.
  void count();
  /// The next NTX clock cycle, of number `now`, begins; `counts`: counters move.
  void advance(std::uint64_t now, bool counts);

  bool irq() const { return irq_ != 0; }
  /// A command is staged or has steps left.
  bool holds_command() const { return pending_ || active_; }
  /// The register `debug`.
  std::uint32_t debug() const;
  NtxCounters& counters() { return counters_; }
  const NtxCounters& counters() const { return counters_; }

 private:
  /// A command that has issued its last step, and stores.
  struct Draining {
    std::uint64_t until;
    std::uint32_t stores;
    bool notifies;
  };

  void begin(std::uint64_t now);
  void end(std::uint64_t now, bool counts);
  void fail(const NtxError& error);
  std::uint32_t status() const;

  Ntx& ntx_;
  std::span<std::uint32_t> tcdm_;
  NtxRegisters staged_;
  bool pending_ = false;
  bool failed_ = false;
  NtxError error_;
  std::uint32_t dropped_ = 0;
  std::uint32_t irq_ = 0;

  // The active command:
  bool active_ = false;
  std::uint32_t cmd_ = 0;
  NtxOutcome outcome_;
  std::uint64_t first_step_ = 0;  ///< cycles
  std::uint64_t last_step_ = 0;
  std::uint64_t stored_ = 0;
  /// In this cycle: steps are spread evenly over the command's cycles, the last in the last.
  enum class Doing : std::uint8_t { kNothing, kWaiting, kStalled, kStep, kLastStep } doing_ = Doing::kNothing;
  std::uint64_t credit_ = 0;  ///< steps times cycles that have passed, modulo cycles

  std::deque<Draining> draining_;
  NtxCounters counters_;
};

}  // namespace nearcube::fast
