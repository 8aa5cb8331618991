// SPDX-License-Identifier: Apache-2.0
// A hostile but legal AXI4 slave for tests of RTL masters: random latency and back-pressure on every channel,
// error answers by address, and a check of everything the master does. Faults of the master throw
// AxiViolation.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/memory/axi_memory.h"
#include "sim/memory/flat_memory.h"

namespace nearcube::test {

/// The master broke a rule of the AMBA AXI protocol (ARM IHI 0022).
struct AxiViolation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Times in ticks (core clock cycles), probabilities a tick.
struct AxiSlaveOptions {
  unsigned read_latency_min = 1, read_latency_max = 1;
  unsigned write_latency_min = 1, write_latency_max = 1;
  double ar_ready = 1, aw_ready = 1, w_ready = 1, r_valid = 1, b_valid = 1;
  unsigned max_burst_bytes = 4096;  ///< longest burst the master is allowed
  unsigned outstanding = 64;        ///< reads and, apart, writes it takes
  bool mix_reads = true;            ///< beats of reads with different ids may alternate
  std::uint64_t seed = 1;
};

/// Answers of one id come in order, of different ids in any. A write reaches the memory when its response is
/// taken, so whoever calls a transfer complete earlier is found out.
class AxiSlave {
 public:
  struct Range {
    std::uint64_t begin, end;  ///< multiples of 8
  };

  AxiSlave(memory::FlatMemory& memory, const AxiSlaveOptions& options)
      : memory_(memory), options_(options), random_(options.seed) {}

  /// Accesses to these addresses, and to those outside the memory, are answered with SLVERR or DECERR.
  void add_error_range(Range range) { errors_.push_back(range); }

  const memory::AxiResponse& outputs() const { return out_; }

  bool idle() const {
    return reads_.empty() && writes_.empty() && w_beats_.empty() && !ar_held_ && !aw_held_ && !w_held_;
  }
  std::uint64_t read_beats() const { return read_beats_; }
  std::uint64_t write_beats() const { return write_beats_; }
  std::uint64_t read_bursts() const { return read_bursts_; }
  std::uint64_t write_bursts() const { return write_bursts_; }
  /// Most bytes of read data that were asked for and not yet delivered.
  std::uint64_t most_read_bytes_outstanding() const { return most_outstanding_; }

  /// Ends a tick in which the master drove `in` and the slave outputs().
  void tick(const memory::AxiRequest& in) {
    ++now_;
    check_stable(in);
    if (in.ar_valid && out_.ar_ready) take_read(in);
    if (in.aw_valid && out_.aw_ready) take_write(in);
    if (in.w_valid && out_.w_ready) {
      w_beats_.push_back({in.w_data, in.w_strb, in.w_last});
      ++write_beats_;
    }
    if (out_.r_valid && in.r_ready) end_read_beat();
    if (out_.b_valid && in.b_ready) end_write();
    match_write_data();
    remember(in);
    out_.ar_ready = reads_.size() < options_.outstanding && chance(options_.ar_ready);
    out_.aw_ready = writes_.size() < options_.outstanding && chance(options_.aw_ready);
    out_.w_ready = w_beats_.size() < 64 && chance(options_.w_ready);
    if (!out_.r_valid) offer_read();
    if (!out_.b_valid) offer_response();
  }

 private:
  struct Burst {
    std::uint64_t address = 0;
    unsigned id = 0, beats = 0, done = 0;
    std::uint64_t due = 0;
    bool data_complete = false;
    std::uint8_t resp = 0;
    struct Write {
      std::uint64_t address, data;
      std::uint8_t strobe;
    };
    std::vector<Write> data;
  };
  struct Beat {
    std::uint64_t data;
    std::uint8_t strobe;
    bool last;
  };

  bool chance(double probability) {
    return probability >= 1 || static_cast<double>(random_.unit()) < probability;
  }
  std::uint64_t between(unsigned low, unsigned high) { return low + random_.below(high - low + 1); }

  [[noreturn]] static void violation(const char* what, std::uint64_t address) {
    char text[160];
    std::snprintf(text, sizeof text, "AXI: %s (address 0x%llx)", what,
                  static_cast<unsigned long long>(address));
    throw AxiViolation(text);
  }

  std::uint8_t response(std::uint64_t word) const {
    if (!memory_.contains(word, 8)) return 3;
    for (const Range& range : errors_) {
      if (word >= range.begin && word < range.end) return 2;
    }
    return memory::kRespOkay;
  }

  Burst accept(std::uint64_t address, unsigned id, unsigned len, unsigned size, unsigned burst) const {
    if (size != 3) violation("size is not eight bytes", address);
    if (burst != 1) violation("burst is not INCR", address);
    const std::uint64_t first = address & ~std::uint64_t{7};
    const std::uint64_t bytes = (len + 1) * std::uint64_t{8};
    if ((first & 0xFFF) + bytes > 0x1000) violation("burst crosses 4 KiB", address);
    if (bytes > options_.max_burst_bytes) violation("burst is too long", address);
    Burst result;
    result.address = address;
    result.id = id;
    result.beats = len + 1;
    return result;
  }

  void take_read(const memory::AxiRequest& in) {
    Burst burst = accept(in.ar_addr, in.ar_id, in.ar_len, in.ar_size, in.ar_burst);
    burst.due = now_ + between(options_.read_latency_min, options_.read_latency_max) - 1;
    outstanding_bytes_ += burst.beats * std::uint64_t{8};
    most_outstanding_ = std::max(most_outstanding_, outstanding_bytes_);
    reads_.push_back(burst);
    ++read_bursts_;
  }

