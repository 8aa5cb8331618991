// SPDX-License-Identifier: Apache-2.0
// Sums of products, possibly longer than a tile: then the accumulators travel as wide images, and only the
// last tile rounds.
#include "kernels/kernels.h"

uint32_t nc_image_bytes;

static bool is_wide(const nc_tile_descriptor_t* tile) {
  return (tile->flags & (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT)) != 0;
}

static nc_place_t images_of(const nc_tile_descriptor_t* tile) {
  const int32_t image = (int32_t)nc_image_bytes;
  const int32_t row = image * tile->output_cols;
  return (nc_place_t){.base = NC_TCDM_BASE + tile->partial_offset,
                      .plane = row * tile->output_rows,
                      .row = row,
                      .col = image};
}

nc_place_t nc_sum_place(const nc_tile_descriptor_t* tile) {
  return is_wide(tile) ? images_of(tile) : nc_output_box(tile);
}

/// Copies words between the output box and the first words of the images, with the lanes of `sum`.
static uint32_t launch_copy(const nc_work_t* sum, uint32_t reduction, nc_place_t from, nc_place_t to,
                            uint32_t irq) {
  const int32_t from_stride[3] = {from.col, from.row, from.plane}, to_stride[3] = {to.col, to.row, to.plane};
  nc_work_t copy;
  nc_begin(&copy, from.base, NC_TCDM_BASE, to.base);
  for (uint32_t k = reduction; k < sum->loops; ++k)
    nc_add_loop(&copy, sum->loop[k].trips, from_stride[k - reduction], 0, to_stride[k - reduction]);
  for (uint32_t i = 0; i < 2; ++i) {
    copy.share[i] = sum->share[i];
    if (copy.share[i].loop != NC_WORK_LOOPS) copy.share[i].loop -= reduction;
  }
  copy.command =
      NC_NTX_OP(COPY) | NC_NTX_LEVELS(0, 0, copy.loops) | NC_NTX_INIT_ZERO | NC_NTX_AUX_COPY_A | irq;
  return nc_launch(&copy);
}

uint32_t nc_launch_sum(const nc_tile_descriptor_t* tile, nc_work_t* work, uint32_t reduction) {
  const uint32_t flags = tile->flags;
  const bool init = (flags & (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT)) != 0;
  const uint32_t levels = work->loops < NC_NTX_LOOPS ? work->loops : NC_NTX_LOOPS;
  work->command = NC_NTX_OP(MAC) | NC_NTX_LEVELS(reduction, reduction, levels);
  if ((flags & NC_FLAG_RELU) != 0) work->command |= NC_NTX_AUX_RELU;
  if (!is_wide(tile)) {
    work->command |= (init ? NC_NTX_INIT_AGU(2) : NC_NTX_INIT_ZERO) | NC_NTX_OVERLAP | NC_NTX_IRQ_WHEN_STORED;
    return nc_launch(work);
  }

  // Init value and result share AGU 2 and so its stride: a sum starts at its image's first word, where the
  // init value is brought first, and a rounded result is left there and taken to the output box afterwards.
  const nc_place_t box = nc_output_box(tile), images = images_of(tile);
  if (init) {
    launch_copy(work, reduction, box, images, 0);
  }
  if ((flags & NC_FLAG_WIDE_IN) != 0)
    work->command |= NC_NTX_INIT_AGU(2) | NC_NTX_AUX_WIDE_INIT;
  else
    work->command |= init ? NC_NTX_INIT_AGU(2) : NC_NTX_INIT_ZERO;
  if ((flags & NC_FLAG_WIDE_OUT) != 0) {
    work->command |= NC_NTX_AUX_WIDE_STORE | NC_NTX_IRQ_WHEN_STORED;
    return nc_launch(work);
  }
  nc_launch(work);
  return launch_copy(work, reduction, images, box, NC_NTX_IRQ_WHEN_STORED);
}
