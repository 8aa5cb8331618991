// SPDX-License-Identifier: Apache-2.0
// y = a x + y, each element rounded once: copy this to start your own firmware.
//   nearcube run --elf build/firmware/axpy.elf --load a=a.npy --load x=x.npy --load y=y.npy --dump
//   y:2048=result.npy
#include <stdio.h>

#include "hal/dma.h"
#include "hal/ntx.h"

#define N 2048u

NC_CUBE float a = 2.0f;
NC_CUBE float x[N] = {1.0f, 2.0f, 3.0f};
NC_CUBE float y[N] = {0.5f, 0.5f, 0.5f};

int main(void) {
  const uint32_t tcdm_x = NC_TCDM_BASE, tcdm_y = tcdm_x + sizeof x, tcdm_a = tcdm_y + sizeof y;
  nc_dma_copy_1d(tcdm_x, (uintptr_t)x, sizeof x);
  nc_dma_copy_1d(tcdm_y, (uintptr_t)y, sizeof y);
  if (!nc_dma_wait(nc_dma_copy_1d(tcdm_a, (uintptr_t)&a, sizeof a))) return 1;

  // Each NTX streams an equal share: A is x, B is a (stride 0: read once), AGU 2 is y, both the start of the
  // sum and its result.
  const uint32_t units = nc_ntx_count(), share = N / units;
  const nc_ntx_nest_t nest = {.levels = 1, .trips = {share}, .stride = {{4}, {0}, {4}}};
  nc_ntx_write_nest(nc_ntx_all(), &nest);
  for (uint32_t n = 0; n < units; ++n)
    nc_ntx_write_bases(nc_ntx_unit(n), tcdm_x + 4 * n * share, tcdm_a, tcdm_y + 4 * n * share);
  nc_ntx_commit(nc_ntx_all(), NC_NTX_OP(MAC) | NC_NTX_LEVELS(0, 0, 1) | NC_NTX_INIT_AGU(2));
  if (!nc_ntx_wait_all()) return 2;

  if (!nc_dma_wait(nc_dma_copy_1d((uintptr_t)y, tcdm_y, sizeof y))) return 1;
  printf("axpy: %u elements on %lu NTX in %lu cycles\n", N, (unsigned long)units, (unsigned long)nc_cycles());
  return 0;
}
