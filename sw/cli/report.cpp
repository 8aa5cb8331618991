// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <numeric>

#include "sim/base/units.h"

namespace nearcube::cli {
namespace {

using base::format_percent;
using base::with_separators;
using nlohmann::ordered_json;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Of a bound, what a run of so many cycles reached.
double share_of_bound(const analysis::Bound& bound, std::uint64_t cycles) {
  return share(static_cast<double>(bound.cycles), static_cast<double>(cycles));
}

/// Figures that both forms of the report show.
struct Figures {
  std::uint64_t cycles = 0;
  std::uint64_t macs = 0;
  std::uint64_t compute_cycles = 0;
  double utilization = 0, utilization_compute = 0;  // of one MAC a cycle and NTX
  double gflops = 0;
  std::uint64_t dma_bytes = 0;
  double dma_gb_per_s = 0;
  std::uint64_t commands = 0;
  std::uint64_t bank_accesses = 0, bank_conflicts = 0;
};

Figures figures_of(const Report& report) {
  Figures f;
  f.cycles = report.run.cycles;
  if (report.run.counters) {
    const system::ClusterCounters& c = *report.run.counters;
    f.compute_cycles = c.compute_cycles;
    f.dma_bytes = c.dma_read_bytes + c.dma_write_bytes;
    for (const auto& ntx : c.ntx) {
      f.macs += ntx.macs;
      f.commands += ntx.commands;
    }
    for (const auto& bank : c.banks) {
      f.bank_accesses += bank.accesses;
      f.bank_conflicts += bank.conflicts;
    }
  }
  if (report.macs) f.macs = *report.macs;
  const auto macs = static_cast<double>(f.macs);
  const auto cycles = static_cast<double>(f.cycles);
  const auto ntx = static_cast<double>(report.cluster.ntx * report.run.clusters.size());
  f.utilization = share(macs, ntx * cycles);
  f.utilization_compute = share(macs, report.cluster.ntx * static_cast<double>(f.compute_cycles));
  f.gflops = share(macs * base::kFlopPerMac * report.ntx_hz, cycles) / 1e9;
  f.dma_gb_per_s = share(static_cast<double>(f.dma_bytes) * report.ntx_hz, cycles) / 1e9;
  return f;
}

analysis::Work work_of(const Report& report, const Figures& f) {
  return {.seconds = base::cycles_to_ns(f.cycles, report.ntx_hz) / 1e9,
          .ntx_hz = report.ntx_hz,
          .clusters = static_cast<double>(report.run.clusters.size()),
          .activity = f.utilization,
          .macs = static_cast<double>(f.macs),
          .memory_bytes = static_cast<double>(f.dma_bytes)};
}

std::string phase_name(const Report& report, std::uint8_t phase) {
  return phase < report.phase_names.size() ? report.phase_names[phase] : fmt::format("phase {}", phase);
}

/// What the job runner spent on the NTX, where it says so.
struct Offload {
  double setup_per_command = 0, wait_per_command = 0;  // core cycles
  double setup_share = 0, wait_share = 0;              // of the run's core cycles
};

std::optional<Offload> offload_of(const Report& report) {
  if (!report.record || report.record->commands == 0) return std::nullopt;
  const interfaces::JobRecord& r = *report.record;
  const double core_cycles = static_cast<double>(report.run.cycles) / report.cluster.core_clock_ratio;
  // The record counts core cycles in 32 bits.
  if (core_cycles > UINT32_MAX) return std::nullopt;
  return Offload{.setup_per_command = share(r.setup_core_cycles, r.commands),
                 .wait_per_command = share(r.wait_ntx_core_cycles, r.commands),
                 .setup_share = share(r.setup_core_cycles, core_cycles),
                 .wait_share = share(r.wait_ntx_core_cycles, core_cycles)};
}

/// Of one cluster.
struct ClusterFigures {
  std::uint64_t macs = 0;  // counted
  double utilization = 0, utilization_compute = 0;
};

ClusterFigures figures_of(const system::ClusterResult& own, unsigned ntx) {
  ClusterFigures f;
  if (!own.counters) return f;
  for (const auto& unit : own.counters->ntx) f.macs += unit.macs;
  f.utilization = share(static_cast<double>(f.macs), ntx * static_cast<double>(own.cycles));
  f.utilization_compute =
      share(static_cast<double>(f.macs), ntx * static_cast<double>(own.counters->compute_cycles));
  return f;
}

void append_cluster_table(std::string& text, const Report& report) {
  text += fmt::format("\n{:<9}{:>14}{:>14}{:>13}{:>12}{:>14}{:>14}{:>8}  {}\n", "cluster", "cycles",
                      "compute", "utilization", "in compute", "MACs", "DMA bytes", "asleep", "end");
  for (std::size_t id = 0; id < report.run.clusters.size(); ++id) {
    const system::ClusterResult& own = report.run.clusters[id];
    const ClusterFigures f = figures_of(own, report.cluster.ntx);
    const auto counted = [&](std::uint64_t value) {
      return own.counters ? with_separators(value) : std::string("-");
    };
    const system::ClusterCounters none;
    const system::ClusterCounters& c = own.counters ? *own.counters : none;
    text += fmt::format(
        "{:>7}  {:>14}{:>14}{:>13}{:>12}{:>14}{:>14}{:>8}  {}\n", id, with_separators(own.cycles),
        counted(c.compute_cycles), format_percent(f.utilization), format_percent(f.utilization_compute),
        counted(f.macs), counted(c.dma_read_bytes + c.dma_write_bytes),
        format_percent(share(static_cast<double>(own.core.asleep), static_cast<double>(own.core.cycles))),
        own.end == system::End::kExit ? fmt::format("exit code {}", own.exit_code) : name_of(own.end));
  }
}

void append_ntx_table(std::string& text, const system::ClusterCounters& c, bool several) {
  text += fmt::format("\nwhere the NTX's cycles went, in % (no step because ... was missing){}\n",
                      several ? ", all clusters together" : "");
  text += fmt::format("  {:<6}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>14}{:>10}\n", "", "busy", "a", "b",
                      "init", "result", "hazard", "idle", "MACs", "commands");
  for (std::size_t n = 0; n < c.ntx.size(); ++n) {
    const auto& ntx = c.ntx[n];
    const auto percent = [&](std::uint64_t part) {
      return 100 * share(static_cast<double>(part), static_cast<double>(c.cycles));
    };
    text += fmt::format("  NTX {:<2}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>8.1f}{:>14}{:>10}\n",
                        n, percent(ntx.busy), percent(ntx.stall_a), percent(ntx.stall_b),
                        percent(ntx.stall_init), percent(ntx.stall_result), percent(ntx.stall_hazard),
                        percent(ntx.idle), with_separators(ntx.macs), with_separators(ntx.commands));
  }
}

/// "name 12.3 %, ..." of the parts that are not zero.
std::string parts(const std::vector<std::pair<const char*, std::uint64_t>>& list, double whole) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : list) {
    if (value != 0)
      texts.push_back(fmt::format("{} {}", name, format_percent(share(static_cast<double>(value), whole))));
  }
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string core_line(const riscv::CoreCounters& core) {
  return parts({{"active", core.active},
                {"load-use", core.stall_load_use},
                {"branches", core.stall_branch},
                {"jumps", core.stall_jump},
                {"multiply/divide", core.stall_mul_div},
                {"traps", core.stall_trap},
                {"fetch", core.stall_fetch},
                {"TCDM", core.stall_data_tcdm},
                {"registers", core.stall_data_peripheral},
                {"memory", core.stall_data_memory},
                {"asleep", core.asleep}},
               static_cast<double>(core.cycles));
}

std::string float_text(float value) {
  return fmt::format("{:.9g} ({:#010x})", value, std::bit_cast<std::uint32_t>(value));
}

ordered_json phases_json(const Report& report, const std::vector<system::PhaseCycles>& phases) {
  ordered_json json = ordered_json::array();
  for (const auto& phase : phases)
    json.push_back({{"name", phase_name(report, phase.phase)}, {"cycles", phase.cycles}});
  return json;
}

ordered_json counters_json(const std::optional<system::ClusterCounters>& known,
                           const riscv::CoreCounters& core) {
  ordered_json counters;
  if (known) {
    const system::ClusterCounters& c = *known;
    counters["cycles"] = c.cycles;
    counters["compute_cycles"] = c.compute_cycles;
    counters["dma"] = {{"read_bytes", c.dma_read_bytes},
                       {"write_bytes", c.dma_write_bytes},
                       {"busy", c.dma_busy},
                       {"wait_bus", c.dma_wait_bus},
                       {"wait_tcdm", c.dma_wait_tcdm}};
    counters["ntx"] = ordered_json::array();
    for (const auto& ntx : c.ntx) {
      counters["ntx"].push_back({{"busy", ntx.busy},
                                 {"stall_a", ntx.stall_a},
                                 {"stall_b", ntx.stall_b},
                                 {"stall_init", ntx.stall_init},
                                 {"stall_result", ntx.stall_result},
                                 {"stall_hazard", ntx.stall_hazard},
                                 {"idle", ntx.idle},
                                 {"macs", ntx.macs},
                                 {"results", ntx.results},
                                 {"commands", ntx.commands}});
    }
    counters["banks"] = ordered_json::array();
    for (const auto& bank : c.banks) {
      counters["banks"].push_back({{"accesses", bank.accesses}, {"conflicts", bank.conflicts}});
    }
  }
  counters["core"] = {{"cycles", core.cycles},
                      {"active", core.active},
                      {"stall_load_use", core.stall_load_use},
                      {"stall_branch", core.stall_branch},
                      {"stall_jump", core.stall_jump},
                      {"stall_mul_div", core.stall_mul_div},
                      {"stall_trap", core.stall_trap},
                      {"stall_fetch", core.stall_fetch},
                      {"stall_data_tcdm", core.stall_data_tcdm},
                      {"stall_data_peripheral", core.stall_data_peripheral},
                      {"stall_data_memory", core.stall_data_memory},
                      {"asleep", core.asleep}};
  if (known) counters["core"]["wait_tcdm_ntx_cycles"] = known->core_wait_tcdm;
  return counters;
}

}  // namespace

