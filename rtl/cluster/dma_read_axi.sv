// SPDX-License-Identifier: Apache-2.0
//
// Takes the data that dma_request_axi asked for, transfer by transfer in the same order, and offers the bytes in the
// lanes in which the destination wants them.
//
// All reads have one id, so data comes in the order of the addresses; walking the same rows a second time tells
// what each beat is, however many bursts are in flight. Data is always taken: room in the buffer was reserved for it.
//
// The lanes hold bytes of one transfer at a time, the owner, from its first beat until its writer says finish_i and
// all that was asked for has come (finish_ready_o). What still comes of a transfer after a fault is dropped; if it was
// cut short, all there is to come is its own, and when that is in, requests may go on (resume_o).

`include "assertions.svh"

module dma_read_axi (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           core_tick_i,

  /// A transfer to read; load_i comes only while ready_o is high.
  output logic                           ready_o,
  input  logic                           load_i,
  input  logic [dma_pkg::SlotWidth-1:0]  slot_i,
  input  dma_pkg::shape_t                shape_i,

  /// Slots whose transfer has met a fault.
  input  logic [dma_pkg::Slots-1:0]      failed_i,
  /// An error answer.
  output dma_pkg::fault_t                data_fault_o,

  /// The requests: beats to make room for, the room there is, and the transfer that was cut short.
  input  logic                           reserve_i,
  input  logic [5:0]                     beats_i,
  output logic [7:0]                     free_o,
  input  logic                           cut_i,
  input  logic [dma_pkg::SlotWidth-1:0]  cut_slot_i,
  output logic                           resume_o,

  /// The realigned bytes and the transfer they belong to.
  output logic                           owner_valid_o,
  output logic [dma_pkg::SlotWidth-1:0]  owner_o,
  output logic [7:0]                     lane_valid_o,
  output logic [63:0]                    lane_data_o,
  input  logic [7:0]                     lane_pop_i,
  /// The owner's writer needs no more; done with it when ready, too.
  input  logic                           finish_i,
  output logic                           finish_ready_o,

  input  logic                           axi_r_valid_i,
  output logic                           axi_r_ready_o,
  input  logic [63:0]                    axi_r_data_i,
  input  logic [1:0]                     axi_r_resp_i,

  /// There is nothing to work on, but data is on its way.
  output logic                           wait_data_o
);

  localparam int unsigned Words = 128;

  // 1 Data, always taken.
  logic        data_valid, data_pop, data_error;
  logic [63:0] data;
  logic [7:0]  expected;

  assign axi_r_ready_o = 1'b1;

  dma_read_buffer #(
    .Words(Words)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .reserve_i,
    .beats_i,
    .free_o,
    .expected_o(expected),
    .push_i    (core_tick_i && axi_r_valid_i),
    .data_i    (axi_r_data_i),
    .error_i   (axi_r_resp_i[1]),
    .valid_o   (data_valid),
    .pop_i     (data_pop),
    .data_o    (data),
    .error_o   (data_error)
  );

  // 2 Rows and beats.
  logic        rows_valid, rows_ready, rows_last;
  logic [63:0] rows_addr;
  logic [2:0]  rows_other;
  logic [31:0] rows_bytes;
  logic        beat_valid, beat_row_last, beat_transfer_last;
  logic [63:0] beat_addr;
  logic [3:0]  beat_bytes;
  logic [2:0]  beat_turn;  // lanes from source to destination

  dma_rows #(
    .AddrWidth(64)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (resume_o),
    .load_i,
    .addr_i         (shape_i.src),
    .stride1_i      (shape_i.src_stride1),
    .stride2_i      (shape_i.src_stride2),
    .count1_i       (shape_i.count1),
    .count2_i       (shape_i.count2),
    .bytes_i        (shape_i.bytes),
    .other_addr_i   (shape_i.dst[2:0]),
    .other_stride1_i(shape_i.dst_stride1[2:0]),
    .other_stride2_i(shape_i.dst_stride2[2:0]),
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
    .ChunkBits  (3),
    .SideWidth  (4)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .clear_i(resume_o),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i ({rows_last, rows_other - rows_addr[2:0]}),
    .valid_o(beat_valid),
    .ready_i(data_pop),
    .addr_o (beat_addr),
    .bytes_o(beat_bytes),
    .last_o (beat_row_last),
    .side_o ({beat_transfer_last, beat_turn})
  );

  // 3 From the buffer to the lanes.
  logic                          active_q;                // a transfer with beats left, in slot_q
  logic                          owner_valid_q, ended_q;  // ended: all data of the owner has come
  logic [dma_pkg::SlotWidth-1:0] slot_q, owner_q;
  logic                          owning, failed, drop, lanes_ready, push, last, finish;
  logic [7:0]                    push_mask;

  assign owning    = !owner_valid_q || (owner_q == slot_q && !ended_q);
  assign failed    = failed_i[slot_q];
  assign drop      = failed || data_error;
  assign data_pop  = beat_valid && owning && data_valid && (drop || lanes_ready);
  assign push      = data_pop && !drop;
  assign push_mask = dma_pkg::rotate_mask(dma_pkg::lanes(beat_addr[2:0], beat_bytes), beat_turn);
  assign resume_o  = active_q && owning && cut_i && cut_slot_i == slot_q && free_o == 8'(Words);
  assign last      = resume_o || (data_pop && beat_row_last && beat_transfer_last);
  assign finish    = finish_i && finish_ready_o;

  assign data_fault_o.valid = data_pop && data_error;
  assign data_fault_o.slot  = slot_q;
  assign data_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsBusRead;
  assign data_fault_o.addr  = beat_addr;

  assign ready_o        = !active_q;
  assign owner_valid_o  = owner_valid_q;
  assign owner_o        = owner_q;
  assign finish_ready_o = ended_q;
  assign wait_data_o    = expected != '0 && !data_valid && !axi_r_valid_i;

  dma_lanes #(
    .Depth(4)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .clear_i       (finish),
    .reserve_mask_i(push_mask),
    .reserve_i     (push),
    .ready_o       (lanes_ready),
    .push_mask_i   (push ? push_mask : 8'h00),
    .push_data_i   (dma_pkg::rotate_data(data, beat_turn)),
    .valid_o       (lane_valid_o),
    .data_o        (lane_data_o),
    .pop_mask_i    (lane_pop_i)
  );

  always_ff @(posedge clk_i) begin
    if (load_i) slot_q <= slot_i;
    if (data_pop || resume_o) owner_q <= slot_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      owner_valid_q <= 1'b0;
      ended_q       <= 1'b0;
    end else begin
      if (load_i) active_q <= 1'b1;
      else if (last) active_q <= 1'b0;
      if (data_pop || resume_o) owner_valid_q <= 1'b1;
      else if (finish) owner_valid_q <= 1'b0;
      if (last) ended_q <= 1'b1;
      else if (finish) ended_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = &{1'b0, axi_r_resp_i[0], shape_i};

  `NC_ASSERT(DmaReadLoadedWhenReady, !load_i || ready_o)

endmodule
