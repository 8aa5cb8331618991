// SPDX-License-Identifier: Apache-2.0
//
// The parts of rtl/common side by side, in several sizes, for one Verilated model.

module common_test (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  // FIFOs of depth 1, 2, 5 and 16, and a spill register: bit i of valid and ready belongs to part i.
  input  logic [4:0]  valid_i,
  output logic [4:0]  ready_o,
  input  logic [31:0] data_i,
  output logic [4:0]  valid_o,
  input  logic [4:0]  ready_i,
  output logic [31:0] data0_o,
  output logic [31:0] data1_o,
  output logic [31:0] data2_o,
  output logic [31:0] data3_o,
  output logic [31:0] data4_o,
  output logic [4:0]  count0_o,
  output logic [4:0]  count1_o,
  output logic [4:0]  count2_o,
  output logic [4:0]  count3_o,
  // Arbiters of 1, 2 and 5 requesters with the lock, and of 5 without.
  input  logic [4:0]  request_i,
  input  logic        take_i,
  output logic        grant1_o,
  output logic [1:0]  grant2_o,
  output logic [4:0]  grant5_o,
  output logic [4:0]  grant5_free_o,
  output logic [2:0]  index5_o,
  output logic [2:0]  index5_free_o,
  output logic [3:0]  grant_valid_o,
  output logic        index1_o,
  output logic        index2_o
);

  logic       count0;
  logic [1:0] count1;
  logic [2:0] count2;
  assign count0_o = {4'b0, count0};
  assign count1_o = {3'b0, count1};
  assign count2_o = {2'b0, count2};

  fifo #(.Width(32), .Depth(1)) i_fifo1 (
    .clk_i, .rst_ni, .clear_i, .valid_i(valid_i[0]), .ready_o(ready_o[0]), .data_i,
    .valid_o(valid_o[0]), .ready_i(ready_i[0]), .data_o(data0_o), .count_o(count0)
  );
  fifo #(.Width(32), .Depth(2)) i_fifo2 (
    .clk_i, .rst_ni, .clear_i, .valid_i(valid_i[1]), .ready_o(ready_o[1]), .data_i,
    .valid_o(valid_o[1]), .ready_i(ready_i[1]), .data_o(data1_o), .count_o(count1)
  );
  fifo #(.Width(32), .Depth(5)) i_fifo5 (
    .clk_i, .rst_ni, .clear_i, .valid_i(valid_i[2]), .ready_o(ready_o[2]), .data_i,
    .valid_o(valid_o[2]), .ready_i(ready_i[2]), .data_o(data2_o), .count_o(count2)
  );
  fifo #(.Width(32), .Depth(16)) i_fifo16 (
    .clk_i, .rst_ni, .clear_i, .valid_i(valid_i[3]), .ready_o(ready_o[3]), .data_i,
    .valid_o(valid_o[3]), .ready_i(ready_i[3]), .data_o(data3_o), .count_o(count3_o)
  );
  spill_register #(.Width(32)) i_spill (
    .clk_i, .rst_ni, .clear_i, .valid_i(valid_i[4]), .ready_o(ready_o[4]), .data_i,
    .valid_o(valid_o[4]), .ready_i(ready_i[4]), .data_o(data4_o)
  );

  rr_arbiter #(.Requesters(1)) i_arbiter1 (
    .clk_i, .rst_ni, .request_i(request_i[0]), .grant_o(grant1_o), .index_o(index1_o),
    .valid_o(grant_valid_o[0]), .ready_i(take_i)
  );
  rr_arbiter #(.Requesters(2)) i_arbiter2 (
    .clk_i, .rst_ni, .request_i(request_i[1:0]), .grant_o(grant2_o), .index_o(index2_o),
    .valid_o(grant_valid_o[1]), .ready_i(take_i)
  );
  rr_arbiter #(.Requesters(5)) i_arbiter5 (
    .clk_i, .rst_ni, .request_i, .grant_o(grant5_o), .index_o(index5_o),
    .valid_o(grant_valid_o[2]), .ready_i(take_i)
  );
  rr_arbiter #(.Requesters(5), .Lock(1'b0)) i_arbiter5_free (
    .clk_i, .rst_ni, .request_i, .grant_o(grant5_free_o), .index_o(index5_free_o),
    .valid_o(grant_valid_o[3]), .ready_i(take_i)
  );

endmodule
