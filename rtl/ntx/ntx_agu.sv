// SPDX-License-Identifier: Apache-2.0
//
// Address generation unit: a word address and five strides; each step adds the stride of the loop
// that advances. It holds the staged copy of its registers too; load_i takes that over.
//
// It keeps no more bits than matter. A stride is kept as a signed number of words that fits if it
// leads from one word of the scratchpad to another; of any other ("far") only that it is far. An
// address is kept while it is no farther from the scratchpad's start than twice the scratchpad's
// size, which is all that one such stride can reach from inside; beyond, and by a far stride, it is
// lost, and stays so until the next load_i. A lost address is outside. Whether an address lies in
// the scratchpad is judged only where it is accessed, by the user. The user loads no far base.

module ntx_agu #(
  parameter int unsigned TcdmWords  = 16384,
  /// Words of a wide image.
  parameter int unsigned ImageWords = 20,
  localparam int unsigned AddrBits  = $clog2(TcdmWords)
) (
  input  logic                clk_i,

  /// Staged registers: 0 base, 1 to 5 stride of loop 0 to 4. A stride reads back as written unless
  /// it is far: then with its low bits, and a sign that makes it far.
  input  logic                write_i,
  input  logic [2:0]          register_i,
  input  logic [31:0]         wdata_i,
  output logic [31:0]         rdata_o,
  /// Bit n: register n is no multiple of 4.
  output logic [5:0]          misaligned_o,
  /// The base is not in the scratchpad's region, or twice the scratchpad's size beyond its start.
  output logic                base_far_o,

  input  logic                load_i,
  input  logic                step_i,
  /// One-hot: the loop that step_i advances.
  input  logic [4:0]          advances_i,

  /// The present address in words from the scratchpad's start, if inside.
  output logic [AddrBits-1:0] addr_o,
  /// The present word is outside the scratchpad; an image that begins there does not fit.
  output logic                word_outside_o,
  output logic                image_outside_o,
  /// The present address in bytes, if outside; of a lost one, all ones but for bits 1:0.
  output logic [31:0]         outside_addr_o,
  /// step_i changes the address.
  output logic                moves_o
);

  localparam logic [11:0] Region     = nearcube_regs_pkg::TcdmBase[31:20];
  localparam int unsigned StrideBits = AddrBits + 1;   // in words
  localparam int unsigned WalkBits   = AddrBits + 2;   // of an address, in words
  localparam int unsigned Far        = StrideBits + 2; // a stride's bits here and above are far
  localparam logic [AddrBits:0] Words     = (AddrBits + 1)'(TcdmWords);
  localparam logic [AddrBits:0] LastImage = (AddrBits + 1)'(TcdmWords - ImageWords);

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Staged
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [31:0] staged_base_q;
  // Far, and the low bits.
  (* mem2reg *) logic [Far:0] staged_q [5];
  logic far;
  logic [Far:0] staged;

  assign far = wdata_i[31:Far] != {(32 - Far){wdata_i[Far-1]}};
  for (genvar j = 0; j < 5; j++) begin : g_staged
    always_ff @(posedge clk_i) begin
      if (write_i && register_i == 3'(j + 1)) staged_q[j] <= {far, wdata_i[Far-1:0]};
    end
    assign misaligned_o[j+1] = staged_q[j][1:0] != '0;
  end
  always_ff @(posedge clk_i) begin
    if (write_i && register_i == '0) staged_base_q <= wdata_i;
  end
  assign misaligned_o[0] = staged_base_q[1:0] != '0;
  assign base_far_o = (staged_base_q[31:20] != Region && staged_base_q[31:20] != '0) ||
                      (staged_base_q[19:0] >> (AddrBits + 3)) != '0;

  always_comb begin
    staged = '0;
    for (int unsigned j = 0; j < 5; j++) begin
      if (register_i == 3'(j + 1)) staged = staged | staged_q[j];
    end
    rdata_o = (register_i == '0) ? staged_base_q
                                 : {{(32 - Far){staged[Far-1] ^ staged[Far]}}, staged[Far-1:0]};
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Active
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [WalkBits-1:0] addr_q, addr;
  logic                lost_q, overflow;
  (* mem2reg *) logic [StrideBits:0] strides_q [5];  // far, and words
  logic [StrideBits:0] stride;

  always_comb begin
    stride = '0;
    for (int unsigned j = 0; j < 5; j++) begin
      if (advances_i[j]) stride = stride | strides_q[j];
    end
    {overflow, addr} = {addr_q[WalkBits-1], addr_q} + {{2{stride[StrideBits-1]}}, stride[StrideBits-1:0]};
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      addr_q <= {1'b0, staged_base_q[AddrBits+2:2]};
      lost_q <= 1'b0;
      for (int unsigned j = 0; j < 5; j++) strides_q[j] <= staged_q[j][Far:2];
    end else if (step_i) begin
      addr_q <= addr;
      if (stride[StrideBits] || overflow != addr[WalkBits-1]) lost_q <= 1'b1;
    end
  end

  assign addr_o          = addr_q[AddrBits-1:0];
  assign moves_o         = stride != '0;
  assign word_outside_o  = lost_q || addr_q[WalkBits-1:AddrBits] != '0 || {1'b0, addr_q[AddrBits-1:0]} >= Words;
  assign image_outside_o = word_outside_o || {1'b0, addr_q[AddrBits-1:0]} > LastImage;
  assign outside_addr_o  = lost_q ? 32'hFFFF_FFFC
                           : nearcube_regs_pkg::TcdmBase + {{(30 - WalkBits){addr_q[WalkBits-1]}}, addr_q, 2'b00};

endmodule
