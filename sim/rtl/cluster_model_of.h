// SPDX-License-Identifier: Apache-2.0
// ClusterModel around a class that Verilator generated.
#pragma once

#include <verilated_fst_c.h>

#include <iterator>
#include <type_traits>
#include <vector>

#include "sim/rtl/cluster_model.h"
#include "sim/rtl/simulation.h"

namespace nearcube::rtl {

template <typename Model, bool kTraceable>
class ClusterModelOf : public ClusterModel {
 public:
  explicit ClusterModelOf(const ClusterOptions& options) : top_(options.seed, kTraceable) {
    top_->cluster_id_i = options.cluster_id;
    top_->cluster_count_i = options.cluster_count;
    reset(ClusterInputs());
  }

  void reset(const ClusterInputs& inputs) override {
    constexpr unsigned kResetCycles = 4;
    apply(inputs);
    top_->clk_i = 0;
    top_->rst_ni = 0;
    top_->eval();
    for (unsigned i = 0; i < kResetCycles; ++i) {
      top_->clk_i = 1;
      top_->eval();
      top_->clk_i = 0;
      if (i + 1 == kResetCycles) top_->rst_ni = 1;
      top_->eval();
    }
  }

  void rise(std::uint64_t cycle) override {
    top_.context().time(cycle);
    top_->clk_i = 1;
    top_->eval();
  }

  void fall(const ClusterInputs* inputs) override {
    top_->clk_i = 0;
    if (inputs != nullptr) apply(*inputs);
    top_->eval();
  }

  bool core_tick() const override { return top_->core_tick_o != 0; }

  ClusterOutputs sample() const override {
    const Model& top = *top_;
    ClusterOutputs out;
    out.data_gnt = top.data_gnt_o != 0;
    out.data_rvalid = top.data_rvalid_o != 0;
    out.data_err = top.data_err_o != 0;
    out.data_rdata = top.data_rdata_o;
    out.instr_gnt = top.instr_gnt_o != 0;
    out.instr_rvalid = top.instr_rvalid_o != 0;
    out.instr_last = top.instr_last_o != 0;
    out.instr_err = top.instr_err_o != 0;
    out.instr_rdata = top.instr_rdata_o;
    out.irq_external = top.irq_external_o != 0;
    out.irq_timer = top.irq_timer_o != 0;
    out.barrier_arrive = top.barrier_arrive_o != 0;
    out.exit_valid = top.exit_valid_o != 0;
    out.exit_code = top.exit_code_o;
    out.char_valid = top.char_valid_o != 0;
    out.character = static_cast<char>(top.char_o);
    out.phase = top.phase_o;
    out.axi.aw_valid = top.axi_aw_valid_o != 0;
    out.axi.aw_addr = top.axi_aw_addr_o;
    out.axi.aw_id = top.axi_aw_id_o;
    out.axi.aw_len = top.axi_aw_len_o;
    out.axi.aw_size = top.axi_aw_size_o;
    out.axi.aw_burst = top.axi_aw_burst_o;
    out.axi.w_valid = top.axi_w_valid_o != 0;
    out.axi.w_data = top.axi_w_data_o;
    out.axi.w_strb = top.axi_w_strb_o;
    out.axi.w_last = top.axi_w_last_o != 0;
    out.axi.b_ready = top.axi_b_ready_o != 0;
    out.axi.ar_valid = top.axi_ar_valid_o != 0;
    out.axi.ar_addr = top.axi_ar_addr_o;
    out.axi.ar_id = top.axi_ar_id_o;
    out.axi.ar_len = top.axi_ar_len_o;
    out.axi.ar_size = top.axi_ar_size_o;
    out.axi.ar_burst = top.axi_ar_burst_o;
    out.axi.r_ready = top.axi_r_ready_o != 0;
    return out;
  }

  ClusterDebug debug() const override {
    ClusterDebug debug;
    debug.dma = top_->dma_debug_o;
    debug.core = top_->core_debug_o;
    for (unsigned n = 0; n < debug.ntx.size(); ++n) debug.ntx[n] = top_->ntx_debug_o[n];
    return debug;
  }

