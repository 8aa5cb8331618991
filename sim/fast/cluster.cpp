// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/cluster.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/fast/control.h"
#include "sim/fast/dma.h"
#include "sim/fast/ntx_unit.h"

namespace nearcube::fast {
namespace {

namespace regs = interfaces;

/// Who asks on AXI: bits 4:3 of an id.
enum Source : std::uint8_t { kDma = 0, kCore = 1, kInstructions = 2, kNobody = 3 };
constexpr unsigned kSourceLsb = 3;
constexpr std::uint8_t kWordSize = 2, kBusSize = 3, kIncrementing = 1;
constexpr unsigned kLineBeats = 4, kMostLines = 4;
constexpr unsigned kMostNtx = 8;

bool in(std::uint64_t address, std::uint64_t base, std::uint64_t size) {
  return address >= base && address - base < size;
}

/// Counters of the cluster's own, in the order of their registers.
struct OwnCounters {
  std::uint32_t cycles = 0, compute_cycles = 0, dma_read_bytes = 0, dma_write_bytes = 0, dma_busy = 0,
                dma_wait_bus = 0, dma_wait_tcdm = 0, core_wait_tcdm = 0;
};

class Cluster final : public rtl::ClusterModel {
 public:
  explicit Cluster(const rtl::ClusterOptions& options)
      : options_(options), words_(options.parameters.tcdm_bytes / 4) {
    reset({});
  }

  void reset(const rtl::ClusterInputs& inputs) override {
    const rtl::ClusterParameters& p = options_.parameters;
    state_.emplace(Identity{options_.cluster_id, options_.cluster_count, p.ntx, p.core_clock_ratio,
                            p.tcdm_bytes, p.tcdm_banks},
                   bytes());
    for (unsigned n = 0; n < p.ntx; ++n) state_->ntx.emplace_back(functions_, words_);
    in_ = inputs;
    settle();
  }

  void rise(std::uint64_t) override {
    State& s = *state_;
    const bool counts = s.control.counters_run();
    if (counts) count();
    if (core_tick()) {
      tick(counts);
      s.phase = 0;
    } else {
      ++s.phase;
    }
    ++s.now;
    for (NtxUnit& unit : s.ntx) unit.advance(s.now, counts);
  }

  void fall(const rtl::ClusterInputs* inputs) override {
    if (inputs != nullptr) in_ = *inputs;
    if (core_tick()) settle();
  }

  bool core_tick() const override { return state_->phase + 1 == options_.parameters.core_clock_ratio; }
  rtl::ClusterOutputs sample() const override { return out_; }

  rtl::ClusterDebug debug() const override {
    const State& s = *state_;
    const auto bit = [](bool set, unsigned lsb) { return static_cast<std::uint32_t>(set) << lsb; };
    rtl::ClusterDebug words;
    // As rtl/cluster/cluster.sv has them.
    const BusWaits waits = bus_waits();
    words.dma = s.dma.outstanding() | bit(waits.ar, 8) | bit(waits.r, 9) | bit(waits.aw, 10) |
                bit(waits.w, 11) | bit(waits.b, 12) | bit(s.phase == 0 && s.dma.completed_to_memory(), 16) |
                bit(s.phase == 0 && s.dma.completed_to_tcdm(), 17);
    words.core = bit(in_.data_req && !out_.data_gnt, 0) | bit(s.answer.has_value() || s.memory_busy, 1) |
                 (s.memory_busy ? 2u << 2 : 0u) | bit(s.lines != 0 || s.nowhere, 4) |
                 bit(s.control.barrier_waits(), 5);
    for (std::size_t n = 0; n < s.ntx.size(); ++n) words.ntx[n] = s.ntx[n].debug();
    return words;
  }

  std::vector<std::uint32_t> counters() const override {
    std::vector<std::uint32_t> values;
    append(values, own_counters());
    for (unsigned n = 0; n < kMostNtx; ++n) {
      append(values, n < state_->ntx.size() ? state_->ntx[n].counters() : NtxCounters());
    }
    values.resize(values.size() + 2 * std::size_t{options_.parameters.tcdm_banks});
    return values;
  }

  std::vector<std::uint64_t> clocks() const override {
    const State& s = *state_;
    std::vector<std::uint64_t> values = {s.now, s.control.mtime(), s.counters.cycles};
    for (const NtxUnit& unit : s.ntx) values.push_back(unit.counters().idle);
    return values;
  }

