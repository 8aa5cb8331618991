// SPDX-License-Identifier: Apache-2.0
// `nearcube memory`: rows, files, and what is refused.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/scenario.h"

using namespace nearcube;
using nlohmann::json;
using test::check;
using test::contains;
using test::Folder;
using test::invoke;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

json read_json(const std::string& file) { return json::parse(test::slurp(file)); }

std::string preset_file(const std::string& name) {
  return (test::build_tree() / "config" / "cube" / (name + ".yaml")).string();
}

}  // namespace

TEST_CASE("a sweep has a row for each combination, the same on the screen, in CSV and in JSON") {
  const Folder folder;
  const std::vector<std::string> arguments = {"memory",
                                              "sweep",
                                              "--pattern",
                                              "random,one-bank",
                                              "--bytes",
                                              "32,64",
                                              "--writes",
                                              "0,0.5,1",
                                              "--outstanding",
                                              "1,16",
                                              "--requests",
                                              "2000",
                                              "--check-dram",
                                              "--json",
                                              folder.file("a.json"),
                                              "--csv",
                                              folder.file("a.csv"),
                                              "--svg",
                                              folder.file("a.svg")};
  const auto outcome = invoke(arguments);
  check(outcome, 0, {});
  const json report = read_json(folder.file("a.json"));
  const auto csv = lines_of(test::slurp(folder.file("a.csv")));
  CHECK(report["schema"] == "nearcube-memory-sweep-1");
  const json& points = report["points"];
  REQUIRE(points.size() == 24);
  REQUIRE(csv.size() == 25);
  const auto names = fields_of(csv[0]);
  std::set<std::string> combinations;
  std::size_t rows = 0;
  for (const std::string& line : lines_of(outcome.out))
    rows += line.starts_with("random") || line.starts_with("one-bank");
  CHECK(rows == 24);
  CHECK_THAT(outcome.out, contains("DRAM commands checked: no violations"));
  for (std::size_t i = 0; i < 24; ++i) {
    const json& point = points[i];
    const auto fields = fields_of(csv[i + 1]);
    REQUIRE(fields.size() == names.size());
    std::map<std::string, std::string> row;
    for (std::size_t f = 0; f < names.size(); ++f) row[names[f]] = fields[f];
    combinations.insert(row["pattern"] + row["bytes"] + row["write_share"] + " " + row["outstanding"]);
    CHECK(row["pattern"] == point["pattern"]);
    CHECK(std::stod(row["gb_per_s"]) == Approx(point["gb_per_s"].get<double>()).margin(1e-4));
    CHECK(point["requests"] == 2000);
    // Bytes over time, and reads and writes apart.
    const double bytes = 2000.0 * point["bytes"].get<double>();
    CHECK(bytes / point["time_ns"].get<double>() == Approx(point["gb_per_s"].get<double>()));
    const double share = point["write_share"];
    CHECK(point["reads"].is_null() == (share == 1));
    CHECK(point["writes"].is_null() == (share == 0));
    std::uint64_t sum = 0;
    for (const char* kind : {"reads", "writes"}) {
      const std::string name(kind, 4 + (kind[0] == 'w'));
      if (point[kind].is_null()) {
        CHECK((row[kind] == "0" && row[name + "_mean_ns"].empty()));
        continue;
      }
      const json& latency = point[kind];
      sum += latency["requests"].get<std::uint64_t>();
      CHECK(std::stod(row[name + "_mean_ns"]) == Approx(latency["mean_ns"].get<double>()).margin(1e-3));
      CHECK(latency["min_ns"] <= latency["mean_ns"]);
      CHECK(latency["min_ns"] <= latency["p50_ns"]);
      CHECK(latency["p50_ns"] <= latency["p99_ns"]);
      CHECK(latency["p99_ns"] <= latency["max_ns"]);
      CHECK(latency["mean_ns"] <= latency["max_ns"]);
    }
    CHECK(sum == 2000);
    if (share == 0.5) CHECK(std::abs(point["writes"]["requests"].get<double>() - 1000) < 120);
    // Little's law: requests under way = their rate x their time. What is measured begins and ends in the
    // midst of requests.
    double busy = 0;
    for (const char* kind : {"reads", "writes"}) {
      if (!point[kind].is_null())
        busy += point[kind]["requests"].get<double>() * point[kind]["mean_ns"].get<double>();
    }
    CHECK(busy / point["time_ns"].get<double>() == Approx(point["outstanding"].get<double>()).epsilon(0.03));
  }
  CHECK(combinations.size() == 24);
  const std::string svg = test::slurp(folder.file("a.svg"));
  CHECK_THAT(svg,
             contains("<svg") && contains("one-bank, 64 B, 50 % writes") && contains("bandwidth (GB/s)"));
  // The same again is the same.
  check(invoke(arguments), 0, {});
  CHECK(read_json(folder.file("a.json")) == report);
}

