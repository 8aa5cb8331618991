// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/vault_timing.h"

namespace nearcube::hmc {

const char* name_of(CommandKind kind) {
  constexpr std::array names = {"ACT", "RD", "RDA", "WR", "WRA", "PRE", "REF"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<TimingRule> timing_rules(const DramTiming& t) {
  using enum CommandKind;
  using enum TimingRule::From;
  constexpr bool bank = true, vault = false;
  return {
      {"tRCD", kActivate, kRead, bank, kCommand, t.t_rcd},
      {"tRCD", kActivate, kWrite, bank, kCommand, t.t_rcd},
      {"tRAS", kActivate, kPrecharge, bank, kCommand, t.t_ras},
      {"tRC", kActivate, kActivate, bank, kCommand, t.t_rc()},
      {"tRP", kPrecharge, kActivate, bank, kCommand, t.t_rp},
      {"tRP", kPrecharge, kRefresh, vault, kCommand, t.t_rp},
      {"tRRD", kActivate, kActivate, vault, kCommand, t.t_rrd},
      {"tCCD", kRead, kRead, vault, kCommand, t.t_ccd},
      {"tCCD", kRead, kWrite, vault, kCommand, t.t_ccd},
      {"tCCD", kWrite, kWrite, vault, kCommand, t.t_ccd},
      {"tWTR", kWrite, kRead, vault, kData, t.t_wtr},
      {"tWR", kWrite, kPrecharge, bank, kData, t.t_wr},
      {"tRTP", kRead, kPrecharge, bank, kBurst, t.t_rtp},
      {"tRFC", kRefresh, kActivate, vault, kCommand, t.t_rfc},
      {"tRFC", kRefresh, kRefresh, vault, kCommand, t.t_rfc},
  };
}

VaultTiming::VaultTiming(const CubeConfig& config) : timing_(config.timing), banks_(config.banks) {
  for (const TimingRule& rule : timing_rules(timing_)) {
    effects_[index(rule.first)].push_back({.second = static_cast<std::uint8_t>(index(rule.second)),
                                           .same_bank = rule.same_bank,
                                           .from = rule.from,
                                           .clk = rule.clk});
  }
}

void VaultTiming::apply(std::size_t first, std::uint32_t bank, const std::array<std::uint64_t, 3>& from) {
  for (const Effect& effect : effects_[first]) {
    std::uint64_t& at = effect.same_bank ? banks_[bank][effect.second] : vault_[effect.second];
    at = std::max(at, from[static_cast<std::size_t>(effect.from)] + effect.clk);
  }
}

void VaultTiming::issue(CommandKind kind, std::uint32_t bank, std::uint64_t clk, std::uint32_t burst_clk) {
  const std::size_t i = index(kind);
  const std::uint64_t data_end = clk + (i == 1 ? timing_.cl : timing_.cwl) + burst_clk;
  command_free_ = clk + 1;
  apply(i, bank, {clk, clk + burst_clk, data_end});
  if (kind == CommandKind::kActivate) {
    activates_[oldest_] = clk + 1;
    oldest_ = (oldest_ + 1) % 4;
    window_open_ = activates_[oldest_] == 0 ? 0 : activates_[oldest_] - 1 + timing_.t_faw;
  }
  if (i != 1 && i != 2) return;
  // The data bus: no two bursts at once, whichever way they go.
  vault_[1] = std::max(vault_[1], data_end > timing_.cl ? data_end - timing_.cl : 0);
  vault_[2] = std::max(vault_[2], data_end > timing_.cwl ? data_end - timing_.cwl : 0);
  if (kind == CommandKind::kReadAp || kind == CommandKind::kWriteAp) {
    // The precharge comes by itself as soon as it may, and takes no place on the command bus.
    const std::uint64_t closes = banks_[bank][3];
    apply(3, bank, {closes, closes, closes});
  }
}

}  // namespace nearcube::hmc
