// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/gdb_packet.h"

#include <fmt/format.h>

#include <charconv>

namespace nearcube::debug {
namespace {

std::uint8_t checksum_of(std::string_view payload) {
  std::uint8_t sum = 0;
  for (const char byte : payload) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
  return sum;
}

}  // namespace

void PacketReader::feed(std::string_view bytes) {
  for (const char byte : bytes) take(byte);
}

void PacketReader::take(char byte) {
  using Kind = Event::Kind;
  switch (state_) {
    case State::kOutside:
      if (byte == '$') {
        state_ = State::kPayload;
        payload_.clear();
        too_long_ = false;
      } else if (byte == '\x03') {
        events_.push_back({Kind::kInterrupt});
      } else if (byte == '-') {
        events_.push_back({Kind::kResend});
      }
      // '+' says that all is well, and anything else is noise.
      break;
    case State::kPayload:
      if (byte == '$') {  // the one before was cut off
        payload_.clear();
        too_long_ = false;
      } else if (byte == '#') {
        state_ = State::kChecksum;
        checksum_.clear();
      } else if (payload_.size() < kMaxPacketBytes) {
        payload_.push_back(byte);
      } else {
        too_long_ = true;
      }
      break;
    case State::kChecksum:
      checksum_.push_back(byte);
      if (checksum_.size() < 2) break;
      state_ = State::kOutside;
      if (too_long_ || parse_hex(checksum_) != checksum_of(payload_)) {
        events_.push_back({Kind::kBad});
      } else {
        events_.push_back({Kind::kPacket, payload_});
      }
      break;
  }
}

std::optional<PacketReader::Event> PacketReader::next() {
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::string frame(std::string_view payload) {
  return fmt::format("${}#{:02x}", payload, checksum_of(payload));
}

std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '}' && i + 1 < text.size()) {
      bytes.push_back(static_cast<char>(text[++i] ^ 0x20));
    } else {
      bytes.push_back(text[i]);
    }
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<std::uint8_t>(byte));
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto value = parse_hex(text.substr(i, 2));
    if (!value) return std::nullopt;
    bytes.push_back(static_cast<char>(*value));
  }
  return bytes;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  if (text.empty() || text.size() > 16) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace nearcube::debug
