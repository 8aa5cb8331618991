// SPDX-License-Identifier: Apache-2.0
#include "sim/system/command_trace.h"

#include <fmt/format.h>

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

constexpr const char* kHeader =
    "unit,number,command,start,first_step,last_step,end,steps,wait_a,wait_b,wait_init,wait_result,wait_"
    "hazard,bytes,"
    "source,destination,busy,wait_bus,wait_tcdm,status,pc,function,line\n";

/// A cycle; nothing for none.
std::string cell(std::uint64_t cycle) { return cycle == 0 ? "" : std::to_string(cycle); }

/// In quotes where CSV needs them (RFC 4180).
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

CommandTrace::CommandTrace(const std::string& path, unsigned ntx, std::uint64_t from, std::uint64_t to,
                           std::function<Place(std::uint32_t)> place)
    : file_(path), from_(from), to_(to), place_(std::move(place)), units_(ntx) {
  file_.write(kHeader);
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
  row.in_window = now_ >= from_ && now_ <= to_;
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
  row.in_window = now_ >= from_ && now_ <= to_;
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
}

void CommandTrace::count(std::uint64_t cycle, const rtl::ClusterDebug& words) {
  now_ = cycle;
  for (unsigned n = 0; n < units_.size(); ++n) count_ntx(cycle, n, words.ntx[n]);
  count_dma(cycle, words.dma);
  if (!rows_.empty() && rows_.front().closed) write_closed();
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
    if (bit(word, kWaits[cause])) {
      ++row.waits[cause];
      return;
    }
  }
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

void CommandTrace::close(Row& row, std::uint64_t cycle, const char* status) {
  row.end = cycle;
  row.status = status;
  row.closed = true;
}

void CommandTrace::close_all(Rows& rows, std::uint64_t cycle, const char* status) {
  for (Row* row : rows) close(*row, cycle, status);
  rows.clear();
}

void CommandTrace::write_closed() {
  while (!rows_.empty() && rows_.front().closed) {
    write(rows_.front());
    rows_.pop_front();
  }
}

void CommandTrace::commit() {
  for (const Row& row : rows_) write(row);
  rows_.clear();
  file_.commit();
}

void CommandTrace::write(const Row& row) {
  if (!row.in_window) return;
  const bool dma = row.unit < 0;
  const Place place = place_(dma ? row.transfer.pc : row.command.pc);
  const std::string tail =
      fmt::format("{},{:#010x},{},{}\n", row.status, dma ? row.transfer.pc : row.command.pc,
                  quoted(place.function), quoted(place.line));
  if (dma) {
    const DmaTransfer& t = row.transfer;
    file_.write(fmt::format("dma,{},{},{},,,{},,,,,,,{},{:#x},{:#x},{},{},{},{}", t.id,
                            t.fill ? "fill" : "copy", t.written, cell(row.end), t.total_bytes(), t.source,
                            t.destination, row.busy, row.wait_bus, row.wait_tcdm, tail));
  } else {
    const NtxCommand& c = row.command;
    file_.write(fmt::format("ntx{},{},{},{},{},{},{},{},{},,,,{},,,{}", row.unit, c.number,
                            opcode_name(c.cmd), c.written, cell(row.first_step), cell(row.last_step),
                            cell(row.end), row.steps, fmt::join(row.waits, ","), row.steps, tail));
  }
}

}  // namespace nearcube::system
