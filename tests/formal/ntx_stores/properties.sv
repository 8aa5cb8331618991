// SPDX-License-Identifier: Apache-2.0
//
// The way of an NTX's stores: ntx_results, ntx_image and ntx_ports, wired as in ntx.sv. For any
// grants, any reads beside, any results, images and soft clears:
// - each result, and each word of an image, is stored once, at its address, unchanged; stores to
//   one word in order; nothing else is stored;
// - when the data path says that it is empty, everything has been stored;
// - a request stays until it is granted, also over a soft clear, which drops what is on no port;
// - the write-back interrupt comes once for each store that asks for it, after that store and all
//   before it.
//
// `word` is any one address. One store to it is marked, at a moment that the solver picks: it has to
// be granted right after the stores to `word` that were before it. Likewise one store that notifies.

module properties #(
  parameter int unsigned AddrBits = 3,
  parameter int unsigned Depth = 4,
  parameter int unsigned AddrDepth = 4,
  parameter int unsigned AccSegments = 3
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                clear_i,
  input logic                stop_i,
  input logic [1:0]          gnt_i,
  input logic [31:0]         rdata0_i,
  input logic [31:0]         rdata1_i,
  // Reads.
  input logic [2:0]          read_i,
  input logic [AddrBits-1:0] read_addr_i,
  input logic [1:0]          lead_a_i,
  input logic [1:0]          lead_b_i,
  // Addresses of stores; results, of which the place is reserved before; images.
  input logic                addr_push_i,
  input logic                addr_image_i,
  input logic                addr_notify_i,
  input logic                addr_rmw_i,
  input logic [AddrBits-1:0] addr_i,
  input logic                reserve_i,
  input logic                push_i,
  input logic [31:0]         data_i,
  input logic                image_load_i,
  input logic                image_store_i,
  input logic [26:0]         image_tag_i,
  // The solver's picks.
  input logic                mark_i,
  input logic                mark_notify_i
);

  localparam int unsigned ImageWords = AccSegments + 1;
  localparam int unsigned LeadWidth  = 2;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // The modules, as in ntx.sv
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  tcdm_pkg::req_t req0, req1;
  tcdm_pkg::rsp_t rsp0, rsp1;

  logic [1:0]          store_request, store_take, stored, stored_rmw, refused;
  logic                hurry, notify0, notify1, rmw0, rmw1, ports_notify, ports_busy, ports_storing;
  logic [AddrBits-1:0] store0_addr, store1_addr, stored0_addr, stored1_addr, image_addr;
  logic [31:0]         store0_data, store1_data;
  logic                image_busy, image_request, image_write, image_notify, image_take, image_answer;
  logic                image_done, image_mac_load, image_mac_add, image_mac_negate, image_mac_store;
  logic [4:0]          image_load_index, image_store_index;
  logic [63:0]         image_in, image_out;
  logic                room, addr_ready, results_empty, results_pending;
  logic                a_take, b_take, init_take, a_answer, b_answer, init_answer;
  logic [31:0]         a_data, b_data, init_data;
  logic                image_store, head_notify;

  ntx_results #(
    .AddrBits (AddrBits),
    .Depth    (Depth),
    .AddrDepth(AddrDepth)
  ) results (
    .clk_i,
    .rst_ni,
    .clear_i,
    .room_o      (room),
    .reserve_i,
    .push_i,
    .data_i,
    .addr_ready_o(addr_ready),
    .addr_push_i,
    .addr_i,
    .notify_i    (addr_notify_i),
    .rmw_i       (addr_rmw_i),
    .image_pop_i (image_store),
    .request_o   (store_request),
    .addr0_o     (store0_addr),
    .data0_o     (store0_data),
    .notify0_o   (notify0),
    .rmw0_o      (rmw0),
    .addr1_o     (store1_addr),
    .data1_o     (store1_data),
    .notify1_o   (notify1),
    .rmw1_o      (rmw1),
    .pop_i       (store_take),
    .hurry_o       (hurry),
    .empty_o     (results_empty),
    .pending_o   (results_pending)
  );

  ntx_image #(
    .AddrBits   (AddrBits),
    .AccSegments(AccSegments)
  ) image (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_load_i (image_load_i),
    .start_store_i(image_store),
    .addr_i       (image_store ? store0_addr : addr_i),
    .add_i        (1'b0),
    .negate_i     (1'b0),
    .notify_i     (head_notify),
    .busy_o       (image_busy),
    .done_o       (image_done),
    .request_o    (image_request),
    .write_o      (image_write),
    .addr_o       (image_addr),
    .notify_o     (image_notify),
    .take_i       (image_take),
    .answer_i     (image_answer),
    .load_o       (image_mac_load),
    .add_o        (image_mac_add),
    .negate_o     (image_mac_negate),
    .load_index_o (image_load_index),
    .store_o      (image_mac_store),
    .store_index_o(image_store_index)
  );

  ntx_ports #(
    .AddrBits (AddrBits),
    .LeadWidth(LeadWidth)
  ) ports (
    .clk_i,
    .rst_ni,
    .clear_i,
    .drop_reads_i   (clear_i || stop_i),
    .tcdm0_req_o    (req0),
    .tcdm1_req_o    (req1),
    .tcdm0_rsp_i    (rsp0),
    .tcdm1_rsp_i    (rsp1),
    .a_request_i    (read_i[0]),
    .a_addr_i       (read_addr_i),
    .a_lead_i       (lead_a_i),
    .a_take_o       (a_take),
    .b_request_i    (read_i[1]),
    .b_addr_i       (read_addr_i),
    .b_lead_i       (lead_b_i),
    .b_take_o       (b_take),
    .init_request_i (read_i[2]),
    .init_addr_i    (read_addr_i),
    .init_take_o    (init_take),
    .a_answer_o     (a_answer),
    .a_data_o       (a_data),
    .b_answer_o     (b_answer),
    .b_data_o       (b_data),
    .init_answer_o  (init_answer),
    .init_data_o    (init_data),
    .store_request_i(store_request),
    .hurry_i        (hurry),
    .store0_addr_i  (store0_addr),
    .store0_data_i  (store0_data),
    .store0_notify_i(notify0),
    .store0_rmw_i   (rmw0),
    .store1_addr_i  (store1_addr),
    .store1_data_i  (store1_data),
    .store1_notify_i(notify1),
    .store1_rmw_i   (rmw1),
    .store_take_o   (store_take),
    .notify_o       (ports_notify),
    .image_busy_i   (image_busy),
    .image_request_i(image_request),
    .image_write_i  (image_write),
    .image_addr_i   (image_addr),
    .image_data_i   (image_out),
    .image_notify_i (image_notify),
    .image_take_o   (image_take),
    .image_answer_o (image_answer),
    .image_data_o   (image_in),
    .stored_o       (stored),
    .stored_rmw_o   (stored_rmw),
    .stored0_addr_o (stored0_addr),
    .stored1_addr_o (stored1_addr),
    .busy_o         (ports_busy),
    .storing_o      (ports_storing),
    .refused_o      (refused)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // The scratchpad: grants as the solver likes, answers a cycle later
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [1:0] gnt, answers_q;
  assign gnt         = gnt_i & {req1.req, req0.req};
  assign rsp0.gnt    = gnt[0];
  assign rsp1.gnt    = gnt[1];
  assign rsp0.rvalid = answers_q[0];
  assign rsp1.rvalid = answers_q[1];
  assign rsp0.rdata  = rdata0_i;
  assign rsp1.rdata  = rdata1_i;
  always_ff @(posedge clk_i) answers_q <= gnt;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // The rest of the NTX: what it promises
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  // Addresses without a place for a result yet: {rmw, image, notify, address}; results on their way,
  // by the address they will be stored at: {rmw, address}.
  localparam int unsigned E = AddrBits + 3;
  localparam int unsigned P = AddrBits + 1;
  logic [E*AddrDepth-1:0] ahead_q, ahead;
  logic [P*Depth-1:0]     coming_q, coming;
  logic [3:0]             ahead_count_q, ahead_count, coming_count_q, coming_count;
  logic [E-1:0]           head;
  logic [P-1:0]           now, reserved;
  logic                   use_address;

  assign head        = ahead_q[E-1:0];
  assign head_notify = head[AddrBits];
  assign reserved    = {head[E-1], head[AddrBits-1:0]};
  // A result may come in the cycle in which its place is reserved (from the bypass).
  assign now         = coming_count_q == '0 ? reserved : coming_q[P-1:0];
  assign image_store = image_store_i;
  assign use_address = reserve_i || image_store;

  always @* begin
    assume (!addr_push_i || (addr_ready && !(addr_image_i && addr_rmw_i)));
    assume (!reserve_i || (room && ahead_count_q != '0 && !head[AddrBits+1]));
    assume (!push_i || coming_count_q != '0 || reserve_i);
    assume (!image_store || (results_empty && !image_busy && !image_load_i && !reserve_i && ahead_count_q != '0 &&
                             head[AddrBits+1]));
    assume (!image_load_i || !image_busy);
    assume (!stop_i || (!image_busy && !image_store && !image_load_i));

    ahead       = use_address ? ahead_q >> E : ahead_q;
    ahead_count = ahead_count_q - 4'(use_address);
    for (int unsigned i = 0; i < AddrDepth; i++) begin
      if (addr_push_i && ahead_count == 4'(i)) ahead[E*i+:E] = {addr_rmw_i, addr_image_i, addr_notify_i, addr_i};
    end
    coming       = coming_q;
    coming_count = coming_count_q;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (reserve_i && coming_count_q == 4'(i)) coming[P*i+:P] = reserved;
    end
    if (push_i) coming = coming >> P;
    coming_count = coming_count_q + 4'(reserve_i) - 4'(push_i);
  end

  always_ff @(posedge clk_i) begin
    ahead_q        <= ahead;
    coming_q       <= coming;
    ahead_count_q  <= (!rst_ni || clear_i) ? 4'd0 : ahead_count + 4'(addr_push_i);
    coming_count_q <= (!rst_ni || clear_i) ? 4'd0 : coming_count;
  end

  // The accumulator as an image: words numbered, with a tag; the pair asked for a cycle ago.
  logic [26:0] tag_q;
  logic [4:0]  pair_q;
  assign image_out = {tag_q, pair_q + 5'd1, tag_q, pair_q};
  always_ff @(posedge clk_i) begin
    if (image_store) tag_q <= image_tag_i;
    pair_q <= image_store_index;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // What must become of the stores
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  // Stores that are granted; ungranted ones on the ports.
  logic [1:0] granted, waiting, granted_here, waiting_here;
  logic [2:0] granted_count, waiting_count;
  (* anyconst *) logic [AddrBits-1:0] word;

  assign granted       = gnt & {req1.we, req0.we};
  assign waiting       = {req1.req && req1.we, req0.req && req0.we} & ~gnt;
  assign granted_here  = granted & {req1.addr == tcdm_pkg::AddrWidth'(word), req0.addr == tcdm_pkg::AddrWidth'(word)};
  assign waiting_here  = waiting & {req1.addr == tcdm_pkg::AddrWidth'(word), req0.addr == tcdm_pkg::AddrWidth'(word)};
  assign granted_count = 3'(granted[0]) + 3'(granted[1]);
  assign waiting_count = 3'(waiting[0]) + 3'(waiting[1]);

  // A store to `word` becomes due: a result comes, or an image begins that covers it.
  logic                due, due_rmw;
  logic [31:0]         due_data, granted_data;
  logic [AddrBits-1:0] distance;
  assign distance     = word - head[AddrBits-1:0];
  assign due          = (push_i && now[AddrBits-1:0] == word) ||
                        (image_store && {1'b0, distance} < (AddrBits + 1)'(ImageWords));
  assign due_rmw      = push_i && now[AddrBits];
  assign due_data     = push_i ? data_i : {image_tag_i, 5'(distance)};
  assign granted_data = granted_here[0] ? req0.wdata : req1.wdata;

  // Stores to `word` that are due; of all addresses, words that are due or reserved; write-back
  // interrupts that are due.
  logic [3:0]  due_q, before_q, notifies_q, notifies_before_q;
  logic [4:0]  words_q, words, words_before_q;
  logic        marked_q, marked_rmw_q, notify_marked_q, notify_due;
  logic [31:0] marked_data_q;

  assign words      = words_q + (reserve_i ? 5'd1 : image_store ? 5'(ImageWords) : 5'd0) - 5'(granted_count);
  assign notify_due = use_address && head_notify;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      due_q           <= '0;
      words_q         <= '0;
      notifies_q      <= '0;
      marked_q        <= 1'b0;
      notify_marked_q <= 1'b0;
    end else if (clear_i) begin
      // What is on a port stays due, the rest is dropped.
      due_q           <= 4'(waiting_here != '0);
      words_q         <= 5'(waiting_count);
      notifies_q      <= '0;
      if (waiting_here == '0 || before_q != 4'(granted_here != '0)) marked_q <= 1'b0;
      before_q        <= '0;
      notify_marked_q <= 1'b0;
    end else begin
      due_q      <= due_q + 4'(due) - 4'(granted_here != '0);
      words_q    <= words;
      notifies_q <= notifies_q + 4'(notify_due) - 4'(ports_notify);

      if (!marked_q && due && mark_i) begin
        marked_q      <= 1'b1;
        marked_rmw_q  <= due_rmw;
        marked_data_q <= due_data;
        before_q      <= due_q - 4'(granted_here != '0);
      end else if (marked_q && granted_here != '0) begin
        before_q <= before_q - 1'b1;
        if (before_q == '0) marked_q <= 1'b0;
      end

      if (!notify_marked_q && notify_due && mark_notify_i) begin
        notify_marked_q   <= 1'b1;
        words_before_q    <= words;
        notifies_before_q <= notifies_q - 4'(ports_notify);
      end else if (notify_marked_q) begin
        words_before_q <= words_before_q - 5'(granted_count);
        if (ports_notify) begin
          notifies_before_q <= notifies_before_q - 1'b1;
          if (notifies_before_q == '0) notify_marked_q <= 1'b0;
        end
      end
    end
  end

  // The data path says that it is empty (as ntx.sv computes it).
  logic drained;
  assign drained = results_empty && !ports_storing && !image_busy;

  logic           waits0_q, waits1_q;
  tcdm_pkg::req_t req0_q, req1_q;
  always_ff @(posedge clk_i) begin
    waits0_q <= rst_ni && req0.req && !gnt[0];
    waits1_q <= rst_ni && req1.req && !gnt[1];
    req0_q   <= req0;
    req1_q   <= req1;
  end

  // A store is on a port at a soft clear; stores have waited on both ports.
  logic over_clear_q, both_waited_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) over_clear_q <= 1'b0;
    else if (clear_i) over_clear_q <= waiting != '0 && store_request != '0;
    else if (granted != '0) over_clear_q <= 1'b0;
    both_waited_q <= rst_ni && !clear_i && waiting == 2'b11;
  end

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      kept0: assert (!waits0_q || (req0.req && req0.we == req0_q.we && req0.addr == req0_q.addr &&
                                   (!req0.we || (req0.wdata == req0_q.wdata && req0.be == req0_q.be))));
      kept1: assert (!waits1_q || (req1.req && req1.we == req1_q.we && req1.addr == req1_q.addr &&
                                   (!req1.we || (req1.wdata == req1_q.wdata && req1.be == req1_q.be))));
      whole_words: assert ((!granted[0] || req0.be == '1) && (!granted[1] || req1.be == '1));

      // None that is not due, none twice, two to one word never at once; none lost.
      due_only: assert (granted_here == '0 || due_q != '0);
      alone:    assert ((granted_here | waiting_here) != 2'b11);
      due_all:  assert (words_q >= 5'(granted_count));
      in_order: assert (!marked_q || before_q != '0 || granted_here == '0 || granted_data == marked_data_q);
      rmw:      assert (!marked_q || before_q != '0 || granted_here == '0 ||
                        (stored_rmw & granted_here) == (marked_rmw_q ? granted_here : 2'b00));
      none_lost:       assert (!drained || (due_q == '0 && words_q == '0 && !marked_q));
      stores_reported: assert (stored == granted && (!granted[0] || req0.addr == tcdm_pkg::AddrWidth'(stored0_addr)) &&
                               (!granted[1] || req1.addr == tcdm_pkg::AddrWidth'(stored1_addr)));

      notifies_due:  assert (!ports_notify || notifies_q != '0);
      notifies_late: assert (!(notify_marked_q && ports_notify && notifies_before_q == '0) ||
                             words_before_q == 5'(granted_count));
      notifies_all:  assert (!drained || notifies_q == '0);

      two_at_once:    cover (granted == 2'b11 && both_waited_q && marked_q && before_q == '0 && granted_here != '0 && !image_busy);
      third_of_word:  cover (marked_q && before_q == 4'd2 && granted_here != '0);
      image_after:    cover (marked_q && before_q == '0 && granted_here[1] && image_busy && words_before_q == 5'd2 && notify_marked_q);
      survives_clear: cover (over_clear_q && granted != '0 && marked_q && granted_here != '0);
      notified:       cover (ports_notify && notify_marked_q && notifies_before_q == 4'd0 && notifies_q == 4'd2);
    end
  end

endmodule
