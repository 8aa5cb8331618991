// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"
#include "sim/debug/gdb_server.h"
#include "sim/riscv/elf.h"
#include "sim/system/cube_system.h"
#include "sw/cli/arrays.h"
#include "sw/cli/paths.h"
#include "sw/cli/report.h"

namespace nearcube::cli {
namespace {

/// A line on the terminal that a long run keeps rewriting; nothing in a pipe.
class Progress {
 public:
  explicit Progress(std::uint64_t max_cycles)
      : max_cycles_(max_cycles), terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }

  void show(std::uint64_t cycles) {
    if (!terminal_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (seconds < 0.5) return;
    const double rate = static_cast<double>(cycles) / seconds;
    std::string line =
        fmt::format("{} cycles, {:.0f} kHz, {:.0f} s", base::with_separators(cycles), rate / 1e3, seconds);
    if (max_cycles_ != 0) {
      line += fmt::format("; at most {:.0f} s to the cycle limit",
                          static_cast<double>(max_cycles_ - std::min(max_cycles_, cycles)) / rate);
    }
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
  }

  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  std::uint64_t max_cycles_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void check_trace_options(const RunOptions& options) {
  const bool window = options.trace_from != 0 || options.trace_to != ~std::uint64_t{0};
  if (options.trace.empty() && !options.trace_scope.empty()) {
    bad_input("--trace-scope needs --trace FILE.fst");
  }
  if (options.trace.empty() && options.trace_instructions.empty() && options.trace_commands.empty() &&
      options.timeline.empty() && window) {
    bad_input(
        "--trace-from and --trace-to need --trace FILE.fst, --timeline FILE.json, --trace-instructions or "
        "--trace-commands FILE");
  }
  if (options.trace_from > options.trace_to) {
    bad_input("--trace-from {}: the window ends at cycle {}, before it begins", options.trace_from,
              options.trace_to);
  }
  if (!options.trace.empty() && !options.trace.ends_with(".fst")) {
    bad_input("--trace {}: waveforms are written in GTKWave's FST format only: call the file {}",
              options.trace, std::filesystem::path(options.trace).replace_extension(".fst").string());
  }
}

/// Throws now, not after a long run, if a file cannot be written or is to be written twice.
void check_output_files(const RunOptions& options, std::vector<std::string> files) {
  for (const std::string& file : {options.json, options.trace_instructions, options.trace_commands,
                                  options.timeline, options.roofline}) {
    if (!file.empty()) files.push_back(file);
  }
  for (const std::string& file : files) base::check_writable(file);
  if (!options.trace.empty()) {
    for (const std::string& file : {options.trace, options.trace + ".gtkw"}) {
      base::check_writable(file);
      files.push_back(file);
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::error_code none;
    const auto place = std::filesystem::weakly_canonical(files[i], none);
    const bool replaced =
        !std::filesystem::exists(place, none) || std::filesystem::is_regular_file(place, none);
    for (std::size_t j = 0; replaced && j < i; ++j) {
      if (std::filesystem::weakly_canonical(files[j], none) == place)
        bad_input("{}: two outputs are to be written to this file", files[i]);
    }
  }
}

/// Runs a loaded system with console, progress and trace. A trace that failed does not hide the report: its
/// error is returned.
std::optional<Error> execute(system::CubeSystem& system, const std::string& elf, const RunOptions& options,
                             Report& report) {
  const auto energy = analysis::read_energy_constants(energy_file(options.energy));
  // A signal ends the run, not its report and its trace.
  const base::NoteInterrupts noting;
  system::ClusterNode& observed = system.observed();
  if (!options.trace.empty()) {
    observed.trace({.file = options.trace,
                    .from = options.trace_from,
                    .to = options.trace_to,
                    .scope = options.trace_scope,
                    .ntx_hz = system.config().ntx_hz});
  }
  if (!options.trace_instructions.empty()) {
    observed.trace_instructions(options.trace_instructions, options.trace_from, options.trace_to);
  }
  if (!options.trace_commands.empty()) {
    observed.trace_commands(options.trace_commands, options.trace_from, options.trace_to);
  }
  if (!options.timeline.empty()) {
    observed.trace_timeline({.file = options.timeline,
                             .from = options.trace_from,
                             .to = options.trace_to,
                             .ntx_hz = system.config().ntx_hz,
                             .phase_names = report.phase_names});
  }
  Progress progress(options.max_cycles);
  system.set_console([&progress](const std::string& text) {
    progress.clear();
    std::fwrite(text.data(), 1, text.size(), stdout);
  });
  std::optional<debug::GdbServer> gdb;
  if (options.gdb) {
    gdb.emplace(*options.gdb, [&progress](const std::string& line) {
      progress.clear();
      std::fprintf(stderr, "gdb: %s\n", line.c_str());
    });
    std::fprintf(stderr, "gdb: waiting; connect with: gdb-multiarch -ex \"target remote localhost:%u\" %s\n",
                 gdb->port(), elf.c_str());
  }
  report.run = system.run({.max_cycles = options.max_cycles,
                           .progress = [&](std::uint64_t cycles) { progress.show(cycles); },
                           .debugger = gdb ? &*gdb : nullptr});
  if (report.run.end == system::End::kInterrupted) base::clear_interrupt();
  progress.clear();
  std::fflush(stdout);
  report.config = system.config().file;
  report.ntx_hz = system.config().ntx_hz;
  report.cluster = system.parameters();
  report.energy = energy;
  report.read_gb_per_s = system.config().timing.read_bytes_per_core_cycle * system.config().core_hz() / 1e9;
  report.write_gb_per_s = system.config().timing.write_bytes_per_core_cycle * system.config().core_hz() / 1e9;
  report.seed = options.seed;
  report.backend = options.backend;
  try {
    const system::RunResult& run = report.run;
    observed.finish_tables(run.end == system::End::kExit
                               ? fmt::format("exit code {} after {} cycles", run.exit_code, run.cycles)
                               : run.message.substr(0, run.message.find('\n')));
    if (!observed.finish_trace()) {
      return base::error(ExitStatus::kBadInput,
                         "--trace-from {}: the run ended at cycle {}; no trace was written",
                         options.trace_from, report.run.cycles);
    }
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

void print(const std::string& text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that has seen enough (| head -1) is no error.
  if (!written) {
    if (errno != EPIPE)
      throw base::error(ExitStatus::kOther, "cannot write the report: {}", std::strerror(errno));
    std::clearerr(stdout);
  }
}

void complain(const std::string& message) { std::fprintf(stderr, "nearcube: %s\n", message.c_str()); }

/// Prints and writes the report.
void publish(const Report& report, const RunOptions& options) {
  print(format_text(report));
  if (!options.json.empty()) base::write_file_atomically(options.json, to_json(report).dump(2) + "\n");
  if (!options.roofline.empty() && report.run.end != system::End::kExit) {
    complain("no roofline: the run did not end by itself");
  } else if (!options.roofline.empty()) {
    const auto measured = analysis::from_report(to_json(report), "this run");
    plot::write_svg(options.roofline, analysis::roofline(measured.roofs, {measured.kernel}));
  }
}

/// Exit status of a run that did not end by itself; 0 if it did.
int status_of_end(const system::RunResult& run, ExitStatus uncaught) {
  switch (run.end) {
    case system::End::kExit:
      return 0;
    case system::End::kUncaught:
      return static_cast<int>(uncaught);
    case system::End::kMaxCycles:
    case system::End::kStuck:
      return static_cast<int>(ExitStatus::kStuck);
    case system::End::kInterrupted:
    case system::End::kKilled:
    case system::End::kStopped:
      return static_cast<int>(ExitStatus::kOther);
  }
  return 0;
}

/// The status to end with: what the run says, else a violated rule of the DRAM, else the trace's error.
int finish(int status, const system::RunResult& run, const std::optional<Error>& trace_error) {
  if (run.dram_check && run.dram_check->violations != 0) {
    complain(run.dram_check->report);
    if (status == 0) status = static_cast<int>(ExitStatus::kOther);
  }
  if (trace_error) {
    complain(trace_error->what());
    if (status == 0) status = trace_error->exit_code();
  }
  return status;
}

std::optional<interfaces::JobRecord> read_record(system::CubeSystem& system, std::uint64_t address) {
  interfaces::JobRecord record;
  system.read(address, {reinterpret_cast<std::uint8_t*>(&record), sizeof record});
  if (record.magic != interfaces::kRecordMagic) return std::nullopt;
  return record;
}

network::Tensor read_tensor(system::CubeSystem& system, std::uint64_t address, const network::Shape& shape) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(network::element_count(shape)) * 4);
  system.read(address, bytes);
  return network::from_bytes(shape, bytes);
}

}  // namespace

void check_run_options(const RunOptions& options, const std::vector<std::string>& files) {
  check_trace_options(options);
  check_output_files(options, files);
}

std::optional<hmc::CubeConfig> load_memory(const RunOptions& options) {
  const std::string& name = options.memory;
  if (name.empty() || name == "flat") return std::nullopt;
  const std::vector<std::string> presets = cube_names();
  std::error_code none;
  if (std::find(presets.begin(), presets.end(), name) == presets.end() &&
      !std::filesystem::exists(name, none)) {
    bad_input("--memory {}: neither flat, nor a file, nor one of the presets {}{}", name,
              fmt::join(presets, ", "), base::did_you_mean(name, presets));
  }
  return hmc::read_cube_config(cube_file(name));
}

system::CubeOptions cube_options(const RunOptions& options) {
  const std::optional<hmc::CubeConfig> memory = load_memory(options);
  memory::FaultInjection faults;
  faults.seed = options.seed;
  for (const std::string& fault : options.inject)
    memory::add_fault(faults, fault, memory ? memory->vaults : 0, memory ? memory->banks : 0);
  return {.clusters = options.clusters,
          .threads = options.threads != 0 ? options.threads : base::default_threads(),
          .seed = options.seed,
          .observed = options.trace_cluster,
          .traceable = !options.trace.empty(),
          .backend = options.backend,
          .memory = memory,
          .check_dram = options.check_dram,
          .faults = faults};
}

system::ClusterConfig load_config(const RunOptions& options) {
  return system::load_cluster_config(config_file(options.config));
}

compiler::Machine machine_of(const system::ClusterConfig& config, const RunOptions& options) {
  const auto memory = load_memory(options);
  return {
      .ntx = config.cluster.ntx,
      .banks = config.cluster.tcdm_banks,
      .tile_bytes = interfaces::kTileSpaceBytes,
      .accumulator_segments = config.cluster.accumulator_segments,
      .memory_bytes = std::min<std::uint64_t>(memory ? memory->capacity_bytes : config.memory_bytes,
                                              interfaces::kCubeSize),
      .clusters = options.clusters,
  };
}

Measurement measure_case(const Case& job, const std::string& name, const system::ClusterConfig& config,
                         const RunOptions& options) {
  const auto elf = riscv::ElfFile::load(firmware(job.workload.firmware));
  system::CubeSystem system(config, cube_options(options));
  system.load(elf);
  for (const compiler::Piece& piece : job.workload.image) system.write(piece.address, piece.bytes);

  Measurement measurement;
  Report& report = measurement.report;
  report.title = job.title;
  report.workload = name;
  report.shape = job.shape;
  report.phase_names = job.workload.phases;
  report.macs = job.workload.macs;
  report.work = {.macs = job.workload.macs,
                 .read_bytes = job.workload.read_bytes,
                 .written_bytes = job.workload.written_bytes};
  measurement.trace_error = execute(system, elf.path(), options, report);
  report.record = read_record(system, job.workload.record_address);

  CaseResult& result = measurement.result;
  result.status = status_of_end(report.run, ExitStatus::kOther);
  const bool complete = report.run.end == system::End::kExit && report.run.exit_code == interfaces::kJobOk;
  if (complete) {
    const auto expected = job.reference();
    Check check;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const compiler::Output& output = job.workload.outputs.at(i);
      result.outputs.push_back(read_tensor(system, output.address, output.shape));
      compare(output.name, expected[i], result.outputs.back(), check);
    }
    report.check = check;
    if (check.mismatches != 0) result.status = static_cast<int>(ExitStatus::kMismatch);
  } else {
    // Nobody's MACs can be counted on.
    report.macs.reset();
    report.work.reset();
  }
  if (report.run.end == system::End::kExit && !complete) {
    const auto record = report.record;
    measurement.complaint =
        fmt::format("the job runner ended with exit code {}{} (docs/reference/registers.md lists them)",
                    report.run.exit_code, record ? fmt::format(" at tile {}", record->descriptor) : "");
    const system::ClusterNode& node = system.node(report.run.cluster);
    if (report.run.exit_code == interfaces::kExitTrap)
      measurement.complaint += fmt::format("\nnearcube: {}\n{}", node.describe_trap(), node.history(true));
    result.status = static_cast<int>(ExitStatus::kOther);
  }
  if (report.check && report.check->mismatches != 0) {
    measurement.complaint = fmt::format("{} of {} words differ from the reference", report.check->mismatches,
                                        report.check->words);
  }
  return measurement;
}

CaseResult run_case(const Case& job, const std::string& name, const system::ClusterConfig& config,
                    const RunOptions& options) {
  Measurement measurement = measure_case(job, name, config, options);
  publish(measurement.report, options);
  for (const std::string& fault : measurement.report.run.faults) complain(fault);
  if (!measurement.complaint.empty()) complain(measurement.complaint);
  measurement.result.status =
      finish(measurement.result.status, measurement.report.run, measurement.trace_error);
  return measurement.result;
}

int run_workload(const WorkloadRequest& request, const RunOptions& options, const std::string& output) {
  check_run_options(options, output.empty() ? std::vector<std::string>() : std::vector{output});
  const system::ClusterConfig config = load_config(options);
  const Case job = make_case(request, machine_of(config, options));
  const CaseResult result = run_case(job, request.name, config, options);
  if (!result.outputs.empty() && !output.empty()) network::write_npy(output, result.outputs.front());
  return result.status;
}

int compare_workload(const WorkloadRequest& request, const std::vector<std::string>& configs,
                     const RunOptions& options) {
  check_run_options(options, {});
  // All of them before the first run, so that a mistake in the last is known now.
  std::vector<system::ClusterConfig> machines;
  for (const std::string& name : configs) {
    machines.push_back(system::load_cluster_config(config_file(name)));
    system::check_model(machines.back(), false, options.backend);
  }
  std::vector<Report> reports;
  int status = 0;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Case job = make_case(request, machine_of(machines[i], options));
    Measurement measurement = measure_case(job, request.name, machines[i], options);
    if (status == 0) status = measurement.result.status;
    for (const std::string& fault : measurement.report.run.faults)
      complain(fmt::format("{}: {}", configs[i], fault));
    if (!measurement.complaint.empty()) complain(fmt::format("{}: {}", configs[i], measurement.complaint));
    reports.push_back(std::move(measurement.report));
    if (reports.back().run.end == system::End::kInterrupted) break;
  }
  print(format_side_by_side(reports, configs));
  if (!options.json.empty()) {
    nlohmann::ordered_json json;
    json["schema"] = "nearcube-compare-1";
    json["workload"] = request.name;
    json["runs"] = nlohmann::ordered_json::array();
    for (const Report& report : reports) json["runs"].push_back(to_json(report));
    base::write_file_atomically(options.json, json.dump(2) + "\n");
  }
  return status;
}

int run_elf(const std::string& path, const std::vector<std::string>& loads,
            const std::vector<std::string>& dumps, const RunOptions& options) {
  const system::ClusterConfig config = load_config(options);
  const auto elf = riscv::ElfFile::load(path);
  std::vector<Load> inputs;
  std::vector<Dump> results;
  for (const std::string& load : loads) inputs.push_back(parse_load(load, elf));
  for (const std::string& dump : dumps) results.push_back(parse_dump(dump, elf));
  std::vector<std::string> files;
  for (const Dump& dump : results) files.push_back(dump.file);
  check_run_options(options, files);

  system::CubeSystem system(config, cube_options(options));
  system.load(elf);
  for (const Load& load : inputs) system.write(load.place.address, network::to_bytes(load.values));
  for (const Dump& dump : results) {
    system.require_exists(dump.place.address,
                          static_cast<std::uint64_t>(network::element_count(dump.shape)) * 4);
  }

  Report report;
  report.title = path;
  report.workload = "elf";
  report.shape = {{"elf", path}};
  const auto trace_error = execute(system, elf.path(), options, report);
  publish(report, options);

  // Words beyond repair are no fault of the firmware.
  const bool memory_failed = report.run.protection && report.run.protection->uncorrectable != 0;
  const ExitStatus blame = memory_failed ? ExitStatus::kOther : ExitStatus::kBadInput;
  int status = status_of_end(report.run, blame);
  const system::ClusterNode& node = system.node(report.run.cluster);
  const bool faulted = !report.run.faults.empty();
  for (const std::string& fault : report.run.faults) complain(fault);
  if (report.run.end == system::End::kUncaught) complain(report.run.message);
  if (report.run.end == system::End::kExit) {
    if (report.run.exit_code == 0 && faulted) {
      complain(fmt::format(
          "{}: the program ended with success, but left this error uncleared: its results do not count",
          path));
      status = static_cast<int>(blame);
    } else if (report.run.exit_code == 0) {
      for (const Dump& dump : results) {
        network::write_npy(dump.file, read_tensor(system, dump.place.address, dump.shape), dump.element);
      }
    } else if (report.run.exit_code == interfaces::kExitTrap && node.trapped()) {
      complain(fmt::format("{}\n{}", node.describe_trap(), node.history(true)));
      status = static_cast<int>(blame);
    } else {
      complain(fmt::format("{}: the program ended with exit code {}{}", path, report.run.exit_code,
                           system.clusters() > 1 ? fmt::format(" on cluster {}", node.id()) : ""));
      status = static_cast<int>(faulted ? blame : ExitStatus::kOther);
    }
  }
  return finish(status, report.run, trace_error);
}

}  // namespace nearcube::cli
