// SPDX-License-Identifier: Apache-2.0
//
// Takes the core's data accesses to where their address says: scratchpad, cluster registers, cube
// memory over AXI, or nowhere, which is a bus error, as are registers accessed by less than a word.
//
// Core side: req and gnt at ticks, one access outstanding, each answered once by rvalid (at a
// tick). Scratchpad, registers and errors answer in the core cycle after the grant; a request may
// be granted while the previous one of these answers. An AXI access is granted at once, answers
// when its response comes (writes too), and the next request is granted from the core cycle after
// that.
//
// With more than one NTX cycle in a core cycle a request is captured in its first one, so that the
// core has a whole NTX cycle to bring it out and the scratchpad sees it early in the next; the core
// cannot tell. A core keeps its request unchanged until it is granted.

`include "assertions.svh"

module core_data_port #(
  /// Scratchpad size in bytes, a power of two.
  parameter int unsigned TcdmBytes = 65536,
  /// NTX clock cycles in one core clock cycle.
  parameter int unsigned CoreClockRatio = 2
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           core_tick_i,

  input  logic           data_req_i,
  input  logic           data_we_i,
  input  logic [3:0]     data_be_i,
  input  logic [31:0]    data_addr_i,
  input  logic [31:0]    data_wdata_i,
  output logic           data_gnt_o,
  output logic           data_rvalid_o,
  output logic           data_err_o,
  output logic [31:0]    data_rdata_o,

  output tcdm_pkg::req_t tcdm_req_o,
  input  tcdm_pkg::rsp_t tcdm_rsp_i,

  /// Register access: made in a cycle with req, gnt and core_tick_i; rdata and err belong to it in
  /// the next cycle.
  output logic           reg_req_o,
  output logic           reg_we_o,
  output logic [31:0]    reg_addr_o,
  output logic [31:0]    reg_wdata_o,
  input  logic           reg_gnt_i,
  input  logic [31:0]    reg_rdata_i,
  input  logic           reg_err_i,

  /// AXI: one beat of a word; handshakes at ticks; responses are always taken.
  output logic [31:0]    axi_addr_o,
  output logic           axi_aw_valid_o,
  input  logic           axi_aw_ready_i,
  output logic           axi_w_valid_o,
  input  logic           axi_w_ready_i,
  output logic [63:0]    axi_w_data_o,
  output logic [7:0]     axi_w_strb_o,
  input  logic           axi_b_valid_i,
  input  logic           axi_b_err_i,
  output logic           axi_ar_valid_o,
  input  logic           axi_ar_ready_i,
  input  logic           axi_r_valid_i,
  input  logic           axi_r_err_i,
  input  logic [63:0]    axi_r_data_i,

  /// The scratchpad request is not granted in this cycle, for a counter.
  output logic           wait_tcdm_o,
  /// For watchdogs: the request is not granted; an answer is outstanding; its target (0 TCDM, 1
  /// registers, 2 AXI).
  output logic           debug_request_o,
  output logic           debug_answer_o,
  output logic [1:0]     debug_target_o
);

  typedef enum logic [1:0] {
    TargetTcdm = 2'd0,
    TargetRegister = 2'd1,
    TargetAxi = 2'd2,
    TargetNone = 2'd3
  } target_e;

  localparam bit Captures = CoreClockRatio > 1;

  // 1 The request. `pending` says that the one in we, be, ... waits for its grant.
  logic        capture, pending, pending_q, axi_busy_q;
  logic        we, we_q;
  logic [3:0]  be, be_q;
  logic [31:0] addr, addr_q, wdata, wdata_q;

  assign capture = data_req_i && !axi_busy_q && (!Captures || (!pending_q && !core_tick_i));

  always_ff @(posedge clk_i) begin
    if (capture) begin
      we_q    <= data_we_i;
      be_q    <= data_be_i;
      addr_q  <= data_addr_i;
      wdata_q <= data_wdata_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) pending_q <= 1'b0;
    else if (capture) pending_q <= 1'b1;
    else if (core_tick_i && data_gnt_o) pending_q <= 1'b0;
  end

  assign pending = Captures ? pending_q : (data_req_i && !axi_busy_q);
  assign we      = Captures ? we_q : data_we_i;
  assign be      = Captures ? be_q : data_be_i;
  assign addr    = Captures ? addr_q : data_addr_i;
  assign wdata   = Captures ? wdata_q : data_wdata_i;

  // 2 Its target.
  localparam logic [31:0] TcdmMask = ~(32'(TcdmBytes) - 1);
  localparam logic [31:0] RegisterMask = 32'hFFFF_8000;  // control to NTX

  target_e target;

  always_comb begin
    target = TargetNone;
    if ((addr & TcdmMask) == nearcube_regs_pkg::TcdmBase) begin
      target = TargetTcdm;
    end else if ((addr & RegisterMask) == nearcube_regs_pkg::ControlBase && be == 4'hF) begin
      target = TargetRegister;
    end else if (addr >= nearcube_regs_pkg::CubeBase) begin
      target = TargetAxi;
    end
  end

  // 3 Grants. The scratchpad may grant in any NTX cycle of the core cycle, which is kept until the
  // tick; but not so early that its answer would arrive before the previous one has been handed
  // over.
  logic granted, tcdm_done_q, answer_q;

  assign tcdm_req_o.req   = pending && target == TargetTcdm && !tcdm_done_q &&
                            (!answer_q || core_tick_i);
  assign tcdm_req_o.we    = we;
  assign tcdm_req_o.be    = be;
  assign tcdm_req_o.addr  = addr[tcdm_pkg::AddrWidth+1:2];
  assign tcdm_req_o.wdata = wdata;

  assign reg_req_o   = pending && target == TargetRegister;
  assign reg_we_o    = we;
  assign reg_addr_o  = addr;
  assign reg_wdata_o = wdata;

  always_comb begin
    unique case (target)
      TargetTcdm:     granted = tcdm_done_q || tcdm_rsp_i.gnt;
      TargetRegister: granted = reg_gnt_i;
      default:        granted = 1'b1;
    endcase
  end
  assign data_gnt_o = pending && granted;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || core_tick_i) tcdm_done_q <= 1'b0;
    else if (tcdm_rsp_i.gnt) tcdm_done_q <= 1'b1;
  end

  // 4 Answers of scratchpad, registers and nowhere: they come in the cycle after the access, and
  // wait for the tick.
  logic        register_q, none_q, err, err_q, from_registers_q;
  logic [31:0] rdata, rdata_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      answer_q   <= 1'b0;
      register_q <= 1'b0;
      none_q     <= 1'b0;
    end else begin
      if (core_tick_i) answer_q <= data_gnt_o && target != TargetAxi;
      register_q <= core_tick_i && data_gnt_o && target == TargetRegister;
      none_q     <= core_tick_i && data_gnt_o && target == TargetNone;
    end
  end

  assign err   = none_q || (register_q && reg_err_i);
  assign rdata = register_q ? reg_rdata_i : tcdm_rsp_i.rdata;

  always_ff @(posedge clk_i) begin
    if (core_tick_i) from_registers_q <= target == TargetRegister;
    if (tcdm_rsp_i.rvalid || register_q || none_q) begin
      err_q   <= err;
      rdata_q <= rdata;
    end
  end

  // 5 AXI. The request's registers hold until the response.
  logic aw_q, w_q, ar_q, axi_answer;

  assign axi_addr_o     = {addr_q[31:2], 2'b00};
  assign axi_aw_valid_o = aw_q;
  assign axi_w_valid_o  = w_q;
  assign axi_w_data_o   = {wdata_q, wdata_q};
  assign axi_w_strb_o   = addr_q[2] ? {be_q, 4'h0} : {4'h0, be_q};
  assign axi_ar_valid_o = ar_q;
  assign axi_answer     = axi_busy_q && (we_q ? axi_b_valid_i : axi_r_valid_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      axi_busy_q <= 1'b0;
      aw_q       <= 1'b0;
      w_q        <= 1'b0;
      ar_q       <= 1'b0;
    end else if (core_tick_i) begin
      if (data_gnt_o && target == TargetAxi) begin
        axi_busy_q <= 1'b1;
        aw_q       <= we;
        w_q        <= we;
        ar_q       <= !we;
      end else begin
        if (axi_answer) axi_busy_q <= 1'b0;
        if (axi_aw_ready_i) aw_q <= 1'b0;
        if (axi_w_ready_i) w_q <= 1'b0;
        if (axi_ar_ready_i) ar_q <= 1'b0;
      end
    end
  end

  assign data_rvalid_o = answer_q || axi_answer;
  always_comb begin
    if (axi_busy_q) begin
      data_err_o   = we_q ? axi_b_err_i : axi_r_err_i;
      data_rdata_o = addr_q[2] ? axi_r_data_i[63:32] : axi_r_data_i[31:0];
    end else begin
      data_err_o   = Captures ? err_q : err;
      data_rdata_o = Captures ? rdata_q : rdata;
    end
  end

  assign wait_tcdm_o     = tcdm_req_o.req && !tcdm_rsp_i.gnt;
  assign debug_request_o = pending && !granted;
  assign debug_answer_o  = answer_q || axi_busy_q;
  assign debug_target_o  = axi_busy_q ? 2'd2 : {1'b0, from_registers_q};

  `NC_ASSERT(CoreDataAddressAligned, !data_req_i || data_addr_i[1:0] == 2'b00)
  `NC_ASSERT(CoreDataOneOutstanding, !(answer_q && axi_busy_q))
  `NC_ASSERT(CoreDataAxiResponseExpected,
             !core_tick_i || !(axi_b_valid_i || axi_r_valid_i) || axi_busy_q)

endmodule
