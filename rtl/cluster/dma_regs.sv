// SPDX-License-Identifier: Apache-2.0
//
// The DMA's registers (interfaces/registers.yaml, block dma): the shape of the next transfer, its start, and what
// the bookkeeping knows.
//
// An access happens in a cycle with cfg_req_i, cfg_gnt_o and core_tick_i high; the answer is valid in the next
// cycle and its data is held. Only a start waits for its grant, while no slot is free. Write-only registers read as
// 0, writes to read-only ones do nothing, other addresses answer with an error.
// Reset leaves the shape registers as the register description says.

`include "assertions.svh"

module dma_regs (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            core_tick_i,

  input  logic            cfg_req_i,
  input  logic            cfg_we_i,
  input  logic [11:2]     cfg_addr_i,
  input  logic [31:0]     cfg_wdata_i,
  output logic            cfg_gnt_o,
  output logic            cfg_rvalid_o,
  output logic [31:0]     cfg_rdata_o,
  output logic            cfg_err_o,

  /// Start the transfer shape_o.
  output logic            start_o,
  output dma_pkg::shape_t shape_o,
  input  logic            full_i,
  input  logic [31:0]     started_id_i,
  input  logic [31:0]     completed_id_i,
  input  logic [3:0]      outstanding_i,

  output logic            error_clear_o,
  input  logic            error_valid_i,
  input  logic [31:0]     error_id_i,
  input  logic [63:0]     error_addr_i,
  input  logic [2:0]      error_cause_i
);

  // Offset of a register in bytes.
  logic [11:0] offset;
  logic        access, write, known, is_fill;
  logic [31:0] value;

  logic [63:0] src_q, dst_q;
  logic [31:0] bytes_q, src_stride1_q, dst_stride1_q, count1_q, src_stride2_q, dst_stride2_q, count2_q, fill_q;

  assign offset        = {cfg_addr_i, 2'b00};
  assign cfg_gnt_o     = !(cfg_we_i && offset == 12'(nearcube_regs_pkg::DmaStartOffset) && full_i);
  assign access        = cfg_req_i && cfg_gnt_o && core_tick_i;
  assign write         = access && cfg_we_i;
  assign is_fill       = cfg_wdata_i[nearcube_regs_pkg::DmaStartFillLsb];
  assign start_o       = write && offset == 12'(nearcube_regs_pkg::DmaStartOffset);
  assign error_clear_o = write && offset == 12'(nearcube_regs_pkg::DmaErrorClearOffset);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      src_q         <= {nearcube_regs_pkg::DmaSrcHiReset, nearcube_regs_pkg::DmaSrcLoReset};
      dst_q         <= {nearcube_regs_pkg::DmaDstHiReset, nearcube_regs_pkg::DmaDstLoReset};
      bytes_q       <= nearcube_regs_pkg::DmaBytesReset;
      src_stride1_q <= nearcube_regs_pkg::DmaSrcStride1Reset;
      dst_stride1_q <= nearcube_regs_pkg::DmaDstStride1Reset;
      count1_q      <= nearcube_regs_pkg::DmaCount1Reset;
      src_stride2_q <= nearcube_regs_pkg::DmaSrcStride2Reset;
      dst_stride2_q <= nearcube_regs_pkg::DmaDstStride2Reset;
      count2_q      <= nearcube_regs_pkg::DmaCount2Reset;
      fill_q        <= nearcube_regs_pkg::DmaFillReset;
    end else if (write) begin
      case (offset)
        12'(nearcube_regs_pkg::DmaSrcLoOffset):      src_q[31:0] <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaSrcHiOffset):      src_q[63:32] <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaDstLoOffset):      dst_q[31:0] <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaDstHiOffset):      dst_q[63:32] <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaBytesOffset):      bytes_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaSrcStride1Offset): src_stride1_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaDstStride1Offset): dst_stride1_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaCount1Offset):     count1_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaSrcStride2Offset): src_stride2_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaDstStride2Offset): dst_stride2_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaCount2Offset):     count2_q <= cfg_wdata_i;
        12'(nearcube_regs_pkg::DmaFillOffset):       fill_q <= cfg_wdata_i;
        default: ;
      endcase
    end
  end

  always_comb begin
    value = '0;
    known = 1'b1;
    case (offset)
      12'(nearcube_regs_pkg::DmaSrcLoOffset):       value = src_q[31:0];
      12'(nearcube_regs_pkg::DmaSrcHiOffset):       value = src_q[63:32];
      12'(nearcube_regs_pkg::DmaDstLoOffset):       value = dst_q[31:0];
      12'(nearcube_regs_pkg::DmaDstHiOffset):       value = dst_q[63:32];
      12'(nearcube_regs_pkg::DmaBytesOffset):       value = bytes_q;
      12'(nearcube_regs_pkg::DmaSrcStride1Offset):  value = src_stride1_q;
      12'(nearcube_regs_pkg::DmaDstStride1Offset):  value = dst_stride1_q;
      12'(nearcube_regs_pkg::DmaCount1Offset):      value = count1_q;
      12'(nearcube_regs_pkg::DmaSrcStride2Offset):  value = src_stride2_q;
      12'(nearcube_regs_pkg::DmaDstStride2Offset):  value = dst_stride2_q;
      12'(nearcube_regs_pkg::DmaCount2Offset):      value = count2_q;
      12'(nearcube_regs_pkg::DmaFillOffset):        value = fill_q;
      12'(nearcube_regs_pkg::DmaStartOffset):       value = '0;
      12'(nearcube_regs_pkg::DmaStartedIdOffset):   value = started_id_i;
      12'(nearcube_regs_pkg::DmaCompletedIdOffset): value = completed_id_i;
      12'(nearcube_regs_pkg::DmaStatusOffset): begin
        value[nearcube_regs_pkg::DmaStatusOutstandingLsb+:4] = outstanding_i;
        value[nearcube_regs_pkg::DmaStatusErrorLsb]          = error_valid_i;
      end
      // Without a recorded error these read as zero.
      12'(nearcube_regs_pkg::DmaErrorIdOffset):     if (error_valid_i) value = error_id_i;
      12'(nearcube_regs_pkg::DmaErrorAddrLoOffset): if (error_valid_i) value = error_addr_i[31:0];
      12'(nearcube_regs_pkg::DmaErrorAddrHiOffset): if (error_valid_i) value = error_addr_i[63:32];
      12'(nearcube_regs_pkg::DmaErrorCauseOffset):  if (error_valid_i) value = {29'd0, error_cause_i};
      12'(nearcube_regs_pkg::DmaErrorClearOffset):  value = '0;
      default:                                      known = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (access) begin
      cfg_rdata_o <= cfg_we_i ? '0 : value;
      cfg_err_o   <= !known;
    end
    if (!rst_ni) cfg_rvalid_o <= 1'b0;
    else cfg_rvalid_o <= access;
  end

  assign shape_o.src         = is_fill ? {32'd0, fill_q} : src_q;
  assign shape_o.dst         = dst_q;
  assign shape_o.bytes       = bytes_q;
  assign shape_o.src_stride1 = src_stride1_q;
  assign shape_o.dst_stride1 = dst_stride1_q;
  assign shape_o.count1      = count1_q;
  assign shape_o.src_stride2 = src_stride2_q;
  assign shape_o.dst_stride2 = dst_stride2_q;
  assign shape_o.count2      = count2_q;
  assign shape_o.fill        = is_fill;
  assign shape_o.src_tcdm    = 1'b0;

  `NC_ASSERT(DmaStartOnlyWithRoom, !start_o || !full_i)

endmodule
