// SPDX-License-Identifier: Apache-2.0
// The whole cluster, without firmware: the address map, and NTX, DMA and core on one scratchpad. All of it
// holds for the RTL and for the functional cluster in its place.
#include <bit>
#include <cmath>

#include "tests/cluster/machine.h"
#include "tests/golden/ntx_golden.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using nearcube::test::Machine;
namespace map = nearcube::interfaces;
namespace golden = nearcube::golden;

namespace {

constexpr std::uint32_t kTcdmBytes = 65536;
constexpr std::uint32_t kTcdm = static_cast<std::uint32_t>(map::kTcdmBase);
constexpr std::uint32_t kCube = static_cast<std::uint32_t>(map::kCubeBase);

/// Writes a command's registers; `base` is the unit's or the broadcast alias's address.
void program(Machine& machine, std::uint64_t base, const golden::Command& command) {
  for (unsigned i = 0; i < 5; ++i) machine.write(base + map::ntx::kLoopOffset + 4 * i, command.loops[i]);
  const std::uint32_t bases[] = {map::ntx::kAgu0BaseOffset, map::ntx::kAgu1BaseOffset,
                                 map::ntx::kAgu2BaseOffset};
  for (unsigned a = 0; a < 3; ++a) {
    machine.write(base + bases[a], command.base[a]);
    for (unsigned i = 0; i < 5; ++i) {
      machine.write(base + bases[a] + 4 + 4 * i, static_cast<std::uint32_t>(command.stride[a][i]));
    }
  }
  machine.write(base + map::ntx::kCmdOffset, command.cmd);
}

/// Zeroes and starts the counters, or stops them.
void count(Machine& machine, bool on) {
  machine.write(Machine::control(map::control::kPerfControlOffset), on ? 2 : 1);
}

std::uint32_t ntx_counter(Machine& machine, std::uint32_t offset, unsigned unit) {
  return machine.read(Machine::counter(offset + unit * 0x40));
}

/// busy + every stall + idle = cycles for each NTX.
void check_identity(Machine& machine) {
  namespace c = map::counters;
  const std::uint32_t cycles = machine.read(Machine::counter(c::kCyclesOffset));
  for (unsigned n = 0; n < 8; ++n) {
    std::uint32_t sum = 0;
    for (std::uint32_t offset :
         {c::kNtxBusyOffset, c::kNtxStallAOffset, c::kNtxStallBOffset, c::kNtxStallInitOffset,
          c::kNtxStallResultOffset, c::kNtxStallHazardOffset, c::kNtxIdleOffset}) {
      sum += ntx_counter(machine, offset, n);
    }
    INFO("NTX " << n);
    CHECK(sum == cycles);
  }
}

float random_float(nearcube::test::Random& random) {
  return std::ldexp(static_cast<float>(static_cast<std::int64_t>(random() % 2000001) - 1000000),
                    static_cast<int>(random() % 20) - 30);
}

}  // namespace

