// SPDX-License-Identifier: Apache-2.0
//
// DMA engine: 1-D, 2-D and 3-D strided copies and fills, byte granular, between the scratchpad (TCDM) and memory
// behind AXI in any combination, any alignment. Up to eight transfers are outstanding; what goes to the scratchpad
// and what goes to memory proceeds at the same time.
//
// Clock: TCDM ports move in every clk_i (NTX) cycle; the register slave and AXI hand over in cycles with
// core_tick_i high only, and their outputs change only after such a cycle. On AXI valid never waits for ready and a
// payload is stable while it is valid and not taken.
// Register slave: an access happens in a cycle with cfg_req_i, cfg_gnt_o and core_tick_i high; cfg_gnt_o depends on
// address and direction only (the start register stalls while eight transfers are outstanding).
// Reset leaves: nothing outstanding, ids from 1, shape registers as interfaces/registers.yaml says.

`include "assertions.svh"

module dma #(
  /// Scratchpad size in bytes, a power of two up to 1 MiB.
  parameter int unsigned TcdmBytes = 65536
) (
  /// NTX clock.
  input  logic         clk_i,
  /// Synchronous reset, active low.
  input  logic         rst_ni,
  /// Last NTX cycle of a core clock cycle.
  input  logic         core_tick_i,

  /// Register slave, word addresses within the block.
  input  logic         cfg_req_i,
  input  logic         cfg_we_i,
  input  logic [11:2]  cfg_addr_i,
  input  logic [31:0]  cfg_wdata_i,
  output logic         cfg_gnt_o,
  /// Answer to an access, in the cycle after it.
  output logic         cfg_rvalid_o,
  /// Held until the next access.
  output logic [31:0]  cfg_rdata_o,
  /// With rvalid: no such register, or one that cannot be accessed in this direction. Held as rdata.
  output logic         cfg_err_o,

  /// Scratchpad port that only reads.
  output tcdm_pkg::req_t tcdm_read_req_o,
  input  tcdm_pkg::rsp_t tcdm_read_rsp_i,
  /// Scratchpad port that only writes.
  output tcdm_pkg::req_t tcdm_write_req_o,
  input  tcdm_pkg::rsp_t tcdm_write_rsp_i,

  /// AXI4 write address.
  output logic         axi_aw_valid_o,
  input  logic         axi_aw_ready_i,
  output logic [63:0]  axi_aw_addr_o,
  output logic [2:0]   axi_aw_id_o,
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
  input  logic [2:0]   axi_b_id_i,
  input  logic [1:0]   axi_b_resp_i,
  /// AXI4 read address.
  output logic         axi_ar_valid_o,
  input  logic         axi_ar_ready_i,
  output logic [63:0]  axi_ar_addr_o,
  output logic [2:0]   axi_ar_id_o,
  output logic [7:0]   axi_ar_len_o,
  output logic [2:0]   axi_ar_size_o,
  output logic [1:0]   axi_ar_burst_o,
  /// AXI4 read data.
  input  logic         axi_r_valid_i,
  output logic         axi_r_ready_o,
  input  logic [2:0]   axi_r_id_i,
  input  logic [63:0]  axi_r_data_i,
  input  logic [1:0]   axi_r_resp_i,
  input  logic         axi_r_last_i,

  /// One pulse, in a tick cycle: at least one transfer has completed.
  output logic         done_o,
  /// One pulse, in a tick cycle: at least one transfer has completed in error.
  output logic         error_o,
  /// What it waits for: [3:0] transfers outstanding, [8] AR waits, [9] R waits, [10] AW waits, [11] W waits, [12] B
  /// waits, [13] TCDM read not granted, [14] TCDM write not granted.
  output logic [31:0]  debug_o,
  /// For counters. Bytes moved on AXI in this cycle, 0 to 8 (heads and tails that a read drops count not); zero
  /// without a tick.
  output logic [3:0]   read_bytes_o,
  output logic [3:0]   write_bytes_o,
  /// A transfer is outstanding.
  output logic         busy_o,
  /// An AXI channel is valid and not ready, or a read waits for data. For a whole core clock cycle.
  output logic         wait_bus_o,
  /// A scratchpad request is not granted.
  output logic         wait_tcdm_o
);

  // The body is being written; this header is what the cluster builds against.
  assign {cfg_gnt_o, cfg_rvalid_o, cfg_rdata_o, cfg_err_o, tcdm_read_req_o, tcdm_write_req_o} = '0;
  assign {axi_aw_valid_o, axi_aw_addr_o, axi_aw_id_o, axi_aw_len_o, axi_aw_size_o, axi_aw_burst_o} = '0;
  assign {axi_w_valid_o, axi_w_data_o, axi_w_strb_o, axi_w_last_o, axi_b_ready_o, axi_r_ready_o} = '0;
  assign {axi_ar_valid_o, axi_ar_addr_o, axi_ar_id_o, axi_ar_len_o, axi_ar_size_o, axi_ar_burst_o} = '0;
  assign {done_o, error_o, debug_o, read_bytes_o, write_bytes_o, busy_o, wait_bus_o, wait_tcdm_o} = '0;
  logic unused;
  assign unused = &{clk_i, rst_ni, core_tick_i, cfg_req_i, cfg_we_i, cfg_addr_i, cfg_wdata_i, tcdm_read_rsp_i,
                    tcdm_write_rsp_i, axi_aw_ready_i, axi_w_ready_i, axi_b_valid_i, axi_b_id_i, axi_b_resp_i,
                    axi_ar_ready_i, axi_r_valid_i, axi_r_id_i, axi_r_data_i, axi_r_resp_i, axi_r_last_i, TcdmBytes[0]};
endmodule
