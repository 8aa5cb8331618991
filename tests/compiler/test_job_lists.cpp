// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "sim/base/error.h"
#include "sw/compiler/workload.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::compiler;
using interfaces::TileDescriptor;

namespace {

struct Span {
  std::uint64_t begin, end;
  bool touches(const Span& other) const { return begin < other.end && other.begin < end; }
};

Span box(std::uint32_t offset, std::uint64_t planes, std::uint64_t rows, std::uint64_t cols,
         std::uint64_t row, std::uint64_t plane) {
  return {offset, offset + 4 * ((planes - 1) * plane + (rows - 1) * row + cols)};
}

Span input_span(const TileDescriptor& t) {
  return box(t.input_offset, std::uint64_t{t.pad_front} + t.input_planes + t.pad_back,
             std::uint64_t{t.pad_top} + t.input_rows + t.pad_bottom,
             std::uint64_t{t.pad_left} + t.input_cols + t.pad_right, t.input_tcdm_row, t.input_tcdm_plane);
}
Span weights_span(const TileDescriptor& t) {
  if (t.weights_rows == 0) return {t.weights_offset, t.weights_offset};
  return box(t.weights_offset, 1, t.weights_rows, t.weights_cols, t.weights_tcdm_row, 0);
}
Span output_span(const TileDescriptor& t) {
  return box(t.output_offset, t.output_planes, t.output_rows, t.output_cols, t.output_tcdm_row,
             t.output_tcdm_plane);
}
bool is_wide(const TileDescriptor& t) {
  return (t.flags & (interfaces::kFlagWideIn | interfaces::kFlagWideOut)) != 0;
}
Span partial_span(const TileDescriptor& t) {
  if (!is_wide(t)) return {t.partial_offset, t.partial_offset};
  return {t.partial_offset, t.partial_offset + 80ull * t.output_planes * t.output_rows * t.output_cols};
}
bool has(const TileDescriptor& t, std::uint32_t flag) { return (t.flags & flag) != 0; }

/// The rules that the runtime's overlapped stages rely on, and that outputs are complete.
void check_rules(const Workload& workload, const Machine& machine) {
  std::map<std::uint64_t, int> stored;  // address of each output word -> times it is stored
  const TileDescriptor *before = nullptr, *earlier = nullptr;
  for (const TileDescriptor& t : workload.tiles) {
    const Span spans[] = {input_span(t), weights_span(t), output_span(t), partial_span(t)};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(spans[i].end <= machine.tile_bytes);
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(spans[i].touches(spans[j]));
    }
    CHECK(t.lanes_a * t.lanes_b <= static_cast<int>(machine.ntx));
    if (before != nullptr && !has(t, interfaces::kFlagSync)) {
      // While this tile is loaded, the one before is computed and the one before that is stored.
      const Span used[] = {input_span(*before), weights_span(*before), output_span(*before),
                           partial_span(*before)};
      for (const Span& span : used) {
        if (has(t, interfaces::kFlagLoadInput)) CHECK_FALSE(input_span(t).touches(span));
        if (has(t, interfaces::kFlagLoadWeights)) CHECK_FALSE(weights_span(t).touches(span));
      }
      if (earlier != nullptr && has(*earlier, interfaces::kFlagStoreOutput) &&
          !has(*before, interfaces::kFlagSync)) {
        if (has(t, interfaces::kFlagLoadInput)) CHECK_FALSE(input_span(t).touches(output_span(*earlier)));
        if (has(t, interfaces::kFlagLoadWeights)) CHECK_FALSE(weights_span(t).touches(output_span(*earlier)));
      }
      // Its output box is written while the one before is stored, unless the two are one chain of wide
      // images.
      if (has(*before, interfaces::kFlagStoreOutput))
        CHECK_FALSE(output_span(t).touches(output_span(*before)));
      CHECK_FALSE(output_span(t).touches(used[0]));
      CHECK_FALSE(output_span(t).touches(used[1]));
    }
    CHECK(has(t, interfaces::kFlagWideIn) == (before != nullptr && has(*before, interfaces::kFlagWideOut)));
    if (has(t, interfaces::kFlagWideIn)) {
      CHECK(t.partial_offset == before->partial_offset);
      CHECK(t.output_address == before->output_address);
    }
    if (has(t, interfaces::kFlagStoreOutput))
      for (std::uint64_t p = 0; p < t.output_planes; ++p)
        for (std::uint64_t r = 0; r < t.output_rows; ++r)
          for (std::uint64_t c = 0; c < t.output_cols; ++c)
            ++stored[t.output_address + p * t.output_plane_pitch + r * t.output_row_pitch + 4 * c];
    earlier = before;
    before = &t;
  }
  std::size_t words = 0;
  for (const Output& output : workload.outputs) {
    bool complete = true;
    for (std::uint64_t at = output.address; at < output.address + output.bytes(); at += 4) {
      const auto found = stored.find(at);
      complete = complete && found != stored.end() && found->second == 1;
    }
    CHECK(complete);
    words += output.bytes() / 4;
  }
  CHECK(words <= stored.size());

