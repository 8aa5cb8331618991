// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/instruction_cache.h"

#include <algorithm>

#include "sim/base/error.h"

namespace nearcube::riscv {
namespace {

constexpr std::uint32_t line_of(std::uint32_t address) {
  return address & ~(InstructionCache::kLineBytes - 1);
}
constexpr unsigned set_of(std::uint32_t address) {
  return address / InstructionCache::kLineBytes % InstructionCache::kSets;
}

}  // namespace

InstructionCache::Line* InstructionCache::find(std::uint32_t line_address) {
  for (Line& line : sets_[set_of(line_address)]) {
    if (line.valid && line.address == line_address) return &line;
  }
  return nullptr;
}

InstructionCache::Line& InstructionCache::victim(std::uint32_t line_address) {
  const unsigned set = set_of(line_address);
  for (Line& line : sets_[set]) {
    if (!line.valid) return line;
  }
  Line& line = sets_[set][next_victim_[set]];
  next_victim_[set] = static_cast<std::uint8_t>((next_victim_[set] + 1) % kWays);
  return line;
}

InstructionCache::Result InstructionCache::fetch(std::uint32_t pc, Instruction& instruction,
                                                 std::uint32_t& fault_address) {
  const std::uint32_t address = line_of(pc);
  Line* line = find(address);
  if (line == nullptr) {
    fault_address = pc;
    return failed(address) ? Result::kFault : Result::kMiss;
  }
  const unsigned index = (pc - address) / 2;
  if ((line->decoded >> index & 1u) != 0) {
    instruction = line->instructions[index];
    return Result::kHit;
  }
  const std::uint16_t low = line->halves[index];
  if (instruction_length(low) == 2 || index + 1 < line->halves.size()) {
    const std::uint32_t high = instruction_length(low) == 2 ? 0 : line->halves[index + 1];
    instruction = decode(high << 16 | low);
    line->instructions[index] = instruction;
    line->decoded |= 1u << index;
    return Result::kHit;
  }
  // It goes on in the next line, which may be replaced on its own: decoded each time.
  const std::uint32_t next_address = address + kLineBytes;
  const Line* next = find(next_address);
  if (next == nullptr) {
    fault_address = next_address;
    return failed(next_address) ? Result::kFault : Result::kMiss;
  }
  instruction = decode(std::uint32_t{next->halves[0]} << 16 | low);
  return Result::kHit;
}

void InstructionCache::flush() {
  for (auto& set : sets_) {
    for (Line& line : set) line.valid = false;
  }
  next_victim_.fill(0);
  has_failed_ = false;
  discard_ = requests_ || refilling_;
}

void InstructionCache::grant() {
  if (!requests_) return;
  requests_ = false;
  refilling_ = true;
  error_ = false;
  beats_ = 0;
}

void InstructionCache::beat(std::uint64_t data, bool last, bool error) {
  if (!refilling_) {
    throw base::error(ExitStatus::kOther, "instruction port: a beat arrived that no refill asked for");
  }
  error_ = error_ || error;
  if (beats_ < kBeats) {
    for (unsigned i = 0; i < 4; ++i) buffer_[4 * beats_ + i] = static_cast<std::uint16_t>(data >> (16 * i));
  }
  ++beats_;
  if (!last) return;
  refilling_ = false;
  if (!error_ && beats_ != kBeats) {
    throw base::error(ExitStatus::kOther, "instruction port: line 0x{:08x} came in {} beats instead of {}",
                      refill_address_, beats_, kBeats);
  }
  ++refills_;
  if (discard_) {
    discard_ = false;
    return;
  }
  if (error_) {
    has_failed_ = true;
    failed_address_ = refill_address_;
    return;
  }
  Line& line = victim(refill_address_);
  line.valid = true;
  line.address = refill_address_;
  line.decoded = 0;
  line.halves = buffer_;
}

void InstructionCache::want(std::uint32_t pc) {
  if (requests_ || refilling_) return;
  const std::uint32_t current = line_of(pc);
  const std::uint32_t next = current + kLineBytes;
  const auto missing = [this](std::uint32_t address) { return find(address) == nullptr && !failed(address); };
  if (failed(current)) return;
  if (missing(current)) {
    refill_address_ = current;
  } else if (next != 0 && missing(next)) {  // demanded by an instruction that reaches into it, or a prefetch
    refill_address_ = next;
  } else {
    return;
  }
  requests_ = true;
}

}  // namespace nearcube::riscv
