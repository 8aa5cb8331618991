// SPDX-License-Identifier: Apache-2.0
#include "sim/dram_check/rule_checker.h"

#include <algorithm>
#include <set>

#include "sim/base/error.h"
#include "tests/dram_check/cases.h"
#include "tests/support/catch.h"

using namespace nearcube;
using namespace nearcube::test;
using dram_check::DramRules;
using dram_check::RuleChecker;
using dram_check::Violation;
using hmc::CommandKind;
using hmc::DramCommand;

namespace {

RuleChecker watch(const Sequence& sequence, const DramRules& r = rules()) {
  RuleChecker checker(r);
  for (const DramCommand& command : sequence) checker.command(command);
  CHECK(checker.commands() == sequence.size());
  return checker;
}

}  // namespace

TEST_CASE("a command at its distance is legal, and one clk earlier is reported with its rule",
          "[dram_check]") {
  for (const Case& c : distance_cases()) {
    CAPTURE(c.rule, c.what);
    const RuleChecker legal = watch(c.sequence);
    CAPTURE(legal.report());
    REQUIRE(legal.violations() == 0);

    Sequence early = c.sequence;
    --early.back().clk;
    const RuleChecker checker = watch(early);
    CAPTURE(checker.report());
    REQUIRE(checker.violations() == 1);
    REQUIRE(checker.violations_by_rule().count(c.rule) == 1);
    const Violation& violation = checker.first().front();
    CHECK(violation.rule == c.rule);
    REQUIRE(violation.earlier.has_value());
    CHECK(violation.earlier->clk == c.sequence[c.from].clk);
    CHECK(violation.earlier->kind == c.sequence[c.from].kind);
    CHECK(violation.earlier->bank == c.sequence[c.from].bank);
    CHECK(violation.command.clk == early.back().clk);
    CHECK(violation.required == static_cast<std::int64_t>(c.sequence.back().clk - c.sequence[c.from].clk));
    CHECK(violation.actual == violation.required - 1);
  }
}

TEST_CASE("rules hold within a vault, and not between two", "[dram_check]") {
  for (const Case& c : distance_cases()) {
    // The last command early, but everything before it in another vault; the row it needs long open.
    CAPTURE(c.rule, c.what);
    Sequence sequence = c.sequence;
    DramCommand last = sequence.back();
    sequence.pop_back();
    --last.clk;
    last.vault = 1;
    DramCommand open = act(1, last.bank);
    open.vault = 1;
    const bool needs_row = last.kind != CommandKind::kActivate && last.kind != CommandKind::kRefresh;
    if (needs_row) sequence.insert(sequence.begin(), open);
    sequence.push_back(last);
    const RuleChecker checker = watch(sequence);
    CAPTURE(checker.report());
    CHECK(checker.violations() == 0);
  }
}

TEST_CASE("every distance of the table has a case", "[dram_check]") {
  std::set<std::string> tested;
  for (const Case& c : distance_cases()) tested.insert(c.rule);
  for (const char* other : {"tREFI", "address", "closed row", "wrong row", "auto-precharge", "open bank",
                            "refresh with open bank"}) {
    tested.insert(other);  // below
  }
  const std::vector<std::string> names = RuleChecker::rule_names();
  CHECK(std::set<std::string>(names.begin(), names.end()) == tested);
}

TEST_CASE("a violation's message names vault, banks, commands, rule and distances", "[dram_check]") {
  CHECK(watch({act(100, 1), rd(116, 1)}).first().front().message ==
        "vault 2: tRCD: RD bank 1 row 7 column 0, 64 B, at clk 116 comes 16 clk after ACT bank 1 row 7 at "
        "clk 100; "
        "the rule asks for 17 clk");
  CHECK(watch({act(100, 1), act(105, 2), rda(125, 1), rd(132, 2)}).first().front().message ==
        "vault 2: data bus: RD bank 2 row 7 column 0, 64 B, at clk 132 comes 7 clk after RDA bank 1 row 7 "
        "column 0, "
        "64 B, at clk 125; the rule asks for 8 clk, as their data is on the bus in clk 145 to 152 and 152 to "
        "159");
  CHECK(watch({rd(116, 1)}).first().front().message ==
        "vault 2: closed row: RD bank 1 row 7 column 0, 64 B, at clk 116 finds the bank closed");
}

