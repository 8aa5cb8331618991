// SPDX-License-Identifier: Apache-2.0
// A star of 3, 5 or 7 points. Its taps lie on two or three lines with different strides, which no single loop
// walks, so each dimension is a command of its own that goes on from the rounded result of the one before (as
// the NTX papers decompose it):
//   out = RN(w[0..2] . columns x-1, x, x+1);  out = RN(out + w[3..4] . rows y-1, y+1);  out = RN(out +
//   w[5..6] . planes z-1, z+1)
#include "kernels/kernels.h"

uint32_t nc_kernel_stencil(const nc_tile_descriptor_t* tile) {
  const nc_place_t out = nc_output_box(tile);
  const int32_t row = 4 * tile->input_tcdm_row;
  const int32_t plane = (int32_t)(4 * tile->input_tcdm_plane);
  const bool rows = tile->kernel_rows == 3, planes = tile->kernel_planes == 3;
  const uint32_t centre =
      NC_TCDM_BASE + tile->input_offset + (planes ? (uint32_t)plane : 0) + (rows ? (uint32_t)row : 0) + 4;
  const uint32_t weights = NC_TCDM_BASE + tile->weights_offset;
  const uint32_t command = NC_NTX_OP(MAC) | NC_NTX_LEVELS(1, 1, 4);
  nc_work_t work;
  nc_begin(&work, centre - 4, weights, out.base);
  nc_add_loop(&work, 3, 4, 4, 0);
  nc_add_loop(&work, tile->output_cols, 4, 0, out.col);
  nc_add_loop(&work, tile->output_rows, row, 0, out.row);
  nc_share_out(&work, 1, tile->lanes_b);
  nc_add_loop(&work, tile->output_planes, plane, 0, out.plane);
  nc_share_out(&work, 0, tile->lanes_a);

  work.command = command | NC_NTX_INIT_ZERO | NC_NTX_OVERLAP | (rows || planes ? 0 : NC_NTX_IRQ_WHEN_STORED);
  uint32_t used = nc_launch(&work);

  work.loop[0].trips = 2;
  if (rows) {
    work.loop[0].stride[0] = 2 * row;
    work.base[0] = centre - (uint32_t)row;
    work.base[1] = weights + 4 * 3;
    work.command = command | NC_NTX_INIT_AGU(2) | (planes ? 0 : NC_NTX_IRQ_WHEN_STORED);
    used = nc_launch(&work);
  }
  if (planes) {
    work.loop[0].stride[0] = 2 * plane;
    work.base[0] = centre - (uint32_t)plane;
    work.base[1] = weights + 4 * 5;
    work.command = command | NC_NTX_INIT_AGU(2) | NC_NTX_IRQ_WHEN_STORED;
    used = nc_launch(&work);
  }
  return used;
}
