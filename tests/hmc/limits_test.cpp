// SPDX-License-Identifier: Apache-2.0
// Closed forms against the values that the design gives for two presets.
#include "sim/hmc/limits.h"

#include "tests/support/catch.h"

using namespace nearcube;

namespace {

double limit(const hmc::CubeConfig& config, const std::string& name) {
  for (const hmc::Limit& limit : hmc::bandwidth_limits(config)) {
    if (limit.name == name) return limit.gb_per_s;
  }
  FAIL("no limit called " << name);
  return 0;
}

}  // namespace

TEST_CASE("limits have the values of the design, GB/s") {
  auto small = hmc::read_cube_config("config/cube/hmc-2gb.yaml");
  small.timing.t_rtp = 5;  // as the public simulator has it
  const auto large = hmc::read_cube_config("config/cube/hmc2-8gb.yaml");
  const auto near = [](double value) { return Approx(value).epsilon(0.0005); };
  CHECK(limit(small, "one bank, reads of 64 B") == near(1.498));
  CHECK(limit(large, "one bank, reads of 64 B") == near(1.469));
  CHECK(limit(hmc::with_granule(small, 256), "one bank, reads of 256 B") == near(4.305));
  CHECK(limit(hmc::with_granule(large, 256), "one bank, reads of 256 B") == near(4.0216));
  CHECK(limit(small, "one bank, writes of 64 B") == near(1.0053));
  CHECK(limit(large, "one bank, writes of 64 B") == near(0.9796));
  for (const auto& config : {small, large}) {
    CHECK(limit(config, "one vault, reads of 32 B") == near(5.660));
    CHECK(limit(config, "one vault, reads of 64 B") == near(9.551));
    CHECK(limit(config, "one vault's bus") == near(9.551));
  }
  CHECK(limit(small, "all buses") == near(152.8));
  CHECK(limit(large, "all buses") == near(305.6));
  const double links[][3] = {{64, 64, 160}, {128, 71.1, 177.8}, {256, 75.3, 188.2}};
  for (const auto& [bytes, of_small, of_large] : links) {
    const std::string name = "all links, reads of " + std::to_string(static_cast<int>(bytes)) + " B";
    const auto granule = static_cast<std::uint64_t>(bytes);
    CHECK(limit(hmc::with_granule(small, granule), name) == near(of_small));
    CHECK(limit(hmc::with_granule(large, granule), name) == near(of_large));
  }
}
