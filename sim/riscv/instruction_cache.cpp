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

InstructionCache::Buffer* InstructionCache::find_buffer(std::uint32_t line_address) {
  for (Buffer& buffer : buffers_) {
    if (buffer.valid && buffer.address == line_address) return &buffer;
  }
  return nullptr;
}

InstructionCache::Result InstructionCache::fetch(std::uint32_t pc, Instruction& instruction,
                                                 std::uint32_t& fault_address) {
  const std::uint32_t address = line_of(pc);
  Line* line = find(address);
  const unsigned index = (pc - address) / 2;
  if (line != nullptr && (line->decoded >> index & 1u) != 0) {
    instruction = line->instructions[index];
    return Result::kHit;
  }
  fault_address = pc;
  std::uint16_t low = 0, high = 0;
  if (const Result result = halfword(pc, low); result != Result::kHit) return result;
  const bool within = instruction_length(low) == 2 || index + 1 < kLineBytes / 2;
  if (instruction_length(low) != 2) {
    if (!within) fault_address = address + kLineBytes;
    if (const Result result = halfword(pc + 2, high); result != Result::kHit) return result;
  }
  instruction = decode(std::uint32_t{high} << 16 | low);
  // What goes on in the next line, which may be replaced on its own, is decoded each time.
  line = find(address);
  if (line != nullptr && within) {
    line->instructions[index] = instruction;
    line->decoded |= 1u << index;
  }
  return Result::kHit;
}

InstructionCache::Result InstructionCache::halfword(std::uint32_t address, std::uint16_t& half) {
  const unsigned index = address % kLineBytes / 2;
  if (const Line* line = find(line_of(address)); line != nullptr) {
    half = line->halves[index];
    return Result::kHit;
  }
  Buffer* buffer = find_buffer(line_of(address));
  if (buffer == nullptr) return Result::kMiss;
  if (buffer->error) return Result::kFault;
  if (index >= 4 * buffer->beats) return Result::kMiss;
  half = buffer->halves[index];
  use(*buffer);
  return Result::kHit;
}

/// A line that is used goes into the cache, and the stream it belongs to goes on.
void InstructionCache::use(Buffer& buffer) {
  if (buffer.used) return;
  buffer.used = true;
  const std::uint32_t end = buffer.address + (kAhead + 1) * kLineBytes;
  if (stream_next_ - buffer.address <= end - buffer.address) stream_end_ = end;
  if (buffer.beats == kBeats) {
    install(buffer);
    buffer.valid = false;
  }
}

void InstructionCache::install(const Buffer& buffer) {
  Line& line = victim(buffer.address);
  line.valid = true;
  line.address = buffer.address;
  line.decoded = 0;
  line.halves = buffer.halves;
}

void InstructionCache::flush() {
  for (auto& set : sets_) {
    for (Line& line : set) line.valid = false;
  }
  next_victim_.fill(0);
  for (Buffer& buffer : buffers_) buffer.valid = false;  // what is on its way comes, and is dropped
  stream_end_ = stream_next_;
}

void InstructionCache::grant() {
  if (!requests_) return;
  requests_ = false;
  ++on_the_way_;
}

void InstructionCache::beat(std::uint64_t data, bool last, bool error) {
  if (on_the_way_ == 0) {
    throw base::error(ExitStatus::kOther, "instruction port: a beat arrived that no refill asked for");
  }
  Buffer& buffer = buffers_[oldest_];
  buffer.error = buffer.error || error;
  if (buffer.beats < kBeats) {
    for (unsigned i = 0; i < 4; ++i) {
      buffer.halves[4 * buffer.beats + i] = static_cast<std::uint16_t>(data >> (16 * i));
    }
  }
  ++buffer.beats;
  if (!last) return;
  if (!buffer.error && buffer.beats != kBeats) {
    throw base::error(ExitStatus::kOther, "instruction port: line 0x{:08x} came in {} beats instead of {}",
                      buffer.address, buffer.beats, kBeats);
  }
  --on_the_way_;
  oldest_ = (oldest_ + 1) % kBuffers;
  ++refills_;
  if (buffer.error) {
    stream_end_ = stream_next_;
  } else if (buffer.valid && buffer.used) {
    install(buffer);
    buffer.valid = false;
  }
}

/// The line that the instruction at `pc` waits for and nobody has asked for.
std::optional<std::uint32_t> InstructionCache::line_needed(std::uint32_t pc) {
  const std::uint32_t current = line_of(pc);
  if (missing(current)) return current;
  if (pc % kLineBytes != kLineBytes - 2) return std::nullopt;
  std::uint16_t low = 0;
  const bool reaches_on = halfword(pc, low) == Result::kHit && instruction_length(low) != 2;
  if (reaches_on && missing(current + kLineBytes)) return current + kLineBytes;
  return std::nullopt;
}

/// A prefetched line that was not used goes where nothing is lost.
void InstructionCache::keep(const Buffer& buffer) {
  if (!buffer.valid || buffer.error || buffer.beats != kBeats) return;
  for (const Line& line : sets_[set_of(buffer.address)]) {
    if (line.valid) continue;
    install(buffer);
    return;
  }
}

void InstructionCache::request(std::uint32_t line_address) {
  newest_ = (newest_ + 1) % kBuffers;
  keep(buffers_[newest_]);
  buffers_[newest_] = Buffer();
  buffers_[newest_].valid = true;
  buffers_[newest_].address = line_address;
  requests_ = true;
}

void InstructionCache::want(std::uint32_t pc) {
  if (requests_ || on_the_way_ == kBuffers) return;
  if (const auto needed = line_needed(pc)) {
    request(*needed);
    stream_next_ = *needed + kLineBytes;
    stream_end_ = stream_next_ + kAhead * kLineBytes;
    return;
  }
  while (stream_next_ != stream_end_) {
    const std::uint32_t line = stream_next_;
    stream_next_ += kLineBytes;
    if (!missing(line)) continue;
    request(line);
    return;
  }
}

}  // namespace nearcube::riscv