TEST_CASE("Cluster: every address is something, or a bus error") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  Machine machine({}, 1, {}, fast);
  // In scratchpad and cube memory anything goes, down to bytes; a read may ask for any bytes.
  for (std::uint32_t base :
       {kTcdm, kTcdm + kTcdmBytes - 4, kCube, kCube + std::uint32_t{Machine::kMemoryBytes} - 4}) {
    INFO(std::hex << base);
    CHECK(!machine.access(true, base, 0x11223344).error);
    CHECK(!machine.access(true, base, 0xAABBCCDD, 2).error);
    CHECK(!machine.access(true, base, 0x55667788, 8).error);
    const Machine::Answer answer = machine.access(false, base, 0, 1);
    CHECK(!answer.error);
    CHECK(answer.data == 0x5522CC44);
  }
  CHECK(machine.access(false, kTcdm).core_cycles == 1);

  // Registers: words only.
  for (std::uint64_t address :
       {Machine::control(map::control::kPhaseOffset), map::kDmaBase + map::dma::kSrcLoOffset,
        Machine::counter(map::counters::kCyclesOffset), Machine::ntx(0, map::ntx::kStatusOffset)}) {
    INFO(std::hex << address);
    for (unsigned be : {1, 2, 4, 8, 3, 12, 7})
      CHECK(machine.access(false, static_cast<std::uint32_t>(address), 0, be).error);
    CHECK(!machine.access(false, static_cast<std::uint32_t>(address)).error);
  }
  for (std::uint64_t address :
       {Machine::control(map::control::kPhaseOffset), map::kDmaBase + map::dma::kSrcLoOffset,
        map::kNtxBroadcastBase + map::ntx::kLoopOffset}) {
    INFO(std::hex << address);
    CHECK(!machine.access(true, static_cast<std::uint32_t>(address), 0x77).error);
    CHECK(machine.access(true, static_cast<std::uint32_t>(address), 0x33, 1).error);
  }
  CHECK(machine.read(Machine::control(map::control::kPhaseOffset)) == 0x77);
  CHECK(machine.read(map::kDmaBase + map::dma::kSrcLoOffset) == 0x77);
  for (unsigned n = 0; n < 8; ++n) CHECK(machine.read(Machine::ntx(n, map::ntx::kLoopOffset)) == 0x77);

  // Every word of the register window: it exists exactly where the map says.
  for (std::uint32_t address = static_cast<std::uint32_t>(map::kControlBase);
       address < map::kControlBase + 0x8000; address += 4) {
    const std::uint32_t offset = address - static_cast<std::uint32_t>(map::kControlBase);
    namespace c = map::counters;
    bool exists;
    if (offset < 0x1000) {
      // Reads of exit and char_out are errors, as they are write-only.
      exists = offset <= map::control::kMtimecmpHiOffset && offset != map::control::kExitOffset &&
               offset != map::control::kCharOutOffset;
    } else if (offset < 0x2000) {
      if (offset - 0x1000 <= map::dma::kErrorClearOffset) continue;  // tests/dma
      exists = false;
    } else if (offset < 0x4000) {
      const std::uint32_t o = offset - 0x2000;
      exists = o <= c::kComputeCyclesOffset || (o >= c::kDmaReadBytesOffset && o <= c::kCoreWaitTcdmOffset) ||
               (o >= c::kNtxBusyOffset && o < c::kNtxBusyOffset + 8 * 0x40 &&
                (o & 0x3F) <= (c::kNtxCommandsOffset & 0x3F)) ||
               (o >= c::kBankAccessesOffset && o < c::kBankAccessesOffset + 64 * 8);
    } else {
      exists = offset >= 0x4800 && offset < 0x4C00;
    }
    INFO(std::hex << address);
    CHECK(machine.access(false, address).error == !exists);
    if (!exists && offset >= 0x1000 && !(offset >= 0x4C00 && offset < 0x4C80))
      CHECK(machine.access(true, address).error);
  }

  // Nothing at all.
  for (std::uint32_t address :
       {0u, 0x0FFFFFFCu, kTcdm - 4, kTcdm + kTcdmBytes, kTcdm + 0x000FFFFC, 0x10100000u, 0x101FFFFCu,
        0x10208000u, 0x20000000u, 0x7FFFFFFCu, kCube + std::uint32_t{Machine::kMemoryBytes}, 0xFFFFFFFCu}) {
    INFO(std::hex << address);
    CHECK(machine.access(false, address).error);
    CHECK(machine.access(true, address, 1).error);
    CHECK(machine.access(true, address, 1, 1).error);
  }

  // Instructions come from cube memory only.
  for (unsigned i = 0; i < 8; ++i)
    machine.memory.write_as<std::uint64_t>(kCube + 64 + 8 * i, 0x1111111111111111 * i);
  for (unsigned line = 0; line < 2; ++line) {
    const Machine::Line got = machine.fetch(kCube + 64 + 32 * line);
    for (unsigned i = 0; i < 4; ++i) {
      CHECK(!got.errors[i]);
      CHECK(got.beats[i] == 0x1111111111111111 * (4 * line + i));
    }
  }
  for (std::uint32_t address : {0u, kTcdm, 0x7FFFFFE0u, kCube + std::uint32_t{Machine::kMemoryBytes}}) {
    INFO(std::hex << address);
    for (bool error : machine.fetch(address).errors) CHECK(error);
  }
}

