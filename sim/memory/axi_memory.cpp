// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/axi_memory.h"

#include <algorithm>

#include "sim/base/error.h"

namespace nearcube::memory {
namespace {

constexpr std::uint8_t kBurstFixed = 0;
constexpr std::uint8_t kBurstIncr = 1;
constexpr double kBusBytes = 8;
// Data that may run ahead of its address: one burst of the longest kind.
constexpr std::size_t kWriteDataAhead = 256;
constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

AxiMemory::AxiMemory(FlatMemory& memory, const AxiTiming& timing)
    : memory_(memory), timing_(timing), random_(timing.seed) {
  const auto check_rate = [](double rate, const char* name) {
    if (!(rate > 0 && rate <= kBusBytes)) {
      bad_input("memory {} of {} bytes per core cycle: must be above 0 and at most {}, the width of the bus",
                name, rate, kBusBytes);
    }
  };
  check_rate(timing.read_bytes_per_core_cycle, "read bandwidth");
  check_rate(timing.write_bytes_per_core_cycle, "write bandwidth");
  if (timing.read_latency_core_cycles == 0 || timing.write_latency_core_cycles == 0) {
    bad_input("memory latency must be at least one core cycle");
  }
  if (timing.outstanding == 0) bad_input("memory must allow at least one outstanding transfer");
  if (!(timing.withhold >= 0 && timing.withhold < 1))
    bad_input("share of withheld cycles must be in 0 .. below 1");
  out_.aw_ready = out_.w_ready = out_.ar_ready = true;
}

bool AxiMemory::withheld() {
  return timing_.withhold > 0 && static_cast<double>(random_.unit()) < timing_.withhold;
}

std::uint64_t AxiMemory::latency(std::uint64_t base) {
  return timing_.jitter_core_cycles == 0 ? base : base + random_.below(timing_.jitter_core_cycles + 1);
}

AxiMemory::Transfer AxiMemory::accept(std::uint64_t address, std::uint8_t id, std::uint8_t len,
                                      std::uint8_t size, std::uint8_t burst, const char* channel) const {
  const std::uint64_t bytes = (std::uint64_t{len} + 1) << size;
  if (size > 3)
    throw base::error(ExitStatus::kOther, "AXI {} at {:#x}: size {} is wider than the bus", channel, address,
                      size);
  if (burst != kBurstIncr && burst != kBurstFixed) {
    throw base::error(ExitStatus::kOther, "AXI {} at {:#x}: burst type {} is not in use", channel, address,
                      burst);
  }
  const std::uint64_t aligned = address >> size << size;
  if (burst == kBurstIncr && (aligned >> 12) != ((aligned + bytes - 1) >> 12)) {
    throw base::error(ExitStatus::kOther, "AXI {} at {:#x}: a burst of {} bytes crosses 4 KiB", channel,
                      address, bytes);
  }
  Transfer transfer;
  transfer.address = address;
  transfer.id = id;
  transfer.size = size;
  transfer.burst = burst;
  transfer.beats_left = unsigned{len} + 1;
  return transfer;
}

namespace {
// The address of the beat after the one at `address`.
std::uint64_t next_address(std::uint64_t address, std::uint8_t size, std::uint8_t burst) {
  return burst == kBurstFixed ? address : ((address >> size) + 1) << size;
}
}  // namespace

void AxiMemory::take_write_data() {
  auto transfer = std::find_if(writes_.begin(), writes_.end(), [](const Transfer& t) { return !t.complete; });
  while (!write_data_.empty() && transfer != writes_.end()) {
    const WriteBeat beat = write_data_.front();
    write_data_.pop_front();
    const std::uint64_t word = transfer->address & ~std::uint64_t{7};
    if (memory_.contains(word, 8)) {
      if (beat.strobe != 0) memory_.write64(word, beat.data, beat.strobe);
    } else {
      transfer->error = true;
    }
    transfer->address = next_address(transfer->address, transfer->size, transfer->burst);
    --transfer->beats_left;
    if (beat.last != (transfer->beats_left == 0)) {
      throw base::error(ExitStatus::kOther, "AXI write of id {}: last is {} with {} beats to come",
                        transfer->id, beat.last, transfer->beats_left);
    }
    if (beat.last) {
      transfer->complete = true;
      transfer->ready_at = now_ + latency(timing_.write_latency_core_cycles);
      ++transfer;
    }
  }
}

// Index of the transfer to answer now: the oldest of its id, ready, and if beats may not mix the one begun;
// kNone if there is none. With jitter any of these, else the oldest.
std::size_t AxiMemory::pick(const std::deque<Transfer>& transfers, bool keep_begun) {
  std::size_t found = kNone;
  std::uint64_t eligible = 0;
  std::uint32_t ids_seen = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& transfer = transfers[i];
    const std::uint32_t id = std::uint32_t{1} << (transfer.id & 31);
    if ((ids_seen & id) != 0) continue;
    ids_seen |= id;
    if (keep_begun && transfer.begun) return i;
    if (transfer.ready_at > now_) continue;
    ++eligible;
    if (found == kNone || (timing_.jitter_core_cycles != 0 && random_.below(eligible) == 0)) found = i;
    if (timing_.jitter_core_cycles == 0) {
      if (keep_begun) {
        // An older one that is not begun must not overtake a younger one that is.
        for (std::size_t j = i + 1; j < transfers.size(); ++j) {
          if (transfers[j].begun) return j;
        }
      }
      return found;
    }
  }
  return found;
}

void AxiMemory::offer_read() {
  if (read_credit_ < kBusBytes || reads_.empty() || withheld()) return;
  const std::size_t index = pick(reads_, timing_.jitter_core_cycles == 0);
  if (index == kNone) return;
  Transfer& transfer = reads_[index];
  const std::uint64_t word = transfer.address & ~std::uint64_t{7};
  const bool exists = memory_.contains(word, 8);
  out_.r_valid = true;
  out_.r_id = transfer.id;
  out_.r_data = exists ? memory_.read64(word) : 0;
  out_.r_resp = exists ? kRespOkay : kRespDecErr;
  transfer.begun = true;
  transfer.address = next_address(transfer.address, transfer.size, transfer.burst);
  --transfer.beats_left;
  out_.r_last = transfer.beats_left == 0;
  if (out_.r_last) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(index));
  read_credit_ -= kBusBytes;
}

