// SPDX-License-Identifier: Apache-2.0
// Register accesses to the NTX: one, all or none, and the priority that CTRL writes leave.
#include "Vntx_slave_mux.h"
#include "Vntx_slave_mux_3.h"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Block;
using nearcube::test::put;

template <typename Model>
void random_accesses(unsigned units) {
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  nearcube::test::Random random(seed);
  Block<Model> block(seed);
  auto& dut = *block.dut;
  dut.core_tick_i = dut.req_i = 0;
  block.reset();
  CHECK(dut.priority_o == 1);
  unsigned priority = 1, broadcasts = 0, held = 0;
  const std::uint32_t all = (1u << units) - 1;
  for (std::uint64_t i = 0; i < nearcube::test::cases(50000, 2000000); ++i) {
    const bool tick = random() % 2, request = random() % 4 != 0, write = random() % 2;
    const std::uint32_t offset = static_cast<std::uint32_t>(random() % 0x480) & ~3u;
    const std::uint32_t grants = static_cast<std::uint32_t>((random() | random() | random()) & all);
    const unsigned wanted = random() % 4;
    dut.core_tick_i = tick;
    dut.req_i = request;
    dut.we_i = write;
    put(dut.addr_i, offset / 4);
    put(dut.priority_i, wanted);
    put(dut.ntx_gnt_i, grants);
    block.settle();

    const bool broadcast = offset >= 0x400;
    const unsigned unit = (offset / 0x80) % 8;
    const bool exists = broadcast ? write : unit < units;
    const std::uint32_t targets = !exists ? 0 : broadcast ? all : 1u << unit;
    const bool granted = (targets & ~grants) == 0;
    INFO("offset 0x" << std::hex << offset << " write " << write << " grants " << grants);
    REQUIRE(dut.gnt_o == granted);
    // All or none: no unit sees a request that another does not take.
    REQUIRE(dut.ntx_req_o == (request && granted ? targets : 0));
    broadcasts += request && tick && broadcast && exists && granted;
    held += request && tick && !granted;
    if (request && tick && granted && exists && write && offset % 0x80 == 4) priority = wanted;
    block.edge();

    std::uint32_t data = 0;
    if constexpr (requires { dut.ntx_rdata_i[0]; }) {
      for (unsigned n = 0; n < units; ++n) dut.ntx_rdata_i[n] = static_cast<std::uint32_t>(random());
      if (unit < units) data = dut.ntx_rdata_i[unit];
    }
    dut.core_tick_i = 0;
    block.settle();
    REQUIRE(dut.priority_o == priority);
    if (tick && request && granted) {
      REQUIRE(dut.err_o == !exists);
      if (exists && !broadcast) REQUIRE(dut.rdata_o == data);
    }
  }
  CHECK(broadcasts > 100);
  CHECK(held > 100);
}

}  // namespace

TEST_CASE("NTX registers: eight units") { random_accesses<Vntx_slave_mux>(8); }
TEST_CASE("NTX registers: three units") { random_accesses<Vntx_slave_mux_3>(3); }
