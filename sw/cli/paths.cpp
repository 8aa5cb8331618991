// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/base/error.h"
#include "sim/base/suggest.h"

namespace nearcube::cli {

namespace fs = std::filesystem;

std::string home() {
  const char* set = std::getenv("NEARCUBE_HOME");
  if (set != nullptr && *set != '\0') return set;
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path().string();
}

namespace {

std::vector<std::string> preset_names(const char* folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(home()) / "config" / folder, none)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string preset_file(const char* folder, const char* option, const std::string& name) {
  const fs::path path = fs::path(home()) / "config" / folder / (name + ".yaml");
  const bool is_word = name.find('/') == std::string::npos;
  std::error_code none;
  if (is_word && fs::exists(path, none)) return path.string();
  if (is_word && !name.ends_with(".yaml") && !fs::exists(name, none)) {
    const auto names = preset_names(folder);
    bad_input("{} {}: neither a file nor one of the presets {}{}", option, name, fmt::join(names, ", "),
              base::did_you_mean(name, names));
  }
  return name;
}

}  // namespace

std::vector<std::string> config_names() { return preset_names("cluster"); }

std::string config_file(const std::string& name) {
  if (name.empty()) return (fs::path(home()) / "config" / "cluster" / "default.yaml").string();
  return preset_file("cluster", "--config", name);
}

std::vector<std::string> cube_names() { return preset_names("cube"); }

std::string cube_file(const std::string& name) { return preset_file("cube", "--preset", name); }

std::string energy_file(const std::string& name) {
  return preset_file("energy", "--energy", name.empty() ? "hmc-22fdx" : name);
}

std::string firmware(const std::string& name) {
  const fs::path path = fs::path(home()) / "firmware" / (name + ".elf");
  if (!fs::exists(path)) {
    bad_input("{}: no such firmware; \"make build\" makes it, and NEARCUBE_HOME names another build",
              path.string());
  }
  return path.string();
}

std::vector<std::string> firmware_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(home()) / "firmware", none)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".elf" && !name.starts_with("test_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace nearcube::cli
