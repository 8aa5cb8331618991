// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/axi_port.h"

#include <algorithm>

#include "sim/base/error.h"

namespace nearcube::memory {
namespace {

constexpr std::uint8_t kBurstFixed = 0;
constexpr std::uint8_t kBurstIncr = 1;
constexpr std::uint64_t kWordBytes = 8;
constexpr double kBusBytes = kWordBytes;
// Data that may run ahead of its address: one burst of the longest kind.
constexpr std::size_t kWriteDataAhead = 256;
constexpr unsigned kIds = 32;  // five bits
constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::uint64_t kNever = ~std::uint64_t{0};
// Of a tag, the bits that number the pieces of a transfer: 2 KiB in words.
constexpr unsigned kPieceBits = 8;

// The address of the beat after the one at `address`.
std::uint64_t next_address(std::uint64_t address, std::uint8_t size, std::uint8_t burst) {
  return burst == kBurstFixed ? address : ((address >> size) + 1) << size;
}

std::uint64_t byte_mask(std::uint8_t strobe) {
  std::uint64_t mask = 0;
  for (unsigned byte = 0; byte < kWordBytes; ++byte) {
    if ((strobe >> byte & 1) != 0) mask |= std::uint64_t{0xFF} << (8 * byte);
  }
  return mask;
}

}  // namespace

AxiPort::AxiPort(std::uint64_t base, std::uint64_t capacity, unsigned granule_bytes, const AxiTiming& timing)
    : base_(base), capacity_(capacity), granule_(granule_bytes), timing_(timing), random_(timing.seed) {
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
  if (granule_bytes < kWordBytes || granule_bytes > 2048 || (granule_bytes & (granule_bytes - 1)) != 0)
    bad_input("an access granule of {} bytes: must be a power of two from 8 to 2048", granule_bytes);
  slots_.resize(2 * std::size_t{timing.outstanding});
  for (std::size_t slot = slots_.size(); slot-- > 0;) free_.push_back(slot);
  out_.aw_ready = out_.w_ready = out_.ar_ready = true;
}

bool AxiPort::withheld() {
  return timing_.withhold > 0 && static_cast<double>(random_.unit()) < timing_.withhold;
}

std::uint64_t AxiPort::jitter() {
  return timing_.jitter_core_cycles == 0 ? 0 : random_.below(timing_.jitter_core_cycles + 1);
}

void AxiPort::accept(Queue& queue, std::uint64_t address, std::uint8_t id, std::uint8_t len,
                     std::uint8_t size, std::uint8_t burst, bool write) {
  const char* channel = write ? "write" : "read";
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
  if (id >= kIds) {
    throw base::error(ExitStatus::kOther, "AXI {} at {:#x}: id {} has more than the port's five bits",
                      channel, address, id);
  }
  const std::size_t slot = free_.back();
  free_.pop_back();
  queue.push_back(slot);
  Transfer& t = slots_[slot];
  t.address = t.begin = address;
  t.first = address & ~(kWordBytes - 1);
  t.end = burst == kBurstIncr ? aligned + bytes : aligned + (std::uint64_t{1} << size);
  t.extra = jitter();
  t.id = id;
  t.size = size;
  t.burst = burst;
  t.beats_left = unsigned{len} + 1;
  t.write = write;
  t.complete = t.missing = false;
  t.pieces.assign(piece_of(t, t.end - 1) + 1, Piece());
  const auto words = static_cast<std::size_t>((t.end - t.first + kWordBytes - 1) / kWordBytes);
  t.words.assign(words, 0);
  if (write) {
    t.strobes.assign(words, 0);
  } else {
    for (std::size_t piece = 0; piece < t.pieces.size(); ++piece) ask(slot, piece);
  }
}

// Asks for what exists of a piece; nothing exists of one that is then answered with DECERR.
void AxiPort::ask(std::size_t slot, std::size_t piece) {
  Transfer& t = slots_[slot];
  const std::uint64_t granule = (t.first / granule_ + piece) * granule_;
  const std::uint64_t begin = std::max({t.begin, granule, base_});
  const std::uint64_t end = std::min({t.end, granule + granule_, base_ + capacity_});
  if (begin >= end) {
    t.pieces[piece].done_at =
        now_ + t.extra + (t.write ? timing_.write_latency_core_cycles : timing_.read_latency_core_cycles - 1);
    return;
  }
  asked_.push_back({.address = begin,
                    .bytes = static_cast<std::uint32_t>(end - begin),
                    .write = t.write,
                    .tag = std::uint64_t{slot} << kPieceBits | piece,
                    .cycle = now_});
}

bool AxiPort::read_word(FlatMemory& memory, std::uint64_t word, std::uint64_t& data) {
  data = memory.read64(word);
  return true;
}

bool AxiPort::read_word(ProtectedMemory& memory, std::uint64_t word, std::uint64_t& data) {
  const auto value = memory.read64(word);
  data = value.value_or(0);
  return value.has_value();
}

bool AxiPort::write_word(FlatMemory& memory, std::uint64_t word, std::uint64_t data, std::uint8_t strobe) {
  memory.write64(word, data, strobe);
  return true;
}

bool AxiPort::write_word(ProtectedMemory& memory, std::uint64_t word, std::uint64_t data,
                         std::uint8_t strobe) {
  return memory.write64(word, data, strobe);
}

template <typename Memory>
bool AxiPort::perform(std::uint64_t tag, Memory& memory) {
  Transfer& t = slots_[tag >> kPieceBits];
  const std::uint64_t granule = (t.first / granule_ + tag % (1u << kPieceBits)) * granule_;
  bool good = true;
  for (std::uint64_t word = std::max({t.first, granule, base_});
       word < t.end && word < granule + granule_ && exists(word); word += kWordBytes) {
    const auto index = static_cast<std::size_t>((word - t.first) / kWordBytes);
    if (!t.write) {
      good = read_word(memory, word, t.words[index]) && good;
    } else if (t.strobes[index] != 0) {
      good = write_word(memory, word, t.words[index], t.strobes[index]) && good;
    }
  }
  return good;
}

/// @cond Doxygen takes an instantiation for a member that it does not know.
template bool AxiPort::perform(std::uint64_t tag, FlatMemory& memory);
template bool AxiPort::perform(std::uint64_t tag, ProtectedMemory& memory);
/// @endcond

void AxiPort::complete(std::uint64_t tag, std::uint64_t cycle, bool error) {
  Transfer& t = slots_[tag >> kPieceBits];
  Piece& piece = t.pieces[tag % (1u << kPieceBits)];
  piece.done_at = cycle + t.extra;
  piece.error = error;
}

void AxiPort::take_write_data() {
  auto at = std::find_if(writes_.begin(), writes_.end(), [&](std::size_t s) { return !slots_[s].complete; });
  while (!write_data_.empty() && at != writes_.end()) {
    const WriteBeat beat = write_data_.front();
    write_data_.pop_front();
    Transfer& t = slots_[*at];
    const std::uint64_t word = t.address & ~(kWordBytes - 1);
    const auto index = static_cast<std::size_t>((word - t.first) / kWordBytes);
    const std::uint64_t mask = byte_mask(beat.strobe);
    t.words[index] = (t.words[index] & ~mask) | (beat.data & mask);
    t.strobes[index] |= beat.strobe;
    if (!exists(word)) t.missing = true;
    const std::size_t piece = piece_of(t, word);
    t.address = next_address(t.address, t.size, t.burst);
    --t.beats_left;
    if (beat.last != (t.beats_left == 0)) {
      throw base::error(ExitStatus::kOther, "AXI write of id {}: last is {} with {} beats to come", t.id,
                        beat.last, t.beats_left);
    }
    if (beat.last || (piece_of(t, t.address) != piece)) ask(*at, piece);
    if (beat.last) {
      t.complete = true;
      ++at;
    }
  }
}

bool AxiPort::read_ready(const Transfer& transfer) const {
  return transfer.pieces[piece_of(transfer, transfer.address)].done_at <= now_;
}

bool AxiPort::write_ready(const Transfer& transfer) const {
  return transfer.complete && std::all_of(transfer.pieces.begin(), transfer.pieces.end(),
                                          [this](const Piece& piece) { return piece.done_at <= now_; });
}

// Place in the queue of the transfer to answer now: of those that are ready and the oldest of their id, the
// one whose id comes next after `last_id`, in turn; with jitter any. kNone if there is none.
std::size_t AxiPort::pick(const Queue& queue, std::uint8_t last_id,
                          bool (AxiPort::*ready)(const Transfer&) const) {
  std::size_t found = kNone;
  unsigned least_turns = kIds;
  std::uint64_t eligible = 0;
  std::uint32_t ids_seen = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Transfer& transfer = slots_[queue[i]];
    const std::uint32_t id = std::uint32_t{1} << transfer.id;
    if ((ids_seen & id) != 0) continue;
    ids_seen |= id;
    if (!(this->*ready)(transfer)) continue;
    ++eligible;
    const unsigned turns = (transfer.id - last_id - 1u) % kIds;
    const bool chosen = timing_.jitter_core_cycles == 0 ? turns < least_turns : random_.below(eligible) == 0;
    if (!chosen) continue;
    found = i;
    least_turns = turns;
  }
  return found;
}

