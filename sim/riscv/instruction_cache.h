// SPDX-License-Identifier: Apache-2.0
// The core's instruction cache: 2 KiB, 32-byte lines, 4 ways of 16 sets, round-robin replacement a set (empty
// ways first), physical addresses. One refill at a time, a demanded line before a prefetched one; the line
// after the one being executed is prefetched whenever the refill port is free. A line is usable once it is
// whole.
#pragma once

#include <array>
#include <cstdint>

#include "sim/riscv/instruction.h"

namespace nearcube::riscv {

class InstructionCache {
 public:
  static constexpr std::uint32_t kLineBytes = 32;
  static constexpr unsigned kWays = 4;
  static constexpr unsigned kSets = 16;
  static constexpr unsigned kBeats = kLineBytes / 8;

  enum class Result : std::uint8_t {
    kHit,
    kMiss,
    kFault,  ///< the line's refill ended in a bus error
  };

  /// The instruction at `pc`. On kFault, `fault_address` is where it (or its second half) starts.
  Result fetch(std::uint32_t pc, Instruction& instruction, std::uint32_t& fault_address);

  /// Forgets all lines, and one under way.
  void flush();

  /// The refill port at the end of a cycle.
  void grant();
  void beat(std::uint64_t data, bool last, bool error);

  /// Chooses the request of the next cycle, for a core that wants the instruction at `pc`.
  void want(std::uint32_t pc);

  bool requests() const { return requests_; }
  /// A line was granted and is not whole yet.
  bool refilling() const { return refilling_; }
  /// Line address of the request or refill.
  std::uint32_t refill_address() const { return refill_address_; }
  std::uint64_t refills() const { return refills_; }

 private:
  struct Line {
    bool valid = false;
    std::uint32_t address = 0;
    std::uint32_t decoded = 0;  ///< bit i: instructions[i], which starts at halfword i, is decoded
    std::array<std::uint16_t, kLineBytes / 2> halves{};
    std::array<Instruction, kLineBytes / 2> instructions{};
  };

  Line* find(std::uint32_t line_address);
  bool failed(std::uint32_t line_address) const { return has_failed_ && failed_address_ == line_address; }
  Line& victim(std::uint32_t line_address);

  std::array<std::array<Line, kWays>, kSets> sets_{};
  std::array<std::uint8_t, kSets> next_victim_{};
  bool requests_ = false;
  bool refilling_ = false;
  bool discard_ = false;  ///< flushed since the request
  bool error_ = false;
  unsigned beats_ = 0;
  std::uint32_t refill_address_ = 0;
  std::array<std::uint16_t, kLineBytes / 2> buffer_{};
  bool has_failed_ = false;
  std::uint32_t failed_address_ = 0;  ///< the last line whose refill failed
  std::uint64_t refills_ = 0;
};

}  // namespace nearcube::riscv
