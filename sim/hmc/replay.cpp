// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string_view>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

namespace nearcube::hmc {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// Takes the next word from `rest`.
std::string_view word(std::string_view& rest) {
  const std::size_t begin = std::min(rest.find_first_not_of(kBlanks), rest.size());
  rest.remove_prefix(begin);
  const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
  const std::string_view found = rest.substr(0, end);
  rest.remove_prefix(end);
  return found;
}

/// For a message: short, and without what a terminal would obey.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result;
  for (const char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  return '"' + result + (text.size() > kMost ? "..." : "") + '"';
}

bool parse(std::string_view text, int base, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, base);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

TraceReader::TraceReader(const std::string& path) : path_(path), content_(base::read_file(path, "trace")) {}

void TraceReader::fail(const std::string& reason) const { bad_input("{}:{}: {}", path_, number_, reason); }

bool TraceReader::next(TraceLine& line) {
  const std::string_view content(reinterpret_cast<const char*>(content_.data()), content_.size());
  while (at_ < content.size()) {
    const std::size_t end = std::min(content.find('\n', at_), content.size());
    std::string_view rest = content.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    const std::string_view address = word(rest);
    if (address.empty() || address[0] == '#') continue;
    const std::string_view kind = word(rest);
    const std::string_view cycle = word(rest);
    const std::string_view more = word(rest);
    const bool prefixed = address.starts_with("0x") || address.starts_with("0X");
    if (!parse(address.substr(prefixed ? 2 : 0), 16, line.address)) {
      fail(fmt::format("{} is not a hexadecimal address; a line is \"address READ|WRITE cycle\"",
                       shown(address)));
    }
    if (kind != "READ" && kind != "WRITE") {
      fail(kind.empty() ? std::string("READ or WRITE is missing after the address")
                        : fmt::format("{} is neither READ nor WRITE", shown(kind)));
    }
    line.write = kind == "WRITE";
    if (!parse(cycle, 10, line.cycle)) {
      fail(cycle.empty() ? std::string("the cycle is missing, a decimal number after READ or WRITE")
                         : fmt::format("{} is not a cycle, a decimal number", shown(cycle)));
    }
    if (!more.empty()) fail(fmt::format("{} follows the cycle; nothing may", shown(more)));
    if (line.cycle < cycle_) {
      fail(fmt::format("cycle {} comes after cycle {}; cycles must not decrease", line.cycle, cycle_));
    }
    cycle_ = line.cycle;
    return true;
  }
  return false;
}

ReplayResult replay(Cube& cube, TraceReader& trace, const ReplayOptions& options) {
  const CubeConfig& config = cube.config();
  if (!std::has_single_bit(options.bytes) || options.bytes > config.granule_bytes) {
    bad_input("a request of {} B: its size must be a power of two, and at most a granule of {} B",
              options.bytes, config.granule_bytes);
  }
  const std::uint64_t limit =
      options.outstanding == 0 ? std::numeric_limits<std::uint64_t>::max() : options.outstanding;
  const std::uint64_t last_cycle = std::numeric_limits<std::uint64_t>::max() / 2 / config.timing.tck_ps;

  ReplayResult result;
  TraceLine line;
  std::uint64_t line_ps = 0;
  const auto read = [&] {
    if (!trace.next(line)) return false;
    if (line.address >= config.capacity_bytes) {
      trace.fail(fmt::format("address {:#x} is outside the cube of {}", line.address,
                             base::format_bytes(config.capacity_bytes)));
    }
    if (line.cycle > last_cycle) trace.fail(fmt::format("cycle {} is not below {}", line.cycle, last_cycle));
    line_ps = line.cycle * config.timing.tck_ps;
    return true;
  };

  bool more = read();
  const std::uint64_t first_ps = line_ps;
  std::uint64_t under_way = 0;
  std::uint64_t turn_ps = 0;  // when the last one that ended made room
  // Whatever comes before `until`, as far as there is room.
  const auto submit = [&](std::uint64_t until) {
    while (more && line_ps < until && under_way < limit) {
      if (line_ps < turn_ps) ++result.late;
      cube.submit({.address = line.address & ~std::uint64_t{options.bytes - 1},
                   .bytes = options.bytes,
                   .write = line.write,
                   .port = static_cast<std::uint32_t>(line.address / config.granule_bytes % options.ports),
                   .tag = line_ps,
                   .time_ps = std::max(line_ps, turn_ps)});
      ++under_way;
      more = read();
    }
  };
  std::uint64_t time_ps = 0;
  while (more || under_way != 0) {
    // Nothing happens until the next line.
    if (under_way == 0) time_ps = std::max(time_ps, line_ps);
    time_ps += cube.lookahead_ps();
    submit(time_ps);
    cube.advance(time_ps);
    for (const Completion& completion : cube.completions()) {
      --under_way;
      (completion.write ? result.writes : result.reads).add(completion.time_ps - completion.tag);
      result.last_ps = turn_ps = completion.time_ps;
      submit(time_ps);
    }
    cube.clear_completions();
  }
  if (result.last_ps != 0) result.ps = result.last_ps - first_ps;
  return result;
}

}  // namespace nearcube::hmc
