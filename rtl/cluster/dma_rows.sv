// SPDX-License-Identifier: Apache-2.0
//
// Walks the rows of one end of a transfer: address and length of each, in order, plane by plane.
//
// load_i takes a transfer (only while it has none), whose sizes are all above zero; its first row is offered in
// the next cycle, and a row a cycle after that. valid_o never waits for ready_i. clear_i forgets the rest. Reset
// leaves it idle.

`include "assertions.svh"

module dma_rows #(
  /// Bits of an address.
  parameter int unsigned AddrWidth = 64
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,

  /// The transfer: its first address, signed strides, rows in a plane, planes, bytes in a row.
  input  logic                 load_i,
  input  logic [AddrWidth-1:0] addr_i,
  input  logic [31:0]          stride1_i,
  input  logic [31:0]          stride2_i,
  input  logic [31:0]          count1_i,
  input  logic [31:0]          count2_i,
  input  logic [31:0]          bytes_i,
  /// The low bits of the other end's address and strides; constant zero where nobody needs other_o.
  input  logic [2:0]           other_addr_i,
  input  logic [2:0]           other_stride1_i,
  input  logic [2:0]           other_stride2_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [AddrWidth-1:0] addr_o,
  /// Low bits of the address at which the other end has this row.
  output logic [2:0]           other_o,
  output logic [31:0]          bytes_o,
  /// The transfer's last row.
  output logic                 last_o
);

  logic                 valid_q;
  logic [AddrWidth-1:0] row_q, plane_q;
  logic [2:0]           other_row_q, other_plane_q;
  logic [31:0]          stride1_q, stride2_q, bytes_q, count1_q;
  logic [2:0]           other_stride1_q, other_stride2_q;
  logic [31:0]          rows_left_q, planes_left_q;  // this one included
  logic                 last_in_plane, take;
  logic [AddrWidth-1:0] base, stride, next;
  logic [2:0]           other_next;

  assign valid_o       = valid_q;
  assign addr_o        = row_q;
  assign other_o       = other_row_q;
  assign bytes_o       = bytes_q;
  assign last_in_plane = rows_left_q == 32'd1;
  assign last_o        = last_in_plane && planes_left_q == 32'd1;
  assign take          = valid_q && ready_i;

  assign base       = last_in_plane ? plane_q : row_q;
  assign stride     = last_in_plane ? {{(AddrWidth - 32) {stride2_q[31]}}, stride2_q}
                                    : {{(AddrWidth - 32) {stride1_q[31]}}, stride1_q};
  assign next       = base + stride;
  assign other_next = last_in_plane ? other_plane_q + other_stride2_q : other_row_q + other_stride1_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      row_q           <= addr_i;
      plane_q         <= addr_i;
      other_row_q     <= other_addr_i;
      other_plane_q   <= other_addr_i;
      stride1_q       <= stride1_i;
      stride2_q       <= stride2_i;
      other_stride1_q <= other_stride1_i;
      other_stride2_q <= other_stride2_i;
      bytes_q         <= bytes_i;
      count1_q        <= count1_i;
      rows_left_q     <= count1_i;
      planes_left_q   <= count2_i;
    end else if (take) begin
      row_q       <= next;
      other_row_q <= other_next;
      if (last_in_plane) begin
        plane_q       <= next;
        other_plane_q <= other_next;
        rows_left_q   <= count1_q;
        planes_left_q <= planes_left_q - 1'b1;
      end else begin
        rows_left_q <= rows_left_q - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (load_i) valid_q <= 1'b1;
    else if (take && last_o) valid_q <= 1'b0;
  end

  `NC_ASSERT(DmaRowsLoadedWhenIdle, !load_i || !valid_q)
  `NC_ASSERT(DmaRowsNotEmpty, !load_i || (bytes_i != '0 && count1_i != '0 && count2_i != '0))

endmodule
