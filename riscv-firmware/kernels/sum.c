// SPDX-License-Identifier: Apache-2.0
// Sums of products, possibly longer than a tile: then the accumulators travel as wide images, and only the
// last tile rounds.
#include "kernels/kernels.h"

uint32_t nc_image_bytes;

/// Copies words between the output box and the first words of the images. `sum` has the loops, from
/// `reduction` on.
static uint32_t launch_copy(const nc_work_t* sum, uint32_t reduction, const uint32_t axes[3], nc_place_t from,
                            nc_place_t to, uint32_t irq) {
  nc_work_t copy = {.loops = sum->loops - reduction};
  for (uint32_t k = 0; k < copy.loops; ++k) copy.trips[k] = sum->trips[reduction + k];
  for (uint32_t i = 0; i < 2; ++i) {
    copy.shared[i] = sum->shared[i] == NC_NO_LOOP ? NC_NO_LOOP : sum->shared[i] - reduction;
    copy.lanes[i] = sum->lanes[i];
  }
  uint32_t outer[3];
  for (uint32_t axis = 0; axis < 3; ++axis)
    outer[axis] = axes[axis] == NC_NO_LOOP ? NC_NO_LOOP : axes[axis] - reduction;
  nc_walk(&copy, 0, from, outer);
  nc_walk(&copy, 2, to, outer);
  copy.command =
      NC_NTX_OP(COPY) | NC_NTX_LEVELS(0, 0, copy.loops) | NC_NTX_INIT_ZERO | NC_NTX_AUX_COPY_A | irq;
  return nc_launch(&copy);
}

uint32_t nc_launch_sum(const nc_tile_descriptor_t* tile, nc_work_t* work, uint32_t reduction,
                       const uint32_t axes[3], uint32_t* commands) {
  const uint32_t flags = tile->flags;
  const bool wide_in = (flags & NC_FLAG_WIDE_IN) != 0;
  const bool wide_out = (flags & NC_FLAG_WIDE_OUT) != 0;
  const bool init = (flags & (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT)) != 0;
  const nc_place_t box = nc_output_box(tile);
  const int32_t image = (int32_t)nc_image_bytes;
  const nc_place_t images = {.base = NC_TCDM_BASE + tile->partial_offset,
                             .plane = image * tile->output_rows * tile->output_cols,
                             .row = image * tile->output_cols,
                             .col = image};
  const uint32_t levels = work->loops < NC_NTX_LOOPS ? work->loops : NC_NTX_LOOPS;
  work->command = NC_NTX_OP(MAC) | NC_NTX_LEVELS(reduction, reduction, levels);

  if (!wide_in && !wide_out) {
    nc_walk(work, 2, box, axes);
    work->command |= (init ? NC_NTX_INIT_AGU(2) : NC_NTX_INIT_ZERO) | NC_NTX_OVERLAP | NC_NTX_IRQ_WHEN_STORED;
    if ((flags & NC_FLAG_RELU) != 0) work->command |= NC_NTX_AUX_RELU;
    *commands += 1;
    return nc_launch(work);
  }

  // Init value and result share AGU 2 and so its stride: a sum starts at its image's first word, where the
  // init value is brought first, and a rounded result is left there and taken to the output box afterwards.
  if (init) {
    launch_copy(work, reduction, axes, box, images, 0);
    *commands += 1;
  }
  nc_walk(work, 2, images, axes);
  if (wide_in)
    work->command |= NC_NTX_INIT_AGU(2) | NC_NTX_AUX_WIDE_INIT;
  else
    work->command |= init ? NC_NTX_INIT_AGU(2) : NC_NTX_INIT_ZERO;
  *commands += 1;
  if (wide_out) {
    work->command |= NC_NTX_AUX_WIDE_STORE | NC_NTX_IRQ_WHEN_STORED;
    return nc_launch(work);
  }
  if ((flags & NC_FLAG_RELU) != 0) work->command |= NC_NTX_AUX_RELU;
  nc_launch(work);
  *commands += 1;
  return launch_copy(work, reduction, axes, images, box, NC_NTX_IRQ_WHEN_STORED);
}
