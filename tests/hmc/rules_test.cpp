// SPDX-License-Identifier: Apache-2.0
// The vaults' timing against the rules: each command no clk before its rule allows, and none after. The
// rules' sequences and the presets' values are written down here and in tests/dram_check/cases.h, and shared
// with nobody.
#include <fmt/format.h>

#include <algorithm>

#include "sim/hmc/cube.h"
#include "sim/hmc/cube_config.h"
#include "sim/hmc/vault_timing.h"
#include "tests/dram_check/cases.h"
#include "tests/support/catch.h"

using namespace nearcube;
using namespace nearcube::test;

namespace {

/// The preset hmc2-8gb with the timing that the sequences are made for.
hmc::CubeConfig config_with(const DramRules& r) {
  hmc::CubeConfig config = hmc::with_granule(hmc::read_cube_config("config/cube/hmc2-8gb.yaml"), 256);
  config.banks = r.banks;
  config.capacity_bytes = std::uint64_t{config.vaults} * config.banks * config.row_bytes * 1024;
  config.timing.cl = r.cl;
  config.timing.cwl = r.cwl;
  config.timing.t_rcd = r.t_rcd;
  config.timing.t_ras = r.t_ras;
  config.timing.t_rp = r.t_rp;
  config.timing.t_ccd = r.t_ccd;
  config.timing.t_rrd = r.t_rrd;
  config.timing.t_faw = r.t_faw;
  config.timing.t_wtr = r.t_wtr;
  config.timing.t_wr = r.t_wr;
  config.timing.t_rtp = r.t_rtp;
  config.timing.t_rfc = r.t_rfc;
  config.timing.t_refi = r.t_refi;
  return config;
}

class Recorder : public hmc::CommandObserver {
 public:
  void command(const DramCommand& command) override { commands.push_back(command); }
  std::vector<DramCommand> commands;
};

/// A request to vault 0.
struct Ask {
  std::uint64_t clk;
  bool write;
  std::uint32_t bank, row, column, bytes;
};

/// The commands of vault 0 for `asks`; the requests arrive some clk after the times they have.
Sequence commands_for(const std::vector<Ask>& asks) {
  const hmc::CubeConfig config = config_with(rules());
  hmc::Cube cube(config, 1);
  Recorder recorder;
  cube.add_observer(recorder);
  std::uint64_t clk = 0;
  for (const Ask& ask : asks) {
    for (; clk < ask.clk; ++clk) cube.advance(clk * config.timing.tck_ps);
    hmc::Request request;
    request.address = hmc::address_of(config, {0, ask.bank, ask.row, ask.column});
    request.bytes = ask.bytes;
    request.write = ask.write;
    request.time_ps = ask.clk * config.timing.tck_ps;
    cube.submit(request);
  }
  for (; !cube.idle(); ++clk) {
    cube.advance(clk * config.timing.tck_ps);
    REQUIRE(clk < 100000);
  }
  std::erase_if(recorder.commands, [](const DramCommand& c) { return c.vault != 0; });
  return recorder.commands;
}

enum class Kind { kAct, kRd, kWr, kRef };
bool is(const DramCommand& c, Kind kind) {
  switch (kind) {
    case Kind::kAct:
      return c.kind == CommandKind::kActivate;
    case Kind::kRd:
      return c.kind == CommandKind::kRead || c.kind == CommandKind::kReadAp;
    case Kind::kWr:
      return c.kind == CommandKind::kWrite || c.kind == CommandKind::kWriteAp;
    case Kind::kRef:
      return c.kind == CommandKind::kRefresh;
  }
  return false;
}
/// Clk of the n-th command of a kind, from 0.
std::uint64_t clk_of(const Sequence& commands, Kind kind, unsigned n) {
  for (const DramCommand& c : commands) {
    if (is(c, kind) && n-- == 0) return c.clk;
  }
  FAIL("there is no such command");
  return 0;
}

}  // namespace

TEST_CASE("the controller's timing: not ready a clk before a rule's distance, ready at it", "[hmc][rules]") {
  const hmc::CubeConfig config = config_with(rules());
  for (const Case& c : distance_cases()) {
    CAPTURE(c.rule, c.what);
    const bool useless =
        c.sequence.back().kind == CommandKind::kPrecharge && c.sequence[c.from].kind == CommandKind::kRefresh;
    if (useless) continue;  // a controller knows that the bank is closed
    hmc::VaultTiming timing(config);
    for (std::size_t i = 0; i + 1 < c.sequence.size(); ++i) {
      const DramCommand& command = c.sequence[i];
      CAPTURE(i);
      REQUIRE(timing.earliest(command.kind, command.bank) <= command.clk);
      timing.issue(command.kind, command.bank, command.clk, config.burst_clk(command.bytes));
    }
    const DramCommand& last = c.sequence.back();
    CHECK(timing.earliest(last.kind, last.bank) == last.clk);
  }
}