  void set_clocks(const std::vector<std::uint64_t>& values) override {
    State& s = *state_;
    auto next = values.begin();
    s.now = *next++;
    s.control.mtime() = *next++;
    s.counters.cycles = static_cast<std::uint32_t>(*next++);
    for (NtxUnit& unit : s.ntx) unit.counters().idle = static_cast<std::uint32_t>(*next++);
  }

  bool traceable() const override { return false; }
  void trace(VerilatedFstC&) override { throw base::error(ExitStatus::kOther, "this model has no signals"); }

 private:
  struct Answer {
    std::uint32_t data = 0;
    bool error = false;
  };
  /// All that a reset resets.
  struct State {
    State(const Identity& identity, std::span<std::uint8_t> tcdm) : control(identity), dma(tcdm) {}

    std::uint64_t now = 0;
    unsigned phase = 0;  ///< NTX cycle in the core cycle
    Control control;
    Dma dma;
    std::vector<NtxUnit> ntx;
    std::uint32_t priority = regs::ntx::kCtrlPriorityRoundRobin;
    OwnCounters counters;

    // The core's data port.
    std::optional<Answer> answer;  ///< in this core cycle, of scratchpad, registers or nowhere
    bool memory_busy = false;      ///< an access to memory is under way
    bool memory_ar = false, memory_aw = false, memory_w = false;  ///< it asks
    rtl::ClusterInputs request;                                   ///< that access

    // Instruction refill.
    bool line_asks = false, nowhere = false;
    std::uint32_t line = 0;
    unsigned lines = 0, beat = 0;

    // Whose address or data is on AXI until taken.
    Source reads = kNobody, writes = kNobody;
  };

  /// What the DMA's channels wait for in this cycle.
  struct BusWaits {
    bool ar, r, aw, w, b;
    bool any_but_responses() const { return ar || r || aw || w; }
  };
  BusWaits bus_waits() const {
    const State& s = *state_;
    const base::AxiResponse& axi = in_.axi;
    const bool writes = s.writes == kDma;
    return {.ar = s.dma.wanted_read() && !(s.reads == kDma && axi.ar_ready),
            .r = s.dma.waits_for_read() && !(axi.r_valid && axi.r_id >> kSourceLsb == kDma),
            .aw = s.dma.wanted_write() && !(writes && axi.aw_ready),
            .w = s.dma.wanted_beat() != nullptr && !(writes && axi.w_ready),
            .b = s.dma.waits_for_response() && !axi.b_valid};
  }

  void count() {
    State& s = *state_;
    for (NtxUnit& unit : s.ntx) unit.count();
    ++s.counters.cycles;
    if (std::any_of(s.ntx.begin(), s.ntx.end(), [](const NtxUnit& unit) { return unit.holds_command(); })) {
      ++s.counters.compute_cycles;
    }
    if (s.dma.outstanding() == 0) return;
    ++s.counters.dma_busy;
    if (bus_waits().any_but_responses()) ++s.counters.dma_wait_bus;
  }

  template <typename Counters>
  static void append(std::vector<std::uint32_t>& values, const Counters& counters) {
    std::array<std::uint32_t, sizeof(Counters) / 4> words;
    std::memcpy(words.data(), &counters, sizeof counters);
    for (const std::uint32_t word : words) values.push_back(word);
  }

  std::span<std::uint8_t> bytes() {
    return {reinterpret_cast<std::uint8_t*>(words_.data()), 4 * words_.size()};
  }

  OwnCounters own_counters() const {
    OwnCounters counters = state_->counters;
    counters.dma_read_bytes = state_->dma.read_bytes;
    counters.dma_write_bytes = state_->dma.write_bytes;
    return counters;
  }

  bool to_tcdm() const { return in(in_.data_addr, regs::kTcdmBase, options_.parameters.tcdm_bytes); }
  bool to_registers() const {
    constexpr std::uint64_t kRegisterBytes = 0x8000;  // control to NTX
    return in(in_.data_addr, regs::kControlBase, kRegisterBytes) && in_.data_be == 0xF;
  }
  bool to_memory() const { return in_.data_addr >= regs::kCubeBase; }
  bool to_ntx() const { return in(in_.data_addr, regs::kNtxBase, regs::kNtxSize); }
  bool to_all_ntx() const { return in(in_.data_addr, regs::kNtxBroadcastBase, regs::kNtxBroadcastSize); }
  std::uint32_t ntx_offset() const { return in_.data_addr % kNtxBytes; }
  std::size_t ntx_number() const { return (in_.data_addr - regs::kNtxBase) / kNtxBytes; }

