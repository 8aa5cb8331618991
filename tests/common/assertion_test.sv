// SPDX-License-Identifier: Apache-2.0
//
// An assertion that the test can break.

`include "assertions.svh"

module assertion_test (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [3:0] value_i
);

  `NC_ASSERT(ValueIsSmall, value_i < 4'd9)

endmodule
