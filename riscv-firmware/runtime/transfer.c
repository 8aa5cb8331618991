// SPDX-License-Identifier: Apache-2.0
#include "hal/dma.h"
#include "runtime/runtime.h"

/// Contiguous rows become one row, and a single row a plane turns planes into rows: fewer, longer bursts.
static void simplify(nc_box_t* box) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (box->rows > 1) {
      if (box->source_row != (int32_t)box->bytes || box->destination_row != (int32_t)box->bytes) return;
      box->bytes *= box->rows;
    }
    box->rows = box->planes;
    box->source_row = box->source_plane;
    box->destination_row = box->destination_plane;
    box->planes = 1;
  }
}

/// A load.
static void make_box(nc_box_t* box, uint32_t planes, uint32_t rows, uint32_t cols, uint32_t tcdm_plane,
                     uint32_t tcdm_row, uint32_t cube_plane, uint32_t cube_row) {
  box->bytes = 4 * cols;
  box->rows = rows;
  box->planes = planes;
  box->source_row = (int32_t)cube_row;
  box->destination_row = (int32_t)(4 * tcdm_row);
  box->source_plane = (int32_t)cube_plane;
  box->destination_plane = (int32_t)(4 * tcdm_plane);
  box->lead = 0;
  simplify(box);
}

/// The store of what would be loaded.
static void turn_round(const nc_box_t* load, nc_box_t* store) {
  store->bytes = load->bytes;
  store->rows = load->rows;
  store->planes = load->planes;
  store->source_row = load->destination_row;
  store->destination_row = load->source_row;
  store->source_plane = load->destination_plane;
  store->destination_plane = load->source_plane;
  store->lead = load->lead;
}

void nc_plan_input(const nc_tile_descriptor_t* t, nc_box_t* input) {
  make_box(input, t->input_planes, t->input_rows, t->input_cols, t->input_tcdm_plane, t->input_tcdm_row,
           t->input_plane_pitch, t->input_row_pitch);
  input->lead =
      4 * (t->pad_front * t->input_tcdm_plane + (uint32_t)t->pad_top * t->input_tcdm_row + t->pad_left);
}

void nc_plan(const nc_tile_descriptor_t* t, nc_plan_t* plan) {
  nc_plan_input(t, &plan->input);
  make_box(&plan->weights, 1, t->weights_rows, t->weights_cols, 0, t->weights_tcdm_row, 0,
           t->weights_row_pitch);
  make_box(&plan->start, t->output_planes, t->output_rows, t->output_cols, t->output_tcdm_plane,
           t->output_tcdm_row, t->output_plane_pitch, t->output_row_pitch);
  turn_round(&plan->start, &plan->output);
  const bool one_dimension = t->kernel_rows == 1 && t->kernel_planes == 1;
  plan->single =
      (t->flags & (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT)) == 0 && (t->kind != NC_KIND_STENCIL || one_dimension);
  plan->compares = t->kind == NC_KIND_MAX_POOL || t->kind == NC_KIND_RELU;
  plan->padded = (t->pad_front | t->pad_back | t->pad_top | t->pad_bottom | t->pad_left | t->pad_right) != 0;
}

NC_HOT uint32_t nc_move(const nc_box_t* box, uint32_t tcdm_offset, uint64_t address, bool store) {
  uint32_t cube = NC_DMA_BASE + NC_DMA_SRC_LO_OFFSET, tcdm = NC_DMA_BASE + NC_DMA_DST_LO_OFFSET;
  if (store) {
    tcdm = cube;
    cube = NC_DMA_BASE + NC_DMA_DST_LO_OFFSET;
  }
  nc_write(cube, (uint32_t)address);
  nc_write(cube + 4, (uint32_t)(address >> 32));
  nc_write(tcdm, NC_TCDM_BASE + tcdm_offset + box->lead);
  nc_write(tcdm + 4, 0);
  nc_dma_write(NC_DMA_BYTES_OFFSET, box->bytes);
  nc_dma_write(NC_DMA_SRC_STRIDE1_OFFSET, (uint32_t)box->source_row);
  nc_dma_write(NC_DMA_DST_STRIDE1_OFFSET, (uint32_t)box->destination_row);
  nc_dma_write(NC_DMA_COUNT1_OFFSET, box->rows);
  nc_dma_write(NC_DMA_SRC_STRIDE2_OFFSET, (uint32_t)box->source_plane);
  nc_dma_write(NC_DMA_DST_STRIDE2_OFFSET, (uint32_t)box->destination_plane);
  nc_dma_write(NC_DMA_COUNT2_OFFSET, box->planes);
  nc_dma_write(NC_DMA_START_OFFSET, 0);
  return nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
}

