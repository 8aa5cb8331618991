// SPDX-License-Identifier: Apache-2.0
//
// Results on their way to memory: words in one queue, their addresses, known earlier, in another.
// The accumulator's pipeline cannot stall, so a step that will give a result reserves its place
// first (room_o, reserve_i). Reset and clear_i leave nothing.

`include "assertions.svh"

module ntx_results #(
  parameter int unsigned AddrBits  = 14,
  /// Results, those in the accumulator's pipeline included; even.
  parameter int unsigned Depth     = 16,
  /// Addresses; even.
  parameter int unsigned AddrDepth = 24
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  /// A step's result may still come; this one will give one.
  output logic                room_o,
  input  logic                reserve_i,
  input  logic                push_i,
  input  logic [31:0]         data_i,

  /// Addresses in the order of the results, or of images; with them whether the write-back interrupt follows, and
  /// whether the store is MASKMAC's.
  output logic                addr_ready_o,
  input  logic                addr_push_i,
  input  logic [AddrBits-1:0] addr_i,
  input  logic                notify_i,
  input  logic                rmw_i,
  /// An image is stored instead of a result: its address leaves.
  input  logic                image_pop_i,

  /// The oldest two; pop_i of them leave.
  output logic [1:0]          request_o,
  output logic [AddrBits-1:0] addr0_o,
  output logic [31:0]         data0_o,
  output logic                notify0_o,
  output logic                rmw0_o,
  output logic [AddrBits-1:0] addr1_o,
  output logic [31:0]         data1_o,
  output logic                notify1_o,
  output logic                rmw1_o,
  input  logic [1:0]          pop_i,

  /// Stores go before reads. Three quarters of the places are taken, those of results in the pipeline included: more
  /// than what two results in three cycles keep taken, the most where each needs two reads; so reads keep their turn.
  /// Or an interrupt follows the last of them: results of the next command, which would push it out, may be long in
  /// coming. (One command's interrupt at a time is remembered; that of a second one so close behind waits its turn.)
  output logic                hurry_o,
  /// No result here or in the pipeline; some are in the pipeline.
  output logic                empty_o,
  output logic                pending_o
);

  localparam int unsigned CountWidth     = $clog2(Depth + 1);
  localparam int unsigned AddrCountWidth = $clog2(AddrDepth + 1);

  logic [CountWidth-1:0]     reserved_q, count;
  logic [AddrCountWidth-1:0] addr_count;
  logic                      notify_q;

  ntx_pair_fifo #(
    .Width (32),
    .Depth (Depth)
  ) i_words (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (clear_i),
    .push_i   (push_i),
    .data_i   (data_i),
    .first_o  (data0_o),
    .second_o (data1_o),
    .pop_i    (pop_i),
    .count_o  (count)
  );

  ntx_pair_fifo #(
    .Width (AddrBits + 2),
    .Depth (AddrDepth)
  ) i_addresses (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (clear_i),
    .push_i   (addr_push_i),
    .data_i   ({rmw_i, notify_i, addr_i}),
    .first_o  ({rmw0_o, notify0_o, addr0_o}),
    .second_o ({rmw1_o, notify1_o, addr1_o}),
    .pop_i    (pop_i | {1'b0, image_pop_i}),
    .count_o  (addr_count)
  );

  assign addr_ready_o = addr_count != AddrCountWidth'(AddrDepth);
  assign request_o    = {count > CountWidth'(1), count != '0};
  assign hurry_o      = reserved_q >= CountWidth'(3 * Depth / 4) || notify_q;
  assign room_o       = reserved_q != CountWidth'(Depth);
  assign empty_o      = reserved_q == '0;
  assign pending_o    = reserved_q != count;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) reserved_q <= '0;
    else reserved_q <= reserved_q + CountWidth'(reserve_i) - CountWidth'(pop_i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) notify_q <= 1'b0;
    else if (addr_push_i && notify_i) notify_q <= 1'b1;
    else if (image_pop_i || (pop_i != '0 && notify0_o) || (pop_i[1] && notify1_o)) notify_q <= 1'b0;
  end

  `NC_ASSERT(ReservesRoom, !reserve_i || room_o)
  `NC_ASSERT(ResultsAreReserved, count <= reserved_q)
  `NC_ASSERT(ResultsHaveAddresses, AddrCountWidth'(count) <= addr_count)
  `NC_ASSERT(ImagesGoAlone, !image_pop_i || pop_i == '0)

endmodule
