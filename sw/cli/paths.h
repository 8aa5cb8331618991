// SPDX-License-Identifier: Apache-2.0
// Where the program finds its firmware and configurations.
#pragma once

#include <string>
#include <vector>

namespace nearcube::cli {

/// The folder above the program's own (build for build/bin/nearcube), or NEARCUBE_HOME if that is set: it has
/// firmware/ and config/.
std::string home();

/// Names of the machine descriptions in home()/config/cluster, sorted: "default", "published".
std::vector<std::string> config_names();

/// The file that --config names: a preset of config_names() or a path; empty: the default. Throws Error
/// (kBadInput) that lists the presets if it is neither.
std::string config_file(const std::string& name);

/// The same of home()/config/cube, for --preset.
std::string cube_file(const std::string& name);
std::vector<std::string> cube_names();

/// The same of home()/config/energy, for --energy; empty: the default.
std::string energy_file(const std::string& name);

/// home()/firmware/NAME.elf; throws Error (kBadInput) that says how to build it if it is not there.
std::string firmware(const std::string& name);

/// Names of all firmware but the tests', sorted.
std::vector<std::string> firmware_names();

}  // namespace nearcube::cli
