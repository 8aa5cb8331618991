// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/ntx_golden.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "tests/golden/binary32.h"

namespace nearcube::golden {
namespace {

bool takes_a(const CommandFields& f) {
  switch (f.opcode) {
    case kMac:
    case kVaddsub:
    case kVmult:
    case kOuterp:
    case kMask:
      return true;
    case kCopy:
      return (f.aux & 1) != 0;
    default:
      return false;
  }
}

bool takes_b(const CommandFields& f) {
  switch (f.opcode) {
    case kMac:
    case kVmult:
    case kMaxmin:
    case kThtst:
      return true;
    case kMask:
    case kMaskmac:
      return (f.aux & 4) == 0;
    default:
      return false;
  }
}

/// Operations with an init operand from the init source; MASKMAC has rules of its own.
bool takes_init(const CommandFields& f) {
  switch (f.opcode) {
    case kVmult:
    case kMaskmac:
      return false;
    case kCopy:
      return (f.aux & 1) == 0;
    default:
      return true;
  }
}

bool sums(const CommandFields& f) { return f.opcode == kMac || f.opcode == kVaddsub; }
bool wide_init(const CommandFields& f) { return sums(f) && (f.aux & 2) != 0; }
bool wide_a(const CommandFields& f) { return f.opcode == kVaddsub && (f.aux & 2) != 0; }
bool wide_store(const CommandFields& f) { return sums(f) && (f.aux & 4) != 0; }

bool aux_defined(const CommandFields& f) {
  switch (f.opcode) {
    case kMac:
    case kVaddsub:
      return (f.aux & 5) != 5;
    case kVmult:
    case kOuterp:
    case kMaxmin:
    case kCopy:
      return f.aux <= 1;
    default:
      return (f.aux & 3) != 3;
  }
}

Cause malformed(const CommandFields& f) {
  if (f.opcode >= kOpcodeCount) {
    return Cause::kOpcode;
  }
  if (f.store_level > f.init_level || f.init_level > f.outer_level || f.outer_level > 5) {
    return Cause::kLevels;
  }
  if (f.irq == 3) {
    return Cause::kIrq;
  }
  if (!aux_defined(f)) {
    return Cause::kAux;
  }
  return f.reserved != 0 ? Cause::kReservedBits : Cause::kNone;
}

/// A key that orders all but NaN, -0 below +0.
std::int64_t order_key(std::uint32_t x) {
  const auto magnitude = static_cast<std::int64_t>(x & ~kSignBit);
  return is_negative(x) ? -1 - magnitude : magnitude;
}

/// One run of a command.
class Run {
 public:
  Run(const Command& command, std::vector<std::uint32_t>& tcdm, AccumulatorFormat format)
      : command_(command), f_(decode(command.cmd)), tcdm_(tcdm), stored_(tcdm.size()), sum_(format) {}

  Outcome execute() {
    if (refuse()) {
      return out_;
    }
    for (unsigned u = 0; u < 3; ++u) offset_[u] = command_.base[u] & 0xF'FFFF;
    while (step()) {
      ++out_.steps;
      if (!advance()) {
        break;
      }
    }
    if (f_.opcode == kMac || f_.opcode == kVmult || f_.opcode == kOuterp) {
      out_.macs = out_.steps;
    }
    return out_;
  }

 private:
  /// What one step accesses through one AGU: words from its address on.
  using Extents = std::array<unsigned, 3>;

  void fail(Cause cause, unsigned agu, std::uint32_t address) {
    out_.cause = cause;
    out_.error_agu = agu;
    out_.error_addr = address;
  }

