// SPDX-License-Identifier: Apache-2.0
#include "sim/dram_check/dram_rules.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace nearcube::dram_check {

std::uint32_t DramRules::burst(std::uint32_t bytes) const {
  return static_cast<std::uint32_t>(std::ceil(std::max(bytes, smallest_bytes) / bus_bytes_per_clk));
}

void check(const DramRules& rules) {
  const auto positive = [](double value, const char* name) {
    if (!(value > 0)) bad_input("DRAM rules: {} is {}", name, value);
  };
  positive(rules.vaults, "the number of vaults");
  positive(rules.banks, "the number of banks");
  positive(rules.rows, "the number of rows");
  positive(rules.row_bytes, "the size of a row");
  positive(rules.bus_bytes_per_clk, "the width of the data bus");
  if (rules.t_rc < rules.t_ras + rules.t_rp) {
    bad_input("DRAM rules: tRC of {} clk is below tRAS + tRP, {} + {} clk", rules.t_rc, rules.t_ras,
              rules.t_rp);
  }
}

DramRules rules_of(const hmc::CubeConfig& config) {
  const hmc::DramTiming& timing = config.timing;
  DramRules rules;
  rules.vaults = config.vaults;
  rules.banks = config.banks;
  rules.row_bytes = config.row_bytes;
  const std::uint64_t row_set = std::uint64_t{config.vaults} * config.banks * config.row_bytes;
  rules.rows = row_set == 0 ? 0 : static_cast<std::uint32_t>(config.capacity_bytes / row_set);
  rules.smallest_bytes = config.smallest_bytes;
  rules.bus_bytes_per_clk = config.bus_bytes_per_clk;
  rules.cl = timing.cl;
  rules.cwl = timing.cwl;
  rules.t_rcd = timing.t_rcd;
  rules.t_ras = timing.t_ras;
  rules.t_rp = timing.t_rp;
  rules.t_rc = timing.t_ras + timing.t_rp;
  rules.t_ccd = timing.t_ccd;
  rules.t_rrd = timing.t_rrd;
  rules.t_faw = timing.t_faw;
  rules.t_wtr = timing.t_wtr;
  rules.t_wr = timing.t_wr;
  rules.t_rtp = timing.t_rtp;
  rules.t_rfc = timing.t_rfc;
  rules.t_refi = timing.t_refi;
  return rules;
}

}  // namespace nearcube::dram_check
