// SPDX-License-Identifier: Apache-2.0
// Bandwidths and latencies that follow from a preset's own values.
#include <cmath>

#include "sim/dram_check/rule_checker.h"
#include "sim/hmc/traffic.h"
#include "tests/support/catch.h"

using namespace nearcube;
using hmc::Attach;
using hmc::CubeConfig;
using hmc::Pattern;

namespace {

const std::vector<std::string> kPresets = {"hmc-2gb", "hmc-4gb", "hmc2-8gb", "smc"};

CubeConfig preset(const std::string& name, std::uint64_t granule = 64) {
  return hmc::with_granule(hmc::read_cube_config("config/cube/" + name + ".yaml"), granule);
}

double measure(const CubeConfig& config, const hmc::TrafficOptions& options, Attach attach = Attach::kBase) {
  hmc::Cube cube(config, options.ports, attach);
  dram_check::RuleChecker checker(dram_check::rules_of(config));
  cube.add_observer(checker);
  const double gb_per_s = hmc::run_traffic(cube, options).gb_per_s();
  INFO(checker.report());
  CHECK(checker.violations() == 0);
  return gb_per_s;
}

/// GB/s of one access of `bytes` in so many clocks.
double rate(const CubeConfig& config, double bytes, double clk) {
  return bytes * 1e3 / (clk * static_cast<double>(config.timing.tck_ps));
}

void check_within_percent(double measured, double expected) {
  INFO("measured " << measured << " GB/s, expected " << expected);
  CHECK(std::abs(measured / expected - 1) < 0.01);
}

}  // namespace

TEST_CASE("one bank serves an access in its row cycle") {
  for (const std::string& name : kPresets) {
    INFO(name);
    for (const std::uint32_t bytes : {64u, 256u}) {
      const CubeConfig config = preset(name, bytes);
      const hmc::DramTiming& t = config.timing;
      const double burst = config.burst_clk(bytes);
      const double read = std::max<double>(t.t_rc(), t.t_rcd + burst + t.t_rtp + t.t_rp);
      check_within_percent(measure(config, {.pattern = Pattern::kOneBank, .bytes = bytes, .outstanding = 16}),
                           rate(config, bytes, read) * config.refresh_factor());
      const double write = std::max<double>(t.t_rc(), t.t_rcd + t.cwl + burst + t.t_wr + t.t_rp);
      check_within_percent(
          measure(config,
                  {.pattern = Pattern::kOneBank, .bytes = bytes, .write_share = 1, .outstanding = 16}),
          rate(config, bytes, write) * config.refresh_factor());
    }
  }
}

TEST_CASE("the published points of two presets") {
  // design values: GB/s for hmc-2gb with the tRTP of 5 clk that the public simulator uses, and for hmc2-8gb.
  CubeConfig small = preset("hmc-2gb");
  small.timing.t_rtp = 5;
  CubeConfig small256 = preset("hmc-2gb", 256);
  small256.timing.t_rtp = 5;
  const CubeConfig large = preset("hmc2-8gb"), large256 = preset("hmc2-8gb", 256);
  const hmc::TrafficOptions bank{.pattern = Pattern::kOneBank, .outstanding = 16};
  hmc::TrafficOptions bank256 = bank, writes = bank;
  bank256.bytes = 256;
  writes.write_share = 1;
  check_within_percent(measure(small, bank), 1.498);
  check_within_percent(measure(large, bank), 1.469);
  check_within_percent(measure(small256, bank256), 4.305);
  check_within_percent(measure(large256, bank256), 4.02);
  check_within_percent(measure(small, writes), 1.005);
  check_within_percent(measure(large, writes), 0.980);
}

TEST_CASE("a vault's small reads are bound by the window of four activates") {
  for (const std::string& name : kPresets) {
    INFO(name);
    const CubeConfig config = preset(name, 32);
    const double window = std::max<double>(config.timing.t_faw, 4.0 * config.timing.t_rrd);
    // The banks in turn, so that none is waited for, each time another row.
    const std::uint64_t bank = std::uint64_t{config.vaults} * config.granule_bytes;
    const std::uint64_t row = bank * config.banks * (config.row_bytes / config.granule_bytes);
    check_within_percent(
        measure(config,
                {.pattern = Pattern::kStride, .bytes = 32, .outstanding = 64, .stride_bytes = row + bank}),
        rate(config, 4 * 32, window) * config.refresh_factor());
  }
}

