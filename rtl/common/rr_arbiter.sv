// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter: picks one of `Requesters`, and looks first behind the one that was served
// last, so that a held request is served after at most Requesters - 1 others.
//
// Combinational from request to grant. A grant is taken in a cycle with valid_o and ready_i high;
// only then does the search start move. With `Lock` a choice that was not taken is kept while its
// request lasts, so that what hangs on the grant stays stable under back-pressure. Reset makes
// requester 0 the first.

`include "assertions.svh"

module rr_arbiter #(
  /// Number of requesters, from 1.
  parameter int unsigned Requesters = 2,
  /// Keep a choice until it is taken.
  parameter bit Lock = 1'b1,
  localparam int unsigned IndexWidth = (Requesters > 1) ? $clog2(Requesters) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [Requesters-1:0] request_i,
  /// One-hot, zero when there is no request. Does not depend on ready_i.
  output logic [Requesters-1:0] grant_o,
  /// The granted requester's number; 0 when there is none.
  output logic [IndexWidth-1:0] index_o,
  /// Some request is granted.
  output logic                  valid_o,
  /// The grant is taken in this cycle.
  input  logic                  ready_i
);

  // Requesters not yet passed by the search in this round: all above the last served.
  logic [Requesters-1:0] round_q;
  // The choice that was offered and not taken.
  logic [Requesters-1:0] held_q;
  logic [Requesters-1:0] ahead, candidates;
  logic                  hold;

  assign hold       = Lock && ((request_i & held_q) != '0);
  assign ahead      = request_i & round_q;
  assign candidates = hold ? held_q : ((ahead != '0) ? ahead : request_i);
  // The lowest one bit.
  assign grant_o    = candidates & (~candidates + 1'b1);
  assign valid_o    = request_i != '0;

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < Requesters; i++) begin
      if (grant_o[i]) index_o = index_o | IndexWidth'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      round_q <= '1;
      held_q  <= '0;
    end else if (valid_o) begin
      if (ready_i) round_q <= ~(grant_o | (grant_o - 1'b1));
      held_q <= (Lock && !ready_i) ? grant_o : '0;
    end else begin
      held_q <= '0;
    end
  end

  `NC_ASSERT(RrArbiterGrantsOne, (grant_o & (grant_o - 1'b1)) == '0)
  `NC_ASSERT(RrArbiterGrantsRequests, (grant_o & ~request_i) == '0)
  `NC_ASSERT(RrArbiterIsWorkConserving, valid_o == (grant_o != '0))

endmodule