/// Starts to fill a box (what would be loaded into it).
static void start_fill(const nc_box_t* box, uint32_t address, uint32_t pattern) {
  nc_dma_write(NC_DMA_DST_LO_OFFSET, address);
  nc_dma_write(NC_DMA_DST_HI_OFFSET, 0);
  nc_dma_write(NC_DMA_FILL_OFFSET, pattern);
  nc_dma_write(NC_DMA_BYTES_OFFSET, box->bytes);
  nc_dma_write(NC_DMA_DST_STRIDE1_OFFSET, (uint32_t)box->destination_row);
  nc_dma_write(NC_DMA_COUNT1_OFFSET, box->rows);
  nc_dma_write(NC_DMA_DST_STRIDE2_OFFSET, (uint32_t)box->destination_plane);
  nc_dma_write(NC_DMA_COUNT2_OFFSET, box->planes);
  nc_dma_write(NC_DMA_START_OFFSET, NC_DMA_START_FILL_MASK);
}

/// Fills planes x rows x cols words from byte `offset` of the TCDM on, in a box with the input's pitches.
static uint32_t fill(const nc_tile_descriptor_t* t, uint32_t offset, uint32_t planes, uint32_t rows,
                     uint32_t cols) {
  if (planes == 0 || rows == 0 || cols == 0) return 0;
  const uint32_t row = 4u * t->input_tcdm_row, plane = 4 * t->input_tcdm_plane;
  nc_box_t box;
  make_box(&box, planes, rows, cols, t->input_tcdm_plane, t->input_tcdm_row, plane, row);
  start_fill(&box, NC_TCDM_BASE + offset, t->pad_value);
  return 1;
}

uint32_t nc_pad_input(const nc_tile_descriptor_t* t) {
  const uint32_t row = 4u * t->input_tcdm_row, plane = 4 * t->input_tcdm_plane;
  const uint32_t rows = (uint32_t)t->pad_top + t->input_rows + t->pad_bottom;
  const uint32_t cols = (uint32_t)t->pad_left + t->input_cols + t->pad_right;
  const uint32_t middle = t->input_offset + t->pad_front * plane;  // first plane that has data
  const uint32_t data = middle + t->pad_top * row;
  uint32_t count = fill(t, t->input_offset, t->pad_front, rows, cols);
  count += fill(t, middle + t->input_planes * plane, t->pad_back, rows, cols);
  count += fill(t, middle, t->input_planes, t->pad_top, cols);
  count += fill(t, data + t->input_rows * row, t->input_planes, t->pad_bottom, cols);
  count += fill(t, data, t->input_planes, t->input_rows, t->pad_left);
  count += fill(t, data + 4u * (t->pad_left + t->input_cols), t->input_planes, t->input_rows, t->pad_right);
  return count;
}

uint32_t nc_fill_output(const nc_tile_descriptor_t* t, const uint32_t* bias) {
  const uint32_t row = 4u * t->output_tcdm_row, plane = 4 * t->output_tcdm_plane;
  nc_box_t box;
  make_box(&box, 1, t->output_rows, t->output_cols, 0, t->output_tcdm_row, 0, row);
  const uint32_t first = NC_TCDM_BASE + t->output_offset;
  start_fill(&box, first, bias[0]);
  for (uint32_t i = 1; i < t->output_planes; ++i) nc_dma_refill(first + i * plane, bias[i]);
  return t->output_planes;
}
