// SPDX-License-Identifier: Apache-2.0
//
// First-in first-out queue whose oldest word is in a register of its own, so that what computes
// with it starts right at a flip-flop. The user keeps count: it pushes only when there is room.
//
// Handshake: valid_o says that data_o is there; it stays until pop_i. A word pushed is at the
// output in the next cycle if nothing is before it. Reset and clear_i leave it empty; the words
// have no reset.

`include "assertions.svh"

module ntx_operand_fifo #(
  parameter int unsigned Width = 32,
  /// Words, at least 2.
  parameter int unsigned Depth = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i
);

  localparam int unsigned Rest      = Depth - 1;
  localparam int unsigned PointerWidth = (Rest > 1) ? $clog2(Rest) : 1;
  localparam int unsigned CountWidth   = $clog2(Rest + 1);
  localparam logic [PointerWidth-1:0] Last = PointerWidth'(Rest - 1);

  logic [Width-1:0]        rest_q [Rest];
  logic [Width-1:0]        head_q;
  logic [PointerWidth-1:0] read_q, write_q;
  logic [CountWidth-1:0]   count_q;
  logic                    valid_q, advance, rest_push, rest_pop;

  assign valid_o   = valid_q;
  assign data_o    = head_q;
  assign advance   = pop_i || !valid_q;
  assign rest_pop  = advance && count_q != '0;
  assign rest_push = push_i && !(advance && count_q == '0);

  always_ff @(posedge clk_i) begin
    if (advance && (count_q != '0 || push_i)) head_q <= (count_q != '0) ? rest_q[read_q] : data_i;
    if (rest_push) rest_q[write_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q <= 1'b0;
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (advance) valid_q <= count_q != '0 || push_i;
      if (rest_pop) read_q <= (read_q == Last) ? '0 : read_q + 1'b1;
      if (rest_push) write_q <= (write_q == Last) ? '0 : write_q + 1'b1;
      if (rest_push && !rest_pop) count_q <= count_q + 1'b1;
      if (rest_pop && !rest_push) count_q <= count_q - 1'b1;
    end
  end

  `NC_ASSERT(OperandFifoHasRoom, !rest_push || rest_pop || count_q != CountWidth'(Rest))
  `NC_ASSERT(OperandFifoPopsWords, !pop_i || valid_q)

endmodule
