// SPDX-License-Identifier: Apache-2.0
//
// What an NTX tells its cluster besides data: events for the performance counters.

package ntx_pkg;

  /// Exactly one of busy, the stalls and idle is high in every cycle out of reset.
  typedef struct packed {
    logic       busy;          // a step was issued
    logic       stall_a;       // no step: operand A missing
    logic       stall_b;       // no step: operand B missing
    logic       stall_init;    // no step: init operand missing
    logic       stall_result;  // no step: no room for its result
    logic       stall_hazard;  // no step: earlier stores, other path, wide image
    logic       idle;          // no command with steps left
    logic       mac;           // the step accumulates a product
    logic [1:0] stores;        // words stored in this cycle
    logic       command_done;  // a command issued its last step
  } perf_t;

endpackage