const char* name_of(system::End end) {
  switch (end) {
    case system::End::kExit:
      return "exit";
    case system::End::kUncaught:
      return "uncaught-exception";
    case system::End::kMaxCycles:
      return "max-cycles";
    case system::End::kStuck:
      return "stuck";
    case system::End::kInterrupted:
      return "interrupted";
    case system::End::kKilled:
      return "killed";
    case system::End::kStopped:
      return "stopped";
  }
  return "exit";
}

/// What ran, in a report's second line.
static const char* hardware_of(system::Backend backend) {
  return backend == system::Backend::kFast ? "fast backend (cycles are estimates)" : "RTL";
}

std::string format_text(const Report& report) {
  const Figures f = figures_of(report);
  const system::RunResult& run = report.run;
  const std::size_t clusters = std::max<std::size_t>(1, run.clusters.size());
  const bool several = clusters > 1;
  std::string text =
      fmt::format("{}\n  seed {}, {}, {} of {} NTX\n", report.title, report.seed, hardware_of(report.backend),
                  several ? fmt::format("{} clusters", clusters) : "one cluster", report.cluster.ntx);
  if (run.end != system::End::kExit) text += fmt::format("\nNOT COMPLETE: {}\n", run.message);
  for (const std::string& fault : run.faults) text += fmt::format("\nERROR: {}\n", fault);
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<16}{}\n", name, value);
  };

  text += "\n";
  line("cycles", fmt::format("{:>14}   {:.1f} us at {:g} GHz", with_separators(f.cycles),
                             base::cycles_to_ns(f.cycles, report.ntx_hz) / 1e3, report.ntx_hz / 1e9));
  // Of several clusters the mean.
  const auto with_share = [&](std::uint64_t of_all) {
    const std::uint64_t mean = of_all / clusters;
    return fmt::format("{:>14}   {:>5}", with_separators(mean),
                       format_percent(share(static_cast<double>(mean), static_cast<double>(f.cycles))));
  };
  for (const auto& phase : run.phases)
    line("", fmt::format("{}  {}", with_share(phase.cycles), phase_name(report, phase.phase)));
  if (const auto bound = bound_of(report)) {
    line("bound", fmt::format("{:>14}   {:>5}  reached; bound by {}", with_separators(bound->cycles),
                              format_percent(share_of_bound(*bound, f.cycles)), bound->resource));
  }
  if (run.counters) {
    const system::ClusterCounters& c = *run.counters;
    line("compute cycles", fmt::format("{}  at least one NTX holds a command", with_share(f.compute_cycles)));
    line("MACs", fmt::format("{:>14}", with_separators(f.macs)));
    line("utilization", fmt::format("{:>14}   in compute {}", format_percent(f.utilization),
                                    format_percent(f.utilization_compute)));
    line("performance",
         fmt::format(
             "{:>14.2f}   Gflop/s at {:g} GHz (peak {:g})", f.gflops, report.ntx_hz / 1e9,
             base::kFlopPerMac * report.cluster.ntx * static_cast<double>(clusters) * report.ntx_hz / 1e9));
    line("DMA bytes",
         fmt::format("{:>14}   {:.2f} GB/s; {} read, {} written", with_separators(f.dma_bytes),
                     f.dma_gb_per_s, with_separators(c.dma_read_bytes), with_separators(c.dma_write_bytes)));
    const analysis::Work work = work_of(report, f);
    const analysis::Energy energy = analysis::estimate(report.energy, work);
    line("energy",
         fmt::format("{:>14.3f}   uJ estimated: clusters {}, DRAM {}, logic base {}; {:.1f} Gflop/s a watt",
                     energy.total() * 1e6, format_percent(share(energy.clusters, energy.total())),
                     format_percent(share(energy.dram, energy.total())),
                     format_percent(share(energy.logic + energy.standby, energy.total())),
                     analysis::gflop_per_joule(energy, work)));
    if (several) append_cluster_table(text, report);
    append_ntx_table(text, c, several);
    text += "\n";
    const auto cycles = static_cast<double>(c.cycles);
    line("DMA", parts({{"busy", c.dma_busy},
                       {"waits for the bus", c.dma_wait_bus},
                       {"waits for the TCDM", c.dma_wait_tcdm}},
                      cycles));
    line("core", core_line(run.core));
    const auto worst = std::max_element(c.banks.begin(), c.banks.end(), [](const auto& a, const auto& b) {
      return a.conflicts < b.conflicts;
    });
    line("banks",
         fmt::format("{} accesses, {:.1f} a cycle; {} conflicts; worst is bank {} with {}",
                     with_separators(f.bank_accesses), share(static_cast<double>(f.bank_accesses), cycles),
                     with_separators(f.bank_conflicts), worst - c.banks.begin(),
                     with_separators(worst->conflicts)));
  } else {
    line("core", core_line(run.core));
    text += "(no counters: the cluster no longer answers)\n";
  }
  if (run.dram_check) {
    const system::DramCheck& check = *run.dram_check;
    line("DRAM rules", fmt::format("{} commands, {} violations", with_separators(check.commands),
                                   with_separators(check.violations)));
  }
  if (run.protection) line("memory code", run.protection->describe());
  if (!run.counters_exact)
    text += "(counters as they were while units were at work: each may miss its last 200)\n";
  if (const auto offload = offload_of(report)) {
    line(
        "offload",
        fmt::format(
            "{:.1f} core cycles of set-up per NTX command, {} of the run; {:.1f} of waiting, {}; {} commands",
            offload->setup_per_command, format_percent(offload->setup_share), offload->wait_per_command,
            format_percent(offload->wait_share), with_separators(report.record->commands)));
  }
  line("simulated",
       fmt::format("{:.1f} kHz, {:.2f} s{}", run.simulated_khz(), run.host_seconds,
                   several ? fmt::format("; {} clusters in {} host thread{}, {:.1f} kHz together", clusters,
                                         run.threads, run.threads == 1 ? "" : "s",
                                         run.simulated_khz() * static_cast<double>(clusters))
                           : ""));
  if (report.check) {
    const Check& check = *report.check;
    line("check", fmt::format("{} words against the reference: {} mismatches, largest error {} ulp",
                              with_separators(check.words), with_separators(check.mismatches),
                              with_separators(check.max_ulp)));
    if (check.first) {
      line("", fmt::format("first mismatch: {}{} is {}, must be {}", check.first->output, check.first->index,
                           float_text(check.first->got), float_text(check.first->expected)));
    }
  }
  return text;
}

