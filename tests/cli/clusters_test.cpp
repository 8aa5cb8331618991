// SPDX-License-Identifier: Apache-2.0
// The named workloads on several clusters: the same bits, a report that adds up, and nothing depends on the
// host's threads.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace nearcube;
using nlohmann::json;
using test::contains;
using test::invoke;

namespace {

struct Run {
  json report;
  std::string output;  ///< bytes of the result's file
};

Run run(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  const test::Folder folder;
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--json", folder.file("r.json"), "--output", folder.file("r.npy")});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto outcome = invoke(arguments);
  INFO(outcome.out);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, contains(" 0 mismatches"));
  return {json::parse(test::slurp(folder.file("r.json"))), test::slurp(folder.file("r.npy"))};
}

void check_sums(const json& report, std::size_t clusters) {
  REQUIRE(report["per_cluster"].size() == clusters);
  std::uint64_t last = 0, macs = 0, bytes = 0;
  for (const json& own : report["per_cluster"]) {
    last = std::max(last, own["cycles"].get<std::uint64_t>());
    macs += own["macs"].get<std::uint64_t>();
    const json& counters = own["counters"];
    bytes += counters["dma"]["read_bytes"].get<std::uint64_t>() +
             counters["dma"]["write_bytes"].get<std::uint64_t>();
    CHECK(counters["cycles"] == own["cycles"]);
    std::uint64_t phases = 0;
    for (const json& phase : own["phases"]) phases += phase["cycles"].get<std::uint64_t>();
    CHECK(phases == own["cycles"]);
    for (const json& ntx : counters["ntx"]) {
      std::uint64_t sum = 0;
      for (const char* part :
           {"busy", "stall_a", "stall_b", "stall_init", "stall_result", "stall_hazard", "idle"})
        sum += ntx[part].get<std::uint64_t>();
      CHECK(sum == own["cycles"]);
    }
    CHECK(own["exit_code"] == 0);
  }
  CHECK(report["clusters"] == clusters);
  CHECK(report["cycles"] == last);
  CHECK(report["dma_bytes"] == bytes);
}

}  // namespace

TEST_CASE("any number of clusters gives the bits that one gives", "[cli][clusters]") {
  const std::vector<std::vector<std::string>> cases = {
      {"conv2d", "--in-channels", "3", "--out-channels", "9", "--height", "19", "--width", "13", "--kernel",
       "3", "--pad", "1", "--bias", "--relu"},
      {"gemm", "--m", "35", "--n", "23", "--k", "101"},
      {"gemv", "--m", "61", "--n", "53"},
      {"axpy", "--n", "3001"},
      {"maxpool", "--channels", "7", "--height", "11", "--width", "13", "--kernel", "3", "--pad", "1"},
      {"relu", "--n", "2999"},
      {"laplace2d", "--height", "17", "--width", "23"},
      {"diffusion", "--height", "13", "--width", "21", "--steps", "3"},
      {"diffusion", "--height", "1", "--width", "2001", "--steps", "2"},
  };
  for (const auto& arguments : cases) {
    const Run one = run(arguments, {});
    for (const std::string clusters : {"2", "3", "5"}) {
      CAPTURE(arguments.front(), clusters);
      const Run several = run(arguments, {"--clusters", clusters});
      CHECK(several.output == one.output);
      check_sums(several.report, std::stoul(clusters));
    }
  }
}

TEST_CASE("a workload's report does not depend on the host's threads", "[cli][clusters]") {
  const std::vector<std::string> arguments = {"gemm", "--m", "33",         "--n", "17",
                                              "--k",  "65",  "--clusters", "3"};
  for (const std::string memory : {"flat", "hmc2-8gb"}) {
    json first;
    for (const std::string threads : {"1", "2", "3"}) {
      CAPTURE(memory, threads);
      json report = run(arguments, {"--threads", threads, "--memory", memory}).report;
      CHECK(report["host_threads"] == std::stoul(threads));
      for (const char* key : {"host_seconds", "host_cpu_seconds", "host_threads", "simulated_khz"})
        report.erase(key);
      if (first.is_null()) first = report;
      CHECK(report == first);
    }
  }
}

TEST_CASE("clusters, threads and memories that do not exist", "[cli][clusters]") {
  const auto refused = [](const std::vector<std::string>& more, const char* message) {
    std::vector<std::string> arguments = {"run", "relu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = invoke(arguments);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, contains(message));
  };
  refused({"--clusters", "0"}, "--clusters");
  refused({"--clusters", "129"}, "--clusters");
  refused({"--threads", "0"}, "--threads");
  refused({"--clusters", "2", "--trace-cluster", "2"}, "cluster 2 cannot be observed");
  refused({"--memory", "hmc2"}, "--memory hmc2: neither flat, nor a file, nor one of the presets");
}
