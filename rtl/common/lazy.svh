// SPDX-License-Identifier: Apache-2.0
//
// NC_LAZY(condition) stands before work whose result nobody looks at while the condition is low. Simulation skips it
// then, which saves time. Synthesis leaves the condition out: a pipeline register without it needs no multiplexer to
// keep a value that is not used (0.6 of a register's own area), and logic need not be gated. Tests run blocks that
// use it both ways.

`ifndef NEARCUBE_LAZY_SVH
`define NEARCUBE_LAZY_SVH

`ifdef YOSYS
  `define NC_LAZY(condition)
`else
  `define NC_LAZY(condition) if (condition)
`endif

`endif
