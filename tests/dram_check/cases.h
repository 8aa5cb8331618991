// SPDX-License-Identifier: Apache-2.0
// For every distance of the DRAM rules the shortest legal sequences, written down clk by clk.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/dram_check/dram_rules.h"
#include "sim/hmc/cube.h"

namespace nearcube::test {

using dram_check::DramRules;
using hmc::CommandKind;
using hmc::DramCommand;

// No two sums of these that a test relies on are equal, so that each rule shows alone.
inline DramRules rules() {
  DramRules r;
  r.vaults = 4;
  r.banks = 8;
  r.rows = 1000;
  r.row_bytes = 256;
  r.smallest_bytes = 32;
  r.bus_bytes_per_clk = 8;
  r.cl = 20;
  r.cwl = 15;
  r.t_rcd = 17;
  r.t_ras = 40;
  r.t_rp = 13;
  r.t_rc = 53;
  r.t_ccd = 6;
  r.t_rrd = 5;
  r.t_faw = 31;
  r.t_wtr = 4;
  r.t_wr = 19;
  r.t_rtp = 9;
  r.t_rfc = 400;
  r.t_refi = 5000;
  return r;
}

inline constexpr std::uint32_t kVault = 2;
inline constexpr std::uint32_t kRow = 7;

inline DramCommand make(CommandKind kind, std::uint64_t clk, std::uint32_t bank, std::uint32_t row,
                        std::uint32_t bytes) {
  DramCommand c{};
  c.kind = kind;
  c.clk = clk;
  c.vault = kVault;
  c.bank = bank;
  c.row = row;
  c.bytes = bytes;
  return c;
}
inline DramCommand act(std::uint64_t clk, std::uint32_t bank) {
  return make(CommandKind::kActivate, clk, bank, kRow, 0);
}
inline DramCommand pre(std::uint64_t clk, std::uint32_t bank) {
  return make(CommandKind::kPrecharge, clk, bank, 0, 0);
}
inline DramCommand ref(std::uint64_t clk) { return make(CommandKind::kRefresh, clk, 0, 0, 0); }
inline DramCommand rd(std::uint64_t clk, std::uint32_t bank, std::uint32_t bytes = 64) {
  return make(CommandKind::kRead, clk, bank, kRow, bytes);
}
inline DramCommand rda(std::uint64_t clk, std::uint32_t bank, std::uint32_t bytes = 64) {
  return make(CommandKind::kReadAp, clk, bank, kRow, bytes);
}
inline DramCommand wr(std::uint64_t clk, std::uint32_t bank, std::uint32_t bytes = 64) {
  return make(CommandKind::kWrite, clk, bank, kRow, bytes);
}
inline DramCommand wra(std::uint64_t clk, std::uint32_t bank, std::uint32_t bytes = 64) {
  return make(CommandKind::kWriteAp, clk, bank, kRow, bytes);
}

using Sequence = std::vector<DramCommand>;

// The last command of `sequence` is at the distance that `rule` asks for from command `from`.
struct Case {
  const char* rule;
  const char* what;
  std::size_t from;
  Sequence sequence;
};

// A burst of 32 B takes 4 clk, of 64 B 8, of 256 B 32.
inline std::vector<Case> distance_cases() {
  return {
      {"tRCD", "read", 0, {act(100, 1), rd(117, 1)}},
      {"tRCD", "read with auto-precharge", 0, {act(100, 1), rda(117, 1)}},
      {"tRCD", "write", 0, {act(100, 1), wr(117, 1)}},
      {"tRCD", "write with auto-precharge", 0, {act(100, 1), wra(117, 1)}},
      {"tRAS", "precharge of a row without accesses", 0, {act(100, 1), pre(140, 1)}},
      {"tRTP", "read of 64 B", 1, {act(100, 1), rd(130, 1), pre(147, 1)}},
      {"tRTP", "read of 8 B, which moves 32", 1, {act(100, 1), rd(130, 1, 8), pre(143, 1)}},
      {"tRTP", "read of 256 B", 1, {act(100, 1), rd(117, 1, 256), pre(158, 1)}},
      {"tRTP", "the later of two reads", 2, {act(100, 1), rd(117, 1), rd(125, 1), pre(142, 1)}},
      {"tWR", "write of 64 B", 1, {act(100, 1), wr(117, 1), pre(159, 1)}},
      {"tWR", "write of 32 B", 1, {act(100, 1), wr(117, 1, 32), pre(155, 1)}},
      {"tRP", "activate", 1, {act(100, 1), pre(150, 1), act(163, 1)}},
      {"tRP", "refresh", 1, {act(100, 1), pre(140, 1), ref(153)}},
      {"tRP",
       "a precharge of a closed bank starts it again",
       2,
       {act(100, 1), pre(140, 1), pre(170, 1), act(183, 1)}},
      {"tRC", "activate after auto-precharge", 0, {act(100, 1), rda(117, 1, 32), act(153, 1)}},
      {"tRAS + tRP", "refresh after auto-precharge", 0, {act(100, 1), rda(117, 1, 32), ref(153)}},
      {"tRTP + tRP", "activate", 1, {act(100, 1), rda(135, 1), act(165, 1)}},
      {"tRTP + tRP", "refresh, 256 B", 1, {act(100, 1), rda(117, 1, 256), ref(171)}},
      {"tRTP + tRP", "refresh, in a bank that is not the first", 1, {act(100, 6), rda(135, 6), ref(165)}},
      {"tWR + tRP", "activate", 1, {act(100, 1), wra(117, 1), act(172, 1)}},
      {"tWR + tRP", "refresh, 32 B", 1, {act(100, 1), wra(117, 1, 32), ref(168)}},
      {"tWR + tRP",
       "a write before the read that closes the row",
       1,
       {act(100, 1), wr(117, 1, 256), rda(168, 1, 32), act(196, 1)}},
      {"tRRD", "activates of two banks", 0, {act(100, 1), act(105, 6)}},
      {"tFAW", "fifth activate", 0, {act(100, 0), act(107, 1), act(114, 2), act(121, 3), act(131, 4)}},
      {"tFAW",
       "sixth activate",
       1,
       {act(100, 0), act(110, 1), act(117, 2), act(124, 3), act(132, 4), act(141, 5)}},
      {"tCCD", "reads of one bank", 1, {act(100, 1), rd(117, 1, 32), rd(123, 1, 32)}},
      {"tCCD", "writes of two banks", 2, {act(100, 1), act(105, 2), wr(125, 1, 32), wr(131, 2, 32)}},
      {"tWTR", "64 B, same bank", 1, {act(100, 1), wr(117, 1), rd(144, 1)}},
      {"tWTR", "256 B, another bank", 2, {act(100, 1), act(105, 2), wr(125, 1, 256), rda(176, 2)}},
      {"data bus", "read after read", 1, {act(100, 1), rd(117, 1, 256), rd(149, 1)}},
      {"data bus", "read of another bank", 2, {act(100, 1), act(105, 2), rda(125, 1), rd(133, 2)}},
      {"data bus", "write after write", 1, {act(100, 1), wr(117, 1, 128), wr(133, 1)}},
      {"data bus", "write after read", 1, {act(100, 1), rd(117, 1), wr(130, 1)}},
      {"data bus", "a burst that is no whole number of clk", 1, {act(100, 1), rd(117, 1, 65), rd(126, 1)}},
      {"tRFC", "activate", 0, {ref(100), act(500, 1)}},
      {"tRFC", "refresh", 0, {ref(100), ref(500)}},
      {"tRFC", "precharge", 0, {ref(100), pre(500, 1)}},
      {"command bus", "precharges of two banks", 0, {pre(100, 1), pre(101, 2)}},
      {"command bus", "read and activate of another bank", 1, {act(100, 1), rd(117, 1), act(118, 2)}},
  };
}

}  // namespace nearcube::test
