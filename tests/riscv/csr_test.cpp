// SPDX-License-Identifier: Apache-2.0
// Control and status registers: what exists, which bits are writable, what the six instructions do.
#include <map>

#include "sim/riscv/direct_memory.h"
#include "tests/riscv/support/encode.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;
namespace csr = riscv::csr;

namespace {

/// Executes one instruction at the start of cube memory. True if it did not trap.
bool run(FunctionalMachine& machine, std::uint32_t word) {
  machine.memory.set_word(kCube, word);
  machine.hart.flush();
  machine.hart.set_pc(kCube);
  return machine.hart.run(1) == riscv::Stop::kBudget;
}

}  // namespace

TEST_CASE("the registers that exist, and no others") {
  FunctionalMachine machine;
  const auto exists = [](std::uint32_t n) {
    switch (n) {
      case 0x300:
      case 0x301:
      case 0x304:
      case 0x305:
      case 0x310:
      case 0x320:
      case 0x340:
      case 0x341:
      case 0x342:
      case 0x343:
      case 0x344:
      case 0xB00:
      case 0xB02:
      case 0xB80:
      case 0xB82:
      case 0xF11:
      case 0xF12:
      case 0xF13:
      case 0xF14:
      case 0xF15:
        return true;
      default:
        return (n >= 0x323 && n <= 0x33F) || (n >= 0xB03 && n <= 0xB1F) || (n >= 0xB83 && n <= 0xB9F);
    }
  };
  for (std::uint32_t number = 0; number < 0x1000; ++number) {
    machine.start(kCube);
    if (run(machine, csr_access(2, 5, number, 0)) != exists(number)) FAIL("read of CSR " << number);
    machine.start(kCube);
    machine.hart.set_x(6, 0x88);
    const bool writable = exists(number) && number >> 10 != 3;
    if (run(machine, csr_access(1, 5, number, 6)) != writable) FAIL("write of CSR " << number);
  }
}

TEST_CASE("writable bits") {
  const std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> writable{
      // number: {after writing all ones, after writing zeros}
      {csr::kMstatus, {0x1888, 0x1800}},
      {csr::kMisa, {0x40001104, 0x40001104}},
      {csr::kMie, {0x880, 0}},
      {csr::kMip, {0, 0}},
      {csr::kMtvec, {0xFFFFFFFD, 0}},
      {csr::kMscratch, {0xFFFFFFFF, 0}},
      {csr::kMepc, {0xFFFFFFFE, 0}},
      {csr::kMcause, {0xFFFFFFFF, 0}},
      {csr::kMtval, {0xFFFFFFFF, 0}},
      {csr::kMcountinhibit, {5, 0}},
      {csr::kMstatush, {0, 0}},
      {csr::kMcycle, {0xFFFFFFFF, 0}},
      {csr::kMcycleh, {0xFFFFFFFF, 0}},
      {csr::kMinstret, {0xFFFFFFFF, 0}},
      {csr::kMinstreth, {0xFFFFFFFF, 0}},
      {0xB03, {0, 0}},
      {0x323, {0, 0}},
  };
  for (const auto& [number, values] : writable) {
    INFO(std::hex << number);
    riscv::CsrFile file(9);
    REQUIRE(file.write(number, 0xFFFFFFFF));
    CHECK(file.read(number) == values.first);
    REQUIRE(file.write(number, 0));
    CHECK(file.read(number) == values.second);
  }
  riscv::CsrFile file(9);
  CHECK(file.read(csr::kMhartid) == 9u);
  CHECK(file.read(csr::kMstatus) == 0x1800u);
  CHECK(file.read(csr::kMtvec) == 0u);
  file.set_lines(true, false);
  CHECK(file.read(csr::kMip) == 0x800u);
  file.set_lines(false, true);
  CHECK(file.read(csr::kMip) == 0x80u);
}

