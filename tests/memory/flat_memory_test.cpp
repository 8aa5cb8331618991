// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/flat_memory.h"

#include <map>
#include <vector>

#include "sim/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using memory::FlatMemory;
using memory::Untouched;

namespace {
constexpr std::uint64_t kBase = 0x80000000;
}

TEST_CASE("untouched memory reads as zero or as poison", "[memory]") {
  CHECK(FlatMemory(kBase, 1 << 20, Untouched::kZero).read_as<std::uint32_t>(kBase + 4) == 0);
  FlatMemory memory(kBase, 1 << 20, Untouched::kPoison);
  CHECK(memory.read_as<std::uint32_t>(kBase + 65536) == memory::kPoisonWord);
  memory.write_as<std::uint8_t>(kBase + 65537, 1);
  CHECK(memory.read_as<std::uint32_t>(kBase + 65536) == ((memory::kPoisonWord & 0xFFFF00FF) | 0x100));
}

TEST_CASE("memory is as large as its capacity and no larger", "[memory]") {
  FlatMemory memory(kBase, 8ull << 30, Untouched::kZero);
  const std::uint64_t last = kBase + (8ull << 30) - 8;
  memory.write_as<std::uint64_t>(last, 0x0123456789ABCDEF);
  CHECK(memory.read_as<std::uint64_t>(last) == 0x0123456789ABCDEF);
  CHECK(memory.resident() == 65536);
  CHECK_THROWS_AS(memory.read_as<std::uint64_t>(last + 1), Error);
  CHECK_THROWS_AS(memory.write_as<std::uint32_t>(kBase - 4, 0), Error);
  CHECK_FALSE(memory.contains(~std::uint64_t{0}, 8));
  CHECK_FALSE(memory.contains(kBase, ~std::uint64_t{0}));
  CHECK_THROWS_AS(FlatMemory(kBase, 0, Untouched::kZero), Error);
  CHECK_THROWS_AS(FlatMemory(kBase, 12, Untouched::kZero), Error);
}

TEST_CASE("random reads and writes agree with a map of bytes", "[memory]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  test::Random random(seed);
  FlatMemory memory(kBase, 1 << 20, Untouched::kZero);
  std::map<std::uint64_t, std::uint8_t> model;
  for (std::uint64_t i = 0; i < test::cases(20000, 1000000); ++i) {
    // Around a page border, where runs are cut.
    const std::uint64_t address = kBase + 65536 - 64 + random() % 128;
    if (random() % 2 != 0) {
      const std::uint64_t data = random();
      const auto strobe = static_cast<std::uint8_t>(random());
      const std::uint64_t word = address & ~7ull;
      memory.write64(word, data, strobe);
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((strobe >> lane & 1) != 0) model[word + lane] = static_cast<std::uint8_t>(data >> (8 * lane));
      }
    } else {
      std::vector<std::uint8_t> bytes(1 + random() % 40);
      if (random() % 2 != 0) {
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        memory.write(address, bytes);
        for (std::size_t k = 0; k < bytes.size(); ++k) model[address + k] = bytes[k];
      }
      std::vector<std::uint8_t> got(bytes.size());
      memory.read(address, got);
      for (std::size_t k = 0; k < got.size(); ++k) REQUIRE(got[k] == model[address + k]);
    }
  }
}
