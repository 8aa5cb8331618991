// SPDX-License-Identifier: Apache-2.0
// The job runner: main() of build/firmware/job_runner.elf.
//
// Tiles flow through three stages: load, compute, store. While the NTX compute tile k, the commands of tile k
// + 1 wait in their staging registers, so they never pause between tiles; as soon as tile k is computed, its
// result is stored and tile k + 2 loaded in its place.
#include <stdio.h>

#include "hal/dma.h"
#include "kernels/kernels.h"
#include "runtime/runtime.h"

/// Where the job list is. A loader may patch it.
extern volatile uint64_t nc_job_list_pointer;
NC_CUBE volatile uint64_t nc_job_list_pointer = NC_JOB_LIST_ADDRESS;

// A tile's descriptor is needed until the tile is stored, and fetched while the one before is loaded: four
// are in use at a time.
#define SLOTS 4u

#define MOST_NTX (NC_NTX_SIZE / 0x80u)

/// One tile on its way.
typedef struct {
  nc_tile_descriptor_t descriptor;
  uint32_t bias[MOST_NTX];
  const nc_plan_t* shape;  // its transfers
  uint32_t pending;        // NTX that have not yet stored their share, a bit each
  bool same_shape;         // as the tile before
} slot_t;

static struct {
  nc_limits_t limits;
  uint32_t first, count;  // this cluster's descriptors
  uint64_t descriptors;   // where they are
  uint64_t records;       // where the completion records are, or 0
  slot_t slot[SLOTS];     // tile k is in slot k mod SLOTS
  nc_plan_t plan[3];      // of the latest shapes: three tiles are on their way at a time
  uint32_t latest_plan;
  bool relaunch;           // the tile before took a single launch, which may be repeated
  uint32_t descriptor_id;  // transfer that brings the next descriptor
  uint32_t load_id,
      store_id;  // last transfers of the latest load (or of what came before it) and of the latest store
  uint32_t phase, phase_start;
  nc_job_record_t record;
} run;

static inline slot_t* slot_of(uint32_t tile) { return &run.slot[tile % SLOTS]; }

static void enter_phase(uint32_t phase) {
  const uint32_t now = nc_control_read(NC_CONTROL_CYCLE_LO_OFFSET);
  run.record.phase_cycles[run.phase] += now - run.phase_start;
  run.phase = phase;
  run.phase_start = now;
  nc_phase(phase);
}

/// Writes the completion record and ends the run.
NC_COLD static _Noreturn void finish(uint32_t status, uint32_t descriptor) {
  enter_phase(NC_PHASE_DONE);
  run.record.magic = NC_RECORD_MAGIC;
  run.record.status = status;
  run.record.descriptor = descriptor;
  run.record.end_cycle = nc_cycles();
  run.record.commands = nc_command_count;
  run.record.transfers = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);  // ids count from 1
  run.record.core_cycles = nc_core_cycles() - run.record.core_cycles;
  if (run.records != 0)  // else there is no array to trust
    nc_dma_wait(nc_dma_copy_1d(run.records + run.record.cluster * sizeof run.record, (uintptr_t)&run.record,
                               sizeof run.record));
  if (status != NC_JOB_OK) {
    if (status >= NC_JOB_BAD_KIND)
      printf("job list: descriptor %lu: ", (unsigned long)descriptor);
    else
      printf("job list: ");
    printf("%s (status %lu)\n", nc_status_text(status), (unsigned long)status);
  }
  nc_exit(status);
}

NC_COLD static _Noreturn void dma_failed(uint32_t tile) {
  printf("DMA: transfer %lu: cause %lu at 0x%08lx%08lx\n", (unsigned long)nc_dma_read(NC_DMA_ERROR_ID_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_CAUSE_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_HI_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_LO_OFFSET));
  finish(NC_JOB_DMA_ERROR, run.first + tile);
}

NC_HOT static void wait_dma(uint32_t id, uint32_t tile) {
  const uint32_t start = nc_core_cycles();
  if (!nc_dma_wait(id)) dma_failed(tile);
  run.record.wait_dma_core_cycles += nc_core_cycles() - start;
}