TEST_CASE("the six CSR instructions") {
  FunctionalMachine machine;
  Random random(seed());
  INFO("seed " << seed());
  machine.start(kCube);
  for (std::uint64_t n = 0; n < cases(2000, 100000); ++n) {
    const auto old = static_cast<std::uint32_t>(random()), value = static_cast<std::uint32_t>(random());
    const auto source = static_cast<unsigned>(random() % 32), rd = static_cast<unsigned>(random() % 32);
    const auto funct3 = static_cast<std::uint32_t>(random() % 6);
    const std::uint32_t code = funct3 < 3 ? funct3 + 1 : funct3 + 2;
    machine.csr().write(csr::kMscratch, old);
    machine.hart.set_x(source, value);
    const std::uint32_t operand = code >= 5 ? source : source == 0 ? 0 : value;
    const std::uint32_t want = code % 4 == 1 ? operand : code % 4 == 2 ? old | operand : old & ~operand;
    REQUIRE(run(machine, csr_access(code, rd, csr::kMscratch, source)));
    INFO("instruction " << code << " rd " << rd << " source " << source);
    REQUIRE(machine.csr().read(csr::kMscratch) == want);
    REQUIRE(machine.x(rd) == (rd == 0 ? 0 : old));
  }
}

TEST_CASE("set and clear without an operand may read read-only registers") {
  FunctionalMachine machine;
  machine.start(kCube);
  for (const std::uint32_t code : {2u, 3u, 6u, 7u}) {
    CHECK(run(machine, csr_access(code, 5, csr::kMhartid, 0)));
    CHECK(machine.x(5) == 3);
  }
  for (const std::uint32_t code : {1u, 2u, 3u, 5u, 6u, 7u}) {
    machine.start(kCube);
    CHECK_FALSE(run(machine, csr_access(code, 5, csr::kMhartid, 1)));
    CHECK(machine.trap().cause == riscv::cause::kIllegalInstruction);
  }
}

TEST_CASE("counters count, can be written, and can be stopped") {
  riscv::CsrFile file(0);
  file.write(csr::kMcycle, 0xFFFFFFFF);
  file.count(1, 1);  // the instruction that wrote
  CHECK(file.read(csr::kMcycle) == 0xFFFFFFFFu);
  CHECK(file.read(csr::kMinstret) == 1u);
  file.count(1, 0);
  CHECK(file.read(csr::kMcycle) == 0u);
  CHECK(file.read(csr::kMcycleh) == 1u);
  CHECK(file.read(csr::kMinstret) == 1u);
  file.write(csr::kMcountinhibit, 4);
  file.count(5, 5);
  CHECK(file.read(csr::kMcycle) == 5u);
  CHECK(file.read(csr::kMinstret) == 1u);
  file.write(csr::kMcountinhibit, 1);
  file.count(5, 5);
  CHECK(file.read(csr::kMcycle) == 5u);
  CHECK(file.read(csr::kMinstret) == 6u);
}

TEST_CASE("minstret in functional execution counts what completed") {
  FunctionalMachine machine;
  machine.start(kCube);
  machine.csr().write(csr::kMtvec, kCube + 0x100);
  machine.csr().count(0, 0);
  const std::uint32_t program[]{addi(1, 0, 1), addi(1, 1, 1), 0x00000073,
                                csr_access(2, 5, csr::kMinstret, 0)};
  for (std::uint32_t i = 0; i < 3; ++i) machine.memory.set_word(kCube + 4 * i, program[i]);
  machine.memory.set_word(kCube + 0x100, program[3]);
  machine.memory.set_word(kCube + 0x104, csr_access(1, 6, csr::kMinstret, 1));  // writes 2
  machine.memory.set_word(kCube + 0x108, csr_access(2, 7, csr::kMinstret, 0));
  machine.memory.set_word(kCube + 0x10C, csr_access(2, 8, csr::kMcycle, 0));
  REQUIRE(machine.hart.run(7) == riscv::Stop::kBudget);
  CHECK(machine.x(5) == 2);  // the ecall did not complete
  CHECK(machine.x(6) == 3);
  CHECK(machine.x(7) == 2);
  CHECK(machine.x(8) == 6);
  CHECK(machine.hart.instructions() == 7);
}

