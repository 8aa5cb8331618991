// SPDX-License-Identifier: Apache-2.0
// The Verilated DMA between a scratchpad that withholds grants at random and tests/support/axi_slave.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vdma.h"
#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/random.h"
#include "sim/memory/flat_memory.h"
#include "sim/rtl/simulation.h"
#include "tests/support/axi_slave.h"

namespace nearcube::test {

inline constexpr std::uint64_t kTcdmBase = 0x1000'0000;
inline constexpr std::uint64_t kTcdmBytes = 65536;
inline constexpr std::uint64_t kCubeBase = 0x8000'0000;

/// A transfer as the registers describe it.
struct Transfer {
  std::uint64_t src = 0, dst = 0;
  std::uint32_t bytes = 0;
  std::int32_t src_stride1 = 0, dst_stride1 = 0;
  std::uint32_t count1 = 1;
  std::int32_t src_stride2 = 0, dst_stride2 = 0;
  std::uint32_t count2 = 1;
  std::uint32_t pattern = 0;
  bool fill = false;
};

struct BenchOptions {
  unsigned ratio = 2;     ///< NTX clock cycles a core clock cycle
  double read_grant = 1;  ///< probability that a scratchpad read is granted in a cycle
  double write_grant = 1;
  AxiSlaveOptions axi;
  std::uint64_t seed = 1;
};

class DmaBench {
 public:
  /// Memory is from 0x8000_0000 on, 64 GiB of it.
  explicit DmaBench(const BenchOptions& options)
      : options_(options),
        random_(options.seed),
        memory_(kCubeBase, std::uint64_t{1} << 36, memory::Untouched::kZero),
        axi_(memory_, limited(options.axi)),
        top_(options.seed),
        tcdm_(kTcdmBytes) {
    top_.context().fatalOnError(false);  // a failed assertion is an exception here, so that a test can shrink
    top_->rst_ni = 0;
    for (unsigned i = 0; i < 2 * options_.ratio; ++i) cycle();
    top_->rst_ni = 1;
  }
  DmaBench(const DmaBench&) = delete;
  DmaBench& operator=(const DmaBench&) = delete;

  memory::FlatMemory& memory() { return memory_; }
  AxiSlave& axi() { return axi_; }
  std::vector<std::uint8_t>& tcdm() { return tcdm_; }
  Vdma& top() { return *top_; }
  std::uint64_t now() const { return now_; }
  std::uint64_t done_pulses() const { return done_pulses_; }
  std::uint64_t error_pulses() const { return error_pulses_; }
  std::uint64_t read_bytes() const { return read_bytes_; }
  std::uint64_t write_bytes() const { return write_bytes_; }

  /// One NTX clock cycle. True if a register access was granted in it.
  bool cycle() {
    const bool tick = now_ % options_.ratio == options_.ratio - 1;
    const memory::AxiResponse& r = axi_.outputs();
    top_->clk_i = 0;
    top_->core_tick_i = tick;
    top_->axi_aw_ready_i = r.aw_ready;
    top_->axi_w_ready_i = r.w_ready;
    top_->axi_b_valid_i = r.b_valid;
    top_->axi_b_id_i = r.b_id & 7;
    top_->axi_b_resp_i = r.b_resp & 3;
    top_->axi_ar_ready_i = r.ar_ready;
    top_->axi_r_valid_i = r.r_valid;
    top_->axi_r_id_i = r.r_id & 7;
    top_->axi_r_data_i = r.r_data;
    top_->axi_r_resp_i = r.r_resp & 3;
    top_->axi_r_last_i = r.r_last;
    drive_scratchpad();
    top_->eval();

    const bool granted = tick && top_->cfg_req_i && top_->cfg_gnt_o;
    if (top_->rst_ni) {
      if (!tick && (top_->done_o || top_->error_o)) throw std::runtime_error("an event outside a tick");
      check_outputs_change_after_ticks();
      done_pulses_ += top_->done_o;
      error_pulses_ += top_->error_o;
      read_bytes_ += top_->read_bytes_o;
      write_bytes_ += top_->write_bytes_o;
      if (tick) axi_.tick(request());
      take_scratchpad_accesses();
    }
    after_tick_ = tick;
    top_->clk_i = 1;
    top_->eval();
    if (top_.context().gotError()) throw std::runtime_error("an assertion of the RTL failed (printed above)");
    ++now_;
    return granted;
  }

  /// Register accesses; `offset` in bytes. They take their time. A missing grant of longer than `patience`
  /// ticks throws.
  std::uint32_t read(std::uint32_t offset) {
    access(offset, false, 0, 10);
    return top_->cfg_rdata_o;
  }
  void write(std::uint32_t offset, std::uint32_t value, std::uint64_t patience = 10) {
    access(offset, true, value, patience);
  }
  bool last_access_failed() const { return access_failed_; }

