// SPDX-License-Identifier: Apache-2.0
// What the registers of an NTX promise to a driver: staging, stalls, status, errors, interrupts, soft clear.
#include <cstdio>

#include "tests/golden/random_values.h"
#include "tests/ntx/bench.h"
#include "tests/support/catch.h"

namespace nearcube::ntx_test {
namespace {

using golden::Command;
using golden::CommandFields;

/// COPY of `words` words from 0 to 0x8000.
Command copy(std::uint32_t words, std::uint32_t irq = 0, bool overlap = false) {
  CommandFields f;
  f.opcode = golden::kCopy;
  f.outer_level = 1;
  f.aux = 1;
  f.irq = irq;
  f.overlap = overlap;
  Command c;
  c.cmd = golden::encode(f);
  c.loops[0] = words - 1;
  c.base = {0, 0, 0x8000};
  c.stride[0][0] = 4;
  c.stride[2][0] = 4;
  return c;
}

constexpr unsigned kLastStaged = kIdent - 1;
bool is_staged(unsigned reg) { return reg == kCmd || (reg >= kLoop0 && reg <= kLastStaged); }

TEST_CASE("After reset the unit is idle and says who it is") {
  NtxBench bench;
  CHECK(bench.read(kStatus) == kIdle);
  CHECK(bench.read(kCtrl) == 2);
  CHECK(bench.read(kIrq) == 0);
  CHECK(bench.read(kErrorCause) == 0);
  CHECK(bench.read(kDropped) == 0);
  CHECK(bench.read(kIdent) == (1u << 24 | (static_cast<std::uint32_t>(-298) & 0xFFFF) << 8 | 19));
  CHECK_FALSE(bench.irq());
  CHECK_FALSE(bench.active());
}

bool is_stride(unsigned reg) { return reg > kAgu0 && reg <= kLastStaged && (reg - kAgu0) % 6 != 0; }

TEST_CASE(
    "Command registers read back as written, but for the high bits of strides that lead out of the "
    "scratchpad") {
  NtxBench bench;
  const auto words = bench.memory().size();
  // Far strides of both signs, the farthest that are kept, and the nearest that are not.
  for (const std::uint32_t value :
       {0x9ABC'DEF0u, 0x6543'210Fu, 0xFFFF'0000u, 0x0000'FFE0u, 0xFFFE'FFE0u, 0x0001'0000u}) {
    for (unsigned reg = kLoop0; reg <= kLastStaged; ++reg) bench.write(reg, value + reg);
    for (unsigned reg = kLoop0; reg <= kLastStaged; ++reg) {
      INFO(std::hex << value << ", register " << reg);
      const std::uint32_t all = value + reg;
      if (reg < kAgu0) {
        CHECK(bench.read(reg) == (all & 0xFFFF));
      } else if (is_stride(reg) && golden::is_far(static_cast<std::int32_t>(all), words)) {
        const std::uint32_t read = bench.read(reg);
        CHECK(read == golden::kept_stride(static_cast<std::int32_t>(all), words));
        CHECK(golden::is_far(static_cast<std::int32_t>(read), words));
        CHECK((read & 0x1'FFFF) == (all & 0x1'FFFF));
      } else {
        CHECK(bench.read(reg) == all);
      }
    }
  }
  // Read-only registers ignore writes.
  for (unsigned reg : {kStatus, kIdent, kErrorCause, kErrorAddr, kDropped, kDebug}) {
    const auto before = bench.read(reg);
    bench.write(reg, ~before);
    CHECK(bench.read(reg) == before);
  }
}

TEST_CASE("STATUS is busy from the cycle after CMD until the last store, and idle when active_o is low") {
  for (const unsigned ratio : {1u, 2u, 3u}) {
    for (const std::uint32_t words : {1u, 2u, 3u, 20u}) {
      NtxBench bench;
      bench.set_clock_ratio(ratio);
      const Command c = copy(words);
      bench.stage(c);
      bench.clear_counts();
      bench.commit(c.cmd);
      while (true) {
        const bool active = bench.active();
        const auto stores = bench.counts().stores;
        const auto status = bench.read(kStatus);
        if ((status & kIdle) == kIdle) {
          // All stores were done before the read was granted.
          REQUIRE(bench.counts().stores == words);
          REQUIRE(status == kIdle);
          break;
        }
        // With a tick every cycle, the read's cycle is the one in which active_o was looked at.
        if (ratio == 1) {
          REQUIRE(active);
          REQUIRE(stores <= words);
        }
      }
      REQUIRE_FALSE(bench.active());
    }
  }
}

TEST_CASE(
    "Two commands can be committed; then only staged registers stall, until the first has been walked") {
  NtxBench bench;
  test::Random random(test::seed());
  golden::fill_values(random, golden::Values::kOrdinary, bench.memory());
  const Command c = copy(1000);
  bench.stage(c);
  bench.commit(c.cmd);
  // It becomes active at once, so the staging area is free again.
  for (int i = 0; i < 3; ++i) bench.cycle();
  CHECK(bench.write(kAgu0, 0x4000) == 0);
  CHECK(bench.write(kAgu0 + 12, 0x9000) == 0);
  bench.commit(c.cmd);
  CHECK((bench.read(kStatus) & 0x10) != 0);
  for (unsigned reg = 0; reg < 32; ++reg) {
    INFO(reg);
    CHECK(bench.write_grant(reg) == !is_staged(reg));
    CHECK_NOTHROW(bench.read(reg));
  }
  CHECK_FALSE(bench.try_write(kCmd, c.cmd));
  CHECK_FALSE(bench.try_write(kLoop0, 1));
  // These do not: a driver can look and clear interrupts at any time.
  CHECK(bench.try_write(kIrq, 3));
  CHECK(bench.try_write(kCtrl, 2));
  // The write waits for the first command's end, and the second one is not disturbed by it.
  const auto waited = bench.write(kAgu0, 0x7000);
  CHECK(waited > 900);
  bench.wait_idle();
  for (unsigned i = 0; i < 1000; ++i) {
    REQUIRE(bench.memory()[0x2000 + i] == bench.memory()[i]);
    REQUIRE(bench.memory()[0x2400 + i] == bench.memory()[0x1000 + i]);
  }
}

TEST_CASE("A command that does not overlap waits for the stores before it; one that overlaps does not") {
  for (const bool overlap : {false, true}) {
    NtxBench bench;
    bench.set_clock_ratio(1);
    const Command first = copy(64);
    Command second = copy(64, 0, overlap);
    second.base = {0x8000, 0, 0x4000};  // reads what the first stores
    for (unsigned i = 0; i < 64; ++i) bench.memory()[i] = 100 + i;
    bench.stage(first);
    bench.commit(first.cmd);
    bench.stage(second);
    bench.commit(second.cmd);
    bench.wait_idle();
    if (!overlap) {
      for (unsigned i = 0; i < 64; ++i) REQUIRE(bench.memory()[0x1000 + i] == 100 + i);
    }
  }
}

TEST_CASE(
    "Back-to-back dot products of length L with overlap, bases rewritten, take at most L + 1 cycles each") {
  for (const unsigned length : {16u, 17u, 24u, 64u, 200u}) {
    NtxBench bench;
    bench.set_clock_ratio(2);
    CommandFields f;
    f.opcode = golden::kMac;
    f.store_level = f.init_level = f.outer_level = 1;
    f.init_source = golden::kSourceZero;
    f.overlap = true;
    Command c;
    c.cmd = golden::encode(f);
    c.loops[0] = length - 1;
    c.base = {0, 0x4000, 0xC000};
    c.stride[0][0] = c.stride[1][0] = 4;
    bench.stage(c);
    constexpr unsigned kDots = 40;
    std::uint64_t start = 0;
    for (unsigned i = 0; i < kDots; ++i) {
      bench.write(kAgu0, 4 * i);
      bench.write(kAgu0 + 6, 0x4000 + 4 * i);
      bench.write(kAgu0 + 12, 0xC000 + 4 * i);
      bench.commit(c.cmd);
      if (i == 0) start = bench.last_grant();
    }
    const double each = static_cast<double>(bench.wait_idle() - start - 15) / kDots;
    std::printf("back-to-back dot products of %u: %.2f cycles each, limit %u, published %.1f\n", length, each,
                length + 1, length + 4.5);
    CHECK(each <= length + 1);
  }
}

TEST_CASE("Interrupts: command done, write-back done, write 1 to clear") {
  NtxBench bench;
  const Command done = copy(50, 1);
  bench.stage(done);
  bench.commit(done.cmd);
  bench.clear_counts();
  while (!bench.irq()) bench.cycle();
  CHECK(bench.counts().stores < 50);  // issued, not yet stored
  CHECK(bench.read(kIrq) == 2);
  bench.wait_idle();
  bench.write(kIrq, 1);
  CHECK(bench.irq());
  bench.write(kIrq, 2);
  CHECK_FALSE(bench.irq());

  bench.withhold_grants(200, 7);
  const Command stored = copy(50, 2);
  bench.stage(stored);
  bench.clear_counts();
  bench.commit(stored.cmd);
  while (!bench.irq()) bench.cycle();
  CHECK(bench.counts().stores == 50);
  CHECK(bench.read(kIrq) == 1);
  bench.write(kIrq, 3);
  CHECK(bench.read(kIrq) == 0);

  // A soft clear leaves what was raised.
  bench.stage(done);
  bench.commit(done.cmd);
  bench.wait_idle();
  bench.soft_clear();
  CHECK(bench.read(kIrq) == 2);
}

TEST_CASE("Write-back done means the marked command's stores, with an overlapping command behind it") {
  NtxBench bench;
  bench.withhold_grants(150, 3);
  const Command first = copy(40, 2, true);
  bench.stage(first);
  bench.clear_counts();
  bench.commit(first.cmd);
  bench.write(kAgu0 + 12, 0xA000);
  bench.commit(copy(40, 0, true).cmd);
  for (unsigned i = 0; i < 40; ++i) bench.memory()[0x2000 + i] = 0x5555'0000;
  while (!bench.irq()) bench.cycle();
  for (unsigned i = 0; i < 40; ++i) REQUIRE(bench.memory()[0x2000 + i] == bench.memory()[i]);
  bench.wait_idle();
  CHECK(bench.counts().stores == 80);
}

TEST_CASE(
    "A refused command behind a running one: that one completes, the error is kept, later ones are dropped") {
  NtxBench bench;
  const Command good = copy(100);
  bench.stage(good);
  bench.clear_counts();
  bench.commit(good.cmd);
  bench.write(kAgu0, 2);  // misaligned
  bench.commit(good.cmd);
  bench.wait_idle();
  CHECK(bench.counts().stores == 100);
  CHECK(bench.read(kStatus) == (kIdle | kInvalidBit));
  CHECK(bench.read(kErrorCause) == 6);
  CHECK(bench.read(kErrorAddr) == 2);
  CHECK(bench.read(kIrq) == 2);
  CHECK(bench.irq());
  bench.write(kAgu0, 0);
  for (int i = 0; i < 300; ++i) {
    CHECK(bench.write(kCmd, good.cmd) == 0);
  }
  CHECK(bench.read(kDropped) == 255);  // saturates
  CHECK(bench.read(kErrorCause) == 6);
  CHECK(bench.counts().stores == 100);
  bench.soft_clear();
  CHECK(bench.read(kStatus) == kIdle);
  CHECK(bench.read(kErrorCause) == 0);
  CHECK(bench.read(kErrorAddr) == 0);
  CHECK(bench.read(kDropped) == 0);
  bench.commit(good.cmd);
  bench.wait_idle();
  CHECK(bench.counts().stores == 200);
}

TEST_CASE("A command that stops drops the one staged behind it and counts it") {
  NtxBench bench;
  Command stops = copy(100);
  stops.base[2] = 0xFFF0;  // four words fit
  bench.stage(stops);
  bench.clear_counts();
  bench.commit(stops.cmd);
  bench.write(kAgu0 + 12, 0x8000);
  bench.commit(stops.cmd);
  bench.wait_idle();
  CHECK(bench.counts().stores == 4);
  CHECK(bench.read(kErrorCause) == (8 | 2 << 8));
  CHECK(bench.read(kErrorAddr) == 0x1001'0000);
  CHECK(bench.read(kDropped) == 1);
  CHECK((bench.read(kStatus) & 0x10) == 0);
  // The staging area is writable, so that a driver that does not know yet is not stopped.
  CHECK(bench.write(kLoop0, 5) == 0);
}

TEST_CASE("A soft clear keeps the staging area and drops what is staged and active") {
  NtxBench bench;
  bench.withhold_grants(100, 5);
  const Command c = copy(500);
  bench.stage(c);
  bench.clear_counts();
  bench.commit(c.cmd);
  bench.commit(c.cmd);
  for (int i = 0; i < 100; ++i) bench.cycle();
  bench.soft_clear();
  bench.wait_idle(200);
  const auto stores = bench.counts().stores;
  CHECK(stores < 500);
  for (int i = 0; i < 1000; ++i) bench.cycle();
  CHECK(bench.counts().stores == stores);
  CHECK(bench.read(kStatus) == kIdle);
  for (unsigned u = 0; u < 3; ++u) CHECK(bench.read(kAgu0 + 6 * u) == c.base[u]);
  bench.commit(c.cmd);
  bench.wait_idle();
  CHECK(bench.counts().stores == stores + 500);
}

}  // namespace
}  // namespace nearcube::ntx_test