/// Starts to bring tile `tile`'s descriptor into its slot.
NC_HOT static void fetch(uint32_t tile) {
  static nc_box_t one = {.bytes = sizeof(nc_tile_descriptor_t), .rows = 1, .planes = 1};
  nc_move(&one, (uintptr_t)&slot_of(tile)->descriptor - NC_TCDM_BASE,
          run.descriptors + (uint64_t)tile * sizeof(nc_tile_descriptor_t), false);
  run.descriptor_id = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
}

NC_COLD static _Noreturn void ntx_failed(uint32_t unit, uint32_t tile) {
  const uint32_t registers = nc_ntx_unit(unit);
  printf("NTX %lu: cause 0x%03lx, 0x%08lx\n", (unsigned long)unit,
         (unsigned long)nc_read(registers + NC_NTX_ERROR_CAUSE_OFFSET),
         (unsigned long)nc_read(registers + NC_NTX_ERROR_ADDR_OFFSET));
  finish(NC_JOB_NTX_ERROR, run.first + tile);
}

/// Waits until tile `tile` is computed; the one behind it may have been started.
///
/// An interrupt line that is up stands for one tile at least. If a unit finishes two before its line is
/// cleared, that of the second is lost with the first; then the unit is idle when the second is waited for,
/// unless it is at a third, whose interrupt will do.
NC_HOT static void wait_computed(uint32_t tile) {
  const uint32_t start = nc_core_cycles();
  uint32_t pending = slot_of(tile)->pending;
  bool lost = true;  // whether to look for lost interrupts: once is enough
  while (pending != 0) {
    const uint32_t events = lost ? nc_events() : nc_wait_events(pending);
    uint32_t registers = nc_ntx_unit(0);
    for (uint32_t bit = 1; bit <= pending; bit <<= 1) {
      if ((pending & bit) != 0) {
        if ((events & bit) != 0) nc_ntx_clear_irq(registers);
        const uint32_t status = nc_ntx_status(registers);
        if ((status & NC_NTX_STATUS_INVALID_MASK) != 0)
          ntx_failed((registers - nc_ntx_unit(0)) / 0x80u, tile);
        if ((events & bit) != 0 || status == NC_NTX_STATUS_IDLE) pending &= ~bit;
        // It may have finished since the look at its line, which must not stand for a tile to come.
        if (status == NC_NTX_STATUS_IDLE) nc_ntx_clear_irq(registers);
      }
      registers += nc_ntx_unit(1) - nc_ntx_unit(0);
    }
    lost = false;
  }
  slot_of(tile)->pending = 0;
  run.record.wait_ntx_core_cycles += nc_core_cycles() - start;
}

/// Starts to store the result of tile `tile`, which is computed.
NC_HOT static void store(uint32_t tile) {
  const slot_t* slot = slot_of(tile);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  run.record.tiles += 1;
  if ((t->flags & NC_FLAG_STORE_OUTPUT) == 0) return;
  nc_move(&slot->shape->output, t->output_offset, t->output_address, true);
  run.store_id = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
}

/// The transfers of a load that not every tile has: padding, and what sums start from.
NC_COLD static void load_more(uint32_t tile) {
  slot_t* slot = slot_of(tile);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  const uint32_t flags = t->flags;
  if ((flags & NC_FLAG_LOAD_INPUT) != 0 && slot->shape->padded) nc_pad_input(t);
  if ((flags & NC_FLAG_INIT_BIAS) != 0) {  // at most one plane a lane, so there is room
    const uint32_t id = nc_dma_copy_1d((uintptr_t)slot->bias, t->bias_address, 4u * t->output_planes);
    wait_dma(id, tile);  // and the stores before: the output box may be the one that is being stored
    nc_fill_output(t, slot->bias);
  }
  if ((flags & NC_FLAG_INIT_OUTPUT) != 0) {
    wait_dma(run.store_id, tile);
    nc_move(&slot->shape->output, t->output_offset, t->output_address, false);
  }
}

