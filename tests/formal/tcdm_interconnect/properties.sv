// SPDX-License-Identifier: Apache-2.0
//
// What tcdm_interconnect promises, for masters that keep a request until it is granted, and any
// priority that changes at any time:
// - only requests are granted, and each within the bound of its class (from the last change of the
//   priority on): none is lost; a grant is answered in the next cycle, and nothing else is;
// - a bank serves one access a cycle, or (Multicast) all reads of one word, and never idles while
//   somebody wants it; the counters' outputs say so;
// - a read gives what was written last.
//
// `word`, `lane` is any bit of the scratchpad, `me` any master; the solver picks them.

module properties #(
  parameter int unsigned NumMasters = 4,
  parameter int unsigned FirstCore = 2,
  parameter int unsigned TcdmBytes = 16,
  parameter int unsigned TcdmBanks = 2,
  parameter bit Multicast = 1'b1,
  parameter int unsigned NtxBound = 2,
  parameter int unsigned CoreBound = 15,
  localparam int unsigned Bits = $clog2(TcdmBytes / 4)
) (
  input logic                                      clk_i,
  input logic                                      rst_ni,
  input logic [1:0]                                priority_i,
  // What each master asks for when it is free to.
  input logic [NumMasters-1:0]                     new_req_i,
  input logic [NumMasters-1:0]                     new_we_i,
  input logic [4*NumMasters-1:0]                   new_be_i,
  input logic [Bits*NumMasters-1:0]                new_addr_i,
  input logic [32*NumMasters-1:0]                  new_wdata_i
);

  localparam int unsigned A = tcdm_pkg::AddrWidth;
  localparam int unsigned BankWidth = $clog2(TcdmBanks);

  logic [NumMasters-1:0]    req_i, we_i, gnt_o, rvalid_o;
  logic [4*NumMasters-1:0]  be_i;
  logic [A*NumMasters-1:0]  addr_i;
  logic [32*NumMasters-1:0] wdata_i;
  logic [32*NumMasters-1:0] rdata_o;
  logic [TcdmBanks-1:0]     bank_access_o, bank_conflict_o;

  tcdm_interconnect #(
    .NumMasters(NumMasters),
    .FirstCore (FirstCore),
    .TcdmBytes (TcdmBytes),
    .TcdmBanks (TcdmBanks),
    .Multicast (Multicast)
  ) dut (
    .clk_i,
    .rst_ni,
    .priority_i,
    .req_i,
    .we_i,
    .be_i,
    .addr_i,
    .wdata_i,
    .gnt_o,
    .rvalid_o,
    .rdata_o,
    .bank_access_o,
    .bank_conflict_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  // The masters' side of the bargain: addresses in the scratchpad, requests kept until granted.
  logic [NumMasters-1:0]    waits_q, we_q;
  logic [4*NumMasters-1:0]  be_q;
  logic [A*NumMasters-1:0]  addr_q;
  logic [32*NumMasters-1:0] wdata_q;

  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni ? req_i & ~gnt_o : '0;
    we_q    <= we_i;
    be_q    <= be_i;
    addr_q  <= addr_i;
    wdata_q <= wdata_i;
  end

  for (genvar m = 0; m < NumMasters; m++) begin : gen_master
    assign req_i[m]           = waits_q[m] || new_req_i[m];
    assign we_i[m]            = waits_q[m] ? we_q[m] : new_we_i[m];
    assign be_i[4*m+:4]       = waits_q[m] ? be_q[4*m+:4] : new_be_i[4*m+:4];
    assign addr_i[A*m+:A]     = waits_q[m] ? addr_q[A*m+:A] : A'(new_addr_i[Bits*m+:Bits]);
    assign wdata_i[32*m+:32]  = waits_q[m] ? wdata_q[32*m+:32] : new_wdata_i[32*m+:32];
  end

  // Pairs of masters: both served in the same bank although they may not; one served, the other not
  // although its read could be; nobody served in a bank that is wanted.
  logic                 two_served, left_out, idle;
  logic [TcdmBanks-1:0] wanted, refused, served;

  always @* begin
    two_served = 1'b0;
    left_out   = 1'b0;
    wanted     = '0;
    refused    = '0;
    served     = '0;
    for (int unsigned i = 0; i < NumMasters; i++) begin
      for (int unsigned b = 0; b < TcdmBanks; b++) begin
        if (req_i[i] && addr_i[A*i+:BankWidth] == BankWidth'(b)) begin
          wanted[b] = 1'b1;
          if (gnt_o[i]) served[b] = 1'b1;
          else refused[b] = 1'b1;
        end
      end
      for (int unsigned j = 0; j < NumMasters; j++) begin
        if (i != j && gnt_o[i] && gnt_o[j] && addr_i[A*i+:BankWidth] == addr_i[A*j+:BankWidth] &&
            (!Multicast || we_i[i] || we_i[j] || addr_i[A*i+:A] != addr_i[A*j+:A])) two_served = 1'b1;
        if (Multicast && gnt_o[i] && req_i[j] && !we_i[i] && !we_i[j] && addr_i[A*i+:A] == addr_i[A*j+:A] &&
            !gnt_o[j]) left_out = 1'b1;
      end
    end
    idle = served != wanted;
  end

  // One bit of the scratchpad, known from its first write on; who has read it a cycle ago.
  (* anyconst *) logic [A-1:0] word;
  (* anyconst *) logic [31:0]  lane;  // one-hot
  always @* assume (lane != '0 && (lane & (lane - 1'b1)) == '0);
  logic                  known_q, bit_q, expected_q, wrong, writes, value;
  logic [NumMasters-1:0] granted_q, reads_q, reads;

  always @* begin
    writes = 1'b0;
    value  = 1'b0;
    reads  = '0;
    for (int unsigned m = 0; m < NumMasters; m++) begin
      if (gnt_o[m] && addr_i[A*m+:A] == word) begin
        if (we_i[m] && ({{8{be_i[4*m+3]}}, {8{be_i[4*m+2]}}, {8{be_i[4*m+1]}}, {8{be_i[4*m]}}} & lane) != '0) begin
          writes = 1'b1;
          value  = (wdata_i[32*m+:32] & lane) != '0;
        end
        if (!we_i[m]) reads[m] = known_q;
      end
    end
    wrong = 1'b0;
    for (int unsigned m = 0; m < NumMasters; m++) begin
      if (reads_q[m] && ((rdata_o[32*m+:32] & lane) != '0) != expected_q) wrong = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    granted_q  <= rst_ni ? gnt_o : '0;
    reads_q    <= rst_ni ? reads : '0;
    expected_q <= bit_q;
    if (!rst_ni) begin
      known_q <= 1'b0;
    end else if (writes) begin
      known_q <= 1'b1;
      bit_q   <= value;
    end
  end

  // For how long `me` has waited in this mode.
  (* anyconst *) logic [NumMasters-1:0] me;
  logic [7:0] waited_q;
  logic [1:0] priority_q;
  logic       is_ntx, is_bounded;
  logic [7:0] bound;
  always @* assume (me != '0 && (me & (me - 1'b1)) == '0);

  assign is_ntx = me < (NumMasters'(1) << FirstCore);
  always @* begin
    is_bounded = 1'b1;
    bound      = 8'(NumMasters - 1);
    if (priority_i == 2'd0) begin
      is_bounded = is_ntx;
      bound      = 8'(FirstCore - 1);
    end else if (priority_i == 2'd2) begin
      bound = is_ntx ? 8'(NtxBound) : 8'(CoreBound);
    end
  end

  logic [7:0] waited;  // this cycle not included
  assign waited = priority_i == priority_q ? waited_q : 8'd0;

  always_ff @(posedge clk_i) begin
    priority_q <= priority_i;
    if (!rst_ni || (me & req_i & ~gnt_o) == '0) waited_q <= '0;
    else if (waited != '1) waited_q <= waited + 1'b1;
  end

  logic [NumMasters-1:0] others;
  assign others = reads_q & (reads_q - 1'b1);

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      only_requests: assert ((gnt_o & ~req_i) == '0);
      answers:       assert (rvalid_o == granted_q);
      data:          assert (!wrong);
      one_a_bank:    assert (!two_served);
      together:      assert (!left_out);
      conserving:    assert (!idle);
      counters:      assert (bank_access_o == wanted && bank_conflict_o == refused);
      served_soon:   assert (!is_bounded || (me & gnt_o) != '0 || (me & req_i) == '0 || waited < bound);

      three_together: cover (!Multicast || ((others & (others - 1'b1)) != '0 && expected_q));
      waits_mode_1:   cover (priority_i == 2'd1 && (me & gnt_o) != '0 && waited == 8'(NumMasters - 1));
      waits_mode_2:   cover (priority_i == 2'd2 && (me & gnt_o) != '0 && !is_ntx && waited == 8'(CoreBound));
      waits_ntx:      cover (priority_i == 2'd2 && (me & gnt_o) != '0 && is_ntx && waited == 8'(NtxBound));
    end
  end

endmodule
