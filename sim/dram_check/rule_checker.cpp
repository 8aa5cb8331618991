// SPDX-License-Identifier: Apache-2.0
#include "sim/dram_check/rule_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace nearcube::dram_check {
namespace {

using hmc::CommandKind;
using hmc::DramCommand;

constexpr unsigned bit(CommandKind kind) { return 1u << static_cast<unsigned>(kind); }
constexpr unsigned kAct = bit(CommandKind::kActivate);
constexpr unsigned kPre = bit(CommandKind::kPrecharge);
constexpr unsigned kRef = bit(CommandKind::kRefresh);
constexpr unsigned kRd = bit(CommandKind::kRead);
constexpr unsigned kRdA = bit(CommandKind::kReadAp);
constexpr unsigned kWr = bit(CommandKind::kWrite);
constexpr unsigned kWrA = bit(CommandKind::kWriteAp);
constexpr unsigned kReads = kRd | kRdA;
constexpr unsigned kWrites = kWr | kWrA;
constexpr unsigned kColumn = kReads | kWrites;
constexpr unsigned kAny = kAct | kPre | kRef | kColumn;

constexpr const char* kFourActivates = "tFAW";
constexpr const char* kDataBus = "data bus";
constexpr const char* kRefreshInterval = "tREFI";
constexpr const char* kAddress = "address";
constexpr const char* kClosedRow = "closed row";
constexpr const char* kWrongRow = "wrong row";
constexpr const char* kAutoPrecharge = "auto-precharge";
constexpr const char* kOpenBank = "open bank";
constexpr const char* kRefreshOpen = "refresh with open bank";

bool is(const DramCommand& command, unsigned kinds) { return (bit(command.kind) & kinds) != 0; }

std::int64_t distance(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
}

/// "RD bank 5 row 12 column 64, 64 B, at clk 1016"
std::string describe(const DramCommand& c) {
  switch (c.kind) {
    case CommandKind::kActivate:
      return fmt::format("ACT bank {} row {} at clk {}", c.bank, c.row, c.clk);
    case CommandKind::kPrecharge:
      return fmt::format("PRE bank {} at clk {}", c.bank, c.clk);
    case CommandKind::kRefresh:
      return fmt::format("REF at clk {}", c.clk);
    default:
      return fmt::format("{}{} bank {} row {} column {}, {} B, at clk {}", is(c, kReads) ? "RD" : "WR",
                         is(c, kRdA | kWrA) ? "A" : "", c.bank, c.row, c.column, c.bytes, c.clk);
  }
}

}  // namespace

/// Commands of the kinds `from` keep those of the kinds `to` away for some clk.
struct RuleChecker::Distance {
  const char* rule;
  unsigned from, to;
  Where where;
  std::uint32_t (*clk)(const DramRules&, std::uint32_t bytes);
};