std::string format_side_by_side(const std::vector<Report>& reports, const std::vector<std::string>& names) {
  if (reports.empty()) return "";
  constexpr int kName = 24;
  constexpr int kColumn = 16;
  std::string text = fmt::format("{}\n  seed {}, {}\n\n", reports.front().title, reports.front().seed,
                                 hardware_of(reports.front().backend));
  const auto row = [&](const char* name, const auto& value_of) {
    text += fmt::format("{:<{}}", name, kName);
    for (std::size_t i = 0; i < reports.size(); ++i)
      text += fmt::format("{:>{}}", value_of(reports[i], i), kColumn);
    text += "\n";
  };
  const auto counted = [&](const char* name, const auto& count_of) {
    row(name, [&](const Report& report, std::size_t) { return with_separators(count_of(report)); });
  };
  // Of all NTX together, in per cent of their cycles.
  const auto stalled = [&](const char* name, const auto& part) {
    row(name, [&](const Report& report, std::size_t) -> std::string {
      if (!report.run.counters) return "-";
      double sum = 0;
      for (const auto& ntx : report.run.counters->ntx) sum += static_cast<double>(ntx.*part);
      return format_percent(share(
          sum, static_cast<double>(report.run.counters->cycles) * static_cast<double>(report.cluster.ntx)));
    });
  };
  using Ntx = system::ClusterCounters::Ntx;
  row("", [&](const Report&, std::size_t i) { return std::filesystem::path(names[i]).stem().string(); });
  row("banks", [](const Report& r, std::size_t) { return fmt::format("{}", r.cluster.tcdm_banks); });
  row("multicast", [](const Report& r, std::size_t) { return r.cluster.multicast ? "yes" : "no"; });
  row("operand FIFO, words",
      [](const Report& r, std::size_t) { return fmt::format("{}", r.cluster.operand_fifo_depth); });
  counted("cycles", [](const Report& r) { return r.run.cycles; });
  row("  of the first's", [&](const Report& r, std::size_t) {
    return fmt::format(
        "{:.3f}", share(static_cast<double>(r.run.cycles), static_cast<double>(reports.front().run.cycles)));
  });
  counted("compute cycles", [](const Report& r) { return figures_of(r).compute_cycles; });
  row("utilization", [](const Report& r, std::size_t) { return format_percent(figures_of(r).utilization); });
  row("  in compute",
      [](const Report& r, std::size_t) { return format_percent(figures_of(r).utilization_compute); });
  row("Gflop/s", [](const Report& r, std::size_t) { return fmt::format("{:.2f}", figures_of(r).gflops); });
  stalled("NTX busy", &Ntx::busy);
  stalled("  waits for operand A", &Ntx::stall_a);
  stalled("  waits for operand B", &Ntx::stall_b);
  stalled("  waits for init", &Ntx::stall_init);
  stalled("  waits for results", &Ntx::stall_result);
  stalled("  waits for a hazard", &Ntx::stall_hazard);
  stalled("  idle", &Ntx::idle);
  counted("bank accesses", [](const Report& r) { return figures_of(r).bank_accesses; });
  counted("bank conflicts", [](const Report& r) { return figures_of(r).bank_conflicts; });
  row("  an access", [](const Report& r, std::size_t) {
    const Figures f = figures_of(r);
    return fmt::format("{:.3f}",
                       share(static_cast<double>(f.bank_conflicts), static_cast<double>(f.bank_accesses)));
  });
  row("DMA waits for the TCDM", [](const Report& r, std::size_t) -> std::string {
    if (!r.run.counters) return "-";
    return format_percent(share(static_cast<double>(r.run.counters->dma_wait_tcdm),
                                static_cast<double>(r.run.counters->cycles)));
  });
  row("mismatches", [](const Report& r, std::size_t) -> std::string {
    return r.check ? with_separators(r.check->mismatches) : "not complete";
  });
  return text;
}

