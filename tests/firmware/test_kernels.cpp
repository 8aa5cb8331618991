// SPDX-License-Identifier: Apache-2.0
// Every kernel, from the compiler's job list through the firmware to the result, bit for bit against its
// plain twin. Small tile spaces make small shapes take many tiles, and reductions go through wide images.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "sim/base/random.h"
#include "sw/compiler/workload.h"
#include "sw/reference/kernels.h"
#include "tests/firmware/functional_cluster.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using compiler::Machine;
using compiler::Shape;
using compiler::Tensor;
using compiler::Workload;
using test::FunctionalCluster;

namespace {

Tensor random_tensor(base::Random& random, Shape shape) {
  Tensor tensor(std::move(shape));
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor[i] = random.normal();
  // Now and then what numbers can be besides ordinary.
  static constexpr std::uint32_t odd[] = {0x80000000, 0x00000000, 0x00000001, 0x007FFFFF,
                                          0x7F7FFFFF, 0xFF800000, 0x7FC12345};
  if (tensor.size() > 64 && random.below(3) == 0)
    for (const std::uint32_t bits : odd)
      tensor[static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tensor.size())))] =
          std::bit_cast<float>(bits);
  return tensor;
}

reference::View view(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(tensor.size())};
}

const riscv::ElfFile& runner() {
  static const riscv::ElfFile file = riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/job_runner.elf");
  return file;
}

/// Runs a workload and compares its outputs with `expected`, in the same order.
void run(const Workload& workload, const std::vector<reference::Values>& expected, std::uint64_t seed) {
  INFO(workload.name << ", " << workload.tiles.size() << " tiles, seed " << seed);
  FunctionalCluster cluster(seed);
  cluster.load(runner());
  for (const compiler::Piece& piece : workload.image) cluster.write(piece.address, piece.bytes);
  const FunctionalCluster::Result result = cluster.run();
  INFO(result.output);
  REQUIRE(result.exited);
  REQUIRE(result.exit_code == 0);

  interfaces::JobRecord record{};
  const auto bytes = cluster.read(workload.record_address, sizeof record);
  std::memcpy(&record, bytes.data(), sizeof record);
  CHECK(record.magic == interfaces::kRecordMagic);
  CHECK(record.status == interfaces::kJobOk);
  CHECK(record.tiles == workload.tiles.size());
  CHECK(record.transfers + 1 == result.transfers);  // the record's own
  CHECK(record.commands == result.commands);

  REQUIRE(workload.outputs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const compiler::Output& output = workload.outputs[i];
    const Tensor got = network::from_bytes(output.shape, cluster.read(output.address, output.bytes()));
    REQUIRE(got.size() == static_cast<std::int64_t>(expected[i].size()));
    std::int64_t mismatches = 0, first = -1;
    for (std::int64_t j = 0; j < got.size(); ++j) {
      if (std::bit_cast<std::uint32_t>(got[j]) ==
          std::bit_cast<std::uint32_t>(expected[i][static_cast<std::size_t>(j)]))
        continue;
      if (first < 0) first = j;
      ++mismatches;
    }
    INFO(output.name << " " << network::to_string(output.shape) << ": first mismatch at " << first);
    CHECK(mismatches == 0);
  }
}

Machine machine_with(std::uint32_t tile_bytes) {
  Machine machine;
  machine.tile_bytes = tile_bytes;
  return machine;
}

/// One random seed more a case in nightly runs.
std::vector<std::uint64_t> seeds() {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < test::cases(2, 8); ++i) all.push_back(test::seed() + i);
  return all;
}

void conv2d(const compiler::Conv2dShape& s, bool with_bias, std::uint32_t tile_bytes) {
  for (const std::uint64_t seed : seeds()) {
    base::Random random(seed);
    const Tensor input = random_tensor(random, s.input()), weights = random_tensor(random, s.weights());
    std::optional<Tensor> bias;
    if (with_bias) bias = random_tensor(random, s.bias());
    const reference::Conv2d twin{.batch = s.batch,
                                 .in_channels = s.in_channels,
                                 .out_channels = s.out_channels,
                                 .height = s.height,
                                 .width = s.width,
                                 .kernel_height = s.kernel,
                                 .kernel_width = s.kernel,
                                 .stride = s.stride,
                                 .pad = s.pad,
                                 .relu = s.relu};
    INFO(fmt::format("batch {} in {} out {} {}x{} kernel {} stride {} pad {} relu {} bias {} tile space {}",
                     s.batch, s.in_channels, s.out_channels, s.height, s.width, s.kernel, s.stride, s.pad,
                     s.relu, with_bias, tile_bytes));
    run(make_conv2d(s, input, weights, bias, machine_with(tile_bytes)),
        {reference::conv2d(twin, view(input), view(weights), bias ? view(*bias) : reference::View{})}, seed);
  }
}

