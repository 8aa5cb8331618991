// SPDX-License-Identifier: Apache-2.0
//
// What rr_arbiter promises, for any requests: at most one grant, only to a requester, one whenever
// there is a request; with Lock a choice that is not taken stays as long as its request; a requester
// that keeps its request is served after at most Requesters - 1 others, nobody of them twice.
//
// `me` is any one requester, picked by the solver.

module properties #(
  parameter int unsigned Requesters = 5,
  parameter bit Lock = 1'b1,
  localparam int unsigned IndexWidth = (Requesters > 1) ? $clog2(Requesters) : 1
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Requesters-1:0] request_i,
  input logic                  ready_i
);

  logic [Requesters-1:0] grant_o;
  logic [IndexWidth-1:0] index_o;
  logic                  valid_o;

  rr_arbiter #(
    .Requesters(Requesters),
    .Lock      (Lock)
  ) dut (
    .clk_i,
    .rst_ni,
    .request_i,
    .grant_o,
    .index_o,
    .valid_o,
    .ready_i
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  (* anyconst *) logic [Requesters-1:0] me;
  always @* assume (me != '0 && (me & (me - 1'b1)) == '0);

  // Who was served while `me` waited; their number; the choice that was offered and not taken.
  logic [Requesters-1:0] passed_q, held_q;
  logic [IndexWidth:0]   passes_q;
  logic                  taken;
  assign taken = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    held_q <= (rst_ni && !ready_i) ? grant_o : '0;
    if (!rst_ni || (request_i & me) == '0 || (taken && grant_o == me)) begin
      passed_q <= '0;
      passes_q <= '0;
    end else if (taken) begin
      passed_q <= passed_q | grant_o;
      passes_q <= passes_q + 1'b1;
    end
  end

  // The grant by its number: shifted to bit 0.
  logic [Requesters-1:0] numbered;
  assign numbered = grant_o >> index_o;

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      one:       assert ((grant_o & (grant_o - 1'b1)) == '0);
      requester: assert ((grant_o & ~request_i) == '0);
      some:      assert (valid_o == (request_i != '0) && valid_o == (grant_o != '0));
      number:    assert (valid_o ? numbered == Requesters'(1) : index_o == '0);
      kept:      assert (!Lock || (held_q & request_i) == '0 || grant_o == held_q);
      fair:      assert (passes_q < (IndexWidth + 1)'(Requesters));
      once:      assert ((request_i & me) == '0 || !taken || (grant_o & passed_q) == '0);

      waits_for_all: cover (taken && grant_o == me && passes_q == (IndexWidth + 1)'(Requesters - 1));
    end
  end

endmodule
