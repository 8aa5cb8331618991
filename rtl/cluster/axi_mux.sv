// SPDX-License-Identifier: Apache-2.0
//
// Joins the DMA, the core's data port and its instruction refill into the cluster's one AXI4 master
// port, 64 bits wide. All handshakes happen in cycles with core_tick_i high.
//
// Ids leave as {source, id}, source 0 the DMA, 1 data, 2 instructions, and responses go back by
// them. Addresses are granted round robin. A write's address passes a register, and its data may
// leave from the next core cycle on, in the order of the addresses, whether the address has been
// taken or not: so a slave may wait for the data before it takes the address. Read addresses, data
// and responses pass through. valid never waits for ready, and what is valid and not taken stays as
// it is.

`include "assertions.svh"

module axi_mux (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_tick_i,

  /// DMA: anything.
  input  logic        dma_aw_valid_i,
  output logic        dma_aw_ready_o,
  input  logic [63:0] dma_aw_addr_i,
  input  logic [2:0]  dma_aw_id_i,
  input  logic [7:0]  dma_aw_len_i,
  input  logic [2:0]  dma_aw_size_i,
  input  logic [1:0]  dma_aw_burst_i,
  input  logic        dma_w_valid_i,
  output logic        dma_w_ready_o,
  input  logic [63:0] dma_w_data_i,
  input  logic [7:0]  dma_w_strb_i,
  input  logic        dma_w_last_i,
  output logic        dma_b_valid_o,
  input  logic        dma_b_ready_i,
  output logic [2:0]  dma_b_id_o,
  output logic [1:0]  dma_b_resp_o,
  input  logic        dma_ar_valid_i,
  output logic        dma_ar_ready_o,
  input  logic [63:0] dma_ar_addr_i,
  input  logic [2:0]  dma_ar_id_i,
  input  logic [7:0]  dma_ar_len_i,
  input  logic [2:0]  dma_ar_size_i,
  input  logic [1:0]  dma_ar_burst_i,
  output logic        dma_r_valid_o,
  input  logic        dma_r_ready_i,
  output logic [2:0]  dma_r_id_o,
  output logic [63:0] dma_r_data_o,
  output logic [1:0]  dma_r_resp_o,
  output logic        dma_r_last_o,

  /// Data: single beats of a word; takes every response at once. Its address serves reads and
  /// writes.
  input  logic [31:0] data_addr_i,
  input  logic        data_aw_valid_i,
  output logic        data_aw_ready_o,
  input  logic        data_w_valid_i,
  output logic        data_w_ready_o,
  input  logic [63:0] data_w_data_i,
  input  logic [7:0]  data_w_strb_i,
  output logic        data_b_valid_o,
  output logic        data_b_err_o,
  input  logic        data_ar_valid_i,
  output logic        data_ar_ready_o,
  output logic        data_r_valid_o,
  output logic        data_r_err_o,
  output logic [63:0] data_r_data_o,

  /// Instructions: bursts of four beats of eight bytes; takes every beat at once.
  input  logic [31:0] instr_addr_i,
  input  logic        instr_ar_valid_i,
  output logic        instr_ar_ready_o,
  output logic        instr_r_valid_o,
  output logic        instr_r_err_o,
  output logic [63:0] instr_r_data_o,
  output logic        instr_r_last_o,

  /// To the cube.
  output logic        axi_aw_valid_o,
  input  logic        axi_aw_ready_i,
  output logic [63:0] axi_aw_addr_o,
  output logic [4:0]  axi_aw_id_o,
  output logic [7:0]  axi_aw_len_o,
  output logic [2:0]  axi_aw_size_o,
  output logic [1:0]  axi_aw_burst_o,
  output logic        axi_w_valid_o,
  input  logic        axi_w_ready_i,
  output logic [63:0] axi_w_data_o,
  output logic [7:0]  axi_w_strb_o,
  output logic        axi_w_last_o,
  input  logic        axi_b_valid_i,
  output logic        axi_b_ready_o,
  input  logic [4:0]  axi_b_id_i,
  input  logic [1:0]  axi_b_resp_i,
  output logic        axi_ar_valid_o,
  input  logic        axi_ar_ready_i,
  output logic [63:0] axi_ar_addr_o,
  output logic [4:0]  axi_ar_id_o,
  output logic [7:0]  axi_ar_len_o,
  output logic [2:0]  axi_ar_size_o,
  output logic [1:0]  axi_ar_burst_o,
  input  logic        axi_r_valid_i,
  output logic        axi_r_ready_o,
  input  logic [4:0]  axi_r_id_i,
  input  logic [63:0] axi_r_data_i,
  input  logic [1:0]  axi_r_resp_i,
  input  logic        axi_r_last_i
);

  localparam logic [1:0] SourceDma = 2'd0;
  localparam logic [1:0] SourceData = 2'd1;
  localparam logic [1:0] SourceInstr = 2'd2;

  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [2:0] SizeWord = 3'd2;
  localparam logic [2:0] SizeDouble = 3'd3;

  // 1 Read addresses.
  logic [2:0] ar_grant;
  logic [1:0] ar_source;

  rr_arbiter #(.Requesters(3)) u_ar_arbiter (
    .clk_i, .rst_ni,
    .request_i({instr_ar_valid_i, data_ar_valid_i, dma_ar_valid_i}),
    .grant_o  (ar_grant),
    .index_o  (ar_source),
    .valid_o  (axi_ar_valid_o),
    .ready_i  (axi_ar_ready_i && core_tick_i)
  );
  assign {instr_ar_ready_o, data_ar_ready_o, dma_ar_ready_o} = ar_grant & {3{axi_ar_ready_i}};

  always_comb begin
    axi_ar_addr_o  = dma_ar_addr_i;
    axi_ar_id_o    = {SourceDma, dma_ar_id_i};
    axi_ar_len_o   = dma_ar_len_i;
    axi_ar_size_o  = dma_ar_size_i;
    axi_ar_burst_o = dma_ar_burst_i;
    if (ar_source == SourceData) begin
      axi_ar_addr_o  = {32'b0, data_addr_i};
      axi_ar_id_o    = {SourceData, 3'b0};
      axi_ar_len_o   = 8'd0;
      axi_ar_size_o  = SizeWord;
      axi_ar_burst_o = BurstIncr;
    end else if (ar_source == SourceInstr) begin
      axi_ar_addr_o  = {32'b0, instr_addr_i};
      axi_ar_id_o    = {SourceInstr, 3'b0};
      axi_ar_len_o   = 8'd3;
      axi_ar_size_o  = SizeDouble;
      axi_ar_burst_o = BurstIncr;
    end
  end

  // 2 Write addresses: into the register when it is free or being taken, and there is room to note
  // the order.
  logic [1:0]  aw_grant;
  logic        aw_source, aw_any, aw_room, aw_take, aw_valid_q, order_ready;
  logic [63:0] aw_addr_q;
  logic [4:0]  aw_id_q;
  logic [7:0]  aw_len_q;
  logic [2:0]  aw_size_q;
  logic [1:0]  aw_burst_q;

  assign aw_room = (!aw_valid_q || axi_aw_ready_i) && order_ready;
  assign aw_take = aw_any && aw_room && core_tick_i;

  rr_arbiter #(.Requesters(2)) u_aw_arbiter (
    .clk_i, .rst_ni,
    .request_i({data_aw_valid_i, dma_aw_valid_i}),
    .grant_o  (aw_grant),
    .index_o  (aw_source),
    .valid_o  (aw_any),
    .ready_i  (aw_room && core_tick_i)
  );
  assign {data_aw_ready_o, dma_aw_ready_o} = aw_grant & {2{aw_room}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) aw_valid_q <= 1'b0;
    else if (core_tick_i) aw_valid_q <= aw_take || (aw_valid_q && !axi_aw_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (aw_take) begin
      aw_addr_q  <= aw_source ? {32'b0, data_addr_i} : dma_aw_addr_i;
      aw_id_q    <= aw_source ? {SourceData, 3'b0} : {SourceDma, dma_aw_id_i};
      aw_len_q   <= aw_source ? 8'd0 : dma_aw_len_i;
      aw_size_q  <= aw_source ? SizeWord : dma_aw_size_i;
      aw_burst_q <= aw_source ? BurstIncr : dma_aw_burst_i;
    end
  end

  assign axi_aw_valid_o = aw_valid_q;
  assign axi_aw_addr_o  = aw_addr_q;
  assign axi_aw_id_o    = aw_id_q;
  assign axi_aw_len_o   = aw_len_q;
  assign axi_aw_size_o  = aw_size_q;
  assign axi_aw_burst_o = aw_burst_q;

  // 3 Write data, in the order of the addresses.
  logic       w_open, w_source, w_last;
  logic [2:0] w_bursts;

  fifo #(.Width(1), .Depth(4)) u_order (
    .clk_i, .rst_ni,
    .clear_i(1'b0),
    .valid_i(aw_any && aw_room && core_tick_i),
    .ready_o(order_ready),
    .data_i (aw_source),
    .valid_o(w_open),
    .ready_i(w_last),
    .data_o (w_source),
    .count_o(w_bursts)
  );

  assign axi_w_valid_o  = w_open && (w_source ? data_w_valid_i : dma_w_valid_i);
  assign axi_w_data_o   = w_source ? data_w_data_i : dma_w_data_i;
  assign axi_w_strb_o   = w_source ? data_w_strb_i : dma_w_strb_i;
  assign axi_w_last_o   = w_source || dma_w_last_i;
  assign w_last         = axi_w_valid_o && axi_w_ready_i && axi_w_last_o && core_tick_i;
  assign data_w_ready_o = w_open && w_source && axi_w_ready_i;
  assign dma_w_ready_o  = w_open && !w_source && axi_w_ready_i;

  // 4 Responses.
  assign dma_b_valid_o  = axi_b_valid_i && axi_b_id_i[4:3] == SourceDma;
  assign dma_b_id_o     = axi_b_id_i[2:0];
  assign dma_b_resp_o   = axi_b_resp_i;
  assign data_b_valid_o = axi_b_valid_i && axi_b_id_i[4:3] == SourceData;
  assign data_b_err_o   = axi_b_resp_i[1];
  assign axi_b_ready_o  = axi_b_id_i[4:3] != SourceDma || dma_b_ready_i;

  assign dma_r_valid_o   = axi_r_valid_i && axi_r_id_i[4:3] == SourceDma;
  assign dma_r_id_o      = axi_r_id_i[2:0];
  assign dma_r_data_o    = axi_r_data_i;
  assign dma_r_resp_o    = axi_r_resp_i;
  assign dma_r_last_o    = axi_r_last_i;
  assign data_r_valid_o  = axi_r_valid_i && axi_r_id_i[4:3] == SourceData;
  assign data_r_err_o    = axi_r_resp_i[1];
  assign data_r_data_o   = axi_r_data_i;
  assign instr_r_valid_o = axi_r_valid_i && axi_r_id_i[4:3] == SourceInstr;
  assign instr_r_err_o   = axi_r_resp_i[1];
  assign instr_r_data_o  = axi_r_data_i;
  assign instr_r_last_o  = axi_r_last_i;
  assign axi_r_ready_o   = axi_r_id_i[4:3] != SourceDma || dma_r_ready_i;

  `NC_ASSERT(AxiMuxSourceOfWriteResponse, !axi_b_valid_i || axi_b_id_i[4:3] < SourceInstr)
  `NC_ASSERT(AxiMuxSourceOfReadData, !axi_r_valid_i || axi_r_id_i[4:3] <= SourceInstr)
  `NC_ASSERT(AxiMuxOrderHoldsFour, w_bursts <= 3'd4)

endmodule
