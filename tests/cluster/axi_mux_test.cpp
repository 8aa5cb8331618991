// SPDX-License-Identifier: Apache-2.0
// The AXI multiplexer between three random masters and a slave with random latency, order and back-pressure.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

#include "Vaxi_mux.h"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Block;
using nearcube::test::put;
using nearcube::test::Random;

constexpr unsigned kDma = 0, kData = 1, kInstruction = 2;

struct Address {
  std::uint64_t address;
  unsigned id, len, size, burst;
  bool operator==(const Address&) const = default;
};

struct Beat {
  std::uint64_t data;
  unsigned strobe;
  bool last;
  bool operator==(const Beat&) const = default;
};

struct Options {
  unsigned hold;     ///< percent of core cycles in which the slave withholds a ready, or the DMA its own
  unsigned latency;  ///< most core cycles to a response
  bool data_first;   ///< the slave takes a write's address only when data is offered
  unsigned request;  ///< percent of core cycles in which an idle master starts something
};

class Bench {
 public:
  Bench(std::uint64_t seed, const Options& options)
      : options_(options), random_(seed), block_(seed), dut_(*block_.dut) {
    drive_idle();
    block_.reset();
  }

  void run(std::uint64_t core_cycles) {
    for (std::uint64_t c = 0; c < core_cycles; ++c) core_cycle(true);
    for (unsigned c = 0; c < 20000 && !idle(); ++c) core_cycle(false);
    REQUIRE(idle());
  }

  std::array<std::uint64_t, 3> reads{}, writes{};
  /// Read addresses of others taken while a source's waited, at most.
  std::array<unsigned, 3> passed{};

 private:
  bool percent(unsigned share) { return random_() % 100 < share; }
  unsigned draw(std::uint64_t end) { return static_cast<unsigned>(random_() % end); }
  bool idle() const {
    return dma_ar_.empty() && dma_aw_.empty() && dma_w_.empty() && !data_busy_ && !instruction_busy_ &&
           slave_reads_.empty() && slave_writes_.empty() && slave_bursts_.empty();
  }

  void drive_idle() {
    dut_.core_tick_i = 0;
    dut_.dma_aw_valid_i = dut_.dma_w_valid_i = dut_.dma_ar_valid_i = 0;
    dut_.data_aw_valid_i = dut_.data_w_valid_i = dut_.data_ar_valid_i = dut_.instr_ar_valid_i = 0;
    dut_.axi_b_valid_i = dut_.axi_r_valid_i = 0;
    dut_.axi_b_id_i = dut_.axi_r_id_i = 0;
  }

  void start() {
    if (dma_ar_.size() < 2 && percent(options_.request)) {
      dma_ar_.push_back({random_(), draw(8), draw(32), 3, 1});
    }
    if (dma_aw_.size() + dma_w_.size() / 16 < 6 && percent(options_.request)) {
      const Address address{random_(), draw(8), draw(32), 3, 1};
      dma_aw_.push_back(address);
      for (unsigned b = 0; b <= address.len; ++b) dma_w_.push_back({random_(), draw(256), b == address.len});
    }
    if (!data_busy_ && percent(options_.request)) {
      data_busy_ = true;
      data_address_ = static_cast<std::uint32_t>(random_()) & ~3u;
      data_aw_ = data_w_ = percent(50);
      data_ar_ = !data_aw_;
      data_beat_ = {random_(), draw(256), true};
    }
    if (!instruction_busy_ && percent(options_.request)) {
      instruction_busy_ = instruction_ar_ = true;
      instruction_address_ = static_cast<std::uint32_t>(random_()) & ~31u;
      instruction_beats_ = 0;
    }
  }

  void drive() {
    dut_.dma_ar_valid_i = !dma_ar_.empty();
    if (!dma_ar_.empty()) {
      const Address& a = dma_ar_.front();
      dut_.dma_ar_addr_i = a.address;
      put(dut_.dma_ar_id_i, a.id);
      put(dut_.dma_ar_len_i, a.len);
      put(dut_.dma_ar_size_i, a.size);
      put(dut_.dma_ar_burst_i, a.burst);
    }
    dut_.dma_aw_valid_i = !dma_aw_.empty();
    if (!dma_aw_.empty()) {
      const Address& a = dma_aw_.front();
      dut_.dma_aw_addr_i = a.address;
      put(dut_.dma_aw_id_i, a.id);
      put(dut_.dma_aw_len_i, a.len);
      put(dut_.dma_aw_size_i, a.size);
      put(dut_.dma_aw_burst_i, a.burst);
    }
    // A beat that was offered stays offered.
    if (!dma_w_offered_) dma_w_offered_ = !dma_w_.empty() && !percent(options_.hold);
    dut_.dma_w_valid_i = dma_w_offered_;
    if (!dma_w_.empty()) {
      dut_.dma_w_data_i = dma_w_.front().data;
      put(dut_.dma_w_strb_i, dma_w_.front().strobe);
      dut_.dma_w_last_i = dma_w_.front().last;
    }
    dut_.data_aw_valid_i = data_aw_;
    dut_.data_w_valid_i = data_w_;
    dut_.data_ar_valid_i = data_ar_;
    dut_.data_addr_i = data_address_;
    dut_.data_w_data_i = data_beat_.data;
    put(dut_.data_w_strb_i, data_beat_.strobe);
    dut_.instr_ar_valid_i = instruction_ar_;
    dut_.instr_addr_i = instruction_address_;
    dut_.dma_r_ready_i = !percent(options_.hold);
    dut_.dma_b_ready_i = !percent(options_.hold);

    dut_.axi_ar_ready_i = slave_reads_.size() < 16 && !percent(options_.hold);
    dut_.axi_w_ready_i = !percent(options_.hold);
    aw_ready_ = slave_aw_.size() + slave_writes_.size() < 16 && !percent(options_.hold);
    offer_read();
    offer_response();
  }

