// SPDX-License-Identifier: Apache-2.0
// Vectors, laid out as rows that lanes a share out.
#include "kernels/kernels.h"

static const uint32_t kAxes[3] = {NC_NO_LOOP, 1, 0};

// out = out + w[0][0] * in: a sum of one product that starts at the old value, so it is rounded once.
uint32_t nc_kernel_axpy(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  nc_work_t work = {
      .loops = 2,
      .trips = {tile->output_cols, tile->output_rows},
      .stride = {{4, 4 * tile->input_tcdm_row}},
      .base = {NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset},
      .shared = {1, NC_NO_LOOP},
      .lanes = {tile->lanes_a, tile->lanes_b},
      .command = NC_NTX_OP(MAC) | NC_NTX_LEVELS(0, 0, 2) | NC_NTX_INIT_AGU(2) | NC_NTX_OVERLAP |
                 NC_NTX_IRQ_WHEN_STORED,
  };
  nc_walk(&work, 2, nc_output_box(tile), kAxes);
  *commands += 1;
  return nc_launch(&work);
}

// out = in unless in <= 0: so NaN passes as it is, and -0 becomes +0. The threshold, 0, is set once.
uint32_t nc_kernel_relu(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  nc_work_t work = {
      .loops = 2,
      .trips = {tile->output_cols, tile->output_rows},
      .stride = {{0}, {4, 4 * tile->input_tcdm_row}},
      .base = {NC_TCDM_BASE, NC_TCDM_BASE + tile->input_offset},
      .shared = {1, NC_NO_LOOP},
      .lanes = {tile->lanes_a, tile->lanes_b},
      .command = NC_NTX_OP(THTST) | NC_NTX_LEVELS(2, 0, 2) | NC_NTX_INIT_ZERO | NC_NTX_AUX_LE |
                 NC_NTX_POLARITY | NC_NTX_OVERLAP | NC_NTX_IRQ_WHEN_STORED,
  };
  nc_walk(&work, 2, nc_output_box(tile), kAxes);
  *commands += 1;
  return nc_launch(&work);
}
