// SPDX-License-Identifier: Apache-2.0
// Cluster control: who am I, what time is it, events, barrier, end.
#ifndef NEARCUBE_HAL_CONTROL_H
#define NEARCUBE_HAL_CONTROL_H

#include "hal/io.h"

static inline uint32_t nc_control_read(uint32_t offset) { return nc_read(NC_CONTROL_BASE + offset); }

static inline void nc_control_write(uint32_t offset, uint32_t value) {
  nc_write(NC_CONTROL_BASE + offset, value);
}

static inline uint32_t nc_cluster_id(void) { return nc_control_read(NC_CONTROL_CLUSTER_ID_OFFSET); }
static inline uint32_t nc_cluster_count(void) { return nc_control_read(NC_CONTROL_CLUSTER_COUNT_OFFSET); }
static inline uint32_t nc_ntx_count(void) { return nc_control_read(NC_CONTROL_NTX_COUNT_OFFSET); }
static inline uint32_t nc_tcdm_bytes(void) { return nc_control_read(NC_CONTROL_TCDM_BYTES_OFFSET); }

/// NTX clock cycles since reset.
static inline uint64_t nc_cycles(void) {
  const uint32_t low = nc_control_read(NC_CONTROL_CYCLE_LO_OFFSET);  // holds the high half for the next read
  return (uint64_t)nc_control_read(NC_CONTROL_CYCLE_HI_OFFSET) << 32 | low;
}

/// What the report attributes the cycles from now on to; 0 to 255.
static inline void nc_phase(uint32_t phase) { nc_control_write(NC_CONTROL_PHASE_OFFSET, phase); }

/// Pending events: NC_CONTROL_EVENT_STATUS_..._MASK.
static inline uint32_t nc_events(void) { return nc_control_read(NC_CONTROL_EVENT_STATUS_OFFSET); }

static inline void nc_clear_events(uint32_t mask) { nc_control_write(NC_CONTROL_EVENT_CLEAR_OFFSET, mask); }

/// Sleeps until one of the events in `mask` is pending, and returns which of them are.
__attribute__((always_inline)) static inline uint32_t nc_wait_events(uint32_t mask) {
  nc_control_write(NC_CONTROL_EVENT_MASK_OFFSET, mask);
  for (;;) {
    const uint32_t events = nc_events() & mask;
    if (events != 0) return events;
    nc_wait_for_interrupt();
  }
}

/// Waits until every cluster of the cube has come here.
static inline void nc_barrier(void) {
  nc_clear_events(NC_CONTROL_EVENT_STATUS_BARRIER_MASK);
  nc_control_write(NC_CONTROL_BARRIER_OFFSET, 1);
  nc_wait_events(NC_CONTROL_EVENT_STATUS_BARRIER_MASK);
}

/// Ends the computation; 0 is success. `return` from main() does the same.
static inline _Noreturn void nc_exit(uint32_t code) {
  nc_control_write(NC_CONTROL_EXIT_OFFSET, code);
  for (;;) nc_wait_for_interrupt();
}

#endif
