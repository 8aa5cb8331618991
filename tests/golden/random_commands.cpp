// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/random_commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <set>
#include <utility>

#include "tests/golden/binary32.h"

namespace nearcube::golden {
namespace {

using test::Random;

constexpr std::uint64_t kFullTrips = 65536;

std::uint64_t below(Random& random, std::uint64_t limit) { return random() % limit; }
bool one_in(Random& random, std::uint64_t n) { return below(random, n) == 0; }
std::int32_t between(Random& random, std::int32_t low, std::int32_t high) {
  return low + static_cast<std::int32_t>(below(random, static_cast<std::uint64_t>(high - low) + 1));
}
std::uint32_t any_word(Random& random) { return static_cast<std::uint32_t>(random() >> 32); }

bool sums(const CommandFields& f) { return f.opcode == kMac || f.opcode == kVaddsub; }
bool images_in(const CommandFields& f) { return sums(f) && (f.aux & 2) != 0; }
bool images_out(const CommandFields& f) { return sums(f) && (f.aux & 4) != 0; }
bool image_stream(const CommandFields& f) { return f.opcode == kVaddsub && (f.aux & 2) != 0; }

/// Words that a step may touch through each AGU, by reading and by storing. MASKMAC's test is taken to hold.
struct Touch {
  std::array<unsigned, 3> reads{};
  unsigned stores = 0;
};

Touch touch(const CommandFields& f, bool init, bool store, unsigned image_words) {
  Touch t;
  const unsigned active = active_agus(f);
  const auto read = [&](unsigned u, bool image) {
    t.reads[u] = std::max(t.reads[u], image ? image_words : 1);
  };
  // AGU0 and AGU1 are streams if they are active for another reason than the init operand.
  CommandFields without = f;
  without.init_source = kSourceZero;
  const unsigned streams = active_agus(without);
  if (f.opcode == kMaskmac) {
    if (init) {
      read(0, false);
    }
    if ((streams & 2) != 0 || (init && f.init_source != kSourceZero)) {
      read(1, false);
    }
    t.stores = 1;
    return t;
  }
  if ((streams & 1) != 0) {
    read(0, image_stream(f));
  }
  if ((streams & 2) != 0) {
    read(1, false);
  }
  const bool has_init = f.opcode != kVmult && !(f.opcode == kCopy && (f.aux & 1) != 0);
  if (init && has_init && f.init_source != kSourceZero && (active >> f.init_source & 1) != 0) {
    read(f.init_source, images_in(f));
  }
  t.stores = store ? (images_out(f) ? image_words : 1) : 0;
  return t;
}

/// Calls visit(offsets in bytes from each AGU's base, Touch) for each step, until it returns false.
void walk(const Command& c, unsigned image_words,
          const std::function<bool(const std::array<std::int64_t, 3>&, const Touch&)>& visit) {
  const CommandFields f = decode(c.cmd);
  std::array<std::uint32_t, 5> left{};  // trips left in each loop
  for (unsigned j = 0; j < 5; ++j) {
    left[j] = c.loops[j] & 0xFFFF;
  }
  std::array<std::int64_t, 3> offset{};
  while (true) {
    bool init = true;
    bool store = true;
    for (unsigned j = 0; j < f.init_level; ++j) {
      init = init && left[j] == (c.loops[j] & 0xFFFF);
    }
    for (unsigned j = 0; j < f.store_level; ++j) {
      store = store && left[j] == 0;
    }
    if (!visit(offset, touch(f, init, store, image_words))) {
      return;
    }
    unsigned k = 0;
    while (k < f.outer_level && left[k] == 0) {
      left[k] = c.loops[k] & 0xFFFF;
      ++k;
    }
    if (k == f.outer_level) {
      return;
    }
    --left[k];
    for (unsigned u = 0; u < 3; ++u) {
      offset[u] += c.stride[u][k];
    }
  }
}

struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();  ///< one past the last byte
  bool empty() const { return low >= high; }
  std::int64_t size() const { return empty() ? 0 : high - low; }
  void add(std::int64_t at, unsigned words) {
    if (words > 0) {
      low = std::min(low, at);
      high = std::max(high, at + 4 * static_cast<std::int64_t>(words));
    }
  }
};

std::array<Range, 3> ranges(const Command& c, unsigned image_words) {
  std::array<Range, 3> result;
  walk(c, image_words, [&](const auto& offset, const Touch& t) {
    for (unsigned u = 0; u < 3; ++u) {
      result[u].add(offset[u], std::max(t.reads[u], u == 2 ? t.stores : 0));
    }
    return true;
  });
  return result;
}

/// Byte offset in the scratchpad that a base stands for; only for the two well-formed prefixes.
std::int64_t base_offset(std::uint32_t base) { return base & 0x000F'FFFF; }

/// Whether an AGU in use loses its address on the way (see golden::run), also where nothing is accessed.
bool loses_address(const Command& c, std::uint32_t tcdm_words, unsigned image_words) {
  const CommandFields f = decode(c.cmd);
  const unsigned active = active_agus(f);
  const std::int64_t limit = 2 * reach(tcdm_words);
  bool lost = false;
  for (unsigned u = 0; u < 3; ++u) {
    for (unsigned k = 0; (active >> u & 1) != 0 && k < f.outer_level; ++k) {
      lost = lost || ((c.loops[k] & 0xFFFF) != 0 && is_far(c.stride[u][k], tcdm_words));
    }
  }
  if (!lost) {
    walk(c, image_words, [&](const auto& offset, const Touch&) {
      for (unsigned u = 0; u < 3; ++u) {
        const std::int64_t at = base_offset(c.base[u]) + offset[u];
        lost = lost || ((active >> u & 1) != 0 && (at < -limit || at >= limit));
      }
      return !lost;
    });
  }
  return lost;
}

/// Whether a step may read a word that an earlier one may have stored.
bool may_have_hazard(const Command& c, std::uint32_t tcdm_words, unsigned image_words) {
  std::vector<bool> stored(tcdm_words);
  bool found = false;
  walk(c, image_words, [&](const auto& offset, const Touch& t) {
    for (unsigned u = 0; u < 3; ++u) {
      const auto word = static_cast<std::size_t>((base_offset(c.base[u]) + offset[u]) / 4);
      for (unsigned i = 0; i < t.reads[u]; ++i) {
        found = found || stored[word + i];
      }
    }
    const auto word = static_cast<std::size_t>((base_offset(c.base[2]) + offset[2]) / 4);
    for (unsigned i = 0; i < t.stores; ++i) {
      stored[word + i] = true;
    }
    return !found;
  });
  return found;
}

CommandFields random_fields(Random& random, const RandomCommandOptions& options) {
  CommandFields f;
  f.opcode = options.opcode ? *options.opcode : static_cast<std::uint32_t>(below(random, kOpcodeCount));
  do {  // of 216 triples 56 are valid, each equally likely
    f.store_level = static_cast<std::uint32_t>(below(random, 6));
    f.init_level = static_cast<std::uint32_t>(below(random, 6));
    f.outer_level = static_cast<std::uint32_t>(below(random, 6));
  } while (f.store_level > f.init_level || f.init_level > f.outer_level);
  f.init_source = static_cast<std::uint32_t>(below(random, 4));
  f.irq = static_cast<std::uint32_t>(below(random, 3));
  f.polarity = one_in(random, 2);
  switch (f.opcode) {
    case kMac:
    case kVaddsub: {
      static constexpr std::array<std::uint32_t, 6> aux_values = {0, 1, 2, 3, 4, 6};
      // Half of them plain: images take many cycles and words.
      f.aux = one_in(random, 2) ? static_cast<std::uint32_t>(below(random, 2)) : aux_values[below(random, 6)];
      break;
    }
    case kThtst:
    case kMask:
    case kMaskmac:
      f.aux = static_cast<std::uint32_t>(below(random, 3) + 4 * below(random, 2));
      break;
    default:
      f.aux = static_cast<std::uint32_t>(below(random, 2));
  }
  return f;
}

void random_loops(Random& random, const RandomCommandOptions& options, const CommandFields& f, Command& c) {
  for (unsigned j = 0; j < 5; ++j) {
    c.loops[j] = any_word(random) & (one_in(random, 2) ? 0xFFFF : 3);
  }
  std::array<unsigned, 5> order = {0, 1, 2, 3, 4};
  std::shuffle(order.begin(), order.begin() + f.outer_level, random);
  std::uint64_t budget =
      image_stream(f) || images_out(f) ? std::min<std::uint64_t>(options.max_steps, 60) : options.max_steps;
  if (options.full_loop_every != 0 && f.outer_level > 0 && one_in(random, options.full_loop_every)) {
    const unsigned full = order[0];
    const bool moves_images = images_out(f) || images_in(f);
    const bool each_step = f.store_level <= full || (images_in(f) && f.init_level <= full);
    if (!image_stream(f) && (!each_step || (!moves_images && one_in(random, 4)))) {
      for (unsigned j = 0; j < f.outer_level; ++j) {
        c.loops[j] = 0;
      }
      c.loops[full] = kFullTrips - 1;
      if (f.outer_level > 1 && one_in(random, 2)) {
        c.loops[order[1]] = 1;
      }
      return;
    }
  }
  for (unsigned i = 0; i < f.outer_level; ++i) {
    static constexpr std::array<std::uint64_t, 8> caps = {1, 1, 2, 2, 3, 4, 7, 1'000'000};
    const std::uint64_t trips = 1 + below(random, std::min(caps[below(random, 8)], budget));
    c.loops[order[i]] = static_cast<std::uint32_t>(trips - 1);
    budget = std::max<std::uint64_t>(1, budget / trips);
  }
}

/// Strides of one AGU, in units of `unit` bytes, spread over at most `spread` units where they are random.
void random_strides(Random& random, const CommandFields& f, Command& c, unsigned agu, std::int32_t unit,
                    std::int32_t spread) {
  std::array<std::int32_t, 5> plain{};
  const std::uint64_t mode = below(random, 5);
  std::int32_t dense = one_in(random, 3) ? -1 : 1;
  for (unsigned k = 0; k < f.outer_level; ++k) {
    const bool full = c.loops[k] == kFullTrips - 1;
    if (mode == 0) {
      plain[k] = dense;
      dense *= static_cast<std::int32_t>(std::min<std::uint32_t>(c.loops[k], 1000)) + 1;
      dense = std::clamp(dense, -100'000, 100'000);
    } else if (mode != 1 || one_in(random, 2)) {
      plain[k] = between(random, -spread, spread);
    }
    if (full) {
      plain[k] = 0;  // the walk comes back to where it was
      dense = std::clamp(dense, -1, 1);
    }
  }
  std::int64_t inner = 0;
  for (unsigned k = 0; k < 5; ++k) {
    if (k >= f.outer_level) {
      c.stride[agu][k] = static_cast<std::int32_t>(any_word(random));
      continue;
    }
    const bool raw = mode == 3 && c.loops[k] != kFullTrips - 1;  // programmed strides drawn directly
    const std::int64_t programmed = raw ? plain[k] : plain[k] - inner;
    inner += (raw ? programmed + inner : plain[k]) * static_cast<std::int64_t>(c.loops[k]);
    c.stride[agu][k] = static_cast<std::int32_t>(programmed * unit);
  }
}

/// Puts each used AGU somewhere in the scratchpad; false if it does not fit or may have a hazard.
bool place(Random& random, const RandomCommandOptions& options, Command& c, unsigned image_words) {
  const std::int64_t bytes = 4 * static_cast<std::int64_t>(options.tcdm_words);
  const std::array<Range, 3> range = ranges(c, image_words);
  const unsigned active = active_agus(decode(c.cmd));
  for (unsigned u = 0; u < 3; ++u) {
    if (range[u].size() > bytes) {
      return false;
    }
  }
  for (int attempt = 0; attempt < 8; ++attempt) {
    // Neighbours now and then: sources and results in a small window, or results in place of an operand.
    const std::int64_t window = one_in(random, 4) ? std::max<std::int64_t>(256, bytes / 64)
                                                  : std::numeric_limits<std::int64_t>::max();
    for (unsigned u = 0; u < 3; ++u) {
      if ((active >> u & 1) == 0) {
        c.base[u] = any_word(random);
        continue;
      }
      if (range[u].empty()) {  // used by a step that this command does not have
        c.base[u] = static_cast<std::uint32_t>(below(random, static_cast<std::uint64_t>(2 * bytes))) & ~3u;
        continue;
      }
      const std::int64_t room = std::min(bytes - range[u].size(), window);
      std::int64_t at =
          4 * static_cast<std::int64_t>(below(random, static_cast<std::uint64_t>(room / 4) + 1));
      if (one_in(random, 16)) {
        at = one_in(random, 2) ? 0 : bytes - range[u].size();  // an edge of the scratchpad
      }
      std::int64_t base = at - range[u].low;
      if (u == 2 && one_in(random, 6)) {
        const std::int64_t other = base_offset(c.base[below(random, 2)] & ~3u);
        base = other + range[2].low >= 0 && other + range[2].high <= bytes ? other : base;
      }
      if (base < 0 || base >= 0x10'0000) {
        return false;  // no such base: the first accessed address lies far from it
      }
      c.base[u] = static_cast<std::uint32_t>(base) | (one_in(random, 2) ? kTcdmBase : 0);
    }
    if (!loses_address(c, options.tcdm_words, image_words) &&
        !may_have_hazard(c, options.tcdm_words, image_words)) {
      return true;
    }
  }
  return false;
}

/// Fills the images that a command reads with sums as hardware would have stored them; one in five stays as
/// it is.
void plant_images(Random& random, CommandCase& test_case, AccumulatorFormat format) {
  const CommandFields f = decode(test_case.command.cmd);
  const unsigned image_words = format.segments + 1;
  if (!images_in(f)) {
    return;
  }
  walk(test_case.command, image_words, [&](const auto& offset, const Touch& t) {
    for (unsigned u = 0; u < 3; ++u) {
      if (t.reads[u] < image_words || one_in(random, 5)) {
        continue;
      }
      ExactSum sum(format);
      const Values kind = random_values_kind(random);
      for (std::uint64_t i = below(random, 4); i > 0; --i) {
        sum.add_product(random_value(random, kind), random_value(random, kind));
      }
      std::vector<std::uint32_t> image = sum.image();
      if (one_in(random, 16)) {  // near the end of the range
        std::fill(image.begin(), image.end() - 1, 0xFFFF'FFFF);
        image[format.segments - 1] = one_in(random, 2) ? 0x7FFF'FFFF : 0x8000'0000;
        image[format.segments] = kAnySummand | kNotMinusZero;
      }
      const auto word = static_cast<std::size_t>((base_offset(test_case.command.base[u]) + offset[u]) / 4);
      std::copy(image.begin(), image.end(), test_case.tcdm.begin() + static_cast<std::ptrdiff_t>(word));
    }
    return true;
  });
}

void break_something(Random& random, const RandomCommandOptions& options, Command& c) {
  CommandFields f = decode(c.cmd);
  const auto agu = static_cast<unsigned>(below(random, 3));
  const auto loop = static_cast<unsigned>(below(random, 5));
  const auto bytes = static_cast<std::int32_t>(4 * options.tcdm_words);
  switch (below(random, 10)) {
    case 0:
      f.opcode = static_cast<std::uint32_t>(9 + below(random, 7));
      break;
    case 1:
      f.store_level = static_cast<std::uint32_t>(below(random, 8));
      f.init_level = static_cast<std::uint32_t>(below(random, 8));
      f.outer_level = static_cast<std::uint32_t>(below(random, 8));
      break;
    case 2:
      f.irq = 3;
      break;
    case 3:
      f.aux = static_cast<std::uint32_t>(below(random, 8));
      break;
    case 4:
      f.reserved = 1u << below(random, 10);
      break;
    case 5:
      c.base[agu] |= static_cast<std::uint32_t>(1 + below(random, 3));
      break;
    case 6:
      c.stride[agu][loop] += between(random, 1, 3);
      break;
    case 7:  // a little beyond an end, so that it is reached on the way
      c.base[agu] = kTcdmBase +
                    static_cast<std::uint32_t>((one_in(random, 2) ? bytes : 0) + 4 * between(random, -40, 4));
      break;
    case 8:
      c.base[agu] = any_word(random) & ~3u;
      break;
    default:
      c.stride[agu][loop] = 4 * between(random, -bytes, bytes);
  }
  c.cmd = encode(f);
}

/// The command with loop j cut down to the trips first .. first + last_index, at the addresses that they had.
Command cut_loop(const Command& c, unsigned j, std::uint32_t first, std::uint32_t last_index) {
  Command cut = c;
  cut.loops[j] = last_index;
  for (unsigned u = 0; u < 3; ++u) {
    // Distance between the starts of two trips, per loop, and what its inner loops have walked by then,
    // before and after.
    // Modulo 2^32, as addresses are.
    std::uint32_t walked = 0;
    std::uint32_t cut_walked = 0;
    for (unsigned k = 0; k < decode(c.cmd).outer_level; ++k) {
      const std::uint32_t plain = static_cast<std::uint32_t>(c.stride[u][k]) + walked;
      cut.stride[u][k] = static_cast<std::int32_t>(plain - cut_walked);
      walked += plain * (c.loops[k] & 0xFFFF);
      cut_walked += plain * (cut.loops[k] & 0xFFFF);
      if (k == j) {
        cut.base[u] += plain * first;
      }
    }
  }
  return cut;
}

std::vector<std::uint32_t> touched_words(const CommandCase& test_case, AccumulatorFormat format) {
  const Command& c = test_case.command;
  std::set<std::uint32_t> words;
  const CommandFields f = decode(c.cmd);
  if (f.opcode >= kOpcodeCount || f.outer_level > 5 || f.init_level > 5 || f.store_level > 5) {
    return {};
  }
  walk(c, format.segments + 1, [&](const auto& offset, const Touch& t) {
    for (unsigned u = 0; u < 3; ++u) {
      for (unsigned i = 0; i < std::max(t.reads[u], u == 2 ? t.stores : 0); ++i) {
        const std::int64_t word = (base_offset(c.base[u]) + offset[u]) / 4 + i;
        if (word >= 0 && word < static_cast<std::int64_t>(test_case.tcdm.size())) {
          words.insert(static_cast<std::uint32_t>(word));
        }
      }
    }
    return true;
  });
  return {words.begin(), words.end()};
}

}  // namespace

Command random_command(Random& random, const RandomCommandOptions& options) {
  const unsigned image_words = options.format.segments + 1;
  const CommandFields f = random_fields(random, options);
  Command c;
  c.cmd = encode(f);
  for (int attempt = 0;; ++attempt) {
    RandomCommandOptions simpler = options;
    if (attempt >= 8) {  // hard to place: fewer steps, down to one, which always fits
      simpler.full_loop_every = 0;
      simpler.max_steps = std::max<std::uint64_t>(1, options.max_steps >> (attempt / 8));
    }
    random_loops(random, simpler, f, c);
    for (int again = 0; again < 4; ++again) {
      for (unsigned u = 0; u < 3; ++u) {
        const bool images =
            (u == 2 && images_out(f)) || (u == 0 && image_stream(f)) || (u == f.init_source && images_in(f));
        const std::int32_t unit =
            images && !one_in(random, 4) ? static_cast<std::int32_t>(4 * image_words) : 4;
        const bool wide_spread = one_in(random, 4);
        random_strides(random, f, c, u, unit, wide_spread ? 200 : 4);
      }
      if (place(random, options, c, image_words)) {
        return c;
      }
    }
  }
}

Command random_invalid_command(Random& random, const std::vector<std::uint32_t>& tcdm,
                               const RandomCommandOptions& options) {
  while (true) {
    Command c = random_command(random, options);
    break_something(random, options, c);
    if (one_in(random, 8)) {
      break_something(random, options, c);
    }
    std::vector<std::uint32_t> copy = tcdm;
    const Outcome out = run(c, copy, options.format);
    if (out.cause != Cause::kNone && !out.hazard) {
      return c;
    }
  }
}

std::vector<std::uint32_t> random_scratchpad(Random& random, std::uint32_t words) {
  std::vector<std::uint32_t> tcdm(words);
  for (std::size_t at = 0; at < tcdm.size();) {
    const std::size_t length = std::min<std::size_t>(tcdm.size() - at, 8 + below(random, 400));
    const auto stretch = std::span(tcdm).subspan(at, length);
    if (one_in(random, 8)) {
      for (std::uint32_t& word : stretch) {
        word = static_cast<std::uint32_t>(below(random, 24));
      }
    } else {
      fill_values(random, random_values_kind(random), stretch);
      if (one_in(random, 4)) {  // a count for every count mode to find
        stretch[below(random, length)] = static_cast<std::uint32_t>(below(random, 24));
      }
    }
    at += length;
  }
  return tcdm;
}

CommandCase random_case(Random& random, const RandomCommandOptions& options) {
  CommandCase result{random_command(random, options), random_scratchpad(random, options.tcdm_words)};
  plant_images(random, result, options.format);
  return result;
}

CommandCase shrink(const CommandCase& failing, const std::function<bool(const CommandCase&)>& fails,
                   unsigned budget, AccumulatorFormat format) {
  CommandCase best = failing;
  std::vector<std::uint32_t> scratch = best.tcdm;
  const Cause cause = run(best.command, scratch, format).cause;
  // Keeps a candidate that still fails, in the same way as far as the golden model goes.
  const auto keep = [&](const CommandCase& candidate) {
    if (budget == 0) {
      return false;
    }
    scratch = candidate.tcdm;
    const Outcome out = run(candidate.command, scratch, format);
    if (out.hazard || out.cause != cause) {
      return false;
    }
    --budget;
    if (!fails(candidate)) {
      return false;
    }
    best = candidate;
    return true;
  };
  const auto try_command = [&](const Command& c) {
    const bool same = c.cmd == best.command.cmd && c.loops == best.command.loops &&
                      c.base == best.command.base && c.stride == best.command.stride;
    return !same && keep({c, best.tcdm});
  };
  const auto try_fields = [&](auto change) {
    CommandFields f = decode(best.command.cmd);
    change(f);
    Command c = best.command;
    c.cmd = encode(f);
    return try_command(c);
  };

  for (bool progress = true; progress && budget > 0;) {
    progress = false;
    progress |= try_fields([](CommandFields& f) {
      f.outer_level -= f.outer_level > 0 ? 1 : 0;
      f.init_level = std::min(f.init_level, f.outer_level);
      f.store_level = std::min(f.store_level, f.init_level);
    });
    progress |= try_fields([](CommandFields& f) { f.irq = 0; });
    progress |= try_fields([](CommandFields& f) { f.overlap = false; });
    progress |= try_fields([](CommandFields& f) { f.polarity = false; });
    progress |= try_fields([](CommandFields& f) { f.aux &= 6; });
    progress |= try_fields([](CommandFields& f) { f.aux &= 5; });
    progress |= try_fields([](CommandFields& f) { f.aux &= 3; });
    progress |= try_fields([](CommandFields& f) { f.init_source = kSourceZero; });
    for (unsigned j = 0; j < 5; ++j) {
      const std::uint32_t now = best.command.loops[j] & 0xFFFF;
      if (now > 0) {  // either half, without the last, without the first, at unchanged addresses
        const std::uint32_t half = now / 2;
        for (const auto& [first, last] : std::array<std::pair<std::uint32_t, std::uint32_t>, 4>{
                 {{0, half}, {half + 1, now - half - 1}, {0, now - 1}, {1, now - 1}}}) {
          if (last < (best.command.loops[j] & 0xFFFF)) {
            progress |= try_command(cut_loop(best.command, j, first, last));
          }
        }
      }
      for (const std::uint32_t fewer : {0u, now / 2}) {
        Command c = best.command;
        c.loops[j] = fewer;
        progress |= fewer < (best.command.loops[j] & 0xFFFF) && try_command(c);
      }
      for (unsigned u = 0; u < 3; ++u) {
        Command c = best.command;
        c.stride[u][j] = 0;
        progress |= try_command(c);
      }
    }
    const unsigned active = active_agus(decode(best.command.cmd));
    for (unsigned u = 0; u < 3; ++u) {
      Command c = best.command;
      c.base[u] = (active >> u & 1) == 0 ? 0 : c.base[u];
      progress |= try_command(c);
    }
  }

  // Data: zero what can be zero, in ever smaller pieces; what cannot be may do as 1.0.
  const std::vector<std::uint32_t> words = touched_words(best, format);
  for (const std::uint32_t plain : {0u, kOne}) {
    for (std::size_t piece = words.size(); piece > 0 && budget > 0; piece /= 2) {
      for (std::size_t at = 0; at < words.size(); at += piece) {
        CommandCase candidate = best;
        bool changed = false;
        for (std::size_t i = at; i < std::min(at + piece, words.size()); ++i) {
          std::uint32_t& word = candidate.tcdm[words[i]];
          if (word != 0 && word != plain) {
            word = plain;
            changed = true;
          }
        }
        if (changed) {
          keep(candidate);
        }
      }
    }
  }
  return best;
}

std::string to_string(const CommandCase& failing, AccumulatorFormat format) {
  std::string text = to_string(failing.command);
  std::array<char, 64> item{};
  const auto append = [&](int length) { text.append(item.data(), static_cast<std::size_t>(length)); };
  std::vector<std::uint32_t> after = failing.tcdm;
  const Outcome out = run(failing.command, after, format);
  const auto words = touched_words(failing, format);
  constexpr std::size_t shown = 64;
  append(std::snprintf(item.data(), item.size(), "\n  words touched (%zu):", words.size()));
  for (std::size_t i = 0; i < std::min(words.size(), shown); ++i) {
    append(std::snprintf(item.data(), item.size(), "%s[0x%05X]=%08X", i % 6 == 0 ? "\n    " : " ",
                         4 * words[i], failing.tcdm[words[i]]));
  }
  append(std::snprintf(item.data(), item.size(),
                       "\n  golden: cause %u, %llu steps, %zu stores:", static_cast<unsigned>(out.cause),
                       static_cast<unsigned long long>(out.steps), out.stores.size()));
  for (std::size_t i = 0; i < std::min(out.stores.size(), shown); ++i) {
    append(std::snprintf(item.data(), item.size(), "%s[0x%05X]=%08X", i % 6 == 0 ? "\n    " : " ",
                         out.stores[i].address, out.stores[i].value));
  }
  return text;
}

}  // namespace nearcube::golden
