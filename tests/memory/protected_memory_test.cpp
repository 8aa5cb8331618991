// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/protected_memory.h"

#include <map>
#include <vector>

#include "sim/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using memory::FaultInjection;
using memory::FlatMemory;
using memory::ProtectedMemory;
using memory::Untouched;

namespace {

constexpr std::uint64_t kBase = 0x80000000;
constexpr std::uint64_t kSize = 1 << 20;

FaultInjection faults(double bit_flips, double double_flips, std::uint64_t seed = 1) {
  FaultInjection injection;
  injection.bit_flips = bit_flips;
  injection.double_flips = double_flips;
  injection.seed = seed;
  return injection;
}

/// Random reads and writes of a small range under the injection; every answer must be an error or right.
struct Outcome {
  memory::ProtectionResult counters;
  std::uint64_t errors = 0;
  std::vector<std::optional<std::uint64_t>> reads;
};
Outcome exercise(const FaultInjection& injection, std::uint64_t accesses, std::uint64_t traffic_seed) {
  FlatMemory flat(kBase, kSize, Untouched::kPoison);
  ProtectedMemory memory(flat, injection);
  FlatMemory model(kBase, kSize, Untouched::kPoison);
  test::Random random(traffic_seed);
  Outcome outcome;
  for (std::uint64_t i = 0; i < accesses; ++i) {
    const std::uint64_t address = kBase + 65536 - 128 + 8 * (random() % 32);
    if (random() % 3 == 0) {
      const std::uint64_t data = random();
      const auto strobe = static_cast<std::uint8_t>(random() % 2 != 0 ? 0xFF : random());
      if (memory.write64(address, data, strobe)) {
        model.write64(address, data, strobe);
      } else {
        ++outcome.errors;
        REQUIRE(strobe != 0xFF);
      }
    } else {
      const auto word = memory.read64(address);
      outcome.reads.push_back(word);
      if (word) {
        REQUIRE(*word == model.read64(address));
      } else {
        ++outcome.errors;
      }
    }
  }
  outcome.counters = memory.result();
  return outcome;
}

}  // namespace

TEST_CASE("protected memory without faults is memory", "[protected]") {
  const Outcome outcome = exercise(faults(0, 0), test::cases(20000, 1000000), test::seed());
  CHECK(outcome.errors == 0);
  CHECK(outcome.counters.corrected == 0);
  CHECK(outcome.counters.uncorrectable == 0);
}

TEST_CASE("single flips are corrected and counted", "[protected]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  const std::uint64_t accesses = test::cases(100000, 5000000);
  const Outcome clean = exercise(faults(0, 0), accesses, seed);
  const Outcome flipped = exercise(faults(0.01, 0, seed), accesses, seed);
  CHECK(flipped.errors == 0);
  CHECK(flipped.reads == clean.reads);
  CHECK(flipped.counters.corrected == flipped.counters.injected_single);
  CHECK(flipped.counters.injected_double == 0);
  const double expected = 0.01 * static_cast<double>(flipped.counters.words_read);
  CHECK(static_cast<double>(flipped.counters.corrected) > 0.8 * expected);
  CHECK(static_cast<double>(flipped.counters.corrected) < 1.2 * expected);
}

TEST_CASE("double flips are errors and never data", "[protected]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  const Outcome outcome = exercise(faults(0.01, 0.01, seed), test::cases(100000, 5000000), seed);
  CHECK(outcome.counters.injected_double > 0);
  // A word stays bad until it is written whole.
  CHECK(outcome.counters.uncorrectable >= outcome.counters.injected_double / 2);
  CHECK(outcome.errors == outcome.counters.uncorrectable);
}

TEST_CASE("the rates 0 and 1 are never and always", "[protected]") {
  CHECK(exercise(faults(0, 0), 1000, 1).counters.injected_single == 0);
  const Outcome always = exercise(faults(1, 0), 1000, 1);
  CHECK(always.counters.corrected == always.counters.words_read);
  const Outcome both = exercise(faults(0, 1), 1000, 1);
  CHECK(both.counters.uncorrectable == both.counters.words_read);
}

TEST_CASE("the same seed gives the same faults, another one others", "[protected]") {
  const Outcome first = exercise(faults(0, 0.01, 5), 10000, 1);
  CHECK(exercise(faults(0, 0.01, 5), 10000, 1).reads == first.reads);
  CHECK(exercise(faults(0, 0.01, 6), 10000, 1).reads != first.reads);
}

TEST_CASE("a word beyond repair is an error with its address until it is written whole", "[protected]") {
  FlatMemory flat(kBase, kSize, Untouched::kZero);
  flat.write_as<std::uint64_t>(kBase + 64, 42);
  ProtectedMemory memory(flat, {});
  CHECK(memory.read64(kBase + 64) == 42);
  // Two bits, behind its back.
  flat.write_as<std::uint64_t>(kBase + 64, 42 ^ 0x8001);
  CHECK_FALSE(memory.read64(kBase + 64));
  CHECK_FALSE(memory.read64(kBase + 64));
  CHECK_FALSE(memory.write64(kBase + 64, 7, 0x0F));
  CHECK(memory.result().addresses == std::vector<std::uint64_t>(3, kBase + 64));
  CHECK(
      memory.result().describe() ==
      "4 words read: 0 single flips corrected, 3 words beyond repair, at 0x80000040, 0x80000040, 0x80000040");
  std::vector<std::uint8_t> bytes(16);
  CHECK_FALSE(memory.host_read(kBase + 60, bytes));
  CHECK(memory.host_read(kBase + 72, bytes));
  CHECK(memory.write64(kBase + 64, 7, 0xFF));
  CHECK(memory.read64(kBase + 64) == 7);
  CHECK(memory.result().uncorrectable == 3);
}