// Through the whole cube, where each rule is what holds the second command back.
TEST_CASE("the vault issues each command as soon as its rule allows", "[hmc][rules]") {
  struct Scenario {
    const char* rule;
    std::vector<Ask> asks;
    Kind first;
    unsigned first_number;
    Kind second;
    unsigned second_number;
    std::uint64_t clk;
  };
  std::vector<Ask> six_banks;
  for (std::uint32_t bank = 0; bank < 6; ++bank) six_banks.push_back({0, false, bank, 1, 0, 32});
  const std::vector<Scenario> scenarios = {
      {"tRCD, read", {{0, false, 1, 1, 0, 64}}, Kind::kAct, 0, Kind::kRd, 0, 17},
      {"tRCD, write", {{0, true, 1, 1, 0, 64}}, Kind::kAct, 0, Kind::kWr, 0, 17},
      {"tRRD", {{0, false, 1, 1, 0, 64}, {0, false, 2, 1, 0, 64}}, Kind::kAct, 0, Kind::kAct, 1, 5},
      {"tFAW, fifth", six_banks, Kind::kAct, 0, Kind::kAct, 4, 31},
      {"tFAW, sixth", six_banks, Kind::kAct, 1, Kind::kAct, 5, 31},
      {"tRC", {{0, false, 1, 1, 0, 32}, {0, false, 1, 2, 0, 32}}, Kind::kAct, 0, Kind::kAct, 1, 53},
      {"tRTP + tRP",
       {{0, false, 1, 1, 0, 256}, {0, false, 1, 2, 0, 32}},
       Kind::kRd,
       0,
       Kind::kAct,
       1,
       32 + 9 + 13},
      {"tWR + tRP",
       {{0, true, 1, 1, 0, 64}, {0, true, 1, 2, 0, 64}},
       Kind::kWr,
       0,
       Kind::kAct,
       1,
       15 + 8 + 19 + 13},
      {"tCCD", {{0, false, 1, 1, 0, 32}, {0, false, 1, 1, 64, 32}}, Kind::kRd, 0, Kind::kRd, 1, 6},
      {"data bus", {{0, false, 1, 1, 0, 128}, {0, false, 1, 1, 128, 64}}, Kind::kRd, 0, Kind::kRd, 1, 16},
      // The read comes when the write's command is out: clk 3 to the vault, 17 to the write.
      {"tWTR", {{0, true, 1, 1, 0, 64}, {21, false, 2, 1, 0, 64}}, Kind::kWr, 0, Kind::kRd, 0, 15 + 8 + 4},
      {"data bus, write after read",
       {{0, false, 1, 1, 0, 128}, {4, true, 2, 1, 0, 64}},
       Kind::kRd,
       0,
       Kind::kWr,
       0,
       20 + 16 - 15},
  };
  for (const Scenario& s : scenarios) {
    const Sequence commands = commands_for(s.asks);
    CAPTURE(s.rule);
    const std::uint64_t first = clk_of(commands, s.first, s.first_number);
    const std::uint64_t second = clk_of(commands, s.second, s.second_number);
    CAPTURE(first, second);
    CHECK(second - first == s.clk);
  }
}

TEST_CASE("the first activate after a refresh comes tRFC after it", "[hmc][rules]") {
  // One request every 50 clk: one of them waits for the end of the first refresh.
  std::vector<Ask> asks;
  for (std::uint64_t i = 0; i < 400; ++i)
    asks.push_back({50 * i, false, static_cast<std::uint32_t>(i % 8), 1, 0, 64});
  const Sequence commands = commands_for(asks);
  unsigned refreshes = 0;
  for (std::size_t i = 0; i + 1 < commands.size(); ++i) {
    if (!is(commands[i], Kind::kRef)) continue;
    ++refreshes;
    CHECK(is(commands[i + 1], Kind::kAct));
    CHECK(commands[i + 1].clk - commands[i].clk == 400);
  }
  CHECK(refreshes >= 3);
}

TEST_CASE("the presets' values are the published ones", "[hmc][rules]") {
  struct Preset {
    const char* file;
    std::uint32_t vaults, banks;
    std::uint64_t gib;
    std::uint32_t cl, cwl, rcd, rp, ras, ccd, rrd, faw, wtr, wr, rtp, rfc, refi;
  };
  // hmc*: the public configurations of DRAMsim3, in clk. smc: in ns, rounded up to clk of 0.8 ns; its tCCD,
  // tFAW, tWTR and CWL are assumed.
  const Preset presets[] = {
      {"hmc-2gb", 16, 8, 2, 17, 17, 17, 17, 34, 6, 4, 27, 3, 17, 8, 420, 9364},
      {"hmc-4gb", 16, 16, 4, 17, 17, 17, 17, 34, 6, 4, 27, 3, 17, 8, 420, 9364},
      {"hmc2-8gb", 32, 16, 8, 17, 17, 17, 17, 34, 6, 6, 27, 3, 19, 10, 420, 9364},
      {"smc", 32, 8, 1, 18, 18, 18, 18, 35, 6, 4, 27, 3, 19, 10, 106, 9765},
  };
  for (const Preset& p : presets) {
    const std::string name = p.file;
    CAPTURE(name);
    const DramRules r = dram_check::rules_of(hmc::read_cube_config("config/cube/" + name + ".yaml"));
    CHECK(r.vaults == p.vaults);
    CHECK(r.banks == p.banks);
    CHECK(std::uint64_t{r.vaults} * r.banks * r.rows * r.row_bytes == p.gib << 30);
    CHECK(r.row_bytes == 256);
    CHECK(r.bus_bytes_per_clk == 8);
    CHECK(r.cl == p.cl);
    CHECK(r.cwl == p.cwl);
    CHECK(r.t_rcd == p.rcd);
    CHECK(r.t_rp == p.rp);
    CHECK(r.t_ras == p.ras);
    CHECK(r.t_rc == p.ras + p.rp);
    CHECK(r.t_ccd == p.ccd);
    CHECK(r.t_rrd == p.rrd);
    CHECK(r.t_faw == p.faw);
    CHECK(r.t_wtr == p.wtr);
    CHECK(r.t_wr == p.wr);
    CHECK(r.t_rtp == p.rtp);
    CHECK(r.t_rfc == p.rfc);
    CHECK(r.t_refi == p.refi);
  }
}
