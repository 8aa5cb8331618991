// SPDX-License-Identifier: Apache-2.0
//
// A process with a branch whose condition reads what the branch changes.
module clamp (
  input  logic [7:0] value_i,
  output logic [7:0] value_o,
  output logic       clamped_o
);

  always_comb begin
    value_o   = value_i;
    clamped_o = 1'b0;
    if (value_o > 8'd99) begin
      clamped_o = 1'b1;
      value_o   = 8'd99;
    end else if (value_o == 8'd7) begin
      value_o   = 8'd8;
    end
  end

endmodule
