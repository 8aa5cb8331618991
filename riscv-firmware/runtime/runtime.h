// SPDX-License-Identifier: Apache-2.0
// The parts of the job runner: checking a job list, moving a tile's boxes, and the order of it all
// (runner.c).
#ifndef NEARCUBE_RUNTIME_RUNTIME_H
#define NEARCUBE_RUNTIME_RUNTIME_H

#include <stdbool.h>

#include "hal/io.h"

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
/// Sizes of a tile's boxes in the TCDM, in bytes: input, weights, output, wide images.
typedef struct {
  uint32_t bytes[4];
} nc_boxes_t;

/// The same for a descriptor. Checks every field, so that the kernels need not, and says how large its boxes
/// are.
uint32_t nc_check_tile(const nc_tile_descriptor_t* tile, const nc_limits_t* limits, nc_boxes_t* boxes);
/// The two tiles differ in nothing but addresses, offsets, and what is loaded when.
bool nc_same_shape(const nc_tile_descriptor_t* a, const nc_tile_descriptor_t* b);
/// As nc_check_tile for a tile of the same shape as one that was good and had these boxes.
uint32_t nc_check_moved(const nc_tile_descriptor_t* tile, const nc_limits_t* limits, const nc_boxes_t* boxes);
/// The first tile's input may be loaded while the rest of it is checked: it lies in the tile space, whatever
/// else is wrong, and waits for nobody.
bool nc_input_loads(const nc_tile_descriptor_t* tile, const nc_limits_t* limits);
/// A sentence for a NC_JOB_... status.
const char* nc_status_text(uint32_t status);

/// A box as a DMA transfer, all in bytes.
typedef struct {
  uint32_t bytes;
  int32_t source_row, destination_row;
  uint32_t rows;
  int32_t source_plane, destination_plane;
  uint32_t planes;
  uint32_t lead;  // from the box's offset in the TCDM to its first word: padding
} nc_box_t;

/// What is the same for all tiles of a shape.
typedef struct {
  nc_boxes_t sizes;
  nc_box_t input, weights, start;  // loads; start is the output box, where sums start from what is there
  nc_box_t output;                 // a store
  bool padded;                     // its input box has padding
  bool single;                     // it is computed by one command an NTX
  bool compares;                   // it reads its input through AGU 1, and AGU 0 not at all
} nc_plan_t;

/// Sets the input box.
void nc_plan_input(const nc_tile_descriptor_t* tile, nc_box_t* input);
/// Sets everything but the sizes, which nc_check_tile does.
void nc_plan(const nc_tile_descriptor_t* tile, nc_plan_t* plan);
/// Starts to copy a box from cube memory into the TCDM, or back (`store`). Returns the transfer's id.
uint32_t nc_move(const nc_box_t* box, uint32_t tcdm_offset, uint64_t address, bool store);
/// Starts to fill the input box's padding; the NTX's address generators know no borders. The pieces do not
/// overlap and need no order. Returns the number of transfers.
uint32_t nc_pad_input(const nc_tile_descriptor_t* tile);
/// Starts to fill plane i of the output box with bias[i]. Returns the number of transfers.
uint32_t nc_fill_output(const nc_tile_descriptor_t* tile, const uint32_t* bias);

#endif
