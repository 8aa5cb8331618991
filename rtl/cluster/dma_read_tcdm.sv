// SPDX-License-Identifier: Apache-2.0
//
// Reads the source of transfers from the scratchpad, a word a cycle, transfer by transfer in the order given, and
// offers the bytes in the lanes in which the destination wants them.
//
// The lanes hold bytes of one transfer at a time, the owner, from its first word until its writer says finish_i and
// no access is under way (finish_ready_o). The next transfer's first word waits for that. A transfer with a fault
// is cut short.

`include "assertions.svh"

module dma_read_tcdm #(
  /// Scratchpad size in bytes.
  parameter int unsigned TcdmBytes = 65536
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  /// A transfer to read; load_i comes only while ready_o is high.
  output logic                           ready_o,
  input  logic                           load_i,
  input  logic [dma_pkg::SlotWidth-1:0]  slot_i,
  input  dma_pkg::shape_t                shape_i,

  /// Slots whose transfer has met a fault.
  input  logic [dma_pkg::Slots-1:0]      failed_i,
  /// The source leaves the scratchpad.
  output dma_pkg::fault_t                address_fault_o,

  /// The realigned bytes and the transfer they belong to.
  output logic                           owner_valid_o,
  output logic [dma_pkg::SlotWidth-1:0]  owner_o,
  output logic [7:0]                     lane_valid_o,
  output logic [63:0]                    lane_data_o,
  input  logic [7:0]                     lane_pop_i,
  /// The owner's writer needs no more; done with it when ready, too.
  input  logic                           finish_i,
  output logic                           finish_ready_o,

  output tcdm_pkg::req_t                 tcdm_req_o,
  input  tcdm_pkg::rsp_t                 tcdm_rsp_i
);

  localparam int unsigned SizeBits = $clog2(TcdmBytes);

  // 1 Rows and words.
  logic                            rows_valid, rows_ready, rows_last;
  logic [dma_pkg::OffsetWidth-1:0] rows_addr;
  logic [2:0]                      rows_other;
  logic [31:0]                     rows_bytes;
  logic                            word_valid, word_take, word_row_last, word_transfer_last;
  logic [dma_pkg::OffsetWidth-1:0] word_addr;
  logic [2:0]                      word_bytes, word_turn;
  logic                            active_q;  // a transfer with words left, in slot_q
  logic [dma_pkg::SlotWidth-1:0]   slot_q;
  logic                            stop;

  dma_rows #(
    .AddrWidth(dma_pkg::OffsetWidth)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (stop),
    .load_i,
    .addr_i         ({13'd0, shape_i.src[19:0]}),
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
    .AddrWidth  (dma_pkg::OffsetWidth),
    .LengthWidth(32),
    .ChunkBits  (2),
    .SideWidth  (4)
  ) u_words (
    .clk_i,
    .rst_ni,
    .clear_i(stop),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i ({rows_last, rows_other - rows_addr[2:0]}),
    .valid_o(word_valid),
    .ready_i(word_take),
    .addr_o (word_addr),
    .bytes_o(word_bytes),
    .last_o (word_row_last),
    .side_o ({word_transfer_last, word_turn})
  );

  // 2 Requests, for which the lanes have reserved room.
  logic                          owner_valid_q, ended_q;  // ended: every word of the owner has been asked for
  logic [dma_pkg::SlotWidth-1:0] owner_q;
  logic                          owning, bad_address, failed, lanes_ready, finish;
  logic [7:0]                    word_mask;
  logic                          req_q, answer_q;  // a request; a granted one, its answer in this cycle
  logic [SizeBits-3:0]           req_addr_q;
  logic [7:0]                    req_mask_q, answer_mask_q;
  logic [2:0]                    req_turn_q, answer_turn_q;

  assign owning      = !owner_valid_q || (owner_q == slot_q && !ended_q);
  assign bad_address = word_addr[dma_pkg::OffsetWidth-1:SizeBits] != '0;
  assign failed      = failed_i[slot_q];
  assign word_mask   = dma_pkg::rotate_mask(dma_pkg::lanes(word_addr[2:0], {1'b0, word_bytes}), word_turn);
  assign word_take   = word_valid && owning && !failed && !bad_address && lanes_ready &&
                       (!req_q || tcdm_rsp_i.gnt);
  assign stop        = active_q && owning && (failed || (word_valid && bad_address));

  assign address_fault_o.valid = stop && !failed;
  assign address_fault_o.slot  = slot_q;
  assign address_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsNoSuchAddress;
  assign address_fault_o.addr  = {{(64 - dma_pkg::OffsetWidth) {word_addr[dma_pkg::OffsetWidth-1]}}, word_addr} +
                                 {32'd0, nearcube_regs_pkg::TcdmBase};

  assign tcdm_req_o.req   = req_q;
  assign tcdm_req_o.we    = 1'b0;
  assign tcdm_req_o.be    = 4'hF;
  assign tcdm_req_o.addr  = tcdm_pkg::AddrWidth'(req_addr_q);
  assign tcdm_req_o.wdata = '0;

  assign ready_o        = !active_q;
  assign owner_valid_o  = owner_valid_q;
  assign owner_o        = owner_q;
  assign finish_ready_o = ended_q && !req_q && !answer_q;
  assign finish         = finish_i && finish_ready_o;

  always_ff @(posedge clk_i) begin
    if (load_i) slot_q <= slot_i;
    if (word_take || stop) owner_q <= slot_q;
    if (word_take) begin
      req_addr_q <= word_addr[SizeBits-1:2];
      req_mask_q <= word_mask;
      req_turn_q <= word_turn;
    end
    if (req_q && tcdm_rsp_i.gnt) begin
      answer_mask_q <= req_mask_q;
      answer_turn_q <= req_turn_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q      <= 1'b0;
      owner_valid_q <= 1'b0;
      ended_q       <= 1'b0;
      req_q         <= 1'b0;
      answer_q      <= 1'b0;
    end else begin
      if (load_i) active_q <= 1'b1;
      else if (stop || (word_take && word_row_last && word_transfer_last)) active_q <= 1'b0;
      if (word_take || stop) owner_valid_q <= 1'b1;
      else if (finish) owner_valid_q <= 1'b0;
      if (stop || (word_take && word_row_last && word_transfer_last)) ended_q <= 1'b1;
      else if (finish) ended_q <= 1'b0;
      if (word_take) req_q <= 1'b1;
      else if (tcdm_rsp_i.gnt) req_q <= 1'b0;
      answer_q <= req_q && tcdm_rsp_i.gnt;
    end
  end

  // 3 Answers.
  dma_lanes #(
    .Depth(4)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .clear_i       (finish),
    .reserve_mask_i(word_mask),
    .reserve_i     (word_take),
    .ready_o       (lanes_ready),
    .push_mask_i   (answer_q ? answer_mask_q : 8'h00),
    .push_data_i   (dma_pkg::rotate_data({tcdm_rsp_i.rdata, tcdm_rsp_i.rdata}, answer_turn_q)),
    .valid_o       (lane_valid_o),
    .data_o        (lane_data_o),
    .pop_mask_i    (lane_pop_i)
  );

  logic unused;
  assign unused = &{1'b0, shape_i};

  `NC_ASSERT(DmaTcdmReadLoadedWhenReady, !load_i || ready_o)
  `NC_ASSERT(DmaTcdmReadAnswered, answer_q == tcdm_rsp_i.rvalid)

endmodule
