// SPDX-License-Identifier: Apache-2.0
// Packets of the GDB remote serial protocol (Debugging with GDB, appendix E.1): $payload#checksum.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace nearcube::debug {

/// Longest payload that is taken, in bytes; announced as PacketSize.
inline constexpr std::size_t kMaxPacketBytes = 0x4000;

/// Takes a stream of bytes apart, whatever it is cut into.
class PacketReader {
 public:
  struct Event {
    enum class Kind : std::uint8_t {
      kPacket,     ///< text is its payload, as it was sent
      kBad,        ///< wrong checksum, or too long
      kResend,     ///< '-': the last packet did not arrive
      kInterrupt,  ///< byte 3, outside a packet
    };
    Kind kind;
    std::string text = {};
  };

  void feed(std::string_view bytes);
  /// The next event; none before more bytes come.
  std::optional<Event> next();

 private:
  enum class State : std::uint8_t { kOutside, kPayload, kChecksum };
  void take(char byte);

  State state_ = State::kOutside;
  std::string payload_;
  bool too_long_ = false;
  std::string checksum_;
  std::deque<Event> events_;
};

/// "$payload#checksum". The payload must be free of '$' and '#', or escaped.
std::string frame(std::string_view payload);

/// Replaces '}' and the byte after it by what they stand for.
std::string unescape(std::string_view text);

/// Bytes as two hexadecimal digits each, and back; nothing if `text` is not that.
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

/// A number of 1 to 16 hexadecimal digits; nothing if `text` is none.
std::optional<std::uint64_t> parse_hex(std::string_view text);

}  // namespace nearcube::debug
