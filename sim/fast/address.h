// SPDX-License-Identifier: Apache-2.0
// The address of an address generator.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nearcube::fast {

/// R of docs/ntx-programming.md: a scratchpad's size in bytes, rounded up to a power of two.
inline std::int64_t reach_of(std::size_t words) {
  return static_cast<std::int64_t>(4 * std::bit_ceil(words));
}

/// A stride leads from no word of the scratchpad to another.
inline bool is_far(std::int64_t stride, std::int64_t reach) { return stride < -reach || stride >= reach; }

/// Bytes from the scratchpad's start. It is kept while it is no farther than twice the reach; beyond, and by
/// a far stride, it is lost for good.
class Address {
 public:
  Address() = default;
  Address(std::uint32_t base, std::int64_t reach) : offset_(base & 0xF'FFFF), reach_(reach) {}

  /// Adds a stride so many times.
  void advance(std::int64_t stride, std::int64_t times = 1) {
    if (times == 0) return;
    offset_ += stride * times;
    lost_ = lost_ || is_far(stride, reach_) || offset_ < -2 * reach_ || offset_ >= 2 * reach_;
  }

  /// Walks a way from here: to where it leads at last, by such a lowest and highest address, maybe by a far
  /// stride.
  void walk(std::int64_t last, std::int64_t lowest, std::int64_t highest, bool far) {
    lost_ = lost_ || far || offset_ + lowest < -2 * reach_ || offset_ + highest >= 2 * reach_;
    offset_ += last;
  }

  bool lost() const { return lost_; }
  std::int64_t offset() const { return offset_; }
  std::size_t word() const { return static_cast<std::size_t>(offset_) / 4; }

  /// So many words lie in a scratchpad of `bytes`.
  bool inside(std::int64_t words, std::int64_t bytes) const {
    return !lost_ && offset_ >= 0 && offset_ + 4 * words <= bytes;
  }

 private:
  std::int64_t offset_ = 0;
  std::int64_t reach_ = 0;
  bool lost_ = false;
};

}  // namespace nearcube::fast
