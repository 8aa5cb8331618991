// SPDX-License-Identifier: Apache-2.0
#include "hal/dma.h"
#include "runtime/runtime.h"

/// Contiguous rows become one row, and a single row per plane turns planes into rows: fewer, longer bursts.
static void simplify(nc_dma_transfer_t* t) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (t->rows > 1) {
      const bool contiguous = t->destination_row == (int32_t)t->bytes && t->source_row == (int32_t)t->bytes;
      if (!contiguous) return;
      t->bytes *= t->rows;
    }
    t->rows = t->planes;
    t->destination_row = t->destination_plane;
    t->source_row = t->source_plane;
    t->planes = 1;
  }
}

static void copy(nc_dma_transfer_t* t) {
  simplify(t);
  nc_dma_copy(t);
}

/// Fills planes x rows x cols words from byte `offset` of the TCDM on, in a box with the input's pitches.
static uint32_t fill(const nc_tile_descriptor_t* tile, uint32_t offset, uint32_t planes, uint32_t rows,
                     uint32_t cols, uint32_t value) {
  if (planes == 0 || rows == 0 || cols == 0) return 0;
  const int32_t row = 4 * tile->input_tcdm_row, plane = (int32_t)(4 * tile->input_tcdm_plane);
  nc_dma_transfer_t t = {.destination = NC_TCDM_BASE + offset,
                         .bytes = 4 * cols,
                         .rows = rows,
                         .planes = planes,
                         .destination_row = row,
                         .source_row = row,
                         .destination_plane = plane,
                         .source_plane = plane};
  simplify(&t);
  nc_dma_fill(&t, value);
  return 1;
}

uint32_t nc_load_input(const nc_tile_descriptor_t* t) {
  const uint32_t row = 4u * t->input_tcdm_row, plane = 4 * t->input_tcdm_plane;
  const uint32_t rows = (uint32_t)t->pad_top + t->input_rows + t->pad_bottom;
  const uint32_t cols = (uint32_t)t->pad_left + t->input_cols + t->pad_right;
  const uint32_t middle = t->input_offset + t->pad_front * plane;  // first plane that has data
  const uint32_t data = middle + t->pad_top * row;

  nc_dma_transfer_t box = {.destination = NC_TCDM_BASE + data + 4u * t->pad_left,
                           .source = t->input_address,
                           .bytes = 4u * t->input_cols,
                           .rows = t->input_rows,
                           .planes = t->input_planes,
                           .destination_row = (int32_t)row,
                           .source_row = (int32_t)t->input_row_pitch,
                           .destination_plane = (int32_t)plane,
                           .source_plane = (int32_t)t->input_plane_pitch};
  copy(&box);

  // The NTX's address generators know no borders, so padding is made here. The pieces do not overlap and need
  // no order.
  uint32_t count = 1;
  count += fill(t, t->input_offset, t->pad_front, rows, cols, t->pad_value);
  count += fill(t, middle + t->input_planes * plane, t->pad_back, rows, cols, t->pad_value);
  count += fill(t, middle, t->input_planes, t->pad_top, cols, t->pad_value);
  count += fill(t, data + t->input_rows * row, t->input_planes, t->pad_bottom, cols, t->pad_value);
  count += fill(t, data, t->input_planes, t->input_rows, t->pad_left, t->pad_value);
  count += fill(t, data + 4u * (t->pad_left + t->input_cols), t->input_planes, t->input_rows, t->pad_right,
                t->pad_value);
  return count;
}

uint32_t nc_load_weights(const nc_tile_descriptor_t* t) {
  nc_dma_transfer_t block = {.destination = NC_TCDM_BASE + t->weights_offset,
                             .source = t->weights_address,
                             .bytes = 4u * t->weights_cols,
                             .rows = t->weights_rows,
                             .planes = 1,
                             .destination_row = 4 * t->weights_tcdm_row,
                             .source_row = (int32_t)t->weights_row_pitch};
  copy(&block);
  return 1;
}

/// The output box in the TCDM (destination) and in cube memory (source).
static nc_dma_transfer_t output_box(const nc_tile_descriptor_t* t) {
  return (nc_dma_transfer_t){.destination = NC_TCDM_BASE + t->output_offset,
                             .source = t->output_address,
                             .bytes = 4u * t->output_cols,
                             .rows = t->output_rows,
                             .planes = t->output_planes,
                             .destination_row = 4 * t->output_tcdm_row,
                             .source_row = (int32_t)t->output_row_pitch,
                             .destination_plane = (int32_t)(4 * t->output_tcdm_plane),
                             .source_plane = (int32_t)t->output_plane_pitch};
}

uint32_t nc_load_output(const nc_tile_descriptor_t* t) {
  nc_dma_transfer_t box = output_box(t);
  copy(&box);
  return 1;
}

uint32_t nc_fill_output(const nc_tile_descriptor_t* t, const uint32_t* bias) {
  const nc_dma_transfer_t box = output_box(t);
  for (uint32_t plane = 0; plane < t->output_planes; ++plane) {
    nc_dma_transfer_t one = box;
    one.planes = 1;
    one.source_row = one.destination_row;
    one.destination += plane * (uint32_t)box.destination_plane;
    simplify(&one);
    nc_dma_fill(&one, bias[plane]);
  }
  return t->output_planes;
}

uint32_t nc_store_output(const nc_tile_descriptor_t* t) {
  const nc_dma_transfer_t box = output_box(t);
  nc_dma_transfer_t back = {.destination = box.source,
                            .source = box.destination,
                            .bytes = box.bytes,
                            .rows = box.rows,
                            .planes = box.planes,
                            .destination_row = box.source_row,
                            .source_row = box.destination_row,
                            .destination_plane = box.source_plane,
                            .source_plane = box.destination_plane};
  copy(&back);
  return 1;
}
