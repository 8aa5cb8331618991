// SPDX-License-Identifier: Apache-2.0
// The checker, which keeps for each rule when it next lets a command come, against definitions that look
// through all of a vault's history for each command; over random streams of commands, many of them a little
// too early.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/dram_check/rule_checker.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using dram_check::DramRules;
using dram_check::RuleChecker;
using hmc::CommandKind;
using hmc::DramCommand;

namespace {

using Names = std::set<std::string>;
using Stream = std::vector<DramCommand>;

bool reads(const DramCommand& c) { return c.kind == CommandKind::kRead || c.kind == CommandKind::kReadAp; }
bool writes(const DramCommand& c) { return c.kind == CommandKind::kWrite || c.kind == CommandKind::kWriteAp; }
bool closes_itself(const DramCommand& c) {
  return c.kind == CommandKind::kReadAp || c.kind == CommandKind::kWriteAp;
}

/// A vault's history, and what a further command would violate in it. Times are signed clk.
class History {
 public:
  explicit History(const DramRules& rules) : r_(rules) {}

  Names violations(const DramCommand& c) const {
    const std::int64_t now = static_cast<std::int64_t>(c.clk);
    const bool column = reads(c) || writes(c);
    Names names;
    const auto require = [&](const char* rule, std::int64_t from) {
      if (now < from) names.insert(rule);
    };
    for (const DramCommand& e : all_) {
      const std::int64_t then = static_cast<std::int64_t>(e.clk);
      require("command bus", then + 1);
      if (e.kind == CommandKind::kRefresh) require("tRFC", then + r_.t_rfc);
      if (e.kind == CommandKind::kActivate && c.kind == CommandKind::kActivate) {
        require("tRRD", then + r_.t_rrd);
        if (e.bank == c.bank) require("tRC", then + r_.t_rc);
      }
      if (e.kind == CommandKind::kActivate && e.bank == c.bank && column) require("tRCD", then + r_.t_rcd);
      if (column && (reads(e) || writes(e))) {
        require("tCCD", then + r_.t_ccd);
        const std::int64_t begin = data(c), end = begin + burst(c);
        if (begin < data(e) + burst(e) && data(e) < end) names.insert("data bus");
      }
      if (writes(e) && reads(c)) require("tWTR", data(e) + burst(e) + r_.t_wtr);
    }
    if (c.kind == CommandKind::kActivate) {
      Stream activates;
      std::copy_if(all_.begin(), all_.end(), std::back_inserter(activates),
                   [](const DramCommand& e) { return e.kind == CommandKind::kActivate; });
      if (activates.size() >= 4) {
        require("tFAW", static_cast<std::int64_t>(activates[activates.size() - 4].clk) + r_.t_faw);
      }
    }
    for (std::uint32_t bank = 0; bank < r_.banks; ++bank) {
      if (c.kind == CommandKind::kRefresh || c.bank == bank) bank_violations(c, bank, names);
    }
    return names;
  }

  void add(const DramCommand& c) { all_.push_back(c); }

 private:
  std::int64_t burst(const DramCommand& c) const { return r_.burst(c.bytes); }
  std::int64_t data(const DramCommand& c) const {
    return static_cast<std::int64_t>(c.clk) + (reads(c) ? r_.cl : r_.cwl);
  }

