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
  uint32_t pending;  // NTX that have not yet stored their share, a bit each
  bool stored;       // computed, and its store has been started
} slot_t;

static struct {
  nc_limits_t limits;
  uint32_t first, count;   // this cluster's descriptors
  uint64_t descriptors;    // their array
  slot_t slot[SLOTS];      // tile k is in slot k mod SLOTS
  uint32_t descriptor_id;  // transfer that brings the next descriptor
  uint32_t load_id,
      store_id;  // last transfers of the latest load (or of what came before it) and of the latest store
  uint32_t phase, phase_start;
  nc_job_record_t record;
} run;

static slot_t* slot_of(uint32_t tile) { return &run.slot[tile % SLOTS]; }

static void enter_phase(uint32_t phase) {
  const uint32_t now = nc_control_read(NC_CONTROL_CYCLE_LO_OFFSET);
  run.record.phase_cycles[run.phase] += now - run.phase_start;
  run.phase = phase;
  run.phase_start = now;
  nc_phase(phase);
}

/// Writes the completion record and ends the run.
static _Noreturn void finish(uint32_t status, uint32_t descriptor) {
  enter_phase(NC_PHASE_DONE);
  const nc_job_header_t* header = (const nc_job_header_t*)(uintptr_t)nc_job_list_pointer;
  run.record.magic = NC_RECORD_MAGIC;
  run.record.status = status;
  run.record.descriptor = descriptor;
  run.record.end_cycle = nc_cycles();
  run.record.commands = nc_command_count;
  run.record.core_cycles = nc_core_cycles() - run.record.core_cycles;
  if (status < NC_JOB_BAD_POINTER || status >= NC_JOB_BAD_KIND) {  // else there is no record array to trust
    volatile uint32_t* to =
        (volatile uint32_t*)(uintptr_t)(header->records_address + run.record.cluster * sizeof run.record);
    const uint32_t* from = (const uint32_t*)&run.record;
    for (uint32_t i = 0; i < sizeof run.record / 4; ++i) to[i] = from[i];
  }
  if (status != NC_JOB_OK) {
    if (status >= NC_JOB_BAD_KIND)
      printf("job list: descriptor %lu: ", (unsigned long)descriptor);
    else
      printf("job list: ");
    printf("%s (status %lu)\n", nc_status_text(status), (unsigned long)status);
  }
  nc_exit(status);
}

static void dma_failed(uint32_t tile) {
  printf("DMA: transfer %lu: cause %lu at 0x%08lx%08lx\n", (unsigned long)nc_dma_read(NC_DMA_ERROR_ID_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_CAUSE_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_HI_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_LO_OFFSET));
  finish(NC_JOB_DMA_ERROR, run.first + tile);
}

static void wait_dma(uint32_t id, uint32_t tile) {
  const uint32_t start = nc_core_cycles();
  if (!nc_dma_wait(id)) dma_failed(tile);
  run.record.wait_dma_core_cycles += nc_core_cycles() - start;
}

/// Starts to bring tile `tile`'s descriptor into its slot.
static void fetch(uint32_t tile) {
  run.descriptor_id =
      nc_dma_copy_1d((uintptr_t)&slot_of(tile)->descriptor,
                     run.descriptors + (uint64_t)(run.first + tile) * sizeof(nc_tile_descriptor_t),
                     sizeof(nc_tile_descriptor_t));
  run.record.transfers += 1;
}

/// Takes note that NTX `unit` has finished the tile that it was at, or both that it had.
static void unit_finished(uint32_t unit, slot_t* older, slot_t* newer, uint32_t tile) {
  const uint32_t bit = 1u << unit, registers = nc_ntx_unit(unit);
  nc_ntx_clear_irq(registers);
  const uint32_t status = nc_ntx_status(registers);
  if ((status & NC_NTX_STATUS_INVALID_MASK) != 0) {
    printf("NTX %lu: cause 0x%03lx, 0x%08lx\n", (unsigned long)unit,
           (unsigned long)nc_read(registers + NC_NTX_ERROR_CAUSE_OFFSET),
           (unsigned long)nc_read(registers + NC_NTX_ERROR_ADDR_OFFSET));
    finish(NC_JOB_NTX_ERROR, run.first + tile);
  }
  older->pending &= ~bit;
  if (status == NC_NTX_STATUS_IDLE) {
    // Nothing is left, so the interrupt may have stood for two tiles, and a second one may have come since it
    // was cleared.
    if (newer != NULL) newer->pending &= ~bit;
    nc_ntx_clear_irq(registers);
  }
}

/// Waits until tile `tile` is computed. `newer` has been started behind it, or is NULL.
static void wait_computed(uint32_t tile, slot_t* newer) {
  slot_t* slot = slot_of(tile);
  const uint32_t start = nc_core_cycles();
  while (slot->pending != 0) {
    const uint32_t events = nc_wait_events(slot->pending);
    for (uint32_t unit = 0; events >> unit != 0; ++unit)
      if ((events >> unit & 1) != 0) unit_finished(unit, slot, newer, tile);
  }
  run.record.wait_ntx_core_cycles += nc_core_cycles() - start;
}

