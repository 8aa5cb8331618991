// SPDX-License-Identifier: Apache-2.0
//
// What the parts of an NTX tell each other.

package ntx_types_pkg;

  /// Bits 21:0 of register CMD, as they lie there.
  typedef struct packed {
    logic       overlap;
    logic       polarity;
    logic [1:0] irq;
    logic [2:0] aux;
    logic [1:0] source;
    logic [2:0] outer_level;
    logic [2:0] store_level;
    logic [2:0] init_level;
    logic [3:0] opcode;
  } command_t;

  /// What a command asks of the unit; see ntx_decode.
  typedef struct packed {
    logic uses_a;        // operand A in every step
    logic uses_b;        // operand B in every step
    logic reads_init;    // an init operand from memory in init steps (MASKMAC has its own rules)
    logic source_zero;   // the init operand is zero
    logic product;       // A * B or A * reg is accumulated
    logic bypass;        // results do not come from the accumulator
    logic maskmac;
    logic count_mode;    // MASK and MASKMAC: the test is on the count, B is not fetched
    logic wide_init;     // the init operand is an image
    logic wide_a;        // operand A is an image
    logic wide_store;    // the result is an image
  } operation_t;

  /// One step on its way from ntx_walker to ntx_issue.
  typedef struct packed {
    logic stop;     // not a step: an address of the step to come is out of range
    logic suspect;  // MASKMAC: the AGU2 address is out of range, an error if the test holds
    logic last;     // of its command
    logic init;     // first of its init nest
    logic store;    // last of its store nest
    logic new_init; // init from memory: a fetched operand, else the previous one
    logic pop_a;    // the next step does not hold this operand A
    logic pop_b;
  } step_t;
  localparam int unsigned StepBits = 8;

  /// Whose access a port carries. None: nobody waits for the answer any more.
  localparam logic [2:0] TagNone  = 3'd0;
  localparam logic [2:0] TagA     = 3'd1;
  localparam logic [2:0] TagB     = 3'd2;
  localparam logic [2:0] TagInit  = 3'd3;
  localparam logic [2:0] TagImage = 3'd4;

endpackage