TEST_CASE("data may overtake on the bus if it does not collide", "[dram_check]") {
  // A read's data comes 20 clk after it, a write's 15: with 32 clk of latency there is room before it.
  DramRules r = rules();
  r.cl = 32;
  CHECK(watch({act(100, 1), act(105, 2), rd(125, 1), wr(131, 2, 64)}, r).violations() ==
        0);  // 157 and 146 to 153
  r.cl = 28;
  CHECK(watch({act(100, 1), act(105, 2), rd(125, 1), wr(131, 2, 64)}, r)
            .violations_by_rule()
            .count("data bus") == 1);
}

TEST_CASE("rows are open when they are used, and closed when they are opened", "[dram_check]") {
  const auto only = [](const Sequence& sequence, const char* rule) {
    const RuleChecker checker = watch(sequence);
    CAPTURE(checker.report(), rule);
    CHECK(checker.violations() == 1);
    CHECK(checker.violations_by_rule().count(rule) == 1);
  };
  only({rd(100, 1)}, "closed row");
  only({act(100, 1), wr(200, 2)}, "closed row");
  only({act(100, 1), pre(200, 1), rda(300, 1)}, "closed row");
  only({act(100, 1), rda(200, 1), wra(300, 1)}, "closed row");
  DramCommand other_row = rd(200, 1);
  other_row.row = kRow + 1;
  only({act(100, 1), other_row}, "wrong row");
  only({act(100, 1), act(200, 1)}, "open bank");
  only({act(100, 1), act(200, 2), pre(300, 2), ref(400)}, "refresh with open bank");
  CHECK(watch({act(100, 1), act(200, 2), pre(300, 1), pre(301, 2), ref(400)}).violations() == 0);
  // After what it complains about, it goes on with the row that was opened last.
  DramCommand reopened = act(200, 1);
  reopened.row = 8;
  DramCommand read = rd(300, 1);
  read.row = 8;
  only({act(100, 1), reopened, read}, "open bank");
}

TEST_CASE("a bank that an auto-precharge closes takes nothing before it is closed", "[dram_check]") {
  const auto after = [](DramCommand command, std::uint64_t clk, std::vector<DramCommand> before) {
    command.clk = clk;
    before.push_back(command);
    const RuleChecker checker = watch(before);
    CAPTURE(checker.report());
    CHECK(checker.violations() <= 1);
    return checker.violations() == 0 ? std::string("legal") : checker.first().front().rule;
  };
  // The row closes after tRAS at clk 140, after tRTP at 170 + 8 + 9 and after tWR at 170 + 15 + 8 + 19.
  CHECK(after(pre(0, 1), 139, {act(100, 1), rda(117, 1, 32)}) == "auto-precharge");
  CHECK(after(pre(0, 1), 140, {act(100, 1), rda(117, 1, 32)}) == "legal");
  CHECK(after(pre(0, 1), 186, {act(100, 1), rda(170, 1)}) == "auto-precharge");
  CHECK(after(pre(0, 1), 187, {act(100, 1), rda(170, 1)}) == "legal");
  CHECK(after(pre(0, 1), 211, {act(100, 1), wra(170, 1)}) == "auto-precharge");
  CHECK(after(pre(0, 1), 212, {act(100, 1), wra(170, 1)}) == "legal");
  CHECK(after(rd(0, 1), 186, {act(100, 1), rda(170, 1)}) == "auto-precharge");
  CHECK(after(rd(0, 1), 187, {act(100, 1), rda(170, 1)}) == "closed row");
  CHECK(after(wr(0, 1), 211, {act(100, 1), wra(170, 1)}) == "auto-precharge");
  // A write's tWR counts, though a read with auto-precharge came after it.
  CHECK(after(pre(0, 1), 100 + 17 + 15 + 4 + 19, {act(100, 1), wr(117, 1, 32), rda(140, 1, 32)}) == "legal");
  CHECK(after(pre(0, 1), 100 + 17 + 15 + 32 + 19 - 1, {act(100, 1), wr(117, 1, 256), rda(168, 1, 32)}) ==
        "auto-precharge");
}

TEST_CASE("commands name banks, rows and columns that exist", "[dram_check]") {
  const auto refused = [](DramCommand command) {
    const RuleChecker checker = watch({command});
    return checker.violations() == 1 && checker.first().front().rule == "address";
  };
  CHECK(refused(act(100, 8)));
  CHECK(refused(pre(100, 8)));
  DramCommand command = ref(100);
  command.vault = 4;
  CHECK(refused(command));
  command = act(100, 1);
  command.row = 1000;
  CHECK(refused(command));
  command = rd(100, 1, 0);
  CHECK(refused(command));
  command.bytes = 257;
  CHECK(refused(command));
  command.bytes = 64;
  command.column = 193;
  CHECK(refused(command));
  command.column = 192;
  CHECK_FALSE(refused(command));
}

