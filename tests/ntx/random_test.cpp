// SPDX-License-Identifier: Apache-2.0
// Random commands on one NTX against the golden model of a command: memory, number of stores and reads,
// counters, status, interrupts and errors must all be as the model says.
#include "tests/support/random.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "tests/golden/random_commands.h"
#include "tests/ntx/bench.h"
#include "tests/support/catch.h"

namespace nearcube::ntx_test {
namespace {

using golden::Cause;
using golden::Command;
using golden::CommandCase;
using golden::CommandFields;
using golden::Outcome;
using test::Random;

/// NEARCUBE_CASES_PERCENT scales trip counts, for a quick look or a long one.
std::uint64_t scaled_cases(std::uint64_t quick, std::uint64_t nightly) {
  const char* text = std::getenv("NEARCUBE_CASES_PERCENT");
  return test::cases(quick, nightly) * (text != nullptr ? std::stoull(text) : 100) / 100;
}

bool one_in(Random& random, std::uint64_t n) { return random() % n == 0; }

/// How a case is run besides its command.
struct Conditions {
  unsigned refuse = 0;  ///< grants withheld, of 256
  std::uint64_t grant_seed = 1;
  unsigned ratio = 1;
};

Conditions random_conditions(Random& random) {
  static constexpr std::array<unsigned, 6> kRefuse = {0, 0, 20, 80, 160, 230};
  return {kRefuse[random() % kRefuse.size()], random(), 1 + static_cast<unsigned>(random() % 3)};
}

void apply(NtxBench& bench, const Conditions& conditions) {
  bench.withhold_grants(conditions.refuse, conditions.grant_seed);
  bench.set_clock_ratio(conditions.ratio);
}

std::string differing_word(const std::vector<std::uint32_t>& is, const std::vector<std::uint32_t>& expected) {
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (is[i] != expected[i]) {
      std::array<char, 120> line{};
      std::snprintf(line.data(), line.size(), "word 0x%zx is 0x%08X, expected 0x%08X", i, is[i], expected[i]);
      return line.data();
    }
  }
  return {};
}

std::string number(const char* what, std::uint64_t is, std::uint64_t expected) {
  return std::string(what) + " 0x" +
         [](std::uint64_t x) {
           std::array<char, 20> text{};
           std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(x));
           return std::string(text.data());
         }(is) +
         ", expected 0x" + [](std::uint64_t x) {
           std::array<char, 20> text{};
           std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(x));
           return std::string(text.data());
         }(expected);
}

/// Cycles after which a command of so many steps must be done, whatever the withheld grants.
std::uint64_t patience(const Outcome& outcome) {
  return 20000 + 200 * (outcome.steps + outcome.reads + outcome.stores.size());
}

/// Runs one command on the idle unit whose memory is `expected`, and leaves what the model makes of it in
/// `expected`. Says what differs; nothing if nothing does.
std::string run_one(NtxBench& bench, const Command& command, std::vector<std::uint32_t>& expected) {
  const Outcome outcome = golden::run(command, expected);
  const CommandFields fields = golden::decode(command.cmd);
  bench.stage(command);
  bench.clear_counts();
  bench.commit(command.cmd);
  // A driver that polls right after CMD must not be fooled.
  if (bench.counts().stores < outcome.stores.size() && (bench.read(kStatus) & kIdle) == kIdle &&
      bench.counts().stores < outcome.stores.size()) {
    return "STATUS idle right after CMD";
  }
  bench.wait_idle(patience(outcome));
  const Counts counts = bench.counts();

  if (counts.stores != outcome.stores.size()) return number("stores", counts.stores, outcome.stores.size());
  if (const auto text = differing_word(bench.memory(), expected); !text.empty()) return text;
  if (counts.results != counts.stores) return number("counted results", counts.results, counts.stores);
  if (counts.busy != outcome.steps) return number("counted steps", counts.busy, outcome.steps);
  const bool product =
      fields.opcode == golden::kMac || fields.opcode == golden::kVmult || fields.opcode == golden::kOuterp;
  if (counts.macs != (product ? outcome.steps : 0))
    return number("counted products", counts.macs, outcome.steps);
  const std::uint64_t sum = counts.busy + counts.stalls[0] + counts.stalls[1] + counts.stalls[2] +
                            counts.stalls[3] + counts.stalls[4] + counts.idle;
  if (sum != counts.cycles) return number("busy + stalls + idle", sum, counts.cycles);

  const bool failed = outcome.cause != Cause::kNone;
  if (counts.commands != (failed ? 0 : 1)) return number("counted commands", counts.commands, !failed);
  if (!failed && fields.opcode != golden::kMaskmac && counts.reads != outcome.reads) {
    return number("reads", counts.reads, outcome.reads);
  }
  const std::uint32_t status = failed ? kIdle | kInvalidBit : kIdle;
  if (const auto is = bench.read(kStatus); is != status) return number("STATUS", is, status);
  const std::uint32_t irq = failed || fields.irq == 1 ? 2 : fields.irq == 2 ? 1 : 0;
  if (const auto is = bench.read(kIrq); is != irq) return number("IRQ", is, irq);
  if (bench.irq() != (irq != 0)) return "interrupt line";
  bench.write(kIrq, 3);
  if (bench.irq()) return "interrupt line after clearing";
  const std::uint32_t cause = static_cast<std::uint32_t>(outcome.cause) | outcome.error_agu << 8;
  if (const auto is = bench.read(kErrorCause); is != cause) return number("ERROR_CAUSE", is, cause);
  if (const auto is = bench.read(kErrorAddr); is != outcome.error_addr) {
    return number("ERROR_ADDR", is, outcome.error_addr);
  }
  if (failed) {
    bench.write(kCmd, command.cmd);
    bench.write(kCmd, 0);
    if (const auto is = bench.read(kDropped); is != 2) return number("DROPPED", is, 2);
    bench.soft_clear();
    bench.wait_idle(100);
    if (const auto is = bench.read(kStatus); is != kIdle) return number("STATUS after soft clear", is, kIdle);
    if (const auto is = bench.read(kErrorCause); is != 0)
      return number("ERROR_CAUSE after soft clear", is, 0);
    bench.write(kIrq, 3);
    if (bench.counts().stores != counts.stores) return "a dropped command stored";
  }
  return {};
}

