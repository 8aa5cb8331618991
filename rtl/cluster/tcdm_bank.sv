// SPDX-License-Identifier: Apache-2.0
//
// One bank of the scratchpad: the model of a single-port SRAM of 32-bit words with byte enables.
// Synthesis replaces it by a macro of the same ports.
//
// An access is made in each cycle with req_i high; a read's word is on rdata_o from the next cycle
// until the next read. Reset does not touch the contents.

module tcdm_bank #(
  /// 32-bit words.
  parameter int unsigned Words = 256,
  localparam int unsigned RowWidth = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                clk_i,
  input  logic                req_i,
  input  logic                we_i,
  /// Bytes to write.
  input  logic [3:0]          be_i,
  input  logic [RowWidth-1:0] row_i,
  input  logic [31:0]         wdata_i,
  output logic [31:0]         rdata_o
);

  logic [31:0] words_q [Words];
  logic [31:0] rdata_q, written;

  assign rdata_o = rdata_q;

  // A write replaces the whole word: one write port of 32 bits is what the simulator handles
  // fastest.
  assign written = {{8{be_i[3]}}, {8{be_i[2]}}, {8{be_i[1]}}, {8{be_i[0]}}};

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) words_q[row_i] <= (wdata_i & written) | (words_q[row_i] & ~written);
      else rdata_q <= words_q[row_i];
    end
  end

endmodule