TEST_CASE("refreshes are at most eight intervals late or early", "[dram_check]") {
  const auto violations = [](const Sequence& sequence, std::uint64_t end) {
    RuleChecker checker(rules());
    for (const DramCommand& command : sequence) checker.command(command);
    checker.finish(end);
    for (const auto& [rule, count] : checker.violations_by_rule()) CHECK(rule == "tREFI");
    return checker.violations();
  };
  const auto vaults = [](std::uint64_t clk, std::uint32_t vault) {
    DramCommand command = ref(clk);
    command.vault = vault;
    return command;
  };
  // Late: the first of each of four vaults is due at 5000, and must have come by 45000.
  CHECK(violations({}, 45000) == 0);
  CHECK(violations({}, 45001) == 4);
  CHECK(violations({vaults(45000, 0), vaults(45000, 1), vaults(45000, 2), vaults(45000, 3)}, 50000) == 0);
  CHECK(violations({vaults(45001, 0), vaults(45000, 1), vaults(45000, 2), vaults(45000, 3)}, 45001) == 1);
  CHECK(violations({vaults(45000, 0), vaults(45000, 1), vaults(45000, 2), vaults(45000, 3)}, 50001) == 4);
  // Any command shows that one is overdue, once.
  CHECK(violations({act(45000, 1)}, 45000) == 0);
  CHECK(violations({act(45001, 1), pre(45100, 1)}, 45000) == 1);
  CHECK(violations({act(90000, 1)}, 45000) == 1);
  CHECK(violations({act(90000, 1), pre(90001, 2), pre(95000, 2)}, 45000) == 2);

  // Early: number n from (n - 8) * 5000 on.
  Sequence early;
  for (std::uint64_t n = 1; n <= 8; ++n) early.push_back(ref(400 * n));
  CHECK(watch(early).violations() == 0);
  early.push_back(ref(5000));
  CHECK(watch(early).violations() == 0);
  --early.back().clk;
  CHECK(watch(early).violations_by_rule().at("tREFI") == 1);
  // After early ones, the next is no later than nine intervals after the last.
  early.back().clk = 5000;
  early.push_back(ref(50000));
  CHECK(watch(early).violations() == 0);
  ++early.back().clk;
  CHECK(watch(early).violations() == 1);

  // On average one an interval: a little late each time adds up.
  Sequence slow;
  for (std::uint64_t n = 1; n <= 100; ++n) slow.push_back(ref(5100 * n));
  CHECK(watch(slow).violations() == 0);
  slow.clear();
  for (std::uint64_t n = 1; n <= 500; ++n) slow.push_back(ref(5100 * n));
  CHECK(watch(slow).violations() != 0);

  DramRules none = rules();
  none.t_refi = 0;
  CHECK(watch({act(1000000, 1)}, none).violations() == 0);
}

TEST_CASE("time does not run backwards in a vault", "[dram_check]") {
  const RuleChecker checker = watch({pre(100, 1), pre(50, 2)});
  REQUIRE(checker.violations() == 1);
  CHECK(checker.first().front().rule == "command bus");
  CHECK(checker.first().front().actual == -50);
}

TEST_CASE("the report counts by rule and keeps the first violations", "[dram_check]") {
  CHECK(watch({act(100, 1)}).report() == "1 DRAM commands checked: no violations");
  Sequence sequence;
  for (std::uint64_t i = 0; i < 25; ++i) sequence.push_back(rd(100 + 100 * i, 1));
  sequence.push_back(pre(2500, 2));
  const RuleChecker checker = watch(sequence);
  CHECK(checker.violations() == 26);
  CHECK(checker.first().size() == RuleChecker::kKept);
  CHECK_THAT(checker.report(),
             test::contains("26 DRAM commands checked: 26 violations (closed row: 25, command bus: 1)\n"
                            "  vault 2: closed row: RD bank 1"));
  CHECK_THAT(checker.report(), test::contains("\n  and 6 more"));
}

TEST_CASE("rules that contradict themselves are refused", "[dram_check]") {
  DramRules r = rules();
  r.t_rc = 52;
  CHECK_THROWS_WITH(RuleChecker(r), test::contains("tRC of 52 clk is below tRAS + tRP, 40 + 13 clk"));
  r = rules();
  r.banks = 0;
  CHECK_THROWS_WITH(RuleChecker(r), test::contains("the number of banks is 0"));
}