/// As run_one, from scratch.
std::string run_case(const CommandCase& c, const Conditions& conditions) {
  NtxBench bench;
  apply(bench, conditions);
  bench.memory() = c.tcdm;
  auto expected = c.tcdm;
  try {
    return run_one(bench, c.command, expected);
  } catch (const BenchError& error) {
    return error.what();
  }
}

void report(const CommandCase& failing, const Conditions& conditions, const std::string& why) {
  const std::string alone = run_case(failing, conditions);
  std::string text = why + "\n";
  if (alone.empty()) {
    text += "(not when run alone after reset)\n" + golden::to_string(failing.command);
  } else {
    const CommandCase small = golden::shrink(
        failing, [&](const CommandCase& c) { return !run_case(c, conditions).empty(); }, 300);
    text += "shrunk: " + run_case(small, conditions) + "\n" + golden::to_string(small);
  }
  FAIL(text << "\nrefuse " << conditions.refuse << " ratio " << conditions.ratio << " grants' seed "
            << conditions.grant_seed);
}

/// Random cases of one operation.
void family(std::uint32_t opcode, std::uint64_t count) {
  Random random(test::seed() + opcode);
  std::cout << golden::opcode_name(opcode) << ": seed " << test::seed() << ", " << count << " commands"
            << std::endl;
  NtxBench bench(random());
  auto memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
  bench.memory() = memory;
  golden::RandomCommandOptions options;
  options.opcode = opcode;
  options.full_loop_every = 0;
  Conditions conditions;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 16 == 0) {
      conditions = random_conditions(random);
    }
    // Stores make the scratchpad poorer; now and then it is filled anew.
    if (i % 64 == 63) {
      memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
      bench.memory() = memory;
    }
    options.max_steps = one_in(random, 10) ? 300 : 40;
    conditions.grant_seed = random();
    apply(bench, conditions);
    const Command command = one_in(random, 12) ? golden::random_invalid_command(random, memory, options)
                                               : golden::random_command(random, options);
    const CommandCase before{command, {}};
    std::string why;
    auto expected = memory;
    try {
      why = run_one(bench, command, expected);
    } catch (const BenchError& error) {
      why = error.what();
    }
    if (!why.empty()) {
      std::cout << "command " << i << std::endl;
      report({command, memory}, conditions, why);
    }
    memory = std::move(expected);
  }
}

