// SPDX-License-Identifier: Apache-2.0
// Random batches of transfers by the functional DMA, many outstanding, against copies byte by byte; behind a
// memory that delays, reorders and refuses.
#include <array>
#include <iostream>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/random.h"
#include "tests/cluster/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace nearcube::fast {
namespace {

namespace dma = interfaces::dma;
using base::Random;
using test::Machine;

struct Transfer {
  std::uint64_t src = 0, dst = 0;
  std::uint32_t bytes = 0;
  std::int32_t src_stride1 = 0, dst_stride1 = 0;
  std::uint32_t count1 = 1;
  std::int32_t src_stride2 = 0, dst_stride2 = 0;
  std::uint32_t count2 = 1;
  std::uint32_t pattern = 0;
  bool fill = false;
};

constexpr std::uint64_t kTcdmBytes = 65536, kCubeBytes = 65536;
/// Transfers read from the lower halves and write to slices of the upper, so that their order does not
/// matter.
constexpr std::uint64_t kSlice = 4096;

/// The bytes of both memories.
struct Image {
  std::vector<std::uint8_t> tcdm = std::vector<std::uint8_t>(kTcdmBytes);
  std::vector<std::uint8_t> cube = std::vector<std::uint8_t>(kCubeBytes);

  std::uint8_t& at(std::uint64_t address) {
    return address >= interfaces::kCubeBase ? cube[address - interfaces::kCubeBase]
                                            : tcdm[address - interfaces::kTcdmBase];
  }
};

std::uint64_t base_of(Random& random) {
  return random.below(2) != 0 ? interfaces::kCubeBase : interfaces::kTcdmBase;
}

/// Rows and planes of up to `space` bytes in all, forwards or backwards.
std::uint64_t place(Random& random, const Transfer& t, std::uint64_t first, std::uint64_t space,
                    std::int32_t& stride1, std::int32_t& stride2) {
  const std::uint32_t row = t.bytes + static_cast<std::uint32_t>(random.below(9));
  const std::uint32_t plane = row * t.count1 + static_cast<std::uint32_t>(random.below(17));
  const std::uint64_t extent =
      std::uint64_t{plane} * (t.count2 - 1) + std::uint64_t{row} * (t.count1 - 1) + t.bytes;
  REQUIRE(extent <= space);
  std::uint64_t at = first + random.below(space - extent + 1);
  stride1 = static_cast<std::int32_t>(row);
  stride2 = static_cast<std::int32_t>(plane);
  if (random.below(3) == 0) {
    at += std::uint64_t{row} * (t.count1 - 1);
    stride1 = -stride1;
  }
  return at;
}

Transfer random_transfer(Random& random, std::uint64_t slice) {
  Transfer t;
  const std::uint64_t most = random.below(4) == 0 ? 900 : 60;
  t.bytes = static_cast<std::uint32_t>(random.below(most + 1));
  t.count1 = static_cast<std::uint32_t>(random.below(4) == 0 ? 1 : random.below(5));
  if (t.bytes * t.count1 < 900)
    t.count2 = static_cast<std::uint32_t>(random.below(3) == 0 ? random.below(4) : 1);
  if (t.bytes * t.count1 * t.count2 > 3000) t.count1 = t.count2 = 1;
  if (t.bytes == 0 || t.count1 == 0 || t.count2 == 0) return t;
  t.fill = random.below(5) == 0;
  t.pattern = static_cast<std::uint32_t>(random.next());
  t.src = place(random, t, base_of(random), kTcdmBytes / 2, t.src_stride1, t.src_stride2);
  t.dst = place(random, t, base_of(random) + kTcdmBytes / 2 + slice * kSlice, kSlice, t.dst_stride1,
                t.dst_stride2);
  return t;
}

void start(Machine& machine, const Transfer& t) {
  const auto set = [&machine](std::uint32_t offset, std::uint64_t value) {
    machine.write(interfaces::kDmaBase + offset, static_cast<std::uint32_t>(value));
  };
  const auto stride = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  set(dma::kSrcLoOffset, t.src);
  set(dma::kSrcHiOffset, t.src >> 32);
  set(dma::kDstLoOffset, t.dst);
  set(dma::kDstHiOffset, t.dst >> 32);
  set(dma::kBytesOffset, t.bytes);
  set(dma::kSrcStride1Offset, stride(t.src_stride1));
  set(dma::kDstStride1Offset, stride(t.dst_stride1));
  set(dma::kCount1Offset, t.count1);
  set(dma::kSrcStride2Offset, stride(t.src_stride2));
  set(dma::kDstStride2Offset, stride(t.dst_stride2));
  set(dma::kCount2Offset, t.count2);
  set(dma::kFillOffset, t.pattern);
  set(dma::kStartOffset, t.fill ? 1 : 0);
}

void copy(Image& image, const Transfer& t) {
  for (std::uint32_t k = 0; k < t.count2; ++k) {
    for (std::uint32_t j = 0; j < t.count1; ++j) {
      const auto offset = [j, k](std::int64_t stride1, std::int64_t stride2) {
        return static_cast<std::uint64_t>(j * stride1 + k * stride2);
      };
      for (std::uint32_t i = 0; i < t.bytes; ++i) {
        const std::uint64_t to = t.dst + offset(t.dst_stride1, t.dst_stride2) + i;
        image.at(to) = t.fill ? static_cast<std::uint8_t>(t.pattern >> (8 * (to % 4)))
                              : image.at(t.src + offset(t.src_stride1, t.src_stride2) + i);
      }
    }
  }
}

}  // namespace

