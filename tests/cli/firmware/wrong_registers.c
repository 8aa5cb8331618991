// SPDX-License-Identifier: Apache-2.0
// Every kind of wrong register value, chosen by `scenario`; tests/cli/wrong_registers_test.cpp loads it. The
// program notices each with the HAL's own means and ends with exit code 4.
#include "hal/dma.h"
#include "hal/ntx.h"

NC_CUBE uint32_t scenario = 0;

enum {
  kOpcode,
  kLevels,
  kIrq,
  kAux,
  kWideRelu,
  kReservedBits,
  kMisalignedBase,
  kMisalignedStride,
  kInactive,  // what a command does not use may hold anything: no error
  kBaseBeyond,
  kLeaves,  // in mid-command
  kLeavesBelow,
  kDroppedBehind,
  kAllUnits,
  kIgnored,  // the program does not look, and claims success
  kAsleep,   // the program waits for a result that does not come
  kCleared,  // the program looks, clears, and goes on: no error
  kDmaNowhere,
  kDmaPastTcdm,
  kDmaPastCube,
  kDmaStorePastCube,
  kControlOffset,
  kDmaOffset,
  kCountersOffset,
  kNtxOffset,
  kBroadcastRead,
  kByteAccess,
  kReadOnly,
};

/// What is right with everything: a dot product of 8 on unit n.
static const uint32_t kGood = NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 1, 1) | NC_NTX_INIT_ZERO;

static uint32_t prepare(uint32_t n) {
  const nc_ntx_nest_t nest = {.levels = 1, .trips = {8}, .stride = {{4}, {4}, {0}}};
  nc_ntx_write_nest(nc_ntx_unit(n), &nest);
  nc_ntx_write_bases(nc_ntx_unit(n), NC_TCDM_BASE, NC_TCDM_BASE + 64, NC_TCDM_BASE + 128);
  return nc_ntx_unit(n);
}

static int run(uint32_t n, uint32_t command) {
  nc_ntx_commit(nc_ntx_unit(n), command);
  return nc_ntx_wait(n) ? 0 : 4;
}

static int copy(uint64_t destination, uint64_t source, uint32_t bytes) {
  return nc_dma_wait(nc_dma_copy_1d(destination, source, bytes)) ? 0 : 4;
}

int main(void) {
  const uint32_t unit = prepare(3);
  switch (scenario) {
    case kOpcode:
      return run(3, (kGood & ~NC_NTX_CMD_OPCODE_MASK) | 11);
    case kLevels:
      return run(3, NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 2, 3) | NC_NTX_INIT_ZERO);
    case kIrq:
      return run(3, kGood | 3u << NC_NTX_CMD_IRQ_LSB);
    case kAux:
      return run(3, NC_NTX_OP(VMULT) | NC_NTX_LEVELS(1, 0, 1) | NC_NTX_AUX(2));
    case kWideRelu:
      return run(3, kGood | NC_NTX_AUX_WIDE_STORE | NC_NTX_AUX_RELU);
    case kReservedBits:
      return run(3, kGood | 1u << 27);
    case kMisalignedBase:
      nc_write(unit + NC_NTX_AGU1_BASE_OFFSET, NC_TCDM_BASE + 66);
      return run(3, kGood);
    case kMisalignedStride:
      nc_write(unit + NC_NTX_AGU2_STRIDE_OFFSET(0), (uint32_t)-6);
      return run(3, kGood);
    case kInactive:
      nc_write(unit + NC_NTX_AGU2_STRIDE_OFFSET(4), 3);
      return run(3, kGood);
    case kBaseBeyond:
      nc_write(unit + NC_NTX_AGU2_BASE_OFFSET, NC_TCDM_BASE + nc_tcdm_bytes());
      return run(3, kGood);
    case kLeaves:
      nc_write(unit + NC_NTX_AGU0_BASE_OFFSET, NC_TCDM_BASE + nc_tcdm_bytes() - 16);
      return run(3, kGood);
    case kLeavesBelow:
      nc_write(unit + NC_NTX_AGU1_BASE_OFFSET, NC_TCDM_BASE + 8);
      nc_write(unit + NC_NTX_AGU1_STRIDE_OFFSET(0), (uint32_t)-4);
      return run(3, kGood);
    case kDroppedBehind:
      nc_ntx_commit(unit, kGood | 1u << 31);
      while ((nc_ntx_status(unit) & NC_NTX_STATUS_INVALID_MASK) == 0) {
      }
      nc_ntx_commit(unit, kGood);
      return run(3, kGood);
    case kAllUnits:
      nc_ntx_commit(nc_ntx_all(), 15);
      return nc_ntx_wait_all() ? 0 : 4;
    case kIgnored:
      nc_ntx_commit(unit, 15);
      while ((nc_ntx_status(unit) & NC_NTX_STATUS_INVALID_MASK) == 0) {
      }
      return 0;
    case kAsleep:
      nc_ntx_commit(unit, 15);
      nc_wait_events(1u << 4);
      return 0;
    case kCleared:
      if (run(3, 15) == 0) return 1;
      nc_write(unit + NC_NTX_CTRL_OFFSET, NC_NTX_CTRL_SOFT_CLEAR_MASK);
      if (copy(NC_TCDM_BASE, 0x40000000, 4) == 0) return 1;
      nc_dma_write(NC_DMA_ERROR_CLEAR_OFFSET, 1);
      return run(3, kGood);
    case kDmaNowhere:
      return copy(NC_TCDM_BASE, 0x40000010, 64);
    case kDmaPastTcdm:
      return copy(NC_TCDM_BASE + nc_tcdm_bytes() - 32, NC_CUBE_BASE, 64);
    case kDmaPastCube:
      return copy(NC_TCDM_BASE, NC_CUBE_BASE + (16u << 20) - 32, 64);
    case kDmaStorePastCube:
      return copy(NC_CUBE_BASE + (16u << 20) - 32, NC_TCDM_BASE, 64);
    case kControlOffset:
      return (int)nc_control_read(0x800);
    case kDmaOffset:
      nc_dma_write(0x54, 1);
      return 0;
    case kCountersOffset:
      return (int)nc_read(NC_COUNTERS_BASE + 0x40);
    case kNtxOffset:
      // Every word of a unit is a register; halves of words are not.
      return *(volatile uint16_t*)(nc_ntx_unit(2) + NC_NTX_STATUS_OFFSET);
    case kBroadcastRead:
      return (int)nc_read(nc_ntx_all() + NC_NTX_STATUS_OFFSET);
    case kByteAccess:
      *(volatile uint8_t*)(NC_CONTROL_BASE + NC_CONTROL_PHASE_OFFSET) = 1;
      return 0;
    case kReadOnly:
      nc_control_write(NC_CONTROL_NTX_COUNT_OFFSET, 9);
      return 0;
    default:
      return 1;
  }
}
