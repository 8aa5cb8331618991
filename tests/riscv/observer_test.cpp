// SPDX-License-Identifier: Apache-2.0
// Hooks for debuggers and traces, and what the core says when its ports misbehave.
#include <vector>

#include "sim/base/error.h"
#include "sim/riscv/elf.h"
#include "tests/riscv/support/encode.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;
using riscv::Op;

namespace {

struct Recorder : riscv::Observer {
  std::vector<riscv::Retirement> retired;
  std::vector<riscv::Trap> trapped;
  void retires(const riscv::Retirement& r) override { retired.push_back(r); }
  void traps(const riscv::Trap& t, std::uint64_t) override { trapped.push_back(t); }
};

/// Holds before one address, as a breakpoint; `passed` lets the instruction there start once.
struct Breakpoint : riscv::Observer {
  std::uint32_t address = 0;
  bool passed = false;
  bool starts(std::uint32_t pc) override {
    if (pc != address || passed) {
      passed = false;
      return true;
    }
    return false;
  }
};

void place(TestMemory& memory, std::initializer_list<std::uint32_t> program) {
  std::uint32_t at = kCube;
  for (const std::uint32_t word : program) {
    memory.set_word(at, word);
    at += 4;
  }
}

void attach(CoreMachine& machine, riscv::Observer* observer) { machine.core.observe(observer); }
void attach(FunctionalMachine& machine, riscv::Observer* observer) { machine.hart.observe(observer); }

}  // namespace

TEMPLATE_TEST_CASE("an observer sees each instruction once, in order, with its value and address", "",
                   CoreMachine, FunctionalMachine) {
  TestType machine;
  place(machine.memory, {lui(1, kTcdm), addi(2, 0, 77), s_type(9, 2, 1, 2, 0x23), i_type(9, 1, 2, 3, 0x03),
                         addi(4, 3, 1), b_type(8, 0, 4, 1), addi(5, 0, 1), i_type(8, 1, 0, 6, 0x03),
                         lui(7, kExitRegister), s_type(0x30, 4, 7, 2, 0x23), 0x0000006F});
  Recorder recorder;
  attach(machine, &recorder);
  machine.start(kCube);
  machine.run();
  struct Expected {
    std::uint32_t pc;
    Op op;
    std::uint32_t value, address;
  };
  const Expected expected[]{
      {0, Op::kLui, kTcdm, 0},      {4, Op::kAddi, 77, 0},         {8, Op::kSw, 77, kTcdm + 9},
      {12, Op::kLw, 77, kTcdm + 9}, {16, Op::kAddi, 78, 0},        {20, Op::kBne, 0, 0},
      {28, Op::kLb, 0, kTcdm + 8},  {32, Op::kLui, 0x10200000, 0}, {36, Op::kSw, 78, kExitRegister},
  };
  REQUIRE(recorder.retired.size() >= std::size(expected));
  std::uint64_t cycle = 0;
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    INFO(i);
    const auto& r = recorder.retired[i];
    CHECK(r.pc == kCube + expected[i].pc);
    CHECK(r.instruction.op == expected[i].op);
    if (r.instruction.rd != riscv::kSink || riscv::is_store(r.instruction.op))
      CHECK(r.value == expected[i].value);
    CHECK(r.address == expected[i].address);
    CHECK(r.cycle >= cycle);
    cycle = r.cycle;
  }
  CHECK(recorder.trapped.empty());
}

TEMPLATE_TEST_CASE("an observer sees traps, and no instruction that traps", "", CoreMachine,
                   FunctionalMachine) {
  TestType machine;
  place(machine.memory, {addi(1, 0, 5), i_type(0x44, 0, 2, 2, 0x03), addi(1, 1, 1)});
  Recorder recorder;
  attach(machine, &recorder);
  machine.start(kCube);
  machine.run();
  REQUIRE(machine.halted());
  REQUIRE(recorder.retired.size() == 1);
  REQUIRE(recorder.trapped.size() == 1);
  CHECK(recorder.trapped[0].pc == kCube + 4);
  CHECK(recorder.trapped[0].value == 0x44);
}

TEST_CASE("a breakpoint holds the core before its instruction, and the program goes on from there") {
  CoreMachine machine;
  place(machine.memory, {addi(1, 0, 1), addi(1, 1, 1), addi(1, 1, 1), lui(7, kExitRegister),
                         s_type(0x30, 1, 7, 2, 0x23), 0x0000006F});
  Breakpoint breakpoint;
  breakpoint.address = kCube + 8;
  machine.core.observe(&breakpoint);
  machine.start(kCube);
  while (!machine.core.quiet()) machine.tick();
  CHECK(machine.core.pc() == kCube + 8);
  CHECK(machine.x(1) == 2);
  const auto cycles = machine.core.counters().cycles;
  const auto mcycle = machine.csr().read(riscv::csr::kMcycle);
  for (int i = 0; i < 20; ++i) machine.tick();
  CHECK(machine.core.counters().cycles == cycles);  // held cycles do not count
  CHECK(machine.csr().read(riscv::csr::kMcycle) == mcycle);
  CHECK(machine.core.status().wait == riscv::CoreWait::kHeld);

  machine.core.set_x(1, 10);
  breakpoint.passed = true;
  machine.core.hold(false);
  machine.run();
  CHECK(machine.memory.exit_code == 11u);
}

TEST_CASE("a breakpoint stops functional execution likewise") {
  FunctionalMachine machine;
  place(machine.memory, {addi(1, 0, 1), addi(1, 1, 1), addi(1, 1, 1)});
  Breakpoint breakpoint;
  breakpoint.address = kCube + 8;
  machine.hart.observe(&breakpoint);
  machine.start(kCube);
  REQUIRE(machine.hart.run(100) == riscv::Stop::kHeld);
  CHECK(machine.hart.pc() == kCube + 8);
  CHECK(machine.x(1) == 2);
  CHECK(machine.hart.instructions() == 2);
  breakpoint.passed = true;
  REQUIRE(machine.hart.run(1) == riscv::Stop::kBudget);
  CHECK(machine.x(1) == 3);
}

