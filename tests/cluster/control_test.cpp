// SPDX-License-Identifier: Apache-2.0
// Cluster control: every register, events, timer, barrier, exit and output, and what is not a register.
#include <map>

#include "Vcluster_control.h"
#include "interfaces/generated/nearcube/interfaces.hpp"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Answer;
using nearcube::test::Block;
namespace reg = nearcube::interfaces::control;

class Bench {
 public:
  Bench() : block(nearcube::test::seed()) {
    dut = &*block.dut;
    dut->core_tick_i = dut->req_i = dut->barrier_release_i = dut->dma_done_i = dut->dma_error_i = 0;
    dut->ntx_irq_i = 0;
    dut->cluster_id_i = 3;
    dut->cluster_count_i = 16;
    block.reset();
  }

  // An access takes one cycle, a tick, and ends in the first NTX cycle of the next core cycle.
  Answer write(std::uint32_t offset, std::uint32_t data) { return access(block, true, offset, data); }
  Answer read(std::uint32_t offset) { return access(block, false, offset); }
  std::uint32_t value(std::uint32_t offset) {
    const Answer answer = read(offset);
    CHECK(!answer.error);
    return answer.data;
  }

  /// A tick cycle and the one before it, with no access; returns what pulsed in the tick cycle.
  struct Pulses {
    bool arrive, character;
  };
  Pulses core_cycle() {
    dut->core_tick_i = 0;
    block.settle();
    CHECK(!dut->barrier_arrive_o);
    CHECK(!dut->char_valid_o);
    block.edge();
    dut->core_tick_i = 1;
    block.settle();
    const Pulses pulses{dut->barrier_arrive_o != 0, dut->char_valid_o != 0};
    block.edge();
    dut->core_tick_i = 0;
    block.settle();
    return pulses;
  }

  Block<Vcluster_control> block;
  Vcluster_control* dut;
};

}  // namespace

TEST_CASE("Control: identity and configuration") {
  Bench bench;
  CHECK(bench.value(reg::kClusterIdOffset) == 3);
  CHECK(bench.value(reg::kClusterCountOffset) == 16);
  for (std::uint32_t number : {0xFFFFFFFFu, 0x12345678u}) {
    bench.dut->cluster_id_i = number;
    bench.dut->cluster_count_i = ~number;
    CHECK(bench.value(reg::kClusterIdOffset) == number);
    CHECK(bench.value(reg::kClusterCountOffset) == ~number);
  }
  CHECK(bench.value(reg::kNtxCountOffset) == 8);
  CHECK(bench.value(reg::kClockRatioOffset) == 2);
  CHECK(bench.value(reg::kTcdmBytesOffset) == 65536);
  CHECK(bench.value(reg::kTcdmBanksOffset) == 64);
}

TEST_CASE("Control: every offset is a register with its access, or an error") {
  enum Access { kReadOnly, kWriteOnly, kReadWrite };
  const std::map<std::uint32_t, Access> registers = {
      {reg::kClusterIdOffset, kReadOnly},   {reg::kClusterCountOffset, kReadOnly},
      {reg::kNtxCountOffset, kReadOnly},    {reg::kClockRatioOffset, kReadOnly},
      {reg::kTcdmBytesOffset, kReadOnly},   {reg::kTcdmBanksOffset, kReadOnly},
      {reg::kCycleLoOffset, kReadOnly},     {reg::kCycleHiOffset, kReadOnly},
      {reg::kBarrierOffset, kReadWrite},    {reg::kEventStatusOffset, kReadOnly},
      {reg::kEventMaskOffset, kReadWrite},  {reg::kEventClearOffset, kReadWrite},
      {reg::kExitOffset, kWriteOnly},       {reg::kCharOutOffset, kWriteOnly},
      {reg::kPhaseOffset, kReadWrite},      {reg::kPerfControlOffset, kReadWrite},
      {reg::kMtimeLoOffset, kReadOnly},     {reg::kMtimeHiOffset, kReadOnly},
      {reg::kMtimecmpLoOffset, kReadWrite}, {reg::kMtimecmpHiOffset, kReadWrite}};
  Bench bench;
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4) {
    INFO("offset 0x" << std::hex << offset);
    const auto found = registers.find(offset);
    CHECK(bench.read(offset).error == (found == registers.end() || found->second == kWriteOnly));
    CHECK(bench.write(offset, 0).error == (found == registers.end() || found->second == kReadOnly));
  }
}

