// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/base/error.h"

namespace nearcube::cli {

namespace fs = std::filesystem;

std::string home() {
  const char* set = std::getenv("NEARCUBE_HOME");
  if (set != nullptr && *set != '\0') return set;
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path().string();
}

std::string default_config() { return (fs::path(home()) / "config" / "cluster" / "default.yaml").string(); }

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