  /// Writes the shape registers that differ from what they hold, and starts; returns the id.
  std::uint32_t start(const Transfer& t, std::uint64_t patience = 10'000'000) {
    describe(t);
    write(interfaces::dma::kStartOffset, t.fill ? 1 : 0, patience);
    return read(interfaces::dma::kStartedIdOffset);
  }
  void describe(const Transfer& t) {
    using namespace interfaces::dma;
    shape(kSrcLoOffset, static_cast<std::uint32_t>(t.src));
    shape(kSrcHiOffset, static_cast<std::uint32_t>(t.src >> 32));
    shape(kDstLoOffset, static_cast<std::uint32_t>(t.dst));
    shape(kDstHiOffset, static_cast<std::uint32_t>(t.dst >> 32));
    shape(kBytesOffset, t.bytes);
    shape(kSrcStride1Offset, static_cast<std::uint32_t>(t.src_stride1));
    shape(kDstStride1Offset, static_cast<std::uint32_t>(t.dst_stride1));
    shape(kCount1Offset, t.count1);
    shape(kSrcStride2Offset, static_cast<std::uint32_t>(t.src_stride2));
    shape(kDstStride2Offset, static_cast<std::uint32_t>(t.dst_stride2));
    shape(kCount2Offset, t.count2);
    shape(kFillOffset, t.pattern);
  }

  /// Runs until nothing is outstanding; returns cycles. Throws after `limit` cycles.
  std::uint64_t run_until_idle(std::uint64_t limit = 10'000'000) {
    const std::uint64_t begin = now_;
    while (top_->busy_o) {
      if (now_ - begin > limit) throw std::runtime_error("stuck: " + debug());
      cycle();
    }
    return now_ - begin;
  }

  std::string debug() const {
    char text[64];
    std::snprintf(text, sizeof text, "debug_o 0x%08x at cycle %llu", static_cast<unsigned>(top_->debug_o),
                  static_cast<unsigned long long>(now_));
    return text;
  }

 private:
  static AxiSlaveOptions limited(AxiSlaveOptions options) {
    options.max_burst_bytes = 256;
    return options;
  }

  void access(std::uint32_t offset, bool we, std::uint32_t value, std::uint64_t patience) {
    top_->cfg_req_i = 1;
    top_->cfg_we_i = we;
    top_->cfg_addr_i = static_cast<std::uint16_t>(offset >> 2);
    top_->cfg_wdata_i = value;
    for (std::uint64_t waited = 0; !cycle(); ++waited) {
      if (waited > patience * options_.ratio) throw std::runtime_error("a register access waits: " + debug());
    }
    top_->cfg_req_i = 0;
    // The answer is there in the next cycle and its data stays.
    if (!top_->cfg_rvalid_o) throw std::runtime_error("a register access has no answer");
    access_failed_ = top_->cfg_err_o;
  }

  void shape(std::uint32_t offset, std::uint32_t value) {
    const unsigned index = offset / 4;
    if (index >= shape_.size()) throw std::logic_error("no shape register");
    if (shape_known_ >> index & 1 && shape_[index] == value) return;
    write(offset, value);
    shape_[index] = value;
    shape_known_ |= 1u << index;
  }

  memory::AxiRequest request() const {
    memory::AxiRequest q;
    q.aw_valid = top_->axi_aw_valid_o;
    q.aw_addr = top_->axi_aw_addr_o;
    q.aw_id = top_->axi_aw_id_o;
    q.aw_len = top_->axi_aw_len_o;
    q.aw_size = top_->axi_aw_size_o;
    q.aw_burst = top_->axi_aw_burst_o;
    q.w_valid = top_->axi_w_valid_o;
    q.w_data = top_->axi_w_data_o;
    q.w_strb = top_->axi_w_strb_o;
    q.w_last = top_->axi_w_last_o;
    q.b_ready = top_->axi_b_ready_o;
    q.ar_valid = top_->axi_ar_valid_o;
    q.ar_addr = top_->axi_ar_addr_o;
    q.ar_id = top_->axi_ar_id_o;
    q.ar_len = top_->axi_ar_len_o;
    q.ar_size = top_->axi_ar_size_o;
    q.ar_burst = top_->axi_ar_burst_o;
    q.r_ready = top_->axi_r_ready_o;
    return q;
  }

