// SPDX-License-Identifier: Apache-2.0
//
// Many counters of single events: 32 bits, wrapping, each stepped or not in every cycle, read one
// at a time.
//
// A counter is the sum of a word in a memory and a few low bits in flip-flops. The low bits count;
// a scanner goes round the counters, one a cycle, and moves what it finds into the memory, before
// the low bits can overflow. So 64 counters take one adder and a small memory instead of 2048
// flip-flops with 64 incrementers, and the simulator, which holds bit k of all counters in one
// word, handles 64 in a few instructions.
//
// value_o is exact in every cycle: all steps up to the previous cycle. clear_i (and reset) zeroes
// all at once and wins over steps.

`include "assertions.svh"

module event_counters #(
  /// Counters, 2 to 64.
  parameter int unsigned Counters = 64,
  localparam int unsigned IndexWidth = $clog2(Counters)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  /// Counters to step.
  input  logic [Counters-1:0]   step_i,
  input  logic [IndexWidth-1:0] index_i,
  /// The counter at index_i, combinational.
  output logic [31:0]           value_o
);

  typedef logic [Counters-1:0] counters_t;
  localparam counters_t First = 1;

  // At most Counters steps lie between two visits.
  localparam int unsigned LowWidth = $clog2(Counters + 1);

  counters_t             low_q [LowWidth];  // bit k of all low parts
  counters_t             low [LowWidth];    // the same without the one that is moved
  counters_t             carry [LowWidth+1];
  logic [31:0]           sums_q [Counters];
  counters_t             used_q;            // the word in the memory counts; else it is zero
  logic [IndexWidth-1:0] scan_q;
  logic [LowWidth-1:0]   moved, read;
  counters_t             scanned;

  assign scanned = First << scan_q;

  always_comb begin
    carry[0] = step_i;
    for (int unsigned k = 0; k < LowWidth; k++) begin
      low[k]     = low_q[k] & ~scanned;
      carry[k+1] = carry[k] & low[k];
      moved[k]   = low_q[k][scan_q];
      read[k]    = low_q[k][index_i];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < LowWidth; k++) begin
      if (!rst_ni || clear_i) low_q[k] <= '0;
      else low_q[k] <= low[k] ^ carry[k];
    end
  end

  always_ff @(posedge clk_i) begin
    if (moved != '0) sums_q[scan_q] <= (used_q[scan_q] ? sums_q[scan_q] : 32'b0) + 32'(moved);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) used_q <= '0;
    else if (moved != '0) used_q <= used_q | scanned;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || scan_q == IndexWidth'(Counters - 1)) scan_q <= '0;
    else scan_q <= scan_q + 1'b1;
  end

  assign value_o = (used_q[index_i] ? sums_q[index_i] : 32'b0) + 32'(read);

  counters_t overflow;
  assign overflow = carry[LowWidth];
  `NC_ASSERT(EventCountersLowPartNeverOverflows, overflow == '0)

endmodule
