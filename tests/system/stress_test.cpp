// SPDX-License-Identifier: Apache-2.0
// Whole runs behind a memory that is late, out of order and unwilling, from registers that start with
// anything: the results stay the same to the bit.
#include <cstring>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/system/cube_system.h"
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
                      std::uint64_t seed, std::vector<float>& result, const system::RunLimits& limits = {}) {
  system::CubeSystem system(config, {.seed = seed});
  system.load(riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/job_runner.elf"));
  for (const auto& piece : workload.image) system.write(piece.address, piece.bytes);
  system::RunResult outcome = system.run(limits);
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
    config.timing.read_latency_core_cycles = 2 + random.below(60);
    config.timing.write_latency_core_cycles = 2 + random.below(60);
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

namespace {

/// All counters in one list.
std::vector<std::uint64_t> flat(const system::ClusterCounters& c) {
  std::vector<std::uint64_t> all = {c.cycles,   c.compute_cycles, c.dma_read_bytes, c.dma_write_bytes,
                                    c.dma_busy, c.dma_wait_bus,   c.dma_wait_tcdm,  c.core_wait_tcdm};
  for (const auto& n : c.ntx) {
    all.insert(all.end(), {n.busy, n.stall_a, n.stall_b, n.stall_init, n.stall_result, n.stall_hazard, n.idle,
                           n.macs, n.results, n.commands});
  }
  for (const auto& b : c.banks) all.insert(all.end(), {b.accesses, b.conflicts});
  return all;
}

}  // namespace

TEST_CASE("looking at the counters now and then changes nothing", "[system]") {
  // A value taken from another counter, or a later one that is lower, would look like a wrap of 2^32.
  const auto config = system::load_cluster_config("config/cluster/default.yaml");
  base::Random random(2);
  const compiler::GemmShape shape{.m = 40, .n = 40, .k = 64};
  const auto workload =
      compiler::make_gemm(shape, random_tensor({40, 64}, random), random_tensor({64, 40}, random));
  std::vector<float> result;
  const auto once = run(workload, config, 1, result);
  const auto often = run(workload, config, 1, result, {.counter_interval = 1});
  REQUIRE(once.cycles > 3 * 8192);
  CHECK(once.cycles == often.cycles);
  CHECK(once.faults.empty());
  REQUIRE((once.counters && often.counters));
  CHECK(flat(*once.counters) == flat(*often.counters));
  CHECK(once.counters->ntx.at(0).macs > 0);
}

TEST_CASE("counters that the program zeroes count from there", "[system]") {
  constexpr std::uint32_t kClearCounters = 14;
  system::CubeSystem system(system::load_cluster_config("config/cluster/default.yaml"));
  const auto elf = riscv::ElfFile::load(NEARCUBE_FIRMWARE_DIR "/test_scenarios.elf");
  system.load(elf);
  system.write(elf.symbol("scenario").address,
               {reinterpret_cast<const std::uint8_t*>(&kClearCounters), sizeof kClearCounters});
  const auto outcome = system.run({.max_cycles = 100000, .counter_interval = 1});
  REQUIRE(outcome.end == system::End::kExit);
  REQUIRE(outcome.counters);
  CHECK(outcome.cycles > 20000);
  CHECK(outcome.counters->cycles < outcome.cycles - 20000);
  CHECK(outcome.counters->ntx.at(5).idle == outcome.counters->cycles);
}

TEST_CASE("a system runs once, and knows what exists", "[system]") {
  system::CubeSystem system(system::load_cluster_config("config/cluster/default.yaml"));
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
