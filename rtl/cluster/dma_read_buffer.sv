// SPDX-License-Identifier: Apache-2.0
//
// Queue for data that AXI reads return. It never says no: whoever sends reads takes care, with free_o, that no more
// is on its way than fits.
//
// reserve_i takes beats_i words out of free_o; each popped word gives one back. A word pushed is at the output two
// cycles later, then a word a cycle. Reset leaves it empty.

`include "assertions.svh"

module dma_read_buffer #(
  /// Words, a power of two.
  parameter int unsigned Words = 128,
  localparam int unsigned CountWidth = $clog2(Words + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  reserve_i,
  input  logic [5:0]            beats_i,
  /// Words not spoken for.
  output logic [CountWidth-1:0] free_o,
  /// Words reserved and not pushed: on their way.
  output logic [CountWidth-1:0] expected_o,

  input  logic                  push_i,
  input  logic [63:0]           data_i,
  input  logic                  error_i,

  output logic                  valid_o,
  input  logic                  pop_i,
  output logic [63:0]           data_o,
  output logic                  error_o
);

  localparam int unsigned AddrWidth = $clog2(Words);

  logic [AddrWidth-1:0]  write_q, read_q;
  logic [CountWidth-1:0] stored_q;  // words in the memory that no read has fetched
  logic                  valid_q, fetch;

  assign fetch   = stored_q != '0 && (!valid_q || pop_i);
  assign valid_o = valid_q;

  dma_ram #(
    .Width(65),
    .Words(Words)
  ) u_ram (
    .clk_i,
    .write_i     (push_i),
    .write_addr_i(write_q),
    .write_data_i({error_i, data_i}),
    .read_i      (fetch),
    .read_addr_i (read_q),
    .read_data_o ({error_o, data_o})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q    <= '0;
      read_q     <= '0;
      stored_q   <= '0;
      valid_q    <= 1'b0;
      free_o     <= CountWidth'(Words);
      expected_o <= '0;
    end else begin
      if (push_i) write_q <= write_q + 1'b1;
      if (fetch) read_q <= read_q + 1'b1;
      if (push_i && !fetch) stored_q <= stored_q + 1'b1;
      if (fetch && !push_i) stored_q <= stored_q - 1'b1;
      if (fetch || pop_i) valid_q <= fetch;
      if (reserve_i || pop_i) free_o <= free_o - (reserve_i ? CountWidth'(beats_i) : '0) + CountWidth'(pop_i);
      if (reserve_i || push_i) begin
        expected_o <= expected_o + (reserve_i ? CountWidth'(beats_i) : '0) - CountWidth'(push_i);
      end
    end
  end

  `NC_ASSERT(DmaReadBufferFits, !reserve_i || CountWidth'(beats_i) <= free_o)
  `NC_ASSERT(DmaReadBufferExpectsWhatComes, !push_i || expected_o != '0)
  `NC_ASSERT(DmaReadBufferNotUnderrun, !pop_i || valid_q)

endmodule
