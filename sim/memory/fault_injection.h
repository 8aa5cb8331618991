// SPDX-License-Identifier: Apache-2.0
// Which faults a run's memory is to have: `--inject`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearcube::memory {

struct StuckBank {
  std::uint32_t vault = 0;
  std::uint32_t bank = 0;

  bool operator==(const StuckBank&) const = default;
};

struct FaultInjection {
  /// Share of the reads of a 64-bit word, 0 to 1, before which one (or two) of its 72 stored bits flip.
  double bit_flips = 0;
  double double_flips = 0;
  /// Banks that read as ones and forget what is written.
  std::vector<StuckBank> stuck_banks = {};
  std::uint64_t seed = 1;

  bool any() const { return bit_flips > 0 || double_flips > 0 || !stuck_banks.empty(); }
};

/// Adds one fault as a user writes it: "bit-flips=1e-6", "double-flips=1e-9" or "stuck-bank=3:5" (vault:bank,
/// at most so many of each as there are). Throws Error (kBadInput) that says what is wrong with `text`.
void add_fault(FaultInjection& faults, const std::string& text, std::uint32_t vaults, std::uint32_t banks);

}  // namespace nearcube::memory
