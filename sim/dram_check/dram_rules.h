// SPDX-License-Identifier: Apache-2.0
// What a vault's DRAM asks of the commands it is given.
#pragma once

#include <cstdint>

#include "sim/hmc/cube_config.h"

namespace nearcube::dram_check {

/// Geometry and distances of one kind of vault, for RuleChecker. Distances are in clk, cycles of the DRAM's
/// clock. Names and meanings are those of JEDEC (JESD79-4 DDR4, section 4 and tables of section 13; the
/// Hybrid Memory Cube's own specification leaves the inside of a vault to the maker) with one difference that
/// a vault's bursts of 32 to 256 bytes make: what JEDEC counts from a command whose burst has one length
/// counts from the end of the burst here.
struct DramRules {
  std::uint32_t vaults = 0;
  std::uint32_t banks = 0;           ///< of a vault
  std::uint32_t rows = 0;            ///< of a bank
  std::uint32_t row_bytes = 0;       ///< columns are counted in bytes, 0 to row_bytes - 1
  std::uint32_t smallest_bytes = 1;  ///< what a read or write of less moves
  double bus_bytes_per_clk = 0;      ///< of a vault's data bus, on both edges of the clock

  std::uint32_t cl = 0;     ///< from a read to its first data
  std::uint32_t cwl = 0;    ///< from a write to its first data
  std::uint32_t t_rcd = 0;  ///< activate to read or write of the bank
  std::uint32_t t_ras = 0;  ///< activate to precharge of the bank
  std::uint32_t t_rp = 0;   ///< precharge to activate of the bank, and to refresh
  std::uint32_t t_rc = 0;   ///< activate to activate of the bank; at least t_ras + t_rp
  std::uint32_t t_ccd = 0;  ///< read or write to the next in the vault
  std::uint32_t t_rrd = 0;  ///< activate to activate of another bank in the vault
  std::uint32_t t_faw = 0;  ///< activate to the fourth one after it in the vault
  std::uint32_t t_wtr = 0;  ///< last data of a write to a read in the vault
  std::uint32_t t_wr = 0;   ///< last data of a write to precharge of the bank
  std::uint32_t t_rtp = 0;  ///< read and the length of its burst to precharge of the bank
  std::uint32_t t_rfc = 0;  ///< refresh to any command in the vault

  /// A vault has one refresh due every so many clk; 0: it needs none.
  std::uint32_t t_refi = 0;
  /// So many may be late, or as many early (JESD79-4 4.26: 8).
  std::uint32_t movable_refreshes = 8;

  /// Clk for which the data of a read or write of `bytes` occupies the vault's bus: whole ones.
  std::uint32_t burst(std::uint32_t bytes) const;
};

/// Throws Error (kBadInput) naming the value if the geometry has a zero, or t_rc is below t_ras + t_rp.
void check(const DramRules& rules);

/// The rules that a cube's vaults must obey, from its file's values alone.
DramRules rules_of(const hmc::CubeConfig& config);

}  // namespace nearcube::dram_check
