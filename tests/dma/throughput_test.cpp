// SPDX-License-Identifier: Apache-2.0
// How much of the peak the DMA reaches, 8 bytes a core clock cycle each way, when memory and scratchpad keep
// up.
#include <cstdint>
#include <cstdio>

#include "tests/dma/dma_bench.h"
#include "tests/support/catch.h"

namespace nearcube::test {
namespace {

/// 64 core clock cycles are 100 ns at 625 MHz.
BenchOptions ideal(unsigned latency = 64) {
  BenchOptions options;
  options.axi.read_latency_min = options.axi.read_latency_max = latency;
  options.axi.write_latency_min = options.axi.write_latency_max = latency;
  return options;
}

Transfer rows(std::uint64_t src, std::uint64_t dst, std::uint32_t bytes, std::uint32_t count,
              std::int32_t src_pitch, std::int32_t dst_pitch) {
  Transfer t;
  t.src = src;
  t.dst = dst;
  t.bytes = bytes;
  t.count1 = count;
  t.src_stride1 = src_pitch;
  t.dst_stride1 = dst_pitch;
  return t;
}

/// Share of the peak: bytes over 8 a core clock cycle, from the start to completion less one memory latency.
double share(std::uint64_t bytes, std::uint64_t ntx_cycles, unsigned latency) {
  return static_cast<double>(bytes) / (8 * (static_cast<double>(ntx_cycles) / 2 - latency));
}

double run(const Transfer& t, const BenchOptions& options) {
  DmaBench bench(options);
  bench.describe(t);
  bench.write(interfaces::dma::kStartOffset, 0);
  const std::uint64_t cycles = bench.run_until_idle();
  REQUIRE(bench.error_pulses() == 0);
  return share(std::uint64_t{t.bytes} * t.count1, cycles, options.axi.read_latency_min);
}

}  // namespace

TEST_CASE("a load of 64 KiB runs at the peak once latency is covered") {
  // The scratchpad is as large as the transfer.
  for (const unsigned offset : {0u, 3u}) {
    const double reached = run(rows(kCubeBase + offset, kTcdmBase, 65536, 1, 0, 0), ideal());
    std::printf("load of 64 KiB, source offset %u: %.1f %% of the peak\n", offset, 100 * reached);
    CHECK(reached >= 0.95);
    CHECK(reached <= 1.0);
  }
}

TEST_CASE("a store of 64 KiB runs at the peak") {
  for (const unsigned offset : {0u, 5u}) {
    const double reached = run(rows(kTcdmBase, kCubeBase + offset, 65536, 1, 0, 0), ideal());
    std::printf("store of 64 KiB, destination offset %u: %.1f %% of the peak\n", offset, 100 * reached);
    CHECK(reached >= 0.95);
    CHECK(reached <= 1.0);
  }
}

TEST_CASE("a load and a store at the same time reach 90 percent each") {
  DmaBench bench(ideal());
  bench.describe(rows(kCubeBase + 1, kTcdmBase, 32768, 1, 0, 0));
  bench.write(interfaces::dma::kStartOffset, 0);
  bench.describe(rows(kTcdmBase + 32768, kCubeBase + 0x10'0003, 32768, 1, 0, 0));
  bench.write(interfaces::dma::kStartOffset, 0);
  const double reached = share(32768, bench.run_until_idle(), 64);
  std::printf("load and store of 32 KiB each at the same time: %.1f %% of the peak each\n", 100 * reached);
  CHECK(reached >= 0.9);
}

TEST_CASE("queued transfers follow each other closely") {
  for (const unsigned bytes : {256u, 1024u}) {
    DmaBench bench(ideal());
    for (unsigned i = 0; i < 8; ++i) {
      // The first is long, so that all others are queued behind it.
      const std::uint32_t size = i == 0 ? 8192 : bytes;
      bench.describe(
          rows(kCubeBase + 4096 * i + 3, kTcdmBase + 8192 * std::min(i, 1u) + bytes * i, size, 1, 0, 0));
      bench.write(interfaces::dma::kStartOffset, 0);
    }
    while (bench.read(interfaces::dma::kCompletedIdOffset) == 0) bench.cycle();
    const double reached = 7.0 * bytes / (8 * static_cast<double>(bench.run_until_idle()) / 2);
    std::printf("queued loads of %u bytes: %.1f %% of the peak\n", bytes, 100 * reached);
    CHECK(reached >= (bytes == 256 ? 0.85 : 0.93));
  }
}

TEST_CASE("copies within memory and within the scratchpad, and fills, reach the peak of what they use") {
  const double within_memory = run(rows(kCubeBase + 1, kCubeBase + 0x10'0006, 65536, 1, 0, 0), ideal());
  const double within_tcdm = run(rows(kTcdmBase + 1, kTcdmBase + 32768, 32767, 1, 0, 0), ideal());
  std::printf("memory to memory: %.1f %%, scratchpad to scratchpad: %.1f %% of the peak\n",
              100 * within_memory, 100 * within_tcdm);
  CHECK(within_memory >= 0.9);
  CHECK(within_tcdm >= 0.9);
}

TEST_CASE("rows of 128 bytes reach 85 percent, short unaligned rows what the bus allows") {
  std::printf(
      "rows      load  store  (%% of the peak; unaligned, pitches 4001 in memory, bytes + 5 in the "
      "scratchpad)\n");
  for (const unsigned bytes : {20u, 36u, 56u, 58u, 120u, 128u, 130u, 256u}) {
    const std::uint32_t count = std::min(800u, 60000 / (bytes + 5));
    const auto pitch = static_cast<std::int32_t>(bytes + 5);
    const double load = run(rows(kCubeBase + 3, kTcdmBase + 1, bytes, count, 4001, pitch), ideal());
    const double store = run(rows(kTcdmBase + 1, kCubeBase + 3, bytes, count, pitch, 4001), ideal());
    std::printf("%4u B    %5.1f  %5.1f\n", bytes, 100 * load, 100 * store);
    if (bytes >= 128) {
      CHECK(load >= 0.85);
      CHECK(store >= 0.85);
    }
    // A row of n bytes takes at most n/8 + 2 beats.
    const double bus = bytes / 8.0 / (bytes / 8.0 + 2);
    CHECK(load >= bus);
    CHECK(store >= bus);
  }
}

}  // namespace nearcube::test
