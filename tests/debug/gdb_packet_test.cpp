// SPDX-License-Identifier: Apache-2.0
// Packets of GDB's protocol: whole, cut, damaged and made of noise.
#include "sim/debug/gdb_packet.h"

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using debug::PacketReader;
using Kind = PacketReader::Event::Kind;

namespace {

std::vector<PacketReader::Event> events_of(const std::vector<std::string>& pieces) {
  PacketReader reader;
  std::vector<PacketReader::Event> events;
  for (const std::string& piece : pieces) {
    reader.feed(piece);
    while (auto event = reader.next()) events.push_back(*event);
  }
  return events;
}

std::string text_of(const std::vector<PacketReader::Event>& events) {
  std::string text;
  for (const auto& event : events) text += fmt::format("{}:{};", static_cast<int>(event.kind), event.text);
  return text;
}

}  // namespace

TEST_CASE("packets as they are sent", "[gdb]") {
  CHECK(debug::frame("") == "$#00");
  CHECK(debug::frame("OK") == "$OK#9a");
  const auto events = events_of({"+$qC#b4\x03-$m0,4#fd"});
  REQUIRE(events.size() == 4);
  CHECK((events[0].kind == Kind::kPacket && events[0].text == "qC"));
  CHECK(events[1].kind == Kind::kInterrupt);
  CHECK(events[2].kind == Kind::kResend);
  CHECK((events[3].kind == Kind::kPacket && events[3].text == "m0,4"));
}

TEST_CASE("packets that are damaged", "[gdb]") {
  CHECK(events_of({"$qC#b5"}).at(0).kind == Kind::kBad);
  CHECK(events_of({"$qC#zz"}).at(0).kind == Kind::kBad);
  CHECK(events_of({"$qC#b"}).empty());
  // One that is cut off is forgotten when the next begins.
  CHECK(text_of(events_of({"$m80000000,$qC#b4"})) == "0:qC;");
  const std::string huge(debug::kMaxPacketBytes + 1, 'x');
  CHECK(text_of(events_of({debug::frame(huge), "$qC#b4"})) == "1:;0:qC;");
}

TEST_CASE("numbers and bytes in hexadecimal", "[gdb]") {
  CHECK(debug::parse_hex("8000000f") == 0x8000000F);
  for (const char* bad : {"", "x", "-1", "+1", "0x1", "1 ", "11111111111111111"})
    CHECK_FALSE(debug::parse_hex(bad));
  CHECK(debug::from_hex("00ff41") == std::string("\0\xFF"
                                                 "A",
                                                 3));
  CHECK_FALSE(debug::from_hex("0"));
  CHECK_FALSE(debug::from_hex("0g"));
  CHECK(debug::unescape("a}\x03}]b") == "a#}b");
}

TEST_CASE("a stream means the same however it is cut, and a reader finds its feet after any noise", "[gdb]") {
  const auto seed = test::seed();
  INFO("NEARCUBE_SEED=" << seed);
  test::Random random(seed);
  for (std::uint64_t n = test::cases(2'000, 100'000); n > 0; --n) {
    std::string stream;
    for (std::uint64_t i = random() % 60; i > 0; --i) {
      constexpr std::string_view kLikely = "$#}+-\x03qm0f";
      stream.push_back(random() % 2 ? kLikely[random() % kLikely.size()] : static_cast<char>(random()));
    }
    // Ends whatever the noise has begun: an end of packet and its checksum, then a packet.
    stream += "#00$qC#b4";
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = 1 + random() % 7;
      pieces.push_back(stream.substr(at, size));
      at += size;
    }
    const auto whole = events_of({stream});
    INFO("stream " << debug::to_hex(stream));
    REQUIRE(text_of(events_of(pieces)) == text_of(whole));
    REQUIRE((whole.back().kind == Kind::kPacket && whole.back().text == "qC"));
  }
}
