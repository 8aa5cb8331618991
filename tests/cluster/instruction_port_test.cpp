// SPDX-License-Identifier: Apache-2.0
// Instruction refill: four beats for each line, from AXI with random timing, or in error from nowhere.
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

  std::optional<std::uint32_t> wanted, fetching;  // asked for, granted
  bool at_axi = false;
  unsigned beats = 0, lines = 0, errors = 0;
  for (std::uint64_t c = 0; c < nearcube::test::cases(50000, 2000000); ++c) {
    if (!wanted && random() % 2) {
      // Around the border of cube memory, and anywhere.
      const std::uint32_t anywhere = static_cast<std::uint32_t>(random());
      const std::uint32_t border =
          static_cast<std::uint32_t>(nearcube::interfaces::kCubeBase) - 64 + anywhere % 128;
      wanted = (random() % 2 ? anywhere : border) & ~31u;
    }
    dut.instr_req_i = wanted.has_value();
    dut.instr_addr_i = wanted.value_or(static_cast<std::uint32_t>(random()) & ~31u);
    dut.axi_ar_ready_i = random() % 2;
    dut.axi_r_valid_i = at_axi && random() % 2;
    dut.axi_r_err_i = random() % 8 == 0;
    dut.axi_r_data_i = random();
    dut.axi_r_last_i = beats == 3;
    for (const bool tick : {false, true}) {
      dut.core_tick_i = tick;
      block.settle();
      if (tick) {
        REQUIRE(dut.debug_busy_o == fetching.has_value());
        REQUIRE(dut.instr_gnt_o == !fetching.has_value());
        const bool inside = fetching && *fetching >= nearcube::interfaces::kCubeBase;
        REQUIRE(dut.axi_ar_valid_o == (inside && !at_axi));
        REQUIRE(dut.instr_rvalid_o == (fetching && (!inside || dut.axi_r_valid_i)));
        if (dut.axi_ar_valid_o) REQUIRE(dut.axi_addr_o == *fetching);
        if (dut.axi_ar_valid_o && dut.axi_ar_ready_i) at_axi = true;
        if (dut.instr_rvalid_o) {
          REQUIRE(dut.instr_last_o == (beats == 3));
          REQUIRE(dut.instr_err_o == (!inside || dut.axi_r_err_i));
          if (inside) REQUIRE(dut.instr_rdata_o == dut.axi_r_data_i);
          errors += !inside;
          if (++beats == 4) {
            beats = 0;
            at_axi = false;
            fetching.reset();
            ++lines;
          }
        }
        if (wanted && dut.instr_gnt_o) {
          fetching = wanted;
          wanted.reset();
        }
      }
      block.edge();
    }
  }
  CHECK(lines > 1000);
  CHECK(errors > 1000);
}
