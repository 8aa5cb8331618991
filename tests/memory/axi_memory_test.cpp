// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/axi_memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using memory::AxiMemory;
using memory::AxiRequest;
using memory::AxiTiming;
using memory::FlatMemory;
using memory::Untouched;

namespace {

constexpr std::uint64_t kBase = 0x80000000;

AxiRequest read_address(std::uint64_t address, unsigned beats, unsigned id = 0) {
  AxiRequest request;
  request.ar_valid = true;
  request.ar_addr = address;
  request.ar_len = static_cast<std::uint8_t>(beats - 1);
  request.ar_size = 3;
  request.ar_burst = 1;
  request.ar_id = static_cast<std::uint8_t>(id);
  return request;
}

AxiRequest write_address(std::uint64_t address, unsigned beats, unsigned id = 0) {
  AxiRequest request;
  request.aw_valid = true;
  request.aw_addr = address;
  request.aw_len = static_cast<std::uint8_t>(beats - 1);
  request.aw_size = 3;
  request.aw_burst = 1;
  request.aw_id = static_cast<std::uint8_t>(id);
  return request;
}

AxiRequest ready() {
  AxiRequest request;
  request.r_ready = request.b_ready = true;
  return request;
}

/// Ticks until r_valid, at most `limit`; the number of cycles since the address was taken.
std::uint64_t cycles_to_data(AxiMemory& axi, std::uint64_t limit = 1000) {
  for (std::uint64_t cycle = 1; cycle < limit; ++cycle) {
    if (axi.outputs().r_valid) return cycle;
    axi.tick(AxiRequest());
  }
  FAIL("no data");
  return 0;
}

}  // namespace

TEST_CASE("a read takes exactly its latency", "[axi]") {
  for (const std::uint64_t latency : {1u, 2u, 7u, 25u}) {
    FlatMemory flat(kBase, 4096, Untouched::kZero);
    flat.write_as<std::uint64_t>(kBase + 16, 42);
    AxiTiming timing;
    timing.read_latency_core_cycles = latency;
    AxiMemory axi(flat, timing);
    // The credit for the first beat is there long before.
    for (int i = 0; i < 8; ++i) axi.tick(AxiRequest());
    axi.tick(read_address(kBase + 16, 1, 5));
    CHECK(cycles_to_data(axi) == latency);
    CHECK(axi.outputs().r_data == 42);
    CHECK(axi.outputs().r_id == 5);
    CHECK(axi.outputs().r_last);
    CHECK(axi.outputs().r_resp == memory::kRespOkay);
    axi.tick(ready());
    CHECK_FALSE(axi.outputs().r_valid);
    CHECK(axi.read_beats() == 1);
  }
}

TEST_CASE("a write answers exactly its latency after its last data, and is in memory by then", "[axi]") {
  for (const bool data_first : {false, true}) {
    FlatMemory flat(kBase, 4096, Untouched::kZero);
    AxiTiming timing;
    timing.write_latency_core_cycles = 9;
    AxiMemory axi(flat, timing);
    AxiRequest data;
    data.w_valid = true;
    data.w_data = 0x1111111122222222;
    data.w_strb = 0xF0;
    data.w_last = true;
    if (data_first) {
      axi.tick(data);
      axi.tick(write_address(kBase + 8, 1, 3));
    } else {
      axi.tick(write_address(kBase + 8, 1, 3));
      axi.tick(data);
    }
    std::uint64_t cycles = 1;
    while (!axi.outputs().b_valid && cycles < 100) {
      axi.tick(ready());
      ++cycles;
    }
    // One more: the response is offered in the cycle after its latency has passed.
    CHECK(cycles == 10);
    CHECK(axi.outputs().b_id == 3);
    CHECK(axi.outputs().b_resp == memory::kRespOkay);
    CHECK(flat.read_as<std::uint64_t>(kBase + 8) == 0x1111111100000000);
  }
}

