// SPDX-License-Identifier: Apache-2.0
// Every instruction, encoded by the GNU assembler (programs/operations.S), against a plain formula.
#include <array>
#include <functional>
#include <map>

#include "sim/riscv/elf.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;

namespace {

constexpr std::array<std::uint32_t, 12> kCorners{
    0, 1, 2, 0xFFFFFFFF, 0xFFFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0x0000FFFF, 0xFFFF0000, 31, 32};

/// Half corners, half small or large random numbers.
std::uint32_t operand(Random& random) {
  const std::uint64_t r = random();
  if (r % 2 == 0) return kCorners[r / 2 % kCorners.size()];
  return static_cast<std::uint32_t>(r >> 32) >> (r / 2 % 32);
}

std::int32_t s(std::uint32_t value) { return static_cast<std::int32_t>(value); }
std::int64_t wide(std::uint32_t value) { return static_cast<std::int32_t>(value); }

/// The operations program, one instruction of which runs at a time with a1 and a2 set.
struct Fixture {
  riscv::ElfFile elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/operations.elf");
  FunctionalMachine machine;

  Fixture() {
    machine.memory.load(elf);
    machine.start(elf.entry());
  }
  std::uint32_t address(const std::string& operation, unsigned row = 0) const {
    return elf.symbol("op_" + operation).address + 4 * row;
  }
  /// Runs the instruction and returns a0.
  std::uint32_t run(std::uint32_t pc, std::uint32_t a1, std::uint32_t a2 = 0) {
    machine.hart.set_pc(pc);
    machine.hart.set_x(10, 0xA0A0A0A0);
    machine.hart.set_x(11, a1);
    machine.hart.set_x(12, a2);
    REQUIRE(machine.hart.run(1) == riscv::Stop::kBudget);
    return machine.x(10);
  }
};

using Formula = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;

const std::map<std::string, Formula> kRegisterFormulas{
    {"add", [](auto a, auto b) { return a + b; }},
    {"sub", [](auto a, auto b) { return a - b; }},
    {"sll", [](auto a, auto b) { return static_cast<std::uint32_t>(std::uint64_t{a} << (b % 32)); }},
    {"slt", [](auto a, auto b) { return std::uint32_t{wide(a) < wide(b)}; }},
    {"sltu", [](auto a, auto b) { return std::uint32_t{a < b}; }},
    {"xor", [](auto a, auto b) { return (a | b) - (a & b); }},
    {"srl", [](auto a, auto b) { return static_cast<std::uint32_t>(std::uint64_t{a} >> (b % 32)); }},
    {"sra", [](auto a, auto b) { return static_cast<std::uint32_t>(wide(a) >> (b % 32)); }},
    {"or", [](auto a, auto b) { return a + b - (a & b); }},
    {"and", [](auto a, auto b) { return ~(~a | ~b); }},
    {"mul", [](auto a, auto b) { return static_cast<std::uint32_t>(std::uint64_t{a} * b); }},
    {"mulh", [](auto a, auto b) { return static_cast<std::uint32_t>(wide(a) * wide(b) >> 32); }},
    // The high word of a signed times an unsigned number from the unsigned product: minus b if a is negative.
    {"mulhsu",
     [](auto a, auto b) {
       return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32) - (s(a) < 0 ? b : 0);
     }},
    {"mulhu", [](auto a, auto b) { return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32); }},
    {"div", [](auto a, auto b) { return b == 0 ? ~0u : static_cast<std::uint32_t>(wide(a) / wide(b)); }},
    {"divu", [](auto a, auto b) { return b == 0 ? ~0u : a / b; }},
    {"rem", [](auto a, auto b) { return b == 0 ? a : static_cast<std::uint32_t>(wide(a) % wide(b)); }},
    {"remu", [](auto a, auto b) { return b == 0 ? a : a - a / b * b; }},
};

constexpr std::array<std::int32_t, 10> kImmediates{-2048, -1365, -2, -1, 0, 1, 31, 32, 1365, 2047};
constexpr std::array<std::uint32_t, 9> kShifts{0, 1, 2, 7, 15, 16, 24, 30, 31};
constexpr std::array<std::int32_t, 5> kOffsets{-2048, -3, 0, 1, 2047};

}  // namespace

