// SPDX-License-Identifier: Apache-2.0
// What the program says about bugs of firmware, and its traces.
#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/scenario.h"

using namespace nearcube;
using nlohmann::json;
using test::contains;

namespace {

// Scenarios of tests/cli/firmware/bugs.c.
enum : unsigned { kStoreAstray, kOperandAstray, kTimer, kNinthTransfer, kCommands };

/// Name and number of the line of bugs.c that holds `text`.
std::string line_of(const std::string& text) {
  std::istringstream in(test::slurp("tests/cli/firmware/bugs.c"));
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find(text) != std::string::npos) return "tests/cli/firmware/bugs.c:" + std::to_string(number);
  }
  FAIL("no line with " << text);
  return "";
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

/// A table of --trace-commands: each row by the names of its columns.
std::vector<std::map<std::string, std::string>> read_table(const std::string& file) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (const std::string& line : lines(test::slurp(file))) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    if (line.ends_with(",")) cells.emplace_back();
    if (names.empty()) {
      names = cells;
      continue;
    }
    INFO(line);
    REQUIRE(cells.size() == names.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
  }
  return rows;
}

std::uint64_t number(const std::string& text) { return text.empty() ? 0 : std::stoull(text, nullptr, 0); }

std::size_t part_files(const test::Folder& folder) {
  return static_cast<std::size_t>(std::count_if(
      test::fs::directory_iterator(folder.path()), test::fs::directory_iterator(),
      [](const auto& entry) { return entry.path().string().find(".part.") != std::string::npos; }));
}

}  // namespace

TEST_CASE("a store to nowhere is found from the output of one run", "[cli][bugs]") {
  const auto outcome = test::run_scenario("test_bugs", kStoreAstray);
  test::check(outcome, 2,
              {"store access fault (mcause 7) at pc 0x8", "(fill_table+0x", line_of("BUG: store astray"),
               "address 0x81200000: beyond the cube's memory (16 MiB from 0x80000000 on",
               "the last 16 instructions, and the one at fault:"});
  // The last line is the store itself, with the function and line once more.
  CHECK(std::regex_search(
      outcome.err, std::regex("  [0-9a-f]{8}  sw [a-z0-9]+, 0\\([a-z0-9]+\\) +fill_table\\+0x[0-9a-f]+  " +
                              line_of("BUG: store astray") + "\n")));
  CHECK(std::regex_search(outcome.err, std::regex("fill_table.*\n.*fill_table")));
}

TEST_CASE("an NTX command that never gets its operands is found from the output of one run", "[cli][bugs]") {
  const auto outcome = test::run_scenario("test_bugs", kOperandAstray);
  INFO(outcome.out);
  INFO(outcome.err);
  CHECK(outcome.status == 4);
  const std::string said = outcome.out + outcome.err;
  CHECK_THAT(said, contains("stuck: no instruction, NTX step, DMA or AXI transfer for 20,000 cycles"));
  CHECK_THAT(said, contains("core    asleep at"));
  CHECK_THAT(said, contains("NTX 3   stopped by an invalid command"));
  CHECK_THAT(said,
             contains("registers agu0_base and agu0_stride lead to 0x10010000, which is not in the TCDM"));
  CHECK_THAT(said, contains("NTX 3, command 1: MAC (cmd 0x") && contains(", written in cycle ") &&
                       contains("(start_sums+0x"));
  CHECK_THAT(said, contains(" < " + line_of("nc_ntx_commit(nc_ntx_unit(unit),  // BUG") + ")"));
  CHECK_THAT(said, contains("loops 64 x 64 (4,096 steps), init level 1, store level 1"));
  CHECK_THAT(said,
             contains("agu0 (operand A): base 0x10001000, strides 4, 1796: from 0x10001000 to 0x100208ff"));
  CHECK_THAT(said, contains("the last 16 instructions:"));
}

TEST_CASE("a core that sleeps until its timer is not stuck", "[cli][watchdog]") {
  const auto outcome = test::run_scenario("test_bugs", kTimer);
  test::check(outcome, 0, {});
  // Unless the run ends before.
  test::check(test::run_scenario("test_bugs", kTimer, {"--max-cycles", "100000"}), 4, {});
}

