// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/ntx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/fast/address.h"
#include "sim/fast/block.h"

namespace nearcube::fast {
namespace {

namespace ntx = interfaces::ntx;

constexpr std::uint32_t kOne = 0x3F80'0000;
constexpr std::uint32_t kSign = 0x8000'0000;
/// error_addr of an address that was lost.
constexpr std::uint32_t kLostAddress = 0xFFFF'FFFC;

bool is_nan(std::uint32_t x) { return (x & ~kSign) > 0x7F80'0000; }

/// "x op y" of the codes EQ, LT, LE.
template <typename T>
bool relation(std::uint32_t code, T x, T y) {
  return code == 0 ? x == y : code == 1 ? x < y : x <= y;
}

/// A number whose order as an integer is the number's, -0 below +0.
std::int32_t rank(std::uint32_t x) {
  const auto bits = static_cast<std::int32_t>(x);
  return bits < 0 ? bits ^ 0x7FFF'FFFF : bits;
}

/// x is a better maximum (minimum) than the one so far.
bool replaces(std::uint32_t x, std::uint32_t best, bool minimum) {
  if (is_nan(best)) return false;
  if (is_nan(x)) return true;
  return minimum ? rank(x) < rank(best) : rank(x) > rank(best);
}

/// A command on its way through its loops.
class Run {
 public:
  Run(const NtxRegisters& registers, const NtxOperation& operation, std::span<std::uint32_t> tcdm,
      Accumulation& accumulation, NtxOutcome& outcome)
      : registers_(registers),
        op_(operation),
        tcdm_(tcdm),
        bytes_(static_cast<std::int64_t>(4 * tcdm.size())),
        accumulation_(accumulation),
        out_(outcome),
        last_(last_indices(registers)),
        block_(registers, last_, op_.sums && !op_.wide_a ? op_.store_level : 0, reach_of(tcdm.size())) {
    for (unsigned u = 0; u < kAgus; ++u) at_[u] = Address(registers.base[u], reach_of(tcdm.size()));
  }

  void run() {
    do {
      const bool at_once = block_.level != 0 && first_of(block_.level) && block();
      if (!at_once && !(op_.maskmac ? maskmac_step() : step())) return;
    } while (advance());
  }

 private:
  using Image = std::span<std::uint32_t, exact::kImageWords>;

  static std::array<std::uint32_t, kLoops> last_indices(const NtxRegisters& registers) {
    std::array<std::uint32_t, kLoops> last;
    for (unsigned j = 0; j < kLoops; ++j) last[j] = registers.loops[j] & 0xFFFF;
    return last;
  }

  // Written out: there are five at most, and this is asked in every step.
  bool first_of(unsigned level) const {
    for (unsigned j = 0; j < level; ++j) {
      if (index_[j] != 0) return false;
    }
    return true;
  }
  bool last_of(unsigned level) const {
    for (unsigned j = 0; j < level; ++j) {
      if (index_[j] != last_[j]) return false;
    }
    return true;
  }

  bool advance() {
    for (unsigned k = 0; k < op_.outer_level; ++k) {
      if (index_[k] != last_[k]) {
        ++index_[k];
        for (unsigned u = 0; u < kAgus; ++u) at_[u].advance(registers_.stride[u][k]);
        return true;
      }
      index_[k] = 0;
    }
    return false;
  }

  /// So many words at AGU u are in the scratchpad; else the command stops.
  bool allow(unsigned u, unsigned words) {
    if (words == 0 || at_[u].inside(words, bytes_)) return true;
    const std::int64_t offset = at_[u].inside(1, bytes_) ? bytes_ : at_[u].offset();
    const auto address =
        static_cast<std::uint32_t>(interfaces::kTcdmBase + static_cast<std::uint64_t>(offset));
    out_.error = {ntx::kErrorCauseCauseOutOfRange, u, at_[u].lost() ? kLostAddress : address};
    return false;
  }

  std::uint32_t& word(unsigned u) { return tcdm_[at_[u].word()]; }
  Image image(unsigned u) { return tcdm_.subspan(at_[u].word()).first<exact::kImageWords>(); }

  /// A word that is held is read no more: the next read is counted if the address is another.
  std::uint32_t read(unsigned u, std::optional<std::int64_t>& previous) {
    if (previous != at_[u].offset()) {
      previous = at_[u].offset();
      ++out_.reads;
    }
    return word(u);
  }

  void count_image_read() {
    out_.reads += exact::kImageWords;
    ++out_.images_read;
  }

  void store(std::uint32_t value) {
    word(2) = value;
    ++out_.stores;
  }

  /// The init operand, or what begins in its place.
  void init() {
    count_ = 0;
    best_index_ = 0;
    register_ = 0;
    const bool negate = op_.product && op_.polarity;
    const bool negate_init = op_.opcode == ntx::kCmdOpcodeVaddsub && op_.polarity;
    if (!op_.reads_init) {
      accumulation_.start(negate);
    } else if (op_.wide_init) {
      accumulation_.start_image(negate, image(op_.source), negate_init);
      count_image_read();
    } else {
      register_ = read(op_.source, init_read_);
      accumulation_.start(negate, negate_init ? register_ ^ kSign : register_);
    }
  }

  /// The accumulator's result, or image.
  void store_sum() {
    if (op_.wide_store) {
      accumulation_.store_image(image(2));
      out_.stores += exact::kImageWords;
      ++out_.images_stored;
    } else {
      store(activated(accumulation_.result(!last_of(op_.init_level))));
    }
  }

  /// ReLU, if it is asked for.
  std::uint32_t activated(std::uint32_t x) const {
    return (op_.aux & 1) != 0 && (x & kSign) != 0 && !is_nan(x) ? 0 : x;
  }

  bool step() {
    const bool starts = first_of(op_.init_level);
    const bool stores = last_of(op_.store_level);
    const bool reads_init = starts && op_.reads_init;
    std::array<unsigned, kAgus> words = {op_.wide_a   ? exact::kImageWords
                                         : op_.uses_a ? 1u
                                                      : 0u,
                                         op_.uses_b ? 1u : 0u,
                                         !stores          ? 0u
                                         : op_.wide_store ? exact::kImageWords
                                                          : 1u};
    if (reads_init) words[op_.source] = std::max(words[op_.source], op_.wide_init ? exact::kImageWords : 1u);
    for (unsigned u = 0; u < kAgus; ++u) {
      if (!allow(u, words[u])) return false;
    }
    if (starts) init();
    const std::uint32_t a = op_.uses_a && !op_.wide_a ? read(0, a_read_) : 0;
    const std::uint32_t b = op_.uses_b ? read(1, b_read_) : 0;
    if (op_.sums) {
      if (op_.wide_a) {
        accumulation_.add_image(image(0));
        count_image_read();
      } else {
        accumulation_.add(&a, 1, op_.product ? &b : nullptr, 1, 1);
      }
      if (stores) store_sum();
    } else {
      const std::uint32_t result = of_one_step(a, b);
      if (stores) store(result);
    }
    ++count_;
    ++out_.steps;
    return true;
  }

  /// The result of a step that is no sum.
  std::uint32_t of_one_step(std::uint32_t a, std::uint32_t b) {
    switch (op_.opcode) {
      case ntx::kCmdOpcodeVmult:
        return activated(exact::multiply_add(a, b, op_.polarity, {}));
      case ntx::kCmdOpcodeOuterp:
        return activated(exact::multiply_add(a, register_, op_.polarity, {}));
      case ntx::kCmdOpcodeMaxmin:
        if (replaces(b, register_, op_.polarity)) {
          register_ = b;
          best_index_ = count_;
        }
        return (op_.aux & 1) != 0 ? best_index_ : is_nan(register_) ? exact::kQuietNan : register_;
      case ntx::kCmdOpcodeThtst: {
        const bool holds = test(b);
        if ((op_.aux & 4) != 0) return holds ? kOne : 0;
        return holds ? b : register_;
      }
      case ntx::kCmdOpcodeMask:
        return test(b) ? a : 0;
      default:  // COPY
        return op_.uses_a ? a : register_;
    }
  }

  bool test(std::uint32_t b) const {
    const std::uint32_t code = op_.aux & 3;
    const bool holds = op_.counts ? relation(code, count_, register_)
                                  : relation(code, std::bit_cast<float>(b), std::bit_cast<float>(register_));
    return holds != op_.polarity;
  }

  bool maskmac_step() {
    const bool starts = first_of(op_.init_level);
    const bool reads_register = starts && !op_.source_zero;
    if (!allow(0, starts ? 1 : 0) || !allow(1, reads_register || op_.uses_b ? 1 : 0)) return false;
    if (starts) {
      summand_ = read(0, a_read_);
      register_ = reads_register ? read(1, b_read_) : 0;
      count_ = 0;
    }
    const std::uint32_t b = op_.uses_b ? read(1, b_read_) : 0;
    if (test(b)) {
      if (!allow(2, 1)) return false;
      ++out_.reads;
      store(exact::multiply_add(summand_, kOne, false, word(2)));
    }
    ++count_;
    ++out_.steps;
    return true;
  }

  /// All steps of a block, of a sum that starts and stores at its ends at most. False, and nothing is done,
  /// if an address is not in the scratchpad: then steps find out which comes first.
  bool block() {
    const bool starts = first_of(op_.init_level);
    std::array<Address, kAgus> end = at_;
    for (unsigned u = 0; u < kAgus; ++u) {
      const Block::Path& path = block_.paths[u];
      end[u].walk(path.last, path.lowest, path.highest, path.far);
    }
    const auto inside = [&](unsigned u) {
      const std::int64_t offset = at_[u].offset();
      return !end[u].lost() && offset + block_.paths[u].lowest >= 0 &&
             offset + block_.paths[u].highest < bytes_;
    };
    if (!inside(0) || (op_.uses_b && !inside(1))) return false;
    if (starts && op_.reads_init && !at_[op_.source].inside(op_.wide_init ? exact::kImageWords : 1, bytes_)) {
      return false;
    }
    const std::array<std::uint32_t, kLoops> first = index_;
    std::copy_n(last_.begin(), block_.level, index_.begin());
    const bool stores = last_of(op_.store_level);
    if (stores && !end[2].inside(op_.wide_store ? exact::kImageWords : 1, bytes_)) {
      index_ = first;
      return false;
    }

    if (starts) init();
    const auto reads = [&](unsigned u, std::optional<std::int64_t>& previous) {
      read(u, previous);
      out_.reads += block_.paths[u].moves;
      previous = end[u].offset();
    };
    reads(0, a_read_);
    if (op_.uses_b) reads(1, b_read_);
    accumulation_.add_rows(&word(0), registers_.stride[0][0] / 4, op_.uses_b ? &word(1) : nullptr,
                           registers_.stride[1][0] / 4, std::size_t{last_[0]} + 1, block_.rows);
    out_.steps += block_.steps;
    at_ = end;
    if (stores) store_sum();
    return true;
  }

  const NtxRegisters& registers_;
  const NtxOperation& op_;
  std::span<std::uint32_t> tcdm_;
  std::int64_t bytes_;
  Accumulation& accumulation_;
  NtxOutcome& out_;

  const std::array<std::uint32_t, kLoops> last_;
  const Block block_;
  std::array<std::uint32_t, kLoops> index_{};
  std::array<Address, kAgus> at_;
  std::optional<std::int64_t> a_read_, b_read_, init_read_;  ///< where the operand that is held was read

  std::uint32_t register_ = 0;
  std::uint32_t summand_ = 0;     ///< MASKMAC's v
  std::uint32_t count_ = 0;       ///< steps since init
  std::uint32_t best_index_ = 0;  ///< MAXMIN's
};

}  // namespace

NtxOutcome Ntx::run(const NtxRegisters& registers, std::span<std::uint32_t> tcdm) {
  const NtxOperation operation(registers.cmd);
  NtxOutcome outcome;
  outcome.error = refusal(registers, operation, reach_of(tcdm.size()));
  if (outcome.error) return outcome;
  Run(registers, operation, tcdm, accumulation_, outcome).run();
  if (operation.product) outcome.products = outcome.steps;
  return outcome;
}

}  // namespace nearcube::fast
