// SPDX-License-Identifier: Apache-2.0
// Cube memory without timing: sparse, byte addressed, with a capacity.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <unordered_map>

namespace nearcube::memory {

/// What a byte holds that nobody wrote.
enum class Untouched {
  kZero,
  kPoison,  ///< words of kPoisonWord, a NaN that nobody computes: reading unwritten memory shows
};

/// Little-endian pattern of untouched memory under Untouched::kPoison.
inline constexpr std::uint32_t kPoisonWord = 0xFFBADBAD;

/// `capacity` bytes from address `base` on. Pages come into being when first written, so an 8 GiB cube costs
/// what is used.
class FlatMemory {
 public:
  /// Both multiples of 8, so that a bus word is inside or outside as a whole; throws Error (kBadInput) else.
  FlatMemory(std::uint64_t base, std::uint64_t capacity, Untouched untouched);

  std::uint64_t base() const { return base_; }
  std::uint64_t capacity() const { return capacity_; }
  /// All of [address, address + bytes) exists.
  bool contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && bytes <= capacity_ && address - base_ <= capacity_ - bytes;
  }

  /// Throw Error (kBadInput) naming the range if any byte of it does not exist; then nothing is written.
  void read(std::uint64_t address, std::span<std::uint8_t> bytes) const;
  void write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  void fill(std::uint64_t address, std::uint64_t bytes, std::uint8_t value);

  template <typename T>
  T read_as(std::uint64_t address) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    read(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
    return value;
  }
  template <typename T>
  void write_as(std::uint64_t address, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(address, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }

  /// The bus's view: `address` a multiple of 8 and inside (contains(address, 8)).
  std::uint64_t read64(std::uint64_t address) const;
  /// Writes the bytes whose bit in `strobe` is set.
  void write64(std::uint64_t address, std::uint64_t data, std::uint8_t strobe);

  /// Host memory in use for pages, in bytes.
  std::uint64_t resident() const { return pages_.size() * kPageBytes; }

 private:
  static constexpr std::uint64_t kPageBytes = 65536;
  using Page = std::array<std::uint8_t, kPageBytes>;

  const std::uint8_t* find(std::uint64_t offset) const;
  std::uint8_t* touch(std::uint64_t offset);
  void require(std::uint64_t address, std::uint64_t bytes, const char* what) const;

  std::uint64_t base_;
  std::uint64_t capacity_;
  Untouched untouched_;
  Page blank_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  // The page used last: accesses come in runs.
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};
  mutable std::uint8_t* last_page_ = nullptr;
};

}  // namespace nearcube::memory
