// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/memory_command.h"

#include <fmt/format.h>

#include <memory>

#include "sim/hmc/traffic.h"
#include "sw/cli/help.h"
#include "sw/cli/memory.h"

namespace nearcube::cli {
namespace {

const std::string kMemory = "Memory";
const std::string kOutput = "Output";

void add_memory_options(CLI::App& app, MemoryOptions& memory) {
  app.add_option("--preset", memory.preset,
                 "cube: a preset of config/cube (hmc-2gb, hmc-4gb, hmc2-8gb, smc) or a description's file")
      ->type_name("NAME|FILE")
      ->capture_default_str()
      ->check(file_name())
      ->group(kMemory);
  app.add_option("--granule", memory.granule,
                 "bytes in which addresses go round the vaults, a power of two from 32 to 256 [the preset's]")
      ->type_name("BYTES")
      ->check(whole_number(32, 256))
      ->group(kMemory);
  app.add_option("--ports", memory.ports, "ports that the requests come from")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(1, 1024))
      ->group(kMemory);
  app.add_flag("--link", memory.link, "ports beyond the serial links, not on the logic base")->group(kMemory);
  if (app.get_name() != "limits") {
    app.add_flag("--check-dram", memory.check_dram,
                 "hold every DRAM command against the rules; status 1 if one is broken")
        ->group(kMemory);
  }
  app.add_option("--json", memory.json, "write the figures for scripts")
      ->type_name("FILE.json")
      ->check(file_name())
      ->group(kOutput);
}

/// A list on the command line: "1,2,4".
template <typename T>
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<T>& values,
                      const std::string& text) {
  return app.add_option(name, values, text)
      ->delimiter(',')
      ->default_str(fmt::format("{}", fmt::join(values, ",")))
      ->group("Traffic");
}

void add_sweep(CLI::App& parent, const std::shared_ptr<MemoryOptions>& memory) {
  CLI::App* sub =
      parent.add_subcommand("sweep", "Bandwidth and latency under made-up traffic, a row a point");
  sub->footer(
      "A new request follows each that completes, so that as many as --outstanding says are under way. "
      "Lists\n"
      "make a point of each combination.\n"
      "\nExample\n  ./nearcube memory sweep --pattern sequential,random --writes 0,0.5 --svg curves.svg");
  const auto sweep = std::make_shared<SweepOptions>();
  add_list(*sub, "--pattern", sweep->patterns,
           fmt::format("addresses: {}", fmt::join(hmc::pattern_names(), ", ")))
      ->type_name("NAME,...")
      ->check(one_of(hmc::pattern_names()));
  add_list(*sub, "--bytes", sweep->bytes, "size of a request, a power of two")
      ->type_name("BYTES,...")
      ->check(whole_number(8, 1 << 20));
  add_list(*sub, "--writes", sweep->writes, "share of the requests that write, 0 to 1")
      ->type_name("SHARE,...")
      ->check(share());
  add_list(*sub, "--outstanding", sweep->outstanding, "requests under way")
      ->type_name("N,...")
      ->check(whole_number(1, 1 << 20));
  sub->add_option("--stride", sweep->stride, "bytes from one request of the pattern stride to the next")
      ->type_name("BYTES")
      ->capture_default_str()
      ->check(whole_number(1))
      ->group("Traffic");
  sub->add_option("--requests", sweep->requests,
                  "measured at each point, once the others have come under way")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000'000))
      ->group("Traffic");
  sub->add_option("--seed", sweep->seed, "of random addresses, and of which requests write")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(0))
      ->group("Traffic");
  add_memory_options(*sub, *memory);
  sub->add_option("--csv", sweep->csv, "write the rows as a table for spreadsheets")
      ->type_name("FILE.csv")
      ->check(file_name())
      ->group(kOutput);
  sub->add_option("--svg", sweep->svg, "draw latency against bandwidth, a curve along --outstanding")
      ->type_name("FILE.svg")
      ->check(file_name())
      ->group(kOutput);
  sub->callback([memory, sweep] { sweep_memory(*memory, *sweep); });
}

void add_replay(CLI::App& parent, const std::shared_ptr<MemoryOptions>& memory) {
  CLI::App* sub = parent.add_subcommand("replay", "What becomes of a trace's requests");
  sub->footer(
      "A line of a trace: a hexadecimal address, READ or WRITE, and the clock (tCK) in which it is asked "
      "for.\n"
      "\nExample\n  printf '0x40 READ 0\\n0x1240 WRITE 3\\n' > two.trace\n  ./nearcube memory replay "
      "two.trace");
  const auto request = std::make_shared<ReplayRequest>();
  sub->add_option("FILE", request->trace, "requests, one a line: address READ|WRITE cycle")
      ->type_name("FILE")
      ->required()
      ->check(file_name())
      ->group("Trace");
  sub->add_option("--bytes", request->bytes, "size of each request, a power of two [a granule]")
      ->type_name("BYTES")
      ->check(whole_number(1, 256))
      ->group("Trace");
  sub->add_option("--outstanding", request->outstanding,
                  "at most so many requests under way, the others wait [no limit]")
      ->type_name("N")
      ->check(whole_number(1, 1 << 30))
      ->group("Trace");
  add_memory_options(*sub, *memory);
  sub->callback([memory, request] { replay_memory(*memory, *request); });
}

void add_limits(CLI::App& parent, const std::shared_ptr<MemoryOptions>& memory) {
  CLI::App* sub = parent.add_subcommand("limits", "What the memory can do at best, by formula, part by part");
  sub->footer("Example\n  ./nearcube memory limits --preset hmc-2gb --granule 256");
  add_memory_options(*sub, *memory);
  sub->callback([memory] { print_memory_limits(*memory); });
}

}  // namespace

void add_memory_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("memory", "The cube's memory alone: curves, traces, limits");
  command->footer("Example\n  ./nearcube memory sweep --pattern random --bytes 64 --csv random.csv");
  command->require_subcommand(1);
  const auto memory = std::make_shared<MemoryOptions>();
  add_sweep(*command, memory);
  add_replay(*command, memory);
  add_limits(*command, memory);
}

const std::vector<std::string>& memory_commands() {
  static const std::vector<std::string> names = {"sweep", "replay", "limits"};
  return names;
}

}  // namespace nearcube::cli
