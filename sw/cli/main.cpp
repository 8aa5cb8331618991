// SPDX-License-Identifier: Apache-2.0
// The program `nearcube`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/suggest.h"
#include "sw/cli/demo.h"
#include "sw/cli/help.h"
#include "sw/cli/info.h"
#include "sw/cli/memory_command.h"
#include "sw/cli/roofline.h"
#include "sw/cli/run.h"
#include "sw/cli/workloads.h"

namespace nearcube::cli {
namespace {

const std::vector<std::string> kCommands = {"demo", "run", "compare", "roofline", "memory", "info"};

const std::string kRunOptions = "Run";
const std::string kTraceOptions = "Traces";
const std::string kConfigHelp =
    "machine: a preset of config/cluster (default, published) or a description's file";
const std::string kDebugOptions = "Debugging";

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--seed", options.seed, "of random inputs, and of the values registers start with")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(0))
      ->group(kRunOptions);
  app.add_option("--config", options.config, kConfigHelp)
      ->type_name("NAME|FILE")
      ->check(file_name())
      ->default_str("default")
      ->group(kRunOptions);
  app.add_option("--energy", options.energy,
                 "constants of the energy estimate: a preset of config/energy or a file")
      ->type_name("NAME|FILE")
      ->check(file_name())
      ->default_str("hmc-22fdx")
      ->group(kRunOptions);
  app.add_option("--json", options.json, "write the report for scripts")
      ->type_name("FILE.json")
      ->check(file_name())
      ->group(kRunOptions);
  app.add_option("--roofline", options.roofline, "draw the run under the machine's roofline")
      ->type_name("FILE.svg")
      ->check(file_name())
      ->group(kRunOptions);
  app.add_option(
         "--max-cycles", options.max_cycles,
         "end the run, with status 4, after N NTX clock cycles (0.8 ns each) [20,000,000,000, from the "
         "configuration]")
      ->type_name("N")
      ->check(whole_number(1))
      ->group(kRunOptions);
  app.add_option("--memory", options.memory,
                 "the cube's vaults: hmc2-8gb, hmc-2gb, hmc-4gb, smc, or a file of your own like those in "
                 "config/cube; or "
                 "flat, a fixed latency")
      ->type_name("NAME|FILE|flat")
      ->default_str("flat")
      ->check(file_name())
      ->group(kRunOptions);
  app.add_option_function<std::string>(
         "--backend",
         [&options](const std::string& name) {
           options.backend = name == "fast" ? system::Backend::kFast : system::Backend::kRtl;
         },
         "what stands for the clusters' hardware: rtl, or fast: the same bits in less time, whose cycles are "
         "estimates")
      ->type_name("rtl|fast")
      ->default_str("rtl")
      ->check(one_of({"rtl", "fast"}))
      ->group(kRunOptions);
  app.add_option("--clusters", options.clusters, "clusters of the cube, 1 to 128")
      ->type_name("K")
      ->capture_default_str()
      ->check(whole_number(1, system::kMostClusters))
      ->group(kRunOptions);
  app.add_option("--threads", options.threads,
                 "host threads that simulate them; the results do not depend on it [the machine's cores]")
      ->type_name("N")
      ->check(whole_number(1, 1024))
      ->group(kRunOptions);
  app.add_flag("--check-dram", options.check_dram,
               "hold every DRAM command of --memory's vaults against the rules; status 1 if one is broken")
      ->group(kRunOptions);
  app.add_option(
         "--inject", options.inject,
         "protect the memory by a SECDED code and give it faults: bit-flips=RATE or double-flips=RATE of the "
         "64-bit words read, or stuck-bank=VAULT:BANK of a cube's vaults; may be repeated")
      ->type_name("FAULT")
      ->take_all()
      ->allow_extra_args(false)
      ->group(kRunOptions);
  app.add_option("--trace-cluster", options.trace_cluster,
                 "the cluster that traces, the timeline, --gdb and dumps of the scratchpad are of")
      ->type_name("ID")
      ->capture_default_str()
      ->check(whole_number(0, system::kMostClusters - 1))
      ->group(kTraceOptions);
  app.add_option("--trace", options.trace,
                 "record waveforms, with a GTKWave save file FILE.fst.gtkw beside them")
      ->type_name("FILE.fst")
      ->check(file_name())
      ->group(kTraceOptions);
  app.add_option("--trace-from", options.trace_from, "first NTX clock cycle to record [0]")
      ->type_name("CYCLE")
      ->check(whole_number(0))
      ->group(kTraceOptions);
  app.add_option("--trace-to", options.trace_to, "last NTX clock cycle to record [the run's last]")
      ->type_name("CYCLE")
      ->check(whole_number(0))
      ->group(kTraceOptions);
  app.add_option("--trace-scope", options.trace_scope,
                 "record only this instance and what is in it, as cluster.u_dma [everything]")
      ->type_name("PATH")
      ->group(kTraceOptions);
  app.add_option("--trace-instructions", options.trace_instructions,
                 "write a line for each instruction of the core: cycle, pc, registers, function, source line")
      ->type_name("FILE")
      ->check(file_name())
      ->group(kTraceOptions);
  app.add_option("--trace-commands", options.trace_commands,
                 "write a table of the commands of NTX and DMA: start, end, stalls by cause, who wrote them")
      ->type_name("FILE.csv")
      ->check(file_name())
      ->group(kTraceOptions);
  app.add_option("--timeline", options.timeline,
                 "write what each unit did when, to be opened in ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE.json")
      ->check(file_name())
      ->group(kTraceOptions);
  app.add_option_function<std::uint16_t>(
         "--gdb", [&options](const std::uint16_t& port) { options.gdb = port; },
         "wait for GDB on this TCP port of 127.0.0.1 before the first instruction; 0 takes a free one")
      ->type_name("PORT")
      ->check(whole_number(0, 65535))
      ->group(kDebugOptions);
}

/// A command or workload that does not exist, before CLI11 says so less helpfully.
void check_word(const char* word, const std::vector<std::string>& known, const char* what) {
  const std::string text = word;
  if (text.starts_with("-") || std::find(known.begin(), known.end(), text) != known.end()) return;
  const std::string suggestion = base::did_you_mean(text, known);
  bad_input("unknown {} \"{}\"{} There are {}", what, text, suggestion.empty() ? "." : suggestion,
            fmt::join(known, ", "));
}

/// The command that was given, with its workload if it has one.
const CLI::App& given_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

[[noreturn]] void refuse_own_firmware(const std::string& option, const std::string& workload) {
  bad_input(
      "{} and the workload {} exclude each other, since a workload brings its own firmware and arrays: leave "
      "out "
      "{}, or run your own firmware with \"run --elf FILE\", --load and --dump",
      option, workload, option);
}

/// Says what is wrong with the words that CLI11 does not know: the first option that the command does not
/// have, with the closest that it has.
[[noreturn]] void refuse_extras(const CLI::App& app, std::span<char* const> words,
                                const CLI::ExtrasError& error) {
  const CLI::App& command = given_command(app);
  std::vector<std::string> own;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) own.push_back("--" + name);
  }
  const std::vector<std::string> firmware = {"--elf", "--load", "--dump"};
  for (const std::string word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(own.begin(), own.end(), name) != own.end()) continue;
    if (command.get_parent() != nullptr && command.get_parent()->get_name() == "run" &&
        std::find(firmware.begin(), firmware.end(), name) != firmware.end()) {
      refuse_own_firmware(name, command.get_name());
    }
    const std::string suggestion = base::did_you_mean(name, own);
    bad_input("unknown option \"{}\"{} See --help", name, suggestion.empty() ? "." : suggestion);
  }
  bad_input("{}. Values follow an option, as in --name VALUE; see --help", error.what());
}

