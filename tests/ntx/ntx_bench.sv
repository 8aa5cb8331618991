// SPDX-License-Identifier: Apache-2.0
//
// One NTX with flat ports, for a C++ bench.

module ntx_bench (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_tick_i,
  input  logic        cfg_req_i,
  input  logic        cfg_we_i,
  input  logic [4:0]  cfg_addr_i,
  input  logic [31:0] cfg_wdata_i,
  output logic        cfg_gnt_o,
  output logic        cfg_rvalid_o,
  output logic [31:0] cfg_rdata_o,
  input  logic [1:0]  priority_i,
  output logic        req0_o,
  output logic        we0_o,
  output logic [3:0]  be0_o,
  output logic [17:0] addr0_o,
  output logic [31:0] wdata0_o,
  input  logic        gnt0_i,
  input  logic        rvalid0_i,
  input  logic [31:0] rdata0_i,
  output logic        req1_o,
  output logic        we1_o,
  output logic [3:0]  be1_o,
  output logic [17:0] addr1_o,
  output logic [31:0] wdata1_o,
  input  logic        gnt1_i,
  input  logic        rvalid1_i,
  input  logic [31:0] rdata1_i,
  output logic        irq_o,
  output logic        active_o,
  // In the order of ntx_pkg::perf_t.
  output logic [10:0] perf_o,
  output logic [31:0] debug_o
);

  tcdm_pkg::req_t req0, req1;
  tcdm_pkg::rsp_t rsp0, rsp1;

  assign {req0_o, we0_o, be0_o, addr0_o, wdata0_o} = req0;
  assign {req1_o, we1_o, be1_o, addr1_o, wdata1_o} = req1;
  assign rsp0 = {gnt0_i, rvalid0_i, rdata0_i};
  assign rsp1 = {gnt1_i, rvalid1_i, rdata1_i};

  ntx i_ntx (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .core_tick_i  (core_tick_i),
    .cfg_req_i    (cfg_req_i),
    .cfg_we_i     (cfg_we_i),
    .cfg_addr_i   (cfg_addr_i),
    .cfg_wdata_i  (cfg_wdata_i),
    .cfg_gnt_o    (cfg_gnt_o),
    .cfg_rvalid_o (cfg_rvalid_o),
    .cfg_rdata_o  (cfg_rdata_o),
    .priority_i   (priority_i),
    .tcdm0_req_o  (req0),
    .tcdm1_req_o  (req1),
    .tcdm0_rsp_i  (rsp0),
    .tcdm1_rsp_i  (rsp1),
    .irq_o        (irq_o),
    .active_o     (active_o),
    .perf_o       (perf_o),
    .debug_o      (debug_o)
  );

endmodule
