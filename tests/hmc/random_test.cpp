// SPDX-License-Identifier: Apache-2.0
// Random requests to every preset in every pattern: nothing lost, merged or out of order, no rule violated.
// And the same for controllers whose timing is wrong by a clk, which must be found out.
#include "sim/base/random.h"

#include <fmt/format.h>

#include "tests/hmc/random_traffic.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;
using hmc::CubeConfig;

namespace {

const char* const kPresets[] = {"hmc-2gb", "hmc-4gb", "hmc2-8gb", "smc"};

CubeConfig preset(const std::string& name) { return hmc::read_cube_config("config/cube/" + name + ".yaml"); }

Traffic random_traffic(base::Random& random, Pattern pattern, std::uint64_t count) {
  constexpr std::uint32_t kOutstanding[] = {1, 4, 32, 256, 2048};
  constexpr std::uint32_t kWrites[] = {0, 10, 50, 90, 100};
  Traffic traffic;
  traffic.pattern = pattern;
  traffic.seed = random.next();
  traffic.requests = count;
  traffic.ports = static_cast<std::uint32_t>(1 + random.below(16));
  traffic.outstanding = kOutstanding[random.below(5)];
  traffic.write_percent = kWrites[random.below(5)];
  traffic.pause_ps = random.below(3) == 0 ? 1000 << random.below(8) : 0;
  return traffic;
}

}  // namespace

TEST_CASE("no rule is violated and no request lost, merged or out of order", "[hmc][random]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  base::Random random(seed);
  const std::uint64_t wanted = test::cases(100'000, 2'000'000);
  constexpr std::uint64_t kRun = 1000;
  std::uint64_t done = 0;
  while (done < wanted) {
    for (const char* name : kPresets) {
      const CubeConfig base = preset(name);
      for (const Pattern pattern : kPatterns) {
        const CubeConfig config = hmc::with_granule(base, 32u << random.below(4));
        const Traffic traffic = random_traffic(random, pattern, kRun);
        const std::vector<hmc::Request> list = requests(config, traffic);
        const dram_check::DramRules rules = dram_check::rules_of(config);
        const std::string complaint = drive(config, rules, list, traffic.ports, traffic.outstanding);
        done += kRun;
        if (complaint.empty()) continue;
        const auto fewer = shrink(config, rules, list, traffic.ports, traffic.outstanding);
        const std::string what = traffic.describe();
        const std::string shortest = drive(config, rules, fewer, traffic.ports, traffic.outstanding);
        CAPTURE(name, config.granule_bytes, what, complaint, shortest, text(fewer));
        FAIL("a vault misbehaves");
      }
    }
  }
}

TEST_CASE("a controller with a rule's value too small is found out", "[hmc][random]") {
  struct Mutation {
    std::uint32_t hmc::DramTiming::*value;
    std::vector<std::string> rules;  // one of which must be violated
  };
  using Timing = hmc::DramTiming;
  const Mutation mutations[] = {
      {&Timing::cl, {"data bus"}},
      {&Timing::cwl, {"tWR + tRP", "tWTR", "data bus"}},
      {&Timing::t_rcd, {"tRCD"}},
      {&Timing::t_rp, {"tRC", "tRTP + tRP", "tWR + tRP"}},
      {&Timing::t_ras, {"tRC", "tRAS + tRP"}},
      {&Timing::t_ccd, {"tCCD"}},
      {&Timing::t_rrd, {"tRRD"}},
      {&Timing::t_faw, {"tFAW"}},
      {&Timing::t_wtr, {"tWTR"}},
      {&Timing::t_wr, {"tWR + tRP"}},
      {&Timing::t_rtp, {"tRTP + tRP"}},
      {&Timing::t_rfc, {"tRFC"}},
  };
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  for (const char* name : kPresets) {
    const CubeConfig right = preset(name);
    const dram_check::DramRules rules = dram_check::rules_of(right);
    for (std::size_t m = 0; m < std::size(mutations); ++m) {
      const Mutation& mutation = mutations[m];
      CubeConfig wrong = right;
      --(wrong.timing.*mutation.value);
      CAPTURE(name, m);
      base::Random random(seed);
      std::string complaint;
      for (unsigned tries = 0; tries < 50 && complaint.empty(); ++tries) {
        // One vault, so that it is busy; pauses, so that refreshes come.
        Traffic traffic = random_traffic(random, Pattern::kOneVault, 1000);
        traffic.outstanding = 64;
        complaint = drive(wrong, rules, requests(wrong, traffic), traffic.ports, traffic.outstanding);
      }
      CAPTURE(complaint);
      CHECK(std::any_of(mutation.rules.begin(), mutation.rules.end(), [&complaint](const std::string& rule) {
        return complaint.find(": " + rule + ": ") != std::string::npos;
      }));
    }
    // Refreshes too rare, and too many.
    for (const std::uint32_t factor : {2u, 0u}) {
      CubeConfig wrong = right;
      wrong.timing.t_refi = factor != 0 ? factor * right.timing.t_refi : right.timing.t_refi / 2;
      Traffic traffic;
      traffic.requests = 3000;
      traffic.pause_ps = 100'000;
      CAPTURE(name, factor);
      CHECK_THAT(drive(wrong, rules, requests(wrong, traffic), 1, 32), test::contains(": tREFI: "));
    }
  }
}
