// SPDX-License-Identifier: Apache-2.0
// The core's instruction cache: 2 KiB, 32-byte lines, 4 ways of 16 sets, round-robin replacement a set (empty
// ways first), physical addresses; and four refill buffers, one a line on its way. An instruction is usable
// in the cycle after its last beat. A miss starts a stream: the next lines are prefetched, kAhead of them,
// and one more for each that is used. A prefetched line stays in its buffer until it is used or another needs
// the buffer; then it goes to an empty way, if there is one. So prefetching too far replaces nothing in the
// cache; and hits prefetch nothing, so a loop in the cache leaves the bus alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/riscv/instruction.h"

namespace nearcube::riscv {

class InstructionCache {
 public:
  static constexpr std::uint32_t kLineBytes = 32;
  static constexpr unsigned kWays = 4;
  static constexpr unsigned kSets = 16;
  static constexpr unsigned kBeats = kLineBytes / 8;
  static constexpr unsigned kBuffers = 4;  ///< lines on their way that the refill port takes
  static constexpr unsigned kAhead = 3;    ///< lines that a stream is ahead

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
  /// Line address of the request; without one, of the line that comes next.
  std::uint32_t refill_address() const { return buffers_[requests_ ? newest_ : oldest_].address; }
  std::uint64_t refills() const { return refills_; }

 private:
  struct Line {
    bool valid = false;
    std::uint32_t address = 0;
    std::uint32_t decoded = 0;  ///< bit i: instructions[i], which starts at halfword i, is decoded
    std::array<std::uint16_t, kLineBytes / 2> halves{};
    std::array<Instruction, kLineBytes / 2> instructions{};
  };

  /// A line requested, on its way, or here and not yet used. Buffers are filled in the order of their
  /// requests.
  struct Buffer {
    bool valid = false;
    bool error = false;
    bool used = false;  ///< goes into the cache when it is whole
    std::uint32_t address = 0;
    unsigned beats = 0;  ///< that came
    std::array<std::uint16_t, kLineBytes / 2> halves{};
  };

  Line* find(std::uint32_t line_address);
  Buffer* find_buffer(std::uint32_t line_address);
  bool missing(std::uint32_t line_address) {
    return find(line_address) == nullptr && find_buffer(line_address) == nullptr;
  }
  std::optional<std::uint32_t> line_needed(std::uint32_t pc);
  Line& victim(std::uint32_t line_address);
  Result halfword(std::uint32_t address, std::uint16_t& half);
  void use(Buffer& buffer);
  void install(const Buffer& buffer);
  void keep(const Buffer& buffer);
  void request(std::uint32_t line_address);

  std::array<std::array<Line, kWays>, kSets> sets_{};
  std::array<std::uint8_t, kSets> next_victim_{};
  std::array<Buffer, kBuffers> buffers_{};
  unsigned oldest_ = 0;             ///< buffer that the next beat goes to
  unsigned newest_ = kBuffers - 1;  ///< buffer of the latest request
  unsigned on_the_way_ = 0;         ///< granted and not whole
  bool requests_ = false;
  std::uint32_t stream_next_ = 0;  ///< line to prefetch next, unless it is stream_end_
  std::uint32_t stream_end_ = 0;
  std::uint64_t refills_ = 0;
};

}  // namespace nearcube::riscv