TEST_CASE("a sweep over links is bound by them, and by the ports' number where that is less") {
  const Folder folder;
  const auto rate = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"memory",     "sweep", "--outstanding", "1024",
                                          "--requests", "20000", "--json",        folder.file("a.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    check(invoke(arguments), 0, {});
    return read_json(folder.file("a.json"))["points"][0]["gb_per_s"].get<double>();
  };
  CHECK(rate({}) > 290);
  CHECK(rate({"--link"}) == Approx(160).epsilon(0.01));
  CHECK(rate({"--link", "--ports", "1"}) == Approx(40).epsilon(0.01));
  CHECK(rate({"--link", "--preset", "hmc-2gb", "--bytes", "256", "--granule", "256"}) ==
        Approx(75.3).epsilon(0.01));
}

TEST_CASE("limits print the formulas and the parts of an idle read") {
  const Folder folder;
  const auto outcome = invoke({"memory", "limits", "--json", folder.file("a.json")});
  check(outcome, 0, {});
  CHECK_THAT(outcome.out,
             contains("tRCD") && contains("305.647") && contains("max(tRC, tRCD + burst + tRTP + tRP)"));
  const json report = read_json(folder.file("a.json"));
  CHECK(report["schema"] == "nearcube-memory-limits-1");
  double sum = 0;
  for (const json& part : report["idle_read"]["parts"]) sum += part["ns"].get<double>();
  CHECK(sum == Approx(report["idle_read"]["ns"].get<double>()));
  CHECK((sum >= 30 && sum <= 45));
}

