// SPDX-License-Identifier: Apache-2.0
//
// A memory of the DMA with one write and one read port, as an SRAM macro has them: for data that AXI reads return,
// and for the shapes of outstanding transfers. A read's data is there in the next cycle and stays until the next
// read. Reading a word in the cycle that writes it is undefined and does not occur. Contents after reset are
// undefined. Synthesis treats it as a black box.
module dma_ram #(
  /// Bits of a word.
  parameter int unsigned Width = 65,
  /// Words, a power of two.
  parameter int unsigned Words = 128,
  localparam int unsigned AddrWidth = $clog2(Words)
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     write_data_i,
  input  logic                 read_i,
  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     read_data_o
);

  logic [Width-1:0] words_q [Words];

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[write_addr_i] <= write_data_i;
    if (read_i) read_data_o <= words_q[read_addr_i];
  end

endmodule
