// SPDX-License-Identifier: Apache-2.0
//
// Product of two unsigned 24-bit numbers, or with negate_i its negative, as two rows: sum_o +
// carry_o modulo 2^48. Combinational; the user adds the rows, in the next stage if time is short.
//
// Two descriptions of one function. Synthesis (YOSYS defined) takes radix-4 Booth rows and
// carry-save adders, which Yosys would not make of `*` and which save about 2 kGE. Simulation takes
// `*`, which is one instruction of the host. tests/fp32 compares the first with the host's product.

module multiply24 (
  input  logic [23:0] a_i,
  input  logic [23:0] b_i,
  input  logic        negate_i,
  output logic [47:0] sum_o,
  output logic [47:0] carry_o
);

`ifdef YOSYS

  // 13 digits of b_i, each -2 to 2, from three neighbouring bits.
  logic [26:0] bits;
  assign bits = {2'b0, b_i, 1'b0};

  // 13 rows, and two for each three that an adder takes from the front, so that the tree is
  // balanced.
  (* mem2reg *) logic [47:0] row [35];
  logic [24:0] multiple;
  logic [12:0] negative;
  logic        one, two;

  always_comb begin
    multiple = '0;
    one      = 1'b0;
    two      = 1'b0;
    negative = '0;
    for (int i = 0; i < 13; i++) begin
      one         = bits[2*i] ^ bits[2*i+1];
      two         = (bits[2*i+2] ^ bits[2*i+1]) & ~one;
      negative[i] = bits[2*i+2] ^ negate_i;
      // A negative multiple is complemented; its 1 stands in the next row, below that row's digits.
      multiple    = (({25{one}} & {1'b0, a_i}) | ({25{two}} & {a_i, 1'b0})) ^ {25{negative[i]}};
      // Instead of extending the signs: each inverted, and a constant that the ones above them
      // spell out. The lowest digit's row has room above for the 1 of the highest digit, and, as
      // that takes time, enters the adders second.
      if (i == 0) begin
        row[12] = {20'b0, {~negative[0], negative[0], negative[0], multiple[24]} + {3'b0, negate_i},
                   multiple[23:0]};
      end else begin
        row[i-1] = (48'({22'b1, ~negative[i], multiple}) << (2 * i))
                   | (48'(negative[i-1]) << (2 * i - 2));
      end
    end
    for (int i = 0; i < 11; i++) begin
      row[13+2*i] = row[3*i] ^ row[3*i+1] ^ row[3*i+2];
      row[14+2*i] = {(row[3*i][46:0] & row[3*i+1][46:0])
                     | (row[3*i+2][46:0] & (row[3*i][46:0] | row[3*i+1][46:0])), 1'b0};
    end
    sum_o   = row[33];
    carry_o = row[34];
  end

`else

  logic [47:0] product;
  assign product = {24'b0, a_i} * {24'b0, b_i};
  assign sum_o   = negate_i ? -product : product;
  assign carry_o = '0;

`endif

endmodule