TEST_CASE("which interrupt, and where its handler starts") {
  riscv::CsrFile file(0);
  file.set_lines(true, true);
  CHECK_FALSE(file.wakes());
  file.write(csr::kMie, riscv::kTimerBit);
  CHECK(file.wakes());
  CHECK_FALSE(file.interrupt_pending());
  CHECK(file.interrupt_cause() == riscv::cause::kTimerInterrupt);
  file.write(csr::kMie, riscv::kTimerBit | riscv::kExternalBit);
  CHECK(file.interrupt_cause() == riscv::cause::kExternalInterrupt);
  file.set_lines(false, true);
  CHECK(file.interrupt_cause() == riscv::cause::kTimerInterrupt);
  file.write(csr::kMstatus, riscv::kMstatusMie);
  CHECK(file.interrupt_pending());

  CHECK_FALSE(file.has_handler());
  file.write(csr::kMtvec, 0x1001);
  CHECK(file.has_handler());
  CHECK(file.enter_trap({0x80, riscv::cause::kEcallFromM, 0}) == 0x1000);  // exceptions all go to the base
  CHECK(file.enter_trap({0x80, riscv::cause::kTimerInterrupt, 0}) == 0x1000 + 4 * 7);
  CHECK(file.enter_trap({0x80, riscv::cause::kExternalInterrupt, 0}) == 0x1000 + 4 * 11);
  file.write(csr::kMtvec, 0x1000);
  CHECK(file.enter_trap({0x80, riscv::cause::kExternalInterrupt, 0}) == 0x1000);
}

TEST_CASE("functional execution takes an interrupt right behind the access that raised it") {
  riscv::DirectMemory memory;
  memory.add_region(kCube, 0x1000, true);
  riscv::Functional<riscv::DirectMemory> hart(0, memory);
  memory.set_device([&hart](std::uint32_t address, bool write, std::uint8_t, std::uint32_t& data) {
    if (!write || address != kLinesRegister) return riscv::Access::kFault;
    hart.set_lines((data & 1u) != 0, (data & 2u) != 0);
    return riscv::Access::kDevice;
  });
  const auto put = [&memory](std::uint32_t address, std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words) {
      std::uint8_t bytes[4];
      std::memcpy(bytes, &word, 4);
      memory.write(address, bytes);
      address += 4;
    }
  };
  const std::uint32_t raise = s_type(0x100, 2, 1, 2, 0x23), clear = s_type(0x100, 0, 1, 2, 0x23);
  put(kCube, {raise, addi(5, 5, 1), raise, csr_access(6, 0, csr::kMstatus, 8), addi(5, 5, 1), 0x10500073});
  // The handler keeps x5 and mepc, counts in x6, and clears the line: x8 = x8 << 4 | x5.
  put(kCube + 0x200, {i_type(4, 8, 1, 8, 0x13), r_type(0, 5, 8, 6, 8, 0x33), addi(6, 6, 1), clear,
                      csr_access(6, 0, csr::kMstatus, 0), 0x30200073});
  hart.reset(kCube);
  hart.set_x(1, kLinesRegister - 0x100);
  hart.set_x(2, 1);
  hart.set_x(5, 1);
  hart.csr().write(csr::kMtvec, kCube + 0x200);
  hart.csr().write(csr::kMie, riscv::kExternalBit);
  hart.csr().write(csr::kMstatus, riscv::kMstatusMie);
  REQUIRE(hart.run(1000) == riscv::Stop::kAsleep);
  CHECK(hart.x(6) == 2);
  CHECK(hart.x(8) == 0x12);  // after the first store x5 was 1, after the second 2
  CHECK(hart.x(5) == 3);
  // Off, raised, and on again: taken behind the instruction that turns them on.
  hart.reset(kCube + 8);
  hart.set_x(1, kLinesRegister - 0x100);
  hart.set_x(2, 1);
  hart.set_x(5, 5);
  hart.csr().write(csr::kMtvec, kCube + 0x200);
  hart.csr().write(csr::kMie, riscv::kExternalBit);
  REQUIRE(hart.run(1000) == riscv::Stop::kAsleep);
  CHECK(hart.x(8) == 5);
  CHECK(hart.x(5) == 6);
}