// A bank may close tRAS, tRTP and tWR after its commands and takes tRP for it. Closed by a precharge, that is
// two distances; closed by itself, one of their sums. (After an activate, tRC stands for tRAS + tRP.)
const std::array<RuleChecker::Distance, RuleChecker::kDistances> RuleChecker::kTable = {{
    {"tRCD", kAct, kColumn, Where::kBank, [](const DramRules& r, std::uint32_t) { return r.t_rcd; }},
    {"tRAS", kAct, kPre, Where::kBank, [](const DramRules& r, std::uint32_t) { return r.t_ras; }},
    {"tRTP", kReads, kPre, Where::kBank,
     [](const DramRules& r, std::uint32_t bytes) { return r.burst(bytes) + r.t_rtp; }},
    {"tWR", kWrites, kPre, Where::kBank,
     [](const DramRules& r, std::uint32_t bytes) { return r.cwl + r.burst(bytes) + r.t_wr; }},
    {"tRP", kPre, kAct | kRef, Where::kBank, [](const DramRules& r, std::uint32_t) { return r.t_rp; }},
    {"tRC", kAct, kAct, Where::kBank, [](const DramRules& r, std::uint32_t) { return r.t_rc; }},
    {"tRAS + tRP", kAct, kRef, Where::kClosedBank,
     [](const DramRules& r, std::uint32_t) { return r.t_ras + r.t_rp; }},
    {"tRTP + tRP", kReads, kAct | kRef, Where::kClosedBank,
     [](const DramRules& r, std::uint32_t bytes) { return r.burst(bytes) + r.t_rtp + r.t_rp; }},
    {"tWR + tRP", kWrites, kAct | kRef, Where::kClosedBank,
     [](const DramRules& r, std::uint32_t bytes) { return r.cwl + r.burst(bytes) + r.t_wr + r.t_rp; }},
    {"tRRD", kAct, kAct, Where::kVault, [](const DramRules& r, std::uint32_t) { return r.t_rrd; }},
    {"tCCD", kColumn, kColumn, Where::kVault, [](const DramRules& r, std::uint32_t) { return r.t_ccd; }},
    {"tWTR", kWrites, kReads, Where::kVault,
     [](const DramRules& r, std::uint32_t bytes) { return r.cwl + r.burst(bytes) + r.t_wtr; }},
    {"tRFC", kRef, kAny, Where::kVault, [](const DramRules& r, std::uint32_t) { return r.t_rfc; }},
    {"command bus", kAny, kAny, Where::kVault, [](const DramRules&, std::uint32_t) { return 1u; }},
}};

std::vector<std::string> RuleChecker::rule_names() {
  std::vector<std::string> names;
  for (const Distance& distance : kTable) names.emplace_back(distance.rule);
  names.insert(names.end(), {kFourActivates, kDataBus, kRefreshInterval, kAddress, kClosedRow, kWrongRow,
                             kAutoPrecharge, kOpenBank, kRefreshOpen});
  return names;
}

RuleChecker::RuleChecker(const DramRules& rules) : rules_(rules) {
  check(rules);
  Vault vault;
  vault.banks.resize(rules.banks);
  vaults_.assign(rules.vaults, vault);
}

void RuleChecker::command(const DramCommand& command) {
  ++commands_;
  if (!exists(command)) return;
  Vault& vault = vaults_[command.vault];
  check_distances(vault, command);
  check_state(vault, command);
  if (is(command, kAct)) check_four_activates(vault, command);
  if (is(command, kColumn)) check_data_bus(vault, command);
  check_refreshes(vault, command, is(command, kRef));
  remember(vault, command);
}

void RuleChecker::finish(std::uint64_t clk) {
  for (std::uint32_t v = 0; v < rules_.vaults; ++v) {
    DramCommand end{};
    end.clk = clk;
    end.vault = v;
    end.kind = CommandKind::kRefresh;
    check_refreshes(vaults_[v], end, false);
  }
}

bool RuleChecker::exists(const DramCommand& c) {
  const auto refuse = [this, &c](const std::string& what) {
    violation({kAddress, c, {}, 0, 0, fmt::format("vault {}: {}: {}", c.vault, describe(c), what)});
    return false;
  };
  if (c.vault >= rules_.vaults) return refuse(fmt::format("there are {} vaults", rules_.vaults));
  if (is(c, kRef)) return true;
  if (c.bank >= rules_.banks) return refuse(fmt::format("a vault has {} banks", rules_.banks));
  if (is(c, kPre)) return true;
  if (c.row >= rules_.rows) return refuse(fmt::format("a bank has {} rows", rules_.rows));
  if (is(c, kColumn) &&
      (c.bytes == 0 || c.bytes > rules_.row_bytes || c.column > rules_.row_bytes - c.bytes)) {
    return refuse(fmt::format("a row has {} B", rules_.row_bytes));
  }
  return true;
}

