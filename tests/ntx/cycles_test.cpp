// SPDX-License-Identifier: Apache-2.0
// Cycles from the grant of the CMD write to the first cycle in which STATUS would read idle, beside the
// limits that the specification sets and what the published NTX needs; and the golden model's word that the
// results are right.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "tests/golden/random_values.h"
#include "tests/ntx/bench.h"
#include "tests/support/catch.h"

namespace nearcube::ntx_test {
namespace {

using golden::Command;
using golden::CommandFields;

/// A command from plain strides: stride[u][j] as an address function's coefficient, turned into what the
/// AGUs add when loop j advances.
Command command(const CommandFields& fields, const std::vector<std::uint32_t>& trips,
                const std::array<std::uint32_t, 3>& base,
                const std::array<std::vector<std::int32_t>, 3>& plain) {
  Command c;
  c.cmd = golden::encode(fields);
  c.base = base;
  for (std::size_t j = 0; j < trips.size(); ++j) {
    c.loops[j] = trips[j] - 1;
  }
  for (unsigned u = 0; u < 3; ++u) {
    std::int32_t wound_back = 0;
    for (std::size_t j = 0; j < plain[u].size(); ++j) {
      c.stride[u][j] = plain[u][j] - wound_back;
      wound_back += static_cast<std::int32_t>(trips[j] - 1) * plain[u][j];
    }
  }
  return c;
}

CommandFields fields(std::uint32_t opcode, std::uint32_t store, std::uint32_t init, std::uint32_t outer,
                     std::uint32_t source = golden::kSourceZero, std::uint32_t aux = 0,
                     bool polarity = false) {
  CommandFields f;
  f.opcode = opcode;
  f.store_level = store;
  f.init_level = init;
  f.outer_level = outer;
  f.init_source = source;
  f.aux = aux;
  f.polarity = polarity;
  return f;
}

/// Convolution 3x3 over `channels` of 18x18, 16x16 outputs, weights at 0x8000.
Command convolution(std::uint32_t channels) {
  return command(fields(golden::kMac, 3, 3, 5), {3, 3, channels, 16, 16}, {0x0, 0x8000, 0xC000},
                 {{{4, 72, 18 * 72, 4, 72}, {4, 12, 36, 0, 0}, {0, 0, 0, 4, 64}}});
}

struct Row {
  const char* name;
  Command command;
  unsigned limit;
  unsigned published;
};

/// Reduction of `length` that starts from an image and leaves an image: one link of a chain.
Command chain_link(std::uint32_t length) {
  return command(fields(golden::kMac, 1, 1, 1, 2, 6), {length}, {0, 0x4000, 0xC000}, {{{4}, {4}, {0}}});
}

TEST_CASE("Cycles from CMD to idle") {
  const std::vector<Row> rows = {
      {"MAC, dot product of 4096",
       command(fields(golden::kMac, 1, 1, 1), {4096}, {0, 0x4000, 0xC000}, {{{4}, {4}, {0}}}), 4116, 4116},
      {"conv 3x3, 8 channels, 16x16", convolution(8), 18590, 18707},
      {"conv 3x3, 1 channel, 16x16", convolution(1), 2460, 2579},
      {"VADDSUB 1024",
       command(fields(golden::kVaddsub, 0, 0, 1, 1), {1024}, {0, 0x4000, 0xC000}, {{{4}, {4}, {4}}}), 1560,
       2067},
      {"VMULT 1024", command(fields(golden::kVmult, 0, 0, 1), {1024}, {0, 0x4000, 0xC000}, {{{4}, {4}, {4}}}),
       1560, 2061},
      {"OUTERP 20x20",
       command(fields(golden::kOuterp, 0, 1, 2, 1), {20, 20}, {0, 0x4000, 0xC000},
               {{{4, 0}, {0, 4}, {4, 80}}}),
       440, 707},
      {"COPY 1024", command(fields(golden::kCopy, 0, 0, 1, 3, 1), {1024}, {0, 0, 0xC000}, {{{4}, {}, {4}}}),
       1033, 1033},
      {"MAXMIN 100", command(fields(golden::kMaxmin, 1, 1, 1), {100}, {0, 0x4000, 0xC000}, {{{}, {4}, {0}}}),
       110, 110},
      {"MASK 1000",
       command(fields(golden::kMask, 0, 1, 1, golden::kSourceZero, 1), {1000}, {0, 0x4000, 0xC000},
               {{{4}, {4}, {4}}}),
       1509, 1509},
      // Not in the table; the limits are what the ports need and start and drain as above.
      {"MAC 144, image in and out", chain_link(144), 144 + 20 + 30, 0},
      {"VADDSUB of two images to one, 10 times",
       command(fields(golden::kVaddsub, 0, 0, 1, 1, 6), {10}, {0, 0x4000, 0xC000}, {{{80}, {80}, {80}}}),
       10 * 50, 0},
      {"MASKMAC 1000, count, all hit",
       command(fields(golden::kMaskmac, 0, 1, 1, golden::kSourceZero, 4 + 2, true), {1000},
               {0, 0x4000, 0xC000}, {{{0}, {0}, {4}}}),
       1000 + 30, 0},
      {"MASKMAC 1000, compare, all hit",
       command(fields(golden::kMaskmac, 0, 1, 1, golden::kSourceZero, 1, true), {1000}, {0, 0x4000, 0xC000},
               {{{0}, {4}, {4}}}),
       1500 + 24, 0},
      {"MASKMAC 900, one hit in 9",
       command(fields(golden::kMaskmac, 0, 1, 2, 1, 4), {9, 100}, {0, 0x4000, 0xC000},
               {{{0, 4}, {0, 4}, {4, 36}}}),
       900 + 40, 0},
  };
  NtxBench bench;
  test::Random random(test::seed());
  golden::fill_values(random, golden::Values::kOrdinary, bench.memory());
  // Compares are with 0 from source zero; B is positive, counts are never below 0, so polarity makes all hit.
  // Where the register is a count, it is below 9.
  for (std::uint32_t i = 0x1000; i < 0x1800; ++i) bench.memory()[i] &= 0x7FFF'FFFF;
  std::vector<std::uint32_t> counts(0x100);
  for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(random() % 9);
  std::printf("%-40s %9s %9s %9s %9s\n", "command", "cycles", "limit", "published", "ports");
  for (const Row& row : rows) {
    if (golden::decode(row.command.cmd).init_source == 1 &&
        golden::decode(row.command.cmd).opcode == golden::kMaskmac) {
      std::copy(counts.begin(), counts.end(), bench.memory().begin() + 0x1000);
    }
    auto expected = bench.memory();
    const auto outcome = golden::run(row.command, expected);
    REQUIRE(outcome.cause == golden::Cause::kNone);
    bench.stage(row.command);
    bench.clear_counts();
    bench.commit(row.command.cmd);
    const std::uint64_t start = bench.last_grant();
    const std::uint64_t cycles = bench.wait_idle() - start;
    // scripts/bench reads this table.
    const std::string published = row.published != 0 ? std::to_string(row.published) : "-";
    std::printf("%-40s %9llu %9u %9s %9llu\n", row.name, static_cast<unsigned long long>(cycles), row.limit,
                published.c_str(), static_cast<unsigned long long>(outcome.minimum_cycles()));
    INFO(row.name);
    CHECK(cycles <= row.limit);
    CHECK(bench.memory() == expected);
    CHECK(bench.read(kStatus) == kIdle);
  }
}

TEST_CASE("Streams that wait do not hold each other up") {
  // One grant in twenty withheld, each port on its own: no port can do better than 20/19 of its accesses.
  NtxBench bench;
  bench.withhold_grants(13, test::seed());
  const Command c = convolution(8);
  bench.stage(c);
  bench.commit(c.cmd);
  const std::uint64_t start = bench.last_grant();
  const std::uint64_t cycles = bench.wait_idle() - start;
  const double bound = 18560 * 256.0 / (256 - 13);
  std::printf("conv 3x3, 8 channels, 5 %% of grants withheld: %llu cycles, bound %.0f\n",
              static_cast<unsigned long long>(cycles), bound);
  CHECK(static_cast<double>(cycles) < 1.015 * bound);
}

TEST_CASE("Write-back done is soon, though the command behind gives its first result late") {
  // Eight results of 32 products, then one of 16,384: stores of the first that waited for the queue of
  // results to fill up would wait for ever.
  const auto reduction = [](std::uint32_t length, std::uint32_t results, std::uint32_t irq) {
    CommandFields f = fields(golden::kMac, 1, 1, 2);
    f.irq = irq;
    f.overlap = true;
    return command(f, {length, results}, {0, 0x4000, 0xC000}, {{{4, 0}, {4, 0}, {0, 4}}});
  };
  const auto cycles_to_interrupt = [&](bool another) {
    NtxBench bench;
    const Command first = reduction(32, 8, 2);
    bench.stage(first);
    bench.commit(first.cmd);
    const std::uint64_t start = bench.now();
    if (another) {
      const Command second = reduction(16384, 1, 0);
      bench.stage(second);
      bench.commit(second.cmd);
    }
    while (!bench.irq() && bench.now() - start < 20'000) bench.cycle();
    return bench.now() - start;
  };
  const std::uint64_t alone = cycles_to_interrupt(false), followed = cycles_to_interrupt(true);
  CAPTURE(alone, followed);
  CHECK(followed <= alone + 16);
}

TEST_CASE("Simulated speed") {
  NtxBench bench;
  const Command c = convolution(8);
  bench.stage(c);
  const std::clock_t start = std::clock();
  const std::uint64_t from = bench.now();
  for (int i = 0; i < 20; ++i) {
    bench.commit(c.cmd);
    bench.wait_idle();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("simulated: %.0f kHz of processor time, published NTX 690\n",
              static_cast<double>(bench.now() - from) / 1e3 / seconds);
  CHECK(bench.now() - from > 20 * 18560);
}

}  // namespace
}  // namespace nearcube::ntx_test
