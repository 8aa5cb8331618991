// SPDX-License-Identifier: Apache-2.0
// Whole runs behind a memory that is late, out of order and unwilling, from registers that start with
// anything: the results stay the same to the bit.
#include <cstring>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/system/cluster_system.h"
#include "sw/compiler/workload.h"
#include "sw/reference/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;

namespace {

network::Tensor random_tensor(const network::Shape& shape, base::Random& random) {
  network::Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor[i] = random.normal();
  return tensor;
}

system::RunResult run(const compiler::Workload& workload, const system::ClusterConfig& config,
                      std::uint64_t seed, std::vector<float>& result) {
  system::ClusterSystem system(config, seed);
  system.load(riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/job_runner.elf"));
  for (const auto& piece : workload.image) system.write(piece.address, piece.bytes);
  system::RunResult outcome = system.run();
  const auto& output = workload.outputs.at(0);
  result.resize(static_cast<std::size_t>(network::element_count(output.shape)));
  system.read(output.address, {reinterpret_cast<std::uint8_t*>(result.data()), 4 * result.size()});
  return outcome;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

}  // namespace

TEST_CASE("a slow, mixing, withholding memory changes the cycles and not a bit", "[system]") {
  const std::uint64_t seed = test::seed();
  CAPTURE(seed);
  base::Random random(seed);
  for (std::uint64_t round = 0; round < test::cases(4, 200); ++round) {
    auto config = system::load_cluster_config("config/cluster/default.yaml");
    config.timing.seed = random.next();
    config.timing.jitter_core_cycles = random.below(60);
    config.timing.withhold = static_cast<double>(random.unit()) * 0.8;
    config.timing.read_latency_core_cycles = 1 + random.below(60);
    config.timing.write_latency_core_cycles = 1 + random.below(60);
    config.timing.read_bytes_per_core_cycle = 0.5 + static_cast<double>(random.unit()) * 7.5;
    config.timing.write_bytes_per_core_cycle = 0.5 + static_cast<double>(random.unit()) * 7.5;
    config.timing.outstanding = 1 + static_cast<unsigned>(random.below(16));
    const auto kernel = static_cast<std::int64_t>(1 + 2 * random.below(3));
    const compiler::Conv2dShape shape{.in_channels = static_cast<std::int64_t>(1 + random.below(6)),
                                      .out_channels = static_cast<std::int64_t>(1 + random.below(12)),
                                      .height = static_cast<std::int64_t>(5 + random.below(10)),
                                      .width = static_cast<std::int64_t>(5 + random.below(10)),
                                      .kernel = kernel,
                                      .stride = static_cast<std::int64_t>(1 + random.below(2)),
                                      .pad = static_cast<std::int64_t>(random.below(
                                          std::min<std::uint64_t>(3, static_cast<std::uint64_t>(kernel)))),
                                      .relu = random.below(2) != 0};
    const auto input = random_tensor(shape.input(), random);
    const auto weights = random_tensor(shape.weights(), random);
    const auto bias = random_tensor(shape.bias(), random);
    CAPTURE(round, shape.in_channels, shape.out_channels, shape.height, shape.width, shape.kernel,
            shape.stride, shape.pad, shape.relu, config.timing.jitter_core_cycles, config.timing.withhold);
    std::vector<float> got;
    const auto outcome =
        run(compiler::make_conv2d(shape, input, weights, bias), config, 1 + random.below(1000), got);
    INFO(outcome.message);
    REQUIRE(outcome.end == system::End::kExit);
    REQUIRE(outcome.exit_code == 0);
    const reference::Conv2d twin{.batch = shape.batch,
                                 .in_channels = shape.in_channels,
                                 .out_channels = shape.out_channels,
                                 .height = shape.height,
                                 .width = shape.width,
                                 .kernel_height = shape.kernel,
                                 .kernel_width = shape.kernel,
                                 .stride = shape.stride,
                                 .pad = shape.pad,
                                 .relu = shape.relu};
    const auto view = [](const network::Tensor& t) {
      return reference::View(t.data(), static_cast<std::size_t>(t.size()));
    };
    CHECK(same_bits(got, reference::conv2d(twin, view(input), view(weights), view(bias))));
  }
}

TEST_CASE("the seed of the registers' start values changes nothing at all", "[system]") {
  const auto config = system::load_cluster_config("config/cluster/default.yaml");
  base::Random random(1);
  const compiler::GemmShape shape{.m = 9, .n = 11, .k = 17};
  const auto workload =
      compiler::make_gemm(shape, random_tensor({9, 17}, random), random_tensor({17, 11}, random));
  std::vector<float> first;
  const auto reference = run(workload, config, 1, first);
  for (std::uint64_t seed = 2; seed < 2 + test::cases(3, 20); ++seed) {
    std::vector<float> result;
    const auto again = run(workload, config, seed, result);
    CAPTURE(seed);
    CHECK(again.cycles == reference.cycles);
    CHECK(same_bits(result, first));
  }
}

TEST_CASE("a system runs once, and knows what exists", "[system]") {
  system::ClusterSystem system(system::load_cluster_config("config/cluster/default.yaml"));
  CHECK(system.parameters() == system::ClusterParameters());
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7};
  std::vector<std::uint8_t> back(7);
  // The scratchpad through the core's data port, at any alignment.
  system.write(0x10000003, bytes);
  system.read(0x10000003, back);
  CHECK(back == bytes);
  CHECK_THROWS_AS(system.read(0x1000FFFC, back), Error);
  CHECK_THROWS_AS(system.write(0x40000000, bytes), Error);
  CHECK_NOTHROW(system.require_exists(0x80000000 + (2ull << 30) - 7, 7));
  CHECK_THROWS_AS(system.require_exists(0x80000000 + (2ull << 30) - 6, 7), Error);
  CHECK(system.run({.max_cycles = 2000}).end != system::End::kExit);
  CHECK_THROWS_AS(system.run(), Error);
}
