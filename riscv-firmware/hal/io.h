// SPDX-License-Identifier: Apache-2.0
// Device registers and the core's own. Everything else in the HAL is made of these.
#ifndef NEARCUBE_HAL_IO_H
#define NEARCUBE_HAL_IO_H

#include <stdint.h>

#include "nearcube_interfaces.h"

/// A variable in cube memory (also what `--load` and `--dump` name) instead of in the TCDM's few KiB for
/// firmware.
#define NC_CUBE __attribute__((section(".cube")))

/// A variable that is written before it is read, so that start.S need not clear it.
#define NC_UNINITIALIZED __attribute__((section(".noinit")))

/// A function of an inner loop. All of these lie together, so that they share the instruction cache's 2 KiB
/// as well as they can; what they rarely call is kept out of them.
#define NC_HOT __attribute__((noinline, section(".text.hot")))
#define NC_COLD __attribute__((noinline, cold))

static inline void nc_write(uint32_t address, uint32_t value) { *(volatile uint32_t*)address = value; }

static inline uint32_t nc_read(uint32_t address) { return *(volatile uint32_t*)address; }

/// Core clock cycles, wrapping. One instruction, unlike nc_cycles().
static inline uint32_t nc_core_cycles(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, mcycle" : "=r"(value));
  return value;
}

/// Sleeps until an interrupt is pending; it need not be enabled globally, and no handler runs.
static inline void nc_wait_for_interrupt(void) { __asm__ volatile("wfi" ::: "memory"); }

#endif
