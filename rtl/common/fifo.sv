// SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out queue of `Depth` words in flip-flops.
//
// Handshake, both sides: a word moves in a cycle with valid and ready high; valid never waits for
// ready. ready_o says "not full" and valid_o "not empty", both straight from registers, so nothing
// passes from one side to the other in the same cycle: latency is one cycle, throughput one word a
// cycle for Depth >= 2 (a full queue takes no word in the cycle in which it gives one). Reset and
// clear_i leave it empty; the words themselves have no reset.

`include "assertions.svh"

module fifo #(
  /// Bits of a word.
  parameter int unsigned Width = 32,
  /// Words it holds; any number from 1, not only powers of two.
  parameter int unsigned Depth = 2,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Synchronous: drops every word, also one offered in this cycle.
  input  logic                  clear_i,

  input  logic                  valid_i,
  output logic                  ready_o,
  input  logic [Width-1:0]      data_i,

  output logic                  valid_o,
  input  logic                  ready_i,
  /// The oldest word; meaningful while valid_o is high.
  output logic [Width-1:0]      data_o,

  /// Words held now, 0 to Depth.
  output logic [CountWidth-1:0] count_o
);

  localparam int unsigned PointerWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Depth - 1);

  logic [Width-1:0]        words_q [Depth];
  logic [PointerWidth-1:0] read_q, write_q;
  logic [CountWidth-1:0]   count_q;
  logic                    push, pop;

  assign ready_o = count_q != CountWidth'(Depth);
  assign valid_o = count_q != '0;
  assign data_o  = words_q[read_q];
  assign count_o = count_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (push) words_q[write_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (push) write_q <= (write_q == Last) ? '0 : write_q + 1'b1;
      if (pop) read_q <= (read_q == Last) ? '0 : read_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  `NC_ASSERT(FifoNeverOverflows, 32'(count_q) <= Depth)
  `NC_ASSERT(FifoPointersInRange, 32'(read_q) < Depth && 32'(write_q) < Depth)

endmodule
