// SPDX-License-Identifier: Apache-2.0
//
// The two scratchpad ports and who gets them. Any stream may use either port, so no port idles
// while a stream can use it. A port's request is registered; it takes the next access in the cycle
// in which it is granted.
//
// - In a cycle up to two accesses are chosen: init operand (first, because the grant of MASKMAC's
//   read issues its step, which is a long way), stores if they hurry (hurry_i), of A
//   and B the one that is less ahead, other stores.
// - A read stream keeps its order: it has one ungranted access at most. Two stores may be under way
//   at once, but not to the same word.
// - An image moves in pairs of words, one a port, while nothing else moves (image_busy_i).
// - drop_reads_i: answers to reads that are under way are ignored. Requests are never withdrawn,
//   stores included, as the scratchpad's rules demand; busy_o shows them.
//
// Latency: choice, request and grant, answer: a word chosen in cycle t answers in t + 2 at the
// earliest. Reset leaves no request.

`include "assertions.svh"

module ntx_ports #(
  parameter int unsigned AddrBits  = 14,
  parameter int unsigned LeadWidth = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  /// Soft clear: nothing new starts, nothing is notified.
  input  logic                 clear_i,
  /// Answers to reads under way are for nobody.
  input  logic                 drop_reads_i,

  output tcdm_pkg::req_t       tcdm0_req_o,
  output tcdm_pkg::req_t       tcdm1_req_o,
  input  tcdm_pkg::rsp_t       tcdm0_rsp_i,
  input  tcdm_pkg::rsp_t       tcdm1_rsp_i,

  /// Read streams.
  input  logic                 a_request_i,
  input  logic [AddrBits-1:0]  a_addr_i,
  input  logic [LeadWidth-1:0] a_lead_i,
  output logic                 a_take_o,
  input  logic                 b_request_i,
  input  logic [AddrBits-1:0]  b_addr_i,
  input  logic [LeadWidth-1:0] b_lead_i,
  output logic                 b_take_o,
  input  logic                 init_request_i,
  input  logic [AddrBits-1:0]  init_addr_i,
  output logic                 init_take_o,
  /// Their answers.
  output logic                 a_answer_o,
  output logic [31:0]          a_data_o,
  output logic                 b_answer_o,
  output logic [31:0]          b_data_o,
  output logic                 init_answer_o,
  output logic [31:0]          init_data_o,

  /// The two oldest results; store_take_o of them are taken.
  input  logic [1:0]           store_request_i,
  input  logic                 hurry_i,
  input  logic [AddrBits-1:0]  store0_addr_i,
  input  logic [31:0]          store0_data_i,
  input  logic                 store0_notify_i,
  input  logic                 store0_rmw_i,
  input  logic [AddrBits-1:0]  store1_addr_i,
  input  logic [31:0]          store1_data_i,
  input  logic                 store1_notify_i,
  input  logic                 store1_rmw_i,
  output logic [1:0]           store_take_o,
  /// A store with its notify bit, and so all before it, was granted.
  output logic                 notify_o,

  /// Images: image_busy_i from before the first pair until its last answer came. Pairs are read, or written with image_data_i.
  input  logic                 image_busy_i,
  input  logic                 image_request_i,
  input  logic                 image_write_i,
  input  logic [AddrBits-1:0]  image_addr_i,
  input  logic [63:0]          image_data_i,
  input  logic                 image_notify_i,
  output logic                 image_take_o,
  output logic                 image_answer_o,
  output logic [63:0]          image_data_o,

  /// Stores granted in this cycle; those of MASKMAC, and their addresses, for ntx_rmw.
  output logic [1:0]           stored_o,
  output logic [1:0]           stored_rmw_o,
  output logic [AddrBits-1:0]  stored0_addr_o,
  output logic [AddrBits-1:0]  stored1_addr_o,
  /// A port requests; a store is among them.
  output logic                 busy_o,
  output logic                 storing_o,
  /// Port n requests and is not granted.
  output logic [1:0]           refused_o
);

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests under way
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [1:0]          valid_q, we_q, rmw_q, gnt, free, waits;
  (* mem2reg *) logic [2:0] tag_q [2];
  (* mem2reg *) logic [AddrBits-1:0] addr_q [2];
  (* mem2reg *) logic [31:0] data_q [2];
  logic                notify_q;

  assign gnt       = {tcdm1_rsp_i.gnt, tcdm0_rsp_i.gnt} & valid_q;
  assign free      = gnt | ~valid_q;
  assign waits     = valid_q & ~gnt;
  assign refused_o = waits;
  assign busy_o    = valid_q != '0;
  assign storing_o = (valid_q & we_q) != '0;
  assign stored_o  = gnt & we_q;
  assign stored_rmw_o   = gnt & we_q & rmw_q;
  assign stored0_addr_o = addr_q[0];
  assign stored1_addr_o = addr_q[1];

  assign tcdm0_req_o.req   = valid_q[0];
  assign tcdm0_req_o.we    = we_q[0];
  assign tcdm0_req_o.be    = 4'hF;
  assign tcdm0_req_o.addr  = tcdm_pkg::AddrWidth'(addr_q[0]);
  assign tcdm0_req_o.wdata = data_q[0];
  assign tcdm1_req_o.req   = valid_q[1];
  assign tcdm1_req_o.we    = we_q[1];
  assign tcdm1_req_o.be    = 4'hF;
  assign tcdm1_req_o.addr  = tcdm_pkg::AddrWidth'(addr_q[1]);
  assign tcdm1_req_o.wdata = data_q[1];

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Choice of the next ones
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [3:1] waiting_tag;       // by tag: this stream's request still waits
  logic       a_wants, b_wants, init_wants, store0_wants, store1_wants;

  always_comb begin
    waiting_tag = '0;
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned t = 1; t < 4; t++) begin
        if (waits[p] && !we_q[p] && tag_q[p] == 3'(t)) waiting_tag[t] = 1'b1;
      end
    end
  end

  logic [1:0] same0, same1;  // the store would overtake one to the same word
  for (genvar p = 0; p < 2; p++) begin : g_same
    assign same0[p] = waits[p] && we_q[p] && addr_q[p] == store0_addr_i;
    assign same1[p] = waits[p] && we_q[p] && addr_q[p] == store1_addr_i;
  end

  assign a_wants      = a_request_i && !waiting_tag[1] && !image_busy_i;
  assign b_wants      = b_request_i && !waiting_tag[2] && !image_busy_i;
  assign init_wants   = init_request_i && !waiting_tag[3] && !image_busy_i;
  assign store0_wants = store_request_i[0] && same0 == '0 && !notify_q && !image_busy_i;
  assign store1_wants = store_request_i[1] && store0_wants && same1 == '0 && !store0_notify_i &&
                        store0_addr_i != store1_addr_i;

  // Contenders in their order: 0 init, 1 urgent store, 2 A or B, 3 the other of these, 4 store, 5
  // second store.
  logic       b_first;
  logic [5:0] wants, first, rest, second;
  assign b_first = b_lead_i < a_lead_i;
  assign wants   = {store1_wants, store0_wants && !hurry_i, b_first ? a_wants : b_wants,
                    b_first ? b_wants : a_wants, store0_wants && hurry_i, init_wants};
  assign first   = wants & (~wants + 6'd1);
  assign rest    = wants & ~first;
  assign second  = rest & (~rest + 6'd1);

  // The first goes to port 0 if that is free.
  (* mem2reg *) logic [5:0] chosen [2];
  logic [5:0] taken;
  assign chosen[0] = free[0] ? first : '0;
  assign chosen[1] = !free[1] ? '0 : free[0] ? second : first;
  assign taken     = chosen[0] | chosen[1];

  assign init_take_o  = taken[0];
  assign a_take_o     = b_first ? taken[3] : taken[2];
  assign b_take_o     = b_first ? taken[2] : taken[3];
  assign store_take_o = {taken[5], (taken[1] || taken[4]) && !taken[5]};
  assign image_take_o = image_request_i && free == 2'b11;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Into the ports
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [1:0]          parked_q;
  (* mem2reg *) logic [2:0] answer_q [2];   // who waits for the answer that comes in this cycle
  logic [1:0]          arrives;
  (* mem2reg *) logic [31:0] rdata [2];

  for (genvar p = 0; p < 2; p++) begin : g_ports
    logic picks_init, picks_a, picks_store0, picks_store1;
    assign picks_init   = chosen[p][0];
    assign picks_a      = b_first ? chosen[p][3] : chosen[p][2];
    assign picks_store0 = chosen[p][1] || chosen[p][4];
    assign picks_store1 = chosen[p][5];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_q[p]  <= 1'b0;
        answer_q[p] <= ntx_types_pkg::TagNone;
      end else begin
        if (free[p]) valid_q[p] <= (chosen[p] != '0 || image_take_o) && !clear_i;
        answer_q[p] <= (gnt[p] && !we_q[p] && !drop_reads_i) ? tag_q[p] : ntx_types_pkg::TagNone;
      end
    end

    always_ff @(posedge clk_i) begin
      if (image_take_o) begin
        we_q[p]   <= image_write_i;
        rmw_q[p]  <= 1'b0;
        tag_q[p]  <= ntx_types_pkg::TagImage;
        addr_q[p] <= image_addr_i + AddrBits'(p);
      end else if (free[p]) begin
        we_q[p]   <= picks_store0 || picks_store1;
        rmw_q[p]  <= picks_store1 ? store1_rmw_i : store0_rmw_i;
        tag_q[p]  <= drop_reads_i ? ntx_types_pkg::TagNone :
                     picks_init ? ntx_types_pkg::TagInit : picks_a ? ntx_types_pkg::TagA : ntx_types_pkg::TagB;
        addr_q[p] <= picks_store0 ? store0_addr_i : picks_store1 ? store1_addr_i :
                     picks_init ? init_addr_i : picks_a ? a_addr_i : b_addr_i;
      end else if (drop_reads_i) begin
        tag_q[p]  <= ntx_types_pkg::TagNone;
      end
      if (image_take_o && image_write_i) data_q[p] <= image_data_i[32*p+:32];
      else if (free[p] && (picks_store0 || picks_store1)) data_q[p] <= picks_store1 ? store1_data_i : store0_data_i;
      else if (arrives[p] && !image_answer_o) data_q[p] <= rdata[p];
    end
  end

  // A store with notify: no other store starts before it, and all before it, are granted.
  logic notify_taken;
  assign notify_taken = ((taken[1] || taken[4]) && store0_notify_i) || (taken[5] && store1_notify_i) ||
                        (image_take_o && image_notify_i);
  assign notify_o     = notify_q && (waits & we_q) == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) notify_q <= 1'b0;
    else if (notify_taken) notify_q <= 1'b1;
    else if (notify_o) notify_q <= 1'b0;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  assign rdata[0] = tcdm0_rsp_i.rdata;
  assign rdata[1] = tcdm1_rsp_i.rdata;
  assign a_answer_o    = answer_q[0] == ntx_types_pkg::TagA || answer_q[1] == ntx_types_pkg::TagA;
  assign b_answer_o    = answer_q[0] == ntx_types_pkg::TagB || answer_q[1] == ntx_types_pkg::TagB;
  assign init_answer_o = answer_q[0] == ntx_types_pkg::TagInit || answer_q[1] == ntx_types_pkg::TagInit;
  assign a_data_o      = answer_q[0] == ntx_types_pkg::TagA ? rdata[0] : rdata[1];
  assign b_data_o      = answer_q[0] == ntx_types_pkg::TagB ? rdata[0] : rdata[1];
  assign init_data_o   = answer_q[0] == ntx_types_pkg::TagInit ? rdata[0] : rdata[1];

  // Half an image pair waits for the other half in its port's data register, which reads do not
  // use.
  assign arrives        = {answer_q[1] == ntx_types_pkg::TagImage, answer_q[0] == ntx_types_pkg::TagImage};
  assign image_answer_o = (arrives[0] || parked_q[0]) && (arrives[1] || parked_q[1]);
  assign image_data_o   = {parked_q[1] ? data_q[1] : rdata[1], parked_q[0] ? data_q[0] : rdata[0]};
  for (genvar p = 0; p < 2; p++) begin : g_parked
    always_ff @(posedge clk_i) begin
      if (!rst_ni || drop_reads_i || image_answer_o) parked_q[p] <= 1'b0;
      else if (arrives[p]) parked_q[p] <= 1'b1;
    end
  end

  logic [1:0] answer_missing;
  assign answer_missing[0] = answer_q[0] != ntx_types_pkg::TagNone && !tcdm0_rsp_i.rvalid;
  assign answer_missing[1] = answer_q[1] != ntx_types_pkg::TagNone && !tcdm1_rsp_i.rvalid;
  `NC_ASSERT(AnswersComeInTheNextCycle, answer_missing == '0)
  `NC_ASSERT(ImagePairsMoveAlone, !image_take_o || taken == '0)

endmodule
