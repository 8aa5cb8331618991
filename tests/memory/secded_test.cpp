// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/secded.h"

#include <bit>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using memory::Codeword;
using memory::Decoded;

namespace {

void flip(Codeword& word, unsigned bit) {
  if (bit < 64) {
    word.data ^= std::uint64_t{1} << bit;
  } else {
    word.check ^= static_cast<std::uint8_t>(1u << (bit - 64));
  }
}

// All words of one and of two bits and their complements, and random ones.
std::vector<std::uint64_t> words() {
  std::vector<std::uint64_t> list = {0, ~std::uint64_t{0}};
  for (unsigned i = 0; i < 64; ++i) {
    list.push_back(std::uint64_t{1} << i);
    list.push_back(~list.back());
  }
  test::Random random(test::seed());
  const std::uint64_t count = test::cases(1000, 100000);
  for (std::uint64_t i = 0; i < count; ++i) list.push_back(random());
  return list;
}

}  // namespace

TEST_CASE("a word without faults decodes to itself", "[secded]") {
  CAPTURE(test::seed());
  for (const std::uint64_t data : words()) {
    Codeword word = memory::secded_encode(data);
    REQUIRE(memory::secded_decode(word) == Decoded::kClean);
    REQUIRE(word.data == data);
  }
}

TEST_CASE("every flip of one of 72 bits is corrected", "[secded]") {
  CAPTURE(test::seed());
  for (const std::uint64_t data : words()) {
    const Codeword good = memory::secded_encode(data);
    for (unsigned bit = 0; bit < 72; ++bit) {
      Codeword word = good;
      flip(word, bit);
      if (memory::secded_decode(word) != Decoded::kCorrected || word != good)
        FAIL("bit " << bit << " of " << data);
    }
  }
}

TEST_CASE("every flip of two of 72 bits is detected and nothing changed", "[secded]") {
  CAPTURE(test::seed());
  for (const std::uint64_t data : words()) {
    const Codeword good = memory::secded_encode(data);
    for (unsigned a = 0; a < 72; ++a) {
      for (unsigned b = a + 1; b < 72; ++b) {
        Codeword word = good;
        flip(word, a);
        flip(word, b);
        const Codeword bad = word;
        if (memory::secded_decode(word) != Decoded::kUncorrectable || word != bad) {
          FAIL("bits " << a << " and " << b << " of " << data);
        }
      }
    }
  }
}

// What a bank gives that is stuck as a whole.
TEST_CASE("72 zeros and 72 ones are no words", "[secded]") {
  Codeword zeros{0, 0};
  CHECK(memory::secded_decode(zeros) == Decoded::kUncorrectable);
  Codeword ones{~std::uint64_t{0}, 0xFF};
  CHECK(memory::secded_decode(ones) == Decoded::kUncorrectable);
}

TEST_CASE("the code's columns are distinct, odd and spread evenly", "[secded]") {
  // Read off the encoder, not the table: what one data bit changes.
  std::vector<std::uint8_t> columns;
  for (unsigned i = 0; i < 64; ++i) {
    columns.push_back(
        static_cast<std::uint8_t>(memory::secded_check(std::uint64_t{1} << i) ^ memory::secded_check(0)));
  }
  std::vector<int> rows(8, 0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CHECK(std::popcount(columns[i]) % 2 == 1);
    CHECK(std::popcount(columns[i]) > 1);
    for (std::size_t j = 0; j < i; ++j) CHECK(columns[i] != columns[j]);
    for (unsigned row = 0; row < 8; ++row) rows[row] += columns[i] >> row & 1;
  }
  CHECK(rows == std::vector<int>(8, 26));
}
