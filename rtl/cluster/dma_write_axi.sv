// SPDX-License-Identifier: Apache-2.0
//
// Writes the destination of transfers to AXI, up to a beat a core clock cycle, transfer by transfer in the order
// given. The bytes come from one of the two readers' lanes, or from the fill pattern.
//
// A burst is announced together with its first beat, so the write channel is not held while nothing is there to
// send. After its last beat a transfer leaves (leave_o), and the next one is written while dma_responses waits for
// its responses.
// After a fault the burst that is under way is sent to its end with no byte enabled, and nothing more.

`include "assertions.svh"

module dma_write_axi (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           core_tick_i,

  /// A transfer to write; load_i comes only while ready_o is high.
  output logic                           ready_o,
  input  logic                           load_i,
  input  logic [dma_pkg::SlotWidth-1:0]  slot_i,
  input  dma_pkg::shape_t                shape_i,

  /// Slots whose transfer has met a fault.
  input  logic [dma_pkg::Slots-1:0]      failed_i,
  /// The destination leaves memory.
  output dma_pkg::fault_t                address_fault_o,

  /// The transfer under way and its source: scratchpad (1) or AXI (0), unless it is a fill.
  output logic [dma_pkg::SlotWidth-1:0]  slot_o,
  output logic                           source_tcdm_o,
  /// The bytes its reader has for it.
  input  logic [7:0]                     lane_valid_i,
  input  logic [63:0]                    lane_data_i,
  output logic [7:0]                     lane_pop_o,
  /// Its reader may let go of it, and does when ready, too.
  output logic                           finish_o,
  input  logic                           finish_ready_i,

  /// A burst may be announced, and is; no more comes of the transfer (one cycle).
  input  logic                           burst_room_i,
  output logic                           burst_o,
  output logic                           leave_o,

  output logic                           axi_aw_valid_o,
  input  logic                           axi_aw_ready_i,
  output logic [63:0]                    axi_aw_addr_o,
  output logic [7:0]                     axi_aw_len_o,
  output logic                           axi_w_valid_o,
  input  logic                           axi_w_ready_i,
  output logic [63:0]                    axi_w_data_o,
  output logic [7:0]                     axi_w_strb_o,
  output logic                           axi_w_last_o
);

  // 1 Rows, bursts, beats.
  logic        rows_valid, rows_ready, rows_last;
  logic [63:0] rows_addr;
  logic [31:0] rows_bytes;
  logic [2:0]  rows_other;
  logic        burst_valid, burst_ready, burst_row_last, burst_transfer_last;
  logic [63:0] burst_addr;
  logic [8:0]  burst_bytes;
  logic        beat_valid, beat_take, beat_last, beat_transfer_last;
  logic [7:0]  beat_addr;
  logic [3:0]  beat_bytes;
  logic [55:0] beat_block;
  logic [4:0]  burst_len, beat_len;  // beats of the burst - 1
  logic        stop;

  dma_rows #(
    .AddrWidth(64)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (stop),
    .load_i,
    .addr_i         (shape_i.dst),
    .stride1_i      (shape_i.dst_stride1),
    .stride2_i      (shape_i.dst_stride2),
    .count1_i       (shape_i.count1),
    .count2_i       (shape_i.count2),
    .bytes_i        (shape_i.bytes),
    .other_addr_i   (3'd0),
    .other_stride1_i(3'd0),
    .other_stride2_i(3'd0),
    .valid_o        (rows_valid),
    .ready_i        (rows_ready),
    .addr_o         (rows_addr),
    .other_o        (rows_other),
    .bytes_o        (rows_bytes),
    .last_o         (rows_last)
  );

  dma_burst_splitter #(
    .AddrWidth  (64),
    .LengthWidth(32),
    .ChunkBits  (8),
    .SideWidth  (1)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .clear_i(stop),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i (rows_last),
    .valid_o(burst_valid),
    .ready_i(burst_ready),
    .addr_o (burst_addr),
    .bytes_o(burst_bytes),
    .last_o (burst_row_last),
    .side_o (burst_transfer_last)
  );

  assign burst_len = 5'((10'(burst_addr[2:0]) + 10'(burst_bytes) - 10'd1) >> 3);

  dma_burst_splitter #(
    .AddrWidth  (8),
    .LengthWidth(9),
    .ChunkBits  (3),
    .SideWidth  (56 + 5 + 1)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .clear_i(stop),
    .valid_i(burst_valid),
    .ready_o(burst_ready),
    .addr_i (burst_addr[7:0]),
    .bytes_i(burst_bytes),
    .side_i ({burst_addr[63:8], burst_len, burst_row_last && burst_transfer_last}),
    .valid_o(beat_valid),
    .ready_i(beat_take),
    .addr_o (beat_addr),
    .bytes_o(beat_bytes),
    .last_o (beat_last),
    .side_o ({beat_block, beat_len, beat_transfer_last})
  );

  // 2 Addresses and data.
  logic                          active_q, ended_q;  // a transfer; all its beats have been formed
  logic [dma_pkg::SlotWidth-1:0] slot_q;
  logic                          fill_q, source_tcdm_q, released_q;
  logic [31:0]                   pattern_q;
  logic                          first_q;  // no beat of this burst has been formed
  logic                          bad_address, failed, there, room;
  logic [7:0]                    beat_mask;
  logic                          aw_valid_q, w_valid_q, w_last_q;
  logic [63:3]                   aw_addr_q;
  logic [4:0]                    aw_len_q;
  logic [63:0]                   w_data_q;
  logic [7:0]                    w_strb_q;

  assign bad_address = beat_block[55:23] == '0;
  assign failed      = failed_i[slot_q];
  assign beat_mask   = dma_pkg::lanes(beat_addr[2:0], beat_bytes);
  assign there       = fill_q || (beat_mask & ~lane_valid_i) == '0;
  assign room        = (!w_valid_q || axi_w_ready_i) && (!first_q || ((!aw_valid_q || axi_aw_ready_i) && burst_room_i));

  // A burst begins only with good address, no fault and data; a begun one ends in any case.
  always_comb begin
    if (!first_q) beat_take = core_tick_i && beat_valid && room && (there || failed);
    else beat_take = core_tick_i && beat_valid && room && there && !failed && !bad_address;
  end

  assign burst_o    = beat_take && first_q;
  assign stop       = active_q && !ended_q && first_q && (failed || (beat_valid && bad_address));
  assign lane_pop_o = (beat_take && !fill_q && !failed) ? beat_mask : 8'h00;

  assign address_fault_o.valid = stop && !failed;
  assign address_fault_o.slot  = slot_q;
  assign address_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsNoSuchAddress;
  assign address_fault_o.addr  = {beat_block, beat_addr};

  assign ready_o       = !active_q;
  assign slot_o        = slot_q;
  assign source_tcdm_o = source_tcdm_q;
  assign finish_o      = active_q && ended_q && !released_q;
  assign leave_o       = active_q && ended_q && released_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      slot_q        <= slot_i;
      fill_q        <= shape_i.fill;
      source_tcdm_q <= shape_i.src_tcdm;
      pattern_q     <= shape_i.src[31:0];
    end
    if (beat_take) begin
      w_data_q <= fill_q ? {pattern_q, pattern_q} : lane_data_i;
      w_strb_q <= failed ? 8'h00 : beat_mask;
      w_last_q <= beat_last;
      if (first_q) begin
        aw_addr_q <= {beat_block, beat_addr[7:3]};
        aw_len_q  <= beat_len;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      ended_q    <= 1'b0;
      released_q <= 1'b0;
      first_q    <= 1'b1;
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
    end else begin
      if (load_i) begin
        active_q   <= 1'b1;
        ended_q    <= 1'b0;
        released_q <= shape_i.fill;
      end else begin
        if (stop || (beat_take && beat_last && beat_transfer_last)) ended_q <= 1'b1;
        if (finish_o && finish_ready_i) released_q <= 1'b1;
        if (leave_o) active_q <= 1'b0;
      end
      if (beat_take) first_q <= beat_last;
      if (beat_take) w_valid_q <= 1'b1;
      else if (core_tick_i && axi_w_ready_i) w_valid_q <= 1'b0;
      if (beat_take && first_q) aw_valid_q <= 1'b1;
      else if (core_tick_i && axi_aw_ready_i) aw_valid_q <= 1'b0;
    end
  end

  assign axi_aw_valid_o = aw_valid_q;
  assign axi_aw_addr_o  = {aw_addr_q, 3'b000};
  assign axi_aw_len_o   = {3'b000, aw_len_q};
  assign axi_w_valid_o  = w_valid_q;
  assign axi_w_data_o   = w_data_q;
  assign axi_w_strb_o   = w_strb_q;
  assign axi_w_last_o   = w_last_q;

  logic unused;
  assign unused = &{1'b0, rows_other, shape_i};

  `NC_ASSERT(DmaWriteLoadedWhenReady, !load_i || ready_o)
  `NC_ASSERT(DmaWriteStaysInPage,
             !(beat_take && first_q) || (9'(beat_addr[7:3]) + 9'(beat_len) < 9'd32))

endmodule
