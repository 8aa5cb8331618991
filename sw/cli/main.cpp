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
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/suggest.h"
#include "sw/cli/demo.h"
#include "sw/cli/info.h"
#include "sw/cli/run.h"
#include "sw/cli/workloads.h"

namespace nearcube::cli {
namespace {

constexpr int kBadInputStatus = static_cast<int>(ExitStatus::kBadInput);
const std::vector<std::string> kCommands = {"demo", "run", "info"};

/// A name of a file; an empty one is a variable of the user's script that was not set.
const CLI::Validator file_name(
    [](std::string& text) { return text.empty() ? std::string("a file's name is empty") : std::string(); },
    "");

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--seed", options.seed, "Of random inputs and of registers without reset")
      ->capture_default_str();
  app.add_option("--config", options.config, "Machine description (default: config/cluster/default.yaml)")
      ->check(file_name);
  app.add_option("--json", options.json, "Write the report as JSON to FILE")
      ->type_name("FILE")
      ->check(file_name);
  app.add_option("--trace", options.trace, "Record waveforms, with a GTKWave save file beside them")
      ->type_name("FILE.fst")
      ->check(file_name);
  app.add_option("--trace-from", options.trace_from, "First NTX clock cycle to record")->type_name("CYCLE");
  app.add_option("--trace-to", options.trace_to, "Last NTX clock cycle to record")->type_name("CYCLE");
  app.add_option("--trace-scope", options.trace_scope,
                 "Record only this instance and what is in it: cluster.u_dma")
      ->type_name("PATH");
  app.add_option("--max-cycles", options.max_cycles, "End the run after so many NTX clock cycles")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

/// A number of 0 to 1; unlike CLI::Range it takes no NaN.
const CLI::Validator share(
    [](std::string& text) {
      double value = 0;
      const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;
      return good ? std::string() : fmt::format("{} is not a number from 0 to 1", text);
    },
    "0 - 1");

/// A command or workload that does not exist, before CLI11 says so less helpfully.
void check_word(const char* word, const std::vector<std::string>& known, const char* what) {
  const std::string text = word;
  if (text.starts_with("-") || std::find(known.begin(), known.end(), text) != known.end()) return;
  const std::string suggestion = base::did_you_mean(text, known);
  bad_input("unknown {} \"{}\"{} There are {}", what, text, suggestion.empty() ? "." : suggestion,
            fmt::join(known, ", "));
}

/// Names the first option in `words` that neither the command given nor those above it have, with the closest
/// that the command has.
void check_options(const CLI::App& app, std::span<char* const> words) {
  const CLI::App* command = &app;
  std::vector<std::string> known;
  std::vector<std::string> own;
  for (;;) {
    own.clear();
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) own.push_back("--" + name);
    }
    known.insert(known.end(), own.begin(), own.end());
    if (command->get_subcommands().empty()) break;
    command = command->get_subcommands().front();
  }
  for (const std::string word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string suggestion = base::did_you_mean(name, own);
    bad_input("unknown option \"{}\"{} See --help", name, suggestion.empty() ? "." : suggestion);
  }
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
  if (argc > 2 && std::string(argv[1]) == "run") check_word(argv[2], workload_names(), "workload");

  CLI::App app("A near-memory training accelerator: RTL, firmware, and every number checked.", "nearcube");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer(
      "Example:\n  nearcube run conv2d --in-channels 16 --out-channels 32 --height 32 --width 32 --kernel 3 "
      "--pad 1\n"
      "\nExit status: 0 all right, 2 bad input, 3 a result differs from its reference, 4 a stuck or endless\n"
      "simulation, 1 anything else.");

  int status = 0;
  RunOptions options;
  WorkloadRequest request;
  std::string output;

