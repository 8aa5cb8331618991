// SPDX-License-Identifier: Apache-2.0
// The job runner: main() of build/firmware/job_runner.elf.
//
// Tiles pass through stages: their descriptor is fetched, checked, their operands are loaded, the NTX
// programmed and started, the result stored. Each stage has a counter of the tiles that have passed it;
// run_tiles() looks again and again which tile can take its next step, takes the most urgent one, and sleeps
// if there is none. So loads run as far ahead as a tile's `ahead` lets them, and the commands of a tile wait
// in the staging registers of the NTX while the one before is computed.
#include <stdio.h>

#include "hal/dma.h"
#include "kernels/kernels.h"
#include "runtime/runtime.h"

/// Where the job list is. A loader may patch it.
extern volatile uint64_t nc_job_list_pointer;
NC_CUBE volatile uint64_t nc_job_list_pointer = NC_JOB_LIST_ADDRESS;

// Descriptors come in groups, a transfer each. There is room for several, so that they come early enough
// although loads are queued up before them.
#define GROUP 2u
#define SLOTS 8u

// Tiles that are checked and not yet computed.
#define MOST_CHECKED (NC_MOST_AHEAD + 1u)

#define MOST_NTX (NC_NTX_SIZE / 0x80u)

/// One tile on its way. Aligned, so that no multiplication finds it.
typedef struct {
  _Alignas(256) nc_tile_descriptor_t descriptor;
  const nc_plan_t* plan;    // its transfers
  uint32_t pending;         // NTX that have not yet stored their share, a bit each
  uint32_t loads_after;     // its loads have the ids behind this one
  uint32_t load_id;         // and up to this one; earlier stores are among the ids before, too
  uint32_t store_id;        // 0: not stored yet
  bool same_shape;          // as the tile before
  uint32_t bias[MOST_NTX];  // of its output planes, at most one a lane
} slot_t;

static NC_UNINITIALIZED slot_t slot_ring[SLOTS];                // tile k is in slot k mod SLOTS
static NC_UNINITIALIZED nc_plan_t plan_ring[MOST_CHECKED + 1];  // of the latest shapes

static struct {
  nc_limits_t limits;
  uint32_t first, count;  // this cluster's descriptors
  uint64_t descriptors;   // where the next ones are
  nc_box_t group;         // of descriptors
  uint64_t records;       // where the completion records are, or 0
  uint32_t latest_plan;
  // Tiles that have passed a stage, each at most as many as the one before.
  uint32_t fetched, checked, loaded, filled, programmed, started, computed;
  uint32_t fetch_id[SLOTS / GROUP];  // transfers that bring descriptors, a group each
  uint32_t bias_id;                  // transfer that brings the latest bias
  uint32_t store_id;                 // latest store
  uint32_t completed;                // DMA transfers, up to this id
  uint32_t launched[3];              // offsets of the tile launched last: input, weights, output
  uint32_t barriers;                 // to come
  uint32_t check_first;              // tiles to check before the first is programmed
  uint32_t phase, phase_start;
  nc_job_record_t record;
} run;

static inline slot_t* slot_of(uint32_t tile) { return &slot_ring[tile % SLOTS]; }
static inline uint32_t* fetch_id_of(uint32_t tile) { return &run.fetch_id[tile / GROUP % (SLOTS / GROUP)]; }
static inline bool done(uint32_t id) { return (int32_t)(run.completed - id) >= 0; }  // ids wrap

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
  run.record.tiles = run.computed;
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

/// The tile that transfer `id` belongs to.
static uint32_t tile_of(uint32_t id) {
  const uint32_t end = run.computed + SLOTS < run.fetched ? run.computed + SLOTS : run.fetched;
  for (uint32_t tile = end > SLOTS ? end - SLOTS : 0; tile < end; ++tile) {
    const slot_t* slot = slot_of(tile);
    if (slot->store_id == id) return tile;
    if (tile < run.filled && id - slot->loads_after - 1 < slot->load_id - slot->loads_after) return tile;
  }
  return run.filled;
}

