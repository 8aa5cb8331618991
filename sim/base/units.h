// SPDX-License-Identifier: Apache-2.0
// Time and sizes. Cycles are NTX clock cycles unless a name says core cycles.
#pragma once

#include <cstdint>
#include <string>

namespace nearcube::base {

using Cycles = std::uint64_t;
using Bytes = std::uint64_t;

/// Clock of NTX and scratchpad in 22 nm FD-SOI (NTX paper, DATE'19, arXiv 1812.00182, table I).
inline constexpr double kNtxClockHz = 1.25e9;
/// Peak floating-point operations of one NTX in a cycle: a multiplication and an addition.
inline constexpr double kFlopPerMac = 2.0;

/// Nanoseconds that `cycles` take at `hz`.
constexpr double cycles_to_ns(Cycles cycles, double hz = kNtxClockHz) {
  return static_cast<double>(cycles) / hz * 1e9;
}

/// Whole cycles at `hz` that cover `ns`.
constexpr Cycles ns_to_cycles(double ns, double hz = kNtxClockHz) {
  const double exact = ns * 1e-9 * hz;
  const auto whole = static_cast<Cycles>(exact);
  return whole + (exact - static_cast<double>(whole) > 1e-6 ? 1 : 0);
}

/// "1,234,567"
std::string with_separators(std::uint64_t value);
/// "1.50 MiB"; exact multiples without decimals ("64 KiB"), "12 B" below 1 KiB.
std::string format_bytes(Bytes bytes);
/// "12.3 %" of a share in 0..1.
std::string format_percent(double share);

}  // namespace nearcube::base
