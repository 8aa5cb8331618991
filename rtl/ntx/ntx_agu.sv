// SPDX-License-Identifier: Apache-2.0
//
// Address generation unit: a word address and five strides; each step adds the stride of the loop
// that advances, modulo 2^30 words. Whether an address lies in the scratchpad is judged only where
// it is accessed, by the user. It holds the staged copy of its registers too; load_i takes that
// over.

module ntx_agu #(
  parameter int unsigned TcdmWords  = 16384,
  /// Words of a wide image.
  parameter int unsigned ImageWords = 20
) (
  input  logic         clk_i,

  /// Staged registers: 0 base, 1 to 5 stride of loop 0 to 4.
  input  logic         write_i,
  input  logic [2:0]   register_i,
  input  logic [31:0]  wdata_i,
  output logic [31:0]  rdata_o,
  /// Bit n: register n is no multiple of 4.
  output logic [5:0]   misaligned_o,

  input  logic         load_i,
  input  logic         step_i,
  /// One-hot: the loop that step_i advances.
  input  logic [4:0]   advances_i,

  /// The present address in words; a base without region counts from the scratchpad's start.
  output logic [29:0]  addr_o,
  /// The present word is outside the scratchpad; an image that begins there does not fit.
  output logic         word_outside_o,
  output logic         image_outside_o,
  /// step_i changes the address.
  output logic         moves_o
);

  localparam logic [11:0] Region    = nearcube_regs_pkg::TcdmBase[31:20];
  localparam logic [18:0] Words     = 19'(TcdmWords);
  localparam logic [18:0] LastImage = 19'(TcdmWords - ImageWords);

  logic [29:0] addr_q, stride;
  (* mem2reg *) logic [29:0] strides_q [5];
  (* mem2reg *) logic [31:0] staged_q [6];

  always_ff @(posedge clk_i) begin
    if (write_i) staged_q[register_i] <= wdata_i;
  end
  assign rdata_o = staged_q[register_i];
  for (genvar r = 0; r < 6; r++) begin : g_misaligned
    assign misaligned_o[r] = staged_q[r][1:0] != '0;
  end

  always_comb begin
    stride = '0;
    for (int unsigned j = 0; j < 5; j++) begin
      if (advances_i[j]) stride = stride | strides_q[j];
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      addr_q <= {staged_q[0][31:20] == '0 ? Region : staged_q[0][31:20], staged_q[0][19:2]};
      for (int unsigned j = 0; j < 5; j++) strides_q[j] <= staged_q[j+1][31:2];
    end else if (step_i) begin
      addr_q <= addr_q + stride;
    end
  end

  assign addr_o          = addr_q;
  assign moves_o         = stride != '0;
  assign word_outside_o  = addr_q[29:18] != Region || {1'b0, addr_q[17:0]} >= Words;
  assign image_outside_o = word_outside_o || {1'b0, addr_q[17:0]} > LastImage;

endmodule