NC_COLD static _Noreturn void dma_failed(void) {
  const uint32_t id = nc_dma_read(NC_DMA_ERROR_ID_OFFSET);
  printf("DMA: transfer %lu: cause %lu at 0x%08lx%08lx\n", (unsigned long)id,
         (unsigned long)nc_dma_read(NC_DMA_ERROR_CAUSE_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_HI_OFFSET),
         (unsigned long)nc_dma_read(NC_DMA_ERROR_ADDR_LO_OFFSET));
  finish(NC_JOB_DMA_ERROR, run.first + tile_of(id));
}

NC_COLD static _Noreturn void ntx_failed(uint32_t unit) {
  const uint32_t registers = nc_ntx_unit(unit);
  printf("NTX %lu: cause 0x%03lx, 0x%08lx\n", (unsigned long)unit,
         (unsigned long)nc_read(registers + NC_NTX_ERROR_CAUSE_OFFSET),
         (unsigned long)nc_read(registers + NC_NTX_ERROR_ADDR_OFFSET));
  finish(NC_JOB_NTX_ERROR, run.first + run.computed);
}

static uint32_t started_id(void) { return nc_dma_read(NC_DMA_STARTED_ID_OFFSET); }

/// Waits for a transfer when there is nothing else to do.
static void wait_dma(uint32_t id) {
  const uint32_t start = nc_core_cycles();
  if (!nc_dma_wait(id)) dma_failed();
  run.record.wait_dma_core_cycles += nc_core_cycles() - start;
}

/// The places of the next group of descriptors are free, and it does not replace what the first of it will be
/// compared with.
static inline bool can_fetch(void) {
  return run.fetched != run.count && run.fetched < run.computed + (SLOTS - GROUP);
}

/// Starts to bring them.
NC_HOT static void fetch(void) {
  slot_t* slot = slot_of(run.fetched);
  const uint32_t rest = run.count - run.fetched;
  if (rest < run.group.rows) run.group.rows = rest;
  *fetch_id_of(run.fetched) = nc_move(&run.group, (uintptr_t)slot - NC_TCDM_BASE, run.descriptors, false);
  run.descriptors += run.group.rows * sizeof(nc_tile_descriptor_t);
  run.fetched += run.group.rows;
}

NC_COLD static void fetch_bias(slot_t* slot) {
  run.bias_id = nc_dma_copy_1d((uintptr_t)slot->bias, slot->descriptor.bias_address,
                               4u * slot->descriptor.output_planes);
}

/// Checks a tile that is the first of its shape, and plans its transfers.
NC_COLD static uint32_t check_new(slot_t* slot) {
  run.latest_plan = run.latest_plan == MOST_CHECKED ? 0 : run.latest_plan + 1;
  nc_plan_t* fresh = &plan_ring[run.latest_plan];
  slot->plan = fresh;
  slot->same_shape = false;
  const uint32_t status = nc_check_tile(&slot->descriptor, &run.limits, &fresh->sizes);
  if (status == NC_JOB_OK) nc_plan(&slot->descriptor, fresh);
  return status;
}

/// Checks the next tile.
NC_HOT static void check(void) {
  slot_t* slot = slot_of(run.checked);
  const slot_t* before = slot_of(run.checked - 1);
  slot->store_id = 0;
  uint32_t status;
  if (run.checked > 0 && nc_same_shape(&slot->descriptor, &before->descriptor)) {
    slot->same_shape = true;
    slot->plan = before->plan;
    status = nc_check_moved(&slot->descriptor, &run.limits, &slot->plan->sizes);
  } else {
    status = check_new(slot);
  }
  if (status != NC_JOB_OK) finish(status, run.first + run.checked);
  run.checked += 1;
  if ((slot->descriptor.flags & NC_FLAG_INIT_BIAS) != 0) fetch_bias(slot);
}

