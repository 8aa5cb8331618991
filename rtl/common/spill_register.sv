// SPDX-License-Identifier: Apache-2.0
//
// Two words of storage that cut every combinational path between a producer and a consumer, ready
// included.
//
// Handshake, both sides: a word moves in a cycle with valid and ready high; valid never waits for
// ready, and both outputs come straight from registers. Latency one cycle, throughput one word a
// cycle. A word that is offered and not taken stays unchanged. Reset and clear_i leave it empty;
// the words themselves have no reset.

`include "assertions.svh"

module spill_register #(
  /// Bits of a word.
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /// Synchronous: drops what it holds, also a word offered in this cycle.
  input  logic             clear_i,

  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  // The word at the output, and the one that arrived while it could not leave.
  logic [Width-1:0] front_q, spill_q;
  logic             front_valid_q, spill_valid_q;
  logic             push, advance;

  assign ready_o = !spill_valid_q;
  assign valid_o = front_valid_q;
  assign data_o  = front_q;
  assign push    = valid_i && ready_o;
  assign advance = ready_i || !front_valid_q;

  always_ff @(posedge clk_i) begin
    if (advance) front_q <= spill_valid_q ? spill_q : data_i;
    if (push) spill_q <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      front_valid_q <= 1'b0;
      spill_valid_q <= 1'b0;
    end else if (advance) begin
      front_valid_q <= spill_valid_q || valid_i;
      spill_valid_q <= 1'b0;
    end else if (push) begin
      spill_valid_q <= 1'b1;
    end
  end

  `NC_ASSERT(SpillRegisterFillsFrontFirst, !spill_valid_q || front_valid_q)

endmodule
