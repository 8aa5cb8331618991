// SPDX-License-Identifier: Apache-2.0
//
// The scratchpad (TCDM): word-interleaved banks, and the crossbar that lets any master reach any
// bank.
//
// A request is granted in its own cycle or waits; a granted access is answered in the next cycle.
// Each bank serves one word a cycle and never idles while somebody asks for it. With Multicast,
// reads of the word that a bank serves in a cycle are all granted. req_o never depends on gnt_i of
// the same cycle, in any master.
//
// Who is served first at a bank: round robin over all masters, or over one class before the other.
// The masters are of two classes, NTX (numbers below FirstCore) and core (core and DMA), and
// priority_i says
//   0  NTX before core,
//   1  no class before the other,
//   2  in seven of eight cycles NTX before core, in the eighth core before NTX.
// (3 is as 1.) The search of a bank starts behind the master it served last, of all or of the
// class, so nobody is passed twice by the same master while it waits. That bounds the wait: in mode
// 1 by NumMasters - 1 cycles; in mode 2 by one cycle less than 8 for each master of the core class,
// and for an NTX by one for each other NTX and one for each core slot in that time (with 19
// masters: 23 and 18). In mode 0 the NTX may keep the core class out for as long as they want the
// bank. The start of a search moves only when somebody had to wait, for only then is there an order
// to keep.
//
// Arbitration compares the masters pairwise instead of bank by bank: 171 comparators of a bank
// number for 19 masters, instead of 64 arbiters and 64 x 19 comparators of a row for multicast; and
// the grant does not pass through a bank and back. Reset: round robin from master 0.

