// SPDX-License-Identifier: Apache-2.0
// Vectors, laid out as rows that lanes a share out.
#include "kernels/kernels.h"

// out = out + w[0][0] * in: a sum of one product that starts at the old value, so it is rounded once.
uint32_t nc_kernel_axpy(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_output_box(tile);
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset, out.base);
  nc_add_loop(&work, tile->output_cols, 4, 0, out.col);
  nc_add_loop(&work, tile->output_rows, 4 * tile->input_tcdm_row, 0, out.row);
  nc_share_out(&work, 0, tile->lanes_a);
  work.command =
      NC_NTX_OP(MAC) | NC_NTX_LEVELS(0, 0, 2) | NC_NTX_INIT_AGU(2) | NC_NTX_OVERLAP | NC_NTX_IRQ_WHEN_STORED;
  return nc_launch(&work);
}

// out = in unless in <= 0: so NaN passes as it is, and -0 becomes +0. The threshold, 0, is set once.
uint32_t nc_kernel_relu(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_output_box(tile);
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE, NC_TCDM_BASE + tile->input_offset, out.base);
  nc_add_loop(&work, tile->output_cols, 0, 4, out.col);
  nc_add_loop(&work, tile->output_rows, 0, 4 * tile->input_tcdm_row, out.row);
  nc_share_out(&work, 0, tile->lanes_a);
  work.command = NC_NTX_OP(THTST) | NC_NTX_LEVELS(2, 0, 2) | NC_NTX_INIT_ZERO | NC_NTX_AUX_LE |
                 NC_NTX_POLARITY | NC_NTX_OVERLAP | NC_NTX_IRQ_WHEN_STORED;
  return nc_launch(&work);
}
