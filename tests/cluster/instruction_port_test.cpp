// SPDX-License-Identifier: Apache-2.0
// Instruction refill: four beats for each line, in order, from AXI with random timing, or in error from
// nowhere.
#include <algorithm>
#include <deque>
#include <optional>

#include "Vinstruction_port.h"
#include "interfaces/generated/nearcube/interfaces.hpp"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using nearcube::test::Block;

TEST_CASE("Instruction port: lines inside and outside cube memory") {
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  nearcube::test::Random random(seed);
  Block<Vinstruction_port> block(seed);
  auto& dut = *block.dut;
  dut.core_tick_i = dut.instr_req_i = dut.axi_r_valid_i = dut.axi_ar_ready_i = 0;
  block.reset();

  std::optional<std::uint32_t> wanted;  // asked for
  std::deque<std::uint32_t> fetching;   // granted, in this order
  std::size_t at_axi = 0;               // lines whose address AXI has taken
  std::size_t most = 0;
  unsigned beats = 0, lines = 0, errors = 0;
  const auto exists = [](std::uint32_t line) { return line >= nearcube::interfaces::kCubeBase; };
  for (std::uint64_t c = 0; c < nearcube::test::cases(50000, 2000000); ++c) {
    if (!wanted && random() % 2) {
      // Mostly in cube memory, around its border, and anywhere.
      const std::uint32_t anywhere = static_cast<std::uint32_t>(random());
      const std::uint32_t border =
          static_cast<std::uint32_t>(nearcube::interfaces::kCubeBase) - 64 + anywhere % 128;
      wanted = (random() % 2 ? anywhere | 0x8000'0000 : random() % 2 ? anywhere : border) & ~31u;
    }
    dut.instr_req_i = wanted.has_value();
    dut.instr_addr_i = wanted.value_or(static_cast<std::uint32_t>(random()) & ~31u);
    dut.axi_ar_ready_i = random() % 2;
    dut.axi_r_valid_i = at_axi > 0 && random() % 2;
    dut.axi_r_err_i = random() % 8 == 0;
    dut.axi_r_data_i = random();
    dut.axi_r_last_i = beats == 3;
    for (const bool tick : {false, true}) {
      dut.core_tick_i = tick;
      block.settle();
      if (!tick) {
        block.edge();
        continue;
      }
      const bool nowhere = !fetching.empty() && !exists(fetching.front());
      const bool address_waits = !nowhere && fetching.size() > at_axi;
      REQUIRE(dut.debug_busy_o == !fetching.empty());
      REQUIRE(dut.axi_ar_valid_o == address_waits);
      if (address_waits) REQUIRE(dut.axi_addr_o == fetching.back());
      const bool room = exists(dut.instr_addr_i) ? fetching.size() < 4 : fetching.empty();
      REQUIRE(dut.instr_gnt_o == (room && !nowhere && !address_waits));
      REQUIRE(dut.instr_rvalid_o == (nowhere || dut.axi_r_valid_i));
      if (dut.axi_ar_valid_o && dut.axi_ar_ready_i) ++at_axi;
      if (dut.instr_rvalid_o) {
        REQUIRE(dut.instr_last_o == (beats == 3));
        REQUIRE(dut.instr_err_o == (nowhere || dut.axi_r_err_i));
        if (!nowhere) REQUIRE(dut.instr_rdata_o == dut.axi_r_data_i);
        errors += nowhere;
        if (++beats == 4) {
          beats = 0;
          if (!nowhere) --at_axi;
          fetching.pop_front();
          ++lines;
        }
      }
      if (wanted && dut.instr_gnt_o) {
        fetching.push_back(*wanted);
        wanted.reset();
      }
      most = std::max(most, fetching.size());
      block.edge();
    }
  }
  CHECK(most == 4);
  CHECK(lines > 1000);
  CHECK(errors > 1000);
}