TEST_CASE("it is known when only time keeps an answer back", "[axi]") {
  FlatMemory flat(kBase, 4096, Untouched::kZero);
  AxiTiming timing;
  timing.read_latency_core_cycles = timing.write_latency_core_cycles = 500;
  AxiMemory axi(flat, timing);
  for (int i = 0; i < 8; ++i) axi.tick(AxiRequest());
  CHECK_FALSE(axi.time_helps());
  axi.tick(read_address(kBase, 1));
  CHECK(axi.time_helps());
  for (int i = 0; i < 520; ++i) axi.tick(AxiRequest());
  REQUIRE(axi.outputs().r_valid);
  CHECK_FALSE(axi.time_helps());  // the master's turn
  axi.tick(ready());
  axi.tick(write_address(kBase, 1));
  for (int i = 0; i < 8; ++i) axi.tick(AxiRequest());
  CHECK_FALSE(axi.time_helps());  // likewise: no data yet
  AxiRequest data;
  data.w_valid = data.w_last = true;
  axi.tick(data);
  CHECK(axi.time_helps());

  timing.read_bytes_per_core_cycle = timing.write_bytes_per_core_cycle = 0.01;
  AxiMemory slow(flat, timing);
  slow.tick(AxiRequest());
  CHECK(slow.time_helps());
  for (int i = 0; i < 900; ++i) slow.tick(AxiRequest());
  CHECK_FALSE(slow.time_helps());
}

TEST_CASE("bandwidth is what was asked for", "[axi]") {
  for (const double rate : {8.0, 4.0, 3.0, 0.5}) {
    FlatMemory flat(kBase, 1 << 20, Untouched::kZero);
    AxiTiming timing;
    timing.read_bytes_per_core_cycle = timing.write_bytes_per_core_cycle = rate;
    timing.read_latency_core_cycles = 3;
    AxiMemory axi(flat, timing);
    const unsigned cycles = 8000;
    unsigned sent = 0;
    unsigned addresses = 0;
    unsigned data_left = 0;
    for (unsigned cycle = 0; cycle < cycles; ++cycle) {
      AxiRequest request = ready();
      const AxiRequest read = read_address(kBase, 32);
      request.ar_valid = true;
      request.ar_addr = read.ar_addr;
      request.ar_len = read.ar_len;
      request.ar_size = 3;
      request.ar_burst = 1;
      if (data_left == 0) {
        request.aw_valid = true;
        request.aw_addr = kBase + 4096;
        request.aw_len = 31;
        request.aw_size = 3;
        request.aw_burst = 1;
      }
      request.w_valid = data_left != 0;
      request.w_strb = 0xFF;
      request.w_last = data_left == 1;
      const auto out = axi.outputs();
      axi.tick(request);
      if (request.aw_valid && out.aw_ready) {
        data_left = 32;
        ++addresses;
      } else if (request.w_valid && out.w_ready) {
        --data_left;
        ++sent;
      }
    }
    const double read_rate = static_cast<double>(axi.read_beats()) * 8 / cycles;
    CHECK(read_rate == Approx(rate).epsilon(0.01));
    // This master spends a cycle an address without data: 32 beats in 33 cycles at most.
    const double write_rate = static_cast<double>(sent) * 8 / cycles;
    CHECK(write_rate == Approx(rate == 8.0 ? 8.0 * 32 / 33 : rate).epsilon(0.01));
    CHECK(addresses > 10);
  }
}