/// The next tile's operands may be loaded.
static inline bool can_load(void) {
  const uint32_t tile = run.loaded;
  if (tile == run.checked) return false;
  const nc_tile_descriptor_t* t = &slot_of(tile)->descriptor;
  if ((t->flags & NC_FLAG_SYNC) != 0 && (run.computed != tile || !done(run.store_id))) return false;
  return tile < run.computed + t->ahead;
}

/// Meets all other clusters so many times. Everything that this one has stored is in memory.
NC_COLD static void meet(uint32_t times) {
  if (times > run.barriers) finish(NC_JOB_BAD_BARRIERS, run.first + run.loaded);
  run.barriers -= times;
  for (; times != 0; --times) nc_barrier();
}

/// Starts to load the next tile's operands.
NC_HOT static void load(void) {
  slot_t* slot = slot_of(run.loaded);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  if (t->barriers != 0) meet(t->barriers);
  const uint32_t start = nc_core_cycles();
  const uint32_t flags = t->flags;
  slot->loads_after = started_id();
  if ((flags & NC_FLAG_LOAD_INPUT) != 0) {
    nc_move(&slot->plan->input, t->input_offset, t->input_address, false);
    if (slot->plan->padded) nc_pad_input(t);
  }
  if ((flags & NC_FLAG_LOAD_WEIGHTS) != 0)
    nc_move(&slot->plan->weights, t->weights_offset, t->weights_address, false);
  run.loaded += 1;
  run.record.dma_core_cycles += nc_core_cycles() - start;
}

/// What the next tile's sums start from may be put into its output box. Transfers are in no order, so it
/// waits until the box has been stored, and for the bias.
static inline bool can_fill(void) {
  const uint32_t tile = run.filled;
  if (tile == run.loaded) return false;
  const nc_tile_descriptor_t* t = &slot_of(tile)->descriptor;
  if ((t->flags & (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT)) == 0) return true;
  return (tile < t->ahead || done(slot_of(tile - t->ahead)->store_id)) && done(run.bias_id);
}

/// Starts to fill it.
static inline void fill(void) {
  const uint32_t start = nc_core_cycles();
  slot_t* slot = slot_of(run.filled);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  if ((t->flags & NC_FLAG_INIT_OUTPUT) != 0)
    nc_move(&slot->plan->start, t->output_offset, t->output_address, false);
  if ((t->flags & NC_FLAG_INIT_BIAS) != 0) nc_fill_output(t, slot->bias);
  slot->load_id = started_id();
  run.filled += 1;
  run.record.dma_core_cycles += nc_core_cycles() - start;
}

/// Takes tile `tile` to the NTX as its kind asks for.
NC_COLD static uint32_t launch(const nc_tile_descriptor_t* t) {
  static nc_kernel_t* const kernels[] = {
      [NC_KIND_CONV2D] = nc_kernel_conv2d,     [NC_KIND_GEMM] = nc_kernel_gemm,
      [NC_KIND_GEMV] = nc_kernel_gemv,         [NC_KIND_AXPY] = nc_kernel_axpy,
      [NC_KIND_MAX_POOL] = nc_kernel_max_pool, [NC_KIND_RELU] = nc_kernel_relu,
      [NC_KIND_STENCIL] = nc_kernel_stencil,
  };
  return kernels[t->kind](t);
}

/// Writes the next tile's command into the staging registers of the NTX, while the tile before is computed
/// and this one loaded. A tile of several commands is programmed when it starts.
static inline void program(void) {
  const uint32_t start = nc_core_cycles();
  slot_t* slot = slot_of(run.programmed);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  if (slot->plan->single) {
    const uint32_t input = t->input_offset, weights = t->weights_offset, output = t->output_offset;
    if (slot->same_shape) {
      const uint32_t moved = input - run.launched[0];
      slot->pending = nc_relaunch(moved, slot->plan->compares ? moved : weights - run.launched[1],
                                  output - run.launched[2]);
    } else {
      nc_commit_later = true;
      slot->pending = launch(t);
      nc_commit_later = false;
      run.launched[0] = input;
      run.launched[1] = weights;
      run.launched[2] = output;
    }
  }
  run.programmed += 1;
  run.record.setup_core_cycles += nc_core_cycles() - start;
}

