// SPDX-License-Identifier: Apache-2.0
//
// What fifo promises, whatever its two sides do: it holds what was put in and has not been taken,
// at most Depth words; it gives each word once, unchanged, in order.
//
// One word is marked, at a moment that the solver picks: it has to leave right behind the words
// that were before it. As every word can be the marked one, this holds for all.

module properties #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 5
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i,
  input logic             mark_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic                  ready_o, valid_o, push, pop;
  logic [Width-1:0]      data_o;
  logic [CountWidth-1:0] count_o;

  fifo #(
    .Width(Width),
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .ready_o,
    .data_i,
    .valid_o,
    .ready_i,
    .data_o,
    .count_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  assign push = valid_i && ready_o;
  assign pop  = valid_o && ready_i;

  // How many words are in it, and how many of them before the marked one.
  logic [CountWidth:0] inside_q, before_q;
  logic                marked_q, full_q, was_before_q;
  logic [Width-1:0]    word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      inside_q <= '0;
      marked_q <= 1'b0;
    end else begin
      inside_q <= inside_q + (CountWidth + 1)'(push) - (CountWidth + 1)'(pop);
      if (!marked_q && push && mark_i) begin
        marked_q     <= 1'b1;
        before_q     <= inside_q - (CountWidth + 1)'(pop);
        word_q       <= data_i;
        was_before_q <= inside_q != '0;
      end else if (marked_q && pop) begin
        if (before_q == '0) marked_q <= 1'b0;
        before_q <= before_q - 1'b1;
      end
    end
    full_q <= rst_ni && !clear_i && (inside_q == (CountWidth + 1)'(Depth) || (full_q && inside_q != '0));
  end

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      counts:    assert ({1'b0, count_o} == inside_q);
      overflow:  assert (inside_q <= (CountWidth + 1)'(Depth));
      not_full:  assert (ready_o == (inside_q != (CountWidth + 1)'(Depth)));
      not_empty: assert (valid_o == (inside_q != '0));
      if (marked_q) kept: assert (before_q < inside_q);
      if (marked_q && before_q == '0) in_order: assert (valid_o && data_o == word_q);

      full_then_empty: cover (full_q && inside_q == '0);
      marked_leaves:   cover (marked_q && was_before_q && before_q == '0 && pop && inside_q == (CountWidth + 1)'(2));
    end
  end

endmodule
