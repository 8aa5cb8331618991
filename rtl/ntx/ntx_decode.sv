// SPDX-License-Identifier: Apache-2.0
//
// What a (valid) command asks of the unit: the command table of the specification in one place.
// Combinational.

module ntx_decode (
  input  logic [3:0]                opcode_i,
  input  logic [2:0]                aux_i,
  input  logic [1:0]                source_i,
  output ntx_types_pkg::operation_t operation_o
);

  logic copies_a, sums;

  always_comb begin
    copies_a = opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsCopy && aux_i[0];
    sums     = opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsMac ||
               opcode_i == nearcube_regs_pkg::NtxCmdOpcodeIsVaddsub;

    operation_o             = '0;
    operation_o.source_zero = source_i == nearcube_regs_pkg::NtxCmdInitSourceIsZero;
    operation_o.reads_init  = !operation_o.source_zero;
    operation_o.wide_init   = sums && aux_i[1];
    operation_o.wide_store  = sums && aux_i[2];

    case (opcode_i)
      nearcube_regs_pkg::NtxCmdOpcodeIsMac: begin
        operation_o.uses_a  = 1'b1;
        operation_o.uses_b  = 1'b1;
        operation_o.product = 1'b1;
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsVaddsub: begin
        operation_o.uses_a  = 1'b1;
        operation_o.wide_a  = aux_i[1];
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsVmult: begin
        operation_o.uses_a      = 1'b1;
        operation_o.uses_b      = 1'b1;
        operation_o.product     = 1'b1;
        operation_o.reads_init  = 1'b0;
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsOuterp: begin
        operation_o.uses_a  = 1'b1;
        operation_o.product = 1'b1;
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsMaxmin,
      nearcube_regs_pkg::NtxCmdOpcodeIsThtst: begin
        operation_o.uses_b = 1'b1;
        operation_o.bypass = 1'b1;
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsMask: begin
        operation_o.uses_a     = 1'b1;
        operation_o.uses_b     = !aux_i[2];
        operation_o.count_mode = aux_i[2];
        operation_o.bypass     = 1'b1;
      end
      nearcube_regs_pkg::NtxCmdOpcodeIsMaskmac: begin
        operation_o.uses_b     = !aux_i[2];
        operation_o.count_mode = aux_i[2];
        operation_o.maskmac    = 1'b1;
        operation_o.reads_init = 1'b0;
      end
      default: begin  // COPY
        operation_o.uses_a     = copies_a;
        operation_o.bypass     = 1'b1;
        operation_o.reads_init = !operation_o.source_zero && !copies_a;
      end
    endcase
  end

endmodule
