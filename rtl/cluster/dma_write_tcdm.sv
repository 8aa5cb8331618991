// SPDX-License-Identifier: Apache-2.0
//
// Writes the destination of transfers into the scratchpad, up to a word a cycle, transfer by transfer in the order
// given. The bytes come from one of the two readers' lanes, or from the fill pattern.
//
// A transfer is done (done_o, one cycle) when its last write has been granted and its reader, if it has one, has
// let go of it. After a fault nothing more of it is written.

`include "assertions.svh"

module dma_write_tcdm #(
  /// Scratchpad size in bytes.
  parameter int unsigned TcdmBytes = 65536
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  /// A transfer to write; load_i comes only while ready_o is high.
  output logic                           ready_o,
  input  logic                           load_i,
  input  logic [dma_pkg::SlotWidth-1:0]  slot_i,
  input  dma_pkg::shape_t                shape_i,

  /// Slots whose transfer has met a fault.
  input  logic [dma_pkg::Slots-1:0]      failed_i,
  /// The destination leaves the scratchpad.
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

  output logic                           done_o,

  output tcdm_pkg::req_t                 tcdm_req_o,
  input  tcdm_pkg::rsp_t                 tcdm_rsp_i
);

  localparam int unsigned SizeBits = $clog2(TcdmBytes);

  // 1 Rows and words.
  logic                            rows_valid, rows_ready, rows_last;
  logic [dma_pkg::OffsetWidth-1:0] rows_addr;
  logic [31:0]                     rows_bytes;
  logic [2:0]                      rows_other;
  logic                            word_valid, word_take, word_row_last, word_transfer_last;
  logic [dma_pkg::OffsetWidth-1:0] word_addr;
  logic [2:0]                      word_bytes;
  logic                            stop;

  dma_rows #(
    .AddrWidth(dma_pkg::OffsetWidth)
  ) u_rows (
    .clk_i,
    .rst_ni,
    .clear_i        (stop),
    .load_i,
    .addr_i         ({13'd0, shape_i.dst[19:0]}),
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
    .AddrWidth  (dma_pkg::OffsetWidth),
    .LengthWidth(32),
    .ChunkBits  (2),
    .SideWidth  (1)
  ) u_words (
    .clk_i,
    .rst_ni,
    .clear_i(stop),
    .valid_i(rows_valid),
    .ready_o(rows_ready),
    .addr_i (rows_addr),
    .bytes_i(rows_bytes),
    .side_i (rows_last),
    .valid_o(word_valid),
    .ready_i(word_take),
    .addr_o (word_addr),
    .bytes_o(word_bytes),
    .last_o (word_row_last),
    .side_o (word_transfer_last)
  );

  // 2 Requests.
  logic                          active_q, ended_q;  // a transfer; all its words have become requests
  logic [dma_pkg::SlotWidth-1:0] slot_q;
  logic                          fill_q, source_tcdm_q, released_q;
  logic [31:0]                   pattern_q;
  logic                          bad_address, failed, there;
  logic [7:0]                    word_mask;
  logic                          req_q;
  logic [SizeBits-3:0]           req_addr_q;
  logic [3:0]                    req_be_q;
  logic [31:0]                   req_data_q, word_data;

  assign bad_address = word_addr[dma_pkg::OffsetWidth-1:SizeBits] != '0;
  assign failed      = failed_i[slot_q];
  assign word_mask   = dma_pkg::lanes(word_addr[2:0], {1'b0, word_bytes});
  assign there       = fill_q || (word_mask & ~lane_valid_i) == '0;
  assign word_take   = word_valid && !failed && !bad_address && there && (!req_q || tcdm_rsp_i.gnt);
  assign stop        = active_q && !ended_q && (failed || (word_valid && bad_address));
  assign lane_pop_o  = (word_take && !fill_q) ? word_mask : 8'h00;

  always_comb begin
    if (fill_q) word_data = pattern_q;
    else if (word_addr[2]) word_data = lane_data_i[63:32];
    else word_data = lane_data_i[31:0];
  end

  assign address_fault_o.valid = stop && !failed;
  assign address_fault_o.slot  = slot_q;
  assign address_fault_o.cause = nearcube_regs_pkg::DmaErrorCauseCauseIsNoSuchAddress;
  assign address_fault_o.addr  = {{(64 - dma_pkg::OffsetWidth) {word_addr[dma_pkg::OffsetWidth-1]}}, word_addr} +
                                 {32'd0, nearcube_regs_pkg::TcdmBase};

  assign tcdm_req_o.req   = req_q;
  assign tcdm_req_o.we    = 1'b1;
  assign tcdm_req_o.be    = req_be_q;
  assign tcdm_req_o.addr  = tcdm_pkg::AddrWidth'(req_addr_q);
  assign tcdm_req_o.wdata = req_data_q;

  assign ready_o       = !active_q;
  assign slot_o        = slot_q;
  assign source_tcdm_o = source_tcdm_q;
  assign finish_o      = active_q && ended_q && !released_q;
  assign done_o        = active_q && ended_q && released_q && !req_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      slot_q        <= slot_i;
      fill_q        <= shape_i.fill;
      source_tcdm_q <= shape_i.src_tcdm;
      pattern_q     <= shape_i.src[31:0];
    end
    if (word_take) begin
      req_addr_q <= word_addr[SizeBits-1:2];
      req_be_q   <= word_mask[7:4] | word_mask[3:0];
      req_data_q <= word_data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      ended_q    <= 1'b0;
      released_q <= 1'b0;
      req_q      <= 1'b0;
    end else begin
      if (load_i) begin
        active_q   <= 1'b1;
        ended_q    <= 1'b0;
        released_q <= shape_i.fill;
      end else begin
        if (stop || (word_take && word_row_last && word_transfer_last)) ended_q <= 1'b1;
        if (finish_o && finish_ready_i) released_q <= 1'b1;
        if (done_o) active_q <= 1'b0;
      end
      if (word_take) req_q <= 1'b1;
      else if (tcdm_rsp_i.gnt) req_q <= 1'b0;
    end
  end

  // The answer to a write says nothing that its grant does not.
  logic unused;
  assign unused = &{1'b0, rows_other, shape_i, tcdm_rsp_i.rvalid, tcdm_rsp_i.rdata};

  `NC_ASSERT(DmaTcdmWriteLoadedWhenReady, !load_i || ready_o)

endmodule
