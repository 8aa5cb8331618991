// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/cube_config.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/strict_yaml.h"
#include "sim/base/units.h"

namespace nearcube::hmc {
namespace {

using base::YamlSection;

double picoseconds_of(const std::string& unit) {
  return unit == "ps" ? 1 : unit == "ns" ? 1e3 : unit == "us" ? 1e6 : 1e9;
}

/// A time, rounded to whole picoseconds.
std::uint64_t time(YamlSection& section, const std::string& key, double min) {
  const auto value = section.quantity(key, {"ps", "ns", "us", "ms"}, min);
  const double ps = value.value * picoseconds_of(value.unit);
  if (ps > 1e12) section.fail(key, "above a second");
  return static_cast<std::uint64_t>(std::llround(ps));
}

enum class Round : std::uint8_t {
  kUp,    ///< the whole clocks that cover a time
  kDown,  ///< those that fit into it
};

/// Clocks, or a time in clocks.
std::uint32_t clocks(YamlSection& section, const std::string& key, std::uint64_t tck_ps,
                     Round round = Round::kUp) {
  const auto value = section.quantity(key, {"clk", "ps", "ns", "us", "ms"}, 0);
  double clk = value.value;
  if (value.unit == "clk") {
    if (clk != std::floor(clk)) section.fail(key, "must be whole clocks");
  } else {
    // A picosecond beside a whole clock is a rounding of the source, not a clock more or less.
    const double ps = value.value * picoseconds_of(value.unit), tck = static_cast<double>(tck_ps);
    clk = round == Round::kUp ? std::ceil((ps - 1) / tck) : std::floor((ps + 1) / tck);
  }
  if (clk < 1 || clk > 1e8) section.fail(key, "not in 1 .. 100,000,000 clk");
  return static_cast<std::uint32_t>(clk);
}

std::uint32_t count(YamlSection& section, const std::string& key, std::int64_t min, std::int64_t max) {
  return static_cast<std::uint32_t>(section.integer(key, min, max));
}

std::uint32_t size(YamlSection& section, const std::string& key, std::uint64_t min, std::uint64_t max) {
  const std::uint64_t bytes = section.bytes(key, min, max);
  if (!std::has_single_bit(bytes)) section.fail(key, "must be a power of two");
  return static_cast<std::uint32_t>(bytes);
}

void power_of_two(const YamlSection& section, const std::string& key, std::uint64_t value) {
  if (!std::has_single_bit(value)) section.fail(key, "must be a power of two");
}

}  // namespace

std::uint32_t CubeConfig::burst_clk(std::uint32_t bytes) const {
  return static_cast<std::uint32_t>(std::ceil(std::max(bytes, smallest_bytes) / bus_bytes_per_clk));
}

Location locate(const CubeConfig& config, std::uint64_t address) {
  Location location;
  const auto take = [&address](std::uint64_t values) {
    const std::uint64_t value = address & (values - 1);
    address >>= std::countr_zero(values);
    return static_cast<std::uint32_t>(value);
  };
  const std::uint32_t byte = take(config.granule_bytes);
  location.vault = take(config.vaults);
  location.bank = take(config.banks);
  location.column = take(config.row_bytes / config.granule_bytes) * config.granule_bytes + byte;
  location.row = static_cast<std::uint32_t>(address);
  return location;
}

std::uint64_t address_of(const CubeConfig& config, const Location& location) {
  const std::uint32_t granules = config.row_bytes / config.granule_bytes;
  std::uint64_t address = location.row;
  address = address * granules + location.column / config.granule_bytes;
  address = address * config.banks + location.bank;
  address = address * config.vaults + location.vault;
  return address * config.granule_bytes + location.column % config.granule_bytes;
}

CubeConfig read_cube_config(const std::string& path) {
  CubeConfig config;
  config.file = path;
  YamlSection top = YamlSection::load(path);
  top.choice("schema", {"nearcube-cube-1"});

  YamlSection cube = top.section("cube");
  config.vaults = count(cube, "vaults", 1, 256);
  power_of_two(cube, "vaults", config.vaults);
  config.banks = count(cube, "banks", 1, 32);
  power_of_two(cube, "banks", config.banks);
  config.capacity_bytes = cube.bytes("capacity", 1 << 20, std::uint64_t{1} << 40);
  power_of_two(cube, "capacity", config.capacity_bytes);
  config.row_bytes = size(cube, "row", 32, 1 << 16);
  config.smallest_bytes = size(cube, "smallest", 8, 256);
  config.granule_bytes = size(cube, "granule", 32, 256);
  if (config.granule_bytes > config.row_bytes) cube.fail("granule", "larger than a row");
  if (config.smallest_bytes > config.granule_bytes) cube.fail("smallest", "larger than a granule");
  if (config.capacity_bytes < std::uint64_t{config.vaults} * config.banks * config.row_bytes) {
    cube.fail("capacity", "less than one row in each bank");
  }
  cube.finish();

  YamlSection timing = top.section("timing");
  DramTiming& t = config.timing;
  t.tck_ps = time(timing, "tCK", 0);
  if (t.tck_ps < 100 || t.tck_ps > 100'000) timing.fail("tCK", "not in 0.1 .. 100 ns");
  const auto clk = [&](const char* key) { return clocks(timing, key, t.tck_ps); };
  t.cl = clk("CL");
  t.cwl = clk("CWL");
  t.t_rcd = clk("tRCD");
  t.t_rp = clk("tRP");
  t.t_ras = clk("tRAS");
  t.t_ccd = clk("tCCD");
  t.t_rrd = clk("tRRD");
  t.t_faw = clk("tFAW");
  t.t_wtr = clk("tWTR");
  t.t_wr = clk("tWR");
  t.t_rtp = clk("tRTP");
  t.t_rfc = clk("tRFC");
  t.t_refi = clocks(timing, "tREFI", t.tck_ps, Round::kDown);  // the only one that must not take longer
  if (t.t_ras < t.t_rcd) timing.fail("tRAS", "below tRCD: a row would close before it can be read");
  // Drain, refresh and one access must fit, or a vault would do nothing but refresh.
  if (t.t_refi < t.t_rfc + 2 * t.t_rc()) timing.fail("tREFI", "below tRFC + 2 (tRAS + tRP)");
  timing.finish();

  YamlSection bus = top.section("vault_bus");
  const double bits = bus.quantity("width", {"bit"}, 1).value;
  if (bits > 1024) bus.fail("width", "above 1024 bit");
  const double rate = bus.quantity("rate", {"Gb/s"}, 0.001).value;
  if (rate > 1000) bus.fail("rate", "above 1000 Gb/s");
  config.bus_bytes_per_clk = bits / 8 * rate * static_cast<double>(t.tck_ps) / 1e3;
  bus.finish();

  YamlSection controller = top.section("controller");
  config.read_queue = count(controller, "read_queue", 1, 64);
  config.write_queue = count(controller, "write_queue", 1, 64);
  config.write_high = count(controller, "write_high", 1, config.write_queue);
  config.write_low = count(controller, "write_low", 0, config.write_high - 1);
  config.write_age_clk = clocks(controller, "write_age", t.tck_ps);
  config.row_hits = count(controller, "row_hits", 1, 1024);
  controller.finish();

  YamlSection crossbar = top.section("crossbar");
  config.request_ps = time(crossbar, "request", 0);
  config.response_ps = time(crossbar, "response", 0);
  config.port_bytes_per_clk = count(crossbar, "port_bytes_per_clk", 1, 1024);
  crossbar.finish();

  YamlSection links = top.section("links");
  config.links = count(links, "count", 1, 16);
  config.lanes = count(links, "lanes", 1, 64);
  config.lane_gbps = links.quantity("rate", {"Gb/s"}, 0.001).value;
  if (config.lane_gbps > 1000) links.fail("rate", "above 1000 Gb/s");
  config.header_bytes = static_cast<std::uint32_t>(links.bytes("header", 0, 64));
  config.link_ps = time(links, "latency", 0);
  links.finish();

  top.finish();
  return config;
}

CubeConfig with_granule(CubeConfig config, std::uint64_t bytes) {
  if (!std::has_single_bit(bytes) || bytes < 32 || bytes > std::min(config.row_bytes, 256u)) {
    bad_input("a granule of {} B: it must be a power of two from 32 B to {} B", bytes,
              std::min(config.row_bytes, 256u));
  }
  config.granule_bytes = static_cast<std::uint32_t>(bytes);
  config.smallest_bytes = std::min(config.smallest_bytes, config.granule_bytes);
  return config;
}

}  // namespace nearcube::hmc