void AxiMemory::offer_response() {
  if (writes_.empty() || withheld()) return;
  // Writes whose data is not complete have no time of readiness yet.
  for (Transfer& transfer : writes_) {
    if (!transfer.complete) transfer.ready_at = ~std::uint64_t{0};
  }
  const std::size_t index = pick(writes_, false);
  if (index == kNone) return;
  out_.b_valid = true;
  out_.b_id = writes_[index].id;
  out_.b_resp = writes_[index].error ? kRespDecErr : kRespOkay;
  writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(index));
}

bool AxiMemory::tick(const AxiRequest& request) {
  ++now_;
  bool progress = false;
  if (request.ar_valid && out_.ar_ready) {
    Transfer transfer =
        accept(request.ar_addr, request.ar_id, request.ar_len, request.ar_size, request.ar_burst, "read");
    transfer.ready_at = now_ + latency(timing_.read_latency_core_cycles) - 1;
    reads_.push_back(transfer);
    progress = true;
  }
  if (request.aw_valid && out_.aw_ready) {
    writes_.push_back(
        accept(request.aw_addr, request.aw_id, request.aw_len, request.aw_size, request.aw_burst, "write"));
    progress = true;
  }
  if (request.w_valid && out_.w_ready) {
    write_data_.push_back({request.w_data, request.w_strb, request.w_last});
    ++write_beats_;
    write_credit_ -= kBusBytes;
    progress = true;
  }
  // Unused bandwidth piles up to one beat and what a cycle adds, so that fractions of a beat are not lost.
  read_credit_ = std::min(read_credit_ + timing_.read_bytes_per_core_cycle,
                          kBusBytes + timing_.read_bytes_per_core_cycle);
  write_credit_ = std::min(write_credit_ + timing_.write_bytes_per_core_cycle,
                           kBusBytes + timing_.write_bytes_per_core_cycle);
  if (!write_data_.empty()) take_write_data();

  if (out_.r_valid && request.r_ready) {
    out_.r_valid = false;
    ++read_beats_;
    progress = true;
  }
  if (out_.b_valid && request.b_ready) {
    out_.b_valid = false;
    progress = true;
  }
  if (!out_.r_valid) offer_read();
  if (!out_.b_valid) offer_response();
  out_.ar_ready = reads_.size() < timing_.outstanding && !withheld();
  out_.aw_ready = writes_.size() < timing_.outstanding && !withheld();
  out_.w_ready = write_credit_ >= kBusBytes && write_data_.size() < kWriteDataAhead && !withheld();
  return progress;
}

bool AxiMemory::time_helps() const {
  const auto later = [this](const Transfer& t) { return t.ready_at > now_; };
  const auto answer_later = [this](const Transfer& t) { return t.complete && t.ready_at > now_; };
  return read_credit_ < kBusBytes || write_credit_ < kBusBytes ||
         std::any_of(reads_.begin(), reads_.end(), later) ||
         std::any_of(writes_.begin(), writes_.end(), answer_later);
}

std::vector<std::string> AxiMemory::describe() const {
  std::vector<std::string> lines;
  for (const Transfer& t : reads_) {
    lines.push_back(fmt::format(
        "read of id {} at {:#x}: {} beats to come, {}", t.id, t.address, t.beats_left,
        t.ready_at > now_ ? fmt::format("data in {} core cycles", t.ready_at - now_) : "ready to answer"));
  }
  if (out_.r_valid) lines.push_back(fmt::format("read data of id {} offered, waits for r_ready", out_.r_id));
  for (const Transfer& t : writes_) {
    lines.push_back(t.complete ? fmt::format("write of id {}: response pending", t.id)
                               : fmt::format("write of id {} at {:#x}: waits for {} beats of w_data", t.id,
                                             t.address, t.beats_left));
  }
  if (out_.b_valid)
    lines.push_back(fmt::format("write response of id {} offered, waits for b_ready", out_.b_id));
  return lines;
}

}  // namespace nearcube::memory