TEST_CASE("Control: time counts NTX cycles and core cycles, and a read of the low half holds the high one") {
  Bench bench;
  const std::uint32_t cycle = bench.value(reg::kCycleLoOffset);
  const std::uint32_t mtime = bench.value(reg::kMtimeLoOffset);
  for (int i = 0; i < 100; ++i) bench.core_cycle();
  // Each access here takes one cycle, which is a tick.
  CHECK(bench.value(reg::kCycleLoOffset) == cycle + 202);
  CHECK(bench.value(reg::kMtimeLoOffset) == mtime + 102);
  CHECK(bench.value(reg::kCycleHiOffset) == 0);
  CHECK(bench.value(reg::kMtimeHiOffset) == 0);
}

TEST_CASE("Control: the timer interrupt follows mtime >= mtimecmp") {
  Bench bench;
  for (int i = 0; i < 20; ++i) bench.core_cycle();
  CHECK(!bench.dut->irq_timer_o);
  CHECK(bench.value(reg::kMtimecmpLoOffset) == 0xFFFFFFFF);
  CHECK(bench.value(reg::kMtimecmpHiOffset) == 0xFFFFFFFF);
  bench.write(reg::kMtimecmpHiOffset, 0);
  const std::uint32_t now = bench.value(reg::kMtimeLoOffset);
  bench.write(reg::kMtimecmpLoOffset, now + 50);
  int waited = 0;
  while (!bench.dut->irq_timer_o && waited < 100) {
    bench.core_cycle();
    ++waited;
  }
  // The read and the write of mtimecmp took a tick each, and the comparison is registered.
  CHECK(waited == 50 - 2 + 1);
  bench.core_cycle();
  CHECK(bench.dut->irq_timer_o);
  bench.write(reg::kMtimecmpHiOffset, 1);
  bench.core_cycle();
  CHECK(!bench.dut->irq_timer_o);
}

TEST_CASE("Control: events, mask and clear") {
  Bench bench;
  bench.dut->ntx_irq_i = 0xA5;
  bench.block.settle();
  CHECK(bench.value(reg::kEventStatusOffset) == 0xA5);
  bench.dut->ntx_irq_i = 0x5A;
  bench.block.settle();
  CHECK(bench.value(reg::kEventStatusOffset) == 0x5A);
  bench.dut->ntx_irq_i = 0xA5;
  bench.block.settle();
  CHECK(!bench.dut->irq_external_o);
  bench.write(reg::kEventMaskOffset, 0xFFFFFF5A);
  CHECK(bench.value(reg::kEventMaskOffset) == 0x75A);
  CHECK(!bench.dut->irq_external_o);
  bench.write(reg::kEventMaskOffset, 0x01);
  CHECK(bench.dut->irq_external_o);
  // NTX events follow their lines and are not cleared here.
  bench.write(reg::kEventClearOffset, 0xFFFFFFFF);
  CHECK(bench.value(reg::kEventStatusOffset) == 0xA5);
  bench.dut->ntx_irq_i = 0;
  bench.block.settle();
  CHECK(!bench.dut->irq_external_o);

  // DMA events are sticky until cleared, each by its own bit.
  bench.dut->dma_done_i = bench.dut->dma_error_i = 1;
  bench.core_cycle();
  bench.dut->dma_done_i = bench.dut->dma_error_i = 0;
  CHECK(bench.value(reg::kEventStatusOffset) == 0x300);
  bench.write(reg::kEventMaskOffset, 0x200);
  CHECK(bench.dut->irq_external_o);
  bench.write(reg::kEventClearOffset, 0x100);
  CHECK(bench.value(reg::kEventStatusOffset) == 0x200);
  CHECK(bench.dut->irq_external_o);
  bench.write(reg::kEventClearOffset, 0x200);
  CHECK(bench.value(reg::kEventStatusOffset) == 0);
  CHECK(!bench.dut->irq_external_o);

  // An event in the tick of its clear is not lost.
  bench.dut->dma_done_i = 1;
  bench.write(reg::kEventClearOffset, 0x100);
  bench.dut->dma_done_i = 0;
  CHECK(bench.value(reg::kEventStatusOffset) == 0x100);
}