TEST_CASE("addresses outside the memory answer DECERR, beat by beat", "[axi]") {
  FlatMemory flat(kBase, 4096 + 64, Untouched::kZero);
  AxiMemory axi(flat, AxiTiming());
  axi.tick(read_address(kBase + 4096 + 48, 4));
  std::vector<int> responses;
  for (int i = 0; i < 100 && responses.size() < 4; ++i) {
    if (axi.outputs().r_valid) responses.push_back(axi.outputs().r_resp);
    axi.tick(ready());
  }
  CHECK(responses == std::vector<int>{0, 0, 3, 3});
  axi.tick(write_address(0x1000, 1));
  AxiRequest data = ready();
  data.w_valid = data.w_last = true;
  data.w_strb = 0xFF;
  axi.tick(data);
  for (int i = 0; i < 100 && !axi.outputs().b_valid; ++i) axi.tick(AxiRequest());
  CHECK(axi.outputs().b_valid);
  CHECK(axi.outputs().b_resp == memory::kRespDecErr);
}

TEST_CASE("a master's breach of the protocol is reported", "[axi]") {
  FlatMemory flat(kBase, 1 << 20, Untouched::kZero);
  AxiMemory axi(flat, AxiTiming());
  CHECK_THROWS_WITH(axi.tick(read_address(kBase + 4096 - 8, 2)), nearcube::test::contains("crosses 4 KiB"));
  AxiRequest wrap = read_address(kBase, 2);
  wrap.ar_burst = 2;
  CHECK_THROWS_WITH(axi.tick(wrap), nearcube::test::contains("burst type"));
  axi.tick(write_address(kBase, 2));
  AxiRequest data;
  data.w_valid = data.w_last = true;
  CHECK_THROWS_WITH(axi.tick(data), nearcube::test::contains("last"));
}

TEST_CASE("no more transfers are taken than may be outstanding", "[axi]") {
  FlatMemory flat(kBase, 1 << 20, Untouched::kZero);
  AxiTiming timing;
  timing.outstanding = 3;
  AxiMemory axi(flat, timing);
  unsigned taken = 0;
  for (int i = 0; i < 20; ++i) {
    if (axi.outputs().ar_ready) ++taken;
    axi.tick(read_address(kBase, 1));
  }
  CHECK(taken == 3);
  CHECK(axi.describe().size() == 3);
}

