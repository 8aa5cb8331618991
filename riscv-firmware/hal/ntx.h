// SPDX-License-Identifier: Apache-2.0
// The NTX: loop nests with three address generators and a command word.
//
// A unit has a staging copy of its command registers. Write trip counts, strides and bases there, then the
// command word, which commits them; the staging copy keeps its contents, so the next command needs only what
// differs. While a committed command still waits behind a running one, the next write stalls: the core may
// always program one command ahead.
#ifndef NEARCUBE_HAL_NTX_H
#define NEARCUBE_HAL_NTX_H

#include <stdbool.h>

#include "hal/control.h"

#define NC_NTX_LOOPS 5
#define NC_NTX_STATUS_IDLE \
  (NC_NTX_STATUS_FIFO_EMPTY_MASK | NC_NTX_STATUS_DATAPATH_EMPTY_MASK | NC_NTX_STATUS_CONTROLLER_IDLE_MASK)

/// Parts of a command word, joined by |. Example: a dot product that starts from zero and stores after one
/// loop is NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 1, 1) | NC_NTX_INIT_ZERO.
#define NC_NTX_OP(name) (NC_NTX_CMD_OPCODE_IS_##name << NC_NTX_CMD_OPCODE_LSB)
#define NC_NTX_LEVELS(init, store, outer)                                                            \
  ((uint32_t)(init) << NC_NTX_CMD_INIT_LEVEL_LSB | (uint32_t)(store) << NC_NTX_CMD_STORE_LEVEL_LSB | \
   (uint32_t)(outer) << NC_NTX_CMD_OUTER_LEVEL_LSB)
#define NC_NTX_INIT_AGU(n) ((uint32_t)(n) << NC_NTX_CMD_INIT_SOURCE_LSB)
#define NC_NTX_INIT_ZERO (NC_NTX_CMD_INIT_SOURCE_IS_ZERO << NC_NTX_CMD_INIT_SOURCE_LSB)
#define NC_NTX_AUX(bits) ((uint32_t)(bits) << NC_NTX_CMD_AUX_LSB)
#define NC_NTX_AUX_RELU NC_NTX_AUX(1)        // MAC, VADDSUB, VMULT, OUTERP: ReLU at the store
#define NC_NTX_AUX_WIDE_INIT NC_NTX_AUX(2)   // MAC: the init operand is a wide image; VADDSUB: operands are
#define NC_NTX_AUX_WIDE_STORE NC_NTX_AUX(4)  // MAC, VADDSUB: the result is stored as a wide image
#define NC_NTX_AUX_COPY_A NC_NTX_AUX(1)      // COPY: stream A instead of repeating the init value
#define NC_NTX_AUX_INDEX NC_NTX_AUX(1)       // MAXMIN: store the index of the result
#define NC_NTX_AUX_EQ NC_NTX_AUX(0)          // THTST, MASK, MASKMAC: compare "equal"
#define NC_NTX_AUX_LT NC_NTX_AUX(1)          // the same: "less than"
#define NC_NTX_AUX_LE NC_NTX_AUX(2)          // the same: "less than or equal"
#define NC_NTX_AUX_ONE_ZERO NC_NTX_AUX(4)    // THTST: store 1.0 or 0.0
#define NC_NTX_AUX_COUNT NC_NTX_AUX(4)       // MASK, MASKMAC: compare the step count instead of B
#define NC_NTX_POLARITY NC_NTX_CMD_POLARITY_MASK
#define NC_NTX_OVERLAP NC_NTX_CMD_OVERLAP_MASK
#define NC_NTX_IRQ_WHEN_STORED (NC_NTX_CMD_IRQ_IS_WRITEBACK_DONE << NC_NTX_CMD_IRQ_LSB)

/// Registers of unit n, or of all units at once (write-only).
static inline uint32_t nc_ntx_unit(uint32_t n) { return NC_NTX_BASE + 0x80u * n; }

