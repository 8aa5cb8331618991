// SPDX-License-Identifier: Apache-2.0
// What a cube does under load: nothing collapses, nothing keeps step with the refreshes.
#include "sim/hmc/traffic.h"

#include <algorithm>

#include "sim/base/random.h"
#include "tests/support/catch.h"

using namespace nearcube;
using hmc::CubeConfig;
using hmc::Pattern;

namespace {

const std::vector<std::string> kPresets = {"hmc-2gb", "hmc-4gb", "hmc2-8gb", "smc"};

CubeConfig preset(const std::string& name) { return hmc::read_cube_config("config/cube/" + name + ".yaml"); }

hmc::TrafficResult measure(const CubeConfig& config, const hmc::TrafficOptions& options) {
  hmc::Cube cube(config, options.ports);
  return hmc::run_traffic(cube, options);
}

}  // namespace

TEST_CASE("more requests under way give no less bandwidth, whatever the share of writes") {
  for (const std::string& name : kPresets) {
    const CubeConfig config = preset(name);
    for (const double writes : {0.0, 0.1, 0.25, 0.5, 0.75, 1.0}) {
      double before = 0;
      for (const std::uint32_t outstanding : {16u, 64u, 256u, 1024u, 4096u}) {
        INFO(name << ", " << writes << " writes, " << outstanding << " outstanding");
        const double now = measure(config, {.pattern = Pattern::kRandom,
                                            .write_share = writes,
                                            .outstanding = outstanding,
                                            .requests = 20'000 + 8ull * outstanding})
                               .gb_per_s();
        CHECK(now > 0.98 * before);
        before = now;
      }
      // What is lost goes to turns of the bus, and to waits for banks where a vault has only eight.
      CHECK(before > (config.banks == 8 ? 0.65 : 0.8) * config.buses_gb_per_s() * config.refresh_factor());
    }
  }
}

TEST_CASE("who asks for one thing after the other does not meet a refresh in each vault") {
  for (const std::string& name : kPresets) {
    const CubeConfig config = preset(name);
    for (std::uint64_t granules = 1; granules < 2 * config.vaults; ++granules) {
      const hmc::TrafficResult result = measure(
          config,
          {.pattern = Pattern::kStride, .outstanding = 1, .requests = 5'000, .stride_bytes = 64 * granules});
      INFO(name << ", every " << granules << "th granule: mean " << result.reads.mean_ps() / 1e3 << " ns");
      CHECK(result.reads.mean_ps() < 1.6 * static_cast<double>(result.reads.min_ps));
    }
  }
}

TEST_CASE("quantiles are those of the sorted latencies, an eighth too long at most") {
  base::Random random(1);
  for (const std::uint64_t most : {5ull, 20ull, 1000ull, 1'000'000ull, 1ull << 41}) {
    hmc::LatencyCounters counters;
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 5000; ++i) {
      all.push_back(random.below(most));
      counters.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double share : {0.001, 0.25, 0.5, 0.99, 0.999, 1.0}) {
      const std::uint64_t exact = all[static_cast<std::size_t>(share * 5000 + 0.5) - 1];
      INFO("below " << most << ", share " << share << ": " << exact);
      CHECK(counters.quantile_ps(share) >= exact);
      CHECK(counters.quantile_ps(share) <= exact + exact / 8);
    }
  }
  hmc::LatencyCounters long_ones;
  long_ones.add(~std::uint64_t{0});
  CHECK(long_ones.quantile_ps(0.5) == ~std::uint64_t{0});
}