TEST_CASE("Cluster: CTRL of any NTX sets the priority that all show") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  Machine machine({}, 1, {}, fast);
  for (unsigned n = 0; n < 8; ++n) CHECK(machine.read(Machine::ntx(n, map::ntx::kCtrlOffset)) == 2);
  machine.write(Machine::ntx(3, map::ntx::kCtrlOffset), 4);
  for (unsigned n = 0; n < 8; ++n) CHECK(machine.read(Machine::ntx(n, map::ntx::kCtrlOffset)) == 4);
  machine.write(map::kNtxBroadcastBase + map::ntx::kCtrlOffset, 0);
  for (unsigned n = 0; n < 8; ++n) CHECK(machine.read(Machine::ntx(n, map::ntx::kCtrlOffset)) == 0);
}

TEST_CASE("Cluster: dot products on eight NTX, data in and out by DMA, bit-equal to the golden model") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  nearcube::test::Random random(seed);
  const unsigned rounds = static_cast<unsigned>(nearcube::test::cases(6, 200));
  for (unsigned round = 0; round < rounds; ++round) {
    nearcube::memory::AxiTiming timing;
    if (round > 0) {
      timing.read_latency_core_cycles = 1 + random() % 60;
      timing.write_latency_core_cycles = 1 + random() % 60;
      timing.jitter_core_cycles = random() % 40;
      timing.withhold = static_cast<double>(random() % 80) / 100;
      timing.seed = random();
    }
    Machine machine(timing, seed + round, {}, fast);
    INFO("round " << round);
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(random() % 300);
    // x, then a y for each unit, then the results.
    const std::uint32_t y = 4 * n, results = 4 * n * 9;
    std::vector<std::uint32_t> tcdm(kTcdmBytes / 4);
    for (std::uint32_t i = 0; i < 9 * n; ++i) {
      tcdm[i] = std::bit_cast<std::uint32_t>(random_float(random));
      machine.memory.write_as(map::kCubeBase + 0x1000 + 4 * i, tcdm[i]);
    }
    machine.write(Machine::ntx(0, map::ntx::kCtrlOffset), static_cast<std::uint32_t>(random() % 3) << 1);
    machine.write(Machine::control(map::control::kEventMaskOffset), 0xFF);
    count(machine, true);
    machine.copy(map::kCubeBase + 0x1000, kTcdm, 36 * n);

    // Everything that the units share goes to all at once; the rest, and the start, to each.
    golden::Command command;
    command.loops[0] = n - 1;
    command.base = {0, 0, 0};
    command.stride[0][0] = command.stride[1][0] = 4;
    golden::CommandFields fields;
    fields.opcode = golden::kMac;
    fields.init_level = fields.store_level = fields.outer_level = 1;
    fields.init_source = golden::kSourceZero;
    fields.irq = 2;
    command.cmd = golden::encode(fields);
    for (unsigned i = 0; i < 5; ++i)
      machine.write(map::kNtxBroadcastBase + map::ntx::kLoopOffset + 4 * i, command.loops[i]);
    machine.write(map::kNtxBroadcastBase + map::ntx::kAgu0BaseOffset, kTcdm);
    machine.write(map::kNtxBroadcastBase + map::ntx::kAgu0StrideOffset, 4);
    machine.write(map::kNtxBroadcastBase + map::ntx::kAgu2StrideOffset, 0);
    machine.write(map::kNtxBroadcastBase + map::ntx::kAgu1StrideOffset, 4);
    for (unsigned unit = 0; unit < 8; ++unit) {
      machine.write(Machine::ntx(unit, map::ntx::kAgu1BaseOffset), kTcdm + y + 4 * n * unit);
      machine.write(Machine::ntx(unit, map::ntx::kAgu2BaseOffset), kTcdm + results + 4 * unit);
    }
    CHECK(!machine.core_cycle().irq_external);
    machine.commit();
    machine.write(map::kNtxBroadcastBase + map::ntx::kCmdOffset, command.cmd);
    for (unsigned unit = 0; unit < 8; ++unit) {
      command.base = {kTcdm, kTcdm + y + 4 * n * unit, kTcdm + results + 4 * unit};
      const golden::Outcome outcome = golden::run(command, tcdm);
      REQUIRE(outcome.cause == golden::Cause::kNone);
      REQUIRE(outcome.stores.size() == 1);
    }
    machine.poll(Machine::control(map::control::kEventStatusOffset),
                 [](std::uint32_t events) { return (events & 0xFF) == 0xFF; });
    for (unsigned unit = 0; unit < 8; ++unit)
      CHECK(machine.read(Machine::ntx(unit, map::ntx::kStatusOffset)) == 7);
    CHECK(machine.core_cycle().irq_external);
    machine.commit();
    machine.write(map::kNtxBroadcastBase + map::ntx::kIrqOffset, 3);
    CHECK(machine.read(Machine::control(map::control::kEventStatusOffset)) == 0x100);  // the DMA's
    CHECK(!machine.core_cycle().irq_external);
    machine.commit();

    machine.copy(kTcdm + results, map::kCubeBase + 0x80004, 32);
    count(machine, false);
    for (unsigned unit = 0; unit < 8; ++unit) {
      INFO("unit " << unit << ", n " << n);
      const std::uint32_t expected = tcdm[results / 4 + unit];
      CHECK(machine.read(kTcdm + results + 4 * unit) == expected);
      CHECK(machine.memory.read_as<std::uint32_t>(map::kCubeBase + 0x80004 + 4 * unit) == expected);
      CHECK(ntx_counter(machine, map::counters::kNtxMacsOffset, unit) == n);
      CHECK(ntx_counter(machine, map::counters::kNtxBusyOffset, unit) == n);
      CHECK(ntx_counter(machine, map::counters::kNtxResultsOffset, unit) == 1);
      CHECK(ntx_counter(machine, map::counters::kNtxCommandsOffset, unit) == 1);
    }
    check_identity(machine);
    CHECK(machine.read(Machine::counter(map::counters::kDmaReadBytesOffset)) >= 36 * n);
    CHECK(machine.read(Machine::counter(map::counters::kDmaWriteBytesOffset)) == 32);
    if (fast) continue;  // it has no banks
    // Reads of x may be served together; every other access counts for itself: y, stores, the DMA's words.
    std::uint64_t accesses = 0;
    for (unsigned b = 0; b < 64; ++b)
      accesses += machine.read(Machine::counter(map::counters::kBankAccessesOffset + 8 * b));
    CHECK(accesses >= n + 8 * n + 8 + 9 * n + 8);
    CHECK(accesses <= 8 * n + 8 * n + 8 + 9 * n + 8);
  }
}

