// SPDX-License-Identifier: Apache-2.0
//
// The processing cluster: ports for one RISC-V core, eight NTX co-processors over a
// word-interleaved scratchpad (TCDM), a DMA engine, and the cluster's registers, behind one AXI4
// master port to the cube.
//
// Clock: everything runs on clk_i (the NTX clock). core_tick_o is high in the last NTX cycle of
// each core clock cycle. On the core's ports and on AXI a transfer is valid (req) and ready (gnt)
// in a cycle with core_tick_o high; both sides change their outputs only after such a cycle. On
// AXI, valid never waits for ready, and a payload is stable while it is valid and not taken.
//
// Core data port: one access outstanding; each granted access is answered once by data_rvalid_o,
// with data_err_o for a bus error. A scratchpad access that meets no conflict, and a register
// access, are granted at once and answered in the next core cycle. Writes to cube memory answer
// after the AXI write response. Instruction port: a granted request for a 32-byte line is answered
// by four beats, in error too.
//
// Reset leaves: everything idle, scratchpad contents undefined, scratchpad priority round robin.

`include "assertions.svh"

module cluster #(
  /// NTX co-processors, 1 to 8.
  parameter int unsigned NumNtx = 8,
  /// Scratchpad size in bytes, a power of two up to 1 MiB.
  parameter int unsigned TcdmBytes = 65536,
  /// Scratchpad banks, a power of two from 2 to 64.
  parameter int unsigned TcdmBanks = 64,
  /// Serve reads of one word in one cycle together.
  parameter bit Multicast = 1'b1,
  /// NTX clock cycles in one core clock cycle, at least 1.
  parameter int unsigned CoreClockRatio = 2,
  /// Exponent of the exact accumulator's least significant bit.
  parameter int AccLsb = -298,
  /// 32-bit segments of the exact accumulator.
  parameter int unsigned AccSegments = 19,
  /// Words in each operand FIFO of an NTX.
  parameter int unsigned OperandFifoDepth = 8,
  /// Words in the result FIFO of an NTX.
  parameter int unsigned ResultFifoDepth = 12
) (
  /// NTX clock.
  input  logic         clk_i,
  /// Synchronous reset, active low.
  input  logic         rst_ni,
  /// This cluster's number, constant.
  input  logic [31:0]  cluster_id_i,
  /// Clusters in the cube, constant.
  input  logic [31:0]  cluster_count_i,
  /// Last NTX cycle of a core clock cycle.
  output logic         core_tick_o,

  /// Core data port: request.
  input  logic         data_req_i,
  /// Write.
  input  logic         data_we_i,
  /// Bytes of the word that the access concerns.
  input  logic [3:0]   data_be_i,
  /// Byte address of the word; bits 1:0 are zero.
  input  logic [31:0]  data_addr_i,
  /// Data to write, in the lanes of data_be_i.
  input  logic [31:0]  data_wdata_i,
  /// The request is taken.
  output logic         data_gnt_o,
  /// Answer to the access granted last.
  output logic         data_rvalid_o,
  /// With rvalid: bus error.
  output logic         data_err_o,
  /// With rvalid, for a read without error: the word.
  output logic [31:0]  data_rdata_o,

  /// Instruction refill port: request for a line.
  input  logic         instr_req_i,
  /// Byte address of the line; bits 4:0 are zero.
  input  logic [31:0]  instr_addr_i,
  /// The request is taken.
  output logic         instr_gnt_o,
  /// A beat of the line, lowest address first.
  output logic         instr_rvalid_o,
  /// With rvalid: eight bytes.
  output logic [63:0]  instr_rdata_o,
  /// With rvalid: the line's fourth beat.
  output logic         instr_last_o,
  /// With rvalid: bus error; the beat is not usable.
  output logic         instr_err_o,

  /// AXI4 write address. Ids are {source, id}; source 0 is the DMA, 1 the core's data port, 2
  /// instruction refill.
  output logic         axi_aw_valid_o,
  input  logic         axi_aw_ready_i,
  output logic [63:0]  axi_aw_addr_o,
  output logic [4:0]   axi_aw_id_o,
  output logic [7:0]   axi_aw_len_o,
  output logic [2:0]   axi_aw_size_o,
  output logic [1:0]   axi_aw_burst_o,
  /// AXI4 write data.
  output logic         axi_w_valid_o,
  input  logic         axi_w_ready_i,
  output logic [63:0]  axi_w_data_o,
  output logic [7:0]   axi_w_strb_o,
  output logic         axi_w_last_o,
  /// AXI4 write response.
  input  logic         axi_b_valid_i,
  output logic         axi_b_ready_o,
  input  logic [4:0]   axi_b_id_i,
  input  logic [1:0]   axi_b_resp_i,
  /// AXI4 read address.
  output logic         axi_ar_valid_o,
  input  logic         axi_ar_ready_i,
  output logic [63:0]  axi_ar_addr_o,
  output logic [4:0]   axi_ar_id_o,
  output logic [7:0]   axi_ar_len_o,
  output logic [2:0]   axi_ar_size_o,
  output logic [1:0]   axi_ar_burst_o,
  /// AXI4 read data.
  input  logic         axi_r_valid_i,
  output logic         axi_r_ready_o,
  input  logic [4:0]   axi_r_id_i,
  input  logic [63:0]  axi_r_data_i,
  input  logic [1:0]   axi_r_resp_i,
  input  logic         axi_r_last_i,

  /// Core interrupts, levels: an unmasked event is pending; the timer has expired.
  output logic         irq_external_o,
  output logic         irq_timer_o,
  /// One pulse, in a tick cycle: this cluster arrives at the cube-wide barrier.
  output logic         barrier_arrive_o,
  /// Sampled in tick cycles: all clusters have arrived.
  input  logic         barrier_release_i,
  /// The program has ended, with this exit code; held until reset.
  output logic         exit_valid_o,
  output logic [31:0]  exit_code_o,
  /// One pulse, in a tick cycle: a character is printed.
  output logic         char_valid_o,
  output logic [7:0]   char_o,
  /// Program phase, for reports.
  output logic [7:0]   phase_o,

  /// What each unit waits for, for watchdogs. DMA: [3:0] transfers outstanding, [8] AR waits, [9] R
  /// waits, [10] AW waits, [11] W waits, [12] B waits, [13] TCDM read not granted, [14] TCDM write
  /// not granted; in this cycle the oldest transfer completes of those [16] to AXI, [17] to the
  /// TCDM.
  output logic [31:0]  dma_debug_o,
  /// Core ports: [0] data request not granted, [1] answer outstanding, [3:2] its target (0 TCDM, 1
  /// registers, 2 AXI), [4] instruction refill outstanding, [5] waits at the barrier.
  output logic [31:0]  core_debug_o,
  /// NTX n: its register `debug` in bits 32 n + 31 : 32 n.
  output logic [255:0] ntx_debug_o
);

  // 1 The core's clock.
  localparam int unsigned TickWidth = (CoreClockRatio > 1) ? $clog2(CoreClockRatio) : 1;
  logic [TickWidth-1:0] tick_q;
  logic                 tick;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || tick) tick_q <= '0;
    else tick_q <= tick_q + 1'b1;
  end
  assign tick        = tick_q == TickWidth'(CoreClockRatio - 1);
  assign core_tick_o = tick;

  // 2 The scratchpad. Masters: NTX n has 2 n and 2 n + 1, then come the core, and the DMA's reads
  // and writes.
  localparam int unsigned NumMasters = 2 * NumNtx + 3;
  localparam int unsigned Core = 2 * NumNtx;
  localparam int unsigned DmaRead = Core + 1;
  localparam int unsigned DmaWrite = Core + 2;
  localparam int unsigned AddrWidth = tcdm_pkg::AddrWidth;

  logic [NumMasters-1:0]           tcdm_req, tcdm_we, tcdm_gnt, tcdm_rvalid;
  logic [4*NumMasters-1:0]         tcdm_be;
  logic [AddrWidth*NumMasters-1:0] tcdm_addr;
  logic [32*NumMasters-1:0]        tcdm_wdata, tcdm_rdata;
  logic [TcdmBanks-1:0]            bank_access, bank_conflict;
  logic [1:0]                      tcdm_priority;

  tcdm_interconnect #(
    .NumMasters(NumMasters),
    .FirstCore (Core),
    .TcdmBytes (TcdmBytes),
    .TcdmBanks (TcdmBanks),
    .Multicast (Multicast)
  ) u_tcdm (
    .clk_i,
    .rst_ni,
    .priority_i     (tcdm_priority),
    .req_i          (tcdm_req),
    .we_i           (tcdm_we),
    .be_i           (tcdm_be),
    .addr_i         (tcdm_addr),
    .wdata_i        (tcdm_wdata),
    .gnt_o          (tcdm_gnt),
    .rvalid_o       (tcdm_rvalid),
    .rdata_o        (tcdm_rdata),
    .bank_access_o  (bank_access),
    .bank_conflict_o(bank_conflict)
  );

  // 3 The core's data accesses.
  logic        reg_req, reg_we, reg_gnt, reg_err;
  logic [31:0] reg_addr, reg_wdata, reg_rdata;
  logic [31:0] data_axi_addr;
  logic        data_aw_valid, data_aw_ready, data_w_valid, data_w_ready, data_b_valid, data_b_err;
  logic        data_ar_valid, data_ar_ready, data_r_valid, data_r_err;
  logic [63:0] data_w_data, data_r_data;
  logic [7:0]  data_w_strb;
  logic        core_wait_tcdm, debug_request, debug_answer, debug_instr, barrier_waits;
  logic [1:0]  debug_target;

  core_data_port #(.TcdmBytes(TcdmBytes), .CoreClockRatio(CoreClockRatio)) u_data_port (
    .clk_i,
    .rst_ni,
    .core_tick_i    (tick),
    .data_req_i,
    .data_we_i,
    .data_be_i,
    .data_addr_i,
    .data_wdata_i,
    .data_gnt_o,
    .data_rvalid_o,
    .data_err_o,
    .data_rdata_o,
    .tcdm_req_o     ({tcdm_req[Core], tcdm_we[Core], tcdm_be[4*Core+:4],
                      tcdm_addr[AddrWidth*Core+:AddrWidth], tcdm_wdata[32*Core+:32]}),
    .tcdm_rsp_i     ({tcdm_gnt[Core], tcdm_rvalid[Core], tcdm_rdata[32*Core+:32]}),
    .reg_req_o      (reg_req),
    .reg_we_o       (reg_we),
    .reg_addr_o     (reg_addr),
    .reg_wdata_o    (reg_wdata),
    .reg_gnt_i      (reg_gnt),
    .reg_rdata_i    (reg_rdata),
    .reg_err_i      (reg_err),
    .axi_addr_o     (data_axi_addr),
    .axi_aw_valid_o (data_aw_valid),
    .axi_aw_ready_i (data_aw_ready),
    .axi_w_valid_o  (data_w_valid),
    .axi_w_ready_i  (data_w_ready),
    .axi_w_data_o   (data_w_data),
    .axi_w_strb_o   (data_w_strb),
    .axi_b_valid_i  (data_b_valid),
    .axi_b_err_i    (data_b_err),
    .axi_ar_valid_o (data_ar_valid),
    .axi_ar_ready_i (data_ar_ready),
    .axi_r_valid_i  (data_r_valid),
    .axi_r_err_i    (data_r_err),
    .axi_r_data_i   (data_r_data),
    .wait_tcdm_o    (core_wait_tcdm),
    .debug_request_o(debug_request),
    .debug_answer_o (debug_answer),
    .debug_target_o (debug_target)
  );

  assign core_debug_o = {26'b0, barrier_waits, debug_instr, debug_target, debug_answer,
                         debug_request};

  // 4 Its registers.
  logic        control_req, control_err, dma_req, dma_gnt, dma_err, counters_req, counters_err;
  logic        ntx_bus_req, ntx_bus_gnt, ntx_bus_err;
  logic [31:0] control_rdata, dma_rdata, counters_rdata, ntx_bus_rdata;

  register_bus u_register_bus (
    .clk_i,
    .core_tick_i     (tick),
    .req_i           (reg_req),
    .addr_i          (reg_addr),
    .gnt_o           (reg_gnt),
    .rdata_o         (reg_rdata),
    .err_o           (reg_err),
    .control_req_o   (control_req),
    .control_rdata_i (control_rdata),
    .control_err_i   (control_err),
    .dma_req_o       (dma_req),
    .dma_gnt_i       (dma_gnt),
    .dma_rdata_i     (dma_rdata),
    .dma_err_i       (dma_err),
    .counters_req_o  (counters_req),
    .counters_rdata_i(counters_rdata),
    .counters_err_i  (counters_err),
    .ntx_req_o       (ntx_bus_req),
    .ntx_gnt_i       (ntx_bus_gnt),
    .ntx_rdata_i     (ntx_bus_rdata),
    .ntx_err_i       (ntx_bus_err)
  );

  logic [7:0] ntx_irq;
  logic       dma_done, dma_error, counters_freeze, counters_clear;

  cluster_control #(
    .NumNtx        (NumNtx),
    .TcdmBytes     (TcdmBytes),
    .TcdmBanks     (TcdmBanks),
    .CoreClockRatio(CoreClockRatio)
  ) u_control (
    .clk_i,
    .rst_ni,
    .core_tick_i      (tick),
    .cluster_id_i,
    .cluster_count_i,
    .req_i            (control_req),
    .we_i             (reg_we),
    .addr_i           (reg_addr[11:2]),
    .wdata_i          (reg_wdata),
    .rdata_o          (control_rdata),
    .err_o            (control_err),
    .ntx_irq_i        (ntx_irq),
    .dma_done_i       (dma_done),
    .dma_error_i      (dma_error),
    .irq_external_o,
    .irq_timer_o,
    .barrier_arrive_o,
    .barrier_release_i,
    .barrier_waits_o  (barrier_waits),
    .exit_valid_o,
    .exit_code_o,
    .char_valid_o,
    .char_o,
    .phase_o,
    .counters_freeze_o(counters_freeze),
    .counters_clear_o (counters_clear)
  );

  logic [NumNtx-1:0]    ntx_active;
  logic [11*NumNtx-1:0] ntx_perf;
  logic [3:0]           dma_read_bytes, dma_write_bytes;
  logic                 dma_busy, dma_wait_bus, dma_wait_tcdm;

  cluster_counters #(.NumNtx(NumNtx), .TcdmBanks(TcdmBanks)) u_counters (
    .clk_i,
    .rst_ni,
    .core_tick_i      (tick),
    .freeze_i         (counters_freeze),
    .clear_i          (counters_clear),
    .req_i            (counters_req),
    .we_i             (reg_we),
    .addr_i           (reg_addr[12:2]),
    .rdata_o          (counters_rdata),
    .err_o            (counters_err),
    .ntx_active_i     (ntx_active),
    .ntx_perf_i       (ntx_perf),
    .bank_access_i    (bank_access),
    .bank_conflict_i  (bank_conflict),
    .dma_read_bytes_i (dma_read_bytes),
    .dma_write_bytes_i(dma_write_bytes),
    .dma_busy_i       (dma_busy),
    .dma_wait_bus_i   (dma_wait_bus),
    .dma_wait_tcdm_i  (dma_wait_tcdm),
    .core_wait_tcdm_i (core_wait_tcdm)
  );

  // 5 The NTX.
  logic [NumNtx-1:0]    ntx_req, ntx_gnt, ntx_rvalid;
  logic [32*NumNtx-1:0] ntx_rdata;

  ntx_slave_mux #(.NumNtx(NumNtx)) u_ntx_mux (
    .clk_i,
    .rst_ni,
    .core_tick_i(tick),
    .req_i      (ntx_bus_req),
    .we_i       (reg_we),
    .addr_i     (reg_addr[10:2]),
    .priority_i (reg_wdata[nearcube_regs_pkg::NtxCtrlPriorityLsb+:2]),
    .gnt_o      (ntx_bus_gnt),
    .rdata_o    (ntx_bus_rdata),
    .err_o      (ntx_bus_err),
    .ntx_req_o  (ntx_req),
    .ntx_gnt_i  (ntx_gnt),
    .ntx_rdata_i(ntx_rdata),
    .priority_o (tcdm_priority)
  );

  for (genvar n = 0; n < NumNtx; n++) begin : gen_ntx
    localparam int unsigned A = 2 * n;
    localparam int unsigned B = 2 * n + 1;
    ntx #(
      .AccLsb          (AccLsb),
      .AccSegments     (AccSegments),
      .OperandFifoDepth(OperandFifoDepth),
      .ResultFifoDepth (ResultFifoDepth),
      .TcdmBytes       (TcdmBytes)
    ) u_ntx (
      .clk_i,
      .rst_ni,
      .core_tick_i (tick),
      .cfg_req_i   (ntx_req[n]),
      .cfg_we_i    (reg_we),
      .cfg_addr_i  (reg_addr[6:2]),
      .cfg_wdata_i (reg_wdata),
      .cfg_gnt_o   (ntx_gnt[n]),
      .cfg_rvalid_o(ntx_rvalid[n]),
      .cfg_rdata_o (ntx_rdata[32*n+:32]),
      .priority_i  (tcdm_priority),
      .tcdm0_req_o ({tcdm_req[A], tcdm_we[A], tcdm_be[4*A+:4], tcdm_addr[AddrWidth*A+:AddrWidth],
                     tcdm_wdata[32*A+:32]}),
      .tcdm1_req_o ({tcdm_req[B], tcdm_we[B], tcdm_be[4*B+:4], tcdm_addr[AddrWidth*B+:AddrWidth],
                     tcdm_wdata[32*B+:32]}),
      .tcdm0_rsp_i ({tcdm_gnt[A], tcdm_rvalid[A], tcdm_rdata[32*A+:32]}),
      .tcdm1_rsp_i ({tcdm_gnt[B], tcdm_rvalid[B], tcdm_rdata[32*B+:32]}),
      .irq_o       (ntx_irq[n]),
      .active_o    (ntx_active[n]),
      .perf_o      (ntx_perf[11*n+:11]),
      .debug_o     (ntx_debug_o[32*n+:32])
    );
  end
  for (genvar n = NumNtx; n < 8; n++) begin : gen_absent
    assign ntx_irq[n]            = 1'b0;
    assign ntx_debug_o[32*n+:32] = '0;
  end

  // 6 The DMA.
  logic        dma_rvalid;
  logic        dma_aw_valid, dma_aw_ready, dma_w_valid, dma_w_ready, dma_w_last;
  logic        dma_b_valid, dma_b_ready;
  logic        dma_ar_valid, dma_ar_ready, dma_r_valid, dma_r_ready, dma_r_last;
  logic [63:0] dma_aw_addr, dma_ar_addr, dma_w_data, dma_r_data;
  logic [2:0]  dma_aw_id, dma_ar_id, dma_b_id, dma_r_id, dma_aw_size, dma_ar_size;
  logic [7:0]  dma_aw_len, dma_ar_len, dma_w_strb;
  logic [1:0]  dma_aw_burst, dma_ar_burst, dma_b_resp, dma_r_resp;

  dma #(.TcdmBytes(TcdmBytes)) u_dma (
    .clk_i,
    .rst_ni,
    .core_tick_i     (tick),
    .cfg_req_i       (dma_req),
    .cfg_we_i        (reg_we),
    .cfg_addr_i      (reg_addr[11:2]),
    .cfg_wdata_i     (reg_wdata),
    .cfg_gnt_o       (dma_gnt),
    .cfg_rvalid_o    (dma_rvalid),
    .cfg_rdata_o     (dma_rdata),
    .cfg_err_o       (dma_err),
    .tcdm_read_req_o ({tcdm_req[DmaRead], tcdm_we[DmaRead], tcdm_be[4*DmaRead+:4],
                       tcdm_addr[AddrWidth*DmaRead+:AddrWidth], tcdm_wdata[32*DmaRead+:32]}),
    .tcdm_read_rsp_i ({tcdm_gnt[DmaRead], tcdm_rvalid[DmaRead], tcdm_rdata[32*DmaRead+:32]}),
    .tcdm_write_req_o({tcdm_req[DmaWrite], tcdm_we[DmaWrite], tcdm_be[4*DmaWrite+:4],
                       tcdm_addr[AddrWidth*DmaWrite+:AddrWidth], tcdm_wdata[32*DmaWrite+:32]}),
    .tcdm_write_rsp_i({tcdm_gnt[DmaWrite], tcdm_rvalid[DmaWrite], tcdm_rdata[32*DmaWrite+:32]}),
    .axi_aw_valid_o  (dma_aw_valid),
    .axi_aw_ready_i  (dma_aw_ready),
    .axi_aw_addr_o   (dma_aw_addr),
    .axi_aw_id_o     (dma_aw_id),
    .axi_aw_len_o    (dma_aw_len),
    .axi_aw_size_o   (dma_aw_size),
    .axi_aw_burst_o  (dma_aw_burst),
    .axi_w_valid_o   (dma_w_valid),
    .axi_w_ready_i   (dma_w_ready),
    .axi_w_data_o    (dma_w_data),
    .axi_w_strb_o    (dma_w_strb),
    .axi_w_last_o    (dma_w_last),
    .axi_b_valid_i   (dma_b_valid),
    .axi_b_ready_o   (dma_b_ready),
    .axi_b_id_i      (dma_b_id),
    .axi_b_resp_i    (dma_b_resp),
    .axi_ar_valid_o  (dma_ar_valid),
    .axi_ar_ready_i  (dma_ar_ready),
    .axi_ar_addr_o   (dma_ar_addr),
    .axi_ar_id_o     (dma_ar_id),
    .axi_ar_len_o    (dma_ar_len),
    .axi_ar_size_o   (dma_ar_size),
    .axi_ar_burst_o  (dma_ar_burst),
    .axi_r_valid_i   (dma_r_valid),
    .axi_r_ready_o   (dma_r_ready),
    .axi_r_id_i      (dma_r_id),
    .axi_r_data_i    (dma_r_data),
    .axi_r_resp_i    (dma_r_resp),
    .axi_r_last_i    (dma_r_last),
    .done_o          (dma_done),
    .error_o         (dma_error),
    .debug_o         (dma_debug_o),
    .read_bytes_o    (dma_read_bytes),
    .write_bytes_o   (dma_write_bytes),
    .busy_o          (dma_busy),
    .wait_bus_o      (dma_wait_bus),
    .wait_tcdm_o     (dma_wait_tcdm)
  );

  // 7 Instructions, and the way to the cube.
  logic [31:0] instr_axi_addr;
  logic        instr_ar_valid, instr_ar_ready, instr_r_valid, instr_r_err, instr_r_last;
  logic [63:0] instr_r_data;

  instruction_port u_instruction_port (
    .clk_i,
    .rst_ni,
    .core_tick_i   (tick),
    .instr_req_i,
    .instr_addr_i,
    .instr_gnt_o,
    .instr_rvalid_o,
    .instr_rdata_o,
    .instr_last_o,
    .instr_err_o,
    .axi_ar_valid_o(instr_ar_valid),
    .axi_ar_ready_i(instr_ar_ready),
    .axi_addr_o    (instr_axi_addr),
    .axi_r_valid_i (instr_r_valid),
    .axi_r_err_i   (instr_r_err),
    .axi_r_data_i  (instr_r_data),
    .axi_r_last_i  (instr_r_last),
    .debug_busy_o  (debug_instr)
  );

  axi_mux u_axi_mux (
    .clk_i,
    .rst_ni,
    .core_tick_i     (tick),
    .dma_aw_valid_i  (dma_aw_valid),
    .dma_aw_ready_o  (dma_aw_ready),
    .dma_aw_addr_i   (dma_aw_addr),
    .dma_aw_id_i     (dma_aw_id),
    .dma_aw_len_i    (dma_aw_len),
    .dma_aw_size_i   (dma_aw_size),
    .dma_aw_burst_i  (dma_aw_burst),
    .dma_w_valid_i   (dma_w_valid),
    .dma_w_ready_o   (dma_w_ready),
    .dma_w_data_i    (dma_w_data),
    .dma_w_strb_i    (dma_w_strb),
    .dma_w_last_i    (dma_w_last),
    .dma_b_valid_o   (dma_b_valid),
    .dma_b_ready_i   (dma_b_ready),
    .dma_b_id_o      (dma_b_id),
    .dma_b_resp_o    (dma_b_resp),
    .dma_ar_valid_i  (dma_ar_valid),
    .dma_ar_ready_o  (dma_ar_ready),
    .dma_ar_addr_i   (dma_ar_addr),
    .dma_ar_id_i     (dma_ar_id),
    .dma_ar_len_i    (dma_ar_len),
    .dma_ar_size_i   (dma_ar_size),
    .dma_ar_burst_i  (dma_ar_burst),
    .dma_r_valid_o   (dma_r_valid),
    .dma_r_ready_i   (dma_r_ready),
    .dma_r_id_o      (dma_r_id),
    .dma_r_data_o    (dma_r_data),
    .dma_r_resp_o    (dma_r_resp),
    .dma_r_last_o    (dma_r_last),
    .data_addr_i     (data_axi_addr),
    .data_aw_valid_i (data_aw_valid),
    .data_aw_ready_o (data_aw_ready),
    .data_w_valid_i  (data_w_valid),
    .data_w_ready_o  (data_w_ready),
    .data_w_data_i   (data_w_data),
    .data_w_strb_i   (data_w_strb),
    .data_b_valid_o  (data_b_valid),
    .data_b_err_o    (data_b_err),
    .data_ar_valid_i (data_ar_valid),
    .data_ar_ready_o (data_ar_ready),
    .data_r_valid_o  (data_r_valid),
    .data_r_err_o    (data_r_err),
    .data_r_data_o   (data_r_data),
    .instr_addr_i    (instr_axi_addr),
    .instr_ar_valid_i(instr_ar_valid),
    .instr_ar_ready_o(instr_ar_ready),
    .instr_r_valid_o (instr_r_valid),
    .instr_r_err_o   (instr_r_err),
    .instr_r_data_o  (instr_r_data),
    .instr_r_last_o  (instr_r_last),
    .axi_aw_valid_o,
    .axi_aw_ready_i,
    .axi_aw_addr_o,
    .axi_aw_id_o,
    .axi_aw_len_o,
    .axi_aw_size_o,
    .axi_aw_burst_o,
    .axi_w_valid_o,
    .axi_w_ready_i,
    .axi_w_data_o,
    .axi_w_strb_o,
    .axi_w_last_o,
    .axi_b_valid_i,
    .axi_b_ready_o,
    .axi_b_id_i,
    .axi_b_resp_i,
    .axi_ar_valid_o,
    .axi_ar_ready_i,
    .axi_ar_addr_o,
    .axi_ar_id_o,
    .axi_ar_len_o,
    .axi_ar_size_o,
    .axi_ar_burst_o,
    .axi_r_valid_i,
    .axi_r_ready_o,
    .axi_r_id_i,
    .axi_r_data_i,
    .axi_r_resp_i,
    .axi_r_last_i
  );

  // 8 What the parts promise each other: the answer of a register access comes in the next cycle.
  logic [NumNtx-1:0] ntx_accessed_q;
  logic              dma_accessed_q;

  always_ff @(posedge clk_i) begin
    ntx_accessed_q <= tick ? (ntx_req & ntx_gnt) : '0;
    dma_accessed_q <= tick && dma_req && dma_gnt;
  end

  `NC_ASSERT(ClusterNtxAnswersNext, ntx_rvalid == ntx_accessed_q)
  `NC_ASSERT(ClusterDmaAnswersNext, dma_rvalid == dma_accessed_q)

endmodule
