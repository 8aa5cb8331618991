// SPDX-License-Identifier: Apache-2.0
// Performance counters against plain additions, with clear and freeze at random.
#include <array>
#include <map>

#include "Vcluster_counters.h"
#include "Vcluster_counters_small.h"
#include "interfaces/generated/nearcube/interfaces.hpp"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Block;
using nearcube::test::put;
namespace reg = nearcube::interfaces::counters;

/// Offsets of the counters of NTX 0 in the order of ntx_pkg::perf_t, most significant first, up to `mac`.
constexpr std::array<std::uint32_t, 8> kEvents = {
    reg::kNtxBusyOffset,        reg::kNtxStallAOffset,      reg::kNtxStallBOffset, reg::kNtxStallInitOffset,
    reg::kNtxStallResultOffset, reg::kNtxStallHazardOffset, reg::kNtxIdleOffset,   reg::kNtxMacsOffset};

template <typename Wide>
void set_slice(Wide& wide, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const std::uint32_t mask = 1u << ((lsb + i) % 32);
    std::uint32_t& word = wide[(lsb + i) / 32];
    word = (word & ~mask) | (((value >> i) & 1) ? mask : 0);
  }
}

template <typename Model>
void random_events(unsigned ntx, unsigned banks) {
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  nearcube::test::Random random(seed);
  Block<Model> block(seed);
  auto& dut = *block.dut;
  dut.req_i = dut.core_tick_i = dut.freeze_i = dut.clear_i = 0;
  block.reset();
  // Reset lasted until the edge before; the first counted cycle is the next.
  std::map<std::uint32_t, std::uint32_t> value;
  const auto zero = [&] {
    value.clear();
    for (std::uint32_t o :
         {reg::kCyclesOffset, reg::kComputeCyclesOffset, reg::kDmaReadBytesOffset, reg::kDmaWriteBytesOffset,
          reg::kDmaBusyOffset, reg::kDmaWaitBusOffset, reg::kDmaWaitTcdmOffset, reg::kCoreWaitTcdmOffset}) {
      value[o] = 0;
    }
    for (std::uint32_t n = 0; n < ntx; ++n) {
      for (std::uint32_t o : kEvents) value[o + n * 0x40] = 0;
      value[reg::kNtxResultsOffset + n * 0x40] = value[reg::kNtxCommandsOffset + n * 0x40] = 0;
    }
    for (std::uint32_t b = 0; b < banks; ++b)
      value[reg::kBankAccessesOffset + 8 * b] = value[reg::kBankConflictsOffset + 8 * b] = 0;
  };
  zero();

  std::uint64_t reads = 0, errors = 0;
  const auto draw = [&](std::uint64_t end) { return static_cast<unsigned>(random() % end); };
  unsigned density = 50;
  for (std::uint64_t i = 0; i < nearcube::test::cases(40000, 2000000); ++i) {
    if (i % 5000 == 0) density = draw(101);
    const auto happens = [&] { return random() % 100 < density; };
    const bool tick = i % 2;
    const bool freeze = (i / 777) % 3 == 2, clear = random() % 5000 == 0;
    std::map<std::uint32_t, std::uint32_t> steps;
    steps[reg::kCyclesOffset] = 1;
    const std::uint32_t active = happens() ? draw(1u << ntx) : 0;
    steps[reg::kComputeCyclesOffset] = active != 0;
    put(dut.ntx_active_i, active);
    for (std::uint32_t n = 0; n < ntx; ++n) {
      const unsigned state = density == 100 ? 0 : draw(7);
      const bool mac = state == 0 && happens(), command = happens();
      const std::uint32_t stores = draw(3);
      const std::uint32_t perf =
          1u << (10 - state) | static_cast<std::uint32_t>(mac) << 3 | stores << 1 | command;
      if constexpr (requires { dut.ntx_perf_i[0]; }) {
        set_slice(dut.ntx_perf_i, 11 * n, 11, perf);
      } else {
        put(dut.ntx_perf_i, perf);
      }
      steps[kEvents[state] + n * 0x40] = 1;
      steps[kEvents[7] + n * 0x40] = mac;
      steps[reg::kNtxResultsOffset + n * 0x40] = stores;
      steps[reg::kNtxCommandsOffset + n * 0x40] = command;
    }
    std::uint64_t access = 0, conflict = 0;
    for (std::uint32_t b = 0; b < banks; ++b) {
      const bool a = happens(), c = a && happens();
      access |= std::uint64_t{a} << b;
      conflict |= std::uint64_t{c} << b;
      steps[reg::kBankAccessesOffset + 8 * b] = a;
      steps[reg::kBankConflictsOffset + 8 * b] = c;
    }
    put(dut.bank_access_i, access);
    put(dut.bank_conflict_i, conflict);
    const unsigned read_bytes = draw(9), write_bytes = draw(9);
    put(dut.dma_read_bytes_i, read_bytes);
    put(dut.dma_write_bytes_i, write_bytes);
    steps[reg::kDmaReadBytesOffset] = tick ? read_bytes : 0;
    steps[reg::kDmaWriteBytesOffset] = tick ? write_bytes : 0;
    steps[reg::kDmaBusyOffset] = dut.dma_busy_i = happens();
    steps[reg::kDmaWaitBusOffset] = dut.dma_wait_bus_i = happens();
    steps[reg::kDmaWaitTcdmOffset] = dut.dma_wait_tcdm_i = happens();
    steps[reg::kCoreWaitTcdmOffset] = dut.core_wait_tcdm_i = happens();

    // Read one that exists, or anything.
    std::uint32_t offset = draw(0x2000) & ~3u;
    if (random() % 4 != 0) offset = std::next(value.begin(), draw(value.size()))->first;
    const bool write = random() % 8 == 0, request = random() % 2;
    dut.req_i = request;
    dut.we_i = write;
    put(dut.addr_i, offset / 4);
    dut.core_tick_i = tick;
    dut.freeze_i = freeze;
    dut.clear_i = clear;
    block.settle();
    block.edge();
    dut.core_tick_i = 0;
    dut.req_i = 0;
    block.settle();
    if (request && tick) {
      INFO("offset 0x" << std::hex << offset << std::dec << " in cycle " << i);
      const auto found = value.find(offset);
      REQUIRE(dut.err_o == (write || found == value.end()));
      if (!dut.err_o) {
        REQUIRE(dut.rdata_o == found->second);
        ++reads;
      }
      errors += dut.err_o;
    }
    if (clear) {
      zero();
    } else if (!freeze) {
      for (const auto& [where, step] : steps) value.at(where) += step;
    }
  }
  CHECK(reads > 1000);
  CHECK(errors > 100);

  // The identity, on the values that the hardware shows.
  dut.freeze_i = 1;
  dut.clear_i = 0;
  const auto read = [&](std::uint32_t offset) { return access(block, false, offset).data; };
  const std::uint32_t cycles = read(reg::kCyclesOffset);
  for (std::uint32_t n = 0; n < ntx; ++n) {
    std::uint32_t sum = 0;
    for (unsigned e = 0; e < 7; ++e) sum += read(kEvents[e] + n * 0x40);
    CHECK(sum == cycles);
  }
}

}  // namespace

TEST_CASE("Counters: eight NTX, 64 banks") { random_events<Vcluster_counters>(8, 64); }
TEST_CASE("Counters: one NTX, 2 banks") { random_events<Vcluster_counters_small>(1, 2); }
