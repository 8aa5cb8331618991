// SPDX-License-Identifier: Apache-2.0
// Two bugs that firmware authors make, chosen by `scenario`: the report of one run must lead to their lines.
#include "hal/dma.h"
#include "hal/ntx.h"

#define N 64u

NC_CUBE uint32_t scenario = 0;

enum { kStoreAstray, kOperandAstray, kTimer, kNinthTransfer, kCommands };

// A table whose length was forgotten to be checked: the entries lead out of the memory.
static uint32_t* entry(uint32_t index) {
  return (uint32_t*)(uintptr_t)(NC_CUBE_BASE + 0x00200000u + index * 0x01000000u);
}

static __attribute__((noinline, noclone)) void fill_table(uint32_t entries) {
  for (uint32_t i = 0; i < entries; ++i) *(volatile uint32_t*)entry(i) = i;  // BUG: store astray
}

// N sums of a column each: the columns are 2 KiB apart, and there is no room for N.
static __attribute__((noinline, noclone)) void start_sums(unsigned unit) {
  const nc_ntx_nest_t nest = {
      .levels = 2,
      .trips = {N, N},
      .stride = {{4, 2048}, {4, 0}, {0, 4}},
  };
  nc_ntx_write_nest(nc_ntx_unit(unit), &nest);
  nc_ntx_write_bases(nc_ntx_unit(unit), NC_TCDM_BASE + 0x1000, NC_TCDM_BASE, NC_TCDM_BASE + 0x800);
  nc_ntx_commit(nc_ntx_unit(unit),  // BUG
                NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 1, 2) | NC_NTX_INIT_ZERO | NC_NTX_IRQ_WHEN_STORED);
}

static int sleep_until_timer(void) {
  nc_control_write(NC_CONTROL_EVENT_MASK_OFFSET, 0);
  nc_control_write(NC_CONTROL_MTIMECMP_HI_OFFSET, 0);
  nc_control_write(NC_CONTROL_MTIMECMP_LO_OFFSET, 60000);
  __asm__ volatile("csrc mstatus, %0\n csrs mie, %1\n wfi" ::"r"(8), "r"(1 << 7));
  return 0;
}

static int start_nine_transfers(void) {
  for (unsigned i = 0; i < 9; ++i)
    nc_dma_copy_1d(NC_CUBE_BASE + 0x00400000u, NC_CUBE_BASE + 0x00800000u, 1 << 22);
  return 0;
}

// Commands of several units, one behind the other, beside transfers.
static int run_commands(void) {
  const nc_ntx_nest_t nest = {.levels = 2, .trips = {16, 8}, .stride = {{4, 64}, {4, 0}, {0, 4}}};
  uint32_t last = 0;
  for (unsigned round = 0; round < 5; ++round) {
    last = nc_dma_copy_1d(NC_TCDM_BASE + 0x8000, NC_CUBE_BASE + 0x00200000u, 700 + 100 * round);
    for (unsigned unit = 0; unit < 3; ++unit) {
      nc_ntx_write_nest(nc_ntx_unit(unit), &nest);
      nc_ntx_write_bases(nc_ntx_unit(unit), NC_TCDM_BASE + 0x1000 * unit, NC_TCDM_BASE + 0x800,
                         NC_TCDM_BASE + 0x4000 + 0x100 * unit);
      nc_ntx_commit(nc_ntx_unit(unit), NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 1, 2) | NC_NTX_INIT_ZERO);
    }
    nc_dma_copy_1d(NC_CUBE_BASE + 0x00300000u, NC_TCDM_BASE + 0x8000, 300);
  }
  for (unsigned unit = 0; unit < 3; ++unit) {
    if (!nc_ntx_wait(unit)) return 2;
  }
  return nc_dma_wait(last + 1) ? 0 : 3;
}

int main(void) {
  switch (scenario) {
    case kStoreAstray:
      fill_table(4);
      return 0;
    case kOperandAstray:
      start_sums(3);
      // Waits for the last result, whatever else the interrupt line has to say.
      do {
        nc_wait_events(1u << 3);
        nc_write(NC_NTX_BASE + 3 * 0x80 + NC_NTX_IRQ_OFFSET, NC_NTX_IRQ_COMMAND_DONE_MASK);
      } while ((nc_read(NC_NTX_BASE + 3 * 0x80 + NC_NTX_IRQ_OFFSET) & NC_NTX_IRQ_WRITEBACK_DONE_MASK) == 0);
      return 0;
    case kTimer:
      return sleep_until_timer();
    case kNinthTransfer:
      return start_nine_transfers();
    case kCommands:
      return run_commands();
    default:
      return 1;
  }
}
