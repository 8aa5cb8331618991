// SPDX-License-Identifier: Apache-2.0
//
// Sends the read addresses for transfers whose source is behind AXI: rows cut into bursts, transfer by transfer in
// the order given, as far ahead as there is room for the data, into following transfers too.
//
// One address a core clock cycle, in ticks. A transfer with a fault is cut short: cut_o stays high, and nothing more is
// asked for, until whoever takes the data says resume_i.

`include "assertions.svh"

module dma_request_axi (
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
  /// The source leaves memory.
  output dma_pkg::fault_t                address_fault_o,

  /// Beats for which there is room, and how many this address asks for.
  input  logic [7:0]                     free_i,
  output logic                           reserve_o,
  output logic [5:0]                     beats_o,

  /// No more comes of the transfer in this slot.
  output logic                           cut_o,
  output logic [dma_pkg::SlotWidth-1:0]  slot_o,
  input  logic                           resume_i,

  output logic                           axi_ar_valid_o,
  input  logic                           axi_ar_ready_i,
  output logic [63:0]                    axi_ar_addr_o,
  output logic [7:0]                     axi_ar_len_o
);

  // 1 Rows and bursts.
  logic        rows_valid, rows_ready, rows_last;
  logic [63:0] rows_addr;
  logic [2:0]  rows_other;
  logic [31:0] rows_bytes;
  logic        burst_valid, burst_row_last, burst_transfer_last;
  logic [63:0] burst_addr;
  logic [8:0]  burst_bytes;
  logic        cut;

  dma_rows #(
    .AddrWidth(64)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (cut),
    .load_i,
    .addr_i         (shape_i.src),
    .stride1_i      (shape_i.src_stride1),
    .stride2_i      (shape_i.src_stride2),
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
    .clear_i(cut),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i (rows_last),
    .valid_o(burst_valid),
    .ready_i(reserve_o),
    .addr_o (burst_addr),
    .bytes_o(burst_bytes),
    .last_o (burst_row_last),
    .side_o (burst_transfer_last)
  );

  // 2 Addresses.
  logic                          active_q, cut_q;
  logic [dma_pkg::SlotWidth-1:0] slot_q;
  logic                          bad_address, failed;
  logic                          ar_valid_q;
  logic [63:3]                   ar_addr_q;
  logic [4:0]                    ar_len_q;

  assign beats_o     = 6'((10'(burst_addr[2:0]) + 10'(burst_bytes) + 10'd7) >> 3);
  assign bad_address = burst_addr[63:31] == '0;
  assign failed      = failed_i[slot_q];
  assign reserve_o   = core_tick_i && burst_valid && !failed && !bad_address &&
                       (!ar_valid_q || axi_ar_ready_i) && free_i >= 8'(beats_o);
  assign cut         = active_q && !cut_q && (failed || (burst_valid && bad_address));

  assign address_fault_o.valid = cut && !failed;
  assign address_fault_o.slot  = slot_q;
  assign address_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsNoSuchAddress;
  assign address_fault_o.addr  = burst_addr;

  assign ready_o = !active_q;
  assign cut_o   = cut_q;
  assign slot_o  = slot_q;

  always_ff @(posedge clk_i) begin
    if (load_i) slot_q <= slot_i;
    if (reserve_o) begin
      ar_addr_q <= burst_addr[63:3];
      ar_len_q  <= 5'(beats_o - 1'b1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      cut_q      <= 1'b0;
      ar_valid_q <= 1'b0;
    end else begin
      if (load_i) active_q <= 1'b1;
      else if (resume_i || (reserve_o && burst_row_last && burst_transfer_last)) active_q <= 1'b0;
      if (cut) cut_q <= 1'b1;
      else if (resume_i) cut_q <= 1'b0;
      if (reserve_o) ar_valid_q <= 1'b1;
      else if (core_tick_i && axi_ar_ready_i) ar_valid_q <= 1'b0;
    end
  end

  assign axi_ar_valid_o = ar_valid_q;
  assign axi_ar_addr_o  = {ar_addr_q, 3'b000};
  assign axi_ar_len_o   = {3'b000, ar_len_q};

  logic unused;
  assign unused = &{1'b0, rows_other, shape_i};

  `NC_ASSERT(DmaRequestLoadedWhenReady, !load_i || ready_o)
  `NC_ASSERT(DmaRequestResumedWhenCut, !resume_i || cut_q)
  `NC_ASSERT(DmaRequestStaysInPage, !reserve_o || ({1'b0, burst_addr[11:0]} + 13'(burst_bytes) <= 13'h1000))

endmodule
