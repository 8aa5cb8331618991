// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/direct_memory.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/riscv/functional.h"

namespace nearcube::riscv {

void DirectMemory::add_region(std::uint32_t base, std::uint32_t bytes, bool executable) {
  const std::uint64_t end = std::uint64_t{base} + bytes;
  if (base % kPageBytes != 0 || bytes % kPageBytes != 0 || end > 0x1'0000'0000u) {
    bad_input("memory region 0x{:08x} of {} bytes: base and size must be multiples of {} below 4 GiB", base,
              bytes, kPageBytes);
  }
  for (const Region& other : regions_) {
    if (base < other.base + std::uint64_t{other.bytes.size()} && other.base < end) {
      bad_input("memory region 0x{:08x} of {} bytes overlaps the one at 0x{:08x}", base, bytes, other.base);
    }
  }
  regions_.push_back({base, executable, std::vector<std::uint8_t>(bytes)});
}

const DirectMemory::Region* DirectMemory::find(std::uint32_t address, std::uint64_t bytes) const {
  for (const Region& region : regions_) {
    const std::uint64_t offset = std::uint64_t{address} - region.base;
    if (address >= region.base && offset + bytes <= region.bytes.size()) return &region;
  }
  return nullptr;
}

void DirectMemory::write(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  const Region* region = find(address, bytes.size());
  if (region == nullptr) bad_input("no memory at 0x{:08x} for {} bytes", address, bytes.size());
  std::copy(bytes.begin(), bytes.end(), data_page(address & ~(kPageBytes - 1)) + address % kPageBytes);
}

std::span<const std::uint8_t> DirectMemory::read(std::uint32_t address, std::uint32_t bytes) const {
  const Region* region = find(address, bytes);
  if (region == nullptr) bad_input("no memory at 0x{:08x} for {} bytes", address, bytes);
  return {region->bytes.data() + (address - region->base), bytes};
}

void DirectMemory::load(const ElfFile& file) {
  for (const ElfFile::Segment& segment : file.segments()) {
    const Region* region = find(segment.address, segment.memory_bytes);
    if (region == nullptr) {
      bad_input("{}: segment 0x{:08x} to 0x{:08x} lies outside the memory", file.path(), segment.address,
                segment.address + std::uint64_t{segment.memory_bytes});
    }
    std::uint8_t* host = data_page(segment.address & ~(kPageBytes - 1)) + segment.address % kPageBytes;
    std::copy(segment.bytes.begin(), segment.bytes.end(), host);
    std::fill(host + segment.bytes.size(), host + segment.memory_bytes, std::uint8_t{0});
  }
}

std::uint8_t* DirectMemory::data_page(std::uint32_t page) {
  for (Region& region : regions_) {
    if (page >= region.base && page - region.base < region.bytes.size())
      return &region.bytes[page - region.base];
  }
  return nullptr;
}

const std::uint8_t* DirectMemory::code_page(std::uint32_t page) const {
  const Region* region = find(page, kPageBytes);
  return region != nullptr && region->executable ? &region->bytes[page - region->base] : nullptr;
}

}  // namespace nearcube::riscv
