// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "sim/base/error.h"
#include "sw/compiler/tiling.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::compiler;

TEST_CASE("A cut axis has every output once and the inputs that it needs") {
  test::Random random(test::seed());
  for (std::uint64_t i = 0; i < test::cases(2000, 50000); ++i) {
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    Window w{1 + below(40), 1 + below(7), 1 + below(4), 0};
    w.pad = below(w.kernel);
    if (w.kernel > w.extent + 2 * w.pad) continue;
    const std::int64_t step = 1 + below(w.outputs() + 2);
    INFO("extent " << w.extent << " kernel " << w.kernel << " stride " << w.stride << " pad " << w.pad
                   << " step " << step << " seed " << test::seed());
    std::int64_t next = 0, inputs = 0;
    for (const Cut& c : cut(w, step)) {
      CHECK(c.out_first == next);
      CHECK(c.out_count >= 1);
      CHECK(c.out_count <= step);
      CHECK(c.in_count >= 1);
      CHECK(c.in_first >= 0);
      CHECK(c.in_first + c.in_count <= w.extent);
      CHECK(c.in_first - c.pad_before == c.out_first * w.stride - w.pad);
      CHECK(c.pad_before + c.in_count + c.pad_after == w.inputs(c.out_count));
      CHECK((c.pad_before == 0 || c.in_first == 0));
      CHECK((c.pad_after == 0 || c.in_first + c.in_count == w.extent));
      next += c.out_count;
      inputs += c.in_count;
    }
    CHECK(next == w.outputs());
    const Axis axis = summarize(w, step);
    CHECK(axis.full * axis.step + axis.rest == w.outputs());
    CHECK(axis.inputs == inputs);
  }
}

TEST_CASE("Rounds of lanes are counted as the hardware takes them") {
  const Axis axis{8, 3, 5, 0};
  CHECK(axis.parts() == 4);
  CHECK(axis.rounds(1) == 29);
  CHECK(axis.rounds(4) == 3 * 2 + 2);
  CHECK(axis.rounds(8) == 4);
}

TEST_CASE("Spread pitches keep lanes half of an even spread apart: four of 64 banks, two of 32") {
  for (const unsigned banks : {64u, 32u}) {
    Machine machine;
    machine.banks = banks;
    for (std::int64_t words = 1; words < 200; ++words) {
      for (std::int64_t lanes = 1; lanes <= 8; ++lanes) {
        for (std::int64_t pitches = 1; pitches <= 3; ++pitches) {
          const std::int64_t pitch = spread_pitch(machine, words, lanes, pitches);
          CHECK(pitch >= words);
          CHECK(pitch < words + banks);
          for (std::int64_t lane = 1; lane < lanes; ++lane) {
            const std::int64_t bank = lane * pitches * pitch % banks;
            CHECK(std::min(bank, banks - bank) >= banks / 16);
          }
        }
      }
    }
    CHECK(spread_pitch(machine, 100, 1) == 100);
  }
}

TEST_CASE("A machine of few banks has some pitch, whatever it is") {
  Machine machine;
  for (const unsigned banks : {2u, 4u, 8u}) {
    machine.banks = banks;
    CHECK(spread_pitch(machine, 100, 8) >= 100);
    CHECK(spread_pitch(machine, 100, 8) < 100 + banks);
  }
}

TEST_CASE("Candidates hold one, the extent and its equal parts, up to the limit") {
  const auto all = candidates(100, 1000);
  const std::set<std::int64_t> set(all.begin(), all.end());
  CHECK(set.size() == all.size());
  CHECK(std::is_sorted(all.begin(), all.end()));
  for (const std::int64_t size : {1, 2, 25, 34, 50, 100}) CHECK(set.count(size) == 1);
  CHECK(candidates(100, 30).back() <= 30);
  CHECK(candidates(1, 1) == std::vector<std::int64_t>{1});
}

TEST_CASE("Scratchpad space is handed out once, aligned, and not beyond its end") {
  Machine machine;
  machine.tile_bytes = 64;
  Scratchpad scratchpad(machine);
  CHECK(scratchpad.take(3) == 0);
  CHECK(scratchpad.take(1) == 16);
  CHECK(scratchpad.take(10) == 24);
  CHECK(scratchpad.used() == 64);
  CHECK_THROWS_AS(scratchpad.take(1), Error);
}

TEST_CASE("Buffers take turns") {
  const Machine machine;
  Scratchpad scratchpad(machine);
  Buffers two(scratchpad, 2, 2), one(scratchpad, 2, 1);
  const std::uint32_t first = two.next(), second = two.next();
  CHECK(first != second);
  CHECK(two.next() == first);
  CHECK(two.current() == first);
  CHECK(one.next() == one.next());
}
