// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/protected_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/units.h"

namespace nearcube::memory {
namespace {

constexpr unsigned kDrawBits = 53;  // what a double holds
constexpr unsigned kWordBits = 72;

// What a bank gives whose bit lines stay charged.
constexpr Codeword kStuckWord{~std::uint64_t{0}, 0xFF};

void flip(Codeword& word, std::uint64_t bit) {
  if (bit < 64) {
    word.data ^= std::uint64_t{1} << bit;
  } else {
    word.check ^= static_cast<std::uint8_t>(1u << (bit - 64));
  }
}

std::uint64_t threshold(double share) {
  return static_cast<std::uint64_t>(share * static_cast<double>(std::uint64_t{1} << kDrawBits));
}

}  // namespace

ProtectedMemory::ProtectedMemory(FlatMemory& memory, const FaultInjection& faults, Stuck stuck)
    : memory_(memory),
      stuck_(std::move(stuck)),
      random_(faults.seed),
      below_single_(threshold(faults.bit_flips)),
      below_double_(below_single_ + threshold(faults.double_flips)) {}

const std::uint8_t* ProtectedMemory::find_check(std::uint64_t address) const {
  const std::uint64_t word = (address - memory_.base()) / 8;
  const auto page = pages_.find(word / kPageWords);
  return page == pages_.end() ? nullptr : &(*page->second)[word % kPageWords];
}

std::uint8_t& ProtectedMemory::check_of(std::uint64_t address) {
  const std::uint64_t word = (address - memory_.base()) / 8;
  const std::uint64_t number = word / kPageWords;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) {
      page = std::make_unique<Page>();
      const std::uint64_t first = memory_.base() + 8 * number * kPageWords;
      for (std::uint64_t i = 0; i < kPageWords && memory_.contains(first + 8 * i, 8); ++i)
        (*page)[i] = secded_check(memory_.read64(first + 8 * i));
    }
    last_number_ = number;
    last_page_ = page.get();
  }
  return (*last_page_)[word % kPageWords];
}

/// The word as it comes out of the array, after what befalls it now and with what can be put right put right.
std::optional<std::uint64_t> ProtectedMemory::read64(std::uint64_t address) {
  ++result_.words_read;
  std::uint8_t& check = check_of(address);
  Codeword word{memory_.read64(address), check};
  const Codeword stored = word;
  if (below_double_ != 0) {
    const std::uint64_t draw = random_.next() >> (64 - kDrawBits);
    // Three flips can look like one to this code: a word that is beyond repair takes no more.
    if (draw < below_double_ && secded_check(word.data) == word.check) {
      const std::uint64_t first = random_.below(kWordBits);
      flip(word, first);
      if (draw < below_single_) {
        ++result_.injected_single;
      } else {
        ++result_.injected_double;
        flip(word, (first + 1 + random_.below(kWordBits - 1)) % kWordBits);
      }
    }
  }
  Codeword read = stuck_ && stuck_(address) ? kStuckWord : word;
  const Decoded decoded = secded_decode(read);
  if (decoded == Decoded::kCorrected) {
    ++result_.corrected;
    word = read;
  }
  if (word != stored) {
    memory_.write64(address, word.data, 0xFF);
    check = word.check;
  }
  if (decoded != Decoded::kUncorrectable) return read.data;
  ++result_.uncorrectable;
  if (result_.addresses.size() < ProtectionResult::kKept) result_.addresses.push_back(address);
  return std::nullopt;
}

bool ProtectedMemory::write64(std::uint64_t address, std::uint64_t data, std::uint8_t strobe) {
  if (strobe == 0) return true;
  // The check bits are of the whole word: to change a part of it, it must be read.
  if (strobe != 0xFF && !read64(address)) return false;
  memory_.write64(address, data, strobe);
  check_of(address) = secded_check(memory_.read64(address));
  return true;
}

bool ProtectedMemory::host_read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  memory_.read(address, bytes);
  for (std::uint64_t at = address / 8 * 8; at < address + bytes.size(); at += 8) {
    const std::uint8_t* check = find_check(at);
    Codeword word = secded_encode(memory_.read64(at));
    if (check != nullptr) word.check = *check;
    if (stuck_ && stuck_(at)) word = kStuckWord;
    const Decoded decoded = secded_decode(word);
    if (decoded == Decoded::kUncorrectable) return false;
    if (decoded == Decoded::kClean) continue;
    for (std::uint64_t i = std::max(at, address); i < std::min(at + 8, address + bytes.size()); ++i)
      bytes[i - address] = static_cast<std::uint8_t>(word.data >> (8 * (i - at)));
  }
  return true;
}

void ProtectedMemory::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address / 8 * 8; at < address + bytes; at += 8)
    check_of(at) = secded_check(memory_.read64(at));
}

std::string ProtectionResult::describe() const {
  std::string text = fmt::format("{} words read: {} single flips corrected, {} words beyond repair",
                                 base::with_separators(words_read), base::with_separators(corrected),
                                 base::with_separators(uncorrectable));
  const char* separator = ", at ";
  for (const std::uint64_t address : addresses) {
    text += fmt::format("{}{:#x}", separator, address);
    separator = ", ";
  }
  if (uncorrectable > addresses.size()) text += ", ...";
  return text;
}

}  // namespace nearcube::memory
