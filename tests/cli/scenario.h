// SPDX-License-Identifier: Apache-2.0
// Test firmware that does what its variable `scenario` says.
#pragma once

#include <cstring>
#include <regex>

#include "sw/network/npy.h"
#include "tests/cli/program.h"

namespace nearcube::test {

/// Runs build/firmware/<firmware>.elf with that scenario, a watchdog of 20,000 cycles and 16 MiB of cube
/// memory.
inline Outcome run_scenario(const std::string& firmware, unsigned number, std::vector<std::string> more = {},
                            const Setting& setting = {}) {
  const Folder folder;
  network::Tensor value({1});
  std::memcpy(value.data(), &number, sizeof number);
  network::write_npy(folder.file("scenario.npy"), value, network::Element::kInt32);
  const std::string config = slurp(build_tree() / "config" / "cluster" / "default.yaml");
  const std::string quick =
      std::regex_replace(config, std::regex("watchdog_cycles: [0-9]+"), "watchdog_cycles: 20000");
  std::ofstream(folder.file("config.yaml"))
      << std::regex_replace(quick, std::regex("capacity_bytes: 2 GiB"), "capacity_bytes: 16 MiB");
  std::vector<std::string> arguments = {"run",
                                        "--elf",
                                        (build_tree() / "firmware" / (firmware + ".elf")).string(),
                                        "--config",
                                        folder.file("config.yaml"),
                                        "--load",
                                        "scenario=" + folder.file("scenario.npy")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return invoke(arguments, setting);
}

/// Exit status, and what the program's complaint must contain.
inline void check(const Outcome& outcome, int status, const std::vector<std::string>& messages) {
  INFO(outcome.out);
  INFO(outcome.err);
  CHECK(outcome.status == status);
  for (const std::string& message : messages) CHECK_THAT(outcome.err, contains(message));
}

}  // namespace nearcube::test
