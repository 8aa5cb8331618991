// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/units.h"
#include "sim/system/cube_system.h"
#include "sw/cli/paths.h"

namespace nearcube::cli {
namespace {

struct Region {
  const char* name;
  std::uint64_t base, bytes;
  const char* what;
};

std::vector<Region> address_map(const system::ClusterConfig& config) {
  namespace regs = interfaces;
  return {
      {"tcdm", regs::kTcdmBase, config.cluster.tcdm_bytes, "scratchpad"},
      {"control", regs::kControlBase, regs::kControlSize, "cluster control"},
      {"dma", regs::kDmaBase, regs::kDmaSize, "DMA engine"},
      {"counters", regs::kCountersBase, regs::kCountersSize, "performance counters"},
      {"ntx", regs::kNtxBase, regs::kNtxSize, "NTX 0 to 7, 0x80 apart"},
      {"ntx_broadcast", regs::kNtxBroadcastBase, regs::kNtxBroadcastSize, "all NTX at once, write-only"},
      {"cube", regs::kCubeBase, config.memory_bytes, "cube memory; the DMA reaches what lies beyond 4 GiB"},
  };
}

}  // namespace

std::string version() { return "nearcube " NEARCUBE_VERSION; }

void print_info(const std::string& name, bool json) {
  const system::ClusterConfig config = system::load_cluster_config(cli::config_file(name));
  // Builds the model, so a configuration that does not fit it is an error here too.
  const system::CubeSystem system(config);
  const system::ClusterParameters& rtl = system.parameters();
  const auto map = address_map(config);
  const auto& timing = config.timing;
  const std::string compiler = __VERSION__;

  if (json) {
    nlohmann::ordered_json out;
    out["schema"] = "nearcube-info-1";
    out["version"] = NEARCUBE_VERSION;
    out["verilator"] = rtl::verilator_version();
    out["compiler"] = compiler;
    out["home"] = home();
    out["config"] = config.file;
    out["firmware"] = firmware_names();
    out["cluster"] = {{"ntx", rtl.ntx},
                      {"tcdm_bytes", rtl.tcdm_bytes},
                      {"tcdm_banks", rtl.tcdm_banks},
                      {"multicast", rtl.multicast},
                      {"operand_fifo_depth", rtl.operand_fifo_depth},
                      {"core_clock_ratio", rtl.core_clock_ratio},
                      {"accumulator_lsb", rtl.accumulator_lsb},
                      {"accumulator_segments", rtl.accumulator_segments}};
    out["presets"] = config_names();
    out["ntx_hz"] = config.ntx_hz;
    out["memory"] = {{"capacity_bytes", config.memory_bytes},
                     {"read_latency_core_cycles", timing.read_latency_core_cycles},
                     {"write_latency_core_cycles", timing.write_latency_core_cycles},
                     {"read_bytes_per_core_cycle", timing.read_bytes_per_core_cycle},
                     {"write_bytes_per_core_cycle", timing.write_bytes_per_core_cycle},
                     {"outstanding", timing.outstanding}};
    out["simulation"] = {{"watchdog_cycles", config.watchdog_cycles}, {"max_cycles", config.max_cycles}};
    out["address_map"] = nlohmann::ordered_json::array();
    for (const Region& region : map) {
      out["address_map"].push_back({{"name", region.name}, {"base", region.base}, {"bytes", region.bytes}});
    }
    fmt::print("{}\n", out.dump(2));
    return;
  }

  fmt::print("{}, Verilator {}, compiler {}\n", version(), rtl::verilator_version(), compiler);
  fmt::print("home           {}\n", home());
  fmt::print("configuration  {}\n", config.file);
  const auto names = firmware_names();
  fmt::print("presets        {}\n", fmt::join(config_names(), ", "));
  fmt::print("firmware       {}\n", names.empty() ? "none built" : fmt::format("{}", fmt::join(names, ", ")));
  fmt::print("\ncluster, as the RTL was built\n");
  fmt::print("  {} NTX at {:g} GHz, peak {:g} Gflop/s; core, DMA and AXI at 1/{} of that clock\n", rtl.ntx,
             config.ntx_hz / 1e9, base::kFlopPerMac * rtl.ntx * config.ntx_hz / 1e9, rtl.core_clock_ratio);
  fmt::print("  scratchpad {} in {} banks, {}; operand FIFOs of {} words\n",
             base::format_bytes(rtl.tcdm_bytes), rtl.tcdm_banks, rtl.multicast ? "multicast" : "no multicast",
             rtl.operand_fifo_depth);
  fmt::print("  accumulator {} bits from 2^{}\n", 32 * rtl.accumulator_segments, rtl.accumulator_lsb);
  fmt::print("memory\n");
  fmt::print("  {}; latency {} core cycles to read, {} to write ({:.1f} and {:.1f} ns)\n",
             base::format_bytes(config.memory_bytes), timing.read_latency_core_cycles,
             timing.write_latency_core_cycles,
             base::cycles_to_ns(timing.read_latency_core_cycles, config.core_hz()),
             base::cycles_to_ns(timing.write_latency_core_cycles, config.core_hz()));
  fmt::print("  bandwidth {:.2f} GB/s to read, {:.2f} to write; {} of each outstanding\n",
             timing.read_bytes_per_core_cycle * config.core_hz() / 1e9,
             timing.write_bytes_per_core_cycle * config.core_hz() / 1e9, timing.outstanding);
  fmt::print("simulation\n");
  fmt::print("  stuck after {} cycles without progress; ends after {} cycles\n",
             base::with_separators(config.watchdog_cycles), base::with_separators(config.max_cycles));
  fmt::print("\naddress map\n");
  for (const Region& region : map) {
    fmt::print("  {:#010x}  {:>8}  {:<14} {}\n", region.base, base::format_bytes(region.bytes), region.name,
               region.what);
  }
}

}  // namespace nearcube::cli