TEST_CASE("a limit at any point of an access ends with status 4", "[cli][limit]") {
  // Cycles of reset, fetches and first accesses; and of a transfer's set-up.
  for (unsigned limit = 1; limit <= 61; limit += 4) {
    const auto outcome =
        test::run_scenario("test_bugs", kCommands, {"--max-cycles", std::to_string(2600 + limit)});
    INFO(limit);
    test::check(outcome, 4, {});
  }
}

TEST_CASE("a core that waits for its ninth transfer leaves its counters", "[cli][limit]") {
  const auto outcome = test::run_scenario("test_bugs", kNinthTransfer, {"--max-cycles", "30000"});
  test::check(outcome, 4, {});
  CHECK_THAT(outcome.out,
             contains("DMA bytes") && contains("waits for the bus") && contains("core waits for DMA"));
  CHECK_THAT(outcome.out, !contains("no counters"));
}

TEST_CASE("the table of commands adds up to the counters", "[cli][trace]") {
  const std::string backend = GENERATE("rtl", "fast");
  INFO(backend);
  const test::Folder folder;
  const auto verify = [&](const test::Outcome& outcome, std::size_t least) {
    INFO(outcome.out);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto rows = read_table(folder.file("c.csv"));
    CHECK(rows.size() >= least);
    const json counters = json::parse(test::slurp(folder.file("r.json")))["counters"];
    std::map<std::string, std::map<std::string, std::uint64_t>> sums;
    std::uint64_t dma_bytes = 0;
    for (const auto& row : rows) {
      auto& unit = sums[row.at("unit")];
      for (const char* column : {"steps", "wait_a", "wait_b", "wait_init", "wait_result", "wait_hazard",
                                 "busy", "wait_bus", "wait_tcdm"}) {
        unit[column] += number(row.at(column));
      }
      ++unit["commands"];
      CHECK(row.at("status") == "done");
      CHECK(number(row.at("start")) < number(row.at("end")));
      if (row.at("unit") == "dma") {
        dma_bytes += number(row.at("bytes"));
      } else {
        CHECK(number(row.at("start")) < number(row.at("first_step")));
        CHECK(number(row.at("first_step")) <= number(row.at("last_step")));
        CHECK(number(row.at("last_step")) < number(row.at("end")));
      }
      CHECK(row.at("pc").starts_with("0x8000"));
      CHECK_FALSE(row.at("function").empty());
      CHECK_THAT(row.at("line"), contains(".c:") || contains(".h:"));
    }
    for (std::size_t n = 0; n < counters["ntx"].size(); ++n) {
      const json& c = counters["ntx"][n];
      auto& unit = sums["ntx" + std::to_string(n)];
      INFO("NTX " << n);
      CHECK(unit["commands"] == c["commands"]);
      CHECK(unit["steps"] == c["busy"]);
      CHECK(unit["wait_a"] == c["stall_a"]);
      CHECK(unit["wait_b"] == c["stall_b"]);
      CHECK(unit["wait_init"] == c["stall_init"]);
      CHECK(unit["wait_result"] == c["stall_result"]);
      CHECK(unit["wait_hazard"] == c["stall_hazard"]);
    }
    CHECK(sums["dma"]["busy"] == counters["dma"]["busy"]);
    CHECK(sums["dma"]["wait_bus"] == counters["dma"]["wait_bus"]);
    CHECK(sums["dma"]["wait_tcdm"] == counters["dma"]["wait_tcdm"]);
    CHECK(dma_bytes > 0);
  };
  const std::vector<std::string> outputs = {"--backend",          backend,  "--trace-commands",
                                            folder.file("c.csv"), "--json", folder.file("r.json")};
  verify(test::run_scenario("test_bugs", kCommands, outputs), 25);
  std::vector<std::string> gemm = {"run", "gemm", "--m", "40", "--n", "24", "--k", "70"};
  gemm.insert(gemm.end(), outputs.begin(), outputs.end());
  verify(test::invoke(gemm), 20);
  // A command that reaches past the scratchpad, and what became of it.
  const auto stopped = test::run_scenario("test_bugs", kOperandAstray, outputs);
  CHECK(stopped.status == 4);
  const auto rows = read_table(folder.file("c.csv"));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "stopped");
  CHECK(rows[0].at("unit") == "ntx3");
  CHECK_THAT(rows[0].at("line"), contains(" < tests/cli/firmware/bugs.c:"));
}

