// SPDX-License-Identifier: Apache-2.0
// FIFO and spill register against a queue, and the arbiter against the definition of round robin.
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <iostream>
#include <optional>

#include "Vcommon_test.h"
#include "sim/rtl/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::test {
namespace {

class Bench {
 public:
  Bench() {
    model.clk_i = 0;
    model.rst_ni = 0;
    model.clear_i = 0;
    model.valid_i = 0;
    model.ready_i = 0;
    model.request_i = 0;
    model.take_i = 0;
    model.eval();
    tick();
    model.rst_ni = 1;
    model.eval();
  }
  void tick() {
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
  }

 private:
  rtl::Simulation<Vcommon_test> simulation_{seed()};

 public:
  Vcommon_test& model = *simulation_;
};

TEST_CASE("queues keep every word, in order, under any valid, ready and clear") {
  std::cout << "queues: seed " << seed() << std::endl;
  Random random(seed());
  Bench bench;
  auto& m = bench.model;
  constexpr std::array<std::size_t, 5> kDepths = {1, 2, 5, 16, 2};
  std::array<std::deque<std::uint32_t>, 5> queues;
  std::array<std::uint64_t, 5> moved{};
  std::uint64_t bias_in = 2;
  std::uint64_t bias_out = 2;
  for (std::uint64_t cycle = 0, end = cases(200'000, 2'000'000); cycle < end; ++cycle) {
    if (cycle % 512 == 0) {
      // Phases of full speed, of filling and of draining.
      bias_in = random() % 4;
      bias_out = random() % 4;
    }
    m.valid_i = 0;
    m.ready_i = 0;
    for (unsigned i = 0; i < 5; ++i) {
      m.valid_i |= static_cast<std::uint8_t>((random() % 4 <= bias_in) << i);
      m.ready_i |= static_cast<std::uint8_t>((random() % 4 <= bias_out) << i);
    }
    m.data_i = static_cast<std::uint32_t>(random());
    m.clear_i = random() % 500 == 0;
    const auto ready_before = m.ready_o;
    const auto valid_before = m.valid_o;
    m.eval();
    // Neither output may depend on this cycle's inputs.
    REQUIRE(m.ready_o == ready_before);
    REQUIRE(m.valid_o == valid_before);
    const std::array<std::uint32_t, 5> data = {m.data0_o, m.data1_o, m.data2_o, m.data3_o, m.data4_o};
    const std::array<std::uint32_t, 4> counts = {m.count0_o, m.count1_o, m.count2_o, m.count3_o};
    for (unsigned i = 0; i < 5; ++i) {
      auto& queue = queues[i];
      INFO("part " << i << " cycle " << cycle);
      REQUIRE(((m.valid_o >> i) & 1) == !queue.empty());
      REQUIRE(((m.ready_o >> i) & 1) == (queue.size() < kDepths[i]));
      if (i < 4) REQUIRE(counts[i] == queue.size());
      if (!queue.empty()) REQUIRE(data[i] == queue.front());
      const bool push = ((m.valid_i & m.ready_o) >> i & 1) != 0;
      const bool pop = ((m.valid_o & m.ready_i) >> i & 1) != 0;
      if (pop) {
        queue.pop_front();
        ++moved[i];
      }
      if (push) queue.push_back(m.data_i);
      if (m.clear_i) queue.clear();
    }
    bench.tick();
  }
  for (std::uint64_t count : moved) REQUIRE(count > cases(200'000, 2'000'000) / 10);
}

TEST_CASE("a queue of two and a spill register move a word every cycle") {
  Bench bench;
  auto& m = bench.model;
  m.valid_i = 0b10010;
  m.ready_i = 0b10010;
  unsigned fifo = 0;
  unsigned spill = 0;
  for (unsigned cycle = 0; cycle < 100; ++cycle) {
    m.data_i = cycle;
    m.eval();
    fifo += (m.valid_o >> 1) & 1;
    spill += (m.valid_o >> 4) & 1;
    bench.tick();
  }
  REQUIRE(fifo == 99);
  REQUIRE(spill == 99);
}

/// Round robin by its definition: the first requester behind the last served; a locked choice stays while it
/// requests.
class Arbiter {
 public:
  Arbiter(unsigned requesters, bool lock) : requesters_(requesters), lock_(lock), last_(requesters - 1) {}
  std::optional<unsigned> choose(std::uint32_t request) const {
    if (held_ && ((request >> *held_) & 1) != 0) return held_;
    for (unsigned i = 1; i <= requesters_; ++i) {
      const unsigned candidate = (last_ + i) % requesters_;
      if (((request >> candidate) & 1) != 0) return candidate;
    }
    return std::nullopt;
  }
  void tick(std::uint32_t request, bool take) {
    const auto choice = choose(request);
    held_.reset();
    if (choice && take) last_ = *choice;
    if (choice && !take && lock_) held_ = choice;
  }

 private:
  unsigned requesters_;
  bool lock_;
  unsigned last_;
  std::optional<unsigned> held_;
};

TEST_CASE("arbiters follow round robin, and a locked choice stays") {
  std::cout << "arbiters: seed " << seed() << std::endl;
  Random random(seed());
  Bench bench;
  auto& m = bench.model;
  std::array<Arbiter, 4> models = {Arbiter(1, true), Arbiter(2, true), Arbiter(5, true), Arbiter(5, false)};
  constexpr std::array<std::uint32_t, 4> kMasks = {0x1, 0x3, 0x1F, 0x1F};
  for (std::uint64_t cycle = 0, end = cases(100'000, 1'000'000); cycle < end; ++cycle) {
    m.request_i = static_cast<std::uint8_t>(random() & 0x1F);
    if (random() % 4 == 0) m.request_i = 0x1F;
    if (random() % 4 == 0) m.request_i &= static_cast<std::uint8_t>(random() & 0x1F);
    m.take_i = random() % 3 != 0;
    m.eval();
    const std::array<std::uint32_t, 4> grants = {m.grant1_o, m.grant2_o, m.grant5_o, m.grant5_free_o};
    const std::array<std::uint32_t, 4> indices = {m.index1_o, m.index2_o, m.index5_o, m.index5_free_o};
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t request = m.request_i & kMasks[i];
      const auto choice = models[i].choose(request);
      INFO("arbiter " << i << " cycle " << cycle);
      REQUIRE(grants[i] == (choice ? 1u << *choice : 0u));
      REQUIRE(indices[i] == choice.value_or(0));
      REQUIRE(((m.grant_valid_o >> i) & 1) == choice.has_value());
      models[i].tick(request, m.take_i);
    }
    bench.tick();
  }
}

TEST_CASE("with all requesting, everyone is served once a round") {
  Bench bench;
  auto& m = bench.model;
  m.request_i = 0x1F;
  m.take_i = 1;
  m.eval();
  for (unsigned cycle = 0; cycle < 50; ++cycle) {
    REQUIRE(m.grant5_o == 1u << (cycle % 5));
    bench.tick();
  }
}

}  // namespace
}  // namespace nearcube::test
