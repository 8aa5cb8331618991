// SPDX-License-Identifier: Apache-2.0
// Cycles from the grant of the CMD write to the first cycle in which STATUS would read idle, beside the
// limits that the specification sets and what the published NTX needs; and the golden model's word that the
// results are right.
#include <cstdio>

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
                     std::uint32_t source = golden::kSourceZero, std::uint32_t aux = 0) {
  CommandFields f;
  f.opcode = opcode;
  f.store_level = store;
  f.init_level = init;
  f.outer_level = outer;
  f.init_source = source;
  f.aux = aux;
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
  };
  NtxBench bench;
  test::Random random(test::seed());
  golden::fill_values(random, golden::Values::kOrdinary, bench.memory());
  std::printf("%-30s %9s %9s %9s %9s\n", "command", "cycles", "limit", "published", "ports");
  for (const Row& row : rows) {
    auto expected = bench.memory();
    const auto outcome = golden::run(row.command, expected);
    REQUIRE(outcome.cause == golden::Cause::kNone);
    bench.stage(row.command);
    bench.commit(row.command.cmd);
    const std::uint64_t start = bench.last_grant();
    const std::uint64_t cycles = bench.wait_idle() - start;
    std::printf("%-30s %9llu %9u %9u %9llu\n", row.name, static_cast<unsigned long long>(cycles), row.limit,
                row.published, static_cast<unsigned long long>(outcome.minimum_cycles()));
    INFO(row.name);
    CHECK(cycles <= row.limit);
    CHECK(bench.memory() == expected);
    CHECK(bench.read(kStatus) == kIdle);
  }
}

}  // namespace
}  // namespace nearcube::ntx_test
