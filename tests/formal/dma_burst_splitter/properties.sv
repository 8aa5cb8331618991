// SPDX-License-Identifier: Apache-2.0
//
// What dma_burst_splitter promises, for every span and every way in which its two sides wait: no chunk crosses a
// multiple of 2^ChunkBits (with 8, no burst crosses 256 bytes and so none 4 KiB); chunks cover the span's bytes once each, in
// order, and only them; the span's side bits go along; a chunk that is not taken stays.
//
// `mark` is one arbitrary byte, a constant that the solver picks: it is covered once if it belongs to the span and
// never else. Proven by induction, so for spans of any length.

module properties #(
  parameter int unsigned AddrWidth = 64,
  parameter int unsigned LengthWidth = 32,
  parameter int unsigned ChunkBits = 8
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   clear_i,
  input logic                   valid_i,
  input logic [AddrWidth-1:0]   addr_i,
  input logic [LengthWidth-1:0] bytes_i,
  input logic                   side_i,
  input logic                   ready_i
);

  logic                 ready_o, valid_o, last_o, side_o;
  logic [AddrWidth-1:0] addr_o;
  logic [ChunkBits:0]   bytes_o;

  dma_burst_splitter #(
    .AddrWidth  (AddrWidth),
    .LengthWidth(LengthWidth),
    .ChunkBits  (ChunkBits),
    .SideWidth  (1)
  ) dut (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i,
    .ready_o,
    .addr_i,
    .bytes_i,
    .side_i,
    .valid_o,
    .ready_i,
    .addr_o,
    .bytes_o,
    .last_o,
    .side_o
  );

  // Reset in the first cycle and whenever the environment likes; spans are not empty.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);
  always @* assume (!valid_i || bytes_i != '0);

  // The span under way, where it began, and how much of it has been cut off.
  logic                   open_q, side_q, seen_q, held_q, held_last_q;
  logic [AddrWidth-1:0]   begin_q, held_addr_q;
  logic [LengthWidth-1:0] length_q, done_q;
  logic [ChunkBits:0]     held_bytes_q;

  // Where the chunk has to begin, modulo 2^AddrWidth; where it begins, in 64 bits.
  logic [AddrWidth-1:0] here;
  logic [63:0]          place;
  assign here  = begin_q + AddrWidth'(done_q);
  assign place = 64'(addr_o);

  // The splitter's register left_q; proof.yaml connects it.
  logic [LengthWidth-1:0] left;

  // One arbitrary byte, by its distance from the span's begin.
  (* anyconst *) logic [LengthWidth-1:0] mark;
  logic covers;
  assign covers = mark >= done_q && {1'b0, mark} < {1'b0, done_q} + (LengthWidth + 1)'(bytes_o);

  always_ff @(posedge clk_i) begin
    held_q       <= rst_ni && !clear_i && valid_o && !ready_i;
    held_addr_q  <= addr_o;
    held_bytes_q <= bytes_o;
    held_last_q  <= last_o;
    if (!rst_ni || clear_i) begin
      open_q <= 1'b0;
    end else if (valid_i && ready_o) begin
      open_q   <= 1'b1;
      begin_q  <= addr_i;
      length_q <= bytes_i;
      done_q   <= '0;
      side_q   <= side_i;
      seen_q   <= 1'b0;
    end else if (valid_o && ready_i) begin
      done_q <= done_q + LengthWidth'(bytes_o);
      seen_q <= seen_q || covers;
      if (last_o) open_q <= 1'b0;
    end
  end

  always @(posedge clk_i) begin
    if (started_q && rst_ni) begin
      // A chunk is offered exactly while a span is under way, and stays until it is taken.
      offered: assert (valid_o == open_q);
      if (held_q) held: assert (addr_o == held_addr_q && bytes_o == held_bytes_q && last_o == held_last_q);
      if (valid_o) begin
        not_empty: assert (bytes_o != '0);
        in_block:  assert ({1'b0, addr_o[ChunkBits-1:0]} + bytes_o <= {1'b1, {ChunkBits{1'b0}}});
        in_page:   assert (AddrWidth < 12 || {1'b0, place[11:0]} + 13'(bytes_o) <= 13'h1000);
        in_order:  assert (addr_o == here);
        in_span:   assert ({1'b0, done_q} + (LengthWidth + 1)'(bytes_o) <= {1'b0, length_q});
        ends:      assert (last_o == ({1'b0, done_q} + (LengthWidth + 1)'(bytes_o) == {1'b0, length_q}));
        sides:     assert (side_o == side_q);
        // The marked byte: seen if it lies before here, so covered by no two chunks; by the last one, if it is in the span.
        once:      assert (seen_q == (mark < done_q));
        all:       assert (!last_o || (seen_q || covers) == (mark < length_q));
`ifndef MUTANT
        // For the induction: what the register holds is what is left of the span.
        remainder: assert ({1'b0, done_q} + {1'b0, left} == {1'b0, length_q} && left != '0);
`endif
      end
    end
  end

  // The interesting things can happen (checked as covers): a span in three chunks, and one behind it without a gap.
  logic [1:0] chunks_q;
  logic       back_to_back_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || (valid_i && ready_o)) chunks_q <= '0;
    else if (valid_o && ready_i && chunks_q != '1) chunks_q <= chunks_q + 1'b1;
    back_to_back_q <= rst_ni && !clear_i && valid_o && ready_i && last_o && valid_i && chunks_q == 2'd2;
  end
  always @(posedge clk_i) begin
    if (started_q && rst_ni) three_then_next: cover (back_to_back_q && valid_o);
  end

endmodule
