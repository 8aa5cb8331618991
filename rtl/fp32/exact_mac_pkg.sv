// SPDX-License-Identifier: Apache-2.0
//
// What users of `exact_mac` must know besides its ports.

package exact_mac_pkg;

  /// Cycles from a step with store_i to its result: it is at the port Latency cycles after the
  /// step's cycle.
  localparam int unsigned Latency = 6;

  /// init_i: what the step's product is added to.
  typedef enum logic [1:0] {
    InitNone  = 2'd0,  // the accumulator
    InitZero  = 2'd1,  // nothing: not a summand
    InitValue = 2'd2   // init_value_i, a summand like any other
  } init_e;

  /// Bits of an image's last word.
  typedef struct packed {
    logic range_overflow;  // [5] the sum left the accumulator's range at some time; sticky
    logic not_minus_zero;  // [4] some summand was not -0
    logic any_summand;     // [3]
    logic nan;             // [2] some summand was NaN, Inf x 0 included
    logic minus_inf;       // [1] some summand was -Inf
    logic plus_inf;        // [0] some summand was +Inf
  } flags_t;

endpackage
