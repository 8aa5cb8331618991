// SPDX-License-Identifier: Apache-2.0
// The timing rules, each as an exact number of cycles of a piece of programs/timing.S.
#include <algorithm>
#include <bit>

#include "sim/riscv/elf.h"
#include "sim/riscv/execute.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;
using riscv::CoreCounters;

namespace {

/// Holds the core before an address.
struct StopAt : riscv::Observer {
  std::uint32_t address = 0;
  bool starts(std::uint32_t pc) override { return pc != address; }
};

CoreCounters operator-(CoreCounters a, const CoreCounters& b) {
  for (auto member :
       {&CoreCounters::cycles, &CoreCounters::active, &CoreCounters::stall_load_use,
        &CoreCounters::stall_branch, &CoreCounters::stall_jump, &CoreCounters::stall_mul_div,
        &CoreCounters::stall_trap, &CoreCounters::stall_fetch, &CoreCounters::stall_data_tcdm,
        &CoreCounters::stall_data_peripheral, &CoreCounters::stall_data_memory, &CoreCounters::asleep,
        &CoreCounters::loads, &CoreCounters::stores, &CoreCounters::branches_taken,
        &CoreCounters::cache_misses, &CoreCounters::cache_refills}) {
    a.*member -= b.*member;
  }
  return a;
}

/// Runs pieces of the timing program.
struct Bench {
  riscv::ElfFile elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/timing.elf");
  CoreMachine machine;
  StopAt stop;

  explicit Bench(PortTiming timing = {}) : machine(timing) {
    machine.memory.load(elf);
    machine.start(elf.entry());
    machine.core.hold(true);
    machine.core.observe(&stop);
    while (!machine.core.quiet()) machine.tick();
  }

  /// Runs from `pc` up to `end`, and returns what was counted meanwhile.
  CoreCounters run(std::uint32_t pc, std::uint32_t end) {
    riscv::Core& core = machine.core;
    core.set_x(10, kTcdm + 0x100);
    core.set_x(11, kCube + 0x80000);
    core.set_x(12, kPlainRegister);
    machine.memory.set_word(kTcdm + 0x100, kTcdm + 0x200);
    core.set_pc(pc);
    stop.address = end;
    const CoreCounters before = core.counters();
    core.hold(false);
    do {
      machine.tick();
      REQUIRE_FALSE(core.halted());
      REQUIRE(core.counters().cycles - before.cycles < 100000);
    } while (!core.quiet());
    const CoreCounters& now = core.counters();
    REQUIRE(now.active + now.stalls() + now.asleep == now.cycles);
    return now - before;
  }
  CoreCounters cold(const std::string& name) {
    machine.core.flush_instruction_cache();
    for (int i = 0; i < 200; ++i) machine.tick();  // what was under way ends
    machine.core.flush_instruction_cache();
    return run(elf.symbol(name).address, elf.symbol(name + "_end").address);
  }
  /// With all its lines in the cache: the second of two runs.
  CoreCounters warm(const std::string& name) {
    run(elf.symbol(name).address, elf.symbol(name + "_end").address);
    return run(elf.symbol(name).address, elf.symbol(name + "_end").address);
  }
};

constexpr auto kLoadUse = &CoreCounters::stall_load_use;
constexpr auto kBranch = &CoreCounters::stall_branch;
constexpr auto kJump = &CoreCounters::stall_jump;
constexpr auto kMulDiv = &CoreCounters::stall_mul_div;
constexpr auto kTrap = &CoreCounters::stall_trap;
constexpr auto kTcdmWait = &CoreCounters::stall_data_tcdm;
constexpr auto kMemoryWait = &CoreCounters::stall_data_memory;
constexpr auto kPeripheralWait = &CoreCounters::stall_data_peripheral;

struct Rule {
  const char* name;
  unsigned instructions;
  std::uint64_t CoreCounters::*cause;  ///< of all the stalls
  unsigned stalls;
};

}  // namespace

