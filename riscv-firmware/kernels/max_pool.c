// SPDX-License-Identifier: Apache-2.0
// out[c][y][x] = maximum of in[c][y * stride + i][x * stride + j] over the window: IEEE 754-2019 maximum, so
// NaN gives NaN and +0 is above -0. The first element of a window is also where the comparison starts.
#include "kernels/kernels.h"

uint32_t nc_kernel_max_pool(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_output_box(tile);
  const int32_t row = 4 * tile->input_tcdm_row;
  nc_work_t work;
  nc_begin(&work, NC_TCDM_BASE, NC_TCDM_BASE + tile->input_offset, out.base);
  nc_add_loop(&work, tile->kernel_cols, 0, 4, 0);
  nc_add_loop(&work, tile->kernel_rows, 0, row, 0);
  nc_add_loop(&work, tile->output_cols, 0, 4 * tile->stride_cols, out.col);
  nc_add_loop(&work, tile->output_rows, 0, row * tile->stride_rows, out.row);
  nc_share_out(&work, 1, tile->lanes_b);
  nc_add_loop(&work, tile->output_planes, 0, (int32_t)(4 * tile->input_tcdm_plane), out.plane);
  nc_share_out(&work, 0, tile->lanes_a);
  work.command = NC_NTX_OP(MAXMIN) | NC_NTX_LEVELS(2, 2, 5) | NC_NTX_INIT_AGU(1) | NC_NTX_OVERLAP |
                 NC_NTX_IRQ_WHEN_STORED;
  return nc_launch(&work);
}
