// SPDX-License-Identifier: Apache-2.0
#include "sim/system/program.h"

#include <fmt/format.h>

namespace nearcube::system {

std::string Program::function(std::uint32_t pc) const {
  const auto location = elf_.locate(pc);
  if (location.symbol == nullptr) return "";
  return location.offset == 0 ? location.symbol->name
                              : fmt::format("{}+{:#x}", location.symbol->name, location.offset);
}

std::string Program::place(std::uint32_t pc) const {
  const std::string name = function(pc);
  const std::string at = line(pc);
  if (name.empty() && at.empty()) return fmt::format("{:#010x}", pc);
  return fmt::format("{:#010x} ({}{}{})", pc, name, name.empty() || at.empty() ? "" : ", ", at);
}

}  // namespace nearcube::system