TEST_CASE("cycles of instructions from a warm cache and a TCDM without conflicts") {
  Bench bench;
  bench.machine.core.set_x(8, 0x12345678);
  bench.machine.core.set_x(9, 0x00000001);
  const Rule rules[]{
      {"alu", 12, nullptr, 0},
      {"dependent", 3, nullptr, 0},
      {"load", 1, nullptr, 0},
      {"load_use", 2, kLoadUse, 1},
      {"load_use_second_source", 2, kLoadUse, 1},
      {"load_then_other", 3, nullptr, 0},
      {"load_then_store_it", 2, kLoadUse, 1},
      {"load_address", 2, kLoadUse, 1},
      {"load_x0", 2, nullptr, 0},
      {"loads", 4, nullptr, 0},
      {"stores", 4, nullptr, 0},
      {"store_then_load", 2, nullptr, 0},
      {"peripheral_store_then_alu", 2, nullptr, 0},
      {"misaligned_word", 1, kTcdmWait, 1},
      {"misaligned_half", 1, kTcdmWait, 1},
      {"misaligned_half_in_word", 1, nullptr, 0},
      {"misaligned_store", 1, kTcdmWait, 1},
      {"branch_not_taken", 1, nullptr, 0},
      {"branch_taken", 1, kBranch, 2},
      {"branch_taken_to_next", 1, kBranch, 2},
      {"jump", 1, kJump, 1},
      {"jump_wide", 1, kJump, 1},
      {"jump_register", 3, kJump, 1},
      {"loop", 21, kBranch, 18},
      {"mul", 1, nullptr, 0},
      {"mulh", 1, kMulDiv, 4},
      {"mulhu", 1, kMulDiv, 4},
      {"mulhsu", 1, kMulDiv, 4},
      {"csr", 3, nullptr, 0},
      {"fences", 2, nullptr, 0},
      {"mret", 4, kTrap, 2},
      {"trap", 3, kTrap, 3},
  };
  for (const Rule& rule : rules) {
    INFO(rule.name);
    const CoreCounters counted = bench.warm(rule.name);
    CHECK(counted.active == rule.instructions);
    CHECK(counted.cycles == rule.instructions + rule.stalls);
    if (rule.cause != nullptr) CHECK(counted.*rule.cause == rule.stalls);
  }
  // Two causes at once.
  const CoreCounters fault = bench.warm("trap_of_store");
  CHECK(fault.active == 3);
  CHECK(fault.stall_trap == 4);
  CHECK(fault.stall_data_memory == PortTiming().memory - 1);
  CHECK(fault.cycles == fault.active + fault.stall_trap + fault.stall_data_memory);
  const CoreCounters misaligned = bench.warm("misaligned_word_use");
  CHECK(misaligned.cycles == 4);
  CHECK(misaligned.stall_load_use == 1);
  CHECK(misaligned.stall_data_tcdm == 1);
  const CoreCounters branch = bench.warm("load_branch");
  CHECK(branch.cycles == 5);
  CHECK(branch.stall_load_use == 1);
  CHECK(branch.stall_branch == 2);
}

TEST_CASE("a division takes 3 cycles and one for each bit of the quotient that may be set") {
  Bench bench;
  Random random(seed());
  INFO("seed " << seed());
  const auto check = [&](std::uint32_t dividend, std::uint32_t divisor) {
    bench.machine.core.set_x(8, dividend);
    bench.machine.core.set_x(9, divisor);
    const auto unsigned_cycles = 3 + static_cast<unsigned>(std::countl_zero(divisor));
    const auto signed_cycles = static_cast<std::int32_t>(divisor) < 0
                                   ? 2 + static_cast<unsigned>(std::countl_one(divisor))
                                   : unsigned_cycles;
    INFO(dividend << " / " << divisor);
    for (const char* name : {"divu", "remu"}) CHECK(bench.warm(name).cycles == unsigned_cycles);
    for (const char* name : {"div", "rem"}) {
      const CoreCounters counted = bench.warm(name);
      CHECK(counted.cycles == signed_cycles);
      CHECK(counted.stall_mul_div == signed_cycles - 1);
    }
  };
  for (const std::uint32_t divisor :
       {0u, 1u, 2u, 3u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu, 0xFFFFFFFEu, 0xC0000000u}) {
    check(100, divisor);
  }
  for (std::uint64_t i = 0; i < cases(50, 2000); ++i) {
    check(static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()) >> random() % 32);
  }
  // The ends of the stated range of 3 to 35.
  CHECK(riscv::divide_cycles(riscv::Op::kDivu, 0x80000000) == 3);
  CHECK(riscv::divide_cycles(riscv::Op::kDivu, 0) == 35);
  CHECK(riscv::divide_cycles(riscv::Op::kDiv, 0x80000000) == 3);
  CHECK(riscv::divide_cycles(riscv::Op::kDiv, 0xFFFFFFFF) == 34);
}

TEST_CASE("waits at the data port are counted by region") {
  for (const unsigned latency : {1u, 2u, 7u, 30u}) {
    INFO("latency " << latency);
    PortTiming timing;
    timing.memory = timing.peripheral = latency;
    Bench bench(timing);
    // Nothing else waits for the answer of the last access: it is not in the count.
    CHECK(bench.warm("memory_load").cycles == 1);

    CoreCounters counted = bench.warm("memory_load_then_alu");
    CHECK(counted.cycles == 2 + (latency - 1));
    CHECK(counted.stall_data_memory == latency - 1);

    counted = bench.warm("memory_load_use");
    CHECK(counted.cycles == 3 + (latency - 1));
    CHECK(counted.stall_data_memory == latency - 1);
    CHECK(counted.stall_load_use == 1);

    // The multiplier works while the load is under way.
    counted = bench.warm("memory_load_mulh");
    CHECK(counted.cycles == 1 + std::max(5u, latency));
    CHECK(counted.stall_mul_div == 4);

    counted = bench.warm("memory_store_then_alu");
    CHECK(counted.cycles == 2 + (latency - 1));
    CHECK(counted.*kMemoryWait == latency - 1);

    counted = bench.warm("peripheral_store_then_alu");
    CHECK(counted.cycles == 2 + (latency - 1));
    CHECK(counted.*kPeripheralWait == latency - 1);
  }
  for (const unsigned delay : {1u, 4u}) {
    INFO("grant delayed by " << delay);
    PortTiming timing;
    timing.grant_delay = delay;
    Bench bench(timing);
    CHECK(bench.warm("load").cycles == 1 + delay);
    CHECK(bench.warm("load").stall_data_tcdm == delay);
    CHECK(bench.warm("loads").cycles == 4 + 4 * std::uint64_t{delay});
    CHECK(bench.warm("misaligned_word").cycles == 2 + 2 * std::uint64_t{delay});
    CHECK(bench.warm("peripheral_store_then_alu").*kPeripheralWait == delay);
  }
}