TEST_CASE("the timeline says what the table of commands and the report say", "[cli][trace]") {
  const std::string backend = GENERATE("rtl", "fast");
  INFO(backend);
  const test::Folder folder;
  const auto outcome = test::invoke({"run", "gemm", "--m", "40", "--n", "24", "--k", "70", "--timeline",
                                     folder.file("t.json"), "--trace-commands", folder.file("c.csv"),
                                     "--json", folder.file("r.json"), "--backend", backend});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json report = json::parse(test::slurp(folder.file("r.json")));
  std::map<int, std::string> tracks;
  std::map<std::string, std::vector<json>> spans;
  const json timeline = json::parse(test::slurp(folder.file("t.json")));
  for (const json& event : timeline["traceEvents"]) {
    if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    const double cycle_us = 1e6 / 1.25e9;
    CHECK(std::abs(event["ts"].get<double>() - event["args"]["cycle"].get<double>() * cycle_us) < 1e-5);
    CHECK(std::abs(event["dur"].get<double>() - event["args"]["cycles"].get<double>() * cycle_us) < 1e-5);
    spans[tracks.at(event["tid"])].push_back(event);
  }
  const auto first = [](const json& span) { return span["args"]["cycle"].get<std::uint64_t>(); };
  const auto last = [&](const json& span) {
    return first(span) + span["args"]["cycles"].get<std::uint64_t>();
  };

  std::uint64_t cycles = 0;
  for (const json& phase : spans["program"]) cycles += last(phase) - first(phase);
  CHECK(cycles == report["cycles"]);
  CHECK(spans["program"].size() >= report["phases"].size());

  std::map<std::string, std::size_t> seen;
  for (const auto& row : read_table(folder.file("c.csv"))) {
    const bool dma = row.at("unit") == "dma";
    const std::string unit = dma ? "" : "NTX " + row.at("unit").substr(3);
    const std::uint64_t from = number(row.at(dma ? "start" : "first_step"));
    const std::uint64_t to = dma ? number(row.at("end")) : number(row.at("last_step")) + 1;
    std::size_t found = 0;
    for (const auto& [track, list] : spans) {
      if (dma ? !track.starts_with("DMA") : track != unit) continue;
      found += static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [&](const json& span) {
        return first(span) == from && last(span) == to && span["args"].contains("status") &&
               (!dma || span["args"]["bytes"] == number(row.at("bytes")));
      }));
    }
    INFO(row.at("unit") << " " << row.at("number"));
    CHECK(found == 1);
    ++seen[row.at("unit")];
  }
  CHECK(seen.size() == 9);
  // On a track, spans are apart or within each other, or it could not be drawn.
  for (auto& [track, list] : spans) {
    INFO(track);
    std::sort(list.begin(), list.end(), [&](const json& a, const json& b) {
      return std::pair(first(a), last(b)) < std::pair(first(b), last(a));
    });
    std::vector<std::uint64_t> open;
    for (const json& span : list) {
      while (!open.empty() && open.back() <= first(span)) open.pop_back();
      CHECK((open.empty() || last(span) <= open.back()));
      open.push_back(last(span));
    }
  }
  // A command that is never done lasts to the end of the run.
  const auto stopped = test::run_scenario(
      "test_bugs", kOperandAstray,
      {"--timeline", folder.file("t.json"), "--json", folder.file("r.json"), "--backend", backend});
  CHECK(stopped.status == 4);
  CHECK_THAT(test::slurp(folder.file("t.json")), contains("\"status\":\"stopped\""));
}