/// Checks tile `tile`, the first of its shape, and plans its transfers.
NC_COLD static uint32_t accept(uint32_t tile) {
  slot_t* slot = slot_of(tile);
  run.latest_plan = run.latest_plan == 2 ? 0 : run.latest_plan + 1;
  nc_plan_t* plan = &run.plan[run.latest_plan];
  slot->same_shape = false;
  slot->shape = plan;
  const uint32_t status = nc_check_tile(&slot->descriptor, &run.limits, &plan->sizes);
  if (status == NC_JOB_OK) nc_plan(&slot->descriptor, plan);
  return status;
}

/// Checks tile `tile` and makes all ready for its load, while others are computed.
NC_HOT static void prepare(uint32_t tile) {
  slot_t* slot = slot_of(tile);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  wait_dma(run.descriptor_id, tile);
  uint32_t status;
  if (tile > 0 && nc_same_shape(t, &slot_of(tile - 1)->descriptor)) {
    slot->same_shape = true;
    slot->shape = slot_of(tile - 1)->shape;
    status = nc_check_moved(t, &run.limits, &slot->shape->sizes);
  } else {
    status = accept(tile);
  }
  if (status != NC_JOB_OK) finish(status, run.first + tile);
}

/// Starts the transfers of tile `tile` into the TCDM, in place of tile `tile` - 2.
NC_HOT static void load(uint32_t tile) {
  const slot_t* slot = slot_of(tile);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  if ((t->flags & NC_FLAG_LOAD_INPUT) != 0)
    nc_move(&slot->shape->input, t->input_offset, t->input_address, false);
  if ((t->flags & NC_FLAG_LOAD_WEIGHTS) != 0)
    nc_move(&slot->shape->weights, t->weights_offset, t->weights_address, false);
}

/// The rest of a load: what writes the output box waits for the stores, and the next descriptor is brought.
NC_HOT static void finish_load(uint32_t tile) {
  const slot_t* slot = slot_of(tile);
  const uint32_t flags = slot->descriptor.flags;
  if (slot->shape->padded || (flags & (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT)) != 0) load_more(tile);
  run.load_id = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
  if (tile + 1 < run.count) fetch(tile + 1);
}

/// Starts tile `tile` as its kind asks for.
NC_COLD static void start_kernel(uint32_t tile) {
  static nc_kernel_t* const kernels[] = {
      [NC_KIND_CONV2D] = nc_kernel_conv2d,     [NC_KIND_GEMM] = nc_kernel_gemm,
      [NC_KIND_GEMV] = nc_kernel_gemv,         [NC_KIND_AXPY] = nc_kernel_axpy,
      [NC_KIND_MAX_POOL] = nc_kernel_max_pool, [NC_KIND_RELU] = nc_kernel_relu,
      [NC_KIND_STENCIL] = nc_kernel_stencil,
  };
  slot_t* slot = slot_of(tile);
  // A chain of wide images may reuse the space of the last one, where another NTX may still be at work.
  const uint32_t wide = slot->descriptor.flags & (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT);
  if (wide == NC_FLAG_WIDE_OUT && tile > 0) wait_computed(tile - 1);
  const uint32_t launches = nc_launch_count;
  slot->pending = kernels[slot->descriptor.kind](&slot->descriptor);
  run.relaunch = wide == 0 && nc_launch_count - launches == 1;
}

/// Starts tile `tile`, which has been loaded, behind the one before it.
NC_HOT static void compute(uint32_t tile) {
  slot_t* slot = slot_of(tile);
  // Its transfers, and the stores before them: its output box may be that of an earlier tile.
  wait_dma(run.load_id, tile);
  const uint32_t start = nc_core_cycles();
  if (slot->same_shape && run.relaunch) {
    const nc_tile_descriptor_t *now = &slot->descriptor, *before = &slot_of(tile - 1)->descriptor;
    const uint32_t input = now->input_offset - before->input_offset;
    // Comparing kinds read their input through AGU 1, and AGU 0 not at all.
    const bool compares = now->kind == NC_KIND_MAX_POOL || now->kind == NC_KIND_RELU;
    const uint32_t delta[3] = {compares ? 0 : input,
                               compares ? input : now->weights_offset - before->weights_offset,
                               now->output_offset - before->output_offset};
    slot->pending = nc_relaunch(delta);
  } else {
    start_kernel(tile);
  }
  run.record.setup_core_cycles += nc_core_cycles() - start;
}

