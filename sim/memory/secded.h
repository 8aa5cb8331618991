// SPDX-License-Identifier: Apache-2.0
// The (72,64) code of protected memory: one flipped bit of 72 is corrected, two are detected.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace nearcube::memory {

/// A word as it is stored: bit i of `data` is bit i of the word, bit j of `check` is its bit 64 + j.
struct Codeword {
  std::uint64_t data = 0;
  std::uint8_t check = 0;

  bool operator==(const Codeword&) const = default;
};

enum class Decoded : std::uint8_t {
  kClean,
  kCorrected,      ///< one bit was wrong and was put right
  kUncorrectable,  ///< two bits are wrong, or a larger number that does not look like one; nothing was
                   ///< changed
};

namespace detail {

/// Column i of the parity-check matrix: which check bits data bit i takes part in. An odd-weight-column code
/// (M. Y. Hsiao, A class of optimal minimum odd-weight-column SEC-DED codes, IBM J. Res. Dev. 14(4), 1970):
/// all 56 columns of weight 3, then the 8 turns of one of weight 5, so that every check bit covers 26 data
/// bits. The check bits' own columns have weight 1.
constexpr std::array<std::uint8_t, 64> secded_columns() {
  std::array<std::uint8_t, 64> columns{};
  std::size_t next = 0;
  for (unsigned column = 0; column < 256; ++column) {
    if (std::popcount(column) == 3) columns[next++] = static_cast<std::uint8_t>(column);
  }
  for (int turn = 0; turn < 8; ++turn) columns[next++] = std::rotl(std::uint8_t{0x1F}, turn);
  return columns;
}
inline constexpr std::array<std::uint8_t, 64> kSecdedColumns = secded_columns();

/// What a byte of data gives to the check bits, by its place and value.
constexpr std::array<std::array<std::uint8_t, 256>, 8> secded_bytes() {
  std::array<std::array<std::uint8_t, 256>, 8> table{};
  for (unsigned byte = 0; byte < 8; ++byte) {
    for (unsigned value = 0; value < 256; ++value) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        if ((value >> bit & 1) != 0) table[byte][value] ^= kSecdedColumns[8 * byte + bit];
      }
    }
  }
  return table;
}
inline constexpr std::array<std::array<std::uint8_t, 256>, 8> kSecdedBytes = secded_bytes();

/// Half of the check bits are stored inverted: else 72 zeros, which a dead bank may give, would be a good
/// word. With it both 72 zeros and 72 ones are uncorrectable.
inline constexpr std::uint8_t kSecdedInverted = 0x0F;

/// Syndrome to the bit that is wrong: 0 to 63 data, 64 to 71 check; kNoBit for none of them.
inline constexpr std::uint8_t kNoBit = 0xFF;
constexpr std::array<std::uint8_t, 256> secded_positions() {
  std::array<std::uint8_t, 256> positions{};
  positions.fill(kNoBit);
  for (std::size_t i = 0; i < 64; ++i) positions[kSecdedColumns[i]] = static_cast<std::uint8_t>(i);
  for (std::size_t j = 0; j < 8; ++j) positions[std::size_t{1} << j] = static_cast<std::uint8_t>(64 + j);
  return positions;
}
inline constexpr std::array<std::uint8_t, 256> kSecdedPositions = secded_positions();

}  // namespace detail

/// The check bits of `data`.
constexpr std::uint8_t secded_check(std::uint64_t data) {
  std::uint8_t check = detail::kSecdedInverted;
  for (unsigned byte = 0; byte < 8; ++byte) check ^= detail::kSecdedBytes[byte][data >> (8 * byte) & 0xFF];
  return check;
}

constexpr Codeword secded_encode(std::uint64_t data) { return {data, secded_check(data)}; }

/// Finds and corrects what is wrong with `word`. All columns have odd weight, so two flips leave an even
/// syndrome, which is no column: they are always detected.
constexpr Decoded secded_decode(Codeword& word) {
  const auto syndrome = static_cast<std::uint8_t>(secded_check(word.data) ^ word.check);
  if (syndrome == 0) return Decoded::kClean;
  const std::uint8_t position = detail::kSecdedPositions[syndrome];
  if (position == detail::kNoBit) return Decoded::kUncorrectable;
  if (position < 64) {
    word.data ^= std::uint64_t{1} << position;
  } else {
    word.check ^= static_cast<std::uint8_t>(1u << (position - 64));
  }
  return Decoded::kCorrected;
}

}  // namespace nearcube::memory
