// SPDX-License-Identifier: Apache-2.0
#include "tests/ntx/bench.h"

#include <cstdio>

#include "Vntx_bench.h"

namespace nearcube::ntx_test {
namespace {

std::string message(const char* text, std::uint64_t cycle, std::uint64_t detail) {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%s (cycle %llu, 0x%llx)", text,
                static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(detail));
  return line.data();
}

}  // namespace

NtxBench::NtxBench(std::uint64_t seed)
    : simulation_(std::make_unique<rtl::Simulation<Vntx_bench>>(seed)),
      top_(&**simulation_),
      memory_(kTcdmWords) {
  reset();
}

NtxBench::~NtxBench() = default;

void NtxBench::withhold_grants(unsigned refuse_of_256, std::uint64_t seed) {
  refuse_ = refuse_of_256;
  random_.seed(seed);
}

void NtxBench::idle_bus() {
  top_->cfg_req_i = 0;
  top_->cfg_we_i = 0;
}

void NtxBench::reset() {
  ports_ = {};
  idle_bus();
  top_->priority_i = 1;
  top_->rst_ni = 0;
  for (int i = 0; i < 3; ++i) {
    top_->clk_i = 0;
    top_->gnt0_i = top_->gnt1_i = 0;
    top_->rvalid0_i = top_->rvalid1_i = 0;
    top_->core_tick_i = 0;
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
  }
  top_->rst_ni = 1;
  top_->clk_i = 0;
  top_->eval();
}

void NtxBench::memory_port(unsigned index, bool req, bool we, std::uint32_t be, std::uint32_t addr,
                           std::uint32_t wdata, bool granted) {
  Port& port = ports_[index];
  if (port.waiting && !(req && we == port.we && addr == port.addr && (!we || wdata == port.wdata))) {
    throw BenchError(message("a request changed before its grant", now_, addr));
  }
  port.waiting = req && !granted;
  port.we = we;
  port.addr = addr;
  port.wdata = wdata;
  port.answers = granted;
  // An answer to a write has no data, and no answer has none: the unit must not look at these.
  port.rdata = 0xDEAD0000u + static_cast<std::uint32_t>(now_);
  if (!granted) {
    return;
  }
  if (addr >= memory_.size()) {
    throw BenchError(message("access outside the scratchpad", now_, addr));
  }
  if (we) {
    if (be != 0xF) {
      throw BenchError(message("partial store", now_, be));
    }
    ++counts_.stores;
  } else {
    port.rdata = memory_[addr];
    ++counts_.reads;
  }
}

bool NtxBench::clock() {
  top_->core_tick_i = (now_ % ratio_ == ratio_ - 1) ? 1 : 0;
  top_->rvalid0_i = ports_[0].answers;
  top_->rdata0_i = ports_[0].rdata;
  top_->rvalid1_i = ports_[1].answers;
  top_->rdata1_i = ports_[1].rdata;
  bool grant0 = top_->req0_o != 0;
  bool grant1 = top_->req1_o != 0;
  if (refuse_ != 0) {
    const std::uint64_t r = random_();
    grant0 = grant0 && (r & 0xFF) >= refuse_;
    grant1 = grant1 && (r >> 8 & 0xFF) >= refuse_;
  }
  top_->gnt0_i = grant0;
  top_->gnt1_i = grant1;
  top_->clk_i = 0;
  top_->eval();

  memory_port(0, top_->req0_o, top_->we0_o, top_->be0_o, top_->addr0_o, top_->wdata0_o, grant0);
  memory_port(1, top_->req1_o, top_->we1_o, top_->be1_o, top_->addr1_o, top_->wdata1_o, grant1);
  if (grant0 && grant1 && (ports_[0].we || ports_[1].we) && ports_[0].addr == ports_[1].addr) {
    // Banks have one port, so real ones would order these two; nothing may depend on how.
    throw BenchError(
        message("two accesses to one word in one cycle, one of them a store", now_, ports_[0].addr));
  }
  for (const Port& port : ports_) {
    if (port.answers && port.we) {
      memory_[port.addr] = port.wdata;
    }
  }

  const unsigned perf = top_->perf_o;
  ++counts_.cycles;
  counts_.busy += perf >> 10 & 1;
  for (unsigned i = 0; i < 5; ++i) {
    counts_.stalls[i] += perf >> (9 - i) & 1;
  }
  counts_.idle += perf >> 4 & 1;
  counts_.macs += perf >> 3 & 1;
  counts_.results += perf >> 1 & 3;
  counts_.commands += perf & 1;

  const bool access = top_->cfg_req_i && top_->cfg_gnt_o && top_->core_tick_i;
  if (access && top_->cfg_we_i) {
    last_grant_ = now_;
  }
  top_->clk_i = 1;
  top_->eval();
  ++now_;
  if (access && !top_->cfg_rvalid_o) {
    throw BenchError(message("no answer to a configuration access", now_, top_->cfg_addr_i));
  }
  return access;
}