TEST_CASE("one bit is put right for the machine, in the memory and for the host", "[protected]") {
  FlatMemory flat(kBase, kSize, Untouched::kZero);
  ProtectedMemory memory(flat, {});
  REQUIRE(memory.write64(kBase + 8, 0x0123456789ABCDEF, 0xFF));
  flat.write_as<std::uint64_t>(kBase + 8, 0x0123456789ABCDEF ^ (1ull << 41));
  std::vector<std::uint8_t> bytes(4);
  CHECK(memory.host_read(kBase + 11, bytes));
  CHECK(bytes == std::vector<std::uint8_t>{0x89, 0x67, 0x45, 0x23});
  CHECK(memory.result().corrected == 0);
  CHECK(memory.read64(kBase + 8) == 0x0123456789ABCDEF);
  CHECK(flat.read64(kBase + 8) == 0x0123456789ABCDEF);
  CHECK(memory.read64(kBase + 8) == 0x0123456789ABCDEF);
  CHECK(memory.result().corrected == 1);
}

TEST_CASE("what a host writes is good", "[protected]") {
  FlatMemory flat(kBase, kSize, Untouched::kPoison);
  ProtectedMemory memory(flat, {});
  REQUIRE(memory.read64(kBase).has_value());
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  flat.write(kBase + 3, bytes);
  memory.host_wrote(kBase + 3, bytes.size());
  std::vector<std::uint8_t> got(bytes.size());
  CHECK(memory.host_read(kBase + 3, got));
  CHECK(got == bytes);
  CHECK(memory.read64(kBase) == flat.read64(kBase));
  CHECK(memory.read64(kBase + 8) == flat.read64(kBase + 8));
  CHECK(memory.result().corrected == 0);
}

TEST_CASE("the last page of a memory may be short", "[protected]") {
  FlatMemory flat(kBase, 65536 + 8, Untouched::kZero);
  ProtectedMemory memory(flat, {});
  CHECK(memory.read64(kBase + 65536) == 0);
}

TEST_CASE("a stuck bank reads as an error and forgets what is written", "[protected]") {
  FlatMemory flat(kBase, kSize, Untouched::kZero);
  ProtectedMemory memory(flat, {}, [](std::uint64_t address) { return (address >> 8 & 3) == 2; });
  CHECK(memory.write64(kBase + 0x200, 1, 0xFF));
  CHECK_FALSE(memory.read64(kBase + 0x200));
  CHECK_FALSE(memory.write64(kBase + 0x2F8, 1, 0x01));
  CHECK(memory.read64(kBase + 0x1F8) == 0);
  CHECK(memory.read64(kBase + 0x300) == 0);
  CHECK(memory.result().uncorrectable == 2);
  std::vector<std::uint8_t> bytes(8);
  CHECK_FALSE(memory.host_read(kBase + 0x200, bytes));
}

TEST_CASE("faults are written as kind and value, and wrong ones refused", "[protected]") {
  FaultInjection injection;
  CHECK_FALSE(injection.any());
  const auto add = [&injection](const std::string& text) { memory::add_fault(injection, text, 32, 16); };
  add("bit-flips=1e-6");
  add("double-flips=0.5");
  add("stuck-bank=31:15");
  add("stuck-bank=0:3");
  CHECK(injection.any());
  CHECK(injection.bit_flips == 1e-6);
  CHECK(injection.double_flips == 0.5);
  CHECK(injection.stuck_banks == std::vector<memory::StuckBank>{{31, 15}, {0, 3}});
  for (const char* text : {"bit-flips", "bit-flips=", "bit-flips=-1", "bit-flips=1.5", "bit-flips=nan",
                           "bit-flips=1e-6x", "double-flips=one"}) {
    CHECK_THROWS_WITH(add(text), test::contains("is no rate"));
  }
  CHECK_THROWS_WITH(add("stuck-bank=3"), test::contains("\"3\" is not VAULT:BANK, such as 3:5"));
  CHECK_THROWS_WITH(add("stuck-bank=-1:2"), test::contains("is not VAULT:BANK"));
  CHECK_THROWS_WITH(add("stuck-bank=32:0"), test::contains("the cube has vaults 0 to 31"));
  CHECK_THROWS_WITH(add("stuck-bank=0:16"), test::contains("a vault has banks 0 to 15"));
  CHECK_THROWS_WITH(memory::add_fault(injection, "stuck-bank=0:0", 0, 0), test::contains("has no vaults"));
  CHECK_THROWS_WITH(add("bit-flip=1"), test::contains("no such fault, did you mean \"bit-flips\"?"));
  CHECK_THROWS_WITH(add("bit-flips=0.6"), test::contains("together are more than every read"));
  try {
    add("x");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::kBadInput);
  }
}