TEST_CASE("Control: the barrier arrives once, waits, and raises its event when released") {
  Bench bench;
  CHECK(bench.value(reg::kBarrierOffset) == 0);
  // A release that nobody waits for is not an event.
  bench.dut->barrier_release_i = 1;
  bench.core_cycle();
  bench.dut->barrier_release_i = 0;
  CHECK(bench.value(reg::kEventStatusOffset) == 0);

  bench.write(reg::kBarrierOffset, 0);
  CHECK(bench.dut->barrier_waits_o);
  CHECK(bench.core_cycle().arrive);
  CHECK(!bench.core_cycle().arrive);
  CHECK(bench.value(reg::kBarrierOffset) == 1);
  bench.write(reg::kBarrierOffset, 1);
  CHECK(!bench.core_cycle().arrive);
  CHECK(bench.dut->barrier_waits_o);
  bench.dut->barrier_release_i = 1;
  bench.core_cycle();
  bench.dut->barrier_release_i = 0;
  CHECK(!bench.dut->barrier_waits_o);
  CHECK(bench.value(reg::kBarrierOffset) == 0);
  CHECK(bench.value(reg::kEventStatusOffset) == 0x400);
  bench.write(reg::kEventClearOffset, 0x400);
  CHECK(bench.value(reg::kEventStatusOffset) == 0);

  // Released in the very tick of the arrival's pulse, as a cube of one cluster does.
  bench.write(reg::kBarrierOffset, 0);
  bench.dut->barrier_release_i = 1;
  CHECK(bench.core_cycle().arrive);
  bench.dut->barrier_release_i = 0;
  CHECK(!bench.dut->barrier_waits_o);
  CHECK(bench.value(reg::kEventStatusOffset) == 0x400);
}

TEST_CASE("Control: characters, phase, counters and the end") {
  Bench bench;
  for (std::uint32_t character = 0; character < 256; ++character) {
    bench.write(reg::kCharOutOffset, 0x1200 + character);
    CHECK(bench.dut->char_o == character);
    CHECK(bench.core_cycle().character);
    CHECK(!bench.core_cycle().character);
  }

  CHECK(bench.dut->phase_o == 0);
  bench.write(reg::kPhaseOffset, 0xFF32);
  CHECK(bench.dut->phase_o == 0x32);
  bench.write(reg::kPhaseOffset, 0xABCD);
  CHECK(bench.dut->phase_o == 0xCD);
  CHECK(bench.value(reg::kPhaseOffset) == 0xCD);

  CHECK(!bench.dut->counters_freeze_o);
  bench.write(reg::kPerfControlOffset, 3);
  CHECK(bench.dut->counters_freeze_o);
  CHECK(bench.dut->counters_clear_o);
  CHECK(bench.value(reg::kPerfControlOffset) == 1);
  CHECK(!bench.dut->counters_clear_o);
  bench.write(reg::kPerfControlOffset, 0);
  CHECK(!bench.dut->counters_freeze_o);

  CHECK(!bench.dut->exit_valid_o);
  bench.write(reg::kExitOffset, 42);
  CHECK(bench.dut->exit_valid_o);
  CHECK(bench.dut->exit_code_o == 42);
  CHECK(bench.dut->counters_freeze_o);
  bench.write(reg::kExitOffset, 7);
  CHECK(bench.dut->exit_code_o == 42);
}

TEST_CASE("Control: the first exit code stays, each of its bits") {
  for (std::uint32_t code : {0u, 1u, 0x55555555u, 0xAAAAAAAAu}) {
    Bench bench;
    bench.write(reg::kExitOffset, code);
    CHECK(bench.dut->exit_valid_o);
    CHECK(bench.dut->exit_code_o == code);
    bench.write(reg::kExitOffset, ~code);
    CHECK(bench.dut->exit_code_o == code);
  }
}