void AxiPort::offer_read() {
  if (read_credit_ < kBusBytes || reads_.empty() || withheld()) return;
  const std::size_t place = pick(reads_, out_.r_id, &AxiPort::read_ready);
  if (place == kNone) return;
  const std::size_t slot = reads_[place];
  Transfer& t = slots_[slot];
  const std::uint64_t word = t.address & ~(kWordBytes - 1);
  const bool error = t.pieces[piece_of(t, word)].error;
  out_.r_valid = true;
  out_.r_id = t.id;
  out_.r_data = exists(word) && !error ? t.words[static_cast<std::size_t>((word - t.first) / kWordBytes)] : 0;
  out_.r_resp = !exists(word) ? kRespDecErr : error ? kRespSlvErr : kRespOkay;
  t.address = next_address(t.address, t.size, t.burst);
  --t.beats_left;
  out_.r_last = t.beats_left == 0;
  if (out_.r_last) {
    reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(place));
    free_.push_back(slot);
  }
  read_credit_ -= kBusBytes;
}

void AxiPort::offer_response() {
  if (writes_.empty() || withheld()) return;
  const std::size_t place = pick(writes_, out_.b_id, &AxiPort::write_ready);
  if (place == kNone) return;
  const std::size_t slot = writes_[place];
  const Transfer& t = slots_[slot];
  const bool error =
      std::any_of(t.pieces.begin(), t.pieces.end(), [](const Piece& piece) { return piece.error; });
  out_.b_valid = true;
  out_.b_id = t.id;
  out_.b_resp = t.missing ? kRespDecErr : error ? kRespSlvErr : kRespOkay;
  writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(place));
  free_.push_back(slot);
}

