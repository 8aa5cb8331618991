// SPDX-License-Identifier: Apache-2.0
// Several clusters on a protected memory with faults.
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/system/cube_system.h"
#include "tests/support/catch.h"

using namespace nearcube;

namespace {

struct Outcome {
  system::RunResult run;
  std::vector<std::uint8_t> sums;
};

// The clusters of firmware/clusters.c write and read each other's words between barriers (scenario 0).
Outcome run(unsigned threads, double bit_flips, bool vaults) {
  system::CubeOptions options;
  options.clusters = 4;
  options.threads = threads;
  options.faults.bit_flips = bit_flips;
  options.faults.seed = 5;
  if (vaults) options.memory = hmc::read_cube_config("config/cube/hmc2-8gb.yaml");
  options.check_dram = vaults;
  system::CubeSystem cube(system::load_cluster_config("config/cluster/default.yaml"), options);
  const auto elf = riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/test_clusters.elf");
  cube.load(elf);
  Outcome outcome;
  outcome.run = cube.run();
  outcome.sums.resize(std::size_t{4} * 4 * system::kMostClusters);
  cube.read(elf.symbol("sums").address, outcome.sums);
  return outcome;
}

}  // namespace

TEST_CASE("faults and results do not depend on the threads", "[system][protection]") {
  for (const bool vaults : {false, true}) {
    const Outcome clean = run(1, 0, vaults);
    CHECK_FALSE(clean.run.protection.has_value());
    const Outcome one = run(1, 0.02, vaults), two = run(2, 0.02, vaults);
    for (const Outcome* outcome : {&one, &two}) {
      CHECK(outcome->run.end == system::End::kExit);
      CHECK(outcome->run.exit_code == 0);
      CHECK(outcome->run.cycles == clean.run.cycles);
      CHECK(outcome->sums == clean.sums);
      REQUIRE(outcome->run.protection.has_value());
      CHECK(outcome->run.protection->corrected > 10);
      CHECK(outcome->run.protection->corrected == outcome->run.protection->injected_single);
      REQUIRE(outcome->run.dram_check.has_value() == vaults);
      if (!vaults) continue;
      CHECK(outcome->run.dram_check->commands > 100);
      INFO(outcome->run.dram_check->report);
      CHECK(outcome->run.dram_check->violations == 0);
    }
    CHECK(one.run.protection->words_read == two.run.protection->words_read);
    CHECK(one.run.protection->corrected == two.run.protection->corrected);
  }
}

TEST_CASE("what is beyond repair is no result", "[system][protection]") {
  system::CubeOptions options;
  options.faults.double_flips = 1;
  system::CubeSystem cube(system::load_cluster_config("config/cluster/default.yaml"), options);
  const auto elf = riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/test_clusters.elf");
  cube.load(elf);
  const system::RunResult result = cube.run({.max_cycles = 100'000});
  // Not even the first instruction can be read, nor that of the trap handler.
  CHECK(result.end != system::End::kExit);
  REQUIRE(result.protection.has_value());
  REQUIRE(result.protection->uncorrectable > 0);
  std::vector<std::uint8_t> bytes(8);
  CHECK_THROWS_WITH(cube.read(result.protection->addresses.front(), bytes),
                    test::contains("is beyond repair"));
  // A host that writes it makes it good.
  cube.write(result.protection->addresses.front(), bytes);
  CHECK_NOTHROW(cube.read(result.protection->addresses.front(), bytes));
}