TEST_CASE("Cluster: the core's accesses stay right while NTX and DMA use the scratchpad") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  nearcube::test::Random random(seed);
  for (unsigned priority = 0; priority < 3; ++priority) {
    INFO("priority " << priority);
    Machine machine({}, 1, {}, fast);
    machine.write(Machine::ntx(0, map::ntx::kCtrlOffset), priority << 1);
    for (std::uint32_t i = 0; i < 0x2000; ++i)
      machine.memory.write_as(map::kCubeBase + 4 * i, static_cast<std::uint32_t>(random()));
    // Eight units copy 4 KiB each, ten times over, from the first half; the DMA fills the third quarter
    // meanwhile.
    golden::Command command;
    command.loops = {1023, 9, 0, 0, 0};
    command.stride[0][0] = command.stride[2][0] = 4;
    command.stride[0][1] = command.stride[2][1] = -4 * 1023;
    golden::CommandFields fields;
    fields.opcode = golden::kCopy;
    fields.aux = 1;
    fields.outer_level = 2;
    command.cmd = golden::encode(fields);
    machine.copy(map::kCubeBase, kTcdm, 0x4000);
    for (unsigned unit = 0; unit < 8; ++unit) {
      command.base = {kTcdm + 0x200 * unit, 0, kTcdm + 0x4000 + 0x1000 * (unit % 4)};
      program(machine, Machine::ntx(unit, 0), command);
    }
    machine.start_copy(map::kCubeBase + 0x4000, kTcdm + 0x8000, 0x4000);
    std::vector<std::uint32_t> words(0x1000);
    for (std::uint32_t i = 0; i < words.size(); ++i)
      machine.write(kTcdm + 0xC000 + 4 * i, words[i] = static_cast<std::uint32_t>(random()));
    for (unsigned i = 0; i < 2000; ++i) {
      const std::uint32_t at = static_cast<std::uint32_t>(random() % words.size());
      if (random() % 2) {
        const std::uint32_t data = static_cast<std::uint32_t>(random());
        const unsigned be = random() % 16;
        for (unsigned b = 0; b < 4; ++b) {
          if ((be >> b) & 1) words[at] = (words[at] & ~(0xFFu << 8 * b)) | (data & (0xFFu << 8 * b));
        }
        REQUIRE(!machine.access(true, kTcdm + 0xC000 + 4 * at, data, be).error);
      } else {
        REQUIRE(machine.read(kTcdm + 0xC000 + 4 * at) == words[at]);
      }
    }
    for (unsigned unit = 0; unit < 8; ++unit) {
      machine.poll(Machine::ntx(unit, map::ntx::kStatusOffset),
                   [](std::uint32_t status) { return status == 7; });
    }
    machine.poll(map::kDmaBase + map::dma::kCompletedIdOffset, [](std::uint32_t id) { return id == 2; });
    for (std::uint32_t i = 0; i < 0x1000; ++i) {
      REQUIRE(machine.read(kTcdm + 0x8000 + 4 * i) ==
              machine.memory.read_as<std::uint32_t>(map::kCubeBase + 0x4000 + 4 * i));
    }
    count(machine, false);
    check_identity(machine);
  }
}