void RuleChecker::check_distances(const Vault& vault, const DramCommand& command) {
  for (std::size_t i = 0; i < kDistances; ++i) {
    const Distance& rule = kTable[i];
    if (!is(command, rule.to)) continue;
    const auto check = [&](const Earliest& earliest) {
      if (command.clk >= earliest.clk) return;
      const std::int64_t required = distance(earliest.cause.clk, earliest.clk);
      wrong_distance(rule.rule, earliest.cause, command, required, fmt::format("{} clk", required));
    };
    const auto check_bank = [&](const Bank& bank) {
      // A precharge on top of an auto-precharge has a rule of its own.
      const bool closing = bank.row == Row::kClosing;
      if (closing ? !is(command, kPre) : rule.where != Where::kClosedBank) check(bank.earliest[i]);
    };
    if (rule.where == Where::kVault) {
      check(vault.earliest[i]);
    } else if (is(command, kRef)) {
      std::for_each(vault.banks.begin(), vault.banks.end(), check_bank);
    } else {
      check_bank(vault.banks[command.bank]);
    }
  }
}

void RuleChecker::check_state(const Vault& vault, const DramCommand& command) {
  const auto wrong = [this, &command](const char* rule, const Bank& bank, const std::string& what) {
    const std::string since = bank.last ? " since " + describe(*bank.last) : "";
    violation(
        {rule, command, bank.last, 0, 0,
         fmt::format("vault {}: {}: {} finds {}{}", command.vault, rule, describe(command), what, since)});
  };
  if (is(command, kRef)) {
    for (std::size_t b = 0; b < vault.banks.size(); ++b) {
      const Bank& bank = vault.banks[b];
      if (bank.row == Row::kOpen) wrong(kRefreshOpen, bank, fmt::format("bank {} open", b));
    }
    return;
  }
  const Bank& bank = vault.banks[command.bank];
  // An auto-precharge waits for whatever a precharge would have to wait for.
  std::uint64_t closes = 0;
  for (std::size_t i = 0; i < kDistances; ++i) {
    if (kTable[i].to == kPre) closes = std::max(closes, bank.earliest[i].clk);
  }
  const bool closing = bank.row == Row::kClosing && command.clk < closes;
  if (is(command, kAct)) {
    if (bank.row == Row::kOpen) wrong(kOpenBank, bank, "the bank open");
  } else if (closing) {
    wrong(kAutoPrecharge, bank, fmt::format("the bank closing its row from clk {} on", closes));
  } else if (is(command, kColumn)) {
    if (bank.row != Row::kOpen) {
      wrong(kClosedRow, bank, "the bank closed");
    } else if (bank.last->row != command.row) {
      wrong(kWrongRow, bank, fmt::format("row {} open", bank.last->row));
    }
  }
}

void RuleChecker::check_four_activates(Vault& vault, const DramCommand& command) {
  DramCommand& fourth = vault.activates[vault.activate_count % vault.activates.size()];
  if (vault.activate_count >= vault.activates.size() && command.clk < fourth.clk + rules_.t_faw) {
    wrong_distance(kFourActivates, fourth, command, rules_.t_faw,
                   fmt::format("{} clk between an activate and the fourth after it", rules_.t_faw));
  }
  fourth = command;
  ++vault.activate_count;
}

void RuleChecker::check_data_bus(Vault& vault, const DramCommand& command) {
  const auto latency = [this](const DramCommand& c) { return is(c, kReads) ? rules_.cl : rules_.cwl; };
  const std::uint64_t start = command.clk + latency(command);
  const std::uint64_t end = start + rules_.burst(command.bytes);
  // No later command's data comes before this.
  const std::uint64_t horizon = command.clk + std::min(rules_.cl, rules_.cwl);
  std::erase_if(vault.transfers, [horizon](const Transfer& t) { return t.end <= horizon; });
  for (const Transfer& t : vault.transfers) {
    if (start >= t.end || end <= t.start) continue;
    const std::int64_t required = distance(t.command.clk + latency(command), t.end);
    wrong_distance(kDataBus, t.command, command, required,
                   fmt::format("{} clk, as their data is on the bus in clk {} to {} and {} to {}", required,
                               t.start, t.end - 1, start, end - 1));
  }
  vault.transfers.push_back({start, end, command});
}