/// Says it where a user looks; if stderr is closed, nowhere. Never throws, unlike fmt::print.
void complain(const char* message) {
  std::fflush(stdout);
  std::fprintf(stderr, "nearcube: %s\n", message);
}

/// The status to end with, given that of the command: what was printed must have arrived. A reader that has
/// seen enough is no error.
int finish_output(int status) {
  std::cout.flush();
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (flushed || errno == EPIPE || status != 0) return status;
  complain(fmt::format("cannot write to the standard output{}",
                       errno != 0 ? fmt::format(": {}", std::strerror(errno)) : "")
               .c_str());
  return static_cast<int>(ExitStatus::kOther);
}

int run(int argc, char* argv[]) {
  if (argc > 1) check_word(argv[1], kCommands, "command");
  if (argc > 2 && (std::string(argv[1]) == "run" || std::string(argv[1]) == "compare")) {
    check_word(argv[2], workload_names(), "workload");
  }
  if (argc > 2 && std::string(argv[1]) == "memory") check_word(argv[2], memory_commands(), "command");

  CLI::App app("A near-memory training accelerator: RTL, firmware, and every number checked.", "./nearcube");
  app.formatter(std::make_shared<HelpFormatter>());
  app.option_defaults()->group("Help");
  app.set_help_flag("-h,--help", "print this");
  app.set_version_flag("--version", version(), "print the version");
  app.require_subcommand(1);
  app.footer(
      "Example\n  ./nearcube run conv2d --in-channels 16 --out-channels 32 --height 32 --width 32 --kernel 3 "
      "--pad 1\n"
      "\nExit status: 0 all right, 2 bad input, 3 a result differs from its reference, 4 a stuck or endless\n"
      "simulation, 1 anything else.");

  int status = 0;
  RunOptions options;
  WorkloadRequest request;
  std::string output;

  DemoOptions demo_options;
  CLI::App* demo = app.add_subcommand(
      "demo", "Fashion-MNIST test images through a convolution, ReLU and pooling, checked bit by bit");
  demo->footer("Example\n  ./nearcube demo --first 100 --images 2 --png shoes.png");
  demo->add_option("--first", demo_options.first, "first test image, 0 to 9999")
      ->type_name("INDEX")
      ->check(whole_number(0))
      ->capture_default_str()
      ->group("Demo");
  demo->add_option("--images", demo_options.count, "number of images, 1 to 64")
      ->type_name("N")
      ->check(whole_number(1, 64))
      ->capture_default_str()
      ->group("Demo");
  demo->add_option("--png", demo_options.png, "picture to write: each image and its eight feature maps")
      ->type_name("FILE.png")
      ->capture_default_str()
      ->check(file_name())
      ->group("Demo");
  add_run_options(*demo, options);
  demo->callback([&] { status = run_demo(demo_options, options); });

  CLI::App* run = app.add_subcommand("run", "Run a workload or your own firmware on the cluster's RTL");
  run->footer(
      "Examples\n  ./nearcube run gemm --m 64 --n 64 --k 256 --json gemm.json\n"
      "  ./nearcube run --elf build/firmware/axpy.elf --dump y:2048=y.npy\n"
      "\nEach workload has its own --help.");
  std::string elf;
  std::vector<std::string> loads;
  std::vector<std::string> dumps;
  const std::string own = "Your own firmware";
  run->add_option("--elf", elf, "run this firmware instead of a workload")
      ->type_name("FILE.elf")
      ->check(file_name())
      ->group(own);
  run->add_option(
         "--load", loads,
         "write an fp32 or int32 array before the run; a hexadecimal address (0x80200000) may stand for the "
         "symbol; may be repeated")
      ->type_name("SYMBOL=FILE.npy")
      ->take_all()
      ->allow_extra_args(false)
      ->group(own);
  run->add_option(
         "--dump", dumps,
         "write an array to a file after the run, as y:16x32=y.npy, or y:16x32:int32=y.npy; may be repeated")
      ->type_name("SYMBOL:SHAPE[:TYPE]=FILE.npy")
      ->take_all()
      ->allow_extra_args(false)
      ->group(own);
  add_run_options(*run, options);
  run->require_subcommand(0, 1);

  // The shape, operation and first operand of a workload.
  const auto add_workload = [&request](CLI::App& parent, const WorkloadKind& kind) {
    CLI::App* sub = parent.add_subcommand(kind.name, kind.summary);
    sub->group(kWorkloads);
    for (const ShapeOption& option : kind.options) {
      sub->add_option_function<std::int64_t>(
             fmt::format("--{}", option.name),
             [&request, &option](const std::int64_t& value) {
               request.shape[option.name] = value;
               request.given.insert(option.name);
             },
             option.help)
          ->type_name("N")
          ->default_str(std::to_string(option.fallback))
          ->check(whole_number(static_cast<std::uint64_t>(option.min), INT32_MAX))
          ->group("Shape");
    }
    const std::string name = kind.name;
    if (name == "conv2d") {
      sub->add_flag("--relu", request.relu, "ReLU at the rounding of each result")->group("Operation");
      sub->add_flag("--bias", request.bias, "start each sum from a (random) bias")->group("Operation");
    }
    if (name == "diffusion") {
      sub->add_option("--rate", request.rate, "diffusion number of a step, 0 to 1")
          ->type_name("R")
          ->default_str(fmt::format("{:g}", request.rate))
          ->check(share())
          ->group("Operation");
    }
    sub->add_option("--input", request.input,
                    "first operand: FILE.npy (fp32), fashion-mnist:INDEX (a test image, 0 to 9999) or random")
        ->type_name("SOURCE")
        ->capture_default_str()
        ->group("Data");
    return sub;
  };
  const auto settle = [&](const WorkloadKind& kind) {
    request.name = kind.name;
    request.seed = options.seed;
    for (const ShapeOption& option : kind.options) request.shape.emplace(option.name, option.fallback);
  };
  for (const WorkloadKind& kind : workload_kinds()) {
    CLI::App* sub = add_workload(*run, kind);
    sub->footer(fmt::format("Example\n  ./{}", kind.example));
    sub->add_option("--output", output, "write the result as an fp32 array")
        ->type_name("FILE.npy")
        ->check(file_name())
        ->group("Data");
    add_run_options(*sub, options);
    sub->callback([&, sub_kind = &kind] {
      settle(*sub_kind);
      if (!elf.empty() || !loads.empty() || !dumps.empty()) {
        refuse_own_firmware(!elf.empty() ? "--elf" : !loads.empty() ? "--load" : "--dump", request.name);
      }
      status = run_workload(request, options, output);
    });
  }
  run->callback([&] {
    if (!run->get_subcommands().empty()) return;
    if (elf.empty()) {
      bad_input("nothing to run: name a workload ({}) or --elf FILE; see nearcube run --help",
                fmt::join(workload_names(), ", "));
    }
    status = run_elf(elf, loads, dumps, options);
  });

  std::vector<std::string> configs;
  CLI::App* versus =
      app.add_subcommand("compare", "Run a workload on several machines, figures side by side");
  versus->footer(
      "Example\n  ./nearcube compare conv2d --in-channels 16 --out-channels 32 --height 32 --width 32 "
      "--kernel 3 "
      "--pad 1 --config default --config published");
  versus->require_subcommand(1);
  for (const WorkloadKind& kind : workload_kinds()) {
    CLI::App* sub = add_workload(*versus, kind);
    std::string example = kind.example;
    if (const std::size_t at = example.find(" run "); at != std::string::npos)
      example.replace(at, 5, " compare ");
    sub->footer(fmt::format("Example\n  ./{} --config default --config published", example));
    sub->add_option("--config", configs, kConfigHelp + "; repeat it for each [default and published]")
        ->type_name("NAME|FILE")
        ->take_all()
        ->allow_extra_args(false)
        ->check(file_name())
        ->group(kRunOptions);
    sub->add_option("--seed", options.seed, "of random inputs, and of the values registers start with")
        ->type_name("N")
        ->capture_default_str()
        ->check(whole_number(0))
        ->group(kRunOptions);
    sub->add_option("--json", options.json, "write all reports for scripts, schema nearcube-compare-1")
        ->type_name("FILE.json")
        ->check(file_name())
        ->group(kRunOptions);
    sub->add_option("--max-cycles", options.max_cycles, "end a run, with status 4, after N NTX clock cycles")
        ->type_name("N")
        ->check(whole_number(1))
        ->group(kRunOptions);
    sub->callback([&, sub_kind = &kind] {
      settle(*sub_kind);
      if (configs.empty()) configs = {"default", "published"};
      status = compare_workload(request, configs, options);
    });
  }

  std::vector<std::string> reports;
  std::string roofline = "roofline.svg";
  CLI::App* roofs = app.add_subcommand("roofline", "Draw reports of runs under their machine's roofline");
  roofs->footer(
      "Example\n  ./nearcube run gemm --m 64 --n 64 --k 256 --json gemm.json\n"
      "  ./nearcube run axpy --n 100000 --json axpy.json\n"
      "  ./nearcube roofline gemm.json axpy.json --svg roofline.svg");
  roofs->add_option("reports", reports, "reports of nearcube run ... --json FILE")
      ->type_name("FILE.json")
      ->required()
      ->check(file_name())
      ->group("Input");
  roofs->add_option("--svg", roofline, "picture to write")
      ->type_name("FILE.svg")
      ->capture_default_str()
      ->check(file_name())
      ->group("Output");
  roofs->callback([&] { run_roofline(reports, roofline); });

  add_memory_command(app);

  std::string info_config;
  bool info_json = false;
  CLI::App* info = app.add_subcommand("info", "Print configuration, address map and versions");
  info->footer("Example\n  ./nearcube info --json");
  info->add_option("--config", info_config, kConfigHelp)
      ->type_name("NAME|FILE")
      ->check(file_name())
      ->default_str("default")
      ->group("Output");
  info->add_flag("--json", info_json, "as JSON, schema nearcube-info-1")->group("Output");
  info->callback([&] { print_info(info_config, info_json); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    refuse_extras(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1), error);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string option = error.what();
    bad_input("{}: its value is missing; see --help", option.substr(0, option.find(':')));
  } catch (const CLI::ParseError& error) {
    // --help and --version are "errors", too.
    if (error.get_exit_code() == 0) return app.exit(error);
    bad_input("{}; see --help", error.what());
  }
  return status;
}

}  // namespace
}  // namespace nearcube::cli

int main(int argc, char* argv[]) {
  try {
    nearcube::base::catch_interrupts();
    // A file that may not grow is a failed write with a message, not a silent end.
    std::signal(SIGXFSZ, SIG_IGN);
    // Likewise a pipe whose reader has gone.
    std::signal(SIGPIPE, SIG_IGN);
    return nearcube::cli::finish_output(nearcube::cli::run(argc, argv));
  } catch (const nearcube::Error& error) {
    nearcube::cli::complain(error.what());
    return error.exit_code();
  } catch (const std::system_error& error) {
    // fmt::print and a reader that has seen enough.
    if (error.code().value() == EPIPE) return 0;
    nearcube::cli::complain(error.what());
  } catch (const std::bad_alloc&) {
    nearcube::cli::complain("out of memory on this machine");
  } catch (const std::exception& error) {
    nearcube::cli::complain(error.what());
  }
  return static_cast<int>(nearcube::ExitStatus::kOther);
}
