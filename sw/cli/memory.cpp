// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/dram_check/rule_checker.h"
#include "sim/hmc/limits.h"
#include "sim/hmc/replay.h"
#include "sim/hmc/traffic.h"
#include "sw/cli/paths.h"
#include "sw/plot/chart.h"

namespace nearcube::cli {
namespace {

using nlohmann::ordered_json;

hmc::CubeConfig load(const MemoryOptions& options) {
  const hmc::CubeConfig config = hmc::read_cube_config(cube_file(options.preset));
  return options.granule == 0 ? config : hmc::with_granule(config, options.granule);
}

hmc::Attach attach_of(const MemoryOptions& options) {
  return options.link ? hmc::Attach::kLinks : hmc::Attach::kBase;
}

double ns(std::uint64_t ps) { return static_cast<double>(ps) / 1e3; }
double mean_ns(const hmc::LatencyCounters& latency) { return latency.mean_ps() / 1e3; }
double p99_ns(const hmc::LatencyCounters& latency) { return ns(latency.quantile_ps(0.99)); }
double gb_per_s(std::uint64_t bytes, std::uint64_t ps) {
  return ps == 0 ? 0 : static_cast<double>(bytes) * 1e3 / static_cast<double>(ps);
}

/// "32 ports on the logic base".
std::string where(const MemoryOptions& memory, const hmc::CubeConfig& config) {
  const std::string ports = fmt::format("{} port{}", memory.ports, memory.ports == 1 ? "" : "s");
  return memory.link ? fmt::format("{} on {} links", ports, config.links) : ports + " on the logic base";
}

void print_memory(const MemoryOptions& memory, const hmc::CubeConfig& config) {
  fmt::print("{}: {}, {} vaults of {} banks, granule {} B; {}\n", config.file,
             base::format_bytes(config.capacity_bytes), config.vaults, config.banks, config.granule_bytes,
             where(memory, config));
}

ordered_json json_of(const MemoryOptions& memory, const hmc::CubeConfig& config) {
  return {{"config", config.file},
          {"vaults", config.vaults},
          {"banks", config.banks},
          {"granule_bytes", config.granule_bytes},
          {"ports", memory.ports},
          {"attach", memory.link ? "links" : "base"},
          {"buses_gb_per_s", config.buses_gb_per_s()},
          {"links_gb_per_s", config.links_gb_per_s()}};
}

void print_checked(std::uint64_t commands) {
  fmt::print("{} DRAM commands checked: no violations\n", base::with_separators(commands));
}

/// Throws for what --check-dram has found.
void conclude(const dram_check::RuleChecker& checker) {
  if (checker.violations() != 0) throw base::error(ExitStatus::kOther, "{}", checker.report());
}

/// Null if there was none.
ordered_json json_of(const hmc::LatencyCounters& latency) {
  if (latency.count == 0) return nullptr;
  return {{"requests", latency.count},    {"mean_ns", mean_ns(latency)},
          {"min_ns", ns(latency.min_ps)}, {"p50_ns", ns(latency.quantile_ps(0.5))},
          {"p99_ns", p99_ns(latency)},    {"max_ns", ns(latency.max_ps)}};
}

/// What all vaults did together.
struct Totals {
  std::uint64_t reads = 0, writes = 0, activates = 0, row_hits = 0, refreshes = 0, bus_clk = 0;
};

Totals totals_of(const hmc::CubeCounters& counters) {
  Totals totals;
  for (const hmc::VaultCounters& vault : counters.vaults) {
    totals.reads += vault.reads;
    totals.writes += vault.writes;
    totals.refreshes += vault.refreshes;
    totals.bus_clk += vault.bus_clk;
    for (const hmc::BankCounters& bank : vault.banks) {
      totals.activates += bank.activates;
      totals.row_hits += bank.row_hits;
    }
  }
  return totals;
}

// ---- sweep

struct Point {
  hmc::TrafficOptions traffic;
  hmc::TrafficResult result;
  Totals totals;  ///< of the whole point, what was not measured included
};

std::string cell(const hmc::LatencyCounters& latency) {
  if (latency.count == 0) return fmt::format("{:>8} {:>8} {:>8} {:>8}", "-", "-", "-", "-");
  return fmt::format("{:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f}", mean_ns(latency), ns(latency.min_ps),
                     p99_ns(latency), ns(latency.max_ps));
}

double row_hit_share(const Totals& totals) {
  return static_cast<double>(totals.row_hits) / static_cast<double>(totals.reads + totals.writes);
}

std::string name_of(hmc::Pattern pattern) { return hmc::pattern_names()[static_cast<std::size_t>(pattern)]; }

std::string csv_of(const std::vector<Point>& points) {
  std::string text =
      "pattern,bytes,write_share,outstanding,requests,gb_per_s,reads,read_mean_ns,read_min_ns,read_p99_ns,"
      "read_max_ns,"
      "writes,write_mean_ns,write_min_ns,write_p99_ns,write_max_ns,row_hit_share\n";
  const auto fields = [](const hmc::LatencyCounters& latency) {
    if (latency.count == 0) return std::string("0,,,,");
    return fmt::format("{},{:.3f},{:.3f},{:.3f},{:.3f}", latency.count, mean_ns(latency), ns(latency.min_ps),
                       p99_ns(latency), ns(latency.max_ps));
  };
  for (const Point& point : points) {
    const hmc::TrafficOptions& traffic = point.traffic;
    text +=
        fmt::format("{},{},{:g},{},{},{:.4f},{},{},{:.4f}\n", name_of(traffic.pattern), traffic.bytes,
                    traffic.write_share, traffic.outstanding, point.result.requests, point.result.gb_per_s(),
                    fields(point.result.reads), fields(point.result.writes), row_hit_share(point.totals));
  }
  return text;
}

ordered_json json_of(const Point& point) {
  return {{"pattern", name_of(point.traffic.pattern)}, {"bytes", point.traffic.bytes},
          {"write_share", point.traffic.write_share},  {"outstanding", point.traffic.outstanding},
          {"requests", point.result.requests},         {"time_ns", ns(point.result.ps)},
          {"gb_per_s", point.result.gb_per_s()},       {"reads", json_of(point.result.reads)},
          {"writes", json_of(point.result.writes)},    {"row_hit_share", row_hit_share(point.totals)}};
}

/// Of each curve the mean latency of its reads; of writes only where there is nothing else.
plot::Chart chart_of(const std::vector<Point>& points, const std::string& title) {
  plot::Chart chart{
      .title = title, .x_label = "bandwidth (GB/s)", .y_label = "mean latency of reads (ns)", .log_y = true};
  for (const Point& point : points) {
    const bool reads = point.result.reads.count != 0;
    const hmc::TrafficOptions& traffic = point.traffic;
    const std::string name = fmt::format("{}, {} B, {:g} % writes{}", name_of(traffic.pattern), traffic.bytes,
                                         100 * traffic.write_share, reads ? "" : " (their latency)");
    if (chart.series.empty() || chart.series.back().name != name) chart.series.push_back({.name = name});
    chart.series.back().points.push_back(
        {.x = point.result.gb_per_s(), .y = mean_ns(reads ? point.result.reads : point.result.writes)});
  }
  return chart;
}

// All points, before the first is measured.
std::vector<Point> points_of(const MemoryOptions& memory, const SweepOptions& sweep) {
  std::vector<Point> points;
  const std::vector<std::string>& names = hmc::pattern_names();
  for (const std::string& pattern : sweep.patterns) {
    const auto at = std::find(names.begin(), names.end(), pattern) - names.begin();
    for (const std::uint32_t bytes : sweep.bytes) {
      for (const double writes : sweep.writes) {
        for (const std::uint32_t outstanding : sweep.outstanding) {
          points.push_back({.traffic = {.pattern = static_cast<hmc::Pattern>(at),
                                        .bytes = bytes,
                                        .write_share = writes,
                                        .outstanding = outstanding,
                                        .requests = sweep.requests,
                                        .stride_bytes = sweep.stride,
                                        .seed = sweep.seed,
                                        .ports = memory.ports},
                            .result = {},
                            .totals = {}});
        }
      }
    }
  }
  return points;
}

}  // namespace

void sweep_memory(const MemoryOptions& memory, const SweepOptions& sweep) {
  const hmc::CubeConfig config = load(memory);
  std::vector<Point> points = points_of(memory, sweep);
  for (const Point& point : points) hmc::check(config, point.traffic);
  for (const std::string& file : {sweep.csv, memory.json, sweep.svg}) {
    if (!file.empty()) base::check_writable(file);
  }

  print_memory(memory, config);
  fmt::print("{} requests a point; latencies in ns, of a write until the DRAM has taken it\n\n",
             base::with_separators(sweep.requests));
  fmt::print("{:<12} {:>5} {:>7} {:>11} {:>8}  {:^35}  {:^35}\n", "", "", "", "", "", "reads", "writes");
  fmt::print("{:<12} {:>5} {:>7} {:>11} {:>8}  {:>8} {:>8} {:>8} {:>8}  {:>8} {:>8} {:>8} {:>8}  {:>8}\n",
             "pattern", "bytes", "writes", "outstanding", "GB/s", "mean", "min", "p99", "max", "mean", "min",
             "p99", "max", "row hits");
  std::uint64_t commands = 0;
  for (Point& point : points) {
    hmc::Cube cube(config, memory.ports, attach_of(memory));
    dram_check::RuleChecker checker(dram_check::rules_of(config));
    if (memory.check_dram) cube.add_observer(checker);
    point.result = hmc::run_traffic(cube, point.traffic);
    point.totals = totals_of(cube.counters());
    fmt::print("{:<12} {:>5} {:>7} {:>11} {:>8.2f}  {}  {}  {:>8}\n", name_of(point.traffic.pattern),
               point.traffic.bytes, fmt::format("{:g} %", 100 * point.traffic.write_share),
               point.traffic.outstanding, point.result.gb_per_s(), cell(point.result.reads),
               cell(point.result.writes), base::format_percent(row_hit_share(point.totals)));
    std::fflush(stdout);
    conclude(checker);
    commands += checker.commands();
  }
  if (memory.check_dram) print_checked(commands);

  if (!sweep.csv.empty()) base::write_file_atomically(sweep.csv, csv_of(points));
  if (!memory.json.empty()) {
    ordered_json out = {{"schema", "nearcube-memory-sweep-1"}};
    out.update(json_of(memory, config));
    out["seed"] = sweep.seed;
    out["points"] = ordered_json::array();
    for (const Point& point : points) out["points"].push_back(json_of(point));
    base::write_file_atomically(memory.json, out.dump(2) + "\n");
  }
  if (!sweep.svg.empty()) {
    const std::string name = config.file.substr(config.file.rfind('/') + 1);
    plot::write_svg(sweep.svg, chart_of(points, fmt::format("{}, {}", name.substr(0, name.rfind('.')),
                                                            where(memory, config))));
  }
}

// ---- replay

namespace {

/// "buses busy 12.3 % of the time, that of vault 3, the busiest, 45.6 %".
std::string busy_text(const hmc::CubeCounters& counters, std::uint64_t clk) {
  std::uint64_t sum = 0;
  std::size_t most = 0;
  for (std::size_t v = 0; v < counters.vaults.size(); ++v) {
    sum += counters.vaults[v].bus_clk;
    if (counters.vaults[v].bus_clk > counters.vaults[most].bus_clk) most = v;
  }
  const auto share = [clk](double busy) {
    return base::format_percent(clk == 0 ? 0 : busy / static_cast<double>(clk));
  };
  return fmt::format("buses busy {} of the time, that of vault {}, the busiest, {}",
                     share(static_cast<double>(sum) / static_cast<double>(counters.vaults.size())), most,
                     share(static_cast<double>(counters.vaults[most].bus_clk)));
}

/// What each vault did until `clk`; what its banks did are lists in their order.
ordered_json vaults_of(const hmc::CubeCounters& counters, std::uint64_t clk) {
  ordered_json vaults = ordered_json::array();
  for (const hmc::VaultCounters& vault : counters.vaults) {
    ordered_json row = {
        {"reads", vault.reads},
        {"writes", vault.writes},
        {"read_bytes", vault.read_bytes},
        {"write_bytes", vault.write_bytes},
        {"refreshes", vault.refreshes},
        {"bus_share", clk == 0 ? 0 : static_cast<double>(vault.bus_clk) / static_cast<double>(clk)},
        {"queued", clk == 0 ? 0 : static_cast<double>(vault.occupancy) / static_cast<double>(clk)},
        {"read_latency", json_of(vault.read_latency)},
        {"write_latency", json_of(vault.write_latency)},
        {"activates", ordered_json::array()},
        {"precharges", ordered_json::array()},
        {"row_hits", ordered_json::array()},
        {"bytes", ordered_json::array()}};
    for (const hmc::BankCounters& bank : vault.banks) {
      row["activates"].push_back(bank.activates);
      row["precharges"].push_back(bank.precharges);
      row["row_hits"].push_back(bank.row_hits);
      row["bytes"].push_back(bank.bytes);
    }
    vaults.push_back(row);
  }
  return vaults;
}

ordered_json links_of(const hmc::CubeCounters& counters) {
  ordered_json links = ordered_json::array();
  for (const hmc::LinkCounters& link : counters.links) {
    links.push_back({{"packets_down", link.packets_down},
                     {"packets_up", link.packets_up},
                     {"bytes_down", link.bytes_down},
                     {"bytes_up", link.bytes_up}});
  }
  return links;
}

}  // namespace

void replay_memory(const MemoryOptions& memory, const ReplayRequest& request) {
  const hmc::CubeConfig config = load(memory);
  if (!memory.json.empty()) base::check_writable(memory.json);
  hmc::TraceReader trace(request.trace);
  hmc::Cube cube(config, memory.ports, attach_of(memory));
  dram_check::RuleChecker checker(dram_check::rules_of(config));
  if (memory.check_dram) cube.add_observer(checker);
  const std::uint32_t bytes = request.bytes == 0 ? config.granule_bytes : request.bytes;
  const hmc::ReplayResult result =
      hmc::replay(cube, trace, {.bytes = bytes, .ports = memory.ports, .outstanding = request.outstanding});
  conclude(checker);
  const hmc::CubeCounters counters = cube.counters();
  const Totals totals = totals_of(counters);
  const double read_rate = gb_per_s(result.reads.count * bytes, result.ps);
  const double write_rate = gb_per_s(result.writes.count * bytes, result.ps);

  print_memory(memory, config);
  fmt::print("{}: {} requests of {} B in {:.1f} ns, a cycle is {:g} ns\n\n", request.trace,
             base::with_separators(result.reads.count + result.writes.count), bytes, ns(result.ps),
             ns(config.timing.tck_ps));
  fmt::print("{:<7} {:>12} {:>8}  {:>8} {:>8} {:>8} {:>8}\n", "", "requests", "GB/s", "mean ns", "min", "p99",
             "max");
  fmt::print("{:<7} {:>12} {:>8.2f}  {}\n", "reads", base::with_separators(result.reads.count), read_rate,
             cell(result.reads));
  fmt::print("{:<7} {:>12} {:>8.2f}  {}\n", "writes", base::with_separators(result.writes.count), write_rate,
             cell(result.writes));
  fmt::print("\na latency is counted from the cycle in the trace, of a write until the DRAM has taken it\n");
  if (request.outstanding != 0) {
    fmt::print("{} requests waited since {} were under way\n", base::with_separators(result.late),
               request.outstanding);
  }
  fmt::print("{} activates, {} row hits, {} refreshes\n", base::with_separators(totals.activates),
             base::with_separators(totals.row_hits), base::with_separators(totals.refreshes));
  const std::uint64_t clk = result.last_ps / config.timing.tck_ps;
  fmt::print("{}\n", busy_text(counters, clk));
  if (memory.check_dram) print_checked(checker.commands());

  if (memory.json.empty()) return;
  ordered_json out = {{"schema", "nearcube-memory-replay-1"}};
  out.update(json_of(memory, config));
  out["trace"] = request.trace;
  out["bytes"] = bytes;
  out["outstanding"] = request.outstanding == 0 ? ordered_json(nullptr) : ordered_json(request.outstanding);
  out["time_ns"] = ns(result.ps);
  out["read_gb_per_s"] = read_rate;
  out["write_gb_per_s"] = write_rate;
  out["reads"] = json_of(result.reads);
  out["writes"] = json_of(result.writes);
  out["waited"] = result.late;
  out["activates"] = totals.activates;
  out["row_hits"] = totals.row_hits;
  out["refreshes"] = totals.refreshes;
  out["per_vault"] = vaults_of(counters, clk);
  out["per_link"] = links_of(counters);
  base::write_file_atomically(memory.json, out.dump(2) + "\n");
}

// ---- limits

void print_memory_limits(const MemoryOptions& memory) {
  const hmc::CubeConfig config = load(memory);
  print_memory(memory, config);
  const auto limits = hmc::bandwidth_limits(config);
  fmt::print("\nbandwidth at best, GB/s; all but the links' times 1 - tRFC / tREFI = {:.4f}\n",
             config.refresh_factor());
  for (const hmc::Limit& limit : limits) {
    fmt::print("  {:<38} {:>8.3f}  {}\n", limit.name, limit.gb_per_s, limit.formula);
  }
  const std::uint32_t bytes = config.granule_bytes;
  const auto parts = hmc::Cube::idle_read(config, bytes, attach_of(memory));
  fmt::print("\nlatency of a read of {} B when nothing else is under way, ns\n", bytes);
  std::uint64_t sum = 0;
  for (const hmc::Cube::Part& part : parts) {
    fmt::print("  {:<38} {:>8.3f}\n", part.name, ns(part.ps));
    sum += part.ps;
  }
  fmt::print("  {:<38} {:>8.3f}\n", "together, and at most a clock more", ns(sum));

  if (memory.json.empty()) return;
  ordered_json out = {{"schema", "nearcube-memory-limits-1"}};
  out.update(json_of(memory, config));
  out["refresh_factor"] = config.refresh_factor();
  out["bandwidth"] = ordered_json::array();
  for (const hmc::Limit& limit : limits) {
    out["bandwidth"].push_back(
        {{"name", limit.name}, {"formula", limit.formula}, {"gb_per_s", limit.gb_per_s}});
  }
  out["idle_read"] = {{"bytes", bytes}, {"ns", ns(sum)}, {"parts", ordered_json::array()}};
  for (const hmc::Cube::Part& part : parts) {
    out["idle_read"]["parts"].push_back({{"name", part.name}, {"ns", ns(part.ps)}});
  }
  base::write_file_atomically(memory.json, out.dump(2) + "\n");
}

}  // namespace nearcube::cli
