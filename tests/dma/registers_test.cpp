// SPDX-License-Identifier: Apache-2.0
// The DMA's registers: what software sees.
#include <cstdint>

#include "tests/dma/dma_bench.h"
#include "tests/support/catch.h"

namespace nearcube::test {
namespace {

using namespace interfaces::dma;

BenchOptions slow() {
  BenchOptions options;
  options.axi.read_latency_min = options.axi.read_latency_max = 500;
  options.axi.write_latency_min = options.axi.write_latency_max = 500;
  return options;
}

Transfer load(std::uint32_t bytes, std::uint64_t dst = kTcdmBase) {
  Transfer t;
  t.src = kCubeBase;
  t.dst = dst;
  t.bytes = bytes;
  return t;
}

}  // namespace

TEST_CASE("shape registers have their reset values and keep what is written") {
  DmaBench bench(BenchOptions{});
  for (std::uint32_t offset = kSrcLoOffset; offset <= kFillOffset; offset += 4) {
    CHECK(bench.read(offset) == (offset == kCount1Offset || offset == kCount2Offset ? 1u : 0u));
  }
  for (std::uint32_t offset = kSrcLoOffset; offset <= kFillOffset; offset += 4)
    bench.write(offset, 0xA5C30000 + offset);
  for (std::uint32_t offset = kSrcLoOffset; offset <= kFillOffset; offset += 4) {
    CHECK(bench.read(offset) == 0xA5C30000 + offset);
  }
  CHECK(bench.read(kStartedIdOffset) == 0);
  CHECK(bench.read(kCompletedIdOffset) == 0);
  CHECK(bench.read(kStatusOffset) == 0);
  CHECK_FALSE(bench.last_access_failed());
}

TEST_CASE("an address without a register answers with an error, and a read-only register ignores writes") {
  DmaBench bench(BenchOptions{});
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4) {
    bench.read(offset);
    CHECK(bench.last_access_failed() == (offset > kErrorClearOffset));
    bench.write(offset, offset == kStartOffset ? 1 : 0xFFFF'FFFF);
    CHECK(bench.last_access_failed() == (offset > kErrorClearOffset));
  }
  // The start in between was refused by its addresses; nothing else changed the read-only registers.
  bench.run_until_idle();
  CHECK(bench.read(kStartedIdOffset) == 1);
  CHECK(bench.read(kCompletedIdOffset) == 1);
  CHECK(bench.read(kStartOffset) == 0);
  CHECK(bench.read(kErrorClearOffset) == 0);
}

TEST_CASE("ids count from 1; an empty transfer is complete at once and raises its event") {
  DmaBench bench(slow());
  CHECK(bench.start(load(0)) == 1);
  CHECK(bench.read(kCompletedIdOffset) == 1);
  CHECK(bench.read(kStatusOffset) == 0);
  CHECK(bench.done_pulses() == 1);
  Transfer t = load(8);
  t.count1 = 0;
  CHECK(bench.start(t) == 2);
  t.count1 = 1;
  t.count2 = 0;
  CHECK(bench.start(t) == 3);
  CHECK(bench.read(kCompletedIdOffset) == 3);
  CHECK(bench.done_pulses() == 3);
  // Behind one that is not complete an empty one is complete, but not in order.
  CHECK(bench.start(load(8)) == 4);
  CHECK(bench.start(load(0)) == 5);
  CHECK(bench.read(kCompletedIdOffset) == 3);
  CHECK((bench.read(kStatusOffset) & 15) == 1);
  bench.run_until_idle();
  CHECK(bench.read(kCompletedIdOffset) == 5);
  CHECK(bench.error_pulses() == 0);
}

TEST_CASE("completed_id waits for the oldest, whatever overtakes it") {
  DmaBench bench(slow());
  CHECK(bench.start(load(64)) == 1);
  Transfer fill;
  fill.fill = true;
  fill.dst = kTcdmBase + 1024;
  fill.bytes = 16;
  CHECK(bench.start(fill) == 2);  // to the scratchpad, too: behind the load
  fill.dst = kCubeBase + 0x1000;
  CHECK(bench.start(fill) == 3);  // to memory
  for (int i = 0; i < 1020; ++i) bench.cycle();
  CHECK((bench.read(kStatusOffset) & 15) <= 1);
  const std::uint32_t completed = bench.read(kCompletedIdOffset);
  CHECK((completed == 2 || completed == 3));
  bench.run_until_idle();
  CHECK(bench.read(kCompletedIdOffset) == 3);
}

TEST_CASE("only a start waits, and only while eight transfers are outstanding") {
  DmaBench bench(slow());
  Transfer t = load(32);
  for (unsigned i = 1; i <= 8; ++i) {
    t.dst = kTcdmBase + i * 64;
    bench.describe(t);
    bench.write(kStartOffset, 0);  // patience: ten ticks
  }
  CHECK((bench.read(kStatusOffset) & 15) == 8);
  bench.describe(load(16, kTcdmBase + 4096));  // no other access waits
  CHECK(bench.read(kStartedIdOffset) == 8);
  CHECK_THROWS(bench.write(kStartOffset, 0, 100));
  // The pending start above is granted as soon as a transfer is complete.
  std::uint64_t waited = 0;
  while (!bench.cycle()) REQUIRE(++waited < 2000);
  bench.top().cfg_req_i = 0;
  CHECK(bench.read(kStartedIdOffset) == 9);
  CHECK(bench.read(kCompletedIdOffset) >= 1);
  bench.run_until_idle();
  CHECK(bench.read(kCompletedIdOffset) == 9);
}

TEST_CASE("more than 1 KiB of reads are in flight") {
  DmaBench bench(slow());
  bench.start(load(32768));
  bench.run_until_idle();
  CHECK(bench.axi().most_read_bytes_outstanding() >= 1024);
}

TEST_CASE("the first error is kept until it is cleared, and others finish") {
  DmaBench bench(BenchOptions{});
  bench.axi().add_error_range({kCubeBase + 0x1000, kCubeBase + 0x1008});
  bench.axi().add_error_range({kCubeBase + 0x3008, kCubeBase + 0x3010});
  for (unsigned i = 0; i < 256; ++i) bench.memory().write_as(kCubeBase + i, static_cast<std::uint8_t>(i + 1));

  Transfer bad = load(64);
  bad.src = kCubeBase + 0x0FFD;
  CHECK(bench.start(bad) == 1);
  Transfer good = load(200, kTcdmBase + 0x800);
  CHECK(bench.start(good) == 2);
  bench.run_until_idle();
  CHECK(bench.read(kCompletedIdOffset) == 2);
  CHECK(bench.read(kStatusOffset) == 0x100);
  CHECK(bench.read(kErrorIdOffset) == 1);
  CHECK(bench.read(kErrorAddrLoOffset) == 0x8000'1000);
  CHECK(bench.read(kErrorAddrHiOffset) == 0);
  CHECK(bench.read(kErrorCauseOffset) == kErrorCauseCauseBusRead);
  CHECK(bench.error_pulses() == 1);
  for (unsigned i = 0; i < 200; ++i) CHECK(bench.tcdm()[0x800 + i] == i + 1);

  // A second error does not replace it.
  Transfer store;
  store.src = kTcdmBase + 0x800;
  store.dst = kCubeBase + 0x3003;
  store.bytes = 64;
  CHECK(bench.start(store) == 3);
  bench.run_until_idle();
  CHECK(bench.read(kErrorIdOffset) == 1);
  CHECK(bench.error_pulses() == 2);

  bench.write(kErrorClearOffset, 0);
  CHECK(bench.read(kStatusOffset) == 0);
  CHECK(bench.start(store) == 4);
  bench.run_until_idle();
  CHECK(bench.read(kErrorIdOffset) == 4);
  CHECK(bench.read(kErrorCauseOffset) == kErrorCauseCauseBusWrite);
  CHECK(bench.read(kErrorAddrLoOffset) == 0x8000'3003);  // the burst's first byte

  bench.write(kErrorClearOffset, 0);
  Transfer nowhere = load(64);
  nowhere.src = 0x2000'0004;
  CHECK(bench.start(nowhere) == 5);
  bench.run_until_idle();
  CHECK(bench.read(kErrorCauseOffset) == kErrorCauseCauseNoSuchAddress);
  CHECK(bench.read(kErrorAddrLoOffset) == 0x2000'0004);

  // Past the scratchpad's end: what lies before it is written.
  bench.write(kErrorClearOffset, 0);
  Transfer end = load(64, kTcdmBase + kTcdmBytes - 5);
  CHECK(bench.start(end) == 6);
  bench.run_until_idle();
  CHECK(bench.read(kErrorCauseOffset) == kErrorCauseCauseNoSuchAddress);
  CHECK(bench.read(kErrorAddrLoOffset) == kTcdmBase + kTcdmBytes);
  for (unsigned i = 0; i < 5; ++i) CHECK(bench.tcdm()[kTcdmBytes - 5 + i] == i + 1);
}

TEST_CASE("an error ends a huge transfer at once") {
  DmaBench bench(BenchOptions{});
  Transfer t = load(0xFFFF'FFFF);
  t.count1 = t.count2 = 0xFFFF'FFFF;
  bench.start(t);
  CHECK(bench.run_until_idle(40'000) < 40'000);
  CHECK(bench.read(kErrorAddrLoOffset) == kTcdmBase + kTcdmBytes);
}

}  // namespace nearcube::test
