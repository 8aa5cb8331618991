// SPDX-License-Identifier: Apache-2.0
// Random commands on the functional NTX and on the RTL: scratchpad, counts and errors must be the same.
#include "sim/fast/ntx.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include "tests/golden/random_commands.h"
#include "tests/ntx/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::fast {
namespace {

using ntx_test::NtxBench;
using test::Random;
using Words = std::vector<std::uint32_t>;

NtxRegisters registers_of(const golden::Command& command) {
  return {command.loops, command.base, command.stride, command.cmd};
}

/// Runs a command on both, which hold the same scratchpad, and says what differs.
std::string difference(NtxBench& bench, Ntx& fast, const golden::Command& command, Words& memory,
                       NtxOutcome& outcome) {
  outcome = fast.run(registers_of(command), memory);
  bench.stage(command);
  bench.clear_counts();
  bench.commit(command.cmd);
  bench.wait_idle();
  const ntx_test::Counts counts = bench.counts();
  const auto differs = [](const char* what, std::uint64_t is, std::uint64_t rtl) {
    return is == rtl ? ""
                     : std::string(what) + " " + std::to_string(is) + ", RTL " + std::to_string(rtl) + "; ";
  };
  std::string text;
  const auto [mine, its] = std::mismatch(memory.begin(), memory.end(), bench.memory().begin());
  if (mine != memory.end()) {
    text += differs(("word " + std::to_string(mine - memory.begin())).c_str(), *mine, *its);
  }
  text += differs("steps", outcome.steps, counts.busy);
  text += differs("products", outcome.products, counts.macs);
  text += differs("stores", outcome.stores, counts.stores);
  text += differs("cause", outcome.error.cause | outcome.error.agu << 8, bench.read(ntx_test::kErrorCause));
  text += differs("address", outcome.error.address, bench.read(ntx_test::kErrorAddr));
  if (!outcome.error && NtxOperation(command.cmd).opcode != golden::kMaskmac) {
    text += differs("reads", outcome.reads, counts.reads);
  }
  if (outcome.error) {
    bench.soft_clear();
    bench.wait_idle(100);
  }
  bench.write(ntx_test::kIrq, 3);
  return text;
}

/// As difference(), from scratch.
std::string difference(const golden::CommandCase& c, exact::Path path) {
  NtxBench bench;
  bench.memory() = c.tcdm;
  Words memory = c.tcdm;
  Ntx fast(path);
  NtxOutcome outcome;
  return difference(bench, fast, c.command, memory, outcome);
}

}  // namespace

TEST_CASE("Random commands leave what the RTL leaves") {
  const auto count = test::cases(10'000, 1'000'000);
  std::cout << "commands: seed " << test::seed(31) << ", " << count << std::endl;
  Random random(test::seed(31));
  NtxBench bench(random());
  const auto paths = exact::available_paths();
  std::vector<Ntx> units(paths.begin(), paths.end());
  std::array<std::uint64_t, 16> causes{};
  golden::RandomCommandOptions options;
  Words memory;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Stores make the scratchpad poorer; now and then it is filled anew.
    if (i % 64 == 0) {
      memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
      bench.memory() = memory;
    }
    options.opcode = static_cast<std::uint32_t>(i % golden::kOpcodeCount);
    options.max_steps = random() % 8 == 0 ? 2000 : 60;
    const golden::Command command = random() % 8 == 0
                                        ? golden::random_invalid_command(random, memory, options)
                                        : golden::random_command(random, options);
    const std::size_t unit = i / golden::kOpcodeCount % units.size();
    const golden::CommandCase before{command, memory};
    NtxOutcome outcome;
    const std::string why = difference(bench, units[unit], command, memory, outcome);
    ++causes[outcome.error.cause];
    if (!why.empty()) {
      const golden::CommandCase small = golden::shrink(
          before, [&](const auto& c) { return !difference(c, paths[unit]).empty(); }, 300);
      FAIL("command " << i << " on " << exact::name_of(paths[unit]) << ": " << why
                      << "\nshrunk: " << difference(small, paths[unit]) << "\n"
                      << golden::to_string(small));
    }
  }
  // Every cause of an error took part.
  for (std::uint32_t cause = 0; cause <= 8; ++cause) CHECK(causes[cause] > 0);
}

TEST_CASE("Long sums of ordinary numbers, in rows and strided, are the RTL's") {
  Random random(test::seed(32));
  std::cout << "long sums: seed " << test::seed(32) << std::endl;
  NtxBench bench(random());
  Words memory(NtxBench::kTcdmWords);
  const auto count = test::cases(60, 2'000);
  for (const exact::Path path : exact::available_paths()) {
    Ntx fast(path);
    for (std::uint64_t i = 0; i < count; ++i) {
      golden::fill_values(random, golden::Values::kOrdinary, memory);
      bench.memory() = memory;
      golden::RandomCommandOptions options;
      options.opcode = i % 4 == 0 ? golden::kVaddsub : golden::kMac;
      options.max_steps = 12'000;
      options.full_loop_every = 10;
      const golden::Command command = golden::random_command(random, options);
      INFO(exact::name_of(path) << "\n" << golden::to_string(command));
      NtxOutcome outcome;
      REQUIRE(difference(bench, fast, command, memory, outcome) == "");
    }
    CHECK(fast.decisions().by_bound > 0);
    CHECK(fast.decisions().split > 0);
  }
}

}  // namespace nearcube::fast