TEST_CASE("holding at any time leaves a program as it was") {
  const auto elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/compute.elf");
  Random random(seed());
  INFO("seed " << seed());
  PortTiming timing;
  timing.withhold = 0.2;
  timing.random_latency = 5;
  CoreMachine plain(timing, 1), held(timing, 1);
  for (CoreMachine* machine : {&plain, &held}) {
    machine->memory.load(elf);
    machine->start(elf.entry());
  }
  plain.run(20'000'000);
  while (!held.memory.exit_code) {
    held.tick();
    if (random() % 50 != 0) continue;
    held.core.hold(true);
    while (!held.core.quiet()) held.tick();
    held.core.hold(false);
  }
  CHECK(held.memory.exit_code == plain.memory.exit_code);
  CHECK(held.memory.cube == plain.memory.cube);
  const auto& counters = held.core.counters();
  CHECK(counters.active + counters.stalls() + counters.asleep == counters.cycles);
}

TEST_CASE("ports that break the protocol are an error, not a wrong result") {
  riscv::Core core(0);
  riscv::CoreInputs in;
  core.tick(in);  // in reset: nothing happens
  CHECK_FALSE(core.outputs().instr_req);
  core.reset(kCube);
  CHECK(core.outputs().instr_req);
  CHECK(core.outputs().instr_addr == kCube);
  SECTION("an answer to nothing") {
    in.data_rvalid = true;
    CHECK_THROWS_WITH(core.tick(in), NEARCUBE_CATCH_CONTAINS("no request asked for"));
  }
  SECTION("a beat of nothing") {
    in.instr_rvalid = true;
    CHECK_THROWS_WITH(core.tick(in), NEARCUBE_CATCH_CONTAINS("no refill asked for"));
  }
  SECTION("a line of three beats") {
    in.instr_gnt = true;
    core.tick(in);
    in = {};
    in.instr_rvalid = true;
    core.tick(in);
    core.tick(in);
    in.instr_last = true;
    CHECK_THROWS_WITH(core.tick(in), NEARCUBE_CATCH_CONTAINS("3 beats"));
  }
  SECTION("two accesses at once") {
    in.instr_gnt = true;
    core.tick(in);
    in = {};
    in.instr_rvalid = true;
    in.instr_rdata = 0x0000220300002103;  // lw x2, 0(x0); lw x4, 0(x0)
    for (int beat = 0; beat < 4; ++beat) {
      in.instr_last = beat == 3;
      core.tick(in);
    }
    in = {};
    in.data_gnt = true;
    core.tick(in);
    CHECK_THROWS_WITH(core.tick(in), NEARCUBE_CATCH_CONTAINS("before the one to"));
  }
}

TEST_CASE("reset starts afresh, whatever the core was doing") {
  const auto elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/compute.elf");
  CoreMachine machine;
  std::optional<std::uint64_t> cycles;
  for (const int ticks : {0, 1, 57, 1000, 4321}) {
    machine.memory.load(elf);
    machine.start(elf.entry());
    for (int i = 0; i < ticks; ++i) machine.tick();
    machine.memory.load(elf);
    machine.start(elf.entry());
    CHECK(machine.core.counters().cycles == 0);
    CHECK(machine.csr().read(riscv::csr::kMinstret) == 0u);
    machine.run(20'000'000);
    CHECK(machine.memory.exit_code == 0u);
    if (cycles) CHECK(machine.core.counters().cycles == *cycles);
    cycles = machine.core.counters().cycles;
  }
}

TEST_CASE("fence.i also drops a line that is under way") {
  PortTiming timing;
  timing.instruction = 20;
  CoreMachine machine(timing);
  const std::uint32_t nop = addi(0, 0, 0);
  place(machine.memory, {nop, nop, nop, s_type(32, 2, 1, 2, 0x23), 0x0000100F, nop, nop, nop,  // first line
                         addi(5, 0, 3), lui(7, kExitRegister), s_type(0x30, 5, 7, 2, 0x23), 0x0000006F});
  machine.start(kCube);
  machine.core.set_x(1, kCube);
  machine.core.set_x(2, addi(5, 0, 7));
  machine.run();
  CHECK(machine.memory.exit_code == 7u);
}

TEST_CASE("an interrupt whose line falls before the core comes to it is not taken") {
  PortTiming timing;
  timing.memory = 20;
  CoreMachine machine(timing);
  place(machine.memory, {i_type(0x100, 1, 2, 2, 0x03), addi(5, 2, 3), lui(7, kExitRegister),
                         s_type(0x30, 5, 7, 2, 0x23), 0x0000006F});
  machine.memory.set_word(kCube + 0x100, 39);
  machine.start(kCube);
  machine.core.set_x(1, kCube);
  machine.csr().write(riscv::csr::kMtvec, kCube + 0x200);
  machine.csr().write(riscv::csr::kMie, riscv::kExternalBit);
  machine.csr().write(riscv::csr::kMstatus, riscv::kMstatusMie);
  while (!machine.core.outputs().data_req) machine.tick();
  machine.memory.external = true;  // seen in the cycle of the grant; the load is answered 20 cycles later
  machine.tick();
  machine.memory.external = false;
  machine.run();
  CHECK(machine.memory.exit_code == 42u);
  CHECK(machine.core.counters().interrupts == 0);
  CHECK(machine.core.counters().stall_trap == 1);
}
