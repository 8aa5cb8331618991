// SPDX-License-Identifier: Apache-2.0
// The command line of `nearcube memory`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace nearcube::cli {

/// Adds the command with its own commands, which run when they are parsed.
void add_memory_command(CLI::App& app);

/// What follows `memory`: "sweep", ...
const std::vector<std::string>& memory_commands();

}  // namespace nearcube::cli
