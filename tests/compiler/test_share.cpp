// SPDX-License-Identifier: Apache-2.0
// Sharing tiles out: every tile once, chains whole, even work, and barriers that all clusters pass.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "sw/compiler/share.h"
#include "sw/compiler/workload.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using compiler::Machine;
using interfaces::TileDescriptor;

namespace {

network::Tensor some(const network::Shape& shape) { return network::Tensor(shape); }

bool has(const TileDescriptor& t, std::uint32_t flag) { return (t.flags & flag) != 0; }

/// What identifies a tile's result: where it goes, and for a chain of wide images where it starts from.
using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t>;
Key key_of(const TileDescriptor& t) { return {t.output_address, t.input_address, t.weights_address, t.kind}; }

/// Shares `tiles` out and checks the rules that hold for all of them.
compiler::SharedTiles check_share(const std::vector<TileDescriptor>& tiles, unsigned clusters) {
  CAPTURE(clusters);
  const compiler::SharedTiles shared = compiler::share_out(tiles, clusters);
  REQUIRE(shared.ranges.size() == clusters);
  std::map<Key, int> once;
  for (const TileDescriptor& t : tiles) ++once[key_of(t)];
  std::uint32_t next = 0;
  for (const interfaces::JobRange& range : shared.ranges) {
    CHECK(range.first == next);
    next += range.count;
    std::uint32_t passed = 0;
    std::map<std::uint32_t, std::uint64_t> inputs, weights;
    const TileDescriptor* before = nullptr;
    for (std::uint32_t i = range.first; i < next; ++i) {
      const TileDescriptor& t = shared.tiles.at(i);
      --once[key_of(t)];
      passed += t.barriers;
      CHECK((t.barriers == 0 || has(t, interfaces::kFlagSync)));
      CHECK(has(t, interfaces::kFlagWideIn) == (before != nullptr && has(*before, interfaces::kFlagWideOut)));
      // What is not loaded is there.
      if (has(t, interfaces::kFlagLoadInput)) inputs[t.input_offset] = t.input_address;
      CHECK(inputs[t.input_offset] == t.input_address);
      if (t.weights_rows != 0) {
        if (has(t, interfaces::kFlagLoadWeights)) weights[t.weights_offset] = t.weights_address;
        CHECK(weights[t.weights_offset] == t.weights_address);
      }
      before = &t;
    }
    CHECK((before == nullptr || !has(*before, interfaces::kFlagWideOut)));
    CHECK(passed <= shared.barriers);
  }
  CHECK(next == shared.tiles.size());
  for (const auto& [key, count] : once) CHECK(count == 0);
  return shared;
}

TileDescriptor tile_of(std::uint64_t number, std::uint16_t rows) {
  TileDescriptor t{};
  t.kind = interfaces::kKindRelu;
  t.flags = interfaces::kFlagLoadInput | interfaces::kFlagStoreOutput;
  t.lanes_a = 8;
  t.lanes_b = 1;
  t.output_planes = t.output_cols = 1;
  t.output_rows = rows;
  t.output_address = number;
  return t;
}

}  // namespace

TEST_CASE("a single cluster keeps its list", "[share]") {
  const auto w = compiler::make_gemm({.m = 40, .n = 40, .k = 300}, some({40, 300}), some({300, 40}));
  const auto shared = compiler::share_out(w.tiles, 1);
  CHECK(shared.barriers == 0);
  REQUIRE(shared.ranges.size() == 1);
  CHECK(shared.ranges[0].first == 0);
  CHECK(shared.ranges[0].count == w.tiles.size());
}

