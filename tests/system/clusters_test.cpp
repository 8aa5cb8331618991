// SPDX-License-Identifier: Apache-2.0
// Many clusters in one cube: they see each other through memory and meet, and the host's threads change
// nothing.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/system/cube_system.h"
#include "tests/support/catch.h"

using namespace nearcube;

namespace {

enum Scenario : std::uint32_t {
  kCubeBarrier,
  kControlBarrier,
  kOneFails,
  kOneEnds,
  kOneSleeps,
  kOneTraps,
  kPrints,
  kTimer,
  kSleepsLong,
  kMeets,
};

constexpr unsigned kRounds = 4;

struct Outcome {
  system::RunResult run;
  std::vector<std::uint32_t> sums, wakes;
  std::string text;
};

system::ClusterConfig config() {
  auto config = system::load_cluster_config("config/cluster/default.yaml");
  config.watchdog_cycles = 20'000;
  return config;
}

/// Of the present section.
system::Backend backend = system::Backend::kRtl;

Outcome run(Scenario scenario, system::CubeOptions options, const system::RunLimits& limits = {}) {
  options.backend = backend;
  system::CubeSystem cube(config(), options);
  const auto elf = riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/test_clusters.elf");
  cube.load(elf);
  cube.write(elf.symbol("scenario").address,
             {reinterpret_cast<const std::uint8_t*>(&scenario), sizeof(std::uint32_t)});
  Outcome outcome;
  cube.set_console([&outcome](const std::string& text) { outcome.text += text; });
  outcome.run = cube.run(limits);
  const auto words = [&](const char* name, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    cube.read(elf.symbol(name).address,
              {reinterpret_cast<std::uint8_t*>(values.data()), sizeof(std::uint32_t) * count});
    return values;
  };
  outcome.sums = words("sums", std::size_t{kRounds} * system::kMostClusters);
  outcome.wakes = words("wakes", system::kMostClusters);
  return outcome;
}

/// Everything that a run shows of time.
std::vector<std::uint64_t> times(const system::RunResult& run) {
  std::vector<std::uint64_t> all = {run.cycles};
  for (const auto& cluster : run.clusters) {
    all.push_back(cluster.cycles);
    all.insert(all.end(), {cluster.core.cycles, cluster.core.active, cluster.core.asleep,
                           cluster.core.stall_data_memory, cluster.core.stall_fetch});
    if (!cluster.counters) continue;
    all.push_back(cluster.counters->cycles);
    for (const auto& ntx : cluster.counters->ntx) all.push_back(ntx.idle);
    for (const auto& bank : cluster.counters->banks) all.push_back(bank.accesses);
  }
  return all;
}

void check_identities(const system::RunResult& run) {
  for (const auto& cluster : run.clusters) {
    REQUIRE(cluster.counters);
    CHECK(cluster.counters->cycles == cluster.cycles);
    const auto& core = cluster.core;
    CHECK(core.active + core.stalls() + core.asleep == core.cycles);
    for (const auto& ntx : cluster.counters->ntx) {
      CHECK(ntx.busy + ntx.stall_a + ntx.stall_b + ntx.stall_init + ntx.stall_result + ntx.stall_hazard +
                ntx.idle ==
            cluster.cycles);
    }
    std::uint64_t phases = 0;
    for (const auto& phase : cluster.phases) phases += phase.cycles;
    CHECK(phases == cluster.cycles);
  }
}

}  // namespace

TEST_CASE("clusters meet at barriers, in cube memory and in the control, and see what the others wrote",
          "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  for (const Scenario scenario : {kCubeBarrier, kControlBarrier}) {
    for (const unsigned clusters : {1u, 2u, 5u}) {
      CAPTURE(scenario, clusters);
      const Outcome outcome = run(scenario, {.clusters = clusters, .threads = 2});
      INFO(outcome.run.message);
      REQUIRE(outcome.run.end == system::End::kExit);
      CHECK(outcome.run.exit_code == 0);
      REQUIRE(outcome.run.clusters.size() == clusters);
      for (unsigned round = 0; round < kRounds; ++round) {
        for (unsigned id = 0; id < clusters; ++id) {
          CHECK(outcome.sums[round * system::kMostClusters + id] ==
                clusters * 1000 * round + clusters * (clusters + 1) / 2);
        }
      }
      check_identities(outcome.run);
    }
  }
}

TEST_CASE("the number of host threads changes nothing, cycles and counters included", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  const auto vaults = hmc::read_cube_config("config/cube/hmc2-8gb.yaml");
  for (const auto& [scenario, memory] : {std::pair{kCubeBarrier, std::optional(vaults)},
                                         {kControlBarrier, std::optional(vaults)},
                                         {kCubeBarrier, std::optional<hmc::CubeConfig>()}}) {
    const Outcome one = run(scenario, {.clusters = 4, .threads = 1, .memory = memory});
    REQUIRE(one.run.exit_code == 0);
    CHECK(one.run.threads == 1);
    check_identities(one.run);
    for (const unsigned threads : {2u, 3u, 9u}) {
      CAPTURE(scenario, threads, memory.has_value());
      const Outcome more = run(scenario, {.clusters = 4, .threads = threads, .memory = memory});
      CHECK(more.run.threads == std::min(threads, 4u));
      CHECK(times(more.run) == times(one.run));
      CHECK(more.sums == one.sums);
      CHECK(more.wakes == one.wakes);
    }
  }
}

