// SPDX-License-Identifier: Apache-2.0
#include "sim/system/command_trace.h"

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::system {
namespace {

namespace ntx = interfaces::ntx;

constexpr bool bit(std::uint32_t word, unsigned at) { return (word >> at & 1) != 0; }

// Bits of dma_debug_o (rtl/cluster/cluster.sv).
constexpr std::uint32_t kDmaOutstanding = 0xF;
constexpr std::uint32_t kDmaWaitBus = 0xF << 8;   // AR, R, AW, W
constexpr std::uint32_t kDmaWaitTcdm = 3u << 13;  // read, write
constexpr unsigned kDmaAxiDone = 16, kDmaTcdmDone = 17;

constexpr std::array<unsigned, 5> kWaits = {ntx::kDebugWaitALsb, ntx::kDebugWaitBLsb, ntx::kDebugWaitInitLsb,
                                            ntx::kDebugWaitResultLsb, ntx::kDebugWaitHazardLsb};

}  // namespace

void CommandTrace::add(Sink sink, std::uint64_t from, std::uint64_t to, std::uint64_t stall_cycles) {
  listeners_.push_back({std::move(sink), from, to});
  if (stall_cycles != 0) stall_cycles_ = stall_cycles;
}

void CommandTrace::observe(std::uint64_t cycle, const rtl::ClusterDebug& words) {
  pending_.emplace_back(cycle, words);
}

void CommandTrace::settle() {
  for (const auto& [cycle, words] : pending_) count(cycle, words);
  pending_.clear();
}

void CommandTrace::end(std::uint64_t cycles) {
  while (!pending_.empty() && pending_.back().first >= cycles) pending_.pop_back();
  settle();
}

void CommandTrace::start(const NtxCommand& command, bool dropped) {
  Row& row = rows_.emplace_back();
  row.unit = static_cast<int>(command.unit);
  row.command = command;
  if (dropped) {
    close(row, now_, "dropped");
  } else {
    units_[command.unit].issuing.push_back(&row);
  }
}

void CommandTrace::start(const DmaTransfer& transfer) {
  Row& row = rows_.emplace_back();
  row.unit = -1;
  row.transfer = transfer;
  if (transfer.total_bytes() == 0) {
    close(row, now_, "done");
  } else {
    (transfer.to_tcdm ? to_tcdm_ : to_axi_).push_back(&row);
  }
}

void CommandTrace::clear(unsigned unit) {
  close_all(units_[unit].issuing, now_, "cleared");
  close_all(units_[unit].draining, now_, "cleared");
  units_[unit].invalid = false;
  units_[unit].stall.last = 0;
}

void CommandTrace::count(std::uint64_t cycle, const rtl::ClusterDebug& words) {
  now_ = cycle;
  for (unsigned n = 0; n < units_.size(); ++n) count_ntx(cycle, n, words.ntx[n]);
  count_dma(cycle, words.dma);
  while (!rows_.empty() && rows_.front().closed) {
    hand_over(rows_.front());
    rows_.pop_front();
  }
}

void CommandTrace::count_ntx(std::uint64_t cycle, unsigned number, std::uint32_t word) {
  Unit& unit = units_[number];
  if (unit.issuing.empty() && unit.draining.empty()) return;
  // Everything before it is stored when the data path is empty, and when a command that may not overlap
  // begins.
  const bool stored = !bit(word, ntx::kDebugDatapathBusyLsb);
  if (!unit.draining.empty() && stored) close_all(unit.draining, cycle, "done");
  if (unit.issuing.empty()) return;
  Row& row = *unit.issuing.front();
  const bool invalid = bit(word, ntx::kDebugInvalidLsb);
  if (invalid && !unit.invalid) {
    end_stall(unit);
    // The first is at fault, the others go with it.
    close(row, cycle, row.first_step != 0 || bit(word, ntx::kDebugActiveLsb) ? "stopped" : "refused");
    unit.issuing.pop_front();
    close_all(unit.issuing, cycle, "dropped");
    unit.invalid = true;
    return;
  }
  unit.invalid = invalid;
  if (!bit(word, ntx::kDebugActiveLsb) && !bit(word, ntx::kDebugStagedLsb)) return;
  for (unsigned cause = 0; cause < kWaits.size(); ++cause) {
    if (!bit(word, kWaits[cause])) continue;
    ++row.waits[cause];
    if (unit.stall.last == 0 || unit.stall.cause != cause) {
      end_stall(unit);
      unit.stall = {cause, cycle, cycle};
    }
    unit.stall.last = cycle;
    return;
  }
  end_stall(unit);
  if (row.first_step == 0) {
    row.first_step = cycle;
    if (!bit(row.command.cmd, ntx::kCmdOverlapLsb)) close_all(unit.draining, cycle, "done");
  }
  ++row.steps;
  if (bit(word, ntx::kDebugLastStepLsb)) {
    row.last_step = cycle;
    unit.draining.push_back(&row);
    unit.issuing.pop_front();
  }
}

void CommandTrace::count_dma(std::uint64_t cycle, std::uint32_t word) {
  Row* oldest = to_axi_.empty() ? nullptr : to_axi_.front();
  if (!to_tcdm_.empty()) {
    Row* other = to_tcdm_.front();
    // Ids wrap.
    if (oldest == nullptr || static_cast<std::int32_t>(other->transfer.id - oldest->transfer.id) < 0)
      oldest = other;
  }
  if (oldest == nullptr) return;
  if ((word & kDmaOutstanding) != 0) ++oldest->busy;
  if ((word & kDmaWaitBus) != 0) ++oldest->wait_bus;
  if ((word & kDmaWaitTcdm) != 0) ++oldest->wait_tcdm;
  for (const auto& [done, rows] : {std::pair{kDmaAxiDone, &to_axi_}, std::pair{kDmaTcdmDone, &to_tcdm_}}) {
    if (!bit(word, done) || rows->empty()) continue;
    close(*rows->front(), cycle, "done");
    rows->pop_front();
  }
}

void CommandTrace::end_stall(Unit& unit) {
  CommandStall& stall = unit.stall;
  if (stall.last != 0 && stall_cycles_ != 0 && stall.last - stall.first + 1 >= stall_cycles_) {
    unit.issuing.front()->stalls.push_back(stall);
  }
  stall.last = 0;
}

void CommandTrace::close(Row& row, std::uint64_t cycle, const char* status) {
  row.end = cycle;
  row.status = status;
  row.closed = true;
}

void CommandTrace::close_all(Rows& rows, std::uint64_t cycle, const char* status) {
  for (Row* row : rows) close(*row, cycle, status);
  rows.clear();
}

void CommandTrace::hand_over(const Row& row) const {
  for (const Listener& listener : listeners_) {
    if (row.written() >= listener.from && row.written() <= listener.to) listener.sink(row);
  }
}

void CommandTrace::flush() {
  for (const Row& row : rows_) hand_over(row);
  rows_.clear();
}

}  // namespace nearcube::system
