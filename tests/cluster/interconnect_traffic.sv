// SPDX-License-Identifier: Apache-2.0
//
// Traffic like that of a convolution, for the interconnect's speed benchmark: of each pair of NTX ports one walks
// through an input that all share and the other through its own weights, one access in nine stores; core and DMA
// ask now and then. It is RTL so that the benchmark times the interconnect under registered masters, as in the
// cluster, and not a C++ driver.

module interconnect_traffic (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] grants_o,
  output logic [31:0] checksum_o
);

  localparam int unsigned NumMasters = 19;

  logic [NumMasters-1:0]    req, we, gnt, rvalid;
  logic [18*NumMasters-1:0] addr;
  logic [32*NumMasters-1:0] rdata;
  logic [63:0]              access, conflict;
  logic [31:0]              sums [NumMasters];
  logic [31:0]              lfsr_q, grants_q;

  for (genvar m = 0; m < NumMasters; m++) begin : gen_master
    logic        req_q;
    logic [13:0] addr_q;
    logic [3:0]  step_q;
    logic [31:0] sum_q;
    assign req[m]         = req_q;
    assign we[m]          = step_q == 4'd8;
    assign addr[18*m+:18] = {4'b0, addr_q};
    assign sums[m]        = sum_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        req_q  <= 1'b0;
        addr_q <= (m % 2 == 0) ? 14'd0 : 14'(m * 613);
        step_q <= '0;
        sum_q  <= '0;
      end else begin
        if (!req_q || gnt[m]) begin
          req_q  <= (m < 16) || lfsr_q[m];
          step_q <= (step_q == 4'd8) ? '0 : step_q + 1'b1;
          addr_q <= addr_q + ((step_q % 3 == 2) ? 14'd32 : 14'd1);
        end
        if (rvalid[m]) sum_q <= sum_q ^ rdata[32*m+:32];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lfsr_q   <= 32'h1234_5678;
      grants_q <= '0;
    end else begin
      lfsr_q   <= {lfsr_q[30:0], lfsr_q[31] ^ lfsr_q[21] ^ lfsr_q[1] ^ lfsr_q[0]};
      grants_q <= grants_q + 32'($countones(gnt));
    end
  end

  tcdm_interconnect u_interconnect (
    .clk_i,
    .rst_ni,
    .priority_i     (2'd1),
    .req_i          (req),
    .we_i           (we),
    .be_i           ('1),
    .addr_i         (addr),
    .wdata_i        ({NumMasters{lfsr_q}}),
    .gnt_o          (gnt),
    .rvalid_o       (rvalid),
    .rdata_o        (rdata),
    .bank_access_o  (access),
    .bank_conflict_o(conflict)
  );

  assign grants_o = grants_q;
  always_comb begin
    checksum_o = access[31:0] ^ access[63:32] ^ conflict[31:0] ^ conflict[63:32];
    for (int unsigned m = 0; m < NumMasters; m++) checksum_o = checksum_o ^ sums[m];
  end

endmodule
