// SPDX-License-Identifier: Apache-2.0
//
// 32-bit adder with a second carry in that comes late: what it carries out without that carry, and
// whether it would pass it on, are known first; the sum follows the late carry after two gates.
// Combinational. Not both carries in may be high.
//
// Two descriptions of one function: synthesis (YOSYS defined) takes a prefix tree, whose nodes give
// all of that; simulation takes `+`.

module late_carry_adder (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic        carry_i,
  input  logic        late_carry_i,
  /// a + b + carry_i overflows; a + b is all ones.
  output logic        generate_o,
  output logic        propagate_o,
  /// a + b + carry_i + late_carry_i.
  output logic [31:0] sum_o
);

`ifdef YOSYS

  // Of bits i to 0 after the last level: they generate a carry, they propagate one.
  logic [31:0] generates, propagates, differ;

  always_comb begin
    differ       = a_i ^ b_i;
    propagates   = differ;
    generates    = a_i & b_i;
    generates[0] = generates[0] | (differ[0] & carry_i);
    for (int level = 0; level < 5; level++) begin
      for (int i = 0; i < 32; i++) begin
        if (((i >> level) & 1) == 1) begin
          generates[i]  = generates[i] | (propagates[i] & generates[((i>>level)<<level)-1]);
          propagates[i] = propagates[i] & propagates[((i>>level)<<level)-1];
        end
      end
    end
  end
  assign generate_o  = generates[31];
  assign propagate_o = propagates[31];
  assign sum_o       = differ ^ {generates[30:0] | (propagates[30:0] & {31{late_carry_i}}),
                                 carry_i | late_carry_i};

`else

  logic [31:0] sum;
  assign {generate_o, sum} = {1'b0, a_i} + {1'b0, b_i} + 33'(carry_i);
  assign propagate_o       = (a_i ^ b_i) == '1;
  assign sum_o             = sum + 32'(late_carry_i);

`endif

endmodule
