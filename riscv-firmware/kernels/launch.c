// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"

/// Iterations i, i + lanes, ... below `trips`: how many of them lane i gets.
static uint32_t share_of(uint32_t trips, uint32_t lanes, uint32_t lane) {
  return lane < trips ? (trips - lane + lanes - 1) / lanes : 0;
}

/// The nest of one NTX: the shared loops have `share` iterations, `lanes` apart.
static void nest_of(const nc_work_t* work, const uint32_t share[2], nc_ntx_nest_t* nest) {
  nest->levels = work->loops < NC_NTX_LOOPS ? work->loops : NC_NTX_LOOPS;
  for (uint32_t k = 0; k < nest->levels; ++k) {
    nest->trips[k] = work->trips[k];
    for (uint32_t agu = 0; agu < 3; ++agu) nest->stride[agu][k] = work->stride[agu][k];
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t k = work->shared[i];
    if (k >= nest->levels) continue;
    nest->trips[k] = share[i];
    for (uint32_t agu = 0; agu < 3; ++agu) nest->stride[agu][k] *= (int32_t)work->lanes[i];
  }
}

uint32_t nc_launch(const nc_work_t* work) {
  uint32_t trips[2], most[2];
  int32_t step[2][3];
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t k = work->shared[i];
    trips[i] = k == NC_NO_LOOP ? 1 : work->trips[k];
    most[i] = share_of(trips[i], work->lanes[i], 0);
    for (uint32_t agu = 0; agu < 3; ++agu) step[i][agu] = k == NC_NO_LOOP ? 0 : work->stride[agu][k];
  }

  // Most units get the same nest: they all hear it, and those with a smaller share are told theirs.
  nc_ntx_nest_t nest;
  nest_of(work, most, &nest);
  nc_ntx_write_nest(nc_ntx_all(), &nest);

  uint32_t used = 0, unit = 0;
  for (uint32_t b = 0; b < work->lanes[1]; ++b) {
    for (uint32_t a = 0; a < work->lanes[0]; ++a, ++unit) {
      const uint32_t share[2] = {share_of(trips[0], work->lanes[0], a),
                                 share_of(trips[1], work->lanes[1], b)};
      if (share[0] == 0 || share[1] == 0) continue;
      const uint32_t registers = nc_ntx_unit(unit);
      if (share[0] != most[0] || share[1] != most[1]) {
        nest_of(work, share, &nest);
        nc_ntx_write_nest(registers, &nest);
      }
      uint32_t base[3];
      for (uint32_t agu = 0; agu < 3; ++agu)
        base[agu] = work->base[agu] + a * (uint32_t)step[0][agu] + b * (uint32_t)step[1][agu];
      nc_ntx_write_bases(registers, base[0], base[1], base[2]);
      used |= 1u << unit;
    }
  }

  // A common start keeps the units in step, so that reads of the same word are served together.
  if (used == (1u << nc_ntx_count()) - 1) {
    nc_ntx_commit(nc_ntx_all(), work->command);
  } else {
    for (unit = 0; used >> unit != 0; ++unit)
      if ((used >> unit & 1) != 0) nc_ntx_commit(nc_ntx_unit(unit), work->command);
  }
  return used;
}

nc_place_t nc_output_box(const nc_tile_descriptor_t* tile) {
  return (nc_place_t){.base = NC_TCDM_BASE + tile->output_offset,
                      .plane = (int32_t)(4 * tile->output_tcdm_plane),
                      .row = 4 * tile->output_tcdm_row,
                      .col = 4};
}

void nc_walk(nc_work_t* work, uint32_t agu, nc_place_t place, const uint32_t axes[3]) {
  const int32_t stride[3] = {place.plane, place.row, place.col};
  work->base[agu] = place.base;
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (axes[axis] != NC_NO_LOOP) work->stride[agu][axes[axis]] = stride[axis];
}