/// Waits until tile `tile` is computed and starts to store its result, unless that has been done.
static void retire(uint32_t tile, slot_t* newer) {
  slot_t* slot = slot_of(tile);
  if (slot->stored) return;
  wait_computed(tile, newer);
  slot->stored = true;
  run.record.tiles += 1;
  if ((slot->descriptor.flags & NC_FLAG_STORE_OUTPUT) == 0) return;
  const uint32_t start = nc_core_cycles();
  run.record.transfers += nc_store_output(&slot->descriptor);
  run.store_id = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
  run.record.dma_core_cycles += nc_core_cycles() - start;
}

/// Checks tile `tile` and starts its transfers into the TCDM. All tiles but the one before it have been
/// retired.
static void load(uint32_t tile) {
  slot_t* slot = slot_of(tile);
  wait_dma(run.descriptor_id, tile);
  const uint32_t status = nc_check_tile(&slot->descriptor, &run.limits);
  if (status != NC_JOB_OK) finish(status, run.first + tile);
  slot->stored = false;
  if (tile + 1 < run.count) fetch(tile + 1);

  const uint32_t flags = slot->descriptor.flags;
  if ((flags & NC_FLAG_SYNC) != 0 && tile > 0) {
    retire(tile - 1, NULL);
    wait_dma(run.store_id, tile);
  }
  const uint32_t start = nc_core_cycles(), waited = run.record.wait_dma_core_cycles;
  const bool biased = (flags & NC_FLAG_INIT_BIAS) != 0;
  uint32_t output_id = run.store_id;  // the output box may be the one that is being stored
  if (biased) {                       // at most one plane a lane, so there is room
    output_id = nc_dma_copy_1d((uintptr_t)slot->bias, slot->descriptor.bias_address,
                               4u * slot->descriptor.output_planes);
    run.record.transfers += 1;
  }
  if ((flags & NC_FLAG_LOAD_INPUT) != 0) run.record.transfers += nc_load_input(&slot->descriptor);
  if ((flags & NC_FLAG_LOAD_WEIGHTS) != 0) run.record.transfers += nc_load_weights(&slot->descriptor);
  if (biased || (flags & NC_FLAG_INIT_OUTPUT) != 0) {
    wait_dma(output_id, tile);
    run.record.transfers +=
        biased ? nc_fill_output(&slot->descriptor, slot->bias) : nc_load_output(&slot->descriptor);
  }
  run.load_id = nc_dma_read(NC_DMA_STARTED_ID_OFFSET);
  run.record.dma_core_cycles += nc_core_cycles() - start - (run.record.wait_dma_core_cycles - waited);
}

/// Starts tile `tile`, which has been loaded, behind the one before it.
static void compute(uint32_t tile) {
  static nc_kernel_t* const kernels[] = {
      [NC_KIND_CONV2D] = nc_kernel_conv2d,     [NC_KIND_GEMM] = nc_kernel_gemm,
      [NC_KIND_GEMV] = nc_kernel_gemv,         [NC_KIND_AXPY] = nc_kernel_axpy,
      [NC_KIND_MAX_POOL] = nc_kernel_max_pool, [NC_KIND_RELU] = nc_kernel_relu,
      [NC_KIND_STENCIL] = nc_kernel_stencil,
  };
  slot_t* slot = slot_of(tile);
  // Its transfers, and the stores before them: its output box may be that of an earlier tile.
  wait_dma(run.load_id, tile);
  // A chain of wide images may reuse the space of the last one, where another NTX may still be at work.
  const uint32_t wide = slot->descriptor.flags & (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT);
  if (wide == NC_FLAG_WIDE_OUT && tile > 0) wait_computed(tile - 1, NULL);
  const uint32_t start = nc_core_cycles();
  slot->pending = kernels[slot->descriptor.kind](&slot->descriptor);
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
  const nc_job_header_t* header = (const nc_job_header_t*)(uintptr_t)pointer;
  uint32_t status = nc_check_header(header, &run.limits, run.record.cluster);
  if (status != NC_JOB_OK) finish(status, 0);
  const nc_job_range_t* range = (const nc_job_range_t*)(uintptr_t)header->ranges_address + run.record.cluster;
  status = nc_check_range(header, range);
  if (status != NC_JOB_OK) finish(status, 0);
  run.limits.tile_bytes = header->tile_bytes;
  run.first = range->first;
  run.count = range->count;
  run.descriptors = header->descriptors_address;
}

int main(void) {
  start_run();
  enter_phase(NC_PHASE_FILL);
  if (run.count > 0) {
    fetch(0);
    load(0);
    wait_dma(run.load_id, 0);
  }
  enter_phase(NC_PHASE_TILES);
  for (uint32_t tile = 0; tile < run.count; ++tile) {
    compute(tile);
    if (tile > 0) retire(tile - 1, slot_of(tile));
    if (tile + 1 < run.count) load(tile + 1);
  }
  if (run.count > 0) retire(run.count - 1, NULL);
  enter_phase(NC_PHASE_DRAIN);
  if (run.count > 0) wait_dma(run.store_id, run.count - 1);
  finish(NC_JOB_OK, run.first + run.count);
}
