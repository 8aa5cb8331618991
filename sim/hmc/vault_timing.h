// SPDX-License-Identifier: Apache-2.0
// When a vault's DRAM may take which command: one table of rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/hmc/cube.h"

namespace nearcube::hmc {

/// A distance between two commands.
struct TimingRule {
  /// What it is counted from: the first command, that and its burst, or the end of its data.
  enum class From : std::uint8_t { kCommand, kBurst, kData };

  const char* name = "";
  CommandKind first, second;
  bool same_bank = false;  ///< else any two banks of the vault
  From from = From::kCommand;
  std::uint32_t clk = 0;  ///< that `second` comes later at least
};

/// The table. RDA and WRA are RD and WR here; the precharge that they end in is PRE. Two rules are no
/// distance between two commands, and VaultTiming's own: the window of four ACT, and the data bus.
std::vector<TimingRule> timing_rules(const DramTiming& timing);

/// Earliest clocks of commands in a vault, as the rules want it.
class VaultTiming {
 public:
  explicit VaultTiming(const CubeConfig& config);

  /// The first clock at which `kind` may be issued to `bank`, for a RD or WR of any size. It says nothing
  /// about rows: whether one is open is for the caller to know. REF is of all banks.
  std::uint64_t earliest(CommandKind kind, std::uint32_t bank) const {
    return std::max(earliest_in_vault(kind), earliest_in_bank(kind, bank));
  }
  /// Its two parts: what holds for all banks alike, and what for one.
  std::uint64_t earliest_in_vault(CommandKind kind) const {
    const std::uint64_t clk = std::max(vault_[index(kind)], command_free_);
    return kind == CommandKind::kActivate ? std::max(clk, window_open_) : clk;
  }
  std::uint64_t earliest_in_bank(CommandKind kind, std::uint32_t bank) const {
    return kind == CommandKind::kRefresh ? 0 : banks_[bank][index(kind)];
  }

  /// `kind` is issued at `clk`, not before earliest(); a read or write of `burst_clk` clocks of data.
  void issue(CommandKind kind, std::uint32_t bank, std::uint64_t clk, std::uint32_t burst_clk = 0);

 private:
  static constexpr std::size_t kKinds = 5;  // ACT, RD, WR, PRE, REF
  static std::size_t index(CommandKind kind) {
    constexpr std::array<std::size_t, 7> indices = {0, 1, 1, 2, 2, 3, 4};
    return indices[static_cast<std::size_t>(kind)];
  }
  using Clocks = std::array<std::uint64_t, kKinds>;
  struct Effect {
    std::uint8_t second;
    bool same_bank;
    TimingRule::From from;
    std::uint32_t clk;
  };

  void apply(std::size_t first, std::uint32_t bank, const std::array<std::uint64_t, 3>& from);

  DramTiming timing_;
  std::array<std::vector<Effect>, kKinds> effects_;
  Clocks vault_{};
  std::vector<Clocks> banks_;
  std::array<std::uint64_t, 4> activates_{};  // the clock after each of the last four, as a ring; 0: none
  unsigned oldest_ = 0;
  std::uint64_t window_open_ = 0;  // tFAW after the fourth last
  std::uint64_t command_free_ = 0;
};

}  // namespace nearcube::hmc