/// The next tile has been programmed and loaded. What is stored by now was stored before its loads, so its
/// output box is free.
static inline bool can_start(void) {
  const slot_t* slot = slot_of(run.started);
  if (run.started == run.programmed || !done(slot->load_id)) return false;
  // A chain of wide images may reuse the space of the last one, where another NTX may still be at work.
  const uint32_t wide = slot->descriptor.flags & (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT);
  return wide != NC_FLAG_WIDE_OUT || run.computed == run.started;
}

static inline void start(void) {
  if (run.started == 0) enter_phase(NC_PHASE_TILES);
  const uint32_t begin = nc_core_cycles();
  slot_t* slot = slot_of(run.started);
  if (slot->plan->single)
    nc_commit();
  else
    slot->pending = launch(&slot->descriptor);
  run.started += 1;
  run.record.setup_core_cycles += nc_core_cycles() - begin;
}

/// Takes note of the NTX that raised their lines (`events`). True if the oldest tile at work is computed; the
/// one behind it may have been started.
///
/// A line that is up stands for one tile at least. If a unit finishes two before its line is cleared, that of
/// the second is lost with the first; but then the unit is idle when the line has been cleared.
static inline bool look_at_ntx(uint32_t events) {
  slot_t *slot = slot_of(run.computed), *next = slot_of(run.computed + 1);
  if ((slot->pending & ~events) != 0) return false;
  nc_ntx_clear_irq(nc_ntx_all());
  const bool more = run.started - run.computed > 1;
  uint32_t registers = nc_ntx_unit(0);
  for (uint32_t unit = 0; unit < run.limits.ntx_count; ++unit) {
    const uint32_t status = nc_ntx_status(registers);
    if ((status & NC_NTX_STATUS_INVALID_MASK) != 0) ntx_failed(unit);
    if (more && status == NC_NTX_STATUS_IDLE) {
      // It may have finished since its line was cleared, which must not stand for a tile to come.
      nc_ntx_clear_irq(registers);
      next->pending &= ~(1u << unit);
    }
    registers += nc_ntx_unit(1) - nc_ntx_unit(0);
  }
  return true;
}

/// Starts to store the result of the oldest tile at work, which is computed.
static inline void store(void) {
  const uint32_t begin = nc_core_cycles();
  slot_t* slot = slot_of(run.computed);
  const nc_tile_descriptor_t* t = &slot->descriptor;
  if ((t->flags & NC_FLAG_STORE_OUTPUT) != 0) {
    run.store_id = slot->store_id = nc_move(&slot->plan->output, t->output_offset, t->output_address, true);
  }
  run.computed += 1;
  run.record.dma_core_cycles += nc_core_cycles() - begin;
}

/// Sleeps until the NTX that the oldest tile waits for raises its line - one of them, for they end together,
/// or nearly so - or a transfer ends.
static inline void wait_for_event(uint32_t events) {
  const uint32_t begin = nc_core_cycles();
  const bool computes = run.started > run.computed;
  const uint32_t missing = computes ? slot_of(run.computed)->pending & ~events : 0;
  nc_wait_events(NC_CONTROL_EVENT_STATUS_DMA_ERROR_MASK | NC_CONTROL_EVENT_STATUS_DMA_DONE_MASK |
                 (missing & -missing));
  *(computes ? &run.record.wait_ntx_core_cycles : &run.record.wait_dma_core_cycles) +=
      nc_core_cycles() - begin;
}

/// The next tile's descriptor is here, and there is room for its plan.
static inline bool can_check(void) {
  return run.checked < run.fetched && run.checked < run.computed + MOST_CHECKED &&
         done(*fetch_id_of(run.checked));
}

