// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/stuck.h"

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "tests/support/catch.h"

using namespace nearcube;
using test::contains;

namespace {

debug::ClusterView view() {
  debug::ClusterView view;
  view.ntx.resize(8);
  view.core_place = "0x80000120 (wait+0x8)";
  view.core_wait = "an interrupt (asleep)";
  view.core_asleep = true;
  return view;
}

std::string text(const debug::ClusterView& of) { return debug::format_units(debug::describe_units(of)); }

}  // namespace

TEST_CASE("a sleeping core names its events and whom it waits for", "[debug]") {
  auto v = view();
  v.event_mask = 1u << 3 | 1u << interfaces::control::kEventMaskDmaDoneLsb;
  v.event_status = 0;
  CHECK_THAT(text(v), contains("core    asleep at 0x80000120 (wait+0x8)"));
  CHECK_THAT(text(v), contains("enabled events: NTX 3, DMA done; pending: none"));
  CHECK_THAT(text(v), contains("core waits for NTX 3, core waits for DMA"));
  v.event_mask = 0;
  CHECK_THAT(text(v), contains("nothing can wake it"));
}

TEST_CASE("a waiting DMA names its handshakes and the memory's state follows", "[debug]") {
  auto v = view();
  v.dma = 2 | 1u << 9 | 1u << 12;
  v.memory = {"read of id 1 at 0x80000000: 4 beats to come, ready to answer"};
  CHECK_THAT(text(v),
             contains("DMA     2 transfers outstanding; waits for read data (axi_r_valid); write response"));
  CHECK_THAT(text(v), contains("DMA waits for memory"));
  CHECK_THAT(text(v), contains("memory  1 transfers under way; waits for read of id 1"));
}

TEST_CASE("a waiting NTX names its operation, operand and port", "[debug]") {
  auto v = view();
  v.ntx[5] = 1u << interfaces::ntx::kDebugActiveLsb | 1u << interfaces::ntx::kDebugWaitBLsb |
             1u << interfaces::ntx::kDebugPort1RequestLsb | 1u << interfaces::ntx::kDebugStagedLsb |
             interfaces::ntx::kCmdOpcodeMaskmac << interfaces::ntx::kDebugOpcodeLsb;
  CHECK_THAT(
      text(v),
      contains("NTX 5   MASKMAC active, another command staged; waits for operand B, TCDM port 1 requests"));
  CHECK_THAT(text(v), contains("NTX 5 waits for TCDM"));
  v.ntx[5] = 1u << interfaces::ntx::kDebugInvalidLsb;
  CHECK_THAT(text(v), contains("NTX 5   stopped by an invalid command"));
  CHECK_THAT(text(v), !contains("NTX 4"));
}

TEST_CASE("a core that is not granted waits for the unit at the address", "[debug]") {
  auto v = view();
  v.core_asleep = false;
  v.core_wait = "the grant of its data request";
  v.core = 1;
  v.core_address = interfaces::kNtxBase + 2 * 0x80 + 8;
  CHECK_THAT(text(v), contains("core waits for NTX 2"));
  v.core_address = interfaces::kDmaBase + interfaces::dma::kStartOffset;
  CHECK_THAT(text(v), contains("core waits for DMA"));
  v.core = 1u << 1 | 2u << 2;
  CHECK_THAT(text(v), contains("data_rvalid from memory"));
  CHECK_THAT(text(v), contains("core waits for memory"));
  v.core = 1u << 4;
  CHECK_THAT(text(v), contains("instruction refill outstanding"));
}

TEST_CASE("stepping NTX and a DMA that waits for nothing count as progress", "[debug]") {
  std::uint32_t ntx[8] = {};
  CHECK_FALSE(debug::units_move(0, ntx, 8));
  CHECK(debug::units_move(1, ntx, 8));
  CHECK_FALSE(debug::units_move(1 | 1u << 9, ntx, 8));
  ntx[7] = 1u << interfaces::ntx::kDebugActiveLsb;
  CHECK(debug::units_move(0, ntx, 8));
  ntx[7] |= 1u << interfaces::ntx::kDebugWaitHazardLsb;
  CHECK_FALSE(debug::units_move(0, ntx, 8));
}