`include "assertions.svh"

module tcdm_interconnect #(
  /// Masters; those from FirstCore on are of the core class.
  parameter int unsigned NumMasters = 19,
  parameter int unsigned FirstCore = 16,
  /// Scratchpad size in bytes, a power of two up to 1 MiB.
  parameter int unsigned TcdmBytes = 65536,
  /// Banks, a power of two from 2 to 64.
  parameter int unsigned TcdmBanks = 64,
  /// Serve reads of one word in one cycle together.
  parameter bit Multicast = 1'b1
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic [1:0]                               priority_i,
  /// The ports of tcdm_pkg, field by field, because flat vectors are what every tool reads alike:
  /// master m has bit m, or the m-th slice.
  input  logic [NumMasters-1:0]                    req_i,
  input  logic [NumMasters-1:0]                    we_i,
  input  logic [4*NumMasters-1:0]                  be_i,
  input  logic [tcdm_pkg::AddrWidth*NumMasters-1:0] addr_i,
  input  logic [32*NumMasters-1:0]                 wdata_i,
  output logic [NumMasters-1:0]                    gnt_o,
  output logic [NumMasters-1:0]                    rvalid_o,
  output logic [32*NumMasters-1:0]                 rdata_o,
  /// For counters: banks that serve an access in this cycle, and banks at which a request is not
  /// granted.
  output logic [TcdmBanks-1:0]                     bank_access_o,
  output logic [TcdmBanks-1:0]                     bank_conflict_o
);

  localparam int unsigned BankWords = TcdmBytes / 4 / TcdmBanks;
  localparam int unsigned BankWidth = $clog2(TcdmBanks);
  localparam int unsigned RowWidth = $clog2(BankWords);
  localparam int unsigned MasterWidth = $clog2(NumMasters);

  typedef logic [NumMasters-1:0] masters_t;
  typedef logic [TcdmBanks-1:0] banks_t;

  localparam masters_t AllMasters = {NumMasters{1'b1}};
  localparam masters_t AllButFirst = AllMasters << 1;
  localparam masters_t FirstMaster = 1;
  localparam banks_t FirstBank = 1;
  localparam banks_t AllBanks = {TcdmBanks{1'b1}};
  localparam banks_t NoBanks = 0;
  localparam masters_t NtxMasters = ~(AllMasters << FirstCore);

  // What a bank needs of a request, in one word: {we, be, row, wdata}.
  localparam int unsigned AccessWidth = 1 + 4 + RowWidth + 32;

  // 1 Take requests apart.
  logic [BankWidth-1:0]   bank [NumMasters];
  logic [RowWidth-1:0]    row [NumMasters];
  logic [AccessWidth-1:0] access [NumMasters];
  banks_t                 wanted [NumMasters];  // the bank, one-hot; zero without a request

  for (genvar m = 0; m < NumMasters; m++) begin : gen_request
    logic [tcdm_pkg::AddrWidth-1:0] addr;
    assign addr      = addr_i[tcdm_pkg::AddrWidth*m+:tcdm_pkg::AddrWidth];
    assign bank[m]   = addr[BankWidth-1:0];
    assign row[m]    = addr[BankWidth+RowWidth-1:BankWidth];
    assign access[m] = {we_i[m], be_i[4*m+:4], row[m], wdata_i[32*m+:32]};
    assign wanted[m] = req_i[m] ? FirstBank << bank[m] : '0;

    `NC_ASSERT(TcdmAddressInRange, !req_i[m] || {1'b0, addr} < 19'(TcdmBytes / 4))
  end

  // 2 Which class comes first now.
  masters_t   first_class;
  logic [2:0] slot_q;

  always_comb begin
    first_class = '0;
    if (priority_i == 2'd0 || (priority_i == 2'd2 && slot_q != 3'd7)) first_class = NtxMasters;
    else if (priority_i == 2'd2) first_class = ~NtxMasters;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) slot_q <= '0;
    else slot_q <= slot_q + 1'b1;
  end

  // 3 A winner for each bank, seen from the masters: a master wins unless one that comes before it
  // wants its bank. The search of a bank starts behind the master it served last, of a class or of
  // all. The numbers are kept as bit k of all banks, because that is how the winners' numbers come
  // out of 4.
  banks_t ntx_last_q [MasterWidth];
  banks_t core_last_q [MasterWidth];
  banks_t last_was_core_q;

  masters_t               win, gnt, same, ahead, earlier, bit_of_bank [BankWidth];
  logic [MasterWidth-1:0] ntx_last, core_last;

  always_comb begin
    for (int unsigned k = 0; k < BankWidth; k++) begin
      bit_of_bank[k] = '0;
      for (int unsigned m = 0; m < NumMasters; m++) begin
        bit_of_bank[k] = bit_of_bank[k] | (NumMasters'(bank[m][k]) << m);
      end
    end
  end

  always_comb begin
    win        = '0;
    same       = '0;
    ahead      = '0;
    earlier    = '0;
    ntx_last  = '0;
    core_last = '0;
    for (int unsigned i = 0; i < NumMasters; i++) begin
      if (req_i[i]) begin
        same = req_i & ~(FirstMaster << i);
        for (int unsigned k = 0; k < BankWidth; k++) begin
          same = same & (bank[i][k] ? bit_of_bank[k] : ~bit_of_bank[k]);
        end
        if (same == '0) begin
          win = win | (FirstMaster << i);
        end else begin
          for (int unsigned k = 0; k < MasterWidth; k++) begin
            ntx_last[k]  = ntx_last_q[k][bank[i]];
            core_last[k] = core_last_q[k][bank[i]];
          end
          if (first_class != '0) begin
            ahead = (AllButFirst << ntx_last) & NtxMasters | (AllButFirst << core_last);
          end else begin
            ahead = AllButFirst << (last_was_core_q[bank[i]] ? core_last : ntx_last);
          end
          earlier = ~(AllMasters << i);
          earlier = ahead[i] ? (ahead & earlier) : (ahead | earlier);
          earlier = first_class[i] ? (earlier & first_class) : (earlier | first_class);
          if ((same & earlier) == '0) win = win | (FirstMaster << i);
        end
      end
    end
  end

  masters_t served_too;

  always_comb begin
    served_too = '0;
    if (Multicast && win != req_i) begin
      for (int unsigned i = 0; i < NumMasters; i++) begin
        if (req_i[i] && !win[i] && !we_i[i]) begin
          for (int unsigned j = 0; j < NumMasters; j++) begin
            if (win[j] && !we_i[j] && bank[j] == bank[i] && row[j] == row[i]) begin
              served_too = served_too | (FirstMaster << i);
            end
          end
        end
      end
    end
  end
  assign gnt = win | served_too;

  // 4 The crossbar to the banks. The guards are redundant in hardware and save most of the
  // simulator's work.
  banks_t      used, conflict, taken [NumMasters];
  banks_t      winner [MasterWidth];
  banks_t      core_wins;
  logic [31:0] rdata [TcdmBanks];

  always_comb begin
    used      = '0;
    conflict  = '0;
    core_wins = '0;
    for (int unsigned k = 0; k < MasterWidth; k++) winner[k] = '0;
    for (int unsigned m = 0; m < NumMasters; m++) begin
      used     = used | wanted[m];
      taken[m] = win[m] ? wanted[m] : '0;
      if (!gnt[m]) conflict = conflict | wanted[m];
      if (m >= FirstCore) core_wins = core_wins | taken[m];
      for (int unsigned k = 0; k < MasterWidth; k++) begin
        if ((m >> k) % 2 != 0) winner[k] = winner[k] | taken[m];
      end
    end
  end
  assign bank_access_o   = used;
  assign bank_conflict_o = conflict;

  // Where the next search of a bank starts: see above.
  banks_t ntx_moves, core_moves;
  assign ntx_moves  = conflict & ~core_wins;
  assign core_moves = conflict & core_wins;

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < MasterWidth; k++) begin
      if (!rst_ni) begin
        ntx_last_q[k]  <= (((FirstCore - 1) >> k) % 2 != 0) ? AllBanks : NoBanks;
        core_last_q[k] <= (((NumMasters - 1) >> k) % 2 != 0) ? AllBanks : NoBanks;
      end else begin
        ntx_last_q[k]  <= (ntx_moves & winner[k]) | (~ntx_moves & ntx_last_q[k]);
        core_last_q[k] <= (core_moves & winner[k]) | (~core_moves & core_last_q[k]);
      end
    end
    if (!rst_ni) last_was_core_q <= AllBanks;
    else last_was_core_q <= core_moves | (~ntx_moves & last_was_core_q);
  end

  for (genvar b = 0; b < TcdmBanks; b++) begin : gen_bank
    logic [MasterWidth-1:0] number;
    logic [AccessWidth-1:0] served;

    for (genvar k = 0; k < MasterWidth; k++) begin : gen_number
      assign number[k] = winner[k][b];
    end

    always_comb begin
      served = '0;
      if (used[b]) served = access[number];
    end

    tcdm_bank #(.Words(BankWords)) u_bank (
      .clk_i,
      .req_i  (used[b]),
      .we_i   (served[AccessWidth-1]),
      .be_i   (served[AccessWidth-2-:4]),
      .row_i  (served[32+:RowWidth]),
      .wdata_i(served[31:0]),
      .rdata_o(rdata[b])
    );
  end

  // 5 Answers.
  masters_t rvalid_q;

  assign gnt_o    = gnt;
  assign rvalid_o = rvalid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rvalid_q <= '0;
    else rvalid_q <= gnt;
  end

  for (genvar m = 0; m < NumMasters; m++) begin : gen_answer
    logic [BankWidth-1:0] bank_q;
    always_ff @(posedge clk_i) begin
      if (gnt[m]) bank_q <= bank[m];
    end
    assign rdata_o[32*m+:32] = rdata[bank_q];
  end

  `NC_ASSERT(TcdmWorkConserving, (bank_conflict_o & ~bank_access_o) == '0)

endmodule
