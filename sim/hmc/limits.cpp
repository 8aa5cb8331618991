// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace nearcube::hmc {

std::vector<Limit> bandwidth_limits(const CubeConfig& config) {
  const DramTiming& t = config.timing;
  const double refresh = config.refresh_factor();
  const auto rate = [&](std::uint32_t bytes, double clk) {
    return refresh * bytes * 1e3 / (clk * static_cast<double>(t.tck_ps));
  };
  const auto cycle = [&](std::uint32_t access) { return std::max(t.t_rc(), t.t_rcd + access + t.t_rp); };
  const auto vault = [&](std::uint32_t bytes) {
    return rate(bytes,
                std::max({t.t_faw / 4.0, 1.0 * t.t_rrd, 1.0 * t.t_ccd, 1.0 * config.burst_clk(bytes)}));
  };
  const std::uint32_t bytes = config.granule_bytes;
  const std::uint32_t burst = config.burst_clk(bytes);
  std::vector<Limit> limits = {
      {fmt::format("one bank, reads of {} B", bytes), "B / max(tRC, tRCD + burst + tRTP + tRP)",
       rate(bytes, cycle(burst + t.t_rtp))},
      {fmt::format("one bank, writes of {} B", bytes), "B / max(tRC, tRCD + CWL + burst + tWR + tRP)",
       rate(bytes, cycle(t.cwl + burst + t.t_wr))},
      {"one vault, reads of 32 B", "B / max(tFAW / 4, tRRD, tCCD, burst)", vault(32)},
  };
  if (bytes != 32) {
    limits.push_back({fmt::format("one vault, reads of {} B", bytes), limits.back().formula, vault(bytes)});
  }
  limits.push_back({"one vault's bus", "width x rate", refresh * config.buses_gb_per_s() / config.vaults});
  limits.push_back({"all buses", "vaults x width x rate", refresh * config.buses_gb_per_s()});
  limits.push_back({fmt::format("all links, reads of {} B", bytes), "links x lanes x rate x B / (B + header)",
                    config.links_gb_per_s() * bytes / (bytes + config.header_bytes)});
  return limits;
}

}  // namespace nearcube::hmc