TEST_CASE("every workload's tiles are shared out whole", "[share]") {
  const Machine small{.tile_bytes = 12000};
  for (const Machine& machine : {Machine(), small}) {
    const compiler::Conv2dShape conv{
        .batch = 2, .in_channels = 19, .out_channels = 21, .height = 23, .width = 17, .kernel = 3, .pad = 1};
    const std::vector<std::vector<TileDescriptor>> lists = {
        compiler::make_conv2d(conv, some(conv.input()), some(conv.weights()), {}, machine).tiles,
        compiler::make_conv2d_pool(conv, some(conv.input()), some(conv.weights()), {}, 2, 2, machine).tiles,
        compiler::make_gemm({.m = 61, .n = 47, .k = 501}, some({61, 501}), some({501, 47}), machine).tiles,
        compiler::make_gemv({.m = 61, .n = 3001}, some({61, 3001}), some({3001}), machine).tiles,
        compiler::make_axpy({.n = 5003}, 2, some({5003}), some({5003}), machine).tiles,
        compiler::make_diffusion({.extents = {33, 65}}, some({33, 65}), 0.1f, 3, machine).tiles,
        compiler::make_diffusion({.extents = {4099}}, some({4099}), 0.1f, 3, machine).tiles,
    };
    for (std::size_t list = 0; list < lists.size(); ++list) {
      CAPTURE(list, machine.tile_bytes);
      for (const unsigned clusters : {2u, 3u, 5u, 16u, 128u}) {
        const auto shared = check_share(lists[list], clusters);
        CHECK(shared.barriers == (list == 1 ? 1 : list >= 5 ? 2 : 0));
      }
    }
  }
}

TEST_CASE("the busiest cluster has as little as neighbouring tiles allow", "[share]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  test::Random random(seed);
  for (std::uint64_t round = 0; round < test::cases(50, 2000); ++round) {
    const std::size_t count = 1 + random() % 12;
    const unsigned clusters = 2 + static_cast<unsigned>(random() % 4);
    std::vector<TileDescriptor> tiles;
    std::vector<double> work;  // without what a tile costs in any case: all are alike in that
    for (std::size_t i = 0; i < count; ++i) {
      tiles.push_back(tile_of(8 * i, static_cast<std::uint16_t>(1000 + random() % 30000)));
      work.push_back(tiles.back().output_rows * 3.5 / 8 + 60);
    }
    const auto shared = check_share(tiles, clusters);
    double busiest = 0;
    for (const auto& range : shared.ranges) {
      double sum = 0;
      for (std::uint32_t i = range.first; i < range.first + range.count; ++i) sum += work[i];
      busiest = std::max(busiest, sum);
    }
    // best[k][i]: the first i tiles on k clusters, all ways to cut tried.
    std::vector<std::vector<double>> best(clusters + 1, std::vector<double>(count + 1, 1e30));
    best[0][0] = 0;
    for (unsigned k = 1; k <= clusters; ++k) {
      for (std::size_t i = 0; i <= count; ++i) {
        double sum = 0;
        for (std::size_t from = i + 1; from-- > 0;) {
          best[k][i] = std::min(best[k][i], std::max(best[k - 1][from], sum));
          if (from > 0) sum += work[from - 1];
        }
      }
    }
    CHECK(busiest == Approx(best[clusters][count]).epsilon(1e-5));
  }
}

TEST_CASE("clusters without a tile in a stage still meet the others", "[share]") {
  // Two tiles, then after a wait five, then one.
  std::vector<TileDescriptor> tiles;
  for (std::uint64_t i = 0; i < 8; ++i) tiles.push_back(tile_of(8 * i, 1000));
  for (const std::size_t first : {2u, 7u}) tiles[first].flags |= interfaces::kFlagSync;
  const auto shared = check_share(tiles, 5);
  CHECK(shared.barriers == 2);
  for (const auto& range : shared.ranges) {
    std::uint64_t passed = 0;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      const TileDescriptor& t = shared.tiles[i];
      passed += t.barriers;
      const std::uint64_t number = t.output_address / 8;
      CHECK(passed == (number < 2 ? 0 : number < 7 ? 1 : 2));
    }
  }
}
