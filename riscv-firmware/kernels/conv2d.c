// SPDX-License-Identifier: Apache-2.0
// out[o][y][x] = init + sum over c, i, j of in[c][y * stride + i][x * stride + j] * w[o][c][i][j]
// Five loops are one command for a whole output plane; the sixth, over planes, is shared out to the NTX.
#include "kernels/kernels.h"

uint32_t nc_kernel_conv2d(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  const int32_t row = 4 * tile->input_tcdm_row;
  const int32_t plane = (int32_t)(4 * tile->input_tcdm_plane);
  const int32_t window = 4 * tile->kernel_rows * tile->kernel_cols;
  nc_work_t work = {
      .loops = 6,
      .trips = {tile->kernel_cols, tile->kernel_rows, tile->input_planes, tile->output_cols,
                tile->output_rows, tile->output_planes},
      .stride = {{4, row, plane, 4 * tile->stride_cols, row * tile->stride_rows, 0},
                 {4, 4 * tile->kernel_cols, window, 0, 0, 4 * tile->weights_tcdm_row}},
      .base = {NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset},
      .shared = {5, 4},
      .lanes = {tile->lanes_a, tile->lanes_b},
  };
  const uint32_t axes[3] = {5, 4, 3};
  return nc_launch_sum(tile, &work, 3, axes, commands);
}