TEST_CASE(
    "Cluster: a DMA transfer to nowhere raises its event, and a command out of the scratchpad its "
    "interrupt") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  Machine machine({}, 1, {}, fast);
  machine.write(Machine::control(map::control::kEventMaskOffset), 0x200);
  machine.copy(map::kCubeBase + Machine::kMemoryBytes, kTcdm, 64);
  CHECK(machine.read(Machine::control(map::control::kEventStatusOffset)) >> 8 == 3);
  CHECK(machine.core_cycle().irq_external);
  machine.commit();
  CHECK(machine.read(map::kDmaBase + map::dma::kErrorCauseOffset) == map::dma::kErrorCauseCauseBusRead);
  machine.write(Machine::control(map::control::kEventClearOffset), 0x300);
  CHECK(!machine.core_cycle().irq_external);
  machine.commit();

  golden::Command command;
  golden::CommandFields fields;
  fields.opcode = golden::kCopy;
  fields.aux = 1;
  command.cmd = golden::encode(fields);
  command.base = {kTcdm + kTcdmBytes, 0, kTcdm};
  program(machine, Machine::ntx(6, 0), command);
  machine.poll(Machine::control(map::control::kEventStatusOffset),
               [](std::uint32_t events) { return events == 0x40; });
  CHECK(machine.read(Machine::ntx(6, map::ntx::kErrorCauseOffset)) % 16 ==
        static_cast<std::uint32_t>(golden::Cause::kOutOfRange));
  CHECK(machine.read(Machine::ntx(6, map::ntx::kErrorAddrOffset)) == kTcdm + kTcdmBytes);
}

TEST_CASE("Cluster: character output, phase, barrier and exit reach the outside") {
  const bool fast = GENERATE(false, true);
  INFO((fast ? "functional" : "RTL"));
  Machine machine({}, 1, {}, fast);
  for (const char c : std::string("hello")) {
    machine.write(Machine::control(map::control::kCharOutOffset), static_cast<std::uint32_t>(c));
  }
  CHECK(machine.text == "hello");
  machine.write(Machine::control(map::control::kPhaseOffset), 4);
  CHECK(machine.core_cycle().phase == 4);
  machine.commit();
  CHECK(machine.read(Machine::control(map::control::kClusterIdOffset)) == 5);
  CHECK(machine.read(Machine::control(map::control::kClusterCountOffset)) == 9);

  machine.write(Machine::control(map::control::kBarrierOffset), 0);
  CHECK(machine.read(Machine::control(map::control::kBarrierOffset)) == 1);
  CHECK(machine.arrivals == 1);
  machine.inputs.barrier_release = true;
  machine.core_cycle();
  machine.commit();
  machine.inputs.barrier_release = false;
  CHECK(machine.read(Machine::control(map::control::kBarrierOffset)) == 0);
  CHECK(machine.read(Machine::control(map::control::kEventStatusOffset)) == 0x400);

  machine.write(Machine::control(map::control::kExitOffset), 3);
  const auto out = machine.core_cycle();
  machine.commit();
  CHECK(out.exit_valid);
  CHECK(out.exit_code == 3);
  // The counters have stopped.
  const std::uint32_t cycles = machine.read(Machine::counter(map::counters::kCyclesOffset));
  CHECK(machine.read(Machine::counter(map::counters::kCyclesOffset)) == cycles);
}