  void bank_violations(const DramCommand& c, std::uint32_t bank, Names& names) const {
    const std::int64_t now = static_cast<std::int64_t>(c.clk);
    std::int64_t ras = 0, rtp = 0, wr = 0,
                 pre = 0;  // from when on each lets the row close, or the bank be used
    const DramCommand* last = nullptr;
    for (const DramCommand& e : all_) {
      if (e.bank != bank || e.kind == CommandKind::kRefresh) continue;
      const std::int64_t then = static_cast<std::int64_t>(e.clk);
      if (e.kind == CommandKind::kActivate) ras = std::max(ras, then + r_.t_ras);
      if (reads(e)) rtp = std::max(rtp, then + burst(e) + r_.t_rtp);
      if (writes(e)) wr = std::max(wr, data(e) + burst(e) + r_.t_wr);
      if (e.kind == CommandKind::kPrecharge) pre = std::max(pre, then + r_.t_rp);
      if (e.kind == CommandKind::kActivate || e.kind == CommandKind::kPrecharge || closes_itself(e))
        last = &e;
    }
    const bool open = last != nullptr && last->kind == CommandKind::kActivate;
    const bool by_itself = last != nullptr && closes_itself(*last);
    const std::int64_t closes = std::max({ras, rtp, wr});
    switch (c.kind) {
      case CommandKind::kActivate:
        if (open) names.insert("open bank");
        if (now < pre) names.insert("tRP");
        if (by_itself && now < rtp + r_.t_rp && rtp != 0) names.insert("tRTP + tRP");
        if (by_itself && now < wr + r_.t_rp && wr != 0) names.insert("tWR + tRP");
        break;
      case CommandKind::kRefresh:
        if (open) names.insert("refresh with open bank");
        if (now < pre) names.insert("tRP");
        if (by_itself && now < ras + r_.t_rp && ras != 0) names.insert("tRAS + tRP");
        if (by_itself && now < rtp + r_.t_rp && rtp != 0) names.insert("tRTP + tRP");
        if (by_itself && now < wr + r_.t_rp && wr != 0) names.insert("tWR + tRP");
        break;
      case CommandKind::kPrecharge:
        if (by_itself) {
          if (now < closes) names.insert("auto-precharge");
          break;
        }
        if (now < ras) names.insert("tRAS");
        if (now < rtp) names.insert("tRTP");
        if (now < wr) names.insert("tWR");
        break;
      default:
        if (by_itself && now < closes) {
          names.insert("auto-precharge");
        } else if (!open) {
          names.insert("closed row");
        } else if (last->row != c.row) {
          names.insert("wrong row");
        }
    }
  }

  DramRules r_;
  Stream all_;
};

Names found(RuleChecker& checker, const DramCommand& command) {
  const auto before = checker.violations_by_rule();
  checker.command(command);
  Names names;
  for (const auto& [rule, count] : checker.violations_by_rule()) {
    const auto was = before.find(rule);
    if (was == before.end() || was->second != count) names.insert(rule);
  }
  return names;
}

/// Index of the first command that the two judge differently; the length of the stream if there is none.
std::size_t first_difference(const DramRules& rules, const Stream& stream, Names* by_checker = nullptr,
                             Names* by_history = nullptr) {
  RuleChecker checker(rules);
  std::vector<History> vaults(rules.vaults, History(rules));
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const Names expected = vaults[stream[i].vault].violations(stream[i]);
    const Names got = found(checker, stream[i]);
    vaults[stream[i].vault].add(stream[i]);
    if (got != expected) {
      if (by_checker != nullptr) *by_checker = got;
      if (by_history != nullptr) *by_history = expected;
      return i;
    }
  }
  return stream.size();
}

DramRules random_rules(test::Random& random) {
  const auto in = [&random](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(low + random() % (high - low + 1));
  };
  DramRules r;
  r.vaults = 2;
  r.banks = in(1, 6);
  r.rows = 2;
  r.row_bytes = 256;
  r.bus_bytes_per_clk = 8;
  r.cl = in(3, 20);
  r.cwl = in(3, 20);
  r.t_rcd = in(1, 20);
  r.t_ras = in(1, 40);
  r.t_rp = in(1, 20);
  r.t_rc = r.t_ras + r.t_rp + in(0, 3);
  r.t_ccd = in(1, 8);
  r.t_rrd = in(1, 8);
  r.t_faw = in(1, 40);
  r.t_wtr = in(0, 8);
  r.t_wr = in(0, 20);
  r.t_rtp = in(0, 12);
  r.t_rfc = in(1, 60);
  r.t_refi = 0;  // directed tests have it
  return r;
}