/// Takes all tiles through the stages.
NC_HOT static void run_tiles(void) {
  while (run.computed < run.count) {
    // The event is cleared before the look at what it stands for, so that none is missed.
    const uint32_t events = nc_events();
    if ((events & NC_CONTROL_EVENT_STATUS_DMA_ERROR_MASK) != 0) dma_failed();
    nc_clear_events(NC_CONTROL_EVENT_STATUS_DMA_DONE_MASK);
    run.completed = nc_dma_read(NC_DMA_COMPLETED_ID_OFFSET);
    bool busy = false;
    if (can_start()) {
      start();
      busy = true;
    }
    if (run.started > run.computed && look_at_ntx(events)) {
      store();
      busy = true;
    }
    if (can_load()) {
      load();
      busy = true;
    }
    if (can_fill()) {
      fill();
      busy = true;
    }
    if (can_fetch()) {
      fetch();
      busy = true;
    }
    if (run.programmed == run.started && run.programmed < run.filled && run.started <= run.computed + 1 &&
        run.checked >= run.check_first) {
      program();
      busy = true;
    }
    if (busy) continue;
    // What follows can wait.
    if (can_check())
      check();
    else
      wait_for_event(events);
  }
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
  wait_dma(nc_dma_copy_1d((uintptr_t)&header, pointer, sizeof header));
  uint32_t status = nc_check_header(&header, &run.limits, run.record.cluster);
  if (status != NC_JOB_OK) finish(status, 0);
  nc_job_range_t range;
  wait_dma(nc_dma_copy_1d((uintptr_t)&range, header.ranges_address + run.record.cluster * sizeof range,
                          sizeof range));
  status = nc_check_range(&header, &range);
  if (status != NC_JOB_OK) finish(status, 0);
  run.limits.tile_bytes = header.tile_bytes;
  run.barriers = header.barriers;
  run.first = range.first;
  run.count = range.count;
  run.descriptors = header.descriptors_address + (uint64_t)range.first * sizeof(nc_tile_descriptor_t);
  run.records = header.records_address;
  run.group.bytes = sizeof(nc_tile_descriptor_t);
  run.group.rows = 2 * GROUP;  // at first
  run.group.planes = 1;
  run.group.source_row = sizeof(nc_tile_descriptor_t);
  run.group.destination_row = sizeof(slot_t);
}

/// Brings the first descriptors, and starts the first tile's loads: run_tiles would, but takes long to get
/// there while the instruction cache is empty. So does the check of a tile; its input is on its way
/// meanwhile.
static void begin(void) {
  if (run.count == 0) return;
  fetch();
  run.fetch_id[1] = run.fetch_id[0];
  run.group.rows = GROUP;
  wait_dma(run.fetch_id[0]);
  slot_t* slot = slot_of(0);
  const uint32_t before = started_id();
  const bool loads = nc_input_loads(&slot->descriptor, &run.limits);
  if (loads) {
    nc_box_t input;
    nc_plan_input(&slot->descriptor, &input);
    nc_move(&input, slot->descriptor.input_offset, slot->descriptor.input_address, false);
  }
  check();
  // Kinds that use each word a few times are bound by their loads: those of the second tile do not wait until
  // the first is programmed, which takes long, too.
  const uint32_t kind = slot->descriptor.kind;
  if (kind != NC_KIND_CONV2D && kind != NC_KIND_GEMM) run.check_first = run.count < 2 ? run.count : 2;
  if (loads) slot->descriptor.flags &= (uint16_t)~NC_FLAG_LOAD_INPUT;
  load();
  if (loads && slot->plan->padded) nc_pad_input(&slot->descriptor);
  slot->loads_after = before;
}

int main(void) {
  start_run();
  enter_phase(NC_PHASE_FILL);
  begin();
  run_tiles();
  enter_phase(NC_PHASE_DRAIN);
  wait_dma(started_id());
  meet(run.barriers);
  finish(NC_JOB_OK, run.first + run.count);
}
