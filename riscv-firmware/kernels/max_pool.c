// SPDX-License-Identifier: Apache-2.0
// out[c][y][x] = maximum of in[c][y * stride + i][x * stride + j] over the window: IEEE 754-2019 maximum, so
// NaN gives NaN and +0 is above -0. The first element of a window is also where the comparison starts.
#include "kernels/kernels.h"

uint32_t nc_kernel_max_pool(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  const int32_t row = 4 * tile->input_tcdm_row;
  const int32_t plane = (int32_t)(4 * tile->input_tcdm_plane);
  nc_work_t work = {
      .loops = 5,
      .trips = {tile->kernel_cols, tile->kernel_rows, tile->output_cols, tile->output_rows,
                tile->output_planes},
      .stride = {{0}, {4, row, 4 * tile->stride_cols, row * tile->stride_rows, plane}},
      .base = {NC_TCDM_BASE, NC_TCDM_BASE + tile->input_offset},
      .shared = {4, 3},
      .lanes = {tile->lanes_a, tile->lanes_b},
      .command = NC_NTX_OP(MAXMIN) | NC_NTX_LEVELS(2, 2, 5) | NC_NTX_INIT_AGU(1) | NC_NTX_OVERLAP |
                 NC_NTX_IRQ_WHEN_STORED,
  };
  const uint32_t axes[3] = {4, 3, 2};
  nc_walk(&work, 2, nc_output_box(tile), axes);
  *commands += 1;
  return nc_launch(&work);
}
