// SPDX-License-Identifier: Apache-2.0
#include "hal/dma.h"
#include "runtime/runtime.h"

/// Contiguous rows become one row, and a single row a plane turns planes into rows: fewer, longer bursts.
static void simplify(nc_box_t* box) {
  for (uint32_t i = 0; i < 2; ++i) {
    if (box->rows > 1) {
      if (box->tcdm_row != (int32_t)box->bytes || box->cube_row != (int32_t)box->bytes) return;
      box->bytes *= box->rows;
    }
    box->rows = box->planes;
    box->tcdm_row = box->tcdm_plane;
    box->cube_row = box->cube_plane;
    box->planes = 1;
  }
}

static nc_box_t make_box(uint32_t planes, uint32_t rows, uint32_t cols, uint32_t tcdm_plane,
                         uint32_t tcdm_row, uint32_t cube_plane, uint32_t cube_row) {
  nc_box_t box = {.bytes = 4 * cols,
                  .rows = rows,
                  .planes = planes,
                  .tcdm_row = (int32_t)(4 * tcdm_row),
                  .cube_row = (int32_t)cube_row,
                  .tcdm_plane = (int32_t)(4 * tcdm_plane),
                  .cube_plane = (int32_t)cube_plane};
  simplify(&box);
  return box;
}

void nc_plan(const nc_tile_descriptor_t* t, nc_plan_t* plan) {
  plan->input = make_box(t->input_planes, t->input_rows, t->input_cols, t->input_tcdm_plane,
                         t->input_tcdm_row, t->input_plane_pitch, t->input_row_pitch);
  plan->input.lead =
      4 * (t->pad_front * t->input_tcdm_plane + (uint32_t)t->pad_top * t->input_tcdm_row + t->pad_left);
  plan->weights =
      make_box(1, t->weights_rows, t->weights_cols, 0, t->weights_tcdm_row, 0, t->weights_row_pitch);
  plan->output = make_box(t->output_planes, t->output_rows, t->output_cols, t->output_tcdm_plane,
                          t->output_tcdm_row, t->output_plane_pitch, t->output_row_pitch);
  plan->padded = (t->pad_front | t->pad_back | t->pad_top | t->pad_bottom | t->pad_left | t->pad_right) != 0;
}

NC_HOT void nc_move(const nc_box_t* box, uint32_t tcdm_offset, uint64_t address, bool store) {
  const uint32_t tcdm = NC_TCDM_BASE + tcdm_offset + box->lead;
  const uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);
  const int32_t tcdm_row = box->tcdm_row, cube_row = box->cube_row;
  const int32_t tcdm_plane = box->tcdm_plane, cube_plane = box->cube_plane;
  nc_dma_write(NC_DMA_BYTES_OFFSET, box->bytes);
  nc_dma_write(NC_DMA_COUNT1_OFFSET, box->rows);
  nc_dma_write(NC_DMA_COUNT2_OFFSET, box->planes);
  nc_dma_write(NC_DMA_SRC_LO_OFFSET, store ? tcdm : low);
  nc_dma_write(NC_DMA_SRC_HI_OFFSET, store ? 0 : high);
  nc_dma_write(NC_DMA_SRC_STRIDE1_OFFSET, (uint32_t)(store ? tcdm_row : cube_row));
  nc_dma_write(NC_DMA_SRC_STRIDE2_OFFSET, (uint32_t)(store ? tcdm_plane : cube_plane));
  nc_dma_write(NC_DMA_DST_LO_OFFSET, store ? low : tcdm);
  nc_dma_write(NC_DMA_DST_HI_OFFSET, store ? high : 0);
  nc_dma_write(NC_DMA_DST_STRIDE1_OFFSET, (uint32_t)(store ? cube_row : tcdm_row));
  nc_dma_write(NC_DMA_DST_STRIDE2_OFFSET, (uint32_t)(store ? cube_plane : tcdm_plane));
  nc_dma_write(NC_DMA_START_OFFSET, 0);
}

/// Fills planes x rows x cols words from byte `offset` of the TCDM on, in a box with the input's pitches.
static uint32_t fill(const nc_tile_descriptor_t* t, uint32_t offset, uint32_t planes, uint32_t rows,
                     uint32_t cols) {
  if (planes == 0 || rows == 0 || cols == 0) return 0;
  const uint32_t row = 4u * t->input_tcdm_row, plane = 4 * t->input_tcdm_plane;
  const nc_box_t box = make_box(planes, rows, cols, t->input_tcdm_plane, t->input_tcdm_row, plane, row);
  const nc_dma_transfer_t transfer = {.destination = NC_TCDM_BASE + offset,
                                      .bytes = box.bytes,
                                      .rows = box.rows,
                                      .planes = box.planes,
                                      .destination_row = box.tcdm_row,
                                      .destination_plane = box.tcdm_plane};
  nc_dma_fill(&transfer, t->pad_value);
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
  const nc_box_t box = make_box(1, t->output_rows, t->output_cols, 0, t->output_tcdm_row, 0, row);
  nc_dma_transfer_t transfer = {.destination = NC_TCDM_BASE + t->output_offset,
                                .bytes = box.bytes,
                                .rows = box.rows,
                                .planes = 1,
                                .destination_row = box.tcdm_row};
  nc_dma_fill(&transfer, bias[0]);
  for (uint32_t i = 1; i < t->output_planes; ++i) nc_dma_refill(transfer.destination + i * plane, bias[i]);
  return t->output_planes;
}