static inline uint32_t nc_ntx_all(void) { return NC_NTX_BROADCAST_BASE; }

/// A loop nest as one would write it: loop 0 is innermost, and stride[k] is what an address advances from one
/// iteration of loop k to the next, in bytes (not the hardware's "outermost loop that advances" form;
/// nc_ntx_write_nest converts).
typedef struct {
  uint32_t levels;               // loops that run, 1 to 5
  uint32_t trips[NC_NTX_LOOPS];  // 1 to 65,536
  int32_t stride[3][NC_NTX_LOOPS];
} nc_ntx_nest_t;

static inline void nc_ntx_write_trips(uint32_t unit, uint32_t loop, uint32_t trips) {
  nc_write(unit + NC_NTX_LOOP_OFFSET(loop), trips - 1);
}

/// The hardware adds one stride a step, that of the outermost loop that advances, while all inner loops
/// restart. So stride k has to take the inner loops back: s'[k] = s[k] - sum over j < k of (trips[j] - 1) *
/// s[j].
static inline void nc_ntx_write_strides(uint32_t unit, uint32_t agu, const nc_ntx_nest_t* nest) {
  const uint32_t first =
      unit + NC_NTX_AGU0_STRIDE_OFFSET(0) + agu * (NC_NTX_AGU1_BASE_OFFSET - NC_NTX_AGU0_BASE_OFFSET);
  int32_t back = 0;
  for (uint32_t k = 0; k < nest->levels; ++k) {
    const int32_t stride = nest->stride[agu][k];
    nc_write(first + 4 * k, (uint32_t)(stride - back));
    back += (int32_t)(nest->trips[k] - 1) * stride;
  }
}

/// Writes trip counts and strides of all three address generators.
static inline void nc_ntx_write_nest(uint32_t unit, const nc_ntx_nest_t* nest) {
  for (uint32_t k = 0; k < nest->levels; ++k) nc_ntx_write_trips(unit, k, nest->trips[k]);
  for (uint32_t agu = 0; agu < 3; ++agu) nc_ntx_write_strides(unit, agu, nest);
}

/// Addresses of the first step: TCDM addresses, word aligned.
static inline void nc_ntx_write_bases(uint32_t unit, uint32_t agu0, uint32_t agu1, uint32_t agu2) {
  nc_write(unit + NC_NTX_AGU0_BASE_OFFSET, agu0);
  nc_write(unit + NC_NTX_AGU1_BASE_OFFSET, agu1);
  nc_write(unit + NC_NTX_AGU2_BASE_OFFSET, agu2);
}

/// Commits the staging copy as one command.
static inline void nc_ntx_commit(uint32_t unit, uint32_t command) {
  nc_write(unit + NC_NTX_CMD_OFFSET, command);
}

static inline uint32_t nc_ntx_status(uint32_t unit) { return nc_read(unit + NC_NTX_STATUS_OFFSET); }

/// Clears the interrupt causes of a unit or of all.
static inline void nc_ntx_clear_irq(uint32_t unit) {
  nc_write(unit + NC_NTX_IRQ_OFFSET, NC_NTX_IRQ_WRITEBACK_DONE_MASK | NC_NTX_IRQ_COMMAND_DONE_MASK);
}

/// Waits, polling, until unit n has stored everything. False if it refused or stopped a command: see
/// error_cause and error_addr.
static inline bool nc_ntx_wait(uint32_t n) {
  for (;;) {
    const uint32_t status = nc_ntx_status(nc_ntx_unit(n));
    if ((status & NC_NTX_STATUS_INVALID_MASK) != 0) return false;
    if (status == NC_NTX_STATUS_IDLE) return true;
  }
}

/// As nc_ntx_wait, for all units.
static inline bool nc_ntx_wait_all(void) {
  const uint32_t count = nc_ntx_count();
  bool good = true;
  for (uint32_t n = 0; n < count; ++n) good = nc_ntx_wait(n) && good;
  return good;
}

#endif
