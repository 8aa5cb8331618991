// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/fault_injection.h"

#include <array>
#include <charconv>

#include "sim/base/error.h"
#include "sim/base/suggest.h"

namespace nearcube::memory {
namespace {

const std::array<std::string, 3> kKinds = {"bit-flips", "double-flips", "stuck-bank"};

template <typename T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

double parse_rate(const std::string& text, const std::string& value) {
  double rate = 0;
  // Written so that NaN is refused.
  if (!parse(value, rate) || !(rate >= 0 && rate <= 1)) {
    bad_input("--inject {}: \"{}\" is no rate; it is a share of the reads, 0 to 1, such as 1e-6", text,
              value);
  }
  return rate;
}

StuckBank parse_bank(const std::string& text, const std::string& value, std::uint32_t vaults,
                     std::uint32_t banks) {
  StuckBank stuck;
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos || !parse(value.substr(0, colon), stuck.vault) ||
      !parse(value.substr(colon + 1), stuck.bank)) {
    bad_input("--inject {}: \"{}\" is not VAULT:BANK, such as 3:5", text, value);
  }
  if (vaults == 0) bad_input("--inject {}: this memory has no vaults and banks; a cube has (--memory)", text);
  if (stuck.vault >= vaults) bad_input("--inject {}: the cube has vaults 0 to {}", text, vaults - 1);
  if (stuck.bank >= banks) bad_input("--inject {}: a vault has banks 0 to {}", text, banks - 1);
  return stuck;
}

}  // namespace

void add_fault(FaultInjection& faults, const std::string& text, std::uint32_t vaults, std::uint32_t banks) {
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (kind == "bit-flips") {
    faults.bit_flips = parse_rate(text, value);
  } else if (kind == "double-flips") {
    faults.double_flips = parse_rate(text, value);
  } else if (kind == "stuck-bank") {
    faults.stuck_banks.push_back(parse_bank(text, value, vaults, banks));
  } else {
    bad_input(
        "--inject {}: no such fault{}; there are bit-flips=RATE, double-flips=RATE and stuck-bank=VAULT:BANK",
        text, base::did_you_mean(kind, kKinds));
  }
  if (faults.bit_flips + faults.double_flips > 1) {
    bad_input("--inject {}: bit-flips of {} and double-flips of {} together are more than every read", text,
              faults.bit_flips, faults.double_flips);
  }
}

}  // namespace nearcube::memory