  bool refuse() {
    const Cause cause = malformed(f_);
    if (cause != Cause::kNone) {
      fail(cause, 0, command_.cmd);
      return true;
    }
    const unsigned active = active_agus(f_);
    for (unsigned u = 0; u < 3; ++u) {
      if ((active >> u & 1) != 0 && (command_.base[u] & 3) != 0) {
        fail(Cause::kMisalignedBase, u, command_.base[u]);
        return true;
      }
    }
    for (unsigned u = 0; u < 3; ++u) {
      for (unsigned j = 0; (active >> u & 1) != 0 && j < f_.outer_level; ++j) {
        if ((command_.stride[u][j] & 3) != 0) {
          fail(Cause::kMisalignedStride, u, kept_stride(command_.stride[u][j], tcdm_.size()));
          return true;
        }
      }
    }
    for (unsigned u = 0; u < 3; ++u) {
      const std::uint32_t base = command_.base[u];
      const std::uint32_t region = base & ~0xF'FFFFu;
      if ((active >> u & 1) != 0 &&
          ((region != 0 && region != kTcdmBase) || (base & 0xF'FFFF) >= 2 * reach(tcdm_.size()))) {
        fail(Cause::kOutOfRange, u, base);
        return true;
      }
    }
    return false;
  }

  std::uint32_t last_index(unsigned loop) const { return command_.loops[loop] & 0xFFFF; }

  bool first_of_nest(unsigned level) const {
    return std::all_of(index_.begin(), index_.begin() + level, [](std::uint32_t i) { return i == 0; });
  }

  bool last_of_nest(unsigned level) const {
    for (unsigned j = 0; j < level; ++j) {
      if (index_[j] != last_index(j)) {
        return false;
      }
    }
    return true;
  }

  /// To the next step; false at the end of the outer nest.
  bool advance() {
    for (unsigned k = 0; k < f_.outer_level; ++k) {
      if (index_[k] != last_index(k)) {
        ++index_[k];
        for (unsigned u = 0; u < 3; ++u) {
          const std::int64_t limit = 2 * reach(tcdm_.size());
          offset_[u] += command_.stride[u][k];
          lost_[u] = lost_[u] || is_far(command_.stride[u][k], tcdm_.size()) || offset_[u] < -limit ||
                     offset_[u] >= limit;
          fetch_[u] = command_.stride[u][k] != 0;
        }
        return true;
      }
      index_[k] = 0;
    }
    return false;
  }

  /// False, and an error, if a word of these is outside the scratchpad.
  bool in_range(const Extents& extents) {
    for (unsigned u = 0; u < 3; ++u) {
      for (unsigned i = 0; i < extents[u]; ++i) {
        const std::int64_t offset = offset_[u] + 4 * i;
        if (lost_[u] || offset < 0 || offset >= static_cast<std::int64_t>(4 * tcdm_.size())) {
          fail(Cause::kOutOfRange, u, lost_[u] ? kLost : kTcdmBase + static_cast<std::uint32_t>(offset));
          return false;
        }
      }
    }
    return true;
  }

  std::uint32_t word_index(unsigned agu) const { return static_cast<std::uint32_t>(offset_[agu] / 4); }

  void note_read(unsigned agu, unsigned words, bool interlocked = false) {
    for (unsigned i = 0; i < words && !interlocked && !out_.hazard; ++i) {
      if (stored_[word_index(agu) + i]) {
        out_.hazard = Hazard{out_.steps, agu, 4 * (word_index(agu) + i)};
      }
    }
  }

  /// Operand A or B: counted when its AGU's stride that advanced was not zero.
  std::uint32_t stream(unsigned agu) {
    note_read(agu, 1);
    out_.reads += fetch_[agu] ? 1 : 0;
    return tcdm_[word_index(agu)];
  }

  /// A scalar init operand: counted when its address is not the previous one's.
  std::uint32_t init_word(unsigned agu, std::optional<std::int64_t>& previous) {
    note_read(agu, 1);
    if (previous != offset_[agu]) {
      ++out_.reads;
      previous = offset_[agu];
    }
    return tcdm_[word_index(agu)];
  }

  std::span<const std::uint32_t> image(unsigned agu) {
    note_read(agu, sum_.image_words());
    out_.reads += sum_.image_words();
    out_.image_words += sum_.image_words();
    return std::span(tcdm_).subspan(word_index(agu), sum_.image_words());
  }

  void store(std::uint32_t offset_words, std::uint32_t value) {
    const std::uint32_t word = word_index(2) + offset_words;
    pending_.push_back({4 * word, value});
  }

  /// Stores act after all reads of their step.
  void commit() {
    for (const Store& s : pending_) {
      tcdm_[s.address / 4] = s.value;
      stored_[s.address / 4] = true;
      out_.stores.push_back(s);
    }
    pending_.clear();
  }

  /// True if the step was done.
  bool step() {
    const bool init = first_of_nest(f_.init_level);
    return f_.opcode == kMaskmac ? step_maskmac(init) : step_plain(init, last_of_nest(f_.store_level));
  }

  bool step_plain(bool init, bool stores) {
    const bool reads_init = init && takes_init(f_) && f_.init_source != kSourceZero;
    Extents extents{};
    const auto need = [&](unsigned agu, bool wide) {
      extents[agu] = std::max(extents[agu], wide ? sum_.image_words() : 1);
    };
    if (takes_a(f_)) {
      need(0, wide_a(f_));
    }
    if (takes_b(f_)) {
      need(1, false);
    }
    if (reads_init) {
      need(f_.init_source, wide_init(f_));
    }
    if (stores) {
      need(2, wide_store(f_));
    }
    if (!in_range(extents)) {
      return false;
    }

    if (init) {
      sum_.clear();
      reg_ = 0;
      index_of_winner_ = 0;
      count_ = 0;
      if (reads_init && wide_init(f_)) {
        sum_.add_image(image(f_.init_source), f_.opcode == kVaddsub && f_.polarity);
      } else if (reads_init) {
        reg_ = init_word(f_.init_source, previous_init_);
        if (sums(f_)) {
          sum_.add_value(reg_, f_.opcode == kVaddsub && f_.polarity);
        }
      }
    }
    const std::uint32_t a = takes_a(f_) && !wide_a(f_) ? stream(0) : 0;
    const std::uint32_t b = takes_b(f_) ? stream(1) : 0;

    std::uint32_t result = 0;
    switch (f_.opcode) {
      case kMac:
        sum_.add_product(a, b, f_.polarity);
        break;
      case kVaddsub:
        if (wide_a(f_)) {
          sum_.add_image(image(0));
        } else {
          sum_.add_value(a);
        }
        break;
      case kVmult:
        sum_.clear();
        sum_.add_product(a, b, f_.polarity);
        break;
      case kOuterp:
        sum_.clear();
        sum_.add_product(a, reg_, f_.polarity);
        break;
      case kMaxmin:
        if (replaces(b, reg_, f_.polarity)) {
          reg_ = b;
          index_of_winner_ = count_;
        }
        result = (f_.aux & 1) != 0 ? index_of_winner_ : is_nan(reg_) ? kQuietNan : reg_;
        break;
      case kThtst: {
        const bool holds = compare(f_.aux & 3, b, reg_) != f_.polarity;
        result = (f_.aux & 4) != 0 ? (holds ? kOne : 0) : (holds ? b : reg_);
        break;
      }
      case kMask:
        result = test(b) ? a : 0;
        break;
      case kCopy:
        result = takes_a(f_) ? a : reg_;
        break;
      default:
        break;
    }
    ++count_;

    if (stores && wide_store(f_)) {
      const auto words = sum_.image();
      for (unsigned i = 0; i < words.size(); ++i) {
        store(i, words[i]);
      }
      out_.image_words += words.size();
    } else if (stores) {
      const bool rounds = f_.opcode <= kOuterp;
      store(0, rounds ? sum_.round((f_.aux & 1) != 0) : result);
    }
    commit();
    return true;
  }

  bool step_maskmac(bool init) {
    const bool reads_reg = init && f_.init_source != kSourceZero;
    // Everything but AGU2, whose access depends on these.
    if (!in_range({init ? 1u : 0u, reads_reg || takes_b(f_) ? 1u : 0u, 0})) {
      return false;
    }
    if (init) {
      summand_ = init_word(0, previous_summand_);
      reg_ = reads_reg ? init_word(1, previous_init_) : 0;
      count_ = 0;
    }
    const std::uint32_t b = takes_b(f_) ? stream(1) : 0;
    if (test(b)) {
      if (!in_range({0, 0, 1})) {
        return false;
      }
      note_read(2, 1, true);
      ++out_.reads;
      ExactSum sum(sum_.format());
      sum.add_value(tcdm_[word_index(2)]);
      sum.add_value(summand_);
      store(0, sum.round());
      commit();
    }
    ++count_;
    return true;
  }

  /// MASK's and MASKMAC's test.
  bool test(std::uint32_t b) const {
    const std::uint32_t code = f_.aux & 3;
    bool holds = false;
    if ((f_.aux & 4) == 0) {
      holds = compare(code, b, reg_);
    } else {
      holds = code == 0 ? count_ == reg_ : code == 1 ? count_ < reg_ : count_ <= reg_;
    }
    return holds != f_.polarity;
  }

  const Command& command_;
  const CommandFields f_;
  std::vector<std::uint32_t>& tcdm_;
  std::vector<bool> stored_;
  std::vector<Store> pending_;
  Outcome out_;

  std::array<std::uint32_t, 5> index_{};
  std::array<std::int64_t, 3> offset_{};  ///< bytes from the scratchpad's start
  std::array<bool, 3> lost_{};
  std::array<bool, 3> fetch_{true, true, true};
  std::optional<std::int64_t> previous_init_;
  std::optional<std::int64_t> previous_summand_;

  ExactSum sum_;
  std::uint32_t reg_ = 0;
  std::uint32_t summand_ = 0;  ///< MASKMAC's v
  std::uint32_t count_ = 0;    ///< steps since init
  std::uint32_t index_of_winner_ = 0;
};

}  // namespace

const char* opcode_name(std::uint32_t opcode) {
  static constexpr std::array<const char*, kOpcodeCount> names = {
      "MAC", "VADDSUB", "VMULT", "OUTERP", "MAXMIN", "THTST", "MASK", "MASKMAC", "COPY"};
  return opcode < kOpcodeCount ? names[opcode] : "invalid";
}

std::uint32_t encode(const CommandFields& f) {
  return f.opcode | f.init_level << 4 | f.store_level << 7 | f.outer_level << 10 | f.init_source << 13 |
         f.aux << 15 | f.irq << 18 | (f.polarity ? 1u : 0u) << 20 | (f.overlap ? 1u : 0u) << 21 |
         f.reserved << 22;
}

CommandFields decode(std::uint32_t cmd) {
  CommandFields f;
  f.opcode = cmd & 15;
  f.init_level = cmd >> 4 & 7;
  f.store_level = cmd >> 7 & 7;
  f.outer_level = cmd >> 10 & 7;
  f.init_source = cmd >> 13 & 3;
  f.aux = cmd >> 15 & 7;
  f.irq = cmd >> 18 & 3;
  f.polarity = (cmd >> 20 & 1) != 0;
  f.overlap = (cmd >> 21 & 1) != 0;
  f.reserved = cmd >> 22;
  return f;
}

std::string to_string(const Command& command) {
  const CommandFields f = decode(command.cmd);
  std::array<char, 256> line{};
  std::string text;
  const auto append = [&](int length) { text.append(line.data(), static_cast<std::size_t>(length)); };
  append(std::snprintf(line.data(), line.size(),
                       "cmd 0x%08X: %s store %u init %u outer %u source %u aux %u irq %u%s%s%s\n  trips",
                       command.cmd, opcode_name(f.opcode), f.store_level, f.init_level, f.outer_level,
                       f.init_source, f.aux, f.irq, f.polarity ? " polarity" : "",
                       f.overlap ? " overlap" : "", f.reserved != 0 ? " reserved bits" : ""));
  for (const std::uint32_t loop : command.loops) {
    append(std::snprintf(line.data(), line.size(), " %u", (loop & 0xFFFF) + 1));
  }
  for (unsigned u = 0; u < 3; ++u) {
    append(std::snprintf(line.data(), line.size(), "\n  AGU%u base 0x%08X strides", u, command.base[u]));
    for (const std::int32_t stride : command.stride[u]) {
      append(std::snprintf(line.data(), line.size(), " %d", stride));
    }
  }
  return text;
}

std::uint64_t Outcome::minimum_cycles() const {
  const std::uint64_t accesses = reads + stores.size();
  return std::max(steps, (accesses + 1) / 2);
}

Outcome run(const Command& command, std::vector<std::uint32_t>& tcdm, AccumulatorFormat format) {
  return Run(command, tcdm, format).execute();
}

std::int64_t reach(std::size_t words) { return static_cast<std::int64_t>(4 * std::bit_ceil(words)); }

bool is_far(std::int32_t stride, std::size_t words) {
  return stride < -reach(words) || stride >= reach(words);
}

std::uint32_t kept_stride(std::int32_t stride, std::size_t words) {
  if (!is_far(stride, words)) {
    return static_cast<std::uint32_t>(stride);
  }
  const auto bits = static_cast<std::uint32_t>(2 * reach(words) - 1);
  const std::uint32_t low = static_cast<std::uint32_t>(stride) & bits;
  return low > bits / 2 ? low : low | ~bits;
}

unsigned active_agus(const CommandFields& f) {
  unsigned active = 1u << 2;
  if (takes_a(f) || f.opcode == kMaskmac) {
    active |= 1u << 0;
  }
  if (takes_b(f) || (f.opcode == kMaskmac && f.init_source != kSourceZero)) {
    active |= 1u << 1;
  }
  if (takes_init(f) && f.init_source != kSourceZero) {
    active |= 1u << f.init_source;
  }
  return active;
}

bool compare(std::uint32_t code, std::uint32_t b, std::uint32_t reg) {
  if (is_nan(b) || is_nan(reg)) {
    return false;
  }
  const bool equal = b == reg || (is_zero(b) && is_zero(reg));
  const bool less = !equal && order_key(b) < order_key(reg);
  return code == 0 ? equal : code == 1 ? less : less || equal;
}

bool replaces(std::uint32_t b, std::uint32_t reg, bool minimum) {
  if (is_nan(reg) || is_nan(b)) {
    return !is_nan(reg);
  }
  return minimum ? order_key(b) < order_key(reg) : order_key(b) > order_key(reg);
}

}  // namespace nearcube::golden
