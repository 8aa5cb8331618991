// SPDX-License-Identifier: Apache-2.0
// What each kind of tile means to the NTX. A kernel describes the loop nest of its whole tile, as if one NTX
// did it all, and nc_launch shares it out. The operands are in the TCDM already, and the descriptor has been
// checked.
#ifndef NEARCUBE_KERNELS_KERNELS_H
#define NEARCUBE_KERNELS_KERNELS_H

#include "hal/ntx.h"

/// One more than the hardware's: one of them may be shared out until each NTX has a single iteration left.
#define NC_WORK_LOOPS (NC_NTX_LOOPS + 1)

/// A loop of a nest: how often, and what the three AGUs advance by from one iteration to the next, in bytes.
typedef struct {
  uint32_t trips;
  int32_t stride[3];
} nc_loop_t;

/// A loop that NTX share out: lane i takes iterations i, i + lanes, ...
typedef struct {
  uint32_t loop;
  uint32_t lanes;
} nc_share_t;

/// One command for every NTX that gets a share of the nest. Loop 0 is innermost; NTX n is lane n mod lanes of
/// share 0 and lane n / lanes of share 1.
typedef struct {
  uint32_t base[3];  // TCDM address of the first step, an AGU
  uint32_t command;
  uint32_t loops;
  nc_loop_t loop[NC_WORK_LOOPS + 1];  // the last one, of a single iteration, is what nobody shares
  nc_share_t share[2];
} nc_work_t;

/// Starts a description: bases, no loops, nothing shared.
static inline void nc_begin(nc_work_t* work, uint32_t base0, uint32_t base1, uint32_t base2) {
  work->base[0] = base0;
  work->base[1] = base1;
  work->base[2] = base2;
  work->loops = 0;
  work->loop[NC_WORK_LOOPS] = (nc_loop_t){1, {0, 0, 0}};
  work->share[0] = work->share[1] = (nc_share_t){NC_WORK_LOOPS, 1};
}

/// Adds a loop around those that are there.
static inline void nc_add_loop(nc_work_t* work, uint32_t trips, int32_t stride0, int32_t stride1,
                               int32_t stride2) {
  work->loop[work->loops++] = (nc_loop_t){trips, {stride0, stride1, stride2}};
}

/// Shares out the loop added last, as share 0 (lanes a) or 1 (lanes b).
static inline void nc_share_out(nc_work_t* work, uint32_t share, uint32_t lanes) {
  work->share[share] = (nc_share_t){work->loops - 1, lanes};
}

/// Programs `work`, and starts it unless nc_commit_later; returns a bit for each NTX that got a share.
uint32_t nc_launch(const nc_work_t* work);
extern bool nc_commit_later;

/// Programs the latest nc_launch once more with its bases so many bytes from where they were in it, by AGU.
/// The NTX still have its nest in their staging registers, so this costs a third of a launch.
uint32_t nc_relaunch(uint32_t delta0, uint32_t delta1, uint32_t delta2);

/// Starts what nc_launch or nc_relaunch programmed.
void nc_commit(void);

/// Commands started, one an NTX.
extern uint32_t nc_command_count;

/// Where results lie: bytes from plane to plane, row to row, column to column.
typedef struct {
  uint32_t base;
  int32_t plane, row, col;
} nc_place_t;

/// The tile's output box in the TCDM.
nc_place_t nc_output_box(const nc_tile_descriptor_t* tile);

/// Where a tile's sums go: its output box, or its wide images.
nc_place_t nc_sum_place(const nc_tile_descriptor_t* tile);

/// Sums of products: completes and starts `work`, whose innermost `reduction` loops are summed over and whose
/// AGU 2 walks over nc_sum_place, as the tile's flags say: from zero, from the output box or from wide
/// images; with ReLU; rounded or wide. The loops around the reduction are over columns, rows and planes, in
/// this order, or over the first ones of these.
uint32_t nc_launch_sum(const nc_tile_descriptor_t* tile, nc_work_t* work, uint32_t reduction);

/// Starts a tile's commands and returns the NTX at work. The last command on each NTX raises its interrupt
/// when everything is stored.
typedef uint32_t nc_kernel_t(const nc_tile_descriptor_t* tile);

nc_kernel_t nc_kernel_conv2d, nc_kernel_gemm, nc_kernel_gemv, nc_kernel_axpy, nc_kernel_max_pool,
    nc_kernel_relu, nc_kernel_stencil;

/// Bytes of a wide image; the runtime sets it from the NTX's identity.
extern uint32_t nc_image_bytes;

#endif
