// SPDX-License-Identifier: Apache-2.0
//
// One stream of operands: addresses wait in a queue for a port, words that came wait in another for
// their step. A request is made only when there is room for its answer, so answers never wait.
//
// An address that is "held" belongs to ntx_issue: it is requested only while release_i is high, or
// dropped (drop_i), having served elsewhere. Reset and clear_i leave both queues empty; the user
// sees to it that answers of requests made before clear_i do not arrive.

`include "assertions.svh"

module ntx_stream #(
  parameter int unsigned AddrBits  = 14,
  /// Addresses that wait.
  parameter int unsigned AddrDepth = 4,
  /// Words that wait, those requested and not yet here included.
  parameter int unsigned Depth     = 8,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic                  addr_valid_i,
  output logic                  addr_ready_o,
  input  logic                  addr_held_i,
  input  logic [AddrBits-1:0]   addr_i,

  /// The oldest address is there and held.
  output logic                  held_o,
  input  logic                  release_i,
  input  logic                  drop_i,

  /// The oldest address asks for a port; take_i: it got one.
  output logic                  request_o,
  output logic [AddrBits-1:0]   addr_o,
  input  logic                  take_i,
  /// Words ahead of their use, for a fair choice among streams.
  output logic [CountWidth-1:0] lead_o,

  input  logic                  answer_i,
  input  logic [31:0]           data_i,

  /// The oldest word; it stays until pop_i.
  output logic                  valid_o,
  output logic [31:0]           data_o,
  input  logic                  pop_i
);

  logic                  head_valid, head_held;
  logic [CountWidth-1:0] lead_q;

  logic [$clog2(AddrDepth+1)-1:0] unused_count;
  fifo #(
    .Width (AddrBits + 1),
    .Depth (AddrDepth)
  ) i_addresses (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (addr_valid_i),
    .ready_o (addr_ready_o),
    .data_i  ({addr_held_i, addr_i}),
    .valid_o (head_valid),
    .ready_i (take_i || drop_i),
    .data_o  ({head_held, addr_o}),
    .count_o (unused_count)
  );

  ntx_operand_fifo #(
    .Width (32),
    .Depth (Depth)
  ) i_words (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .push_i  (answer_i),
    .data_i  (data_i),
    .valid_o (valid_o),
    .data_o  (data_o),
    .pop_i   (pop_i)
  );

  assign held_o    = head_valid && head_held;
  assign request_o = head_valid && (!head_held || release_i) && lead_q != CountWidth'(Depth);
  assign lead_o    = lead_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) lead_q <= '0;
    else if (take_i && !pop_i) lead_q <= lead_q + 1'b1;
    else if (pop_i && !take_i) lead_q <= lead_q - 1'b1;
  end

  `NC_ASSERT(TakesRequests, !take_i || request_o)
  `NC_ASSERT(DropsHeldAddresses, !drop_i || held_o)
  `NC_ASSERT(LeadCountsWords, !pop_i || lead_q != '0)

endmodule