  // The image's pieces and the outputs lie apart; an output may have a start value.
  std::vector<Span> pieces;
  for (const Piece& piece : workload.image)
    pieces.push_back({piece.address, piece.address + piece.bytes.size()});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].end <= workload.memory_end);
    CHECK(pieces[i].begin >= interfaces::kJobListAddress);
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(pieces[i].touches(pieces[j]));
  }
}

Machine machine_with(std::uint32_t tile_bytes) {
  Machine machine;
  machine.tile_bytes = tile_bytes;
  return machine;
}

}  // namespace

TEST_CASE("Random convolutions: every output once, nothing overlaps") {
  test::Random random(test::seed());
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (std::uint64_t i = 0; i < test::cases(40, 1000); ++i) {
    Conv2dShape s;
    s.batch = between(1, 3);
    s.in_channels = between(1, 40);
    s.out_channels = between(1, 20);
    s.height = between(1, 24);
    s.width = between(1, 24);
    s.kernel = between(1, 5);
    s.stride = between(1, 3);
    s.pad = between(0, s.kernel - 1);
    if (s.kernel > std::min(s.height, s.width) + 2 * s.pad) continue;
    const Machine machine =
        machine_with(static_cast<std::uint32_t>(between(1500, interfaces::kTileSpaceBytes) / 8 * 8));
    INFO(fmt::format("seed {}: batch {} in {} out {} {}x{} kernel {} stride {} pad {} tile space {}",
                     test::seed(), s.batch, s.in_channels, s.out_channels, s.height, s.width, s.kernel,
                     s.stride, s.pad, machine.tile_bytes));
    const Workload w = make_conv2d(s, Tensor(s.input()), Tensor(s.weights()), Tensor(s.bias()), machine);
    CHECK(w.macs == static_cast<std::uint64_t>(network::element_count(s.output()) * s.in_channels * s.kernel *
                                               s.kernel));
    check_rules(w, machine);
  }
}

TEST_CASE("Random matrix products") {
  test::Random random(test::seed());
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (std::uint64_t i = 0; i < test::cases(40, 1000); ++i) {
    const std::int64_t m = between(1, 80), n = between(1, 80), k = between(1, 600);
    const Machine machine =
        machine_with(static_cast<std::uint32_t>(between(1500, interfaces::kTileSpaceBytes) / 8 * 8));
    INFO(fmt::format("seed {}: m {} n {} k {} tile space {}", test::seed(), m, n, k, machine.tile_bytes));
    check_rules(make_gemm({m, n, k}, Tensor({m, k}), Tensor({k, n}), machine), machine);
    check_rules(make_gemv({m, k}, Tensor({m, k}), Tensor({k}), machine), machine);
  }
}

