// SPDX-License-Identifier: Apache-2.0
// A compiled C program with libc (programs/compute.c) in both ways of execution, against the same computed
// here.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "sim/riscv/elf.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"

using namespace nearcube;
using namespace nearcube::test;

namespace {

std::uint32_t crc(const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(::crc32(0, static_cast<const Bytef*>(data), static_cast<uInt>(bytes)));
}

void check_results(TestMemory& memory, const riscv::ElfFile& elf) {
  REQUIRE(memory.exit_code == 0u);
  const std::uint32_t results = elf.symbol("results").address;
  const auto word = [&](unsigned i) { return memory.word(results + 4 * i); };

  std::array<std::uint32_t, 300> numbers{};
  std::uint32_t state = 12345;
  for (auto& n : numbers) {
    state = state * 1664525u + 1013904223u;
    n = state >> 3;
  }
  std::sort(numbers.begin(), numbers.end());
  CHECK(word(0) == crc(numbers.data(), sizeof numbers));
  CHECK(word(1) == 1);

  // memset to dots, strcpy, strcat, memmove by 4 and memcpy, as the program does.
  std::string buffer(256, '.');
  const std::string text = "the near memory computing";
  std::copy(text.begin(), text.end(), buffer.begin());
  buffer[text.size()] = '\0';
  CHECK(word(2) == crc(buffer.data(), buffer.size()));
  CHECK(word(3) == text.size());
  CHECK(word(4) == text.find("comp"));
  CHECK(word(5) == 1);

  std::uint64_t a = 0, b = 1;
  for (int i = 0; i < 90; ++i) std::tie(a, b) = std::pair(b, a + b);
  const std::uint64_t fibonacci = std::uint64_t{word(7)} << 32 | word(6);
  const std::string digits = std::to_string(a);
  std::uint32_t sum = 0;
  for (const char c : digits) sum += static_cast<std::uint32_t>(c - '0');
  CHECK(fibonacci == a);
  CHECK(word(8) == sum);
  CHECK(std::string(reinterpret_cast<const char*>(memory.at(results + 36))) == "-42 4000000000 c0de text !");
}

}  // namespace

TEST_CASE("a C program, functionally") {
  const auto elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/compute.elf");
  FunctionalMachine machine;
  machine.memory.load(elf);
  machine.start(elf.entry());
  machine.run(10'000'000);
  check_results(machine.memory, elf);
}

TEST_CASE("a C program on the timed core, with several memories") {
  const auto elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/compute.elf");
  std::uint64_t instructions = 0, previous = 0;
  for (const unsigned latency : {1u, 10u, 40u}) {
    PortTiming timing;
    timing.memory = timing.instruction = latency;
    CoreMachine machine(timing);
    machine.memory.load(elf);
    machine.start(elf.entry());
    machine.run(20'000'000);
    check_results(machine.memory, elf);
    const auto& counters = machine.core.counters();
    CHECK(counters.active + counters.stalls() + counters.asleep == counters.cycles);
    CHECK(counters.cycles > previous);
    previous = counters.cycles;
    // The idle loop after exit differs by a few.
    if (instructions != 0)
      CHECK(std::max(counters.active, instructions) - std::min(counters.active, instructions) < 50);
    instructions = counters.active;
  }
}
