// SPDX-License-Identifier: Apache-2.0
#include "sim/base/units.h"

#include <fmt/format.h>

namespace nearcube::base {

std::string with_separators(std::uint64_t value) {
  const std::string plain = std::to_string(value);
  std::string digits;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i != 0 && (plain.size() - i) % 3 == 0) digits += ',';
    digits += plain[i];
  }
  return digits;
}

std::string format_bytes(Bytes bytes) {
  static constexpr const char* kPrefixes[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned prefix = 0;
  while (prefix + 1 < std::size(kPrefixes) && (bytes >> (10 * (prefix + 1))) != 0) ++prefix;
  const Bytes unit = Bytes{1} << (10 * prefix);
  if (bytes % unit == 0) return fmt::format("{} {}", bytes / unit, kPrefixes[prefix]);
  return fmt::format("{:.2f} {}", static_cast<double>(bytes) / static_cast<double>(unit), kPrefixes[prefix]);
}

std::string format_percent(double share) { return fmt::format("{:.1f} %", share * 100.0); }

}  // namespace nearcube::base
