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

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(home()) / "config" / "cluster", none)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string config_file(const std::string& name) {
  const std::string preset = name.empty() ? "default" : name;
  const fs::path path = fs::path(home()) / "config" / "cluster" / (preset + ".yaml");
  const bool is_word = preset.find('/') == std::string::npos;
  if (name.empty() || (is_word && fs::exists(path))) return path.string();
  std::error_code none;
  if (is_word && !preset.ends_with(".yaml") && !fs::exists(name, none)) {
    const auto names = config_names();
    bad_input("--config {}: neither a file nor one of the presets {}{}", name, fmt::join(names, ", "),
              base::did_you_mean(name, names));
  }
  return name;
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
