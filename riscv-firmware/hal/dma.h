// SPDX-License-Identifier: Apache-2.0
// The DMA engine: strided copies between any two of TCDM and cube memory, and fills.
//
// Every start returns an id; nc_dma_wait(id) waits for that transfer and all earlier ones. Transfers are not
// ordered among themselves: wait before you start one that touches what an earlier one writes. Eight may be
// outstanding; a ninth start stalls.
#ifndef NEARCUBE_HAL_DMA_H
#define NEARCUBE_HAL_DMA_H

#include <stdbool.h>

#include "hal/control.h"

/// Rows of `bytes` contiguous bytes, `rows` of them in a plane, `planes` planes. Addresses and sizes are in
/// bytes, any alignment.
typedef struct {
  uint64_t destination;
  uint64_t source;  // not used by a fill
  uint32_t bytes;
  uint32_t rows;    // 1 for a 1-D transfer
  uint32_t planes;  // 1 for a 1-D or 2-D transfer
  int32_t destination_row;
  int32_t source_row;
  int32_t destination_plane;
  int32_t source_plane;
} nc_dma_transfer_t;

static inline uint32_t nc_dma_read(uint32_t offset) { return nc_read(NC_DMA_BASE + offset); }

static inline void nc_dma_write(uint32_t offset, uint32_t value) { nc_write(NC_DMA_BASE + offset, value); }

static inline uint32_t nc_dma_start(const nc_dma_transfer_t* t, uint32_t start) {
  nc_dma_write(NC_DMA_SRC_LO_OFFSET, (uint32_t)t->source);
  nc_dma_write(NC_DMA_SRC_HI_OFFSET, (uint32_t)(t->source >> 32));
  nc_dma_write(NC_DMA_DST_LO_OFFSET, (uint32_t)t->destination);
  nc_dma_write(NC_DMA_DST_HI_OFFSET, (uint32_t)(t->destination >> 32));
  nc_dma_write(NC_DMA_BYTES_OFFSET, t->bytes);
  nc_dma_write(NC_DMA_SRC_STRIDE1_OFFSET, (uint32_t)t->source_row);
  nc_dma_write(NC_DMA_DST_STRIDE1_OFFSET, (uint32_t)t->destination_row);
  nc_dma_write(NC_DMA_COUNT1_OFFSET, t->rows);
  nc_dma_write(NC_DMA_SRC_STRIDE2_OFFSET, (uint32_t)t->source_plane);
  nc_dma_write(NC_DMA_DST_STRIDE2_OFFSET, (uint32_t)t->destination_plane);
  nc_dma_write(NC_DMA_COUNT2_OFFSET, t->planes);
  nc_dma_write(NC_DMA_START_OFFSET, start);
  return nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
}

/// Starts a copy of up to three dimensions.
static inline uint32_t nc_dma_copy(const nc_dma_transfer_t* transfer) { return nc_dma_start(transfer, 0); }

/// Starts a fill with a 32-bit pattern: the byte at address a gets byte a mod 4 of it.
static inline uint32_t nc_dma_fill(const nc_dma_transfer_t* transfer, uint32_t pattern) {
  nc_dma_write(NC_DMA_FILL_OFFSET, pattern);
  return nc_dma_start(transfer, NC_DMA_START_FILL_MASK);
}

/// Repeats the fill before elsewhere with another pattern; the engine keeps its shape.
static inline uint32_t nc_dma_refill(uint64_t destination, uint32_t pattern) {
  nc_dma_write(NC_DMA_DST_LO_OFFSET, (uint32_t)destination);
  nc_dma_write(NC_DMA_DST_HI_OFFSET, (uint32_t)(destination >> 32));
  nc_dma_write(NC_DMA_FILL_OFFSET, pattern);
  nc_dma_write(NC_DMA_START_OFFSET, NC_DMA_START_FILL_MASK);
  return nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
}

/// Starts a copy of contiguous bytes.
static inline uint32_t nc_dma_copy_1d(uint64_t destination, uint64_t source, uint32_t bytes) {
  const nc_dma_transfer_t transfer = {
      .destination = destination, .source = source, .bytes = bytes, .rows = 1, .planes = 1};
  return nc_dma_copy(&transfer);
}

static inline bool nc_dma_done(uint32_t id) {
  return (int32_t)(nc_dma_read(NC_DMA_COMPLETED_ID_OFFSET) - id) >= 0;  // ids wrap
}

/// An error is recorded: see the registers error_id, error_addr and error_cause.
static inline bool nc_dma_failed(void) {
  return (nc_dma_read(NC_DMA_STATUS_OFFSET) & NC_DMA_STATUS_ERROR_MASK) != 0;
}

/// Sleeps until transfer `id` and all before it are complete. False if one since the last error_clear failed.
static inline bool nc_dma_wait(uint32_t id) {
  const uint32_t events = NC_CONTROL_EVENT_STATUS_DMA_DONE_MASK | NC_CONTROL_EVENT_STATUS_DMA_ERROR_MASK;
  while (!nc_dma_done(id)) {
    nc_clear_events(events);  // before the second look, so that no completion is missed
    if (nc_dma_done(id)) break;
    nc_wait_events(events);
  }
  return !nc_dma_failed();
}

#endif