  bool registers_grant() const {
    const State& s = *state_;
    if (in(in_.data_addr, regs::kDmaBase, regs::kDmaSize)) {
      return s.dma.grants(static_cast<std::uint32_t>(in_.data_addr - regs::kDmaBase), in_.data_we);
    }
    if (to_all_ntx() && in_.data_we) {
      return std::all_of(s.ntx.begin(), s.ntx.end(),
                         [this](const NtxUnit& unit) { return unit.grants(ntx_offset(), true); });
    }
    if (to_ntx() && ntx_number() < s.ntx.size()) {
      return s.ntx[ntx_number()].grants(ntx_offset(), in_.data_we);
    }
    return true;
  }

  /// What is driven in this core cycle, of the state and in_.
  void settle() {
    State& s = *state_;
    rtl::ClusterOutputs& out = out_ = {};
    base::AxiRequest& axi = out.axi;

    const bool for_core = in_.axi.r_valid && in_.axi.r_id >> kSourceLsb == kCore;
    const bool written = in_.axi.b_valid && in_.axi.b_id >> kSourceLsb == kCore;
    out.data_gnt = in_.data_req && !s.memory_busy && !(to_registers() && !registers_grant());
    out.data_rvalid = s.answer || for_core || written;
    if (s.answer) {
      out.data_rdata = s.answer->data;
      out.data_err = s.answer->error;
    } else if (for_core) {
      out.data_rdata = static_cast<std::uint32_t>(in_.axi.r_data >> (8 * (s.request.data_addr & 4)));
      out.data_err = in_.axi.r_resp != base::kRespOkay;
    } else if (written) {
      out.data_err = in_.axi.b_resp != base::kRespOkay;
    }

    const bool line_beat = in_.axi.r_valid && in_.axi.r_id >> kSourceLsb == kInstructions;
    const bool line_exists = in_.instr_addr >= regs::kCubeBase;
    out.instr_gnt =
        in_.instr_req && !s.line_asks && !s.nowhere && (line_exists ? s.lines != kMostLines : s.lines == 0);
    out.instr_rvalid = s.nowhere || line_beat;
    out.instr_last = s.beat == kLineBeats - 1;
    out.instr_err = s.nowhere || (line_beat && in_.axi.r_resp != base::kRespOkay);
    out.instr_rdata = in_.axi.r_data;

    out.irq_external = s.control.irq_external();
    out.irq_timer = s.control.irq_timer();
    out.barrier_arrive = s.control.barrier_arrives();
    out.exit_valid = s.control.exit_code().has_value();
    out.exit_code = s.control.exit_code().value_or(0);
    out.char_valid = s.control.character().has_value();
    out.character = s.control.character().value_or('\0');
    out.phase = s.control.phase();

    axi.b_ready = axi.r_ready = true;
    if (s.reads == kNobody) {
      s.reads = s.line_asks ? kInstructions : s.memory_ar ? kCore : s.dma.wanted_read() ? kDma : kNobody;
    }
    axi.ar_valid = s.reads != kNobody;
    axi.ar_id = static_cast<std::uint8_t>(s.reads << kSourceLsb);
    axi.ar_burst = kIncrementing;
    axi.ar_size = kBusSize;
    if (s.reads == kInstructions) {
      axi.ar_addr = s.line;
      axi.ar_len = kLineBeats - 1;
    } else if (s.reads == kCore) {
      axi.ar_addr = s.request.data_addr;
      axi.ar_size = kWordSize;
    } else if (s.reads == kDma) {
      axi.ar_addr = s.dma.wanted_read()->address;
      axi.ar_len = static_cast<std::uint8_t>(s.dma.wanted_read()->beats - 1);
    }

    // Data follow their address, so one of them writes until all of its burst is taken.
    if (s.writes == kNobody) s.writes = s.memory_aw ? kCore : s.dma.wanted_write() ? kDma : kNobody;
    axi.aw_id = static_cast<std::uint8_t>(s.writes << kSourceLsb);
    axi.aw_burst = kIncrementing;
    axi.aw_size = kBusSize;
    if (s.writes == kCore) {
      axi.aw_valid = s.memory_aw;
      axi.aw_addr = s.request.data_addr;
      axi.aw_size = kWordSize;
      axi.w_valid = s.memory_w;
      axi.w_last = true;
      const unsigned lane = s.request.data_addr & 4;
      axi.w_data = std::uint64_t{s.request.data_wdata} << (8 * lane);
      axi.w_strb = static_cast<std::uint8_t>(s.request.data_be << lane);
    } else if (s.writes == kDma) {
      axi.aw_valid = s.dma.wanted_write().has_value();
      if (axi.aw_valid) {
        axi.aw_addr = s.dma.wanted_write()->address;
        axi.aw_len = static_cast<std::uint8_t>(s.dma.wanted_write()->beats - 1);
      }
      if (const Dma::Beat* beat = s.dma.wanted_beat()) {
        axi.w_valid = true;
        axi.w_data = beat->data;
        axi.w_strb = beat->strobe;
        axi.w_last = beat->last;
      }
    }
  }

