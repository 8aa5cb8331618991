// SPDX-License-Identifier: Apache-2.0
//
// Moves a wide image between the scratchpad and the accumulator, a pair of words a cycle, one a
// port.
//
// start_load_i, start_store_i: for one cycle while busy_o is low; busy_o is high from the next
// cycle on. Done: a load, in the cycle after which busy_o falls, has given its last pair to the
// accumulator; a store has its last pair in the ports. The first pair of a load reaches the
// accumulator three cycles after start_load_i at the earliest. Reset and clear_i leave it idle.

module ntx_image #(
  parameter int unsigned AddrBits    = 14,
  parameter int unsigned AccSegments = 19
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  input  logic                start_load_i,
  input  logic                start_store_i,
  input  logic [AddrBits-1:0] addr_i,
  /// With start_load_i: add to the accumulator instead of replacing it; negate the image.
  input  logic                add_i,
  input  logic                negate_i,
  /// With start_store_i: this is a command's last store, which asks for the write-back interrupt.
  input  logic                notify_i,
  output logic                busy_o,
  /// The last cycle of a move.
  output logic                done_o,

  /// To ntx_ports.
  output logic                request_o,
  output logic                write_o,
  output logic [AddrBits-1:0] addr_o,
  output logic                notify_o,
  input  logic                take_i,
  input  logic                answer_i,

  /// To exact_mac.
  output logic                load_o,
  output logic                add_o,
  output logic                negate_o,
  output logic [4:0]          load_index_o,
  output logic                store_o,
  output logic [4:0]          store_index_o
);

  localparam logic [4:0] LastIndex = 5'(AccSegments - 1);

  // Requested: every pair of a load. Fetched: store_index's pair is at the accumulator's output.
  logic                load_q, store_q, add_q, negate_q, notify_q, requested_q, fetched_q;
  logic [AddrBits-1:0] addr_q;
  // Index of the pair to request or store, and of the pair to arrive.
  logic [4:0]          index_q, answer_index_q;
  logic                last_request;

  assign last_request  = index_q == LastIndex;
  assign busy_o        = load_q || store_q;
  assign request_o     = (load_q && !requested_q) || (store_q && fetched_q);
  assign write_o       = store_q;
  assign addr_o        = addr_q;
  assign notify_o      = store_q && notify_q && last_request;
  assign load_o        = load_q && answer_i;
  assign add_o         = add_q;
  assign negate_o      = negate_q;
  assign load_index_o  = answer_index_q;
  assign store_o       = store_q;
  assign store_index_o = take_i ? index_q + 5'd2 : index_q;
  assign done_o        = (load_o && answer_index_q == LastIndex) || (store_q && take_i && last_request);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      load_q  <= 1'b0;
      store_q <= 1'b0;
    end else begin
      if (start_load_i) load_q <= 1'b1;
      else if (done_o) load_q <= 1'b0;
      if (start_store_i) store_q <= 1'b1;
      else if (done_o) store_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_load_i || start_store_i) begin
      addr_q         <= addr_i;
      add_q          <= add_i;
      negate_q       <= negate_i;
      notify_q       <= notify_i;
      index_q        <= '0;
      answer_index_q <= '0;
      requested_q    <= 1'b0;
      fetched_q      <= 1'b0;
    end else begin
      if (take_i) begin
        addr_q      <= addr_q + AddrBits'(2);
        index_q     <= index_q + 5'd2;
        requested_q <= last_request;
      end
      fetched_q <= store_q;
      if (load_o) answer_index_q <= answer_index_q + 5'd2;
    end
  end

endmodule
