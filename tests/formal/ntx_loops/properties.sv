// SPDX-License-Identifier: Apache-2.0
//
// What ntx_loops promises, for any trip counts, any outer level, writes of staged trip counts at any
// time: between load_i and the last step the loops below the outer level visit each index tuple
// once, in order, loop 0 fastest.
//
// The tuple is kept here from advances_o alone, as the address units do: the loop that advances
// counts, those below it start over. A tuple read as one number of 80 bits, loop 4 on top, grows in
// the order of visits. So: `mark`, any one tuple that the solver picks, has been seen exactly if
// it is in range and its number is below that of the present one; and at the last tuple all in range
// have been.

module properties (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        write_i,
  input logic [2:0]  register_i,
  input logic [15:0] wdata_i,
  input logic        load_i,
  input logic        step_i,
  input logic [2:0]  level_i
);

  logic [15:0] rdata_o;
  logic [4:0]  advances_o;
  logic [5:0]  nest_ends_o;
  logic        last_o;

  // A command from its load to its last step; its outer level.
  logic       active_q;
  logic [2:0] level_q;

  ntx_loops dut (
    .clk_i,
    .rst_ni,
    .write_i,
    .register_i,
    .wdata_i,
    .rdata_o,
    .load_i,
    .step_i,
    .outer_level_i(level_q),
    .advances_o,
    .nest_ends_o,
    .last_o
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always @* assume (started_q || !rst_ni);

  // What the walker promises: steps only within a command, the next one loaded at the earliest with
  // the last step; levels to 5, registers to 4. (Trip counts have been written once, as they have no reset.)
  always @* begin
    assume (register_i < 3'd5);
    assume (level_i <= 3'd5);
    assume (!step_i || active_q);
    assume (!load_i || written_q == '1);
    assume (!load_i || !active_q || (step_i && last_o));
  end

  logic [79:0] staged_q, ends_q, here_q, next;
  logic [15:0] staged;

  (* anyconst *) logic [79:0] mark;
  logic seen_q, exists, inside;
  logic [4:0] written_q = '0;

  always @* begin
    staged = '0;
    for (int unsigned j = 0; j < 5; j++) begin
      if (register_i == 3'(j)) staged = staged_q[16*j+:16];
    end
    next = here_q;
    for (int unsigned j = 0; j < 5; j++) begin
      for (int unsigned k = 0; k < 5; k++) begin
        if (advances_o[k] && j == k) next[16*j+:16] = here_q[16*j+:16] + 1'b1;
        if (advances_o[k] && j < k) next[16*j+:16] = '0;
      end
    end
    // Are the marked tuple and the present one of this command's?
    exists = 1'b1;
    inside = 1'b1;
    for (int unsigned j = 0; j < 5; j++) begin
      if (mark[16*j+:16] > (3'(j) < level_q ? ends_q[16*j+:16] : 16'd0)) exists = 1'b0;
      if (here_q[16*j+:16] > (3'(j) < level_q ? ends_q[16*j+:16] : 16'd0)) inside = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < 5; j++) begin
      if (write_i && register_i == 3'(j)) begin
        staged_q[16*j+:16] <= wdata_i;
        written_q[j]       <= 1'b1;
      end
    end
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (load_i) begin
      active_q <= 1'b1;
      level_q  <= level_i;
      ends_q   <= staged_q;
      here_q   <= '0;
      seen_q   <= 1'b0;
    end else if (step_i) begin
      here_q <= next;
      seen_q <= seen_q || here_q == mark;
      if (last_o) active_q <= 1'b0;
    end
  end

  // A command ran behind another without a gap.
  logic second_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) second_q <= 1'b0;
    else if (load_i) second_q <= active_q && ends_q[47:0] != staged_q[47:0];
  end

  // The module's registers index_q, last_index_q and staged_q; proof.yaml connects them.
  logic [79:0] index, last_index, own_staged, written;
  assign written = {{16{written_q[4]}}, {16{written_q[3]}}, {16{written_q[2]}}, {16{written_q[1]}}, {16{written_q[0]}}};

  // The first so many loops are at their ends, and how many.
  logic [5:0] ends;
  always @* begin
    ends = 6'd1;
    for (int unsigned j = 0; j < 5; j++) begin
      ends[j+1] = ends[j] && here_q[16*j+:16] == ends_q[16*j+:16];
    end
  end

  always @(posedge clk_i) begin
`ifndef MUTANT
    copies: assert (((own_staged ^ staged_q) & written) == '0);  // for the induction; not reset either
`endif
    if (started_q && rst_ni) begin
      reads_back: assert (!written_q[register_i] || rdata_o == staged);
      if (active_q) begin
        in_range:  assert (inside);
        nest_ends: assert (nest_ends_o == ends);
        last:      assert (last_o == ends[level_q]);
        one:       assert (last_o || (advances_o != '0 && (advances_o & (advances_o - 1'b1)) == '0));
        forward:   assert (last_o || next > here_q);
        once:      assert (seen_q == (exists && mark < here_q));
`ifndef MUTANT
        // For the induction: what the registers hold.
        registers: assert (level_q <= 3'd5 && index == here_q && last_index == ends_q);
`endif
        all:       assert (!last_o || (seen_q || here_q == mark) == exists);
      end
      three_loops: cover (second_q && active_q && level_q == 3'd3 && last_o && ends_q[47:0] == {16'd1, 16'd0, 16'd2});
    end
  end

endmodule
