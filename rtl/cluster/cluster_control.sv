// SPDX-License-Identifier: Apache-2.0
//
// The registers of block `control`: identity, time, events, barrier, end of computation, character
// output, phase.
//
// Register side: an access is made in a cycle with req_i and core_tick_i, always granted; rdata_o
// and err_o belong to it in the next cycle. An offset without a register, a write to a read-only
// and a read of a write-only register are errors and change nothing. A second arrival at the
// barrier while waiting there, and a second exit, are ignored.

module cluster_control #(
  parameter int unsigned NumNtx = 8,
  parameter int unsigned TcdmBytes = 65536,
  parameter int unsigned TcdmBanks = 64,
  parameter int unsigned CoreClockRatio = 2
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        core_tick_i,
  input  logic [31:0] cluster_id_i,
  input  logic [31:0] cluster_count_i,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [11:2] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,
  output logic        err_o,

  /// Interrupt line of NTX n in bit n.
  input  logic [7:0]  ntx_irq_i,
  /// Pulses at ticks.
  input  logic        dma_done_i,
  input  logic        dma_error_i,

  /// Levels.
  output logic        irq_external_o,
  output logic        irq_timer_o,

  /// Pulse in a tick cycle; sampled at ticks; level.
  output logic        barrier_arrive_o,
  input  logic        barrier_release_i,
  output logic        barrier_waits_o,

  output logic        exit_valid_o,
  output logic [31:0] exit_code_o,
  /// Pulse in a tick cycle.
  output logic        char_valid_o,
  output logic [7:0]  char_o,
  output logic [7:0]  phase_o,

  /// Performance counters: hold; zero (one cycle).
  output logic        counters_freeze_o,
  output logic        counters_clear_o
);

  logic        access, write, read;
  logic [15:0] offset;
  assign offset = {4'b0, addr_i, 2'b00};
  assign access = req_i && core_tick_i;
  assign write  = access && we_i;
  assign read   = access && !we_i;

  // 1 Time.
  logic [63:0] cycle_q, mtime_q, mtimecmp_q;
  logic [31:0] cycle_hi_q, mtime_hi_q;
  logic        irq_timer_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 64'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mtime_q     <= '0;
      irq_timer_q <= 1'b0;
    end else if (core_tick_i) begin
      mtime_q     <= mtime_q + 64'd1;
      irq_timer_q <= mtime_q >= mtimecmp_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read && offset == nearcube_regs_pkg::ControlCycleLoOffset) cycle_hi_q <= cycle_q[63:32];
    if (read && offset == nearcube_regs_pkg::ControlMtimeLoOffset) mtime_hi_q <= mtime_q[63:32];
  end
  assign irq_timer_o = irq_timer_q;

  // 2 Registers that the core writes.
  logic [10:0] mask_q;
  logic [7:0]  phase_q, char_q;
  logic        waiting_q, arrive_q, exit_valid_q, char_valid_q, freeze_q, clear_q;
  logic [31:0] exit_code_q;
  logic [2:0]  sticky_q, cleared;  // barrier, dma_error, dma_done

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mtimecmp_q   <= {nearcube_regs_pkg::ControlMtimecmpHiReset,
                       nearcube_regs_pkg::ControlMtimecmpLoReset};
      mask_q       <= '0;
      phase_q      <= '0;
      exit_valid_q <= 1'b0;
      freeze_q     <= 1'b0;
    end else if (write) begin
      case (offset)
        nearcube_regs_pkg::ControlMtimecmpLoOffset: mtimecmp_q[31:0] <= wdata_i;
        nearcube_regs_pkg::ControlMtimecmpHiOffset: mtimecmp_q[63:32] <= wdata_i;
        nearcube_regs_pkg::ControlEventMaskOffset:  mask_q <= wdata_i[10:0];
        nearcube_regs_pkg::ControlPhaseOffset:      phase_q <= wdata_i[7:0];
        nearcube_regs_pkg::ControlExitOffset:       exit_valid_q <= 1'b1;
        nearcube_regs_pkg::ControlPerfControlOffset:
          freeze_q <= wdata_i[nearcube_regs_pkg::ControlPerfControlFreezeLsb];
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (write && offset == nearcube_regs_pkg::ControlExitOffset && !exit_valid_q) begin
      exit_code_q <= wdata_i;
    end
    if (write && offset == nearcube_regs_pkg::ControlCharOutOffset) char_q <= wdata_i[7:0];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clear_q      <= 1'b0;
      char_valid_q <= 1'b0;
    end else begin
      clear_q <= write && offset == nearcube_regs_pkg::ControlPerfControlOffset &&
                 wdata_i[nearcube_regs_pkg::ControlPerfControlClearLsb];
      if (core_tick_i) char_valid_q <= write && offset == nearcube_regs_pkg::ControlCharOutOffset;
    end
  end

  assign exit_valid_o      = exit_valid_q;
  assign exit_code_o       = exit_code_q;
  assign char_valid_o      = char_valid_q && core_tick_i;
  assign char_o            = char_q;
  assign phase_o           = phase_q;
  assign counters_freeze_o = freeze_q || exit_valid_q;
  assign counters_clear_o  = clear_q;

  // 3 Barrier.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q <= 1'b0;
      arrive_q  <= 1'b0;
    end else if (core_tick_i) begin
      arrive_q <= 1'b0;
      if (waiting_q) begin
        if (barrier_release_i) waiting_q <= 1'b0;
      end else if (write && offset == nearcube_regs_pkg::ControlBarrierOffset) begin
        waiting_q <= 1'b1;
        arrive_q  <= 1'b1;
      end
    end
  end
  assign barrier_arrive_o = arrive_q && core_tick_i;
  assign barrier_waits_o  = waiting_q;

  // 4 Events. A new one in the cycle of its clear stays.
  logic [10:0] status;

  assign cleared = (write && offset == nearcube_regs_pkg::ControlEventClearOffset) ?
                   wdata_i[10:8] : 3'b0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sticky_q <= '0;
    end else if (core_tick_i) begin
      sticky_q <= (sticky_q & ~cleared) | {waiting_q && barrier_release_i, dma_error_i, dma_done_i};
    end
  end
  assign status         = {sticky_q, ntx_irq_i};
  assign irq_external_o = (status & mask_q) != '0;

  // 5 Reads.
  logic [31:0] rdata_q;
  logic        err_q;

  always_ff @(posedge clk_i) begin
    if (access) begin
      rdata_q <= '0;
      err_q   <= we_i;  // most are read-only
      case (offset)
        nearcube_regs_pkg::ControlClusterIdOffset: rdata_q <= cluster_id_i;
        nearcube_regs_pkg::ControlClusterCountOffset: rdata_q <= cluster_count_i;
        nearcube_regs_pkg::ControlNtxCountOffset: rdata_q <= 32'(NumNtx);
        nearcube_regs_pkg::ControlClockRatioOffset: rdata_q <= 32'(CoreClockRatio);
        nearcube_regs_pkg::ControlTcdmBytesOffset: rdata_q <= 32'(TcdmBytes);
        nearcube_regs_pkg::ControlTcdmBanksOffset: rdata_q <= 32'(TcdmBanks);
        nearcube_regs_pkg::ControlCycleLoOffset: rdata_q <= cycle_q[31:0];
        nearcube_regs_pkg::ControlCycleHiOffset: rdata_q <= cycle_hi_q;
        nearcube_regs_pkg::ControlMtimeLoOffset: rdata_q <= mtime_q[31:0];
        nearcube_regs_pkg::ControlMtimeHiOffset: rdata_q <= mtime_hi_q;
        nearcube_regs_pkg::ControlEventStatusOffset: rdata_q <= {21'b0, status};
        nearcube_regs_pkg::ControlBarrierOffset: {err_q, rdata_q} <= {1'b0, 31'b0, waiting_q};
        nearcube_regs_pkg::ControlEventMaskOffset: {err_q, rdata_q} <= {1'b0, 21'b0, mask_q};
        nearcube_regs_pkg::ControlEventClearOffset:
          {err_q, rdata_q} <= {1'b0, 21'b0, sticky_q, 8'b0};
        nearcube_regs_pkg::ControlPhaseOffset: {err_q, rdata_q} <= {1'b0, 24'b0, phase_q};
        nearcube_regs_pkg::ControlPerfControlOffset: {err_q, rdata_q} <= {1'b0, 31'b0, freeze_q};
        nearcube_regs_pkg::ControlMtimecmpLoOffset: {err_q, rdata_q} <= {1'b0, mtimecmp_q[31:0]};
        nearcube_regs_pkg::ControlMtimecmpHiOffset: {err_q, rdata_q} <= {1'b0, mtimecmp_q[63:32]};
        nearcube_regs_pkg::ControlExitOffset,
        nearcube_regs_pkg::ControlCharOutOffset: err_q <= !we_i;
        default: err_q <= 1'b1;
      endcase
    end
  end
  assign rdata_o = rdata_q;
  assign err_o   = err_q;

endmodule