TEST_CASE("register-register instructions") {
  Fixture f;
  Random random(seed());
  INFO("seed " << seed());
  for (const auto& entry : kRegisterFormulas) {
    const std::string& name = entry.first;
    const Formula& formula = entry.second;
    const std::uint32_t pc = f.address(name);
    const auto check = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t got = f.run(pc, a, b), want = formula(a, b);
      if (got != want) FAIL(name << " of " << a << ", " << b << " gives " << got << " instead of " << want);
    };
    for (const std::uint32_t a : kCorners) {
      for (const std::uint32_t b : kCorners) check(a, b);
    }
    for (std::uint64_t i = 0; i < cases(5000, 500000); ++i) check(operand(random), operand(random));
    REQUIRE(f.machine.hart.pc() == pc + 4);
  }
}

TEST_CASE("fixed results of division by zero and overflow") {
  Fixture f;
  REQUIRE(f.run(f.address("div"), 5, 0) == 0xFFFFFFFF);
  REQUIRE(f.run(f.address("divu"), 5, 0) == 0xFFFFFFFF);
  REQUIRE(f.run(f.address("rem"), 0xFFFFFFFB, 0) == 0xFFFFFFFB);
  REQUIRE(f.run(f.address("remu"), 5, 0) == 5);
  REQUIRE(f.run(f.address("div"), 0x80000000, 0xFFFFFFFF) == 0x80000000);
  REQUIRE(f.run(f.address("rem"), 0x80000000, 0xFFFFFFFF) == 0);
  REQUIRE(f.run(f.address("div"), static_cast<std::uint32_t>(-7), 2) == static_cast<std::uint32_t>(-3));
  REQUIRE(f.run(f.address("rem"), static_cast<std::uint32_t>(-7), 2) == static_cast<std::uint32_t>(-1));
}

TEST_CASE("register-immediate instructions") {
  Fixture f;
  Random random(seed());
  INFO("seed " << seed());
  const std::map<std::string, std::string> twins{{"addi", "add"}, {"slti", "slt"}, {"sltiu", "sltu"},
                                                 {"xori", "xor"}, {"ori", "or"},   {"andi", "and"}};
  for (std::uint64_t n = 0; n < cases(300, 30000); ++n) {
    const std::uint32_t a = operand(random);
    for (const auto& [name, twin] : twins) {
      for (unsigned row = 0; row < kImmediates.size(); ++row) {
        INFO(name << " " << a << ", " << kImmediates[row]);
        const auto want = kRegisterFormulas.at(twin)(a, static_cast<std::uint32_t>(kImmediates[row]));
        if (f.run(f.address(name, row), a) != want) FAIL("wrong result");
      }
    }
    for (const char* name : {"slli", "srli", "srai"}) {
      for (unsigned row = 0; row < kShifts.size(); ++row) {
        INFO(name << " " << a << ", " << kShifts[row]);
        const auto want = kRegisterFormulas.at(std::string(name).substr(0, 3))(a, kShifts[row]);
        if (f.run(f.address(name, row), a) != want) FAIL("wrong result");
      }
    }
  }
}

TEST_CASE("lui and auipc") {
  Fixture f;
  constexpr std::array<std::uint32_t, 6> values{0, 1, 0x12345, 0x7ffff, 0x80000, 0xfffff};
  for (unsigned row = 0; row < values.size(); ++row) {
    REQUIRE(f.run(f.address("lui", row), 0) == values[row] * 4096);
    REQUIRE(f.run(f.address("auipc", row), 0) == f.address("auipc", row) + values[row] * 4096);
  }
}

