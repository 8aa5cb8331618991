// SPDX-License-Identifier: Apache-2.0
// Follows every command of the NTX and every transfer of the DMA from its start to its end, for whoever
// writes them down.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "sim/rtl/cluster.h"
#include "sim/system/commands.h"

namespace nearcube::system {

/// Cycles in a row in which an NTX waited for one thing.
struct CommandStall {
  unsigned cause = 0;  ///< index into CommandRow::waits
  std::uint64_t first = 0, last = 0;
};

/// A command of an NTX or a transfer of the DMA. Times are NTX clock cycles, 0 for one that has not come.
struct CommandRow {
  int unit = 0;  ///< -1: the DMA
  NtxCommand command;
  DmaTransfer transfer;
  std::uint64_t first_step = 0, last_step = 0;
  std::uint64_t end = 0;  ///< its results are stored; the transfer is complete
  std::uint64_t steps = 0;
  std::array<std::uint64_t, 5> waits{};  ///< cycles: kWaitNames
  std::vector<CommandStall> stalls;      ///< of at least the cycles asked for
  std::uint64_t busy = 0, wait_bus = 0, wait_tcdm = 0;
  const char* status = "unfinished";

  bool of_dma() const { return unit < 0; }
  std::uint64_t written() const { return of_dma() ? transfer.written : command.written; }
  std::uint32_t pc() const { return of_dma() ? transfer.pc : command.pc; }
};

/// What an NTX waits for, in the order of CommandRow::waits.
inline constexpr std::array<const char*, 5> kWaitNames = {"operand A", "operand B", "init operand",
                                                          "result queue", "hazard"};

/// Follows the units cycle by cycle. The cycles of a unit go to its oldest command with steps left (NTX), or
/// to its oldest transfer (DMA), so that their sums are the performance counters.
class CommandTrace {
 public:
  /// Takes a command that is over, in the order of their starts.
  using Sink = std::function<void(const CommandRow&)>;

  explicit CommandTrace(unsigned ntx) : units_(ntx) {}

  /// Commands written in cycles `from` to `to` go to `sink`. `stall_cycles`: the shortest stall to list in
  /// CommandRow::stalls; 0 for none.
  void add(Sink sink, std::uint64_t from, std::uint64_t to, std::uint64_t stall_cycles = 0);

  /// What units do in a cycle, before its clock edge.
  void observe(std::uint64_t cycle, const rtl::ClusterDebug& words);
  /// The cycles observed so far count.
  void settle();
  /// The run ended with this many cycles: those observed after them do not count.
  void end(std::uint64_t cycles);
  /// After settle(): the core wrote a command, or cleared a unit, in the cycle observed last.
  void start(const NtxCommand& command, bool dropped);
  void start(const DmaTransfer& transfer);
  void clear(unsigned unit);

  /// Hands over what has not ended, as such.
  void flush();

 private:
  struct Row : CommandRow {
    bool closed = false;
  };
  struct Listener {
    Sink sink;
    std::uint64_t from = 0, to = 0;
  };
  using Rows = std::deque<Row*>;
  struct Unit {
    Rows issuing;   ///< in order; the first has the unit's cycles
    Rows draining;  ///< last step issued, results not stored
    bool invalid = false;
    CommandStall stall;  ///< the cycles in a row until now; last 0 for none
  };

  void count(std::uint64_t cycle, const rtl::ClusterDebug& words);
  void count_ntx(std::uint64_t cycle, unsigned unit, std::uint32_t word);
  void count_dma(std::uint64_t cycle, std::uint32_t word);
  void close(Row& row, std::uint64_t cycle, const char* status);
  void close_all(Rows& rows, std::uint64_t cycle, const char* status);
  void end_stall(Unit& unit);
  void hand_over(const Row& row) const;

  std::vector<Listener> listeners_;
  std::uint64_t stall_cycles_ = 0;
  std::vector<std::pair<std::uint64_t, rtl::ClusterDebug>> pending_;
  std::uint64_t now_ = 0;
  std::deque<Row> rows_;  ///< in the order of their starts, from the first that is not handed over
  std::vector<Unit> units_;
  Rows to_axi_, to_tcdm_;
};

}  // namespace nearcube::system