  void check_outputs_change_after_ticks() {
    const memory::AxiRequest now = request();
    const memory::AxiRequest& was = last_request_;
    const bool same = now.aw_valid == was.aw_valid && now.w_valid == was.w_valid &&
                      now.ar_valid == was.ar_valid && now.r_ready == was.r_ready &&
                      now.b_ready == was.b_ready && (!now.aw_valid || now.aw_addr == was.aw_addr) &&
                      (!now.ar_valid || now.ar_addr == was.ar_addr) &&
                      (!now.w_valid || (now.w_data == was.w_data && now.w_strb == was.w_strb));
    if (!after_tick_ && !same && now_ > 2 * options_.ratio)
      throw std::runtime_error("AXI outputs changed within a core cycle");
    last_request_ = now;
  }

  // tcdm_pkg::req_t is {req, we, be[4], addr[18], wdata[32]}; rsp_t is {gnt, rvalid, rdata[32]}.
  struct Port {
    bool req = false, we = false;
    unsigned be = 0;
    std::uint32_t addr = 0, wdata = 0;
    bool operator==(const Port&) const = default;
  };
  static Port unpack(std::uint64_t bits) {
    Port port;
    port.wdata = static_cast<std::uint32_t>(bits);
    port.addr = static_cast<std::uint32_t>(bits >> 32 & 0x3FFFF);
    port.be = static_cast<unsigned>(bits >> 50 & 15);
    port.we = bits >> 54 & 1;
    port.req = bits >> 55 & 1;
    return port;
  }
  static std::uint64_t pack(bool gnt, bool rvalid, std::uint32_t rdata) {
    return std::uint64_t{gnt} << 33 | std::uint64_t{rvalid} << 32 | rdata;
  }

  void drive_scratchpad() {
    // Requests come from registers, so grants may be drawn before anything else is settled.
    top_->tcdm_read_rsp_i = pack(false, read_answer_, read_data_);
    top_->tcdm_write_rsp_i = pack(false, write_answer_, static_cast<std::uint32_t>(random_.next()));
    top_->eval();
    read_ = unpack(top_->tcdm_read_req_o);
    write_ = unpack(top_->tcdm_write_req_o);
    read_granted_ = read_.req && chance(options_.read_grant);
    write_granted_ = write_.req && chance(options_.write_grant);
    // One bank serves one access a cycle.
    if (read_granted_ && write_granted_ && read_.addr % 64 == write_.addr % 64) {
      (random_.next() & 1 ? read_granted_ : write_granted_) = false;
    }
    top_->tcdm_read_rsp_i = pack(read_granted_, read_answer_, read_data_);
    top_->tcdm_write_rsp_i = pack(write_granted_, write_answer_, static_cast<std::uint32_t>(random_.next()));
  }

  void take_scratchpad_accesses() {
    if (read_waited_.req && !(read_ == read_waited_))
      throw std::runtime_error("a scratchpad read was not held");
    if (write_waited_.req && !(write_ == write_waited_))
      throw std::runtime_error("a scratchpad write was not held");
    if (read_.req && read_.we) throw std::runtime_error("the read port writes");
    if (write_.req && (!write_.we || write_.be == 0))
      throw std::runtime_error("the write port does not write");
    if ((read_.req && read_.addr >= kTcdmBytes / 4) || (write_.req && write_.addr >= kTcdmBytes / 4)) {
      throw std::runtime_error("a scratchpad access out of range");
    }
    read_waited_ = read_granted_ ? Port{} : read_;
    write_waited_ = write_granted_ ? Port{} : write_;
    read_answer_ = read_granted_;
    write_answer_ = write_granted_;
    read_data_ = static_cast<std::uint32_t>(random_.next());
    if (read_granted_) std::memcpy(&read_data_, &tcdm_[read_.addr * std::size_t{4}], 4);
    if (write_granted_) {
      for (unsigned i = 0; i < 4; ++i) {
        if (write_.be >> i & 1)
          tcdm_[write_.addr * std::size_t{4} + i] = static_cast<std::uint8_t>(write_.wdata >> 8 * i);
      }
    }
  }

  bool chance(double probability) {
    return probability >= 1 || static_cast<double>(random_.unit()) < probability;
  }

  BenchOptions options_;
  base::Random random_;
  memory::FlatMemory memory_;
  AxiSlave axi_;
  rtl::Simulation<Vdma> top_;
  std::vector<std::uint8_t> tcdm_;
  Port read_, write_, read_waited_, write_waited_;
  bool read_granted_ = false, write_granted_ = false, read_answer_ = false, write_answer_ = false;
  std::uint32_t read_data_ = 0;
  memory::AxiRequest last_request_;
  bool after_tick_ = true;
  bool access_failed_ = false;
  std::vector<std::uint32_t> shape_ = std::vector<std::uint32_t>(12);
  std::uint32_t shape_known_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t done_pulses_ = 0, error_pulses_ = 0, read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace nearcube::test