  /// The clock edge at the end of a core cycle: what shook hands happens.
  void tick(bool counts) {
    State& s = *state_;
    const base::AxiRequest& axi = out_.axi;
    const base::AxiResponse& answer = in_.axi;
    s.answer.reset();
    if (out_.data_rvalid && s.memory_busy) s.memory_busy = false;
    const std::uint32_t read_bytes = s.dma.read_bytes, write_bytes = s.dma.write_bytes;
    if (axi.ar_valid && answer.ar_ready) {
      if (s.reads == kInstructions) s.line_asks = false;
      if (s.reads == kCore) s.memory_ar = false;
      if (s.reads == kDma) s.dma.read_taken();
      s.reads = kNobody;
    }
    if (axi.aw_valid && answer.aw_ready) {
      if (s.writes == kCore) s.memory_aw = false;
      if (s.writes == kDma) s.dma.write_taken();
    }
    if (axi.w_valid && answer.w_ready) {
      if (s.writes == kCore) s.memory_w = false;
      if (s.writes == kDma) s.dma.beat_taken();
    }
    if ((s.writes == kCore && !s.memory_aw && !s.memory_w) ||
        (s.writes == kDma && !s.dma.wanted_write() && s.dma.wanted_beat() == nullptr)) {
      s.writes = kNobody;
    }
    if (answer.r_valid && answer.r_id >> kSourceLsb == kDma) {
      s.dma.read_beat(answer.r_data, answer.r_resp != base::kRespOkay, answer.r_last);
    }
    if (answer.b_valid && answer.b_id >> kSourceLsb == kDma) {
      s.dma.write_response(answer.b_resp != base::kRespOkay);
    }
    if (!counts) {
      s.dma.read_bytes = read_bytes;
      s.dma.write_bytes = write_bytes;
    }

    if (out_.instr_rvalid) {
      s.beat = (s.beat + 1) % kLineBeats;
      if (out_.instr_last && s.nowhere) {
        s.nowhere = false;
      } else if (out_.instr_last) {
        --s.lines;
      }
    }
    if (in_.instr_req && out_.instr_gnt) {
      s.line = in_.instr_addr;
      s.line_asks = in_.instr_addr >= regs::kCubeBase;
      s.nowhere = !s.line_asks;
      if (s.line_asks) ++s.lines;
    }

    if (in_.data_req && out_.data_gnt) access();
    s.dma.tick();
    ControlInputs inputs;
    for (std::size_t n = 0; n < s.ntx.size(); ++n) {
      inputs.ntx_irq |= static_cast<std::uint32_t>(s.ntx[n].irq()) << n;
    }
    inputs.dma_done = s.dma.done();
    inputs.dma_error = s.dma.failed();
    inputs.barrier_release = in_.barrier_release;
    s.control.tick(inputs);
    if (s.control.take_clear()) {
      s.counters = {};
      s.dma.read_bytes = s.dma.write_bytes = 0;
      for (NtxUnit& unit : s.ntx) unit.counters() = {};
    }
  }

  /// The core's request, which is granted.
  void access() {
    State& s = *state_;
    if (to_memory()) {
      s.request = in_;
      s.memory_busy = true;
      s.memory_ar = !in_.data_we;
      s.memory_aw = s.memory_w = in_.data_we;
    } else if (to_tcdm()) {
      std::uint32_t& word = words_[(in_.data_addr - regs::kTcdmBase) / 4];
      s.answer = Answer{word, false};
      if (in_.data_we) {
        std::uint32_t mask = 0;
        for (unsigned byte = 0; byte < 4; ++byte)
          mask |= (in_.data_be >> byte & 1) != 0 ? 0xFFu << (8 * byte) : 0;
        word = (word & ~mask) | (in_.data_wdata & mask);
      }
    } else if (to_registers()) {
      const std::optional<std::uint32_t> data = in_.data_we ? write_register() : read_register();
      s.answer = Answer{data.value_or(0), !data};
    } else {
      s.answer = Answer{0, true};
    }
  }