  void take_write(const memory::AxiRequest& in) {
    writes_.push_back(accept(in.aw_addr, in.aw_id, in.aw_len, in.aw_size, in.aw_burst));
    ++write_bursts_;
  }

  void match_write_data() {
    for (Burst& burst : writes_) {
      while (!burst.data_complete && !w_beats_.empty()) {
        const Beat beat = w_beats_.front();
        w_beats_.pop_front();
        const std::uint64_t word = (burst.address & ~std::uint64_t{7}) + std::uint64_t{8} * burst.done;
        if (++burst.done == burst.beats) burst.data_complete = true;
        if (beat.last != burst.data_complete) violation("last is not at the burst's last beat", word);
        if (burst.done == 1 && (beat.strobe & ((1u << (burst.address & 7)) - 1)) != 0) {
          violation("a strobe below the burst's address", burst.address);
        }
        if (beat.strobe != 0) {
          const std::uint8_t resp = response(word);
          burst.resp = std::max(burst.resp, resp);
          if (resp == 0) burst.data.push_back({word, beat.data, beat.strobe});
        } else if (response(word) != 0) {
          burst.resp = std::max(burst.resp, response(word));
        }
        if (burst.data_complete)
          burst.due = now_ + between(options_.write_latency_min, options_.write_latency_max) - 1;
      }
      if (!burst.data_complete) return;
    }
  }

  /// The index of a burst that may answer: the first of its id, and due.
  std::size_t pick(const std::deque<Burst>& bursts, bool write) {
    std::vector<std::size_t> candidates;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bursts.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (bursts[i].id & 63);
      if ((seen & bit) == 0 && bursts[i].due <= now_ && (!write || bursts[i].data_complete))
        candidates.push_back(i);
      seen |= bit;
    }
    if (!write && !options_.mix_reads) {
      for (const std::size_t i : candidates) {
        if (bursts[i].done != 0) return i;
      }
    }
    return candidates.empty() ? bursts.size() : candidates[random_.below(candidates.size())];
  }

  void offer_read() {
    if (!chance(options_.r_valid)) return;
    offered_read_ = pick(reads_, false);
    if (offered_read_ == reads_.size()) return;
    const Burst& burst = reads_[offered_read_];
    const std::uint64_t word = (burst.address & ~std::uint64_t{7}) + std::uint64_t{8} * burst.done;
    out_.r_valid = true;
    out_.r_id = static_cast<std::uint8_t>(burst.id);
    out_.r_resp = response(word);
    out_.r_data = out_.r_resp == 0 ? memory_.read64(word) : random_.next();
    out_.r_last = burst.done + 1 == burst.beats;
  }

  void end_read_beat() {
    Burst& burst = reads_[offered_read_];
    ++read_beats_;
    outstanding_bytes_ -= 8;
    if (++burst.done == burst.beats)
      reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(offered_read_));
    out_.r_valid = false;
  }

  void offer_response() {
    if (!chance(options_.b_valid)) return;
    offered_write_ = pick(writes_, true);
    if (offered_write_ == writes_.size()) return;
    out_.b_valid = true;
    out_.b_id = static_cast<std::uint8_t>(writes_[offered_write_].id);
    out_.b_resp = writes_[offered_write_].resp;
  }

  void end_write() {
    for (const Burst::Write& write : writes_[offered_write_].data) {
      memory_.write64(write.address, write.data, write.strobe);
    }
    writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(offered_write_));
    out_.b_valid = false;
  }

  /// What was valid and not taken must still be there, unchanged.
  void check_stable(const memory::AxiRequest& in) const {
    const memory::AxiRequest& was = before_;
    if (ar_held_ &&
        (!in.ar_valid || in.ar_addr != was.ar_addr || in.ar_id != was.ar_id || in.ar_len != was.ar_len)) {
      violation("AR changed before it was taken", was.ar_addr);
    }
    if (aw_held_ &&
        (!in.aw_valid || in.aw_addr != was.aw_addr || in.aw_id != was.aw_id || in.aw_len != was.aw_len)) {
      violation("AW changed before it was taken", was.aw_addr);
    }
    if (w_held_ &&
        (!in.w_valid || in.w_data != was.w_data || in.w_strb != was.w_strb || in.w_last != was.w_last)) {
      violation("W changed before it was taken", 0);
    }
  }

  void remember(const memory::AxiRequest& in) {
    ar_held_ = in.ar_valid && !out_.ar_ready;
    aw_held_ = in.aw_valid && !out_.aw_ready;
    w_held_ = in.w_valid && !out_.w_ready;
    before_ = in;
  }

  memory::FlatMemory& memory_;
  AxiSlaveOptions options_;
  base::Random random_;
  std::vector<Range> errors_;
  memory::AxiResponse out_;
  memory::AxiRequest before_;
  bool ar_held_ = false, aw_held_ = false, w_held_ = false;
  std::uint64_t now_ = 0;
  std::deque<Burst> reads_, writes_;
  std::deque<Beat> w_beats_;
  std::size_t offered_read_ = 0, offered_write_ = 0;
  std::uint64_t read_beats_ = 0, write_beats_ = 0, read_bursts_ = 0, write_bursts_ = 0;
  std::uint64_t outstanding_bytes_ = 0, most_outstanding_ = 0;
};

}  // namespace nearcube::test