TEST_CASE("a program reads its own cycles and instructions") {
  Bench bench;
  const CoreCounters counted = bench.warm("own_counters");
  CHECK(counted.active == 7);
  const auto x = [&](unsigned i) { return bench.machine.x(i); };
  // csrr minstret, lw, addi with a load-use stall, mulh: 1 + 1 + 2 + 5 cycles after the first read.
  CHECK(x(20) - x(18) == 1 + 1 + 1 + 2 + 5);
  CHECK(x(21) - x(19) == 5);
}

TEST_CASE("instruction refills") {
  for (const unsigned latency : {1u, 4u, 5u, 20u}) {
    INFO("latency " << latency);
    PortTiming timing;
    timing.instruction = latency;
    Bench bench(timing);
    // 96 lines of 8 instructions: three times the cache. The first instruction costs a request and the
    // latency until its beat is there; then the stream stays ahead.
    constexpr std::uint64_t lines = 96;
    const CoreCounters counted = bench.cold("straight");
    CHECK(counted.active == 8 * lines);
    CHECK(counted.stall_fetch == 1 + latency);
    CHECK(counted.cache_misses == 1);
    // What a stream brings but nobody uses stays out of the cache: one more line at the end.
    CHECK(counted.cache_refills >= lines);
    CHECK(counted.cache_refills <= lines + 1 + riscv::InstructionCache::kAhead);

    // An instruction in two lines waits for both. 15 instructions are executed meanwhile.
    const CoreCounters across = bench.cold("across");
    CHECK(across.active == 16);
    CHECK(across.stall_fetch == 1 + latency);
    CHECK(bench.warm("across").stall_fetch == 0);
  }
  // A longer latency brings three lines a round trip: the use of one asks for the third behind it.
  PortTiming slow;
  slow.instruction = 60;
  Bench bench(slow);
  const CoreCounters counted = bench.cold("straight");
  CHECK(double(counted.cycles) / 96 > 60 / 3.0);
  CHECK(double(counted.cycles) / 96 < 66 / 3.0);
  // A port that takes one line at a time.
  PortTiming single;
  single.instruction = 20;
  single.lines = 1;
  CHECK(Bench(single).cold("straight").stall_fetch > 96 * 12);
}

TEST_CASE("hits in the cache ask for nothing") {
  Bench bench;
  bench.run(bench.elf.symbol("fits").address, bench.elf.symbol("fits_end").address);
  const CoreCounters counted = bench.warm("fits");
  CHECK(counted.cache_refills == 0);
}

TEST_CASE(
    "a prefetched line that a jump leaves behind goes to an empty place of the cache, and to no other") {
  riscv::InstructionCache cache;
  riscv::Instruction instruction;
  std::uint32_t fault = 0;
  constexpr std::uint32_t line = riscv::InstructionCache::kLineBytes;
  // Runs the refill port until nothing is asked for, and says whether the instruction is there.
  const auto fetch = [&](std::uint32_t pc) {
    for (;;) {
      cache.want(pc);
      if (!cache.requests()) break;
      cache.grant();
      for (unsigned beat = 1; beat <= riscv::InstructionCache::kBeats; ++beat)
        cache.beat(0x0000'0013'0000'0013, beat == riscv::InstructionCache::kBeats, false);
    }
    return cache.fetch(pc, instruction, fault) == riscv::InstructionCache::Result::kHit;
  };
  constexpr std::uint32_t here = 0x8000'0000, way = line * riscv::InstructionCache::kSets;
  REQUIRE(fetch(here));
  REQUIRE(fetch(here + 8 * line));  // another stream takes all buffers
  const std::uint64_t refills = cache.refills();
  CHECK(cache.fetch(here + line, instruction, fault) == riscv::InstructionCache::Result::kHit);
  CHECK(cache.refills() == refills);

  cache.flush();
  for (unsigned i = 1; i <= riscv::InstructionCache::kWays; ++i) REQUIRE(fetch(here + line + i * way));
  REQUIRE(fetch(here));
  REQUIRE(fetch(here + 8 * line));
  CHECK(cache.fetch(here + line, instruction, fault) == riscv::InstructionCache::Result::kMiss);
}

TEST_CASE("four lines of a set fit, a fifth does not") {
  Bench bench;
  const CoreCounters fits = bench.warm("fits");
  CHECK(fits.stall_fetch == 0);
  CHECK(fits.cache_refills == 0);
  const CoreCounters conflict = bench.warm("conflict");
  // Round robin with five lines in four ways misses every time.
  CHECK(conflict.cache_misses >= 3 * 5 - 1);
}