  std::optional<std::uint32_t> read_register() {
    State& s = *state_;
    const std::uint32_t address = in_.data_addr;
    const auto offset = [address](std::uint64_t base) { return static_cast<std::uint32_t>(address - base); };
    if (in(address, regs::kControlBase, regs::kControlSize)) {
      return s.control.read(offset(regs::kControlBase), s.now);
    }
    if (in(address, regs::kDmaBase, regs::kDmaSize)) return s.dma.read(offset(regs::kDmaBase));
    if (in(address, regs::kCountersBase, regs::kCountersSize))
      return read_counter(offset(regs::kCountersBase));
    if (to_ntx() && ntx_number() < s.ntx.size()) return s.ntx[ntx_number()].read(ntx_offset(), s.priority);
    return std::nullopt;
  }

  std::optional<std::uint32_t> read_counter(std::uint32_t offset) const {
    namespace c = regs::counters;
    const auto at = [](const auto& counters, std::uint32_t index) -> std::optional<std::uint32_t> {
      std::vector<std::uint32_t> words;
      append(words, counters);
      return index < words.size() ? std::optional(words[index]) : std::nullopt;
    };
    if (in(offset, c::kNtxBusyOffset, state_->ntx.size() * c::kNtxBusyStride)) {
      const std::uint32_t of_ntx = offset - c::kNtxBusyOffset;
      return at(state_->ntx[of_ntx / c::kNtxBusyStride].counters(), of_ntx % c::kNtxBusyStride / 4);
    }
    if (in(offset, c::kBankAccessesOffset, options_.parameters.tcdm_banks * c::kBankAccessesStride)) return 0;
    // Two places between the cycles and the DMA's are not in use.
    if (offset < c::kDmaReadBytesOffset) {
      return offset <= c::kComputeCyclesOffset ? at(own_counters(), offset / 4) : std::nullopt;
    }
    return at(own_counters(), 2 + (offset - c::kDmaReadBytesOffset) / 4);
  }

  std::optional<std::uint32_t> write_register() {
    State& s = *state_;
    const std::uint32_t address = in_.data_addr, value = in_.data_wdata;
    const auto done = [](bool exists) { return exists ? std::optional(0u) : std::nullopt; };
    if (in(address, regs::kControlBase, regs::kControlSize)) {
      return done(s.control.write(static_cast<std::uint32_t>(address - regs::kControlBase), value));
    }
    if (in(address, regs::kDmaBase, regs::kDmaSize)) {
      return done(s.dma.write(static_cast<std::uint32_t>(address - regs::kDmaBase), value));
    }
    if (!to_all_ntx() && !(to_ntx() && ntx_number() < s.ntx.size())) return std::nullopt;
    for (std::size_t n = 0; n < s.ntx.size(); ++n) {
      if (to_all_ntx() || n == ntx_number()) s.ntx[n].write(ntx_offset(), value);
    }
    if (ntx_offset() == regs::ntx::kCtrlOffset) {
      s.priority = value >> regs::ntx::kCtrlPriorityLsb & ((1u << regs::ntx::kCtrlPriorityWidth) - 1);
    }
    return 0;
  }

  static constexpr std::uint32_t kNtxBytes = regs::kNtxSize / kMostNtx;

  rtl::ClusterOptions options_;
  std::vector<std::uint32_t> words_;  ///< the scratchpad, little endian as the host
  Ntx functions_;
  std::optional<State> state_;
  rtl::ClusterInputs in_;
  rtl::ClusterOutputs out_;
};

}  // namespace

void check_model(const rtl::ClusterOptions& options) {
  const rtl::ClusterParameters& p = options.parameters;
  const rtl::ClusterParameters usual;
  if (options.traceable) bad_input("waveforms: the fast backend has no signals; --backend rtl has");
  if (p.accumulator_lsb != usual.accumulator_lsb || p.accumulator_segments != usual.accumulator_segments) {
    bad_input(
        "accumulator_lsb {} and accumulator_segments {}: the fast backend has {} and {} only; --backend rtl "
        "may have others",
        p.accumulator_lsb, p.accumulator_segments, usual.accumulator_lsb, usual.accumulator_segments);
  }
}

std::unique_ptr<rtl::ClusterModel> make_cluster(const rtl::ClusterOptions& options) {
  fast::check_model(options);
  return std::make_unique<Cluster>(options);
}

}  // namespace nearcube::fast
