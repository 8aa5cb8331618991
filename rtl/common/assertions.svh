// SPDX-License-Identifier: Apache-2.0
//
// Assertion macros with one back end a tool: concurrent assertions for Verilator, nothing for Yosys synthesis,
// immediate ones for Yosys formal (FORMAL). `name` becomes the assertion's label.

`ifndef NEARCUBE_ASSERTIONS_SVH
`define NEARCUBE_ASSERTIONS_SVH

// NC_ASSERT(name, expression): holds at every rising clk_i outside reset.
`ifdef YOSYS
  `ifdef FORMAL
    `define NC_ASSERT(name, expression) \
      always @(posedge clk_i) if (rst_ni) name: assert (expression);
  `else
    `define NC_ASSERT(name, expression)
  `endif
`else
  `define NC_ASSERT(name, expression) \
    name: assert property (@(posedge clk_i) disable iff (!rst_ni) (expression)) \
      else $error("assertion %s failed in %m", `"name`");
`endif

`endif