  std::vector<std::uint32_t> counters() const override {
    const auto& root = *top_->rootp;
    // A word that is not in use counts as zero, see rtl/cluster/event_counters.sv.
    const auto value = [](const auto& sums, auto used, unsigned i) {
      return (used >> i & 1) != 0 ? std::uint32_t{sums[i]} : 0u;
    };
    std::vector<std::uint32_t> values = {
        root.cluster__DOT__u_counters__DOT__cycles_q,     root.cluster__DOT__u_counters__DOT__compute_q,
        root.cluster__DOT__u_counters__DOT__read_bytes_q, root.cluster__DOT__u_counters__DOT__write_bytes_q,
        root.cluster__DOT__u_counters__DOT__busy_q,       root.cluster__DOT__u_counters__DOT__wait_bus_q,
        root.cluster__DOT__u_counters__DOT__wait_tcdm_q,  root.cluster__DOT__u_counters__DOT__core_wait_q};
    const auto& events = root.cluster__DOT__u_counters__DOT__u_events__DOT__sums_q;
    const auto events_used = root.cluster__DOT__u_counters__DOT__u_events__DOT__used_q;
    for (unsigned n = 0; n < 8; ++n) {
      for (unsigned event = 0; event < 8; ++event)
        values.push_back(value(events, events_used, 8 * n + event));
      values.push_back(value(root.cluster__DOT__u_counters__DOT__u_singles__DOT__sums_q,
                             root.cluster__DOT__u_counters__DOT__u_singles__DOT__used_q, n) +
                       2 * value(root.cluster__DOT__u_counters__DOT__u_pairs__DOT__sums_q,
                                 root.cluster__DOT__u_counters__DOT__u_pairs__DOT__used_q, n));
      values.push_back(value(root.cluster__DOT__u_counters__DOT__u_done__DOT__sums_q,
                             root.cluster__DOT__u_counters__DOT__u_done__DOT__used_q, n));
    }
    const auto& accesses = root.cluster__DOT__u_counters__DOT__u_accesses__DOT__sums_q;
    const auto& conflicts = root.cluster__DOT__u_counters__DOT__u_conflicts__DOT__sums_q;
    for (unsigned bank = 0; bank < std::size(accesses.m_storage); ++bank) {
      values.push_back(value(accesses, root.cluster__DOT__u_counters__DOT__u_accesses__DOT__used_q, bank));
      values.push_back(value(conflicts, root.cluster__DOT__u_counters__DOT__u_conflicts__DOT__used_q, bank));
    }
    return values;
  }

  std::vector<std::uint64_t> clocks() const override {
    std::vector<std::uint64_t> values;
    each_clock(*top_->rootp, [&values](const auto& value) { values.push_back(value); });
    return values;
  }

  void set_clocks(const std::vector<std::uint64_t>& values) override {
    auto next = values.begin();
    each_clock(*top_->rootp,
               [&next](auto& value) { value = static_cast<std::decay_t<decltype(value)>>(*next++); });
  }

  bool traceable() const override { return kTraceable; }
  void trace(VerilatedFstC& fst) override {
    if constexpr (kTraceable) top_->trace(&fst, 99);
  }

 private:
  // What depends on them through gates alone is computed anew after every clock edge, so that writing to them
  // between two is enough.
  template <typename Root, typename Use>
  static void each_clock(Root& root, const Use& use) {
    use(root.cluster__DOT__u_control__DOT__cycle_q);
    use(root.cluster__DOT__u_control__DOT__mtime_q);
    use(root.cluster__DOT__u_counters__DOT__cycles_q);
    for (auto& sum : root.cluster__DOT__u_counters__DOT__u_events__DOT__sums_q.m_storage) use(sum);
  }

  void apply(const ClusterInputs& in) {
    Model& top = *top_;
    top.data_req_i = in.data_req;
    top.data_we_i = in.data_we;
    top.data_be_i = in.data_be;
    top.data_addr_i = in.data_addr;
    top.data_wdata_i = in.data_wdata;
    top.instr_req_i = in.instr_req;
    top.instr_addr_i = in.instr_addr;
    top.barrier_release_i = in.barrier_release;
    top.axi_aw_ready_i = in.axi.aw_ready;
    top.axi_w_ready_i = in.axi.w_ready;
    top.axi_b_valid_i = in.axi.b_valid;
    top.axi_b_id_i = in.axi.b_id;
    top.axi_b_resp_i = in.axi.b_resp;
    top.axi_ar_ready_i = in.axi.ar_ready;
    top.axi_r_valid_i = in.axi.r_valid;
    top.axi_r_id_i = in.axi.r_id;
    top.axi_r_data_i = in.axi.r_data;
    top.axi_r_resp_i = in.axi.r_resp;
    top.axi_r_last_i = in.axi.r_last;
  }

  Simulation<Model> top_;
};

}  // namespace nearcube::rtl