TEST_CASE("leaving sleeping clusters out changes nothing but the host's time", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  for (const Scenario scenario : {kControlBarrier, kTimer, kOneEnds, kOneSleeps}) {
    for (const unsigned clusters : {1u, 4u}) {
      CAPTURE(scenario, clusters);
      const Outcome skipped = run(scenario, {.clusters = clusters}, {.max_cycles = 100'000});
      const Outcome all = run(scenario, {.clusters = clusters}, {.max_cycles = 100'000, .skip_idle = false});
      CHECK(skipped.run.end == all.run.end);
      CHECK(times(skipped.run) == times(all.run));
      CHECK(skipped.wakes == all.wakes);
      CHECK(skipped.run.message == all.run.message);
    }
  }
}

TEST_CASE("a cluster that sleeps costs next to nothing", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  // All sleep for 40 ms of their time, which would take minutes at the speed of the RTL.
  const Outcome outcome = run(kSleepsLong, {.clusters = 4});
  INFO(outcome.run.message);
  REQUIRE(outcome.run.end == system::End::kExit);
  CHECK(outcome.run.exit_code == 0);
  CHECK(outcome.run.cycles > 50'000'000);
  CHECK(outcome.run.clusters[3].counters->cycles == outcome.run.clusters[3].cycles);
  check_identities(outcome.run);
}

TEST_CASE("timers wake each cluster at its own time", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  const Outcome outcome = run(kTimer, {.clusters = 3, .threads = 2});
  REQUIRE(outcome.run.exit_code == 0);
  for (unsigned id = 0; id < 3; ++id) {
    const std::uint32_t due = 2 * (20000 + 1000 * id);
    CHECK(outcome.wakes[id] >= due);
    CHECK(outcome.wakes[id] < due + 400);
  }
}

TEST_CASE("the first cluster that fails ends the run and is named", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  const Outcome fails = run(kOneFails, {.clusters = 4, .threads = 2});
  CHECK(fails.run.end == system::End::kExit);
  CHECK(fails.run.exit_code == 7);
  CHECK(fails.run.cluster == 2);
  CHECK(fails.run.clusters[0].end == system::End::kStopped);

  const Outcome traps = run(kOneTraps, {.clusters = 4, .threads = 2});
  CHECK(traps.run.exit_code == interfaces::kExitTrap);
  CHECK(traps.run.cluster == 3);
}

TEST_CASE("a cluster that never comes to the barrier is named", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  const Outcome ends = run(kOneEnds, {.clusters = 4, .threads = 2});
  CHECK(ends.run.end == system::End::kStuck);
  CHECK_THAT(ends.run.message, test::contains("nobody is left to come"));
  CHECK_THAT(ends.run.message, test::contains("cluster 1: ended with exit code 0"));
  CHECK_THAT(ends.run.message, test::contains("clusters 0, 2, 3: waits at the barrier, asleep in"));

  const Outcome sleeps = run(kOneSleeps, {.clusters = 4, .threads = 2}, {.max_cycles = 1'000'000});
  CHECK(sleeps.run.end == system::End::kStuck);
  CHECK(sleeps.run.cluster == 1);
  CHECK_THAT(sleeps.run.message, test::contains("cluster 1: stuck: no instruction"));
  CHECK_THAT(sleeps.run.message, test::contains("at work in"));
  CHECK(sleeps.run.clusters[0].end == system::End::kStopped);
}

TEST_CASE("what clusters print comes in whole lines with their numbers", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  CHECK(run(kPrints, {.clusters = 1}).text == "cluster 0 of 1\n");
  const Outcome outcome = run(kPrints, {.clusters = 3, .threads = 3});
  for (const char* line :
       {"cluster 0: cluster 0 of 3\n", "cluster 1: cluster 1 of 3\n", "cluster 2: cluster 2 of 3\n"}) {
    CHECK_THAT(outcome.text, test::contains(line));
  }
}

TEST_CASE("128 clusters start, meet and end", "[system][clusters]") {
  backend = GENERATE(system::Backend::kRtl, system::Backend::kFast);
  INFO((backend == system::Backend::kFast ? "fast" : "RTL"));
  const Outcome outcome = run(kMeets, {.clusters = system::kMostClusters, .threads = 2});
  INFO(outcome.run.message);
  CHECK(outcome.run.end == system::End::kExit);
  CHECK(outcome.run.exit_code == 0);
  CHECK(outcome.run.clusters.size() == system::kMostClusters);
}

TEST_CASE("numbers of clusters and threads that cannot be are refused", "[system][clusters]") {
  CHECK_THROWS_WITH(system::CubeSystem(config(), {.clusters = 0}), test::contains("1 to 128"));
  CHECK_THROWS_WITH(system::CubeSystem(config(), {.clusters = 129}), test::contains("1 to 128"));
  CHECK_THROWS_WITH(system::CubeSystem(config(), {.threads = 0}), test::contains("at least one host thread"));
  CHECK_THROWS_WITH(system::CubeSystem(config(), {.clusters = 2, .observed = 2}),
                    test::contains("cluster 2 cannot be observed"));
}
