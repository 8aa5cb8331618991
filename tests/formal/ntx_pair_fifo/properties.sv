// SPDX-License-Identifier: Apache-2.0
//
// What ntx_pair_fifo promises to a user that pushes only when there is room and takes only what is
// there: it shows the two oldest words, each leaves once, unchanged, in order. One word is marked,
// at a moment that the solver picks; see ../fifo.

module properties #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 6,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             push_i,
  input logic [Width-1:0] data_i,
  input logic [1:0]       pop_i,
  input logic             mark_i
);

  logic [Width-1:0]      first_o, second_o;
  logic [CountWidth-1:0] count_o;

  ntx_pair_fifo #(
    .Width(Width),
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i,
    .data_i,
    .first_o,
    .second_o,
    .pop_i,
    .count_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  // How many words are in it, and how many of them before the marked one.
  logic [CountWidth:0] inside_q, before_q, pops;
  logic                marked_q, full_q;
  logic [Width-1:0]    word_q;

  assign pops = (CountWidth + 1)'(pop_i);
  always @* begin
    assume (!push_i || inside_q < (CountWidth + 1)'(Depth));
    assume (pop_i != 2'd3 && pops <= inside_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      inside_q <= '0;
      marked_q <= 1'b0;
      full_q   <= 1'b0;
    end else begin
      inside_q <= inside_q + (CountWidth + 1)'(push_i) - pops;
      full_q   <= full_q || inside_q == (CountWidth + 1)'(Depth);
      if (!marked_q && push_i && mark_i) begin
        marked_q <= 1'b1;
        before_q <= inside_q - pops;
        word_q   <= data_i;
      end else if (marked_q) begin
        if (before_q < pops) marked_q <= 1'b0;
        before_q <= before_q - pops;
      end
    end
  end

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      counts: assert ({1'b0, count_o} == inside_q);
      kept:   assert (!marked_q || before_q < inside_q);
      first:  assert (!marked_q || before_q != '0 || first_o == word_q);
      second: assert (!marked_q || before_q != (CountWidth + 1)'(1) || second_o == word_q);

      second_of_pair: cover (marked_q && before_q == (CountWidth + 1)'(1) && pop_i == 2'd2 && full_q && push_i);
    end
  end

endmodule