std::vector<analysis::Roof> roofs_of(const Report& report) {
  // The ports of the clusters; the vaults together give more than some 60 of them ask for.
  const auto clusters = static_cast<double>(std::max<std::size_t>(1, report.run.clusters.size()));
  const double gflops = clusters * report.cluster.ntx * base::kFlopPerMac * report.ntx_hz / 1e9;
  const double both = clusters * (report.read_gb_per_s + report.write_gb_per_s);
  const double one = clusters * std::max(report.read_gb_per_s, report.write_gb_per_s);
  const std::string who = clusters == 1 ? "1 cluster" : fmt::format("{} clusters", clusters);
  return {{who + ", reads and writes at once", gflops, both}, {who + ", one way only", gflops, one}};
}

std::optional<analysis::Bound> bound_of(const Report& report) {
  if (!report.work) return std::nullopt;
  const auto clusters = static_cast<double>(std::max<std::size_t>(1, report.run.clusters.size()));
  const double bytes = clusters * 1e9 / report.ntx_hz;  // a cycle at 1 GB/s
  return analysis::bound_of(*report.work, {.macs = clusters * report.cluster.ntx,
                                           .read_bytes = bytes * report.read_gb_per_s,
                                           .written_bytes = bytes * report.write_gb_per_s});
}