TEST_CASE("branches and jumps") {
  Fixture f;
  Random random(seed());
  INFO("seed " << seed());
  const std::map<std::string, std::function<bool(std::uint32_t, std::uint32_t)>> conditions{
      {"beq", [](auto a, auto b) { return (a ^ b) == 0; }},
      {"bne", [](auto a, auto b) { return (a ^ b) != 0; }},
      {"blt", [](auto a, auto b) { return wide(a) - wide(b) < 0; }},
      {"bge", [](auto a, auto b) { return wide(a) - wide(b) >= 0; }},
      {"bltu", [](auto a, auto b) { return std::uint64_t{a} < b; }},
      {"bgeu", [](auto a, auto b) { return std::uint64_t{a} >= b; }}};
  constexpr std::array<std::int32_t, 4> targets{0x100, -0x80, 0xffe, -0x1000};
  for (std::uint64_t n = 0; n < cases(500, 50000); ++n) {
    const std::uint32_t a = operand(random);
    const std::uint32_t b = n % 4 == 0 ? a : operand(random);
    for (const auto& [name, taken] : conditions) {
      for (unsigned row = 0; row < targets.size(); ++row) {
        const std::uint32_t pc = f.address(name, row);
        f.run(pc, a, b);
        const std::uint32_t want = pc + (taken(a, b) ? static_cast<std::uint32_t>(targets[row]) : 4);
        if (f.machine.hart.pc() != want)
          FAIL(name << " of " << a << ", " << b << " goes to " << f.machine.hart.pc());
      }
    }
    for (unsigned row = 0; row < kOffsets.size(); ++row) {
      const std::uint32_t pc = f.address("jalr", row);
      REQUIRE(f.run(pc, a) == pc + 4);
      REQUIRE(f.machine.hart.pc() == ((a + static_cast<std::uint32_t>(kOffsets[row])) & 0xFFFFFFFE));
    }
  }
  constexpr std::array<std::int32_t, 5> jumps{0x100, -0x100, 0xffffe, -0x100000, 0x100};
  for (unsigned row = 0; row < jumps.size(); ++row) {
    const std::uint32_t pc = f.address("jal", row);
    REQUIRE(f.run(pc, 0) == (row < 4 ? pc + 4 : 0xA0A0A0A0));
    REQUIRE(f.machine.hart.pc() == pc + static_cast<std::uint32_t>(jumps[row]));
  }
}

TEST_CASE("loads and stores of every size at every alignment") {
  Fixture f;
  Random random(seed());
  INFO("seed " << seed());
  constexpr std::uint32_t base = 0x10004000;
  const auto byte = [&f](std::uint32_t address) { return std::uint32_t{*f.machine.memory.at(address)}; };
  for (std::uint64_t n = 0; n < cases(2000, 200000); ++n) {
    for (std::uint32_t i = 0; i < 16; i += 4) {
      f.machine.memory.set_word(base + i, static_cast<std::uint32_t>(random()));
    }
    const unsigned row = static_cast<unsigned>(random() % kOffsets.size());
    const std::uint32_t address = base + static_cast<std::uint32_t>(random() % 8);
    const std::uint32_t a1 = address - static_cast<std::uint32_t>(kOffsets[row]);
    const std::uint32_t half = byte(address) + 256 * byte(address + 1);
    const std::uint32_t word = half + 65536 * (byte(address + 2) + 256 * byte(address + 3));
    REQUIRE(f.run(f.address("lbu", row), a1) == byte(address));
    REQUIRE(f.run(f.address("lb", row), a1) == (byte(address) ^ 0x80) - 0x80);
    REQUIRE(f.run(f.address("lhu", row), a1) == half);
    REQUIRE(f.run(f.address("lh", row), a1) == (half ^ 0x8000) - 0x8000);
    REQUIRE(f.run(f.address("lw", row), a1) == word);

    const auto value = static_cast<std::uint32_t>(random());
    for (const auto& [name, bytes] : {std::pair{"sb", 1u}, {"sh", 2u}, {"sw", 4u}}) {
      std::array<std::uint32_t, 16> before{};
      for (std::uint32_t i = 0; i < 16; ++i) before[i] = byte(base + i);
      f.run(f.address(name, row), a1, value);
      for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t offset = base + i - address;
        const std::uint32_t want = offset < bytes ? value >> (8 * offset) & 0xFF : before[i];
        if (byte(base + i) != want) FAIL(name << " to " << address << " is wrong at " << base + i);
      }
    }
  }
}

TEST_CASE("x0 stays 0, and a destination may be a source") {
  Fixture f;
  f.machine.memory.set_word(0x10000000, 0x12345678);
  f.run(f.address("discard", 0), 5, 6);
  f.run(f.address("discard", 1), 0x10000000);
  f.run(f.address("discard", 2), 0x80000010);
  REQUIRE(f.machine.hart.pc() == 0x80000010);
  f.run(f.address("discard", 3), 0xFF);
  REQUIRE(f.machine.csr().read(riscv::csr::kMscratch) == 0xFFu);
  REQUIRE(f.machine.x(0) == 0);

  f.run(f.address("same", 0), 0x80000020);
  REQUIRE(f.machine.hart.pc() == 0x80000020);
  REQUIRE(f.machine.x(11) == f.address("same", 1));
  f.run(f.address("same", 1), 0x10000000);
  REQUIRE(f.machine.x(11) == 0x12345678);
  f.run(f.address("same", 2), 0x77);
  REQUIRE(f.machine.x(11) == 0xFF);
  REQUIRE(f.machine.csr().read(riscv::csr::kMscratch) == 0x77u);
}
