// SPDX-License-Identifier: Apache-2.0
//
// Byte realigner: eight byte-wide queues, one for each byte lane of the destination. A source word's bytes are
// rotated into the lanes in which the destination wants them; the writer takes whichever lanes its next word needs
// once all of them are there. Rows of any alignment follow each other without a gap.
//
// Space is reserved first (ready_o: there is room in every lane of reserve_mask_i) and filled in the same cycle or
// later, so a word that is on its way always finds its place. A byte pushed is at the output in the next
// cycle. clear_i empties everything, reservations too. Reset leaves it empty.

`include "assertions.svh"

module dma_lanes #(
  /// Bytes in a lane.
  parameter int unsigned Depth = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,

  /// Lanes, of the destination, that the next word will fill.
  input  logic [7:0]  reserve_mask_i,
  input  logic        reserve_i,
  output logic        ready_o,

  /// Bytes for the lanes of the destination that push_mask_i names.
  input  logic [7:0]  push_mask_i,
  input  logic [63:0] push_data_i,

  /// Lanes that hold a byte, and the oldest of each.
  output logic [7:0]  valid_o,
  output logic [63:0] data_o,
  input  logic [7:0]  pop_mask_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic [7:0] room;

  assign ready_o = (reserve_mask_i & ~room) == '0;

  for (genvar l = 0; l < 8; l++) begin : gen_lane
    logic [CountWidth-1:0] reserved_q, count;
    logic                  reserve, ready;

    assign room[l] = reserved_q != CountWidth'(Depth);
    assign reserve = reserve_i && reserve_mask_i[l];

    fifo #(
      .Width(8),
      .Depth(Depth)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i,
      .valid_i(push_mask_i[l]),
      .ready_o(ready),
      .data_i (push_data_i[8*l+:8]),
      .valid_o(valid_o[l]),
      .ready_i(pop_mask_i[l]),
      .data_o (data_o[8*l+:8]),
      .count_o(count)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) reserved_q <= '0;
      else if (reserve && !pop_mask_i[l]) reserved_q <= reserved_q + 1'b1;
      else if (pop_mask_i[l] && !reserve) reserved_q <= reserved_q - 1'b1;
    end

    `NC_ASSERT(DmaLaneReserved, !push_mask_i[l] || count < reserved_q || reserve)
    `NC_ASSERT(DmaLaneNotOverrun, ready || !push_mask_i[l])
    `NC_ASSERT(DmaLaneNotUnderrun, valid_o[l] || !pop_mask_i[l])
    `NC_ASSERT(DmaLaneReservationHasRoom, !reserve || room[l])
  end

endmodule