ordered_json to_json(const Report& report) {
  const Figures f = figures_of(report);
  const system::RunResult& run = report.run;
  ordered_json json;
  json["schema"] = "nearcube-run-1";
  json["workload"] = report.workload;
  json["title"] = report.title;
  json["shape"] = report.shape;
  json["backend"] = report.backend == system::Backend::kFast ? "fast" : "rtl";
  json["clusters"] = run.clusters.size();
  json["seed"] = report.seed;
  json["config"] = report.config;
  json["hardware"] = {{"ntx", report.cluster.ntx},
                      {"tcdm_bytes", report.cluster.tcdm_bytes},
                      {"tcdm_banks", report.cluster.tcdm_banks},
                      {"multicast", report.cluster.multicast},
                      {"operand_fifo_depth", report.cluster.operand_fifo_depth}};
  json["end"] = name_of(run.end);
  json["exit_code"] = run.end == system::End::kExit ? ordered_json(run.exit_code) : ordered_json();
  json["message"] = run.message;
  json["faults"] = run.faults;
  json["dram_check"] = nullptr;
  if (run.dram_check) {
    json["dram_check"] = {{"commands", run.dram_check->commands}, {"violations", run.dram_check->violations}};
  }
  json["memory_code"] = nullptr;
  if (run.protection) {
    const memory::ProtectionResult& p = *run.protection;
    json["memory_code"] = {{"words_read", p.words_read},           {"injected_single", p.injected_single},
                           {"injected_double", p.injected_double}, {"corrected", p.corrected},
                           {"uncorrectable", p.uncorrectable},     {"uncorrectable_addresses", p.addresses}};
  }
  json["cycles"] = f.cycles;
  json["phases"] = phases_json(report, run.phases);
  // What nobody measured is null.
  const auto optional = [](bool have, auto value) { return have ? ordered_json(value) : ordered_json(); };
  const bool counted = run.counters.has_value();
  json["compute_cycles"] = optional(counted, f.compute_cycles);
  const auto bound = bound_of(report);
  json["bound_cycles"] = bound ? ordered_json(bound->cycles) : ordered_json();
  json["bound_by"] = bound ? ordered_json(bound->resource) : ordered_json();
  json["bound_share"] = optional(bound.has_value(), bound ? share_of_bound(*bound, f.cycles) : 0.0);
  json["macs"] = optional(counted || report.macs, f.macs);
  json["utilization"] = optional(counted || report.macs, f.utilization);
  json["utilization_compute"] = optional(counted, f.utilization_compute);
  json["ntx_hz"] = report.ntx_hz;
  json["gflops"] = optional(counted || report.macs, f.gflops);
  json["dma_bytes"] = optional(counted, f.dma_bytes);
  json["dma_gb_per_s"] = optional(counted, f.dma_gb_per_s);
  json["roofs"] = ordered_json::array();
  for (const analysis::Roof& roof : roofs_of(report)) {
    json["roofs"].push_back({{"name", roof.name}, {"gflops", roof.gflops}, {"gb_per_s", roof.gb_per_s}});
  }
  const analysis::Work work = work_of(report, f);
  const analysis::Energy energy = analysis::estimate(report.energy, work);
  json["energy"] = counted ? ordered_json{{"constants", report.energy.file},
                                          {"joule", energy.total()},
                                          {"clusters_joule", energy.clusters},
                                          {"dram_joule", energy.dram},
                                          {"logic_joule", energy.logic},
                                          {"static_joule", energy.standby},
                                          {"gflop_per_joule", analysis::gflop_per_joule(energy, work)}}
                           : ordered_json();
  const auto offload = offload_of(report);
  json["offload_cycles_per_command"] =
      optional(offload.has_value(), offload ? offload->setup_per_command : 0.0);
  json["offload_share"] = optional(offload.has_value(), offload ? offload->setup_share : 0.0);
  json["offload_wait_cycles_per_command"] =
      optional(offload.has_value(), offload ? offload->wait_per_command : 0.0);
  json["offload_wait_share"] = optional(offload.has_value(), offload ? offload->wait_share : 0.0);
  json["commands"] = optional(counted, f.commands);
  const bool checked = report.check.has_value();
  json["words_checked"] = checked ? report.check->words : 0;
  json["mismatches"] = optional(checked, checked ? report.check->mismatches : 0);
  json["max_ulp"] = optional(checked, checked ? report.check->max_ulp : 0);
  json["first_mismatch"] = nullptr;
  if (checked && report.check->first) {
    const FirstMismatch& first = *report.check->first;
    const auto bits = [](float value) {
      return fmt::format("{:#010x}", std::bit_cast<std::uint32_t>(value));
    };
    json["first_mismatch"] = {{"output", first.output},
                              {"index", first.index},
                              {"expected_bits", bits(first.expected)},
                              {"got_bits", bits(first.got)}};
  }
  json["simulated_khz"] = run.simulated_khz();
  json["host_seconds"] = run.host_seconds;
  json["host_cpu_seconds"] = run.host_cpu_seconds;
  json["host_threads"] = run.threads;

  json["counters_exact"] = run.counters_exact;
  json["counters"] = counters_json(run.counters, run.core);
  // Of each cluster, where `counters` and `phases` are the sums of all.
  json["per_cluster"] = ordered_json::array();
  for (std::size_t id = 0; id < run.clusters.size(); ++id) {
    const system::ClusterResult& own = run.clusters[id];
    const ClusterFigures figures = figures_of(own, report.cluster.ntx);
    ordered_json one;
    one["cluster"] = id;
    one["end"] = name_of(own.end);
    one["exit_code"] = own.end == system::End::kExit ? ordered_json(own.exit_code) : ordered_json();
    one["cycles"] = own.cycles;
    one["phases"] = phases_json(report, own.phases);
    one["macs"] = optional(own.counters.has_value(), figures.macs);
    one["utilization"] = optional(own.counters.has_value(), figures.utilization);
    one["utilization_compute"] = optional(own.counters.has_value(), figures.utilization_compute);
    one["counters_exact"] = own.counters_exact;
    one["counters"] = counters_json(own.counters, own.core);
    json["per_cluster"].push_back(std::move(one));
  }
  return json;
}

}  // namespace nearcube::cli
