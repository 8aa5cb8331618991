// SPDX-License-Identifier: Apache-2.0
// A barrier of all clusters in cube memory. The control register `barrier` (nc_barrier in hal/control.h) does
// the same and lets the core sleep; this one needs nothing but memory that all can reach.
#ifndef NEARCUBE_HAL_BARRIER_H
#define NEARCUBE_HAL_BARRIER_H

#include "hal/control.h"

/// Most clusters of a cube.
#define NC_BARRIER_CLUSTERS 128u

/// Put one into cube memory, all zero: `NC_CUBE nc_cube_barrier_t barrier;`. Each cluster writes its own
/// words only, for there are no atomic accesses; cluster 0 looks at all of them and tells the others.
typedef struct {
  /// A granule of memory each, so that polls of different clusters go to different vaults.
  struct {
    volatile uint32_t arrived, released;
    uint32_t unused[14];
  } cluster[NC_BARRIER_CLUSTERS];
} nc_cube_barrier_t;

/// Waits until every cluster of the cube has come here for the `round`-th time, counted from 1. What this
/// cluster's core wrote before is in memory; a transfer of its DMA is if it was waited for.
static inline void nc_cube_barrier(nc_cube_barrier_t* barrier, uint32_t round) {
  const uint32_t id = nc_cluster_id(), count = nc_cluster_count();
  barrier->cluster[id].arrived = round;
  if (id == 0) {
    for (uint32_t i = 0; i < count; ++i)
      while (barrier->cluster[i].arrived < round) continue;
    for (uint32_t i = 0; i < count; ++i) barrier->cluster[i].released = round;
  } else {
    while (barrier->cluster[id].released < round) continue;
  }
}

#endif