std::uint64_t cases_of_a_family() { return scaled_cases(100'000, 1'000'000); }

TEST_CASE("Random MAC", "[first]") { family(golden::kMac, cases_of_a_family()); }
TEST_CASE("Random VADDSUB") { family(golden::kVaddsub, cases_of_a_family()); }
TEST_CASE("Random VMULT", "[first]") { family(golden::kVmult, cases_of_a_family()); }
TEST_CASE("Random OUTERP") { family(golden::kOuterp, cases_of_a_family()); }
TEST_CASE("Random MAXMIN", "[first]") { family(golden::kMaxmin, cases_of_a_family()); }
TEST_CASE("Random THTST") { family(golden::kThtst, cases_of_a_family()); }
TEST_CASE("Random MASK", "[first]") { family(golden::kMask, cases_of_a_family()); }
TEST_CASE("Random MASKMAC", "[first]") { family(golden::kMaskmac, cases_of_a_family()); }
TEST_CASE("Random COPY") { family(golden::kCopy, cases_of_a_family()); }

// ---------------------------------------------------------------------------------------------------------
// Sequences, soft clears, long loops, chains
// ---------------------------------------------------------------------------------------------------------

/// Every word that the command may read, and perhaps more: all words that its AGUs pass.
void mark_reads(const Command& command, std::vector<bool>& reads) {
  const CommandFields f = golden::decode(command.cmd);
  const unsigned active = golden::active_agus(f);
  const bool sums = f.opcode == golden::kMac || f.opcode == golden::kVaddsub;
  const unsigned extent = sums && (f.aux & 2) != 0 ? 20 : 1;
  std::array<std::uint32_t, 5> index{};
  std::array<std::uint32_t, 3> address = command.base;
  while (true) {
    for (unsigned u = 0; u < 3; ++u) {
      if ((active >> u & 1) == 0 || (u == 2 && f.init_source != 2 && f.opcode != golden::kMaskmac)) continue;
      for (unsigned i = 0; i < extent; ++i) {
        const std::uint32_t word = (address[u] & 0xF'FFFF) / 4 + i;
        if (word < reads.size()) reads[word] = true;
      }
    }
    unsigned k = 0;
    while (k < f.outer_level && index[k] == (command.loops[k] & 0xFFFF)) index[k++] = 0;
    if (k == f.outer_level) return;
    ++index[k];
    for (unsigned u = 0; u < 3; ++u) address[u] += static_cast<std::uint32_t>(command.stride[u][k]);
  }
}

/// Commands that follow each other without a pause, each overlapping those before it where that is allowed.
struct Sequence {
  std::vector<Command> commands;
  std::vector<golden::Store> stores;  ///< of all, in order
  Outcome total;                      ///< steps and reads of all
};

Sequence random_sequence(Random& random, std::vector<std::uint32_t>& memory, std::size_t length) {
  Sequence sequence;
  golden::RandomCommandOptions options;
  options.full_loop_every = 0;
  options.max_steps = one_in(random, 3) ? 4 : 60;
  // What the commands since the last one that did not overlap have stored.
  std::vector<std::uint32_t> outstanding;
  for (std::size_t i = 0; i < length; ++i) {
    Command command = golden::random_command(random, options);
    std::vector<bool> reads(memory.size());
    mark_reads(command, reads);
    const bool independent =
        std::none_of(outstanding.begin(), outstanding.end(), [&](std::uint32_t word) { return reads[word]; });
    CommandFields fields = golden::decode(command.cmd);
    fields.overlap = independent && !one_in(random, 4);
    command.cmd = golden::encode(fields);
    if (!fields.overlap) outstanding.clear();
    const Outcome outcome = golden::run(command, memory);
    for (const golden::Store& store : outcome.stores) outstanding.push_back(store.address / 4);
    sequence.stores.insert(sequence.stores.end(), outcome.stores.begin(), outcome.stores.end());
    sequence.total.steps += outcome.steps;
    sequence.total.reads += outcome.reads;
    sequence.commands.push_back(command);
  }
  sequence.total.stores = sequence.stores;
  return sequence;
}

std::string to_string(const Sequence& sequence) {
  std::string text;
  for (const Command& command : sequence.commands) text += golden::to_string(command) + "\n";
  return text;
}

/// As stage(), but only the registers that differ from those of the command before: as a driver does.
void stage_difference(NtxBench& bench, const Command& before, const Command& command) {
  for (unsigned j = 0; j < 5; ++j) {
    if (command.loops[j] != before.loops[j]) bench.write(kLoop0 + j, command.loops[j]);
  }
  for (unsigned u = 0; u < 3; ++u) {
    if (command.base[u] != before.base[u]) bench.write(kAgu0 + 6 * u, command.base[u]);
    for (unsigned j = 0; j < 5; ++j) {
      if (command.stride[u][j] != before.stride[u][j]) {
        bench.write(kAgu0 + 6 * u + 1 + j, static_cast<std::uint32_t>(command.stride[u][j]));
      }
    }
  }
}

TEST_CASE("Random sequences back to back, with and without overlap") {
  const std::uint64_t count = scaled_cases(20'000, 200'000);
  std::cout << "sequences: seed " << test::seed() << ", " << count << std::endl;
  Random random(test::seed() + 100);
  NtxBench bench(random());
  auto memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
  bench.memory() = memory;
  Command before;
  bench.stage(before);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 32 == 0) {
      memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
      bench.memory() = memory;
    }
    const Conditions conditions = random_conditions(random);
    apply(bench, conditions);
    const Sequence sequence = random_sequence(random, memory, 2 + random() % 5);
    // Now and then all of one shape, so that little is rewritten and commands really meet.
    bench.clear_counts();
    for (const Command& command : sequence.commands) {
      stage_difference(bench, before, command);
      bench.commit(command.cmd);
      before = command;
    }
    bench.wait_idle(patience(sequence.total));
    const std::string why = differing_word(bench.memory(), memory);
    INFO("sequence " << i << ", refuse " << conditions.refuse << " ratio " << conditions.ratio << "\n"
                     << to_string(sequence));
    REQUIRE(why == "");
    REQUIRE(bench.counts().stores == sequence.stores.size());
    REQUIRE(bench.counts().busy == sequence.total.steps);
    REQUIRE(bench.counts().commands == sequence.commands.size());
    REQUIRE(bench.read(kStatus) == kIdle);
  }
}

TEST_CASE("One shape of command again and again with rewritten bases, overlapping") {
  const std::uint64_t count = scaled_cases(5'000, 50'000);
  std::cout << "repeated commands: seed " << test::seed() << ", " << count << std::endl;
  Random random(test::seed() + 101);
  NtxBench bench(random());
  for (std::uint64_t i = 0; i < count; ++i) {
    const Conditions conditions = random_conditions(random);
    apply(bench, conditions);
    auto memory = bench.memory();
    if (i % 32 == 0) memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
    bench.memory() = memory;
    golden::RandomCommandOptions options;
    options.full_loop_every = 0;
    options.max_steps = 30;
    Command command = golden::random_command(random, options);
    bench.stage(command);
    bench.clear_counts();
    Outcome total;
    std::vector<std::uint32_t> outstanding;
    std::string commands;
    for (unsigned repeat = 0; repeat < 6; ++repeat) {
      Command next = command;
      for (unsigned u = 0; u < 3; ++u) next.base[u] += static_cast<std::uint32_t>(random() % 5) * 4 - 8;
      CommandFields fields = golden::decode(next.cmd);
      std::vector<bool> reads(memory.size());
      mark_reads(next, reads);
      fields.overlap = std::none_of(outstanding.begin(), outstanding.end(),
                                    [&](std::uint32_t word) { return reads[word]; });
      next.cmd = golden::encode(fields);
      auto after = memory;
      const Outcome outcome = golden::run(next, after);
      if (outcome.cause != Cause::kNone || outcome.hazard) continue;
      if (!fields.overlap) outstanding.clear();
      memory = std::move(after);
      total.steps += outcome.steps;
      total.reads += outcome.reads;
      for (const golden::Store& store : outcome.stores) outstanding.push_back(store.address / 4);
      total.stores.insert(total.stores.end(), outcome.stores.begin(), outcome.stores.end());
      for (unsigned u = 0; u < 3; ++u) bench.write(kAgu0 + 6 * u, next.base[u]);
      bench.commit(next.cmd);
      commands += golden::to_string(next) + "\n";
    }
    bench.wait_idle(patience(total));
    INFO("case " << i << ", refuse " << conditions.refuse << "\n" << commands);
    REQUIRE(differing_word(bench.memory(), memory) == "");
    REQUIRE(bench.counts().stores == total.stores.size());
  }
}

TEST_CASE("Random soft clears: what was stored is what the first stores in order would be") {
  const std::uint64_t count = scaled_cases(20'000, 200'000);
  std::cout << "soft clears: seed " << test::seed() << ", " << count << std::endl;
  Random random(test::seed() + 102);
  NtxBench bench(random());
  auto memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
  bench.memory() = memory;
  Command before;
  bench.stage(before);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 32 == 0) {
      memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
      bench.memory() = memory;
    }
    const Conditions conditions = random_conditions(random);
    apply(bench, conditions);
    auto all_done = memory;
    const Sequence sequence = random_sequence(random, all_done, 1 + random() % 3);
    bench.clear_counts();
    for (const Command& command : sequence.commands) {
      stage_difference(bench, before, command);
      bench.commit(command.cmd);
      before = command;
    }
    const std::uint64_t wait = random() % (one_in(random, 2) ? 20 : 400);
    for (std::uint64_t c = 0; c < wait; ++c) bench.cycle();
    bench.soft_clear();
    bench.wait_idle(2000);
    INFO("sequence " << i << ", refuse " << conditions.refuse << " ratio " << conditions.ratio
                     << ", clear after " << wait << "\n"
                     << to_string(sequence));
    REQUIRE(bench.read(kStatus) == kIdle);
    const std::uint64_t stores = bench.counts().stores;
    REQUIRE(stores <= sequence.stores.size());
    for (std::uint64_t n = 0; n < stores; ++n)
      memory[sequence.stores[n].address / 4] = sequence.stores[n].value;
    REQUIRE(differing_word(bench.memory(), memory) == "");
    // Nothing of what was dropped shows up in the next command, whose registers are still staged.
    if (one_in(random, 2)) {
      Command again = before;
      CommandFields fields = golden::decode(again.cmd);
      fields.overlap = false;
      again.cmd = golden::encode(fields);
      auto expected = memory;
      const Outcome outcome = golden::run(again, expected);
      if (outcome.hazard) continue;
      bench.commit(again.cmd);
      bench.wait_idle(patience(outcome));
      memory = std::move(expected);
      REQUIRE(differing_word(bench.memory(), memory) == "");
    }
    bench.write(kIrq, 3);
  }
}