/// Commands that mostly suit the state of their bank, near the first clk at which `rules` let them.
Stream random_stream(test::Random& random, const DramRules& rules, std::size_t length) {
  Stream stream;
  std::vector<History> vaults(rules.vaults, History(rules));
  std::vector<std::vector<int>> open(rules.vaults, std::vector<int>(rules.banks, -1));
  std::uint64_t clk = 0;
  while (stream.size() < length) {
    DramCommand c{};
    c.vault = static_cast<std::uint32_t>(random() % rules.vaults);
    c.bank = static_cast<std::uint32_t>(random() % rules.banks);
    c.row = static_cast<std::uint32_t>(random() % rules.rows);
    c.bytes = 32u << (random() % 4);
    int& row = open[c.vault][c.bank];
    constexpr CommandKind kWithRow[] = {CommandKind::kRead, CommandKind::kWrite, CommandKind::kReadAp,
                                        CommandKind::kWriteAp, CommandKind::kPrecharge};
    const bool reckless = random() % 16 == 0;
    if (reckless) {
      c.kind = static_cast<CommandKind>(random() % 7);
    } else if (row >= 0) {
      c.kind = kWithRow[random() % 5];
      c.row = static_cast<std::uint32_t>(row);
    } else if (std::all_of(open[c.vault].begin(), open[c.vault].end(), [](int r) { return r < 0; }) &&
               random() % 8 == 0) {
      c.kind = CommandKind::kRefresh;
    } else {
      c.kind = CommandKind::kActivate;
    }
    c.clk = clk;
    for (int tries = 0; !reckless && tries < 200 && !vaults[c.vault].violations(c).empty(); ++tries) ++c.clk;
    if (random() % 4 == 0) c.clk -= std::min<std::uint64_t>(c.clk - clk, random() % 3);
    clk = c.clk;
    vaults[c.vault].add(c);
    stream.push_back(c);
    if (c.kind == CommandKind::kActivate) row = static_cast<int>(c.row);
    if (c.kind == CommandKind::kPrecharge || closes_itself(c)) row = -1;
  }
  return stream;
}

/// Without the commands that the difference does not need.
Stream shrink(const DramRules& rules, Stream stream) {
  for (std::size_t k = stream.size(); k-- > 0;) {
    Stream shorter;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      if (i != k) shorter.push_back(stream[i]);
    }
    if (first_difference(rules, shorter) < shorter.size()) stream = shorter;
  }
  return stream;
}

std::string text(const Stream& stream) {
  constexpr const char* kNames[] = {"ACT", "RD", "RDA", "WR", "WRA", "PRE", "REF"};
  std::string lines;
  for (const DramCommand& c : stream) {
    lines += fmt::format("\n  clk {} vault {} bank {} {} row {} bytes {}", c.clk, c.vault, c.bank,
                         kNames[static_cast<unsigned>(c.kind)], c.row, c.bytes);
  }
  return lines;
}

}  // namespace

TEST_CASE("random streams are judged as their whole history has it", "[dram_check]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  test::Random random(seed);
  Names seen;
  std::size_t legal = 0, total = 0;
  for (std::uint64_t i = 0; i < test::cases(300, 20000); ++i) {
    const DramRules rules = random_rules(random);
    Stream stream = random_stream(random, rules, 60);
    if (first_difference(rules, stream) < stream.size()) {
      stream = shrink(rules, stream);
      Names by_checker, by_history;
      first_difference(rules, stream, &by_checker, &by_history);
      CAPTURE(i, text(stream), by_checker, by_history);
      FAIL("judged differently");
    }
    RuleChecker checker(rules);
    for (const DramCommand& command : stream) {
      const Names names = found(checker, command);
      seen.insert(names.begin(), names.end());
      legal += names.empty() ? 1 : 0;
      ++total;
    }
  }
  // The streams are worth their while: every rule broken, and most commands legal.
  std::vector<std::string> names = RuleChecker::rule_names();
  Names all(names.begin(), names.end());
  all.erase("tREFI");
  all.erase("address");
  CHECK(seen == all);
  CHECK(2 * legal > total);
}
