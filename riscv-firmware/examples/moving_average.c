// SPDX-License-Identifier: Apache-2.0
// Moving average over a 3x3 window, each result rounded once; the NTX share the rows out.
//   nearcube run --elf build/firmware/moving_average.elf --load image=image.npy --dump
//   average:35x39=average.npy
#include <stdio.h>

#include "hal/dma.h"
#include "hal/ntx.h"

#define ROWS 37u
#define COLS 41u
#define WINDOW 3u
#define OUT_ROWS (ROWS - WINDOW + 1)
#define OUT_COLS (COLS - WINDOW + 1)

NC_CUBE float image[ROWS][COLS] = {{9.0f, 18.0f, 27.0f}};
NC_CUBE float weight = 1.0f / (WINDOW * WINDOW);
NC_CUBE float average[OUT_ROWS][OUT_COLS];

int main(void) {
  const uint32_t tcdm_image = NC_TCDM_BASE, tcdm_average = tcdm_image + sizeof image;
  const uint32_t tcdm_weight = tcdm_average + sizeof average;
  nc_dma_copy_1d(tcdm_image, (uintptr_t)image, sizeof image);
  if (!nc_dma_wait(nc_dma_copy_1d(tcdm_weight, (uintptr_t)&weight, sizeof weight))) return 1;

  // Loops: 0 and 1 the window, 2 the columns of the result, 3 its rows. A is the image, B the weight (stride
  // 0: read once), AGU 2 the result, which stands still within a window.
  const uint64_t start = nc_cycles();
  const uint32_t units = nc_ntx_count();
  const nc_ntx_nest_t nest = {.levels = 4,
                              .trips = {WINDOW, WINDOW, OUT_COLS, OUT_ROWS / units},
                              .stride = {{4, 4 * COLS, 4, 4 * COLS}, {0}, {0, 0, 4, 4 * OUT_COLS}}};
  nc_ntx_write_nest(nc_ntx_all(), &nest);
  uint32_t row = 0;
  for (uint32_t n = 0; n < units; ++n) {
    // What the rows leave over goes to the first NTX. No stride depends on the outermost trip count.
    const uint32_t rows = OUT_ROWS / units + (n < OUT_ROWS % units);
    nc_ntx_write_trips(nc_ntx_unit(n), 3, rows);
    nc_ntx_write_bases(nc_ntx_unit(n), tcdm_image + 4 * COLS * row, tcdm_weight,
                       tcdm_average + 4 * OUT_COLS * row);
    row += rows;
  }
  nc_ntx_commit(nc_ntx_all(),
                NC_NTX_OP(MAC) | NC_NTX_LEVELS(2, 2, 4) | NC_NTX_INIT_ZERO | NC_NTX_IRQ_WHEN_STORED);

  // Sleep until every NTX has raised its line, as it also does for a command in error.
  for (uint32_t left = (1u << units) - 1; left != 0;) {
    const uint32_t events = nc_wait_events(left);
    for (uint32_t n = 0; n < units; ++n)
      if ((events >> n & 1) != 0) nc_ntx_clear_irq(nc_ntx_unit(n));
    left &= ~events;
  }
  if (!nc_ntx_wait_all()) return 2;
  const uint64_t cycles = nc_cycles() - start;

  if (!nc_dma_wait(nc_dma_copy_1d((uintptr_t)average, tcdm_average, sizeof average))) return 1;
  printf("moving average: %u results in %lu cycles\n", OUT_ROWS * OUT_COLS, (unsigned long)cycles);
  return 0;
}
