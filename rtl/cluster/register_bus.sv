// SPDX-License-Identifier: Apache-2.0
//
// Takes the core's register accesses to the block that owns the address; an address of no block is
// a bus error.
//
// Both sides: an access is made in a cycle with req, gnt and core_tick_i, gnt depending on the
// address only; the answer (rdata, err) belongs to it in the next cycle. Only the DMA and NTX ever
// hold back a grant.

module register_bus (
  input  logic        clk_i,
  input  logic        core_tick_i,

  input  logic        req_i,
  /// Byte address, in the blocks' 32 KiB.
  input  logic [31:0] addr_i,
  output logic        gnt_o,
  output logic [31:0] rdata_o,
  output logic        err_o,

  /// One request line a block; write enable, address and data go to all of them directly.
  output logic        control_req_o,
  input  logic [31:0] control_rdata_i,
  input  logic        control_err_i,

  output logic        dma_req_o,
  input  logic        dma_gnt_i,
  input  logic [31:0] dma_rdata_i,
  input  logic        dma_err_i,

  output logic        counters_req_o,
  input  logic [31:0] counters_rdata_i,
  input  logic        counters_err_i,

  output logic        ntx_req_o,
  input  logic        ntx_gnt_i,
  input  logic [31:0] ntx_rdata_i,
  input  logic        ntx_err_i
);

  typedef enum logic [2:0] {
    BlockControl,
    BlockDma,
    BlockCounters,
    BlockNtx,
    BlockNone
  } block_e;

  // Sizes are powers of two and bases multiples of them.
  localparam logic [31:0] ControlMask = ~(nearcube_regs_pkg::ControlSize - 1);
  localparam logic [31:0] DmaMask = ~(nearcube_regs_pkg::DmaSize - 1);
  localparam logic [31:0] CountersMask = ~(nearcube_regs_pkg::CountersSize - 1);
  localparam logic [31:0] NtxMask = ~(nearcube_regs_pkg::NtxSize - 1);
  localparam logic [31:0] NtxBroadcastMask = ~(nearcube_regs_pkg::NtxBroadcastSize - 1);

  block_e block, block_q;

  always_comb begin
    block = BlockNone;
    if ((addr_i & ControlMask) == nearcube_regs_pkg::ControlBase) block = BlockControl;
    if ((addr_i & DmaMask) == nearcube_regs_pkg::DmaBase) block = BlockDma;
    if ((addr_i & CountersMask) == nearcube_regs_pkg::CountersBase) block = BlockCounters;
    if ((addr_i & NtxMask) == nearcube_regs_pkg::NtxBase) block = BlockNtx;
    if ((addr_i & NtxBroadcastMask) == nearcube_regs_pkg::NtxBroadcastBase) block = BlockNtx;
  end

  assign control_req_o  = req_i && block == BlockControl;
  assign dma_req_o      = req_i && block == BlockDma;
  assign counters_req_o = req_i && block == BlockCounters;
  assign ntx_req_o      = req_i && block == BlockNtx;

  always_comb begin
    unique case (block)
      BlockDma: gnt_o = dma_gnt_i;
      BlockNtx: gnt_o = ntx_gnt_i;
      default:  gnt_o = 1'b1;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (core_tick_i) block_q <= block;
  end

  always_comb begin
    unique case (block_q)
      BlockControl:  {err_o, rdata_o} = {control_err_i, control_rdata_i};
      BlockDma:      {err_o, rdata_o} = {dma_err_i, dma_rdata_i};
      BlockCounters: {err_o, rdata_o} = {counters_err_i, counters_rdata_i};
      BlockNtx:      {err_o, rdata_o} = {ntx_err_i, ntx_rdata_i};
      default:       {err_o, rdata_o} = {1'b1, 32'b0};
    endcase
  end

endmodule
