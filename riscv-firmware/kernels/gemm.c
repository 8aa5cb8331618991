// SPDX-License-Identifier: Apache-2.0
// out[m][n] = init + sum over k of in[m][k] * w[k][n], rows shared out by lanes a, columns by lanes b.
#include "kernels/kernels.h"

uint32_t nc_kernel_gemm(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  nc_work_t work = {
      .loops = 3,
      .trips = {tile->input_cols, tile->output_cols, tile->output_rows},
      .stride = {{4, 0, 4 * tile->input_tcdm_row}, {4 * tile->weights_tcdm_row, 4, 0}},
      .base = {NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset},
      .shared = {2, 1},
      .lanes = {tile->lanes_a, tile->lanes_b},
  };
  const uint32_t axes[3] = {NC_NO_LOOP, 2, 1};
  return nc_launch_sum(tile, &work, 1, axes, commands);
}

// out[0][m] = init + sum over k of in[m][k] * w[0][k]: all NTX read the same vector at the same time.
uint32_t nc_kernel_gemv(const nc_tile_descriptor_t* tile, uint32_t* commands) {
  nc_work_t work = {
      .loops = 2,
      .trips = {tile->input_cols, tile->output_cols},
      .stride = {{4, 4 * tile->input_tcdm_row}, {4, 0}},
      .base = {NC_TCDM_BASE + tile->input_offset, NC_TCDM_BASE + tile->weights_offset},
      .shared = {1, NC_NO_LOOP},
      .lanes = {tile->lanes_a, tile->lanes_b},
  };
  const uint32_t axes[3] = {NC_NO_LOOP, NC_NO_LOOP, 1};
  return nc_launch_sum(tile, &work, 1, axes, commands);
}
