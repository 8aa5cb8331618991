// SPDX-License-Identifier: Apache-2.0
//
// What does not sum: compares, counts, selections. Results of MAXMIN, THTST, MASK and COPY, and the
// test of MASKMAC, for the present step, combinational; step_i moves the count, the register and
// the winner on.

module ntx_bypass (
  input  logic        clk_i,
  /// The present step is done.
  input  logic        step_i,
  input  logic [3:0]  opcode_i,
  input  logic [2:0]  aux_i,
  input  logic        polarity_i,
  /// First step of an init nest.
  input  logic        init_i,
  /// In such a step the register takes reg_value_i (else it keeps its value); zero_i: it is zero throughout.
  input  logic        reg_load_i,
  input  logic [31:0] reg_value_i,
  input  logic        zero_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,

  /// The register as this step sees it.
  output logic [31:0] reg_o,
  /// MASK and MASKMAC: the test holds, polarity included.
  output logic        hit_o,
  output logic [31:0] result_o
);

  localparam logic [31:0] One = 32'h3F80_0000;

  logic [31:0] reg_q, winner_q, index_q, count_q, held, count, index, selected;
  logic        holds, replaces, count_mode, is_maxmin;

  assign held       = reg_load_i ? reg_value_i : reg_q;
  assign reg_o      = zero_i ? '0 : held;
  assign is_maxmin  = opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsMaxmin;
  assign count_mode = aux_i[2] && (opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsMask ||
                                   opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsMaskmac);
  assign count      = init_i ? '0 : count_q;

  fp32_compare i_compare (
    .x_i        (count_mode ? count : b_i),
    .y_i        (is_maxmin && !init_i ? winner_q : reg_o),
    .integer_i  (count_mode),
    .relation_i (aux_i[1:0]),
    .holds_o    (holds),
    .minimum_i  (polarity_i),
    .selected_o (selected),
    .replaces_o (replaces)
  );

  assign hit_o = holds ^ polarity_i;
  assign index = replaces ? count : init_i ? '0 : index_q;

  always_comb begin
    case (opcode_i)
      nearcube_regs_pkg::NtxCmdOpcodeIsMaxmin: result_o = aux_i[0] ? index : selected;
      nearcube_regs_pkg::NtxCmdOpcodeIsThtst:  result_o = aux_i[2] ? (hit_o ? One : '0) : (hit_o ? b_i : reg_o);
      nearcube_regs_pkg::NtxCmdOpcodeIsMask:   result_o = hit_o ? a_i : '0;
      default:                                 result_o = aux_i[0] ? a_i : reg_o;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      // Sums do not count.
      if (opcode_i[3:2] != '0) count_q <= init_i ? 32'd1 : count_q + 1'b1;
      if (reg_load_i) reg_q <= reg_value_i;
      if (is_maxmin) begin
        winner_q <= selected;
        index_q  <= index;
      end
    end
  end

endmodule