TEST_CASE("Vectors, pooling and stencils") {
  for (const std::uint32_t tile_bytes : {2000u, interfaces::kTileSpaceBytes}) {
    const Machine machine = machine_with(tile_bytes);
    for (const std::int64_t n : {1, 8, 13, 700, 9001}) {
      INFO("n " << n);
      check_rules(make_axpy({n}, 2.0f, Tensor({n}), Tensor({n}), machine), machine);
      check_rules(make_relu({n}, Tensor({n}), machine), machine);
      check_rules(make_laplace({{n}}, Tensor({n}), machine), machine);
    }
    for (const auto& extents : std::vector<std::vector<std::int64_t>>{{1, 1}, {30, 41}, {1, 1, 1}, {7, 8, 9}})
      check_rules(make_laplace({extents}, Tensor(extents), machine), machine);
    PoolShape pool{.batch = 2, .channels = 9, .height = 21, .width = 22, .kernel = 3, .stride = 2, .pad = 1};
    check_rules(make_max_pool(pool, Tensor(pool.input()), machine), machine);
  }
}

TEST_CASE("A diffusion of several steps waits between them and ends in the output") {
  const Machine machine = machine_with(2500);
  for (const auto& extents : std::vector<std::vector<std::int64_t>>{{900}, {30, 41}, {7, 8, 9}}) {
    for (const int steps : {1, 2, 5}) {
      const Workload w = make_diffusion({extents}, Tensor(extents), 0.1f, steps, machine);
      REQUIRE(w.tiles.size() % static_cast<std::size_t>(steps) == 0);
      const std::size_t sweep = w.tiles.size() / static_cast<std::size_t>(steps);
      for (std::size_t i = 0; i < w.tiles.size(); ++i)
        CHECK(has(w.tiles[i], interfaces::kFlagSync) == (i > 0 && i % sweep == 0));
      CHECK(w.tiles.back().output_address < w.outputs[0].address + w.outputs[0].bytes());
      CHECK(w.tiles.back().output_address >= w.outputs[0].address);
      CHECK(w.macs ==
            static_cast<std::uint64_t>(steps * network::element_count(extents)) * (2 * extents.size() + 1));
    }
  }
}

TEST_CASE("The header describes the list") {
  const Conv2dShape s{.in_channels = 2, .out_channels = 3, .height = 8, .width = 8, .kernel = 3};
  const Workload w = make_conv2d(s, Tensor(s.input()), Tensor(s.weights()));
  const Piece* found = nullptr;
  for (const Piece& piece : w.image)
    if (piece.address == w.job_list_address) found = &piece;
  REQUIRE(found != nullptr);
  interfaces::JobHeader header{};
  REQUIRE(found->bytes.size() == sizeof header);
  std::memcpy(&header, found->bytes.data(), sizeof header);
  CHECK(header.magic == interfaces::kJobMagic);
  CHECK(header.descriptor_count == w.tiles.size());
  CHECK(header.records_address == w.record_address);
  CHECK(header.image_bytes == 80);
  CHECK(w.phases.size() == interfaces::kPhaseCount);
}

TEST_CASE("Layers of real networks get plans that keep the NTX busy") {
  const auto busy = [](const Conv2dShape& s) {
    const Workload w = make_conv2d(s, Tensor(s.input()), Tensor(s.weights()));
    check_rules(w, Machine{});
    // Products on the busiest NTX of each tile against an even share of all.
    std::int64_t longest = 0;
    for (const TileDescriptor& t : w.tiles)
      longest += std::int64_t{(t.output_rows + t.lanes_b - 1) / t.lanes_b} * t.output_cols * t.input_planes *
                 t.kernel_rows * t.kernel_cols;
    return double(w.macs) / double(8 * longest);
  };
  CHECK(busy({.in_channels = 16, .out_channels = 32, .height = 32, .width = 32, .kernel = 3, .pad = 1}) ==
        1.0);
  CHECK(busy({.in_channels = 1, .out_channels = 8, .height = 28, .width = 28, .kernel = 5}) == 1.0);
  CHECK(busy({.in_channels = 3, .out_channels = 1, .height = 64, .width = 64, .kernel = 3, .pad = 1}) == 1.0);
  CHECK(busy({.in_channels = 8, .out_channels = 12, .height = 20, .width = 20, .kernel = 3, .pad = 1}) >
        0.99);
}
