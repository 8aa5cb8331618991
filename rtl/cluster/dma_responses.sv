// SPDX-License-Identifier: Apache-2.0
//
// Takes the responses to AXI writes and says which transfers are complete.
//
// All writes have one id, so responses come in the order of the bursts; walking the destination's rows a second time
// tells which burst each is for. Responses are always taken: there are no more of them than the queue holds.
// A transfer is done (done_o, one cycle) when its writer has left it and every burst announced until then is answered.

`include "assertions.svh"

module dma_responses (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           core_tick_i,

  /// A transfer that is written to AXI; load_i comes only while ready_o is high.
  output logic                           ready_o,
  input  logic                           load_i,
  input  logic [dma_pkg::SlotWidth-1:0]  slot_i,
  input  dma_pkg::shape_t                shape_i,

  /// Another burst may be announced; one is.
  output logic                           room_o,
  input  logic                           burst_i,
  /// The writer leaves its transfer.
  input  logic                           leave_i,

  /// An error response.
  output dma_pkg::fault_t                response_fault_o,
  output logic                           done_o,
  output logic [dma_pkg::SlotWidth-1:0]  done_slot_o,
  /// A response is due.
  output logic                           wait_response_o,

  input  logic                           axi_b_valid_i,
  output logic                           axi_b_ready_o,
  input  logic [1:0]                     axi_b_resp_i
);

  /// Most bursts without a response.
  localparam int unsigned Bursts = 32;
  localparam int unsigned CountWidth = $clog2(Bursts) + 1;

  // 1 Rows and bursts.
  logic        rows_valid, rows_ready, rows_last;
  logic [63:0] rows_addr, burst_addr;
  logic [2:0]  rows_other;
  logic [31:0] rows_bytes;
  logic        burst_valid, burst_row_last, burst_transfer_last, step;
  logic [8:0]  burst_bytes;

  dma_rows #(
    .AddrWidth(64)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (done_o),
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
    .clear_i(done_o),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i (rows_last),
    .valid_o(burst_valid),
    .ready_i(step),
    .addr_o (burst_addr),
    .bytes_o(burst_bytes),
    .last_o (burst_row_last),
    .side_o (burst_transfer_last)
  );

  // 2 Responses, and the number of the burst before which each transfer ended, all modulo 2^CountWidth.
  logic                             active_q;
  logic [dma_pkg::SlotWidth-1:0]    slot_q;
  logic [CountWidth-1:0]            announced_q, walked_q, end_number;
  logic [$clog2(Bursts+1)-1:0]      open_q;  // announced and not answered
  logic                             response, response_valid, response_error, response_ready;
  logic [$clog2(Bursts+1)-1:0]      responses;
  logic                             end_valid, end_ready;
  logic [$clog2(dma_pkg::Slots+1)-1:0] ends;

  assign axi_b_ready_o   = 1'b1;
  assign response        = core_tick_i && axi_b_valid_i;
  assign room_o          = CountWidth'(open_q) + CountWidth'(responses) < CountWidth'(Bursts);
  assign wait_response_o = open_q != '0;

  fifo #(
    .Width(1),
    .Depth(Bursts)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .valid_i(response),
    .ready_o(response_ready),
    .data_i (axi_b_resp_i[1]),
    .valid_o(response_valid),
    .ready_i(step),
    .data_o (response_error),
    .count_o(responses)
  );

  fifo #(
    .Width(CountWidth),
    .Depth(dma_pkg::Slots)
  ) u_ends (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .valid_i(leave_i),
    .ready_o(end_ready),
    .data_i (announced_q),
    .valid_o(end_valid),
    .ready_i(done_o),
    .data_o (end_number),
    .count_o(ends)
  );

  // A transfer that was stopped has fewer bursts than its rows.
  assign done_o      = active_q && end_valid && end_number == walked_q;
  assign done_slot_o = slot_q;
  assign step        = response_valid && burst_valid && !done_o;

  assign response_fault_o.valid = step && response_error;
  assign response_fault_o.slot  = slot_q;
  assign response_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsBusWrite;
  assign response_fault_o.addr  = burst_addr;

  assign ready_o = !active_q;

  always_ff @(posedge clk_i) begin
    if (load_i) slot_q <= slot_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      announced_q <= '0;
      walked_q    <= '0;
      open_q      <= '0;
    end else begin
      if (load_i) active_q <= 1'b1;
      else if (done_o) active_q <= 1'b0;
      if (burst_i) announced_q <= announced_q + 1'b1;
      if (step) walked_q <= walked_q + 1'b1;
      if (burst_i && !response) open_q <= open_q + 1'b1;
      if (response && !burst_i) open_q <= open_q - 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, rows_other, shape_i, burst_bytes, burst_row_last, burst_transfer_last, axi_b_resp_i[0], ends};

  `NC_ASSERT(DmaResponsesLoadedWhenReady, !load_i || ready_o)
  `NC_ASSERT(DmaResponseExpected, !response || (open_q != '0 && response_ready))
  `NC_ASSERT(DmaResponseHasRoom, !burst_i || room_o)
  `NC_ASSERT(DmaResponseEndFits, !leave_i || end_ready)

endmodule
