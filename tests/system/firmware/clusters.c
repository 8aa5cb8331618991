// SPDX-License-Identifier: Apache-2.0
// Firmware for many clusters: who am I, share out work, meet. `scenario` says what is done; `results` has a
// word of each cluster and round.
#include <stdio.h>

#include "hal/barrier.h"

enum {
  CUBE_BARRIER,     // rounds that each read what all others wrote before a barrier in cube memory
  CONTROL_BARRIER,  // the same with the control's barrier
  ONE_FAILS,        // cluster 2 ends with code 7 while the others wait
  ONE_ENDS,         // cluster 1 ends well and never comes to the barrier
  ONE_SLEEPS,       // cluster 1 sleeps for ever, the others poll memory
  ONE_TRAPS,        // cluster 3 runs into nothing
  PRINTS,           // each prints a line, then they meet
  TIMER,            // all sleep until their timer wakes them, each at another time
  SLEEPS_LONG,      // cluster 0 until its timer says 40 ms, the others at a barrier
  MEETS,            // a barrier, and nothing else
};

#define ROUNDS 4u

NC_CUBE volatile uint32_t scenario = CUBE_BARRIER;
NC_CUBE volatile uint32_t results[ROUNDS * NC_BARRIER_CLUSTERS] = {0};
NC_CUBE volatile uint32_t sums[ROUNDS * NC_BARRIER_CLUSTERS] = {0};
NC_CUBE volatile uint32_t wakes[NC_BARRIER_CLUSTERS] = {0};
NC_CUBE nc_cube_barrier_t barrier = {0};

/// Sleeps until the machine timer, in core clock cycles, has come to `time`.
static void sleep_until(uint32_t time) {
  nc_control_write(NC_CONTROL_MTIMECMP_HI_OFFSET, 0);
  nc_control_write(NC_CONTROL_MTIMECMP_LO_OFFSET, time);
  __asm__ volatile("csrs mie, %0" ::"r"(1u << 7));
  while (nc_control_read(NC_CONTROL_MTIME_LO_OFFSET) < time) nc_wait_for_interrupt();
  __asm__ volatile("csrc mie, %0" ::"r"(1u << 7));
}

static void meet(uint32_t round) {
  if (scenario == CONTROL_BARRIER)
    nc_barrier();
  else
    nc_cube_barrier(&barrier, round);
}

/// Does as many steps as tell the clusters apart.
static void dawdle(uint32_t steps) {
  for (volatile uint32_t i = 0; i < steps; ++i) continue;
}

static int rounds(uint32_t id, uint32_t count) {
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    dawdle(5 * ((id * 7 + round * 3) % 11));
    results[round * NC_BARRIER_CLUSTERS + id] = 1000 * round + id + 1;
    meet(2 * round + 1);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += results[round * NC_BARRIER_CLUSTERS + i];
    sums[round * NC_BARRIER_CLUSTERS + id] = sum;
    if (sum != count * 1000 * round + count * (count + 1) / 2) return 1;
    meet(2 * round + 2);
  }
  return 0;
}

int main(void) {
  const uint32_t id = nc_cluster_id(), count = nc_cluster_count();
  switch (scenario) {
    case CUBE_BARRIER:
    case CONTROL_BARRIER:
      return rounds(id, count);
    case ONE_FAILS:
      if (id == 2) return 7;
      nc_barrier();
      return 0;
    case ONE_ENDS:
      if (id == 1) return 0;
      nc_barrier();
      return 0;
    case ONE_SLEEPS:
      if (id == 1) nc_wait_events(NC_CONTROL_EVENT_STATUS_DMA_DONE_MASK);
      nc_cube_barrier(&barrier, 1);
      return 0;
    case ONE_TRAPS:
      if (id == 3) *(volatile uint32_t*)0x40000000 = 1;
      nc_barrier();
      return 0;
    case PRINTS:
      printf("cluster %lu of %lu\n", (unsigned long)id, (unsigned long)count);
      nc_barrier();
      return 0;
    case TIMER:
      sleep_until(20000 + 1000 * id);
      wakes[id] = nc_control_read(NC_CONTROL_CYCLE_LO_OFFSET);
      nc_barrier();
      return 0;
    case SLEEPS_LONG:
      if (id == 0) sleep_until(25000000);
      nc_barrier();
      return 0;
    case MEETS:
      nc_barrier();
      return 0;
    default:
      return 2;
  }
}