TEST_CASE("Loops of 65,536 trips") {
  const std::uint64_t count = scaled_cases(60, 1'000);
  std::cout << "long loops: seed " << test::seed() << ", " << count << std::endl;
  Random random(test::seed() + 103);
  NtxBench bench(random());
  golden::RandomCommandOptions options;
  options.full_loop_every = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto memory = golden::random_scratchpad(random, NtxBench::kTcdmWords);
    bench.memory() = memory;
    options.opcode = static_cast<std::uint32_t>(i % golden::kOpcodeCount);
    Conditions conditions = random_conditions(random);
    conditions.refuse = std::min(conditions.refuse, 80u);
    apply(bench, conditions);
    const Command command = golden::random_command(random, options);
    std::string why;
    try {
      why = run_one(bench, command, memory);
    } catch (const BenchError& error) {
      why = error.what();
    }
    INFO(golden::to_string(command));
    REQUIRE(why == "");
  }
}

TEST_CASE("A reduction in pieces, chained by wide images in any order, gives the bits of one command") {
  const std::uint64_t count = scaled_cases(1'000, 20'000);
  std::cout << "wide chains: seed " << test::seed() << ", " << count << std::endl;
  Random random(test::seed() + 104);
  NtxBench bench(random());
  const auto dot = [&](std::uint32_t from, std::uint32_t length, bool first, bool last, std::uint32_t result,
                       std::int32_t direction) {
    CommandFields f;
    f.opcode = golden::kMac;
    f.store_level = f.init_level = f.outer_level = 1;
    f.init_source = first ? golden::kSourceZero : 2;
    f.aux = (first ? 0u : 2u) | (last ? 0u : 4u);
    Command c;
    c.loops[0] = length - 1;
    const std::uint32_t start = direction > 0 ? from : from + length - 1;
    c.base = {4 * start, 0x4000 + 4 * start, result};
    c.stride[0][0] = c.stride[1][0] = 4 * direction;
    c.cmd = golden::encode(f);
    return c;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    const Conditions conditions = random_conditions(random);
    apply(bench, conditions);
    const auto length = static_cast<std::uint32_t>(1 + random() % 200);
    golden::fill_values(random, golden::random_values_kind(random),
                        std::span(bench.memory()).subspan(0, length));
    golden::fill_values(random, golden::random_values_kind(random),
                        std::span(bench.memory()).subspan(0x1000, length));
    const Command whole = dot(0, length, true, true, 0x8000, 1);
    bench.stage(whole);
    bench.commit(whole.cmd);
    bench.wait_idle();

    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
    for (std::uint32_t from = 0; from < length;) {
      const auto piece = std::min(length - from, static_cast<std::uint32_t>(1 + random() % 80));
      pieces.emplace_back(from, piece);
      from += piece;
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    if (pieces.size() < 2) continue;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const Command c = dot(pieces[p].first, pieces[p].second, p == 0, p + 1 == pieces.size(), 0xC000,
                            one_in(random, 2) ? 1 : -1);
      bench.stage(c);
      bench.commit(c.cmd);
    }
    bench.wait_idle();
    INFO("length " << length << ", pieces " << pieces.size());
    REQUIRE(bench.memory()[0xC000 / 4] == bench.memory()[0x8000 / 4]);
  }
}

}  // namespace
}  // namespace nearcube::ntx_test