TEST_CASE("Random transfers arrive, byte for byte, and complete when they say so") {
  const auto count = test::cases(60, 5'000);
  Random random(test::seed(41));
  std::cout << "transfers: seed " << test::seed(41) << ", " << count << " batches" << std::endl;
  for (std::uint64_t batch = 0; batch < count; ++batch) {
    INFO("batch " << batch);
    memory::AxiTiming timing;
    if (batch % 4 != 0) {
      timing.read_latency_core_cycles = 1 + random.below(60);
      timing.write_latency_core_cycles = 1 + random.below(60);
      timing.jitter_core_cycles = random.below(40);
      timing.withhold = static_cast<double>(random.below(80)) / 100;
      timing.seed = random.next();
    }
    Machine machine(timing, 1, {}, true);
    Image expected;
    for (std::uint64_t i = 0; i < kTcdmBytes; i += 4) {
      const auto word = static_cast<std::uint32_t>(random.next());
      machine.memory.write_as<std::uint32_t>(interfaces::kCubeBase + i, word);
      for (unsigned b = 0; b < 4; ++b) expected.cube[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    }
    machine.copy(interfaces::kCubeBase, interfaces::kTcdmBase, kTcdmBytes);
    expected.tcdm = expected.cube;

    const std::uint64_t transfers = 1 + random.below(8);
    for (std::uint64_t n = 0; n < transfers; ++n) {
      const Transfer t = random_transfer(random, n);
      start(machine, t);
      copy(expected, t);
    }
    const auto last = static_cast<std::uint32_t>(transfers + 1);
    CHECK(machine.read(interfaces::kDmaBase + dma::kStartedIdOffset) == last);
    machine.poll(interfaces::kDmaBase + dma::kCompletedIdOffset,
                 [last](std::uint32_t id) { return id == last; });
    CHECK(machine.read(interfaces::kDmaBase + dma::kStatusOffset) == 0);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < kCubeBytes; ++i) {
      wrong += machine.memory.read_as<std::uint8_t>(interfaces::kCubeBase + i) != expected.cube[i];
    }
    for (std::uint64_t i = 0; i < kTcdmBytes; i += 4) {
      const std::uint32_t word = machine.read(interfaces::kTcdmBase + i);
      for (unsigned b = 0; b < 4; ++b)
        wrong += static_cast<std::uint8_t>(word >> (8 * b)) != expected.tcdm[i + b];
    }
    REQUIRE(wrong == 0);
  }
}

}  // namespace nearcube::fast
