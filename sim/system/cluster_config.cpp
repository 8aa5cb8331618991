// SPDX-License-Identifier: Apache-2.0
#include "sim/system/cluster_config.h"

#include "sim/base/strict_yaml.h"
#include "sim/base/units.h"

namespace nearcube::system {
namespace {

using base::YamlSection;

constexpr std::int64_t kMaxCycles = std::int64_t{1} << 62;

// A latency in either of its two units, in core cycles.
std::uint64_t latency(YamlSection& section, const std::string& name, double core_hz) {
  const std::string ns = name + "_ns";
  const std::string cycles = name + "_core_cycles";
  const bool in_cycles = section.has(cycles);
  if (section.has(ns) && in_cycles) section.fail(ns, "give it in one unit only, not also as " + cycles);
  if (in_cycles) return static_cast<std::uint64_t>(section.integer(cycles, 1, 1'000'000));
  return std::max<std::uint64_t>(1, base::ns_to_cycles(section.number(ns, 0.001, 1e6), core_hz));
}

}  // namespace

ClusterConfig load_cluster_config(const std::string& path) {
  ClusterConfig config;
  config.file = path;
  YamlSection top = YamlSection::load(path);
  top.choice("schema", {"nearcube-cluster-1"});

  YamlSection cluster = top.section("cluster");
  config.cluster.ntx = static_cast<unsigned>(cluster.integer("ntx", 1, 8));
  config.cluster.tcdm_bytes = static_cast<std::uint32_t>(cluster.bytes("tcdm_bytes", 1024, 1 << 20));
  config.cluster.tcdm_banks = static_cast<unsigned>(cluster.integer("tcdm_banks", 1, 64));
  config.cluster.multicast = cluster.choice("multicast", {"true", "false"}) == "true";
  config.cluster.operand_fifo_depth = static_cast<unsigned>(cluster.integer("operand_fifo_depth", 2, 64));
  config.cluster.core_clock_ratio = static_cast<unsigned>(cluster.integer("core_clock_ratio", 1, 16));
  config.cluster.accumulator_lsb = static_cast<int>(cluster.integer("accumulator_lsb", -1024, 0));
  config.cluster.accumulator_segments = static_cast<unsigned>(cluster.integer("accumulator_segments", 1, 64));
  cluster.finish();

  YamlSection clock = top.section("clock");
  config.ntx_hz = clock.number("ntx_hz", 1e3, 1e12);
  clock.finish();

  YamlSection memory = top.section("memory");
  config.memory_bytes = memory.bytes("capacity_bytes", 4096, std::uint64_t{1} << 40);
  if (config.memory_bytes % 4096 != 0) memory.fail("capacity_bytes", "must be a multiple of 4 KiB");
  config.untouched = memory.choice("untouched", {"zero", "poison"}) == "zero" ? memory::Untouched::kZero
                                                                              : memory::Untouched::kPoison;
  config.timing.read_latency_core_cycles = latency(memory, "read_latency", config.core_hz());
  config.timing.write_latency_core_cycles = latency(memory, "write_latency", config.core_hz());
  config.timing.read_bytes_per_core_cycle = memory.number("read_bytes_per_core_cycle", 0.001, 8);
  config.timing.write_bytes_per_core_cycle = memory.number("write_bytes_per_core_cycle", 0.001, 8);
  config.timing.outstanding = static_cast<unsigned>(memory.integer("outstanding", 1, 1024));
  memory.finish();

  YamlSection simulation = top.section("simulation");
  config.watchdog_cycles =
      static_cast<std::uint64_t>(simulation.integer("watchdog_cycles", 1000, kMaxCycles));
  config.max_cycles = static_cast<std::uint64_t>(simulation.integer("max_cycles", 1, kMaxCycles));
  simulation.finish();

  top.finish();
  return config;
}

}  // namespace nearcube::system
