// SPDX-License-Identifier: Apache-2.0
// Runs with faults in the memory: one wrong bit of a word changes nothing, two are an error and never a
// result.
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

using namespace nearcube;
using nlohmann::json;
using test::contains;
using test::invoke;

namespace {

struct Run {
  test::Outcome outcome;
  json report;
  std::string output;  ///< empty: none was written
};

Run convolve(std::vector<std::string> options) {
  const test::Folder folder;
  const std::string output = folder.file("output.npy"), report = folder.file("report.json");
  options.insert(options.begin(), {"run", "conv2d", "--output", output, "--json", report});
  Run run;
  run.outcome = invoke(options);
  if (test::fs::exists(report)) run.report = json::parse(test::slurp(report));
  if (test::fs::exists(output)) run.output = test::slurp(output);
  return run;
}

}  // namespace

TEST_CASE("single flips are corrected, counted, and change neither results nor cycles", "[cli][inject]") {
  // With this seed, one of the first 5000 reads of a word is that one of 10^6.
  const std::string seed = "118";
  const Run clean = convolve({"--seed", seed});
  REQUIRE(clean.outcome.status == 0);
  CHECK(clean.report["memory_code"].is_null());
  for (const char* rate : {"bit-flips=1e-6", "bit-flips=0.01", "bit-flips=1"}) {
    const Run run = convolve({"--seed", seed, "--inject", rate});
    INFO(rate << "\n" << run.outcome.out << run.outcome.err);
    REQUIRE(run.outcome.status == 0);
    CHECK(run.output == clean.output);
    CHECK(run.report["cycles"] == clean.report["cycles"]);
    CHECK(run.report["mismatches"] == 0);
    const json& code = run.report["memory_code"];
    CHECK(code["corrected"] >= 1);
    CHECK(code["corrected"] == code["injected_single"]);
    CHECK(code["uncorrectable"] == 0);
    if (std::string(rate) == "bit-flips=1") CHECK(code["corrected"] == code["words_read"]);
    CHECK_THAT(run.outcome.out, contains(" single flips corrected, 0 words beyond repair"));
  }
}

TEST_CASE("double flips end in an error with the address, never in a result", "[cli][inject]") {
  const Run clean = convolve({});
  unsigned errors = 0, transfers = 0, traps = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Run run = convolve({"--inject", "double-flips=3e-4", "--seed", std::to_string(seed)});
    INFO("seed " << seed << "\n" << run.outcome.out << run.outcome.err);
    const json& code = run.report["memory_code"];
    CHECK(code["corrected"] == 0);
    if (run.outcome.status == 0) {
      // Whatever was read wrong was not used: such as an instruction that was fetched ahead.
      CHECK(run.report["mismatches"] == 0);
      continue;
    }
    ++errors;
    CHECK(run.outcome.status == 1);
    CHECK(run.output.empty());
    REQUIRE(code["uncorrectable"] >= 1);
    REQUIRE(code["uncorrectable_addresses"].size() >= 1);
    CHECK(code["uncorrectable_addresses"][0].get<std::uint64_t>() >= 0x80000000);
    CHECK_THAT(run.outcome.out, contains(" words beyond repair, at 0x80"));
    CHECK_THAT(run.outcome.err, contains("the memory answered "));
    CHECK_THAT(run.outcome.err, contains("more than one wrong bit of its 72 and is beyond repair"));
    if (run.outcome.err.find("DMA transfer") != std::string::npos) ++transfers;
    if (run.outcome.err.find("access fault") != std::string::npos) ++traps;
  }
  CHECK(errors >= 6);
  CHECK(transfers >= 1);
  CHECK(traps >= 1);
}

TEST_CASE("--check-dram checks the vaults' commands and changes nothing", "[cli][inject]") {
  const Run clean = convolve({"--memory", "hmc2-8gb"});
  CHECK(clean.report["dram_check"].is_null());
  const Run run = convolve({"--memory", "hmc2-8gb", "--check-dram"});
  INFO(run.outcome.out << run.outcome.err);
  REQUIRE(run.outcome.status == 0);
  CHECK(run.output == clean.output);
  CHECK(run.report["cycles"] == clean.report["cycles"]);
  CHECK(run.report["dram_check"]["commands"] > 1000);
  CHECK(run.report["dram_check"]["violations"] == 0);
  CHECK_THAT(run.outcome.out, contains(" commands, 0 violations"));
  const Run flat = convolve({"--memory", "flat", "--check-dram"});
  CHECK(flat.outcome.status == 2);
  CHECK_THAT(flat.outcome.err, contains("--check-dram: flat memory has no DRAM commands"));
}

TEST_CASE("a stuck bank is an error where the run needs it", "[cli][inject]") {
  // The first word of the program is in bank 0 of vault 0; 32 vaults and 16 banks further is the same again.
  const Run dead = convolve({"--memory", "hmc2-8gb", "--inject", "stuck-bank=0:0"});
  CHECK(dead.outcome.status == 1);
  CHECK(dead.output.empty());
  CHECK(dead.report["memory_code"]["uncorrectable_addresses"][0] == 0x80000000);
  CHECK_THAT(dead.outcome.out, contains("instruction access fault (mcause 1) at pc 0x80000000"));
  // The last bank of the last vault has some of the convolution's data, and nothing of a short ReLU.
  const Run data = convolve({"--memory", "hmc2-8gb", "--inject", "stuck-bank=31:15"});
  CHECK(data.outcome.status == 1);
  CHECK(data.output.empty());
  CHECK_THAT(data.outcome.err, contains("failed: the memory answered a read at 0x8010ffc0 with an error"));
  CHECK(invoke({"run", "relu", "--n", "16", "--memory", "hmc2-8gb", "--inject", "stuck-bank=31:15"}).status ==
        0);
  CHECK_THAT(convolve({"--memory", "hmc2-8gb", "--inject", "stuck-bank=32:0"}).outcome.err,
             contains("the cube has vaults 0 to 31"));
  CHECK_THAT(convolve({"--memory", "flat", "--inject", "stuck-bank=0:0"}).outcome.err,
             contains("this memory has no vaults"));
}

TEST_CASE("the same seed gives the same faults", "[cli][inject]") {
  const std::vector<std::string> options = {"--inject", "bit-flips=0.01", "--inject", "double-flips=1e-3"};
  CHECK(convolve(options).report["memory_code"] == convolve(options).report["memory_code"]);
}

TEST_CASE("faults that cannot be are refused before the run", "[cli][inject]") {
  const auto refused = [](const char* fault, const char* says) {
    const Run run = convolve({"--inject", fault});
    INFO(fault);
    CHECK(run.outcome.status == 2);
    CHECK_THAT(run.outcome.err, contains(says));
    CHECK(run.output.empty());
  };
  refused("bit-flips=2", "--inject bit-flips=2: \"2\" is no rate");
  refused("bitflips=1", "no such fault, did you mean \"bit-flips\"?");
  refused("stuck-bank=0", "is not VAULT:BANK, such as 3:5");
}
