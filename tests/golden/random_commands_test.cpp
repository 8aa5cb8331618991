// SPDX-License-Identifier: Apache-2.0
// That the random commands are what they claim to be, reach what they must, and that shrinking works.
#include "tests/golden/random_commands.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "tests/golden/binary32.h"
#include "tests/support/catch.h"

namespace nearcube::golden {

TEST_CASE("random commands are valid, stay inside, and have no hazard; together they reach everything") {
  const auto seed = test::seed(31);
  std::cout << "seed " << seed << "\n";
  test::Random random(seed);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> levels;
  std::set<std::pair<std::uint32_t, std::uint32_t>> opcode_aux;
  std::set<std::pair<std::uint32_t, std::uint32_t>> opcode_source;
  std::set<std::uint32_t> results;
  unsigned negative = 0, zero = 0, positive = 0, full = 0, hits = 0, finite_wide = 0, many_steps = 0,
           in_place = 0;
  const auto count = test::cases(10'000, 200'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    RandomCommandOptions options;
    options.tcdm_words = i % 3 == 0 ? 1024 : 16384;
    if (i % 4 == 1) {
      options.format = {-150, 9};
    }
    options.full_loop_every = 200;
    const CommandCase c = random_case(random, options);
    const CommandFields f = decode(c.command.cmd);
    std::vector<std::uint32_t> tcdm = c.tcdm;
    const Outcome out = run(c.command, tcdm, options.format);
    if (out.cause != Cause::kNone || out.hazard) {
      FAIL("case " << i << "\n" << to_string(c, options.format));
    }
    levels.insert({f.store_level, f.init_level, f.outer_level});
    opcode_aux.insert({f.opcode, f.aux});
    opcode_source.insert({f.opcode, f.init_source});
    many_steps += out.steps > 20 ? 1 : 0;
    for (unsigned j = 0; j < f.outer_level; ++j) {
      full += c.command.loops[j] == 65535 ? 1 : 0;
      for (unsigned u = 0; u < 3; ++u) {
        if ((active_agus(f) >> u & 1) != 0 && c.command.loops[j] != 0) {
          const std::int32_t stride = c.command.stride[u][j];
          (stride < 0 ? negative : stride == 0 ? zero : positive) += 1;
        }
      }
    }
    hits += f.opcode == kMaskmac && !out.stores.empty() ? 1 : 0;
    in_place += f.opcode == kMac && ((c.command.base[2] ^ c.command.base[0]) & 0xFFFFF) == 0 ? 1 : 0;
    if (f.opcode <= kVaddsub && (f.aux & 6) == 2 && !out.stores.empty()) {
      finite_wide += (out.stores.back().value & kPlusInf) != kPlusInf ? 1 : 0;
    }
    if (results.size() < 5000) {
      for (const Store& s : out.stores) results.insert(s.value);
    }
  }
  CHECK(levels.size() == 56);
  CHECK(opcode_aux.size() == 6 + 6 + 2 + 2 + 2 + 6 + 6 + 6 + 2);
  CHECK(opcode_source.size() == 36);
  CHECK(results.size() >= 1000);
  CHECK(negative > count / 10);
  CHECK(zero > count / 10);
  CHECK(positive > count / 10);
  CHECK(full > 10);
  CHECK(hits > count / 100);
  CHECK(finite_wide > count / 200);
  CHECK(many_steps > count / 5);
  CHECK(in_place > count / 1000);
}

TEST_CASE("one operation can be asked for, and the same seed gives the same command") {
  for (std::uint32_t op = 0; op < kOpcodeCount; ++op) {
    RandomCommandOptions options;
    options.opcode = op;
    test::Random a(op);
    test::Random b(op);
    const CommandCase first = random_case(a, options);
    CHECK(decode(first.command.cmd).opcode == op);
    const CommandCase second = random_case(b, options);
    CHECK(to_string(first) == to_string(second));
    CHECK(first.tcdm == second.tcdm);
  }
}

TEST_CASE("random invalid commands have every cause, at the start and on the way") {
  test::Random random(test::seed(32));
  std::map<Cause, unsigned> causes;
  unsigned on_the_way = 0;
  unsigned with_stores = 0;
  std::array<unsigned, 3> agus{};
  const auto tcdm = random_scratchpad(random, 4096);
  RandomCommandOptions options;
  options.tcdm_words = 4096;
  options.full_loop_every = 0;
  for (int i = 0; i < 5000; ++i) {
    const Command c = random_invalid_command(random, tcdm, options);
    std::vector<std::uint32_t> copy = tcdm;
    const Outcome out = run(c, copy);
    REQUIRE(out.cause != Cause::kNone);
    REQUIRE(!out.hazard);
    ++causes[out.cause];
    on_the_way += out.steps > 0 ? 1 : 0;
    with_stores += out.stores.empty() ? 0 : 1;
    agus[out.error_agu] += out.cause == Cause::kOutOfRange ? 1 : 0;
  }
  CHECK(causes.size() == 8);
  for (const auto& [cause, n] : causes) {
    CAPTURE(static_cast<unsigned>(cause));
    CHECK(n > 50);
  }
  CHECK(on_the_way > 200);
  CHECK(with_stores > 100);
  for (const unsigned n : agus) {
    CHECK(n > 50);
  }
}

TEST_CASE("shrinking finds a small case") {
  // The "bug": a MAC or VADDSUB that stores a subnormal anywhere.
  const auto fails = [](const CommandCase& c) {
    std::vector<std::uint32_t> tcdm = c.tcdm;
    const Outcome out = run(c.command, tcdm);
    return decode(c.command.cmd).opcode <= kVaddsub &&
           std::any_of(out.stores.begin(), out.stores.end(),
                       [](const Store& s) { return !is_zero(s.value) && (s.value & kPlusInf) == 0; });
  };
  test::Random random(test::seed(33));
  int shrunk = 0;
  std::uint64_t steps = 0;
  while (shrunk < 10) {
    const CommandCase c = random_case(random);
    if (!fails(c)) {
      continue;
    }
    unsigned calls = 0;
    const CommandCase small = shrink(
        c,
        [&](const CommandCase& candidate) {
          ++calls;
          return fails(candidate);
        },
        500);
    REQUIRE(calls <= 500);
    REQUIRE(fails(small));
    std::vector<std::uint32_t> before = c.tcdm;
    std::vector<std::uint32_t> after = small.tcdm;
    const Outcome large_out = run(c.command, before);
    const Outcome small_out = run(small.command, after);
    REQUIRE(!small_out.hazard);
    CHECK(small_out.steps <= large_out.steps);
    CHECK(small_out.steps <= 60);
    steps += small_out.steps;
    CHECK(!to_string(small).empty());
    ++shrunk;
  }
  CHECK(steps < 100);
}

}  // namespace nearcube::golden
