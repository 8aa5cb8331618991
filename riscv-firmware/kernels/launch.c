// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"

uint32_t nc_command_count;
bool nc_commit_later;

/// What nc_relaunch needs of the latest launch.
NC_UNINITIALIZED static struct {
  uint32_t base[NC_NTX_SIZE / 0x80u][3];
  uint32_t used, commands, command;
  bool all;  // every unit is used
} latest;

/// Iterations that lanes get: all lanes `each`, and the first `rest` of them one more.
typedef struct {
  uint32_t each, rest;
} portions_t;

static portions_t portions_of(const nc_work_t* work, uint32_t share) {
  const uint32_t trips = work->loop[work->share[share].loop].trips, lanes = work->share[share].lanes;
  if (lanes == 1) return (portions_t){trips, 0};
  const uint32_t each = trips / lanes;
  return (portions_t){each, trips - each * lanes};
}

static uint32_t portion(portions_t portions, uint32_t lane) { return portions.each + (lane < portions.rest); }

/// As nc_ntx_write_nest, for a nest whose shared loops have `share` iterations, `lanes` apart.
static void write_nest(uint32_t unit, const nc_work_t* work, uint32_t share0, uint32_t share1) {
  const uint32_t levels = work->loops < NC_NTX_LOOPS ? work->loops : NC_NTX_LOOPS;
  const uint32_t next_agu = NC_NTX_AGU1_BASE_OFFSET - NC_NTX_AGU0_BASE_OFFSET;
  int32_t back0 = 0, back1 = 0, back2 = 0;
  for (uint32_t k = 0; k < levels; ++k) {
    const nc_loop_t* loop = &work->loop[k];
    uint32_t trips = loop->trips;
    int32_t stride0 = loop->stride[0], stride1 = loop->stride[1], stride2 = loop->stride[2], lanes = 1;
    if (k == work->share[0].loop) {
      trips = share0;
      lanes = (int32_t)work->share[0].lanes;
    } else if (k == work->share[1].loop) {
      trips = share1;
      lanes = (int32_t)work->share[1].lanes;
    }
    stride0 *= lanes;
    stride1 *= lanes;
    stride2 *= lanes;
    nc_write(unit + NC_NTX_LOOP_OFFSET(0) + 4 * k, trips - 1);
    const uint32_t strides = unit + NC_NTX_AGU0_STRIDE_OFFSET(0) + 4 * k;
    nc_write(strides, (uint32_t)(stride0 - back0));
    nc_write(strides + next_agu, (uint32_t)(stride1 - back1));
    nc_write(strides + 2 * next_agu, (uint32_t)(stride2 - back2));
    const int32_t restarts = (int32_t)trips - 1;
    back0 += restarts * stride0;
    back1 += restarts * stride1;
    back2 += restarts * stride2;
  }
}

/// Commits the command on some units.
NC_COLD static void commit_each(uint32_t units) {
  uint32_t registers = nc_ntx_unit(0);
  for (; units != 0; units >>= 1) {
    if ((units & 1) != 0) nc_ntx_commit(registers, latest.command);
    registers += nc_ntx_unit(1) - nc_ntx_unit(0);
  }
}

NC_HOT void nc_commit(void) {
  nc_command_count += latest.commands;
  // A common start keeps the units in step, so that reads of the same word are served together.
  if (latest.all)
    nc_ntx_commit(nc_ntx_all(), latest.command);
  else
    commit_each(latest.used);
}

uint32_t nc_launch(const nc_work_t* work) {
  const portions_t a = portions_of(work, 0), b = portions_of(work, 1);

  // Most units get the same nest: they all hear it, and those with a smaller share are told theirs.
  const uint32_t most_a = portion(a, 0), most_b = portion(b, 0);
  write_nest(nc_ntx_all(), work, most_a, most_b);

  // Copies, because the compiler must assume that a register write changes what is in memory.
  const uint32_t lanes_a = work->share[0].lanes, lanes_b = work->share[1].lanes;
  const nc_loop_t step_a = work->loop[work->share[0].loop], step_b = work->loop[work->share[1].loop];
  uint32_t used = 0, commands = 0, bit = 1, registers = nc_ntx_unit(0);
  uint32_t* slot = latest.base[0];
  uint32_t row0 = work->base[0], row1 = work->base[1], row2 = work->base[2];
  for (uint32_t lane_b = 0; lane_b < lanes_b; ++lane_b) {
    const uint32_t share_b = portion(b, lane_b);
    uint32_t base0 = row0, base1 = row1, base2 = row2;
    for (uint32_t lane_a = 0; lane_a < lanes_a; ++lane_a) {
      const uint32_t share_a = portion(a, lane_a);
      if (share_a != 0 && share_b != 0) {
        if (share_a != most_a || share_b != most_b) write_nest(registers, work, share_a, share_b);
        nc_ntx_write_bases(registers, base0, base1, base2);
        slot[0] = base0;
        slot[1] = base1;
        slot[2] = base2;
        used |= bit;
        ++commands;
      }
      base0 += (uint32_t)step_a.stride[0];
      base1 += (uint32_t)step_a.stride[1];
      base2 += (uint32_t)step_a.stride[2];
      registers += nc_ntx_unit(1) - nc_ntx_unit(0);
      bit <<= 1;
      slot += 3;
    }
    row0 += (uint32_t)step_b.stride[0];
    row1 += (uint32_t)step_b.stride[1];
    row2 += (uint32_t)step_b.stride[2];
  }

  latest.used = used;
  latest.all = used == (1u << nc_ntx_count()) - 1;
  latest.commands = commands;
  latest.command = work->command;
  if (!nc_commit_later) nc_commit();
  return used;
}

NC_HOT uint32_t nc_relaunch(uint32_t delta0, uint32_t delta1, uint32_t delta2) {
  uint32_t registers = nc_ntx_unit(0);
  const uint32_t* slot = latest.base[0];
  // Units in between that have no share hear it, too, and are never started.
  for (uint32_t units = latest.used; units != 0; units >>= 1) {
    nc_ntx_write_bases(registers, slot[0] + delta0, slot[1] + delta1, slot[2] + delta2);
    slot += 3;
    registers += nc_ntx_unit(1) - nc_ntx_unit(0);
  }
  return latest.used;
}

nc_place_t nc_output_box(const nc_tile_descriptor_t* tile) {
  return (nc_place_t){.base = NC_TCDM_BASE + tile->output_offset,
                      .plane = (int32_t)(4 * tile->output_tcdm_plane),
                      .row = 4 * tile->output_tcdm_row,
                      .col = 4};
}