  // The slave's beat in offer stays until taken; else any id that is due may come next, its oldest read
  // first.
  void offer_read() {
    if (!read_offered_) {
      std::vector<std::size_t> due;
      std::array<bool, 32> seen{};
      for (std::size_t i = 0; i < slave_reads_.size(); ++i) {
        const unsigned id = slave_reads_[i].address.id;
        if (!seen[id] && slave_reads_[i].due <= core_cycles_) due.push_back(i);
        seen[id] = true;
      }
      if (!due.empty() && !percent(options_.hold)) {
        read_offered_ = due[draw(due.size())];
        read_data_ = random_();
        read_resp_ = percent(10) ? 2 + draw(2) : 0;
      }
    }
    dut_.axi_r_valid_i = read_offered_.has_value();
    put(dut_.axi_r_id_i, draw(24));
    if (read_offered_) {
      const Read& read = slave_reads_[*read_offered_];
      put(dut_.axi_r_id_i, read.address.id);
      dut_.axi_r_data_i = read_data_;
      put(dut_.axi_r_resp_i, read_resp_);
      dut_.axi_r_last_i = read.beats == read.address.len;
    }
  }

  void offer_response() {
    if (!write_offered_ && !slave_writes_.empty()) {
      const std::size_t i = draw(slave_writes_.size());
      const bool oldest = std::none_of(slave_writes_.begin(), slave_writes_.begin() + static_cast<long>(i),
                                       [&](const Write& w) { return w.id == slave_writes_[i].id; });
      if (oldest && slave_writes_[i].due <= core_cycles_ && !percent(options_.hold)) {
        write_offered_ = i;
        write_resp_ = percent(10) ? 2 : 0;
      }
    }
    dut_.axi_b_valid_i = write_offered_.has_value();
    put(dut_.axi_b_id_i, draw(16));
    if (write_offered_) {
      put(dut_.axi_b_id_i, slave_writes_[*write_offered_].id);
      put(dut_.axi_b_resp_i, write_resp_);
    }
  }

  void core_cycle(bool may_start) {
    if (may_start) start();
    drive();
    // The first NTX cycle of the core cycle: nothing may move.
    dut_.core_tick_i = 0;
    settle_ready();
    block_.edge();
    dut_.core_tick_i = 1;
    settle_ready();
    handshakes();
    block_.edge();
    ++core_cycles_;
  }

  void settle_ready() {
    block_.settle();
    dut_.axi_aw_ready_i = aw_ready_ && (!options_.data_first || dut_.axi_w_valid_o);
    block_.settle();
  }

  void handshakes() {
    check_stable();
    read_addresses();
    write_addresses();
    write_data();
    read_beats();
    write_responses();
  }

  void check_stable() {
    const auto ar = std::tuple{dut_.axi_ar_addr_o, dut_.axi_ar_id_o, dut_.axi_ar_len_o, dut_.axi_ar_size_o};
    const auto aw = std::tuple{dut_.axi_aw_addr_o, dut_.axi_aw_id_o, dut_.axi_aw_len_o, dut_.axi_aw_size_o};
    const auto w = std::tuple{dut_.axi_w_data_o, dut_.axi_w_strb_o, dut_.axi_w_last_o};
    if (held_ar_) REQUIRE((dut_.axi_ar_valid_o && ar == *held_ar_));
    if (held_aw_) REQUIRE((dut_.axi_aw_valid_o && aw == *held_aw_));
    if (held_w_) REQUIRE((dut_.axi_w_valid_o && w == *held_w_));
    held_ar_.reset();
    held_aw_.reset();
    held_w_.reset();
    if (dut_.axi_ar_valid_o && !dut_.axi_ar_ready_i) held_ar_ = ar;
    if (dut_.axi_aw_valid_o && !dut_.axi_aw_ready_i) held_aw_ = aw;
    if (dut_.axi_w_valid_o && !dut_.axi_w_ready_i) held_w_ = w;
  }

