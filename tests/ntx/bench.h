// SPDX-License-Identifier: Apache-2.0
// One NTX in RTL with a two-port scratchpad that answers as the specification's ideal memory does, or
// withholds grants at random; and the bus master that configures it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/rtl/simulation.h"
#include "tests/golden/ntx_golden.h"
#include "tests/support/random.h"

class Vntx_bench;

namespace nearcube::ntx_test {

/// Word offsets of the registers.
enum Register : unsigned {
  kStatus = 0x00,
  kCtrl = 0x01,
  kCmd = 0x02,
  kIrq = 0x03,
  kLoop0 = 0x04,
  kAgu0 = 0x09,
  kIdent = 0x1B,
  kErrorCause = 0x1C,
  kErrorAddr = 0x1D,
  kDropped = 0x1E,
  kDebug = 0x1F,
};
inline constexpr std::uint32_t kIdle = 0x07;
inline constexpr std::uint32_t kInvalidBit = 0x08;

/// What the unit's counters said, and what its ports did, since the last clear_counts().
struct Counts {
  std::uint64_t cycles = 0;
  std::uint64_t busy = 0;
  std::array<std::uint64_t, 5> stalls{};  ///< A, B, init, result, hazard
  std::uint64_t idle = 0;
  std::uint64_t macs = 0;
  std::uint64_t results = 0;
  std::uint64_t commands = 0;
  std::uint64_t reads = 0;   ///< words read, seen at the ports
  std::uint64_t stores = 0;  ///< words stored, seen at the ports
};

/// A protocol rule was broken, or the unit is stuck.
class BenchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class NtxBench {
 public:
  /// Registers start with random values drawn from `seed`; the unit is reset.
  explicit NtxBench(std::uint64_t seed = 1);
  ~NtxBench();
  NtxBench(const NtxBench&) = delete;
  NtxBench& operator=(const NtxBench&) = delete;

  static constexpr std::uint32_t kTcdmWords = 16384;

  /// The scratchpad, in words.
  std::vector<std::uint32_t>& memory() { return memory_; }

  /// NTX cycles in one core cycle: configuration accesses happen in every ratio-th.
  void set_clock_ratio(unsigned ratio) { ratio_ = ratio; }
  /// A request is refused in `refuse_of_256` of 256 cycles, for each port on its own.
  void withhold_grants(unsigned refuse_of_256, std::uint64_t seed);

  void reset();
  /// One clock cycle without a configuration access.
  void cycle() { clock(); }
  std::uint64_t now() const { return now_; }

  /// Writes a register; returns the cycles in which the write waited for its grant. Throws BenchError after
  /// `limit` cycles.
  std::uint64_t write(unsigned reg, std::uint32_t value, std::uint64_t limit = 2'000'000);
  /// Reads a register; must be granted at once.
  std::uint32_t read(unsigned reg);
  /// Offers a write in the next tick only; true if it was granted.
  bool try_write(unsigned reg, std::uint32_t value);
  /// What grants the registers would get now, for a write, by register: broadcast depends on it.
  bool write_grant(unsigned reg);

  /// Writes all registers of a command but CMD.
  void stage(const golden::Command& command);
  void commit(std::uint32_t cmd) { write(kCmd, cmd); }
  /// Waits until active_o falls, which is when STATUS reads idle (error bit aside; a test checks that);
  /// returns the first such cycle.
  std::uint64_t wait_idle(std::uint64_t limit = 2'000'000);
  bool irq() const;
  bool active() const;
  std::uint32_t debug() const;
  void soft_clear() { write(kCtrl, 1 | 1 << 1); }

  const Counts& counts() const { return counts_; }
  void clear_counts() { counts_ = {}; }
  /// Cycle of the last grant of a configuration write.
  std::uint64_t last_grant() const { return last_grant_; }

 private:
  struct Port {
    bool waiting = false;  ///< requested and not granted in the cycle before
    bool we = false;
    std::uint32_t addr = 0;
    std::uint32_t wdata = 0;
    bool answers = false;
    std::uint32_t rdata = 0;
  };

  /// A clock cycle; true if a configuration access was offered and granted.
  bool clock();
  void memory_port(unsigned index, bool req, bool we, std::uint32_t be, std::uint32_t addr,
                   std::uint32_t wdata, bool granted);
  void idle_bus();

  std::unique_ptr<rtl::Simulation<Vntx_bench>> simulation_;
  Vntx_bench* top_;
  std::vector<std::uint32_t> memory_;
  std::array<Port, 2> ports_;
  Counts counts_;
  test::Random random_{1};
  unsigned refuse_ = 0;
  unsigned ratio_ = 1;
  std::uint64_t now_ = 0;
  std::uint64_t last_grant_ = 0;
};

}  // namespace nearcube::ntx_test
