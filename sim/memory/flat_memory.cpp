// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/flat_memory.h"

#include <algorithm>
#include <cstring>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace nearcube::memory {

FlatMemory::FlatMemory(std::uint64_t base, std::uint64_t capacity, Untouched untouched)
    : base_(base), capacity_(capacity), untouched_(untouched) {
  if (base % 8 != 0 || capacity % 8 != 0 || capacity == 0 || base + capacity < base) {
    bad_input("memory of {} bytes at {:#x}: base and size must be multiples of 8, and the size not zero",
              capacity, base);
  }
  const std::uint32_t word = untouched_ == Untouched::kPoison ? kPoisonWord : 0;
  for (std::uint64_t at = 0; at < kPageBytes; at += sizeof word)
    std::memcpy(blank_.data() + at, &word, sizeof word);
}

void FlatMemory::require(std::uint64_t address, std::uint64_t bytes, const char* what) const {
  if (!contains(address, bytes)) {
    bad_input("{} of {} bytes at {:#x} is outside the memory, {:#x} to {:#x} ({})", what, bytes, address,
              base_, base_ + capacity_ - 1, base::format_bytes(capacity_));
  }
}

const std::uint8_t* FlatMemory::find(std::uint64_t offset) const {
  const std::uint64_t number = offset / kPageBytes;
  if (number != last_number_) {
    const auto page = pages_.find(number);
    if (page == pages_.end()) return blank_.data() + offset % kPageBytes;
    last_number_ = number;
    last_page_ = page->second->data();
  }
  return last_page_ + offset % kPageBytes;
}

std::uint8_t* FlatMemory::touch(std::uint64_t offset) {
  const std::uint64_t number = offset / kPageBytes;
  if (number != last_number_) {
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>(blank_);
    last_number_ = number;
    last_page_ = page->data();
  }
  return last_page_ + offset % kPageBytes;
}

void FlatMemory::read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  require(address, bytes.size(), "a read");
  std::uint64_t offset = address - base_;
  while (!bytes.empty()) {
    const auto run =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kPageBytes - offset % kPageBytes));
    std::memcpy(bytes.data(), find(offset), run);
    bytes = bytes.subspan(run);
    offset += run;
  }
}

void FlatMemory::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  require(address, bytes.size(), "a write");
  std::uint64_t offset = address - base_;
  while (!bytes.empty()) {
    const auto run =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kPageBytes - offset % kPageBytes));
    std::memcpy(touch(offset), bytes.data(), run);
    bytes = bytes.subspan(run);
    offset += run;
  }
}

void FlatMemory::fill(std::uint64_t address, std::uint64_t bytes, std::uint8_t value) {
  require(address, bytes, "a fill");
  std::uint64_t offset = address - base_;
  while (bytes != 0) {
    const std::uint64_t run = std::min(bytes, kPageBytes - offset % kPageBytes);
    std::memset(touch(offset), value, run);
    bytes -= run;
    offset += run;
  }
}

std::uint64_t FlatMemory::read64(std::uint64_t address) const {
  std::uint64_t value;
  std::memcpy(&value, find(address - base_), sizeof value);
  return value;
}

void FlatMemory::write64(std::uint64_t address, std::uint64_t data, std::uint8_t strobe) {
  std::uint8_t* to = touch(address - base_);
  if (strobe == 0xFF) {
    std::memcpy(to, &data, sizeof data);
    return;
  }
  for (unsigned lane = 0; lane < 8; ++lane) {
    if ((strobe >> lane & 1) != 0) to[lane] = static_cast<std::uint8_t>(data >> (8 * lane));
  }
}

}  // namespace nearcube::memory
