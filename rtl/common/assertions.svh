// SPDX-License-Identifier: Apache-2.0
//
// Assertion macros with one back end a tool: checks in clocked blocks for Verilator, nothing for Yosys synthesis, the
// same for Yosys formal (FORMAL; without the label, which in a generate loop would be one name for many).
//
// The check for Verilator is spelled in C++ because `assert ... else $error` writes the instance's path into the
// generated code. Without it the code of equal instances is equal, and Verilator keeps one copy for all: eight NTX
// run within the processor's instruction cache. The message names the file, the line and the enclosing unit. (Nor are
// they concurrent assertions: for those Verilator copies every signal in every cycle.)

`ifndef NEARCUBE_ASSERTIONS_SVH
`define NEARCUBE_ASSERTIONS_SVH

// NC_ASSERT(label, expression): holds at every rising clk_i outside reset.
`ifdef YOSYS
  `ifdef FORMAL
    `define NC_ASSERT(label, expression) \
      always @(posedge clk_i) if (rst_ni) assert (expression);
  `else
    `define NC_ASSERT(label, expression)
  `endif
`else
  `ifdef VERILATOR
    `define NC_ASSERT(label, expression) \
      always_ff @(posedge clk_i) if (rst_ni) $c("if (VL_UNLIKELY(!((", (expression), ") & 1U))) {", \
        "VL_PRINTF_MT(\"[%llu] %%Error: assertion ", `"label`", " failed in %s\\n\", ", \
        "static_cast<unsigned long long>(vlSymsp->_vm_contextp__->time()), vlSelf->name());", \
        "VL_STOP_MT(\"", `__FILE__, "\", ", `__LINE__, ", vlSelf->name()); }");
  `else
    `define NC_ASSERT(label, expression) \
      always_ff @(posedge clk_i) if (rst_ni) label: assert (expression) \
        else $error("assertion %s failed in %m", `"label`");
  `endif
`endif

`endif