constexpr std::uint32_t kAll = interfaces::kTileSpaceBytes;

}  // namespace

TEST_CASE("conv2d: shapes, strides, padding, bias and ReLU") {
  conv2d({}, false, kAll);
  conv2d({.in_channels = 1, .out_channels = 8, .height = 12, .width = 12, .kernel = 5, .relu = true}, true,
         kAll);
  conv2d({.in_channels = 3, .out_channels = 5, .height = 9, .width = 7, .kernel = 3, .pad = 1}, false, kAll);
  conv2d({.batch = 2,
          .in_channels = 2,
          .out_channels = 11,
          .height = 8,
          .width = 10,
          .kernel = 3,
          .stride = 2,
          .pad = 1},
         true, kAll);
  conv2d({.in_channels = 2, .out_channels = 1, .height = 13, .width = 6, .kernel = 3, .pad = 2, .relu = true},
         true, kAll);
  conv2d({.in_channels = 4, .out_channels = 3, .height = 11, .width = 11, .kernel = 1, .stride = 3}, true,
         kAll);
  conv2d({.in_channels = 2, .out_channels = 2, .height = 9, .width = 9, .kernel = 7, .stride = 2, .pad = 3},
         true, kAll);
}

TEST_CASE("conv2d: many small tiles give the same bits") {
  conv2d(
      {.in_channels = 3, .out_channels = 10, .height = 14, .width = 13, .kernel = 3, .pad = 1, .relu = true},
      true, 4096);
  conv2d({.batch = 2,
          .in_channels = 2,
          .out_channels = 4,
          .height = 11,
          .width = 17,
          .kernel = 5,
          .stride = 2,
          .pad = 2},
         false, 3000);
}

TEST_CASE("conv2d: reductions over several tiles go through wide images and round once") {
  const std::uint32_t tile_bytes = 6000;
  compiler::Conv2dShape s{
      .in_channels = 40, .out_channels = 9, .height = 6, .width = 5, .kernel = 3, .pad = 1, .relu = true};
  base::Random random(1);
  const Workload workload =
      make_conv2d(s, random_tensor(random, s.input()), random_tensor(random, s.weights()), std::nullopt,
                  machine_with(tile_bytes));
  std::uint32_t flags = 0;
  for (const auto& tile : workload.tiles) flags |= tile.flags;
  REQUIRE((flags & interfaces::kFlagWideOut) != 0);
  REQUIRE((flags & interfaces::kFlagWideIn) != 0);
  conv2d(s, true, tile_bytes);
  s.relu = false;
  conv2d(s, false, tile_bytes);
}

TEST_CASE("gemm") {
  const auto gemm = [](std::int64_t m, std::int64_t n, std::int64_t k, std::uint32_t tile_bytes) {
    for (const std::uint64_t seed : seeds()) {
      base::Random random(seed);
      const Tensor a = random_tensor(random, {m, k}), b = random_tensor(random, {k, n});
      INFO(fmt::format("m {} n {} k {} tile space {}", m, n, k, tile_bytes));
      run(make_gemm({m, n, k}, a, b, machine_with(tile_bytes)), {reference::gemm(m, n, k, view(a), view(b))},
          seed);
    }
  };
  gemm(1, 1, 1, kAll);
  gemm(16, 16, 32, kAll);
  gemm(13, 9, 21, kAll);
  gemm(3, 25, 17, kAll);
  gemm(33, 18, 40, 4096);
  gemm(5, 3, 700, 4096);
  gemm(9, 11, 300, 3000);
}

TEST_CASE("gemv") {
  const auto gemv = [](std::int64_t m, std::int64_t n, std::uint32_t tile_bytes) {
    for (const std::uint64_t seed : seeds()) {
      base::Random random(seed);
      const Tensor a = random_tensor(random, {m, n}), x = random_tensor(random, {n});
      INFO(fmt::format("m {} n {} tile space {}", m, n, tile_bytes));
      run(make_gemv({m, n}, a, x, machine_with(tile_bytes)), {reference::gemv(m, n, view(a), view(x))}, seed);
    }
  };
  gemv(1, 1, kAll);
  gemv(7, 5, kAll);
  gemv(64, 33, kAll);
  gemv(50, 61, 4096);
  gemv(11, 1500, 4096);
}

