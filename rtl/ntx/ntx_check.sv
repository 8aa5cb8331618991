// SPDX-License-Identifier: Apache-2.0
//
// Whether a staged command may start, and if not, why: the first cause in the order of register
// error_cause, the lowest AGU, the lowest stride. Of addresses out of range only bases that are far
// from the scratchpad are told here; others show when the command runs. Combinational.

module ntx_check (
  input  logic [31:0]   cmd_i,
  /// AGU registers that are no multiple of 4, in the order of their addresses.
  input  logic [17:0]   misaligned_i,
  /// AGU bases that are far from the scratchpad.
  input  logic [2:0]    base_far_i,
  output logic          ok_o,
  output logic [3:0]    cause_o,
  output logic [1:0]    agu_o,
  /// Word offset of the register at fault.
  output logic [4:0]    register_o
);

  ntx_types_pkg::command_t   command;
  ntx_types_pkg::operation_t operation;
  logic [2:0]  agu_active;
  logic [4:0]  loop_active;
  logic [17:0] misaligned;
  logic        aux_ok;

  assign command = cmd_i[21:0];

  logic unused;
  assign unused = ^{operation.product, operation.bypass, operation.count_mode, operation.wide_init, operation.wide_a,
                    operation.wide_store, command.overlap, command.polarity};

  ntx_decode i_decode (
    .opcode_i    (command.opcode),
    .aux_i       (command.aux),
    .source_i    (command.source),
    .operation_o (operation)
  );

  always_comb begin
    agu_active[0] = operation.uses_a || operation.maskmac || (operation.reads_init && command.source == 2'd0);
    agu_active[1] = operation.uses_b || (operation.maskmac && !operation.source_zero) ||
                    (operation.reads_init && command.source == 2'd1);
    agu_active[2] = 1'b1;
    for (int unsigned j = 0; j < 5; j++) loop_active[j] = 3'(j) < command.outer_level;
    for (int unsigned u = 0; u < 3; u++) begin
      misaligned[6*u] = agu_active[u] && misaligned_i[6*u];
      for (int unsigned j = 0; j < 5; j++) begin
        misaligned[6*u+1+j] = agu_active[u] && loop_active[j] && misaligned_i[6*u+1+j];
      end
    end

    case (command.opcode)
      nearcube_regs_pkg::NtxCmdOpcodeIsMac,
      nearcube_regs_pkg::NtxCmdOpcodeIsVaddsub: aux_ok = !(command.aux[0] && command.aux[2]);
      nearcube_regs_pkg::NtxCmdOpcodeIsThtst,
      nearcube_regs_pkg::NtxCmdOpcodeIsMask,
      nearcube_regs_pkg::NtxCmdOpcodeIsMaskmac: aux_ok = command.aux[1:0] != 2'd3;
      default:                                  aux_ok = command.aux[2:1] == 2'd0;
    endcase

    agu_o      = '0;
    register_o = 5'h02;
    cause_o    = nearcube_regs_pkg::NtxErrorCauseCauseIsNone;
    if (command.opcode > nearcube_regs_pkg::NtxCmdOpcodeIsCopy) begin
      cause_o = nearcube_regs_pkg::NtxErrorCauseCauseIsOpcode;
    end else if (command.store_level > command.init_level || command.init_level > command.outer_level ||
                 command.outer_level > 3'd5) begin
      cause_o = nearcube_regs_pkg::NtxErrorCauseCauseIsLevels;
    end else if (command.irq == 2'd3) begin
      cause_o = nearcube_regs_pkg::NtxErrorCauseCauseIsIrq;
    end else if (!aux_ok) begin
      cause_o = nearcube_regs_pkg::NtxErrorCauseCauseIsAux;
    end else if (cmd_i[31:22] != '0) begin
      cause_o = nearcube_regs_pkg::NtxErrorCauseCauseIsReservedBits;
    end else begin
      // Last assignment wins: bases far away, misaligned strides, misaligned bases; low registers after
      // high ones.
      for (int u = 2; u >= 0; u--) begin
        if (agu_active[u] && base_far_i[u]) begin
          cause_o    = nearcube_regs_pkg::NtxErrorCauseCauseIsOutOfRange;
          agu_o      = 2'(u);
          register_o = 5'(9 + 6 * u);
        end
      end
      for (int u = 2; u >= 0; u--) begin
        for (int j = 4; j >= 0; j--) begin
          if (misaligned[6*u+1+j]) begin
            cause_o    = nearcube_regs_pkg::NtxErrorCauseCauseIsMisalignedStride;
            agu_o      = 2'(u);
            register_o = 5'(9 + 6 * u + 1 + j);
          end
        end
      end
      for (int u = 2; u >= 0; u--) begin
        if (misaligned[6*u]) begin
          cause_o    = nearcube_regs_pkg::NtxErrorCauseCauseIsMisalignedBase;
          agu_o      = 2'(u);
          register_o = 5'(9 + 6 * u);
        end
      end
    end
    ok_o = cause_o == nearcube_regs_pkg::NtxErrorCauseCauseIsNone;
  end

endmodule
