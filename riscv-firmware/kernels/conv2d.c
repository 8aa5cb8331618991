// SPDX-License-Identifier: Apache-2.0
// out[o][y][x] = init + sum over c, i, j of in[c][y * stride + i][x * stride + j] * w[o][c][i][j]
// Five loops are one command for a whole output plane; the sixth, over planes, is shared out to the NTX.
#include "kernels/kernels.h"

uint32_t nc_kernel_conv2d(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_sum_place(tile);
  const int32_t row = 4 * tile->input_tcdm_row;
  const int32_t plane = (int32_t)(4 * tile->input_tcdm_plane);
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset, out.base);
  nc_add_loop(&work, tile->kernel_cols, 4, 4, 0);
  nc_add_loop(&work, tile->kernel_rows, row, 4 * tile->kernel_cols, 0);
  nc_add_loop(&work, tile->input_planes, plane, 4 * tile->kernel_rows * tile->kernel_cols, 0);
  nc_add_loop(&work, tile->output_cols, 4 * tile->stride_cols, 0, out.col);
  nc_add_loop(&work, tile->output_rows, row * tile->stride_rows, 0, out.row);
  nc_share_out(&work, 1, tile->lanes_b);
  nc_add_loop(&work, tile->output_planes, 0, 4 * tile->weights_tcdm_row, out.plane);
  nc_share_out(&work, 0, tile->lanes_a);
  return nc_launch_sum(tile, &work, 3);
}
