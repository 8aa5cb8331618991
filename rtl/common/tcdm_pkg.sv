// SPDX-License-Identifier: Apache-2.0
//
// One master's port to the scratchpad (TCDM): request in a cycle, grant in the same cycle, and for a granted
// access an answer (rvalid; rdata if it was a read) exactly one cycle later. A master keeps its request
// unchanged until it is granted.

package tcdm_pkg;

  /// Word address bits: up to 1 MiB of scratchpad.
  localparam int unsigned AddrWidth = 18;

  typedef struct packed {
    logic                 req;
    logic                 we;
    logic [3:0]           be;
    logic [AddrWidth-1:0] addr;   // in words from the scratchpad's start
    logic [31:0]          wdata;
  } req_t;

  typedef struct packed {
    logic        gnt;
    logic        rvalid;
    logic [31:0] rdata;
  } rsp_t;

endpackage
