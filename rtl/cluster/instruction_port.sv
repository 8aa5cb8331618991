// SPDX-License-Identifier: Apache-2.0
//
// Fetches lines of instructions for the core's cache: one request of 32 bytes becomes one AXI burst
// of four beats.
//
// Core side: req and gnt at ticks, up to four lines outstanding, answered in their order by four
// beats each with rvalid at ticks, which the core always takes. A line outside cube memory waits
// until none is outstanding, is answered by four beats with err and does not reach AXI. The request
// is copied when granted, so AXI sees a stable one whatever the core does.

`include "assertions.svh"

module instruction_port (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_tick_i,

  input  logic        instr_req_i,
  input  logic [31:0] instr_addr_i,
  output logic        instr_gnt_o,
  output logic        instr_rvalid_o,
  output logic [63:0] instr_rdata_o,
  output logic        instr_last_o,
  output logic        instr_err_o,

  /// AXI: bursts of four beats of eight bytes; beats are always taken.
  output logic        axi_ar_valid_o,
  input  logic        axi_ar_ready_i,
  output logic [31:0] axi_addr_o,
  input  logic        axi_r_valid_i,
  input  logic        axi_r_err_i,
  input  logic [63:0] axi_r_data_i,
  input  logic        axi_r_last_i,

  /// A line is outstanding, for watchdogs.
  output logic        debug_busy_o
);

  localparam logic [2:0] Lines = 3'd4;

  logic        ar_q, nowhere_q, exists, accept, line_done;
  logic [1:0]  beat_q;
  logic [2:0]  lines_q;  // on their way from AXI, with the one whose address waits
  logic [31:5] line_q;

  assign exists    = instr_addr_i >= nearcube_regs_pkg::CubeBase;
  assign accept    = instr_req_i && instr_gnt_o;
  assign line_done = instr_rvalid_o && instr_last_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_q      <= 1'b0;
      nowhere_q <= 1'b0;
      beat_q    <= '0;
      lines_q   <= '0;
    end else if (core_tick_i) begin
      ar_q      <= (accept && exists) || (ar_q && !axi_ar_ready_i);
      nowhere_q <= (accept && !exists) || (nowhere_q && !line_done);
      if (instr_rvalid_o) beat_q <= beat_q + 1'b1;
      lines_q <= lines_q + {2'b0, accept && exists} - {2'b0, line_done && !nowhere_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (core_tick_i && accept) line_q <= instr_addr_i[31:5];
  end

  assign instr_gnt_o    = !ar_q && !nowhere_q && (exists ? lines_q != Lines : lines_q == '0);
  assign instr_rvalid_o = nowhere_q || axi_r_valid_i;
  assign instr_rdata_o  = axi_r_data_i;
  assign instr_last_o   = beat_q == 2'd3;
  assign instr_err_o    = nowhere_q || axi_r_err_i;
  assign axi_ar_valid_o = ar_q;
  assign axi_addr_o     = {line_q, 5'b0};
  assign debug_busy_o   = nowhere_q || lines_q != '0;

  `NC_ASSERT(InstructionAddressAligned, !(core_tick_i && instr_req_i) || instr_addr_i[4:0] == '0)
  `NC_ASSERT(InstructionBeatsExpected,
             !(core_tick_i && axi_r_valid_i) || lines_q > {2'b0, ar_q})
  `NC_ASSERT(InstructionBurstOfFour,
             !(core_tick_i && axi_r_valid_i) || axi_r_last_i == instr_last_o)

endmodule
