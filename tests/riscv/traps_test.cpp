// SPDX-License-Identifier: Apache-2.0
// Exceptions, interrupts, nesting and sleep, in both ways of execution, with programs/traps.S.
#include <vector>

#include "sim/riscv/elf.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;
namespace cause = riscv::cause;

namespace {

struct Record {
  std::uint32_t cause, pc, value, status, vector;
};

template <class Machine>
struct Bench {
  riscv::ElfFile elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/traps.elf");
  Machine machine;

  template <class... Args>
  explicit Bench(Args... args) : machine(args...) {}
  std::uint32_t at(const std::string& name) const { return elf.symbol(name).address; }
  void start(const std::string& name) {
    machine.memory.load(elf);
    machine.start(at(name));
  }
  std::vector<Record> log() {
    std::vector<Record> records;
    const std::uint32_t end = machine.memory.word(at("log_next"));
    for (std::uint32_t a = at("log"); a < end; a += 20) {
      const auto word = [&](std::uint32_t i) { return machine.memory.word(a + 4 * i); };
      records.push_back({word(0), word(1), word(2), word(3), word(4)});
    }
    return records;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("every exception with its cause, address and value", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("exceptions");
  bench.machine.memory.set_half(0x800FFFFE, 0x0003);  // half of a 4-byte instruction at the end of memory
  bench.machine.run();
  REQUIRE(bench.machine.memory.exit_code == 0x5A5A5A5Au);  // no failed instruction changed a6
  struct Expected {
    const char* at;
    std::uint32_t cause, value;
  };
  const Expected expected[]{
      {"x_illegal", cause::kIllegalInstruction, 0xFFFFFFFF},
      {"x_zero", cause::kIllegalInstruction, 0},
      {"x_lr", cause::kIllegalInstruction, 0x1005A52F},
      {"x_float", cause::kIllegalInstruction, 0x00C5F553},
      {"x_sret", cause::kIllegalInstruction, 0x10200073},
      {"x_missing_csr", cause::kIllegalInstruction, 0x18002873},
      {"x_read_only_csr", cause::kIllegalInstruction, 0xF1479873},
      {"x_read_only_set", cause::kIllegalInstruction, 0xF147A873},
      {"x_user_counter", cause::kIllegalInstruction, 0xC0002873},
      {"x_ecall", cause::kEcallFromM, 0},
      {"x_ebreak", cause::kBreakpoint, bench.at("x_ebreak")},
      {"x_c_ebreak", cause::kBreakpoint, bench.at("x_c_ebreak")},
      {"x_load", cause::kLoadAccessFault, 0x44444454},
      {"x_store", cause::kStoreAccessFault, 0x44444446},
      {"x_load_second", cause::kLoadAccessFault, 0x10010000},
      {"x_load_first", cause::kLoadAccessFault, 0x0FFFFFFE},
      {"x_store_second", cause::kStoreAccessFault, 0x10010000},
      {"x_device_byte", cause::kLoadAccessFault, 0x10200001},
      {nullptr, cause::kInstructionAccessFault, 0x44444444},
      {nullptr, cause::kInstructionAccessFault, 0x80100000},
  };
  const auto log = bench.log();
  REQUIRE(log.size() == std::size(expected));
  for (std::size_t i = 0; i < log.size(); ++i) {
    INFO(i << ": " << (expected[i].at != nullptr ? expected[i].at : "fetch"));
    CHECK(log[i].cause == expected[i].cause);
    CHECK(log[i].value == expected[i].value);
    if (expected[i].at != nullptr) CHECK(log[i].pc == bench.at(expected[i].at));
    CHECK(log[i].status == 0x1800);
  }
  CHECK(log[18].pc == 0x44444444);
  CHECK(log[19].pc == 0x800FFFFE);
}

TEMPLATE_TEST_CASE("accesses behind one that fails", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("behind_fault");
  bench.machine.memory.set_word(kTcdm, 0);
  bench.machine.run();
  // a4 = 7 + 1, a6 = bytes 1 to 4 of 7, 8 = 0x08000000, a5 = bytes 3 to 6 = 0x800.
  REQUIRE(bench.machine.memory.exit_code == 8u + 0x08000000u + 0x800u);
  const auto log = bench.log();
  REQUIRE(log.size() == 3);
  CHECK(log[0].cause == cause::kLoadAccessFault);
  CHECK(log[1].cause == cause::kStoreAccessFault);
  CHECK(log[2].cause == cause::kLoadAccessFault);
  CHECK(log[2].value == 0x44444445);
}

TEMPLATE_TEST_CASE("a trap in a trap handler", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("nested");
  bench.machine.run();
  CHECK(bench.machine.x(9) == 0x1880);               // outer: MPIE from MIE, MIE off
  CHECK(bench.machine.x(18) == cause::kBreakpoint);  // inner
  CHECK(bench.machine.x(19) == 0x1880);              // inner: MIE was on again
  CHECK(bench.machine.x(20) == 0x1888);              // mret: MIE from MPIE, MPIE on
  CHECK(bench.machine.memory.exit_code == 0x1888u);  // after the outer mret
}

TEMPLATE_TEST_CASE("wfi", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  SECTION("wakes without a trap when interrupts are off") {
    for (const bool timer : {false, true}) {
      bench.start("sleep_without_trap");
      bench.machine.run();
      REQUIRE(bench.machine.asleep());
      bench.machine.set_lines(!timer, timer);
      bench.machine.run();
      CHECK(bench.machine.memory.exit_code == (timer ? riscv::kTimerBit : riscv::kExternalBit));
      CHECK(bench.log().empty());
    }
  }
  SECTION("wakes into its handler, which returns behind it") {
    for (const bool timer : {false, true}) {
      bench.start("sleep_with_trap");
      bench.machine.run();
      REQUIRE(bench.machine.asleep());
      bench.machine.set_lines(!timer, timer);
      bench.machine.run();
      CHECK(bench.machine.memory.exit_code == 2u);
      const auto log = bench.log();
      REQUIRE(log.size() == 1);
      CHECK(log[0].cause == (timer ? cause::kTimerInterrupt : cause::kExternalInterrupt));
      CHECK(log[0].vector == (timer ? 7u : 11u));
      CHECK(log[0].pc == bench.at("after_wfi"));
      CHECK(log[0].value == 0);
      CHECK(log[0].status == 0x1880);
    }
  }
  SECTION("does not sleep when an interrupt is pending") {
    bench.start("no_sleep");
    bench.machine.run();
    CHECK(bench.machine.memory.exit_code == 55u);
  }
}

TEMPLATE_TEST_CASE("external before timer", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("priority");
  bench.machine.run();
  const auto log = bench.log();
  REQUIRE(log.size() == 1);
  CHECK(log[0].cause == cause::kExternalInterrupt);
  CHECK(log[0].vector == 11);
  CHECK(bench.machine.memory.exit_code == 1u);
}

TEMPLATE_TEST_CASE("fence.i makes a written instruction seen", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("self_modifying");
  bench.machine.run();
  CHECK(bench.machine.memory.exit_code == 0x307u);
}

TEMPLATE_TEST_CASE("a trap without a handler halts", "", CoreMachine, FunctionalMachine) {
  Bench<TestType> bench;
  bench.start("uncaught_store");
  bench.machine.run();
  REQUIRE(bench.machine.halted());
  CHECK(bench.machine.trap().cause == cause::kStoreAccessFault);
  CHECK(bench.machine.trap().pc == bench.at("uncaught_store_pc"));
  CHECK(bench.machine.trap().value == 0x55555554);
  bench.start("uncaught_illegal");
  bench.machine.run();
  REQUIRE(bench.machine.halted());
  CHECK(bench.machine.trap().cause == cause::kIllegalInstruction);
  CHECK(bench.machine.trap().pc == bench.at("uncaught_illegal"));
  CHECK(bench.machine.trap().value == 0xDEADBE6B);
}

TEST_CASE("a halted core keeps still, and says so") {
  Bench<CoreMachine> bench;
  bench.start("uncaught_store");
  bench.machine.run();
  const auto cycles = bench.machine.core.counters().cycles;
  for (int i = 0; i < 100; ++i) bench.machine.tick();
  CHECK(bench.machine.core.counters().cycles == cycles);
  CHECK_FALSE(bench.machine.core.outputs().data_req);
  CHECK(bench.machine.core.status().wait == riscv::CoreWait::kHalted);
  CHECK(bench.machine.core.status().pc == bench.at("uncaught_store_pc"));
}

TEST_CASE("interrupts at any time are not felt by the program") {
  Bench<CoreMachine> quiet;
  quiet.start("counting");
  quiet.machine.run();
  REQUIRE(quiet.machine.memory.exit_code);
  Random random(seed());
  INFO("seed " << seed());
  for (std::uint64_t n = 0; n < cases(5, 200); ++n) {
    PortTiming timing;
    timing.withhold = 0.2 * static_cast<double>(n % 3);
    timing.random_latency = static_cast<unsigned>(n % 4 * 3);
    Bench<CoreMachine> bench(timing, random());
    bench.start("counting");
    const std::uint64_t period = 80 + random() % 100;
    while (!bench.machine.memory.exit_code && bench.machine.core.counters().cycles < 1'000'000) {
      if (random() % period == 0 && bench.machine.core.csr().interrupts_enabled() &&
          bench.log().size() < 200) {
        (random() % 2 == 0 ? bench.machine.memory.external : bench.machine.memory.timer) = true;
      }
      bench.machine.tick();
    }
    REQUIRE(bench.machine.memory.exit_code == quiet.machine.memory.exit_code);
    REQUIRE(bench.log().size() > 20);
    const auto& counters = bench.machine.core.counters();
    CHECK(counters.interrupts == bench.log().size());
    CHECK(counters.active + counters.stalls() + counters.asleep == counters.cycles);
  }
}

TEST_CASE("cycles asleep are counted, and mcycle goes on") {
  Bench<CoreMachine> bench;
  bench.start("sleep_without_trap");
  bench.machine.run();
  const auto before = bench.machine.core.counters();
  const auto mcycle = *bench.machine.csr().read(riscv::csr::kMcycle);
  for (int i = 0; i < 1000; ++i) bench.machine.tick();
  const auto& after = bench.machine.core.counters();
  CHECK(after.asleep - before.asleep == 1000);
  CHECK(after.cycles - before.cycles == 1000);
  CHECK(after.active == before.active);
  CHECK(*bench.machine.csr().read(riscv::csr::kMcycle) - mcycle == 1000);
  CHECK(bench.machine.core.status().wait == riscv::CoreWait::kInterrupt);
  // The line is seen at the end of a cycle; the next one is active again.
  bench.machine.set_lines(true, false);
  CHECK(after.asleep - before.asleep == 1001);
  bench.machine.tick();
  CHECK(after.active == before.active + 1);
  CHECK(after.active + after.stalls() + after.asleep == after.cycles);
}

TEST_CASE("a stuck core tells what it waits for") {
  PortTiming timing;
  timing.grant_delay = ~0u;
  Bench<CoreMachine> bench(timing);
  bench.start("uncaught_store");
  REQUIRE_THROWS_WITH(bench.machine.run(1000), NEARCUBE_CATCH_CONTAINS("grant of its data request"));
  auto status = bench.machine.core.status();
  CHECK(status.wait == riscv::CoreWait::kDataGrant);
  CHECK(status.wait_address == 0x55555554);
  CHECK(status.wait_is_store);
  CHECK(status.pc == bench.at("uncaught_store_pc"));

  timing = PortTiming();
  timing.peripheral = ~0u;
  Bench<CoreMachine> unanswered(timing);
  unanswered.start("uncaught_store");
  REQUIRE_THROWS(unanswered.machine.run(1000));
  status = unanswered.machine.core.status();
  CHECK(status.wait == riscv::CoreWait::kDataAnswer);
  CHECK(status.wait_address == 0x55555554);
  CHECK(status.pc == bench.at("uncaught_store_pc"));

  timing = PortTiming();
  timing.instruction = ~0u;
  Bench<CoreMachine> fetching(timing);
  fetching.start("uncaught_store");
  REQUIRE_THROWS(fetching.machine.run(1000));
  status = fetching.machine.core.status();
  CHECK(status.wait == riscv::CoreWait::kInstructionData);
  CHECK(status.wait_address == (bench.at("uncaught_store") & ~31u));
}
