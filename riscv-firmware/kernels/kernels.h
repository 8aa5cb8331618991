// SPDX-License-Identifier: Apache-2.0
// What each kind of tile means to the NTX. A kernel describes the loop nest of its whole tile, as if one NTX
// did it all, and nc_launch shares it out. The operands are in the TCDM already, and the descriptor has been
// checked.
#ifndef NEARCUBE_KERNELS_KERNELS_H
#define NEARCUBE_KERNELS_KERNELS_H

#include "hal/ntx.h"

/// One more than the hardware's: one of them may be shared out until each NTX has a single iteration left.
#define NC_WORK_LOOPS (NC_NTX_LOOPS + 1)
#define NC_NO_LOOP NC_WORK_LOOPS

/// One command for every NTX that gets a share of the nest.
typedef struct {
  uint32_t loops;                    // loop 0 is innermost
  uint32_t trips[NC_WORK_LOOPS];     // of the whole tile
  int32_t stride[3][NC_WORK_LOOPS];  // bytes from one iteration to the next, an AGU
  uint32_t base[3];                  // TCDM address of the first step, an AGU
  uint32_t shared[2];                // loops that lanes a and lanes b share out, or NC_NO_LOOP
  uint32_t lanes[2];                 // how many lanes: lane i takes iterations i, i + lanes, ...
  uint32_t command;
} nc_work_t;

/// Programs and starts `work`; returns a bit for each NTX that got a share.
uint32_t nc_launch(const nc_work_t* work);

/// Where a tile's results lie: bytes from plane to plane, row to row, column to column.
typedef struct {
  uint32_t base;
  int32_t plane, row, col;
} nc_place_t;

/// The tile's output box in the TCDM.
nc_place_t nc_output_box(const nc_tile_descriptor_t* tile);

/// Makes AGU `agu` walk over `place`; axes are the loops over planes, rows and columns, or NC_NO_LOOP.
void nc_walk(nc_work_t* work, uint32_t agu, nc_place_t place, const uint32_t axes[3]);

/// A tile's commands: starts them, adds their number to *commands, and returns the NTX at work. The last
/// command on each NTX raises its interrupt when everything is stored.
typedef uint32_t nc_kernel_t(const nc_tile_descriptor_t* tile, uint32_t* commands);

nc_kernel_t nc_kernel_conv2d, nc_kernel_gemm, nc_kernel_gemv, nc_kernel_axpy, nc_kernel_max_pool,
    nc_kernel_relu, nc_kernel_stencil;

/// Sums of products: completes and starts `work`, whose innermost `reduction` loops are summed over, as the
/// tile's flags say: from zero, from the output box or from wide images; with ReLU; to the output box or to
/// wide images. `work` has AGU 0 and 1 set.
uint32_t nc_launch_sum(const nc_tile_descriptor_t* tile, nc_work_t* work, uint32_t reduction,
                       const uint32_t axes[3], uint32_t* commands);

/// Bytes of a wide image; the runtime sets it from the NTX's identity.
extern uint32_t nc_image_bytes;

#endif
