// SPDX-License-Identifier: Apache-2.0
//
// The processing cluster: ports for one RISC-V core, eight NTX co-processors over a word-interleaved scratchpad
// (TCDM), a DMA engine, and the cluster's registers, behind one AXI4 master port to the cube.
//
// Clock: everything runs on clk_i (the NTX clock). core_tick_o is high in the last NTX cycle of each core clock
// cycle. On the core's ports and on AXI a transfer is valid (req) and ready (gnt) in a cycle with core_tick_o high;
// both sides change their outputs only after such a cycle. On AXI, valid never waits for ready, and a payload is
// stable while it is valid and not taken.
//
// Core data port: one access outstanding; each granted access is answered once by data_rvalid_o, with data_err_o for
// a bus error. A scratchpad access that meets no conflict, and a register access, are granted at once and answered
// in the next core cycle. Writes to cube memory answer after the AXI write response.
// Instruction port: a granted request for a 32-byte line is answered by four beats, in error too.
//
// Reset leaves: everything idle, scratchpad contents undefined, scratchpad priority round robin.

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
  parameter int unsigned ResultFifoDepth = 16
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

  /// AXI4 write address. Ids are {source, id}; source 0 is the DMA, 1 the core's data port, 2 instruction refill.
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

  /// What each unit waits for, for watchdogs. DMA: [3:0] transfers outstanding, [8] AR waits, [9] R waits, [10] AW
  /// waits, [11] W waits, [12] B waits, [13] TCDM read not granted, [14] TCDM write not granted.
  output logic [31:0]  dma_debug_o,
  /// Core ports: [0] data request not granted, [1] answer outstanding, [3:2] its target (0 TCDM, 1 registers, 2 AXI),
  /// [4] instruction refill outstanding, [5] waits at the barrier.
  output logic [31:0]  core_debug_o,
  /// NTX n: its register `debug` in bits 32 n + 31 : 32 n.
  output logic [255:0] ntx_debug_o
);

  // The body is being written; this header is what the simulation harness builds against.
  assign {data_gnt_o, data_rvalid_o, data_err_o, data_rdata_o} = '0;
  assign {instr_gnt_o, instr_rvalid_o, instr_rdata_o, instr_last_o, instr_err_o} = '0;
  assign {axi_aw_valid_o, axi_aw_addr_o, axi_aw_id_o, axi_aw_len_o, axi_aw_size_o, axi_aw_burst_o} = '0;
  assign {axi_w_valid_o, axi_w_data_o, axi_w_strb_o, axi_w_last_o, axi_b_ready_o, axi_r_ready_o} = '0;
  assign {axi_ar_valid_o, axi_ar_addr_o, axi_ar_id_o, axi_ar_len_o, axi_ar_size_o, axi_ar_burst_o} = '0;
  assign {irq_external_o, irq_timer_o, barrier_arrive_o, exit_valid_o, exit_code_o} = '0;
  assign {char_valid_o, char_o, phase_o, dma_debug_o, core_debug_o, ntx_debug_o} = '0;

  logic unused;
  assign unused = &{cluster_id_i, cluster_count_i, data_req_i, data_we_i, data_be_i, data_addr_i, data_wdata_i,
                    instr_req_i, instr_addr_i, axi_aw_ready_i, axi_w_ready_i, axi_b_valid_i, axi_b_id_i,
                    axi_b_resp_i, axi_ar_ready_i, axi_r_valid_i, axi_r_id_i, axi_r_data_i, axi_r_resp_i,
                    axi_r_last_i, barrier_release_i, NumNtx[0], TcdmBytes[0], TcdmBanks[0], Multicast, AccLsb[0],
                    AccSegments[0], OperandFifoDepth[0], ResultFifoDepth[0]};

  localparam int unsigned TickWidth = (CoreClockRatio > 1) ? $clog2(CoreClockRatio) : 1;
  logic [TickWidth-1:0] tick_q;
  assign core_tick_o = tick_q == TickWidth'(CoreClockRatio - 1);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || core_tick_o) tick_q <= '0;
    else tick_q <= tick_q + 1'b1;
  end

endmodule
