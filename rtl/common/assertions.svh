// SPDX-License-Identifier: Apache-2.0
//
// Assertion macros with one back end a tool: checks in clocked blocks for Verilator, nothing for Yosys synthesis, the
// same for Yosys formal (FORMAL). `name` becomes the assertion's label (but not for
// Yosys, in which a label in a generate loop would be one name for many). They are not concurrent assertions, because
// for those Verilator copies every signal in every cycle: the cluster ran 12 % slower.

`ifndef NEARCUBE_ASSERTIONS_SVH
`define NEARCUBE_ASSERTIONS_SVH

// NC_ASSERT(name, expression): holds at every rising clk_i outside reset.
`ifdef YOSYS
  `ifdef FORMAL
    `define NC_ASSERT(name, expression) \
      always @(posedge clk_i) if (rst_ni) assert (expression);
  `else
    `define NC_ASSERT(name, expression)
  `endif
`else
  `define NC_ASSERT(name, expression) \
    always_ff @(posedge clk_i) if (rst_ni) name: assert (expression) \
      else $error("assertion %s failed in %m", `"name`");
`endif

`endif
