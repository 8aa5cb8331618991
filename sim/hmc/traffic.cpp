// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/traffic.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/base/units.h"

namespace nearcube::hmc {
namespace {

/// The addresses of a pattern.
class Addresses {
 public:
  Addresses(const CubeConfig& config, const TrafficOptions& options, base::Random& random)
      : config_(config), options_(options), random_(random) {}

  std::uint64_t next() {
    const std::uint64_t capacity = config_.capacity_bytes;
    Location place;
    switch (options_.pattern) {
      case Pattern::kSequential:
        return step(options_.bytes);
      case Pattern::kStride:
        return step(options_.stride_bytes);
      case Pattern::kRandom:
        return random_.below(capacity / options_.bytes) * options_.bytes;
      case Pattern::kOneVault:
        place.bank = static_cast<std::uint32_t>(random_.below(config_.banks));
        break;
      case Pattern::kOneBank:
        break;
      case Pattern::kOneAddress:
        return 0;
    }
    place.row = static_cast<std::uint32_t>(
        random_.below(capacity / config_.vaults / config_.banks / config_.row_bytes));
    return address_of(config_, place);
  }

 private:
  std::uint64_t step(std::uint64_t bytes) {
    const std::uint64_t address = next_;
    next_ = (next_ + bytes) % config_.capacity_bytes;
    return address;
  }

  const CubeConfig& config_;
  const TrafficOptions& options_;
  base::Random& random_;
  std::uint64_t next_ = 0;
};

}  // namespace

void check(const CubeConfig& config, const TrafficOptions& options) {
  if (!std::has_single_bit(options.bytes) || options.bytes < 8 || options.bytes > 1 << 20) {
    bad_input("a request of {} B: its size must be a power of two from 8 B to 1 MiB", options.bytes);
  }
  if (options.outstanding == 0 || options.outstanding > 1 << 20) {
    bad_input("{} requests under way: there must be from 1 to {}", options.outstanding,
              base::with_separators(1 << 20));
  }
  if (!(options.write_share >= 0 && options.write_share <= 1)) {
    bad_input("a write share of {}: it must be from 0 to 1", options.write_share);
  }
  if (options.requests == 0) bad_input("0 requests are too few to measure");
  if (options.ports == 0) bad_input("traffic needs at least one port");
  if (options.pattern == Pattern::kStride &&
      (options.stride_bytes % config.granule_bytes != 0 || options.stride_bytes == 0 ||
       options.stride_bytes % options.bytes != 0)) {
    bad_input("a stride of {} B: it must be a multiple of the granule ({} B) and of the request's size",
              options.stride_bytes, config.granule_bytes);
  }
}

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = {"sequential", "random",   "stride",
                                                 "one-vault",  "one-bank", "one-address"};
  return names;
}

TrafficResult run_traffic(Cube& cube, const TrafficOptions& options) {
  const CubeConfig& config = cube.config();
  check(config, options);
  base::Random random(options.seed);
  Addresses addresses(config, options, random);
  struct Slot {
    std::uint64_t since_ps = 0;
    std::uint32_t parts = 0;  // that have not completed
    bool write = false;
  };
  std::vector<Slot> slots(options.outstanding);
  const std::uint64_t unmeasured = std::max<std::uint64_t>(options.requests / 10, options.outstanding);
  const std::uint64_t total = options.requests + unmeasured;
  std::uint64_t begun = 0, ended = 0, first_ps = 0;

  const auto begin = [&](std::uint64_t tag, std::uint64_t time_ps) {
    Slot& slot = slots[tag];
    const std::uint32_t part = std::min(options.bytes, config.granule_bytes);
    slot = {.since_ps = time_ps, .parts = options.bytes / part, .write = random.unit() < options.write_share};
    const std::uint64_t address = addresses.next();
    for (std::uint32_t i = 0; i < slot.parts; ++i) {
      cube.submit({.address = address + std::uint64_t{i} * part,
                   .bytes = part,
                   .write = slot.write,
                   .port = static_cast<std::uint32_t>(tag % options.ports),
                   .tag = tag,
                   .time_ps = time_ps});
    }
    ++begun;
  };

  TrafficResult result;
  std::uint64_t time_ps = 0;
  for (std::uint64_t tag = 0; tag < slots.size() && begun < total; ++tag) begin(tag, 0);
  while (ended < total) {
    time_ps += cube.lookahead_ps();
    cube.advance(time_ps);
    for (const Completion& completion : cube.completions()) {
      Slot& slot = slots[completion.tag];
      if (--slot.parts != 0) continue;
      ++ended;
      // The last one that is not measured begins the time, the others fill it.
      if (ended == unmeasured) first_ps = completion.time_ps;
      if (ended > unmeasured && ended <= total) {
        ++result.requests;
        result.bytes += options.bytes;
        (slot.write ? result.writes : result.reads).add(completion.time_ps - slot.since_ps);
        result.ps = completion.time_ps - first_ps;
      }
      // No request more than was asked for, but no lull before the last either.
      if (ended < total) begin(completion.tag, completion.time_ps);
    }
    cube.clear_completions();
  }
  while (!cube.idle()) {
    time_ps += cube.lookahead_ps();
    cube.advance(time_ps);
    cube.clear_completions();
  }
  return result;
}

}  // namespace nearcube::hmc