bool AxiPort::take(const AxiRequest& request) {
  ++now_;
  bool progress = false;
  if (request.ar_valid && out_.ar_ready) {
    accept(reads_, request.ar_addr, request.ar_id, request.ar_len, request.ar_size, request.ar_burst, false);
    progress = true;
  }
  if (request.aw_valid && out_.aw_ready) {
    accept(writes_, request.aw_addr, request.aw_id, request.aw_len, request.aw_size, request.aw_burst, true);
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
  return progress;
}

void AxiPort::offer() {
  if (!out_.r_valid) offer_read();
  if (!out_.b_valid) offer_response();
  out_.ar_ready = reads_.size() < timing_.outstanding && !withheld();
  out_.aw_ready = writes_.size() < timing_.outstanding && !withheld();
  out_.w_ready = write_credit_ >= kBusBytes && write_data_.size() < kWriteDataAhead && !withheld();
}

bool AxiPort::idle() const {
  return reads_.empty() && writes_.empty() && write_data_.empty() && !out_.r_valid && !out_.b_valid &&
         timing_.withhold == 0 && read_credit_ >= kBusBytes + timing_.read_bytes_per_core_cycle &&
         write_credit_ >= kBusBytes + timing_.write_bytes_per_core_cycle;
}

bool AxiPort::time_helps() const {
  const auto later = [this](const Piece& piece) { return piece.done_at != kNever && piece.done_at > now_; };
  const auto read_later = [&](std::size_t slot) {
    return later(slots_[slot].pieces[piece_of(slots_[slot], slots_[slot].address)]);
  };
  const auto answer_later = [&](std::size_t slot) {
    const Transfer& t = slots_[slot];
    return t.complete && std::any_of(t.pieces.begin(), t.pieces.end(), later);
  };
  return read_credit_ < kBusBytes || write_credit_ < kBusBytes ||
         std::any_of(reads_.begin(), reads_.end(), read_later) ||
         std::any_of(writes_.begin(), writes_.end(), answer_later);
}

std::vector<std::string> AxiPort::describe() const {
  std::vector<std::string> lines;
  for (const std::size_t slot : reads_) {
    const Transfer& t = slots_[slot];
    const std::uint64_t done_at = t.pieces[piece_of(t, t.address)].done_at;
    lines.push_back(fmt::format("read of id {} at {:#x}: {} beats to come, {}", t.id, t.address, t.beats_left,
                                done_at == kNever ? "waits for the memory"
                                : done_at > now_  ? fmt::format("data in {} core cycles", done_at - now_)
                                                  : "ready to answer"));
  }
  if (out_.r_valid) lines.push_back(fmt::format("read data of id {} offered, waits for r_ready", out_.r_id));
  for (const std::size_t slot : writes_) {
    const Transfer& t = slots_[slot];
    lines.push_back(t.complete ? fmt::format("write of id {}: response pending", t.id)
                               : fmt::format("write of id {} at {:#x}: waits for {} beats of w_data", t.id,
                                             t.address, t.beats_left));
  }
  if (out_.b_valid)
    lines.push_back(fmt::format("write response of id {} offered, waits for b_ready", out_.b_id));
  return lines;
}

void answer(AxiPort& port, const Access& access, FlatMemory& memory, ProtectedMemory* protection,
            const AxiTiming& timing) {
  const bool good = port.perform(access.tag, memory, protection);
  port.complete(
      access.tag,
      access.cycle + (access.write ? timing.write_latency_core_cycles : timing.read_latency_core_cycles - 1),
      !good);
}

}  // namespace nearcube::memory
