// SPDX-License-Identifier: Apache-2.0
//
// The configuration slave: the staged command, status, interrupts, and what is kept of an error.
// (Loop and AGU registers are where they are used, in ntx_walker.)
//
// A write of CMD marks the staging area as pending until ntx_walker takes it, or it is refused, or
// a soft clear drops it. While it is pending, writes to CMD and to the command registers are not
// granted; no other access ever waits. Handshake: an access happens in a cycle with cfg_req_i,
// cfg_gnt_o and core_tick_i high; cfg_gnt_o does not depend on cfg_req_i. The answer comes in the
// next cycle, and its data stay until the next access. Reset leaves nothing pending, no error and
// no interrupt; the command registers have no reset.

`include "assertions.svh"

module ntx_regs #(
  parameter int          AccLsb      = -298,
  parameter int unsigned AccSegments = 19
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          core_tick_i,

  input  logic          cfg_req_i,
  input  logic          cfg_we_i,
  /// Word offset.
  input  logic [4:0]    cfg_addr_i,
  input  logic [31:0]   cfg_wdata_i,
  output logic          cfg_gnt_o,
  output logic          cfg_rvalid_o,
  output logic [31:0]   cfg_rdata_o,
  /// Cluster-wide TCDM priority, read in CTRL.
  input  logic [1:0]    priority_i,

  /// The staged command may start; it goes when take_i is high.
  output logic          staged_valid_o,
  input  logic          take_i,
  output logic [31:0]   staged_cmd_o,
  /// A command is staged.
  output logic          pending_o,

  /// Staged loop and AGU registers: word offset, write, and what is read there.
  output logic [4:0]    reg_addr_o,
  output logic          reg_write_o,
  output logic [31:0]   reg_wdata_o,
  input  logic [31:0]   reg_rdata_i,
  /// AGU registers that are no multiple of 4, in the order of their addresses.
  input  logic [17:0]   misaligned_i,
  /// AGU bases that are far from the scratchpad.
  input  logic [2:0]    base_far_i,

  /// Steps are left of a command that was taken.
  input  logic          active_i,
  /// Nothing in the data path, no store outstanding.
  input  logic          datapath_empty_i,
  /// The active command stops: an address is out of range.
  input  logic          stop_i,
  input  logic [1:0]    stop_agu_i,
  input  logic [31:0]   stop_addr_i,
  /// Interrupt causes occur.
  input  logic          writeback_done_i,
  input  logic          command_done_i,
  /// Register debug.
  input  logic [31:0]   debug_i,

  /// Soft clear, one cycle.
  output logic          clear_o,
  /// A command was refused or stopped since the last soft clear.
  output logic          error_o,
  output logic          irq_o
);

  localparam logic [4:0] Status     = nearcube_regs_pkg::NtxStatusOffset[6:2];
  localparam logic [4:0] Ctrl       = nearcube_regs_pkg::NtxCtrlOffset[6:2];
  localparam logic [4:0] Cmd        = nearcube_regs_pkg::NtxCmdOffset[6:2];
  localparam logic [4:0] Irq        = nearcube_regs_pkg::NtxIrqOffset[6:2];
  localparam logic [4:0] Loop0      = nearcube_regs_pkg::NtxLoopOffset[6:2];
  localparam logic [4:0] Ident      = nearcube_regs_pkg::NtxIdentOffset[6:2];
  localparam logic [4:0] ErrorCause = nearcube_regs_pkg::NtxErrorCauseOffset[6:2];
  localparam logic [4:0] ErrorAddr  = nearcube_regs_pkg::NtxErrorAddrOffset[6:2];
  localparam logic [4:0] Dropped    = nearcube_regs_pkg::NtxDroppedOffset[6:2];
  localparam logic [7:0] Version    = 8'd1;

  logic [31:0] cmd_q;

  logic        pending_q, error_q, rvalid_q;
  logic [1:0]  irq_q, error_agu_q;
  logic [3:0]  error_cause_q;
  logic [31:0] error_addr_q, rdata_q;
  logic [7:0]  dropped_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Accesses
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic access, write, is_staged, cmd_write;

  assign is_staged    = cfg_addr_i >= Loop0 && cfg_addr_i < Ident;
  assign cfg_gnt_o    = !(pending_q && cfg_we_i && (cfg_addr_i == Cmd || is_staged));
  assign access       = cfg_req_i && cfg_gnt_o && core_tick_i;
  assign write        = access && cfg_we_i;
  assign cmd_write    = write && cfg_addr_i == Cmd;
  assign clear_o      = write && cfg_addr_i == Ctrl && cfg_wdata_i[0];

  always_ff @(posedge clk_i) begin
    if (cmd_write) cmd_q <= cfg_wdata_i;
  end
  assign staged_cmd_o = cmd_q;
  assign reg_write_o  = write && is_staged;
  assign reg_wdata_o  = cfg_wdata_i;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Refusal. The register at fault is read for ERROR_ADDR through the bus's multiplexer, in a cycle
  // without a read.
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic       ok, refuse, read;
  logic [3:0] cause;
  logic [1:0] fault_agu;
  logic [4:0] fault_register, read_addr;

  ntx_check i_check (
    .cmd_i        (cmd_q),
    .misaligned_i (misaligned_i),
    .base_far_i   (base_far_i),
    .ok_o         (ok),
    .cause_o      (cause),
    .agu_o        (fault_agu),
    .register_o   (fault_register)
  );

  assign read           = access && !cfg_we_i;
  assign refuse         = pending_q && !ok && !active_i && !read;
  assign staged_valid_o = pending_q && ok && !error_q;
  assign pending_o      = pending_q;
  assign error_o        = error_q;
  assign read_addr      = refuse ? fault_register : cfg_addr_i;
  assign reg_addr_o     = read_addr;

  logic [31:0] status, rdata;
  assign status = {27'b0, pending_q, error_q, !active_i, datapath_empty_i, !pending_q && !active_i};

  always_comb begin
    rdata = '0;
    case (read_addr)
      Status:     rdata = status;
      Ctrl:       rdata = {29'b0, priority_i, 1'b0};
      Cmd:        rdata = cmd_q;
      Irq:        rdata = {30'b0, irq_q};
      Ident:      rdata = {Version, 16'(AccLsb), 8'(AccSegments)};
      ErrorCause: rdata = {22'b0, error_agu_q, 4'b0, error_cause_q};
      ErrorAddr:  rdata = error_addr_q;
      Dropped:    rdata = {24'b0, dropped_q};
      5'h1F:      rdata = debug_i;
      default:    rdata = reg_rdata_i;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (read) rdata_q <= rdata;
  end
  assign cfg_rvalid_o = rvalid_q;
  assign cfg_rdata_o  = rdata_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Pending, errors, interrupts
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic fail;
  assign fail = (refuse || stop_i) && !clear_o;

  // What the error cost besides the command itself: one staged behind it, and what is written until
  // the soft clear.
  logic drop;
  assign drop = (stop_i && pending_q) || ((error_q || fail) && cmd_write);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      error_q   <= 1'b0;
      irq_q     <= '0;
      rvalid_q  <= 1'b0;
    end else begin
      rvalid_q <= access;
      if (clear_o) begin
        pending_q <= 1'b0;
        error_q   <= 1'b0;
      end else begin
        if (take_i || fail) pending_q <= 1'b0;
        else if (cmd_write && !error_q) pending_q <= 1'b1;
        if (fail) error_q <= 1'b1;
      end
      if (write && cfg_addr_i == Irq) irq_q <= irq_q & ~cfg_wdata_i[1:0];
      if (writeback_done_i) irq_q[0] <= 1'b1;
      if (command_done_i || fail) irq_q[1] <= 1'b1;
    end
  end
  assign irq_o = irq_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_o) begin
      error_cause_q <= nearcube_regs_pkg::NtxErrorCauseCauseIsNone;
      error_agu_q   <= '0;
      error_addr_q  <= '0;
      dropped_q     <= '0;
    end else begin
      if (fail) begin
        error_cause_q <= stop_i ? nearcube_regs_pkg::NtxErrorCauseCauseIsOutOfRange : cause;
        error_agu_q   <= stop_i ? stop_agu_i : fault_agu;
        error_addr_q  <= stop_i ? stop_addr_i : rdata;
      end
      if (drop && dropped_q != '1) dropped_q <= dropped_q + 1'b1;
    end
  end

  `NC_ASSERT(OneErrorAtATime, !(refuse && stop_i) && !(fail && error_q))
  `NC_ASSERT(TakesOnlyStaged, !take_i || pending_q)

endmodule
