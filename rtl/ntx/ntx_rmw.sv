// SPDX-License-Identifier: Apache-2.0
//
// The second half of MASKMAC: M[AGU2] = round(M[AGU2] + v) for the steps whose test held.
//
// ntx_issue decides a step; for a hit the word's read is requested, and the step waits here until
// the word and v are in their streams. Then it goes to the accumulator. As a later hit must read
// what an earlier one stores, words that are being modified are marked, from the read's request to
// the store's grant, in a table of 32 flags. Two words may share a flag; the later hit then waits
// as if it were the same word. Reset and clear_i leave nothing waiting and no mark.

`include "assertions.svh"

module ntx_rmw #(
  parameter int unsigned AddrBits = 14
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  /// The word that the present step would modify, and whether it may be read.
  input  logic [AddrBits-1:0] addr_i,
  output logic                addr_free_o,

  /// A step comes: it modifies a word, and it is the last to use v.
  input  logic                push_i,
  input  logic                hit_i,
  input  logic                pop_v_i,
  output logic                ready_o,

  input  logic                v_valid_i,
  input  logic                word_valid_i,
  /// v + word goes to the accumulator; the word leaves its stream.
  output logic                add_o,
  output logic                pop_v_o,
  output logic                empty_o,

  /// Stores granted in this cycle.
  input  logic [1:0]          stored_i,
  input  logic [AddrBits-1:0] stored0_addr_i,
  input  logic [AddrBits-1:0] stored1_addr_i
);


  logic [31:0] marked_q, mark, unmark;
  logic        head_valid, head_hit, head_pop, go;

  logic [2:0] unused_count;
  fifo #(
    .Width (2),
    .Depth (4)
  ) i_steps (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (push_i),
    .ready_o (ready_o),
    .data_i  ({hit_i, pop_v_i}),
    .valid_o (head_valid),
    .ready_i (go),
    .data_o  ({head_hit, head_pop}),
    .count_o (unused_count)
  );

  assign go      = head_valid && v_valid_i && (!head_hit || word_valid_i);
  assign add_o   = go && head_hit;
  assign pop_v_o = go && head_pop;
  assign empty_o = !head_valid;

  logic [4:0] slot, stored0_slot, stored1_slot;
  always_comb begin
    slot         = '0;
    stored0_slot = '0;
    stored1_slot = '0;
    for (int unsigned i = 0; i < AddrBits; i++) begin
      slot[i % 5]         = slot[i % 5] ^ addr_i[i];
      stored0_slot[i % 5] = stored0_slot[i % 5] ^ stored0_addr_i[i];
      stored1_slot[i % 5] = stored1_slot[i % 5] ^ stored1_addr_i[i];
    end
  end

  assign addr_free_o = !marked_q[slot];
  always_comb begin
    mark   = '0;
    unmark = '0;
    if (push_i && hit_i) mark[slot] = 1'b1;
    if (stored_i[0]) unmark[stored0_slot] = 1'b1;
    if (stored_i[1]) unmark[stored1_slot] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) marked_q <= '0;
    else if (mark != '0 || stored_i != '0) marked_q <= (marked_q & ~unmark) | mark;
  end

  `NC_ASSERT(StepsFit, !push_i || ready_o)
  `NC_ASSERT(MarksFreeWords, !push_i || !hit_i || addr_free_o)

endmodule