std::uint64_t NtxBench::write(unsigned reg, std::uint32_t value, std::uint64_t limit) {
  const std::uint64_t start = now_;
  top_->cfg_req_i = 1;
  top_->cfg_we_i = 1;
  top_->cfg_addr_i = static_cast<std::uint8_t>(reg);
  top_->cfg_wdata_i = value;
  while (!clock()) {
    if (now_ - start > limit) {
      idle_bus();
      throw BenchError(message("a register write is never granted", now_, reg));
    }
  }
  idle_bus();
  return now_ - start - 1;
}

std::uint32_t NtxBench::read(unsigned reg) {
  top_->cfg_req_i = 1;
  top_->cfg_we_i = 0;
  top_->cfg_addr_i = static_cast<std::uint8_t>(reg);
  bool granted = false;
  for (unsigned i = 0; i < ratio_ && !granted; ++i) {
    granted = clock();
  }
  idle_bus();
  if (!granted) {
    throw BenchError(message("a register read waited", now_, reg));
  }
  return top_->cfg_rdata_o;
}

bool NtxBench::try_write(unsigned reg, std::uint32_t value) {
  top_->cfg_req_i = 1;
  top_->cfg_we_i = 1;
  top_->cfg_addr_i = static_cast<std::uint8_t>(reg);
  top_->cfg_wdata_i = value;
  bool granted = false;
  for (unsigned i = 0; i < ratio_ && !granted; ++i) {
    granted = clock();
  }
  idle_bus();
  return granted;
}

bool NtxBench::write_grant(unsigned reg) {
  top_->cfg_req_i = 0;
  top_->cfg_we_i = 1;
  top_->cfg_addr_i = static_cast<std::uint8_t>(reg);
  top_->eval();
  const bool grant = top_->cfg_gnt_o;
  idle_bus();
  return grant;
}

void NtxBench::stage(const golden::Command& command) {
  for (unsigned j = 0; j < 5; ++j) {
    write(kLoop0 + j, command.loops[j]);
  }
  for (unsigned u = 0; u < 3; ++u) {
    write(kAgu0 + 6 * u, command.base[u]);
    for (unsigned j = 0; j < 5; ++j) {
      write(kAgu0 + 6 * u + 1 + j, static_cast<std::uint32_t>(command.stride[u][j]));
    }
  }
}

std::uint64_t NtxBench::wait_idle(std::uint64_t limit) {
  const std::uint64_t start = now_;
  while (top_->active_o) {
    if (now_ - start > limit) {
      throw BenchError(message("the unit is stuck", now_, top_->debug_o));
    }
    clock();
  }
  return now_;
}

bool NtxBench::irq() const { return top_->irq_o != 0; }
bool NtxBench::active() const { return top_->active_o != 0; }
std::uint32_t NtxBench::debug() const { return top_->debug_o; }

}  // namespace nearcube::ntx_test