TEST_CASE("ids take turns, beat by beat: a short read does not wait for a long one before it", "[axi]") {
  FlatMemory flat(kBase, 1 << 20, Untouched::kZero);
  AxiTiming timing;
  timing.read_latency_core_cycles = 3;
  AxiMemory axi(flat, timing);
  AxiRequest request = read_address(kBase, 8, 2);
  request.r_ready = true;
  axi.tick(request);
  request = read_address(kBase + 4096, 8, 2);  // the same id: after the first
  request.r_ready = true;
  axi.tick(request);
  request = read_address(kBase + 8192, 3, 5);
  request.r_ready = true;
  axi.tick(request);
  std::vector<unsigned> ids;
  unsigned lasts = 0;
  for (int cycle = 0; cycle < 40; ++cycle) {
    if (axi.outputs().r_valid) {
      ids.push_back(axi.outputs().r_id);
      if (axi.outputs().r_last) ++lasts;
    }
    axi.tick(ready());
  }
  // Two beats of the first read before the short one's data is there, then in turn.
  const std::vector<unsigned> expected{2, 2, 5, 2, 5, 2, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  CHECK(lasts == 3);
  CHECK(ids == expected);
}

TEST_CASE("random traffic with reordering and withholding: every beat right, an id's answers in order",
          "[axi]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  test::Random random(seed);
  FlatMemory flat(kBase, 1 << 16, Untouched::kZero);
  for (std::uint64_t at = 0; at < 1 << 15; at += 8)
    flat.write_as<std::uint64_t>(kBase + at, at * 0x9E3779B97F4A7C15ull);
  AxiTiming timing;
  timing.jitter_core_cycles = 40;
  timing.withhold = 0.3;
  timing.seed = seed;
  timing.outstanding = 16;
  AxiMemory axi(flat, timing);

  std::map<unsigned, std::deque<std::pair<std::uint64_t, bool>>>
      expected;  // id -> (address, last) of beats to come
  std::map<std::uint64_t, std::uint64_t> written;
  std::deque<std::pair<std::uint64_t, bool>> data;  // value, last
  std::map<unsigned, unsigned> responses;
  AxiRequest request;
  std::uint64_t reads = 0;
  std::uint64_t mixed = 0;
  unsigned last_id = 99;
  bool last_was_last = true;
  const std::uint64_t wanted = test::cases(2000, 100000);
  std::uint64_t writes = 0;
  std::uint64_t outstanding = 0;
  for (std::uint64_t cycle = 0; (reads < wanted || outstanding != 0) && cycle < wanted * 200; ++cycle) {
    // A valid that was not taken stays; everything else is drawn anew.
    if (!request.ar_valid && reads < wanted && random() % 3 == 0) {
      const unsigned beats = 1 + static_cast<unsigned>(random() % 16);
      const std::uint64_t address = kBase + (random() % 8) * 4096 + (random() % (512 - 16)) * 8;
      const AxiRequest next = read_address(address, beats, static_cast<unsigned>(random() % 4));
      request.ar_valid = true;
      request.ar_addr = next.ar_addr;
      request.ar_len = next.ar_len;
      request.ar_size = 3;
      request.ar_burst = 1;
      request.ar_id = next.ar_id;
    }
    if (!request.aw_valid && reads < wanted && data.size() < 32 && random() % 6 == 0) {
      const unsigned beats = 1 + static_cast<unsigned>(random() % 8);
      // The upper half is for writes, each to a place of its own until it wraps.
      const std::uint64_t address = kBase + (1 << 15) + (writes % 512) * 64;
      const AxiRequest next = write_address(address, beats, static_cast<unsigned>(random() % 4));
      ++writes;
      request.aw_valid = true;
      request.aw_addr = next.aw_addr;
      request.aw_len = next.aw_len;
      request.aw_size = 3;
      request.aw_burst = 1;
      request.aw_id = next.aw_id;
      for (unsigned beat = 0; beat < beats; ++beat) {
        const std::uint64_t value = random();
        data.emplace_back(value, beat + 1 == beats);
        written[address + beat * 8] = value;
      }
    }
    request.w_valid = !data.empty();
    if (request.w_valid) {
      request.w_data = data.front().first;
      request.w_strb = 0xFF;
      request.w_last = data.front().second;
    }
    request.r_ready = random() % 4 != 0;
    request.b_ready = random() % 4 != 0;
    const auto out = axi.outputs();
    axi.tick(request);
    if (request.ar_valid && out.ar_ready) {
      for (unsigned beat = 0; beat <= request.ar_len; ++beat) {
        expected[request.ar_id].emplace_back(request.ar_addr + beat * 8, beat == request.ar_len);
      }
      ++reads;
      ++outstanding;
      request.ar_valid = false;
    }
    if (request.aw_valid && out.aw_ready) {
      ++responses[request.aw_id];
      ++outstanding;
      request.aw_valid = false;
    }
    if (request.w_valid && out.w_ready) data.pop_front();
    if (out.r_valid && request.r_ready) {
      auto& queue = expected[out.r_id];
      REQUIRE(!queue.empty());
      REQUIRE(out.r_data == (queue.front().first - kBase) * 0x9E3779B97F4A7C15ull);
      REQUIRE(out.r_last == queue.front().second);
      if (!last_was_last && out.r_id != last_id) ++mixed;
      last_id = out.r_id;
      last_was_last = out.r_last;
      if (out.r_last) --outstanding;
      queue.pop_front();
    } else if (out.r_valid) {
      REQUIRE(axi.outputs().r_valid);
      REQUIRE(axi.outputs().r_data == out.r_data);
    }
    if (out.b_valid && request.b_ready) {
      REQUIRE(responses[out.b_id] > 0);
      --responses[out.b_id];
      --outstanding;
    }
  }
  CHECK(reads == wanted);
  CHECK(outstanding == 0);
  CHECK(mixed > 0);
  // Slots that were reused may differ while in flight; all have settled now.
  for (const auto& [address, value] : written) CHECK(flat.read_as<std::uint64_t>(address) == value);
}

namespace {

/// Core cycles until a beat is offered, at most 20; takes it.
std::optional<memory::AxiResponse> next_beat(memory::AxiPort& port) {
  for (int i = 0; i < 20; ++i) {
    const memory::AxiResponse out = port.outputs();
    port.take(ready());
    port.offer();
    if (out.r_valid) return out;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a port cuts bursts at granules and answers each when its memory has", "[axi]") {
  FlatMemory flat(kBase, 1 << 16, Untouched::kZero);
  for (std::uint64_t at = 0; at < 512; at += 8) flat.write_as<std::uint64_t>(kBase + at, at);
  memory::AxiPort port(kBase, 1 << 16, 64, AxiTiming());
  port.take(AxiRequest());
  port.offer();
  // 13 beats from 40 on: 24, 64 and 16 bytes.
  port.take(read_address(kBase + 40, 13, 1));
  port.offer();
  port.take(read_address(kBase + 256, 1, 2));
  port.offer();
  REQUIRE(port.asked().size() == 4);
  const std::vector<memory::Access> asked = port.asked();
  port.forget_asked();
  const std::vector<std::pair<std::uint64_t, std::uint32_t>> expected = {
      {kBase + 40, 24}, {kBase + 64, 64}, {kBase + 128, 16}, {kBase + 256, 8}};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(asked[i].address == expected[i].first);
    CHECK(asked[i].bytes == expected[i].second);
    CHECK_FALSE(asked[i].write);
    CHECK(asked[i].cycle == (i < 3 ? 2 : 3));
    CHECK(port.perform(asked[i].tag, flat));
  }
  CHECK_FALSE(next_beat(port));
  CHECK_FALSE(port.time_helps());
  CHECK_FALSE(port.idle());
  // The last piece of id 1 comes first and waits; the other id overtakes.
  port.complete(asked[2].tag, port.cycles(), false);
  CHECK_FALSE(next_beat(port));
  port.complete(asked[3].tag, port.cycles(), false);
  CHECK(next_beat(port)->r_id == 2);
  port.complete(asked[0].tag, port.cycles(), false);
  for (std::uint64_t at = 40; at < 64; at += 8) CHECK(next_beat(port)->r_data == at);
  CHECK_FALSE(next_beat(port));
  port.complete(asked[1].tag, port.cycles() + 5, true);
  CHECK(port.time_helps());
  for (std::uint64_t at = 64; at < 128; at += 8) {
    const auto beat = next_beat(port);
    REQUIRE(beat);
    CHECK(beat->r_resp == memory::kRespSlvErr);
    CHECK(beat->r_data == 0);
  }
  for (std::uint64_t at = 128; at < 144; at += 8) {
    const auto beat = next_beat(port);
    REQUIRE(beat);
    CHECK(beat->r_resp == memory::kRespOkay);
    CHECK(beat->r_data == at);
    CHECK(beat->r_last == (at == 136));
  }
  for (int i = 0; i < 4; ++i) next_beat(port);
  CHECK(port.idle());
}

TEST_CASE("words beyond repair come as SLVERR through a port", "[axi]") {
  FlatMemory flat(kBase, 1 << 16, Untouched::kZero);
  memory::ProtectedMemory broken(flat, {.double_flips = 1});
  memory::AxiPort port(kBase, 1 << 16, 64, AxiTiming());
  port.take(AxiRequest());
  port.offer();
  port.take(read_address(kBase, 2));
  port.offer();
  REQUIRE(port.asked().size() == 1);
  const memory::Access access = port.asked().front();
  const bool good = port.perform(access.tag, broken);
  CHECK_FALSE(good);
  port.complete(access.tag, port.cycles(), !good);
  CHECK(next_beat(port)->r_resp == memory::kRespSlvErr);
}