  DemoOptions demo_options;
  CLI::App* demo = app.add_subcommand("demo", "Images through a convolution on the RTL, checked bit by bit");
  demo->footer("Example:\n  nearcube demo --first 100 --images 2 --png shoes.png");
  demo->add_option("--first", demo_options.first, "First Fashion-MNIST test image")->capture_default_str();
  demo->add_option("--images", demo_options.count, "Number of images")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  demo->add_option("--png", demo_options.png, "Picture to write")
      ->type_name("FILE")
      ->capture_default_str()
      ->check(file_name);
  add_run_options(*demo, options);
  demo->callback([&] { status = run_demo(demo_options, options); });

  CLI::App* run = app.add_subcommand("run", "Run a workload or your own firmware on the cluster's RTL");
  run->footer(
      "Examples:\n  nearcube run gemm --m 64 --n 64 --k 256 --json gemm.json\n"
      "  nearcube run --elf my.elf --load x=x.npy --dump y:16x32=y.npy\n"
      "\nEach workload has its own --help.");
  std::string elf;
  std::vector<std::string> loads;
  std::vector<std::string> dumps;
  run->add_option("--elf", elf, "Run this firmware instead of a workload")
      ->type_name("FILE")
      ->check(file_name);
  run->add_option("--load", loads,
                  "Write an fp32 or int32 array before the run: SYMBOL=FILE.npy or 0xADDRESS=FILE.npy")
      ->type_name("SYMBOL=FILE")
      ->take_all()
      ->allow_extra_args(false);
  run->add_option("--dump", dumps,
                  "Write an array to a file after the run: SYMBOL:16x32=FILE.npy, or SYMBOL:16x32:int32=...")
      ->type_name("SYMBOL:SHAPE=FILE")
      ->take_all()
      ->allow_extra_args(false);
  add_run_options(*run, options);
  run->require_subcommand(0, 1);

  for (const WorkloadKind& kind : workload_kinds()) {
    CLI::App* sub = run->add_subcommand(kind.name, kind.summary);
    sub->footer(fmt::format("Example:\n  {}", kind.example));
    std::vector<CLI::Option*> shape;
    for (const ShapeOption& option : kind.options) {
      sub->add_option_function<std::int64_t>(
             fmt::format("--{}", option.name),
             [&request, &option](const std::int64_t& value) {
               request.shape[option.name] = value;
               request.given.insert(option.name);
             },
             fmt::format("{} (default {})", option.help, option.fallback))
          ->type_name("N")
          ->check(CLI::Range(option.min, std::int64_t{INT32_MAX}));
    }
    const std::string name = kind.name;
    if (name == "conv2d") {
      sub->add_flag("--relu", request.relu, "ReLU at the rounding of each result");
      sub->add_flag("--bias", request.bias, "Start each sum from a (random) bias");
    }
    if (name == "diffusion") {
      sub->add_option("--rate", request.rate, "Diffusion number of a step")
          ->capture_default_str()
          ->check(share);
    }
    sub->add_option("--input", request.input,
                    "First operand: FILE.npy, fashion-mnist:INDEX (a test image) or random")
        ->type_name("SOURCE")
        ->capture_default_str();
    sub->add_option("--output", output, "Write the result as an array")
        ->type_name("FILE.npy")
        ->check(file_name);
    add_run_options(*sub, options);
    sub->callback([&, sub_kind = &kind] {
      request.name = sub_kind->name;
      request.seed = options.seed;
      for (const ShapeOption& option : sub_kind->options) request.shape.emplace(option.name, option.fallback);
      if (!elf.empty() || !loads.empty() || !dumps.empty()) {
        bad_input("--elf, --load and --dump are for your own firmware, not for the workload {}",
                  request.name);
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

  std::string info_config;
  bool info_json = false;
  CLI::App* info = app.add_subcommand("info", "Print configuration, address map and versions");
  info->footer("Example:\n  nearcube info --json");
  info->add_option("--config", info_config, "Machine description")->type_name("FILE")->check(file_name);
  info->add_flag("--json", info_json, "As JSON");
  info->callback([&] { print_info(info_config, info_json); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    check_options(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    return app.exit(error) == 0 ? 0 : kBadInputStatus;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInputStatus;
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