TEST_CASE("a vault's larger reads are bound by its bus") {
  for (const std::string& name : kPresets) {
    for (const std::uint32_t bytes : {64u, 128u, 256u}) {
      INFO(name << ", " << bytes << " B");
      const CubeConfig config = preset(name, bytes);
      check_within_percent(
          measure(config, {.pattern = Pattern::kStride,
                           .bytes = bytes,
                           .outstanding = 64,
                           .stride_bytes = std::uint64_t{config.vaults} * config.granule_bytes}),
          config.buses_gb_per_s() / config.vaults * config.refresh_factor());
    }
  }
}

TEST_CASE("a cube's sequential reads are bound by all vaults' buses") {
  for (const std::string& name : kPresets) {
    INFO(name);
    const CubeConfig config = preset(name, 256);
    check_within_percent(measure(config, {.bytes = 256, .outstanding = 1024, .requests = 200'000}),
                         config.buses_gb_per_s() * config.refresh_factor());
  }
}

TEST_CASE("links carry a header with each packet") {
  for (const std::string& name : kPresets) {
    for (const std::uint32_t bytes : {64u, 128u, 256u}) {
      INFO(name << ", " << bytes << " B");
      const CubeConfig config = preset(name, bytes);
      const double link = config.links_gb_per_s() * bytes / (bytes + config.header_bytes);
      const double measured =
          measure(config, {.bytes = bytes, .outstanding = 1024, .requests = 100'000, .ports = config.links},
                  Attach::kLinks);
      check_within_percent(measured, std::min(link, config.buses_gb_per_s() * config.refresh_factor()));
      CHECK(measured < link * 1.0001);
    }
  }
}

TEST_CASE("an idle read takes what its parts take, 30 to 45 ns from the logic base") {
  for (const std::string& name : kPresets) {
    for (const Attach attach : {Attach::kBase, Attach::kLinks}) {
      const CubeConfig config = preset(name);
      hmc::Cube cube(config, 1, attach);
      dram_check::RuleChecker checker(dram_check::rules_of(config));
      cube.add_observer(checker);
      // Long after a refresh, long before the next; on a clock.
      const std::uint64_t start = 5000 * config.timing.tck_ps;
      cube.submit({.address = 0, .bytes = 64, .time_ps = start});
      cube.advance(start + 1'000'000);
      REQUIRE(cube.completions().size() == 1);
      std::uint64_t sum = 0;
      for (const auto& part : hmc::Cube::idle_read(config, 64, attach)) sum += part.ps;
      const std::uint64_t latency = cube.completions()[0].time_ps - start;
      INFO(name << ": " << latency << " ps, parts " << sum);
      CHECK(checker.violations() == 0);
      CHECK(latency >= sum);
      CHECK(latency - sum < config.timing.tck_ps);  // the vault's clock
      if (attach == Attach::kBase) {
        CHECK(latency >= 30'000);
        CHECK(latency <= 45'000);
      }
    }
  }
}

TEST_CASE("no traffic is faster than bus and links") {
  for (const std::string& name : kPresets) {
    const CubeConfig config = preset(name);
    for (const auto pattern : {Pattern::kSequential, Pattern::kRandom, Pattern::kOneVault}) {
      for (const double writes : {0.0, 0.25, 0.5, 1.0}) {
        for (const unsigned outstanding : {1u, 7u, 64u, 1024u}) {
          for (const Attach attach : {Attach::kBase, Attach::kLinks}) {
            INFO(name << " pattern " << static_cast<int>(pattern) << " writes " << writes << " outstanding "
                      << outstanding);
            const double measured = measure(config,
                                            {.pattern = pattern,
                                             .write_share = writes,
                                             .outstanding = outstanding,
                                             .requests = 3000 + 10 * outstanding},
                                            attach);
            CHECK(measured > 0);
            CHECK(measured < config.buses_gb_per_s() / (pattern == Pattern::kOneVault ? config.vaults : 1));
            // Reads one way, writes the other.
            if (attach == Attach::kLinks) CHECK(measured < 2 * config.links_gb_per_s());
          }
        }
      }
    }
  }
}