  std::uint64_t due() { return core_cycles_ + 1 + (options_.latency ? draw(options_.latency) : 0); }

  void read_addresses() {
    const std::array<bool, 3> asks = {dut_.dma_ar_valid_i != 0, data_ar_, instruction_ar_};
    const std::array<bool, 3> taken = {dut_.dma_ar_valid_i && dut_.dma_ar_ready_o,
                                       data_ar_ && dut_.data_ar_ready_o,
                                       instruction_ar_ && dut_.instr_ar_ready_o};
    // Whatever asks is offered at once.
    REQUIRE(dut_.axi_ar_valid_o == (asks[0] || asks[1] || asks[2]));
    REQUIRE(taken[0] + taken[1] + taken[2] == (dut_.axi_ar_valid_o && dut_.axi_ar_ready_i));
    for (unsigned s = 0; s < 3; ++s) {
      if (taken[s] || !asks[s]) {
        waiting_[s] = 0;
      } else if (taken[0] || taken[1] || taken[2]) {
        passed[s] = std::max(passed[s], ++waiting_[s]);
      }
    }
    if (!(dut_.axi_ar_valid_o && dut_.axi_ar_ready_i)) return;
    const Address seen{dut_.axi_ar_addr_o, dut_.axi_ar_id_o, dut_.axi_ar_len_o, dut_.axi_ar_size_o,
                       dut_.axi_ar_burst_o};
    if (taken[kDma]) {
      REQUIRE(seen == dma_ar_.front());
      dma_ar_.pop_front();
    } else if (taken[kData]) {
      REQUIRE(seen == Address{data_address_, kData << 3, 0, 2, 1});
      data_ar_ = false;
    } else {
      REQUIRE(seen == Address{instruction_address_, kInstruction << 3, 3, 3, 1});
      instruction_ar_ = false;
    }
    slave_reads_.push_back({seen, due(), 0});
  }

  void write_addresses() {
    // Into the multiplexer, which notes the order ...
    const bool dma = dut_.dma_aw_valid_i && dut_.dma_aw_ready_o, data = data_aw_ && dut_.data_aw_ready_o;
    REQUIRE(!(dma && data));
    // ... and out of it.
    if (dut_.axi_aw_valid_o && dut_.axi_aw_ready_i) {
      const Address seen{dut_.axi_aw_addr_o, dut_.axi_aw_id_o, dut_.axi_aw_len_o, dut_.axi_aw_size_o,
                         dut_.axi_aw_burst_o};
      REQUIRE(!between_.empty());
      REQUIRE(seen == between_.front());
      between_.pop_front();
      slave_aw_.push_back(seen);
    }
    if (dma) {
      between_.push_back(dma_aw_.front());
      order_.push_back(kDma);
      dma_aw_.pop_front();
    }
    if (data) {
      between_.push_back({data_address_, kData << 3, 0, 2, 1});
      order_.push_back(kData);
      data_aw_ = false;
    }
    pair_writes();
  }

  void write_data() {
    const bool dma = dut_.dma_w_valid_i && dut_.dma_w_ready_o, data = data_w_ && dut_.data_w_ready_o;
    REQUIRE(!(dma && data));
    REQUIRE((dma || data) == (dut_.axi_w_valid_o && dut_.axi_w_ready_i));
    if (!dma && !data) return;
    REQUIRE(!order_.empty());
    REQUIRE(order_.front() == (dma ? kDma : kData));
    const Beat seen{dut_.axi_w_data_o, dut_.axi_w_strb_o, dut_.axi_w_last_o != 0};
    if (dma) {
      REQUIRE(seen == dma_w_.front());
      dma_w_.pop_front();
      dma_w_offered_ = false;
    } else {
      REQUIRE(seen == data_beat_);
      data_w_ = false;
    }
    if (seen.last) {
      order_.pop_front();
      slave_bursts_.push_back(1);
      pair_writes();
    }
  }

  /// A write is complete at the slave when its address and its last data have come, in whatever order.
  void pair_writes() {
    while (!slave_aw_.empty() && !slave_bursts_.empty()) {
      slave_writes_.push_back({slave_aw_.front().id, due()});
      slave_aw_.pop_front();
      slave_bursts_.pop_front();
    }
  }

