// SPDX-License-Identifier: Apache-2.0
//
// Five nested hardware loops: visits each index tuple of the loops below the outer level once, loop
// 0 fastest. step_i goes to the next tuple. The outputs describe the present tuple. It holds the
// staged copy of the trip counts too; load_i takes that over and starts at the first tuple.

`include "assertions.svh"

module ntx_loops (
  input  logic        clk_i,
  input  logic        rst_ni,

  /// Staged trip count minus one of loop register_i.
  input  logic        write_i,
  input  logic [2:0]  register_i,
  input  logic [15:0] wdata_i,
  output logic [15:0] rdata_o,

  input  logic        load_i,
  input  logic        step_i,
  input  logic [2:0]  outer_level_i,
  /// One-hot unless last_o: the loop that the next step advances; those below it start over.
  output logic [4:0]  advances_o,
  /// Bit n: the present tuple is the last of the nest of loops 0 to n - 1.
  output logic [5:0]  nest_ends_o,
  /// The present tuple is the last of all.
  output logic        last_o
);

  (* mem2reg *) logic [15:0] staged_q [5];
  (* mem2reg *) logic [15:0] last_index_q [5];
  (* mem2reg *) logic [15:0] index_q [5];
  logic [4:0]  at_end;

  for (genvar j = 0; j < 5; j++) begin : g_ends
    assign at_end[j] = index_q[j] == last_index_q[j];
  end
  assign nest_ends_o = {&at_end, &at_end[3:0], &at_end[2:0], &at_end[1:0], at_end[0], 1'b1};
  assign advances_o  = nest_ends_o[4:0] & ~at_end;
  assign last_o      = nest_ends_o[outer_level_i];

  always_ff @(posedge clk_i) begin
    if (write_i) staged_q[register_i] <= wdata_i;
    if (load_i) begin
      for (int unsigned j = 0; j < 5; j++) last_index_q[j] <= staged_q[j];
    end
  end
  assign rdata_o = staged_q[register_i];

  // One loop advances, so one adder does for all.
  logic [15:0] index, next_index;
  always_comb begin
    index = '0;
    for (int unsigned j = 0; j < 5; j++) index = index | ({16{advances_o[j]}} & index_q[j]);
    next_index = index + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < 5; j++) begin
      if (load_i || (step_i && nest_ends_o[j+1])) index_q[j] <= '0;
      else if (step_i && advances_o[j]) index_q[j] <= next_index;
    end
  end

  `NC_ASSERT(StepAdvancesOneLoop, !step_i || last_o || $onehot(advances_o))

endmodule