TEST_CASE("axpy and relu") {
  for (const std::int64_t n : {1, 7, 8, 9, 513, 2500, 5003}) {
    for (const std::uint32_t tile_bytes : {kAll, 3000u}) {
      const std::uint64_t seed = test::seed() + static_cast<std::uint64_t>(n);
      base::Random random(seed);
      const Tensor x = random_tensor(random, {n}), y = random_tensor(random, {n});
      const float a = random.normal();
      INFO(fmt::format("n {} tile space {}", n, tile_bytes));
      run(make_axpy({n}, a, x, y, machine_with(tile_bytes)), {reference::axpy(a, view(x), view(y))}, seed);
      run(make_relu({n}, x, machine_with(tile_bytes)), {reference::relu(view(x))}, seed);
    }
  }
}

TEST_CASE("max pooling") {
  const auto pool = [](const compiler::PoolShape& s, std::uint32_t tile_bytes) {
    for (const std::uint64_t seed : seeds()) {
      base::Random random(seed);
      const Tensor input = random_tensor(random, s.input());
      INFO(fmt::format("batch {} channels {} {}x{} kernel {} stride {} pad {}", s.batch, s.channels, s.height,
                       s.width, s.kernel, s.stride, s.pad));
      const reference::MaxPool twin{s.batch, s.channels, s.height, s.width, s.kernel, s.stride, s.pad};
      run(make_max_pool(s, input, machine_with(tile_bytes)), {reference::max_pool(twin, view(input))}, seed);
    }
  };
  pool({.channels = 8, .height = 12, .width = 12}, kAll);
  pool({.batch = 2, .channels = 3, .height = 9, .width = 7, .kernel = 3, .stride = 2, .pad = 1}, kAll);
  pool({.channels = 1, .height = 17, .width = 5, .kernel = 3, .stride = 1, .pad = 2}, kAll);
  pool({.batch = 3, .channels = 7, .height = 16, .width = 15, .kernel = 2, .stride = 2}, 3000);
}

TEST_CASE("Laplace and diffusion stencils in one to three dimensions") {
  const auto stencils = [](const std::vector<std::int64_t>& extents, std::uint32_t tile_bytes) {
    const std::uint64_t seed = test::seed();
    base::Random random(seed);
    const Tensor field = random_tensor(random, extents);
    INFO(network::to_string(extents) << ", tile space " << tile_bytes);
    run(make_laplace({extents}, field, machine_with(tile_bytes)), {reference::laplace(extents, view(field))},
        seed);
    for (const int steps : {1, 2, 3})
      run(make_diffusion({extents}, field, 0.1f, steps, machine_with(tile_bytes)),
          {reference::diffusion(extents, view(field), 0.1f, steps)},
          seed + static_cast<std::uint64_t>(steps));
  };
  stencils({1}, kAll);
  stencils({9}, kAll);
  stencils({1003}, kAll);
  stencils({1003}, 2000);
  stencils({1, 1}, kAll);
  stencils({13, 17}, kAll);
  stencils({23, 19}, 2500);
  stencils({1, 1, 1}, kAll);
  stencils({5, 6, 7}, kAll);
  stencils({9, 10, 11}, 4000);
}

TEST_CASE("A convolution and a pooling layer behind it run as one job list") {
  const std::uint64_t seed = test::seed();
  base::Random random(seed);
  const compiler::Conv2dShape s{
      .batch = 2, .in_channels = 1, .out_channels = 8, .height = 14, .width = 14, .kernel = 5, .relu = true};
  const Tensor input = random_tensor(random, s.input()), weights = random_tensor(random, s.weights()),
               bias = random_tensor(random, s.bias());
  const reference::Conv2d twin{.batch = 2,
                               .in_channels = 1,
                               .out_channels = 8,
                               .height = 14,
                               .width = 14,
                               .kernel_height = 5,
                               .kernel_width = 5,
                               .relu = true};
  const auto conv = reference::conv2d(twin, view(input), view(weights), view(bias));
  const auto pooled = reference::max_pool({2, 8, 10, 10, 2, 2, 0}, conv);
  run(make_conv2d_pool(s, input, weights, bias, 2, 2), {conv, pooled}, seed);
}
