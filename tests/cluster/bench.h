// SPDX-License-Identifier: Apache-2.0
// Clock, reset and register accesses for Verilated blocks of the cluster.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/rtl/simulation.h"

namespace nearcube::test {

/// A block under test. Inputs are set on `dut` between settle() and edge(); registers without reset start
/// with values drawn from `seed`.
template <typename Model>
struct Block {
  explicit Block(std::uint64_t seed) : dut(seed) {}

  /// Four cycles of reset with the inputs as they are, and settled at the first cycle after it.
  void reset() {
    dut->rst_ni = 0;
    for (int i = 0; i < 4; ++i) edge();
    dut->rst_ni = 1;
    settle();
  }
  /// Outputs follow the inputs of this cycle.
  void settle() { dut->eval(); }
  /// The clock edge at the end of this cycle.
  void edge() {
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    dut->eval();
    ++cycles;
  }

  rtl::Simulation<Model> dut;
  std::uint64_t cycles = 0;
};

/// Drives an input of whatever width Verilator gave it.
template <typename Port, typename Value>
void put(Port& port, Value value) {
  port = static_cast<Port>(value);
}

/// What a register access answers.
struct Answer {
  std::uint32_t data;
  bool error;
};

/// An always granted access to a block with ports req_i, we_i, addr_i (words), wdata_i, rdata_o, err_o, in a
/// tick cycle. Ends in the cycle of the answer, with core_tick_i low.
template <typename Model>
Answer access(Block<Model>& block, bool write, std::uint32_t offset, std::uint32_t data = 0) {
  auto& dut = *block.dut;
  dut.core_tick_i = 1;
  dut.req_i = 1;
  dut.we_i = write;
  put(dut.addr_i, offset / 4);
  if constexpr (requires { dut.wdata_i; }) dut.wdata_i = data;
  block.settle();
  block.edge();
  dut.core_tick_i = 0;
  dut.req_i = 0;
  block.settle();
  return {dut.rdata_o, dut.err_o != 0};
}

}  // namespace nearcube::test
