// SPDX-License-Identifier: Apache-2.0
//
// Cuts a span of bytes into chunks that do not cross a multiple of 2^ChunkBits: with 8 a row into AXI bursts (256
// bytes, so never across 4 KiB), with 3 a burst into beats, with 2 a row into scratchpad words. Every byte is in
// exactly one chunk, in order of addresses (proven in tests/formal/dma_burst_splitter).
//
// Handshake, both sides: valid never waits for ready; a chunk stays unchanged until it is taken. A span's first
// chunk is offered in the cycle after the span was taken, then a chunk a cycle, and the next span is taken with the
// last chunk, so there is no gap between spans. clear_i drops the span. Reset leaves it empty.

`include "assertions.svh"

module dma_burst_splitter #(
  /// Bits of an address.
  parameter int unsigned AddrWidth = 64,
  /// Bits of a span's length in bytes.
  parameter int unsigned LengthWidth = 32,
  /// A chunk lies within an aligned block of 2^ChunkBits bytes; less than LengthWidth and AddrWidth.
  parameter int unsigned ChunkBits = 8,
  /// Bits that go along with a span unchanged.
  parameter int unsigned SideWidth = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic [AddrWidth-1:0]   addr_i,
  /// Not zero.
  input  logic [LengthWidth-1:0] bytes_i,
  input  logic [SideWidth-1:0]   side_i,

  output logic                   valid_o,
  input  logic                   ready_i,
  output logic [AddrWidth-1:0]   addr_o,
  /// 1 to 2^ChunkBits.
  output logic [ChunkBits:0]     bytes_o,
  /// The span's last chunk.
  output logic                   last_o,
  output logic [SideWidth-1:0]   side_o
);

  localparam logic [ChunkBits:0] Full = {1'b1, {ChunkBits{1'b0}}};

  logic                   valid_q;
  logic [AddrWidth-1:0]   addr_q;
  logic [LengthWidth-1:0] left_q;
  logic [SideWidth-1:0]   side_q;
  logic [ChunkBits:0]     room;  // bytes from here to the end of the block

  assign room    = Full - {1'b0, addr_q[ChunkBits-1:0]};
  assign last_o  = left_q <= LengthWidth'(room);
  assign bytes_o = last_o ? left_q[ChunkBits:0] : room;
  assign valid_o = valid_q;
  assign addr_o  = addr_q;
  assign side_o  = side_q;
  assign ready_o = !valid_q || (ready_i && last_o);

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      addr_q <= addr_i;
      left_q <= bytes_i;
      side_q <= side_i;
    end else if (valid_q && ready_i) begin
      addr_q <= {addr_q[AddrWidth-1:ChunkBits] + 1'b1, {ChunkBits{1'b0}}};
      left_q <= left_q - LengthWidth'(room);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (ready_o) valid_q <= valid_i;
  end

  `NC_ASSERT(DmaSpanNotEmpty, !(valid_i && ready_o) || bytes_i != '0)
  `NC_ASSERT(DmaChunkNotEmpty, !valid_q || (bytes_o != '0 && bytes_o <= Full))

endmodule
