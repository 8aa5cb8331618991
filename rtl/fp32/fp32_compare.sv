// SPDX-License-Identifier: Apache-2.0
//
// Comparator for binary32, combinational.
// - Relation: x_i EQ, LT or LE y_i, IEEE 754 quiet: -0 equals +0, a NaN makes each false. With
//   integer_i both are unsigned integers.
// - Selection: IEEE 754-2019 maximum or minimum of both, so -0 is below +0 and a NaN operand gives
//   the NaN 0x7FC00000. For the index of the extremum of a stream with x_i the next element and y_i
//   the best so far: replaces_o says whether x_i takes the place. Of equals the earlier stays, and
//   the first NaN wins.

module fp32_compare (
  input  logic [31:0] x_i,
  input  logic [31:0] y_i,
  /// Unsigned integers instead of binary32; for the relation only.
  input  logic        integer_i,
  /// 0 EQ, 1 LT, 2 LE; 3 is never true.
  input  logic [1:0]  relation_i,
  output logic        holds_o,

  /// Minimum instead of maximum.
  input  logic        minimum_i,
  output logic [31:0] selected_o,
  output logic        replaces_o
);

  logic x_nan, y_nan, both_zero, same, below, order_below, equal, less;

  always_comb begin
    x_nan     = x_i[30:23] == 8'hFF && x_i[22:0] != '0;
    y_nan     = y_i[30:23] == 8'hFF && y_i[22:0] != '0;
    both_zero = x_i[30:0] == '0 && y_i[30:0] == '0;
    same      = x_i == y_i;
    below     = x_i < y_i;
    // Order of binary32 numbers as bit patterns, -0 below +0: the magnitude's order, turned round
    // for two negatives.
    order_below = (x_i[31] != y_i[31]) ? x_i[31] : x_i[31] ? !below && !same : below;

    equal   = integer_i ? same : !x_nan && !y_nan && (same || both_zero);
    less    = integer_i ? below : !x_nan && !y_nan && order_below && !both_zero;
    case (relation_i)
      2'd0:    holds_o = equal;
      2'd1:    holds_o = less;
      2'd2:    holds_o = less || equal;
      default: holds_o = 1'b0;
    endcase

    replaces_o = !y_nan && (x_nan || (!same && (order_below == minimum_i)));
    selected_o = (x_nan || y_nan) ? 32'h7FC0_0000 : replaces_o ? x_i : y_i;
  end

endmodule