void RuleChecker::check_refreshes(Vault& vault, const DramCommand& command, bool is_refresh) {
  if (rules_.t_refi == 0) return;
  const std::uint64_t interval = rules_.t_refi;
  const std::uint64_t movable = rules_.movable_refreshes * interval;
  const std::uint64_t due = (vault.refreshes + 1) * interval;
  const std::uint64_t latest = std::min(due, vault.refreshed + interval) + movable;
  const std::uint64_t first = due - std::min(due, movable);
  const auto wrong = [&](std::uint64_t bound, const char* limit) {
    const std::int64_t required = distance(vault.refreshed, bound);
    const std::string since = vault.last_refresh ? describe(*vault.last_refresh) : "reset";
    violation(
        {kRefreshInterval, command, vault.last_refresh, required, distance(vault.refreshed, command.clk),
         fmt::format("vault {}: tREFI: a refresh is due every {} clk and may move by {}; after {} of them "
                     "and {} clk since {} there must be {} {} clk, at clk {}",
                     command.vault, interval, movable, vault.refreshes,
                     distance(vault.refreshed, command.clk), since, limit, required, bound)});
  };
  if (command.clk > latest) {
    wrong(latest, is_refresh ? "this one within" : "another one within");
    // However many are missing, they are one violation: go on as if all had come.
    vault.refreshes = std::max(vault.refreshes, (command.clk - movable - 1) / interval);
    vault.refreshed = command.clk;
  }
  if (!is_refresh) return;
  if (command.clk < first) wrong(first, "no other within");
  ++vault.refreshes;
  vault.refreshed = command.clk;
  vault.last_refresh = command;
}

void RuleChecker::remember(Vault& vault, const DramCommand& command) {
  Bank& bank = vault.banks[is(command, kRef) ? 0 : command.bank];
  for (std::size_t i = 0; i < kDistances; ++i) {
    const Distance& rule = kTable[i];
    if (!is(command, rule.from)) continue;
    Earliest& earliest = rule.where == Where::kVault ? vault.earliest[i] : bank.earliest[i];
    const std::uint64_t clk = command.clk + rule.clk(rules_, command.bytes);
    if (clk > earliest.clk) earliest = {clk, command};
  }
  if (is(command, kAct)) bank.row = Row::kOpen;
  if (is(command, kPre)) bank.row = Row::kClosed;
  if (is(command, kRdA | kWrA)) bank.row = Row::kClosing;
  if (is(command, kAct | kRdA | kWrA | kPre)) bank.last = command;
}

void RuleChecker::wrong_distance(const char* rule, const DramCommand& earlier, const DramCommand& command,
                                 std::int64_t required, const std::string& requirement) {
  const std::int64_t actual = distance(earlier.clk, command.clk);
  violation({rule, command, earlier, required, actual,
             fmt::format("vault {}: {}: {} comes {} clk after {}; the rule asks for {}", command.vault, rule,
                         describe(command), actual, describe(earlier), requirement)});
}

void RuleChecker::violation(Violation violation) {
  ++count_;
  ++by_rule_[violation.rule];
  if (first_.size() < kKept) first_.push_back(std::move(violation));
}

std::string RuleChecker::report() const {
  std::string text = fmt::format("{} DRAM commands checked: ", base::with_separators(commands_));
  if (count_ == 0) return text + "no violations";
  text += fmt::format("{} violations", base::with_separators(count_));
  const char* separator = " (";
  for (const auto& [rule, times] : by_rule_) {
    text += fmt::format("{}{}: {}", separator, rule, base::with_separators(times));
    separator = ", ";
  }
  text += ")";
  for (const Violation& violation : first_) text += "\n  " + violation.message;
  if (count_ > first_.size()) text += fmt::format("\n  and {} more", count_ - first_.size());
  return text;
}

}  // namespace nearcube::dram_check