TEST_CASE("a trace is replayed") {
  const Folder folder;
  const std::string trace = folder.file("some.trace");
  std::ofstream out(trace);
  for (int i = 0; i < 1000; ++i)
    out << std::hex << "0x" << i * 64 << (i % 4 == 0 ? " WRITE " : " READ ") << std::dec << i << "\n";
  out.close();
  const auto outcome = invoke({"memory", "replay", trace, "--json", folder.file("a.json")});
  check(outcome, 0, {});
  CHECK_THAT(outcome.out, contains("1,000 requests of 64 B") && contains("until the DRAM has taken it"));
  const json report = read_json(folder.file("a.json"));
  CHECK(report["schema"] == "nearcube-memory-replay-1");
  CHECK(report["reads"]["requests"] == 750);
  CHECK(report["writes"]["requests"] == 250);
  CHECK(report["outstanding"].is_null());
  // A request a clock, and the last one's latency.
  CHECK(report["time_ns"] >= 999 * 0.8 + 36);
  CHECK(report["time_ns"] <= 999 * 0.8 + 500);
  CHECK(report["activates"].get<int>() + report["row_hits"].get<int>() == 1000);
  std::uint64_t bytes = 0, activates = 0;
  for (const json& vault : report["per_vault"]) {
    bytes += vault["read_bytes"].get<std::uint64_t>() + vault["write_bytes"].get<std::uint64_t>();
    for (const json& bank : vault["activates"]) activates += bank.get<std::uint64_t>();
    CHECK(vault["precharges"] == vault["activates"]);
    std::uint64_t of_banks = 0;
    for (const json& bank : vault["bytes"]) of_banks += bank.get<std::uint64_t>();
    CHECK(of_banks == vault["read_bytes"].get<std::uint64_t>() + vault["write_bytes"].get<std::uint64_t>());
    // In the vault alone: at the port the crossbar's 3.2 ns more.
    for (const std::string kind : {"read", "write"}) {
      const json& latency = vault[kind + "_latency"];
      if (latency.is_null()) continue;
      CHECK(latency["requests"] == vault[kind + "s"]);
      CHECK(latency["min_ns"] >= 17.6);
      CHECK(latency["max_ns"] <= report[kind + "s"]["max_ns"].get<double>() - 3.19);
    }
    CHECK((vault["bus_share"] > 0 && vault["bus_share"] < 1));
  }
  CHECK(report["per_vault"].size() == 32);
  CHECK(bytes == 64'000);
  CHECK(report["activates"] == activates);
  CHECK(report["per_link"].empty());
  check(invoke({"memory", "replay", trace, "--link", "--json", folder.file("a.json")}), 0, {});
  std::uint64_t down = 0, up = 0;
  const json linked = read_json(folder.file("a.json"));
  for (const json& link : linked["per_link"]) {
    down += link["bytes_down"].get<std::uint64_t>();
    up += link["bytes_up"].get<std::uint64_t>();
  }
  CHECK(down == 1000 * 16 + 250 * 64);
  CHECK(up == 1000 * 16 + 750 * 64);
  const auto slow = invoke({"memory", "replay", trace, "--outstanding", "1", "--check-dram"});
  check(slow, 0, {});
  CHECK_THAT(slow.out, contains("requests waited since 1 were under way") &&
                           contains("DRAM commands checked: no violations"));
}

TEST_CASE("what a user can get wrong about the memory", "[bad]") {
  const Folder folder;
  const std::string trace = folder.file("bad.trace");
  std::ofstream(trace) << "0x40 READ 0\n0x80 LOAD 1\n";
  check(invoke({"memory"}), 2, {"--help"});
  check(invoke({"memory", "swep"}), 2, {"unknown command \"swep\"", "did you mean \"sweep\"?"});
  check(invoke({"memory", "replay"}), 2, {"FILE", "--help"});
  check(invoke({"memory", "replay", trace}), 2, {trace + ":2: \"LOAD\" is neither READ nor WRITE"});
  check(invoke({"memory", "replay", folder.file("none")}), 2, {folder.file("none")});
  check(invoke({"memory", "replay", folder.path()}), 2, {folder.path()});
  check(invoke({"memory", "replay", trace, "--bytes", "48"}), 2, {"48 B", "power of two"});
  check(invoke({"memory", "sweep", "--preset", "hmc3"}), 2,
        {"--preset hmc3", "hmc-2gb, hmc-4gb, hmc2-8gb, smc"});
  check(invoke({"memory", "sweep", "--preset", folder.file("none.yaml")}), 2, {"none.yaml"});
  check(invoke({"memory", "sweep", "--pattern", "randum"}), 2,
        {"\"randum\" is none of", "did you mean \"random\"?"});
  check(invoke({"memory", "sweep", "--outstanding", "1,0"}), 2,
        {"--outstanding", "0 is not a whole number from 1"});
  check(invoke({"memory", "sweep", "--writes", "1.5"}), 2, {"1.5 is not a number from 0 to 1"});
  check(invoke({"memory", "sweep", "--writes", "nan"}), 2, {"nan is not a number from 0 to 1"});
  check(invoke({"memory", "sweep", "--bytes", "48"}), 2, {"48 B", "power of two"});
  check(invoke({"memory", "sweep", "--granule", "48"}), 2, {"48 B", "power of two"});
  check(invoke({"memory", "sweep", "--granule", "512"}), 2, {"512 is not a whole number from 32 to 256"});
  check(invoke({"memory", "sweep", "--pattern", "stride", "--stride", "100"}), 2, {"stride of 100 B"});
  check(invoke({"memory", "sweep", "--requests", "0"}), 2, {"--requests"});
  check(invoke({"memory", "sweep", "--ports", "0"}), 2, {"--ports"});
  check(invoke({"memory", "sweep", "--bank", "1"}), 2, {"unknown option \"--bank\""});
  // The last point's options are looked at before the first is measured, and files before all.
  const auto late = invoke({"memory", "sweep", "--bytes", "64,48"});
  check(late, 2, {"48 B"});
  CHECK(late.out.empty());
  for (const char* option : {"--csv", "--json", "--svg"}) {
    const auto nowhere = invoke({"memory", "sweep", option, folder.file("none/x")});
    check(nowhere, 2, {folder.file("none")});
    CHECK(nowhere.out.empty());
  }
  // A wrong description: file, line, key and reason.
  const std::string text = test::slurp(preset_file("smc"));
  std::ofstream(folder.file("wrong.yaml")) << std::regex_replace(text, std::regex("vaults: 32"), "vaults: 0");
  check(invoke({"memory", "limits", "--preset", folder.file("wrong.yaml")}), 2,
        {"wrong.yaml:", "key cube.vaults: 0 is not in 1"});
  CHECK(folder.entries() == 2);
}
