// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"

// out[m][n] = init + sum over k of in[m][k] * w[k][n], rows shared out by lanes a, columns by lanes b.
uint32_t nc_kernel_gemm(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_sum_place(tile);
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset, out.base);
  nc_add_loop(&work, tile->input_cols, 4, 4 * tile->weights_tcdm_row, 0);
  nc_add_loop(&work, tile->output_cols, 0, 4, out.col);
  nc_share_out(&work, 1, tile->lanes_b);
  nc_add_loop(&work, tile->output_rows, 4 * tile->input_tcdm_row, 0, out.row);
  nc_share_out(&work, 0, tile->lanes_a);
  return nc_launch_sum(tile, &work, 1);
}

// out[0][m] = init + sum over k of in[m][k] * w[0][k]: all NTX read the same vector at the same time.
uint32_t nc_kernel_gemv(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_sum_place(tile);
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset, out.base);
  nc_add_loop(&work, tile->input_cols, 4, 4, 0);
  nc_add_loop(&work, tile->output_cols, 4 * tile->input_tcdm_row, 0, out.col);
  nc_share_out(&work, 0, tile->lanes_a);
  return nc_launch_sum(tile, &work, 1);
}
