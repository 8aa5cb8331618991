// SPDX-License-Identifier: Apache-2.0
//
// Bookkeeping of the DMA's outstanding transfers: a slot for each, from start to completion, and its id; which of
// the engines get it; which ids are complete; and the first error.
//
// A transfer goes to the reader of its source (none for a fill) and to the writer of its destination, which for AXI
// are two engines each; each engine takes its transfers in the order of their starts. So the oldest transfer is always at the head wherever it has to
// go and never waits for another one, and each writer completes in order: the oldest id outstanding is the older of two.
// An empty transfer takes no slot and is complete as soon as it is started.
// Reset leaves: nothing outstanding, ids from 1, no error.

`include "assertions.svh"

module dma_slots #(
  /// Scratchpad size in bytes.
  parameter int unsigned TcdmBytes = 65536
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          core_tick_i,

  /// Start this transfer; only while full_o is low. Its src_tcdm is decided here.
  input  logic                          start_i,
  input  dma_pkg::shape_t               shape_i,
  output logic                          full_o,
  output logic [31:0]                   started_id_o,
  output logic [31:0]                   completed_id_o,
  output logic [3:0]                    outstanding_o,

  /// Engines, by number: 0 AXI write, 1 scratchpad write, 2 AXI read data, 3 scratchpad read, 4 AXI read request, 5
  /// AXI write response. Ready for a transfer, until it is loaded.
  input  logic [5:0]                    ready_i,
  output logic [5:0]                    load_o,
  output logic [dma_pkg::SlotWidth-1:0] slot_o,
  output dma_pkg::shape_t               shape_o,

  /// Faults in this cycle; the lowest is recorded if several are first.
  input  dma_pkg::fault_t [5:0]         faults_i,
  /// By slot: the transfer has met a fault.
  output logic [dma_pkg::Slots-1:0]     failed_o,

  /// A writer has completed its oldest transfer, in this slot.
  input  logic                          axi_done_i,
  input  logic [dma_pkg::SlotWidth-1:0] axi_done_slot_i,
  input  logic                          tcdm_done_i,
  input  logic [dma_pkg::SlotWidth-1:0] tcdm_done_slot_i,
  /// Pulses, in tick cycles.
  output logic                          done_o,
  output logic                          error_o,

  input  logic                          error_clear_i,
  output logic                          error_valid_o,
  output logic [31:0]                   error_id_o,
  output logic [63:0]                   error_addr_o,
  output logic [2:0]                    error_cause_o
);

  localparam int unsigned Slots = dma_pkg::Slots;
  localparam int unsigned SlotWidth = dma_pkg::SlotWidth;
  localparam int unsigned SizeBits = $clog2(TcdmBytes);
  localparam logic [63:SizeBits] TcdmBlock =
      (64 - SizeBits)'(64'(nearcube_regs_pkg::TcdmBase) >> SizeBits);

  // 1 Start.
  dma_pkg::shape_t      new_shape;
  logic                 empty, dst_tcdm, take;
  logic [Slots-1:0]     used_q, failed_q;
  logic [SlotWidth-1:0] free_slot;
  logic [31:0]          started_q, new_id;
  logic [31:0]          ids_q [Slots];
  logic [3:0]           outstanding_q;

  always_comb begin
    new_shape          = shape_i;
    new_shape.src_tcdm = shape_i.src[63:SizeBits] == TcdmBlock;
  end

  assign dst_tcdm = shape_i.dst[63:SizeBits] == TcdmBlock;
  assign empty    = shape_i.bytes == '0 || shape_i.count1 == '0 || shape_i.count2 == '0;
  assign take     = start_i && !empty;
  assign new_id   = started_q + 32'd1;

  always_comb begin
    free_slot = '0;
    for (int unsigned i = 0; i < Slots; i++) begin
      if (!used_q[Slots-1-i]) free_slot = SlotWidth'(Slots - 1 - i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) ids_q[free_slot] <= new_id;
  end

  assign full_o        = used_q == '1;
  assign started_id_o  = started_q;
  assign outstanding_o = outstanding_q;

  // 2 Dispatch: a queue of slots for each engine. One engine at a time is picked, and loaded in the next cycle with
  // the shape from the memory.
  localparam int unsigned Engines = 6;
  localparam int unsigned QueuesWidth = Engines * SlotWidth;

  logic                   from_axi, from_tcdm, to_axi, to_tcdm;
  logic [Engines-1:0]     queue_push, queue_valid, queue_ready, wanted, pick, load_q;
  logic [QueuesWidth-1:0] queue_slots;
  logic [SlotWidth-1:0]   pick_slot, load_slot_q;

  assign to_tcdm    = take && dst_tcdm;
  assign to_axi     = take && !dst_tcdm;
  assign from_tcdm  = take && !shape_i.fill && new_shape.src_tcdm;
  assign from_axi   = take && !shape_i.fill && !new_shape.src_tcdm;
  assign queue_push = {to_axi, from_axi, from_tcdm, from_axi, to_tcdm, to_axi};
  assign wanted     = (load_q == '0) ? queue_valid & ready_i : '0;
  assign pick       = wanted & (~wanted + 1'b1);

  for (genvar e = 0; e < Engines; e++) begin : gen_queue
    logic [$clog2(Slots+1)-1:0] count;
    fifo #(
      .Width(SlotWidth),
      .Depth(Slots)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .valid_i(queue_push[e]),
      .ready_o(queue_ready[e]),
      .data_i (free_slot),
      .valid_o(queue_valid[e]),
      .ready_i(pick[e]),
      .data_o (queue_slots[SlotWidth*e+:SlotWidth]),
      .count_o(count)
    );
    `NC_ASSERT(DmaQueueFits, count <= outstanding_q && (queue_ready[e] || !queue_push[e]))
  end

  always_comb begin
    pick_slot = '0;
    for (int unsigned e = 0; e < Engines; e++) begin
      if (pick[e]) pick_slot = pick_slot | queue_slots[SlotWidth*e+:SlotWidth];
    end
  end

  dma_ram #(
    .Width(dma_pkg::ShapeWidth),
    .Words(Slots)
  ) u_shapes (
    .clk_i,
    .write_i     (take),
    .write_addr_i(free_slot),
    .write_data_i(new_shape),
    .read_i      (pick != '0),
    .read_addr_i (pick_slot),
    .read_data_o (shape_o)
  );

  always_ff @(posedge clk_i) begin
    if (pick != '0) load_slot_q <= pick_slot;
    if (!rst_ni) load_q <= '0;
    else load_q <= pick;
  end

  assign load_o = load_q;
  assign slot_o = load_slot_q;

  // 3 Completion. The order of each writer's transfers, until they are complete.
  logic                       axi_any, tcdm_any, axi_order_ready, tcdm_order_ready;
  logic [SlotWidth-1:0]       axi_oldest, tcdm_oldest;
  logic [31:0]                axi_id, tcdm_id, age, oldest_id;
  logic [$clog2(Slots+1)-1:0] axi_count, tcdm_count;
  logic                       done_q, error_q, error_now;
  logic [Slots-1:0]           taken, released;

  fifo #(
    .Width(SlotWidth),
    .Depth(Slots)
  ) u_axi_order (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .valid_i(to_axi),
    .ready_o(axi_order_ready),
    .data_i (free_slot),
    .valid_o(axi_any),
    .ready_i(axi_done_i),
    .data_o (axi_oldest),
    .count_o(axi_count)
  );

  fifo #(
    .Width(SlotWidth),
    .Depth(Slots)
  ) u_tcdm_order (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .valid_i(to_tcdm),
    .ready_o(tcdm_order_ready),
    .data_i (free_slot),
    .valid_o(tcdm_any),
    .ready_i(tcdm_done_i),
    .data_o (tcdm_oldest),
    .count_o(tcdm_count)
  );

  assign axi_id  = ids_q[axi_oldest];
  assign tcdm_id = ids_q[tcdm_oldest];
  assign age     = axi_id - tcdm_id;  // modulo 2^32: negative if the transfer to AXI is older

  always_comb begin
    oldest_id = axi_id;
    if (!axi_any || (tcdm_any && !age[31])) oldest_id = tcdm_id;
    completed_id_o = (axi_any || tcdm_any) ? oldest_id - 32'd1 : started_q;
  end

  assign taken     = take ? Slots'(1) << free_slot : '0;
  assign released  = (axi_done_i ? Slots'(1) << axi_done_slot_i : '0) |
                     (tcdm_done_i ? Slots'(1) << tcdm_done_slot_i : '0);
  assign error_now = (released & failed_q) != '0;
  assign done_o    = done_q && core_tick_i;
  assign error_o   = error_q && core_tick_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q        <= '0;
      started_q     <= '0;
      outstanding_q <= '0;
      done_q        <= 1'b0;
      error_q       <= 1'b0;
    end else begin
      used_q <= (used_q | taken) & ~released;
      if (start_i) started_q <= new_id;
      outstanding_q <= outstanding_q + 4'(take) - 4'(axi_done_i) - 4'(tcdm_done_i);
      if (released != '0 || (start_i && empty)) done_q <= 1'b1;
      else if (core_tick_i) done_q <= 1'b0;
      if (error_now) error_q <= 1'b1;
      else if (core_tick_i) error_q <= 1'b0;
    end
  end

  // 4 Faults. The first of a transfer counts, and of these the first since error_clear_i is recorded.
  logic [5:0]         fresh;
  logic [6*Slots-1:0] fresh_slots;  // a bit a slot for each fault
  dma_pkg::fault_t    first;
  logic [Slots-1:0]   failing;

  for (genvar f = 0; f < 6; f++) begin : gen_fault
    logic                 valid;
    logic [SlotWidth-1:0] slot;
    logic [66:0]          unused;
    assign {valid, slot, unused}         = faults_i[f];
    assign fresh[f]                      = valid && !failed_q[slot];
    assign fresh_slots[Slots*f+:Slots] = fresh[f] ? Slots'(1) << slot : '0;
  end

  always_comb begin
    first = faults_i[5];
    if (fresh[4]) first = faults_i[4];
    if (fresh[3]) first = faults_i[3];
    if (fresh[2]) first = faults_i[2];
    if (fresh[1]) first = faults_i[1];
    if (fresh[0]) first = faults_i[0];
    first.valid = fresh != '0;
    failing = '0;
    for (int unsigned i = 0; i < 6; i++) failing = failing | fresh_slots[Slots*i+:Slots];
  end

  always_ff @(posedge clk_i) begin
    if (first.valid && (!error_valid_o || error_clear_i)) begin
      error_id_o    <= ids_q[first.slot];
      error_addr_o  <= first.addr;
      error_cause_o <= first.cause;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      failed_q      <= '0;
      error_valid_o <= 1'b0;
    end else begin
      failed_q <= (failed_q | failing) & ~released;
      if (first.valid) error_valid_o <= 1'b1;
      else if (error_clear_i) error_valid_o <= 1'b0;
    end
  end

  assign failed_o = failed_q;

  // The order queues hold no more than there are slots.
  logic unused;
  assign unused = &{1'b0, axi_order_ready, tcdm_order_ready, shape_i.src_tcdm, age[30:0], axi_count, tcdm_count};

  `NC_ASSERT(DmaStartsOnlyWithRoom, !start_i || !full_o)
  `NC_ASSERT(DmaOutstandingCount, outstanding_q == 4'(axi_count) + 4'(tcdm_count))
  `NC_ASSERT(DmaAxiInOrder, !axi_done_i || (axi_any && axi_done_slot_i == axi_oldest))
  `NC_ASSERT(DmaTcdmInOrder, !tcdm_done_i || (tcdm_any && tcdm_done_slot_i == tcdm_oldest))
  `NC_ASSERT(DmaFaultsOfOutstanding, (failing & ~used_q) == '0)

endmodule