TEST_CASE("the trace of instructions is the program, in its window", "[cli][trace]") {
  const test::Folder folder;
  const std::string file = folder.file("i.txt");
  auto outcome = test::run_scenario("test_scenarios", 1,
                                    {"--trace-instructions", file, "--json", folder.file("r.json")});
  CHECK(outcome.status == 1);
  const auto whole = lines(test::slurp(file));
  const json core = json::parse(test::slurp(folder.file("r.json")))["counters"]["core"];
  // A heading, a line for each instruction but the store that ends the run before it is answered, and the
  // end.
  CHECK(whole.size() == core["active"].get<std::size_t>() + 1);
  CHECK_THAT(whole.back(), contains("# end: exit code 7 after "));
  CHECK_THAT(whole[1], contains("80000000 ") && contains("auipc gp") && contains("| gp = ") &&
                           contains("| _start riscv-firmware/boot/start.S:"));
  CHECK_THAT(test::slurp(file),
             contains("ret ") && contains("| main") && contains("tests/cli/firmware/scenarios.c:"));
  outcome = test::run_scenario("test_scenarios", 1,
                               {"--trace-instructions", file, "--trace-from", "200", "--trace-to", "300"});
  CHECK(outcome.status == 1);
  const auto window = lines(test::slurp(file));
  REQUIRE(window.size() > 5);
  CHECK(window.size() < whole.size());
  for (const std::string& line : window) {
    if (line.starts_with("#")) continue;
    const auto cycle = number(line.substr(line.find_first_not_of(' '), 20).substr(0, line.find(' ', 11)));
    CHECK(cycle >= 200);
    CHECK(cycle <= 300);
    CHECK(std::find(whole.begin(), whole.end(), line) != whole.end());
  }
}

TEST_CASE("a trace that does not fit is not there at all", "[cli][trace]") {
  const test::Folder folder;
  const auto outcome = test::invoke(
      {"run", "axpy", "--n", "4096", "--trace-instructions", folder.file("trace")}, {.file_limit = 100'000});
  test::check(outcome, 1, {folder.file("trace") + ": cannot write: "});
  CHECK(folder.entries() == 0);
  test::check(test::invoke({"run", "axpy", "--n", "8", "--trace-commands", "/dev/full"}), 1,
              {"/dev/full: cannot write: "});
  test::check(test::invoke({"run", "axpy", "--n", "8", "--timeline", "/dev/full"}), 1,
              {"/dev/full: cannot write: "});
  test::check(test::invoke({"run", "axpy", "--trace-commands", folder.file("no/such/folder")}), 2,
              {"no/such/folder"});
  test::check(test::invoke({"run", "axpy", "--trace-commands", folder.file("a"), "--trace-instructions",
                            folder.file("a")}),
              2, {"two outputs"});
}

TEST_CASE("Ctrl-C leaves traces that say where they end", "[cli][trace]") {
  const test::Folder folder;
  const auto outcome = test::run_scenario(
      "test_scenarios", 11,
      {"--trace-instructions", folder.file("i"), "--trace-to", "5000", "--trace-commands", folder.file("c")},
      {.interrupt_after = 1});
  CHECK(outcome.status == 1);
  CHECK_THAT(test::slurp(folder.file("i")), contains("# end: interrupted after "));
  CHECK_THAT(test::slurp(folder.file("c")), contains("unit,number,"));
  CHECK(part_files(folder) == 0);
}

TEST_CASE("what a killed run left is removed at the next start", "[cli][trace]") {
  const test::Folder folder;
  // No process has this number: it is above the largest.
  for (const char* name : {"w.fst.part.2000000001", "w.fst.part.2000000001.hier"}) {
    std::ofstream(folder.file(name)) << "half a trace";
    test::fs::last_write_time(folder.file(name),
                              test::fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  std::ofstream(folder.file("w.fst.part.2000000002")) << "just written, perhaps by another machine";
  const auto outcome =
      test::invoke({"run", "axpy", "--n", "8", "--trace", folder.file("w.fst"), "--trace-to", "50"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(part_files(folder) == 1);
}

TEST_CASE("a window of one NTX makes a small trace, and its save file is for people", "[cli][trace]") {
  const test::Folder folder;
  const auto outcome = test::invoke({"run", "gemm", "--m", "64", "--n", "64", "--k", "64", "--trace",
                                     folder.file("n.fst"), "--trace-from", "30000", "--trace-to", "32000",
                                     "--trace-scope", "cluster.gen_ntx[0].u_ntx"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto bytes = test::fs::file_size(folder.file("n.fst"));
  INFO(bytes);
  CHECK(bytes < 2'000'000);
  CHECK(bytes > 10'000);
  const auto all =
      test::invoke({"run", "axpy", "--n", "8", "--trace", folder.file("all.fst"), "--trace-to", "20"});
  REQUIRE(all.status == 0);
  const auto saved = lines(test::slurp(folder.file("all.fst.gtkw")));
  CHECK(saved.size() > 100);
  CHECK(saved.size() < 1000);
}