  void read_beats() {
    const bool dma = dut_.dma_r_valid_o, data = dut_.data_r_valid_o, instruction = dut_.instr_r_valid_o;
    REQUIRE(dma + data + instruction == (dut_.axi_r_valid_i != 0));
    if (!read_offered_) return;
    Read& read = slave_reads_[*read_offered_];
    const unsigned source = read.address.id >> 3;
    REQUIRE((source == kDma ? dma : source == kData ? data : instruction));
    REQUIRE(dut_.axi_r_ready_o == (source != kDma || dut_.dma_r_ready_i));
    if (dma) {
      REQUIRE(dut_.dma_r_id_o == (read.address.id & 7));
      REQUIRE(dut_.dma_r_data_o == read_data_);
      REQUIRE(dut_.dma_r_resp_o == read_resp_);
      REQUIRE(dut_.dma_r_last_o == dut_.axi_r_last_i);
    } else if (data) {
      REQUIRE(dut_.data_r_data_o == read_data_);
      REQUIRE(dut_.data_r_err_o == (read_resp_ != 0));
    } else {
      REQUIRE(dut_.instr_r_data_o == read_data_);
      REQUIRE(dut_.instr_r_err_o == (read_resp_ != 0));
      REQUIRE(dut_.instr_r_last_o == dut_.axi_r_last_i);
    }
    if (!dut_.axi_r_ready_o) return;
    if (data) data_busy_ = false;
    if (instruction && ++instruction_beats_ == 4) instruction_busy_ = false;
    if (read.beats++ == read.address.len) {
      ++reads[source];
      slave_reads_.erase(slave_reads_.begin() + static_cast<long>(*read_offered_));
    }
    read_offered_.reset();
  }

  void write_responses() {
    const bool dma = dut_.dma_b_valid_o, data = dut_.data_b_valid_o;
    REQUIRE(dma + data == (dut_.axi_b_valid_i != 0));
    if (!write_offered_) return;
    const unsigned id = slave_writes_[*write_offered_].id;
    REQUIRE((id >> 3 == kDma ? dma : data));
    REQUIRE(dut_.axi_b_ready_o == (data || dut_.dma_b_ready_i));
    if (dma) {
      REQUIRE(dut_.dma_b_id_o == (id & 7));
      REQUIRE(dut_.dma_b_resp_o == write_resp_);
    } else {
      REQUIRE(dut_.data_b_err_o == (write_resp_ != 0));
    }
    if (!dut_.axi_b_ready_o) return;
    ++writes[id >> 3];
    if (data) data_busy_ = false;
    slave_writes_.erase(slave_writes_.begin() + static_cast<long>(*write_offered_));
    write_offered_.reset();
  }

  struct Read {
    Address address;
    std::uint64_t due;
    unsigned beats;
  };
  struct Write {
    unsigned id;
    std::uint64_t due;
  };

  Options options_;
  Random random_;
  Block<Vaxi_mux> block_;
  Vaxi_mux& dut_;
  std::uint64_t core_cycles_ = 0;

  std::deque<Address> dma_ar_, dma_aw_;
  std::deque<Beat> dma_w_;
  bool dma_w_offered_ = false;
  bool data_busy_ = false, data_aw_ = false, data_w_ = false, data_ar_ = false;
  std::uint32_t data_address_ = 0;
  Beat data_beat_{};
  bool instruction_busy_ = false, instruction_ar_ = false;
  std::uint32_t instruction_address_ = 0;
  unsigned instruction_beats_ = 0;
  std::array<unsigned, 3> waiting_{};

  std::deque<Address> between_, slave_aw_;  // addresses in the multiplexer, and at the slave without data
  std::deque<unsigned> order_, slave_bursts_;
  std::deque<Read> slave_reads_;
  std::deque<Write> slave_writes_;
  std::optional<std::size_t> read_offered_, write_offered_;
  std::uint64_t read_data_ = 0;
  unsigned read_resp_ = 0, write_resp_ = 0;
  bool aw_ready_ = false;
  std::optional<std::tuple<std::uint64_t, unsigned char, unsigned char, unsigned char>> held_ar_, held_aw_;
  std::optional<std::tuple<std::uint64_t, unsigned char, unsigned char>> held_w_;
};

}  // namespace

TEST_CASE("AXI multiplexer: random masters and slave") {
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  const std::uint64_t cycles = nearcube::test::cases(20000, 1000000);
  for (const Options& options :
       {Options{0, 0, false, 100}, Options{30, 20, false, 50}, Options{30, 20, true, 50},
        Options{80, 60, false, 100}, Options{0, 5, true, 10}}) {
    Bench bench(seed, options);
    bench.run(cycles);
    for (unsigned s = 0; s < 3; ++s) CHECK(bench.reads[s] > cycles / 4000);
    for (unsigned s = 0; s < 2; ++s) CHECK(bench.writes[s] > cycles / 4000);
    // Fair: the other two go first once each, and one of them may have been offered before.
    for (unsigned s = 0; s < 3; ++s) CHECK(bench.passed[s] <= 2);
  }
}
