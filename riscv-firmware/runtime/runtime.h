// SPDX-License-Identifier: Apache-2.0
// The parts of the job runner: checking a job list, moving a tile's boxes, and the order of it all
// (runner.c).
#ifndef NEARCUBE_RUNTIME_RUNTIME_H
#define NEARCUBE_RUNTIME_RUNTIME_H

#include "nearcube_interfaces.h"

/// What a list is checked against.
typedef struct {
  uint32_t ntx_count;
  uint32_t tile_bytes;   // TCDM bytes that tiles may use
  uint32_t image_bytes;  // size of a wide image
} nc_limits_t;

/// NC_JOB_OK or what is wrong with a header, in the given cluster's eyes.
uint32_t nc_check_header(const nc_job_header_t* header, const nc_limits_t* limits, uint32_t cluster);
/// The same for a range of descriptors.
uint32_t nc_check_range(const nc_job_header_t* header, const nc_job_range_t* range);
/// The same for a descriptor. Checks every field, so that the kernels need not.
uint32_t nc_check_tile(const nc_tile_descriptor_t* tile, const nc_limits_t* limits);
/// A sentence for a NC_JOB_... status.
const char* nc_status_text(uint32_t status);

/// DMA transfers of a tile. Each returns the number of transfers that it started; the id of the last one is
/// in the DMA's register started_id.
uint32_t nc_load_input(const nc_tile_descriptor_t* tile);
uint32_t nc_load_weights(const nc_tile_descriptor_t* tile);
/// The output box's start values, from cube memory.
uint32_t nc_load_output(const nc_tile_descriptor_t* tile);
/// The output box's start values: bias[i] everywhere in plane i.
uint32_t nc_fill_output(const nc_tile_descriptor_t* tile, const uint32_t* bias);
uint32_t nc_store_output(const nc_tile_descriptor_t* tile);

#endif
