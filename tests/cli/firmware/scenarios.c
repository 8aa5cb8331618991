// SPDX-License-Identifier: Apache-2.0
// What a program can do well or badly, chosen by `scenario`; the tests of nearcube run --elf load it.
#include <stdio.h>

#include "hal/dma.h"
#include "hal/ntx.h"

#define N 12u
#define NOWHERE 0x40000000u

NC_CUBE uint32_t scenario = 0;
NC_CUBE uint32_t numbers[N] = {0};

enum {
  kDouble,          // numbers *= 2, then success
  kExitCode,        // exit code 7
  kLoad,            // from nowhere
  kStore,           // to nowhere
  kJump,            // to nowhere
  kIllegal,         // instruction
  kNoHandler,       // a load from nowhere without a trap handler
  kDmaError,        // a transfer from nowhere, seen in the DMA's status
  kInvalidCommand,  // for an NTX, seen in its status
  kSleep,           // with no event that could end it
  kSleepForNtx,     // which has nothing to do
  kLoop,            // for ever
  kBeyondCube,      // a load past the cube's memory
  kBusyCommand,     // an NTX at work for 2^29 cycles, and a sleeping core
  kClearCounters,   // zeroes the performance counters after 25,000 cycles, and ends
};

int main(void) {
  switch (scenario) {
    case kDouble:
      for (uint32_t i = 0; i < N; ++i) numbers[i] *= 2;
      printf("doubled %u numbers\n", N);
      return 0;
    case kExitCode:
      return 7;
    case kLoad:
      return (int)nc_read(NOWHERE);
    case kStore:
      nc_write(NOWHERE + 4, 1);
      return 0;
    case kJump:
      __asm__ volatile("jr %0" ::"r"(NOWHERE + 8));
      return 0;
    case kIllegal:
      __asm__ volatile(".word 0xffffffff");
      return 0;
    case kNoHandler:
      __asm__ volatile("csrw mtvec, zero");
      return (int)nc_read(NOWHERE + 12);
    case kDmaError:
      return nc_dma_wait(nc_dma_copy_1d(NC_TCDM_BASE, NC_CUBE_BASE + (64ull << 30), 64)) ? 0 : 3;
    case kInvalidCommand:
      nc_ntx_commit(nc_ntx_unit(2), 15);
      return nc_ntx_wait(2) ? 0 : 4;
    case kSleep:
      nc_wait_events(0);
      return 0;
    case kSleepForNtx:
      nc_wait_events(1u << 5);
      return 0;
    case kLoop:
      for (;;) __asm__ volatile("");
    case kBeyondCube:
      return (int)nc_read(NC_CUBE_BASE + 0x7FFFFFF0u);
    case kBusyCommand: {
      const nc_ntx_nest_t nest = {.levels = 2, .trips = {65536, 8192}};
      nc_ntx_write_nest(nc_ntx_unit(1), &nest);
      nc_ntx_write_bases(nc_ntx_unit(1), NC_TCDM_BASE, NC_TCDM_BASE + 4, NC_TCDM_BASE + 8);
      nc_ntx_commit(nc_ntx_unit(1),
                    NC_NTX_OP(MAC) | NC_NTX_LEVELS(2, 2, 2) | NC_NTX_INIT_ZERO | NC_NTX_IRQ_WHEN_STORED);
      nc_wait_events(1u << 1);
      return 0;
    }
    case kClearCounters:
      while (nc_cycles() < 25000) {
      }
      nc_control_write(NC_CONTROL_PERF_CONTROL_OFFSET, NC_CONTROL_PERF_CONTROL_CLEAR_MASK);
      return 0;
    default:
      return 1;
  }
}
