// SPDX-License-Identifier: Apache-2.0
// A table of every command of the NTX and the DMA, for --trace-commands: one line of CSV each.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/rtl/cluster.h"
#include "sim/system/commands.h"

namespace nearcube::system {

/// Follows the units cycle by cycle. The cycles of a unit go to its oldest command with steps left (NTX), or
/// to its oldest transfer (DMA), so that their sums are the performance counters.
class CommandTrace {
 public:
  /// Names of a pc for the table.
  struct Place {
    std::string function, line;
  };

  /// Opens the file; throws Error as base::AtomicFile. Commands written in cycles `from` to `to` are in the
  /// table.
  CommandTrace(const std::string& path, unsigned ntx, std::uint64_t from, std::uint64_t to,
               std::function<Place(std::uint32_t)> place);

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

  /// Writes what has not ended as such, and gives the file its name.
  void commit();

 private:
  struct Row {
    bool in_window = false;
    bool closed = false;
    int unit = 0;  ///< -1: the DMA
    NtxCommand command;
    DmaTransfer transfer;
    std::uint64_t first_step = 0, last_step = 0, end = 0;  ///< 0: not yet
    std::uint64_t steps = 0;
    std::array<std::uint64_t, 5> waits{};  ///< NTX: A, B, init, result, hazard
    std::uint64_t busy = 0, wait_bus = 0, wait_tcdm = 0;
    const char* status = "unfinished";
  };
  using Rows = std::deque<Row*>;
  struct Unit {
    Rows issuing;   ///< in order; the first has the unit's cycles
    Rows draining;  ///< last step issued, results not stored
    bool invalid = false;
  };

  void count(std::uint64_t cycle, const rtl::ClusterDebug& words);
  void count_ntx(std::uint64_t cycle, unsigned unit, std::uint32_t word);
  void count_dma(std::uint64_t cycle, std::uint32_t word);
  void close(Row& row, std::uint64_t cycle, const char* status);
  void close_all(Rows& rows, std::uint64_t cycle, const char* status);
  void write_closed();
  void write(const Row& row);

  base::AtomicFile file_;
  std::uint64_t from_, to_;
  std::function<Place(std::uint32_t)> place_;
  std::vector<std::pair<std::uint64_t, rtl::ClusterDebug>> pending_;
  std::uint64_t now_ = 0;
  std::deque<Row> rows_;  ///< in the order of their starts, from the first that is not written
  std::vector<Unit> units_;
  Rows to_axi_, to_tcdm_;
};

}  // namespace nearcube::system
