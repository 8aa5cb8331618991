// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/energy.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "tests/support/catch.h"

using namespace nearcube;
using analysis::EnergyConstants;
using analysis::Work;
using test::contains;

namespace {

const std::string kFile = "config/energy/hmc-22fdx.yaml";

}  // namespace

TEST_CASE("a busy cluster takes its published power") {
  const EnergyConstants constants = analysis::read_energy_constants(kFile);
  // 20 Gflop/s at 168 mW (arXiv 1812.00182): a second of ten thousand million MACs.
  const Work full{.seconds = 1, .ntx_hz = 1.25e9, .clusters = 1, .activity = 1, .macs = 1e10};
  const auto energy = analysis::estimate(constants, full);
  CHECK(energy.clusters == Approx(0.168));
  CHECK(energy.total() == energy.clusters);
  CHECK(analysis::gflop_per_joule(energy, full) == Approx(20 / 0.168));
}

TEST_CASE("energy adds up from what was counted") {
  const EnergyConstants constants{.file = "",
                                  .cluster_watt = 2,
                                  .reference_hz = 1e9,
                                  .idle_share = 0.25,
                                  .dram_pj_per_bit = 4,
                                  .logic_pj_per_bit = 6,
                                  .static_watt = 3};
  const auto energy = analysis::estimate(
      constants,
      {.seconds = 2, .ntx_hz = 5e8, .clusters = 16, .activity = 0.5, .macs = 1, .memory_bytes = 1e12});
  CHECK(energy.clusters == Approx(16 * 2 * 0.5 * (0.25 + 0.75 * 0.5) * 2));
  CHECK(energy.dram == Approx(32));
  CHECK(energy.logic == Approx(48));
  CHECK(energy.standby == Approx(6));
  CHECK(energy.total() == Approx(20 + 32 + 48 + 6));
  CHECK(analysis::gflop_per_joule({}, {}) == 0);
}

TEST_CASE("wrong constants are refused by file, key and reason") {
  std::ostringstream text;
  text << std::ifstream(kFile).rdbuf();
  const auto path =
      std::filesystem::temp_directory_path() / ("energy_" + std::to_string(::getpid()) + ".yaml");
  const auto refuse = [&](const std::string& what, const std::string& with, const std::string& says) {
    std::string bad = text.str();
    REQUIRE(bad.find(what) != std::string::npos);
    bad.replace(bad.find(what), what.size(), with);
    std::ofstream(path) << bad;
    CHECK_THROWS_WITH(analysis::read_energy_constants(path), contains(path.string() + ":") && contains(says));
  };
  refuse("power: 168 mW", "power: 168", "key cluster.power: \"168\" is not a number with a unit, W or mW");
  refuse("power: 168 mW", "power: -1 W", "key cluster.power: \"-1 W\" is below 0");
  refuse("idle_share: 0.3", "idle_share: 30", "key cluster.idle_share: 30 is not in 0 .. 1");
  refuse("clock: 1.25 GHz", "clock: 0 GHz", "key cluster.clock");
  refuse("dram: 3.7 pJ/bit", "dram: 3.7 nJ/bit", "key cube.dram: \"3.7 nJ/bit\" is not");
  refuse("static: 0 W", "statics: 0 W", "key cube.static: missing");
  std::filesystem::remove(path);
}