static void start_run(void) {
  run.phase = NC_PHASE_BOOT;
  run.record.start_cycle = nc_cycles();
  run.record.core_cycles = nc_core_cycles();
  run.record.cluster = nc_cluster_id();
  enter_phase(NC_PHASE_CHECK);
  run.record.phase_cycles[NC_PHASE_BOOT] = (uint32_t)run.record.start_cycle;

  const uint32_t ident = nc_read(nc_ntx_unit(0) + NC_NTX_IDENT_OFFSET);
  run.limits.ntx_count = nc_ntx_count();
  run.limits.image_bytes = 4 * ((ident & NC_NTX_IDENT_ACC_SEGMENTS_MASK) + 1);
  const uint32_t tcdm_bytes = nc_tcdm_bytes();
  run.limits.tile_bytes = tcdm_bytes < NC_TILE_SPACE_BYTES ? tcdm_bytes : NC_TILE_SPACE_BYTES;
  nc_image_bytes = run.limits.image_bytes;

  const uint64_t pointer = nc_job_list_pointer;
  if (pointer % 8 != 0 || pointer < NC_CUBE_BASE || pointer > (1ull << 32) - sizeof(nc_job_header_t))
    finish(NC_JOB_BAD_POINTER, 0);
  // The core's own loads from cube memory would take as long each as one transfer.
  nc_job_header_t header;
  wait_dma(nc_dma_copy_1d((uintptr_t)&header, pointer, sizeof header), 0);
  uint32_t status = nc_check_header(&header, &run.limits, run.record.cluster);
  if (status != NC_JOB_OK) finish(status, 0);
  nc_job_range_t range;
  wait_dma(nc_dma_copy_1d((uintptr_t)&range, header.ranges_address + run.record.cluster * sizeof range,
                          sizeof range),
           0);
  status = nc_check_range(&header, &range);
  if (status != NC_JOB_OK) finish(status, 0);
  run.limits.tile_bytes = header.tile_bytes;
  run.first = range.first;
  run.count = range.count;
  run.descriptors = header.descriptors_address + (uint64_t)range.first * sizeof(nc_tile_descriptor_t);
  run.records = header.records_address;
}

/// Lets tile `tile` be computed and stored before anything else happens.
NC_COLD static void drain(uint32_t tile) {
  wait_computed(tile);
  if (tile + 1 == run.count) enter_phase(NC_PHASE_DRAIN);
  store(tile);
  wait_dma(run.store_id, tile);
}

/// Brings in the first tile.
NC_COLD static void fill_pipeline(void) {
  fetch(0);
  prepare(0);
  load(0);
  finish_load(0);
  wait_dma(run.load_id, 0);
}

/// Takes all tiles through the stages.
NC_HOT static void run_tiles(void) {
  uint32_t stored = 0;  // tiles whose store has been started
  for (uint32_t tile = 0; tile < run.count; ++tile) {
    compute(tile);
    const uint32_t next = tile + 1;
    const bool more = next < run.count;
    if (more) prepare(next);
    const bool sync = more && (slot_of(next)->descriptor.flags & NC_FLAG_SYNC) != 0;
    if (stored < tile) wait_computed(stored);
    const uint32_t start = nc_core_cycles(), waited = run.record.wait_dma_core_cycles;
    if (more && !sync) load(next);  // before the store, because computation will soon wait for it
    if (stored < tile) store(stored++);
    if (sync || !more) drain(stored++);
    if (sync) load(next);
    if (more) finish_load(next);
    run.record.dma_core_cycles += nc_core_cycles() - start - (run.record.wait_dma_core_cycles - waited);
  }
}

int main(void) {
  start_run();
  enter_phase(NC_PHASE_FILL);
  if (run.count > 0) fill_pipeline();
  enter_phase(NC_PHASE_TILES);
  run_tiles();
  finish(NC_JOB_OK, run.first + run.count);
}
