// SPDX-License-Identifier: Apache-2.0
//
// First-in first-out queue that shows its two oldest words and can give both in one cycle. Even and
// odd words live in separate halves, so each word's multiplexer is half as deep. The user pushes
// only when there is room (asserted). Reset and clear_i leave it empty; the words have no reset.

`include "assertions.svh"

module ntx_pair_fifo #(
  parameter int unsigned Width = 32,
  /// Words; even.
  parameter int unsigned Depth = 16,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  push_i,
  input  logic [Width-1:0]      data_i,
  /// Oldest and second oldest word.
  output logic [Width-1:0]      first_o,
  output logic [Width-1:0]      second_o,
  /// Words that leave: 0, 1 or 2.
  input  logic [1:0]            pop_i,
  output logic [CountWidth-1:0] count_o
);

  localparam int unsigned Half     = Depth / 2;
  localparam int unsigned RowWidth = (Half > 1) ? $clog2(Half) : 1;
  localparam logic [RowWidth-1:0] LastRow = RowWidth'(Half - 1);

  if (Depth % 2 != 0) begin : g_check
    $error("ntx_pair_fifo: Depth must be even");
  end

  logic [Width-1:0]      even_q [Half];
  logic [Width-1:0]      odd_q [Half];
  // Row and half of the oldest word and of the next to write.
  logic [RowWidth-1:0]   read_row_q, write_row_q, next_read_row;
  logic                  read_odd_q, write_odd_q;
  logic [CountWidth-1:0] count_q;
  logic [Width-1:0]      even, odd;

  assign next_read_row = (read_row_q == LastRow) ? '0 : read_row_q + 1'b1;
  assign even          = even_q[read_odd_q ? next_read_row : read_row_q];
  assign odd           = odd_q[read_row_q];
  assign first_o       = read_odd_q ? odd : even;
  assign second_o      = read_odd_q ? even : odd;
  assign count_o       = count_q;

  always_ff @(posedge clk_i) begin
    if (push_i && !write_odd_q) even_q[write_row_q] <= data_i;
    if (push_i && write_odd_q) odd_q[write_row_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      read_row_q  <= '0;
      write_row_q <= '0;
      read_odd_q  <= 1'b0;
      write_odd_q <= 1'b0;
      count_q     <= '0;
    end else begin
      if (push_i) begin
        write_odd_q <= !write_odd_q;
        if (write_odd_q) write_row_q <= (write_row_q == LastRow) ? '0 : write_row_q + 1'b1;
      end
      if (pop_i[0]) read_odd_q <= !read_odd_q;
      if (pop_i[1] || (pop_i[0] && read_odd_q)) read_row_q <= next_read_row;
      count_q <= count_q + CountWidth'(push_i) - CountWidth'(pop_i);
    end
  end

  `NC_ASSERT(PairFifoHasRoom, !push_i || count_q != CountWidth'(Depth))
  `NC_ASSERT(PairFifoPopsWords, CountWidth'(pop_i) <= count_q && pop_i != 2'd3)

endmodule
