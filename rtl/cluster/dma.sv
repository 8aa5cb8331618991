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
  /// With rvalid: no such register. Held as rdata.
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
  /// waits, [13] TCDM read not granted, [14] TCDM write not granted; in this cycle the oldest transfer completes of
  /// those [16] to AXI, [17] to the TCDM.
  output logic [31:0]  debug_o,
  /// For counters. Bytes moved on AXI in this cycle, zero without a tick: 8 for a beat of read data (bytes before and
  /// behind a row that come with it count), the enabled ones for a beat of write data.
  output logic [3:0]   read_bytes_o,
  output logic [3:0]   write_bytes_o,
  /// A transfer is outstanding.
  output logic         busy_o,
  /// An AXI channel is valid and not ready, or a read waits for data.
  output logic         wait_bus_o,
  /// A scratchpad request is not granted.
  output logic         wait_tcdm_o
);

  // 1 Registers and bookkeeping.
  dma_pkg::shape_t               next_shape, load_shape;
  dma_pkg::fault_t [5:0]         faults;
  dma_pkg::fault_t               read_address_fault, read_data_fault, tcdm_read_fault;
  dma_pkg::fault_t               write_address_fault, write_response_fault, tcdm_write_fault;
  logic                          start, full, error_clear, error_valid;
  logic [31:0]                   started_id, completed_id, error_id;
  logic [63:0]                   error_addr;
  logic [2:0]                    error_cause;
  logic [3:0]                    outstanding;
  logic [5:0]                    load;
  logic [dma_pkg::SlotWidth-1:0] load_slot;
  logic [dma_pkg::Slots-1:0]     failed;
  logic                          axi_write_ready, tcdm_write_ready, axi_read_ready, tcdm_read_ready;
  logic                          request_ready, response_ready;
  logic                          axi_done, tcdm_done;
  logic [dma_pkg::SlotWidth-1:0] axi_done_slot;

  dma_regs u_regs (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .cfg_req_i,
    .cfg_we_i,
    .cfg_addr_i,
    .cfg_wdata_i,
    .cfg_gnt_o,
    .cfg_rvalid_o,
    .cfg_rdata_o,
    .cfg_err_o,
    .start_o       (start),
    .shape_o       (next_shape),
    .full_i        (full),
    .started_id_i  (started_id),
    .completed_id_i(completed_id),
    .outstanding_i (outstanding),
    .error_clear_o (error_clear),
    .error_valid_i (error_valid),
    .error_id_i    (error_id),
    .error_addr_i  (error_addr),
    .error_cause_i (error_cause)
  );

  assign faults = {tcdm_write_fault, tcdm_read_fault, read_address_fault,
                   write_address_fault, write_response_fault, read_data_fault};

  dma_slots #(
    .TcdmBytes(TcdmBytes)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .start_i         (start),
    .shape_i         (next_shape),
    .full_o          (full),
    .started_id_o    (started_id),
    .completed_id_o  (completed_id),
    .outstanding_o   (outstanding),
    .ready_i         ({response_ready, request_ready, tcdm_read_ready, axi_read_ready, tcdm_write_ready,
                       axi_write_ready}),
    .load_o          (load),
    .slot_o          (load_slot),
    .shape_o         (load_shape),
    .faults_i        (faults),
    .failed_o        (failed),
    .axi_done_i      (axi_done),
    .axi_done_slot_i (axi_done_slot),
    .tcdm_done_i     (tcdm_done),
    .tcdm_done_slot_i(tcdm_write_slot),
    .done_o,
    .error_o,
    .error_clear_i   (error_clear),
    .error_valid_o   (error_valid),
    .error_id_o      (error_id),
    .error_addr_o    (error_addr),
    .error_cause_o   (error_cause)
  );

  // 2 Readers. Each offers the bytes of one transfer, its owner, to whichever writer is at work on that.
  logic                          axi_owner_valid, tcdm_owner_valid;
  logic [dma_pkg::SlotWidth-1:0] axi_owner, tcdm_owner;
  logic [7:0]                    axi_lane_valid, tcdm_lane_valid, axi_lane_pop, tcdm_lane_pop;
  logic [63:0]                   axi_lane_data, tcdm_lane_data;
  logic                          axi_finish, axi_finish_ready, tcdm_finish, tcdm_finish_ready;
  logic                          wait_data, reserve, cut, resume;
  logic [5:0]                    reserve_beats;
  logic [7:0]                    free_beats;
  logic [dma_pkg::SlotWidth-1:0] cut_slot;

  dma_request_axi u_request_axi (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .ready_o        (request_ready),
    .load_i         (load[4]),
    .slot_i         (load_slot),
    .shape_i        (load_shape),
    .failed_i       (failed),
    .address_fault_o(read_address_fault),
    .free_i         (free_beats),
    .reserve_o      (reserve),
    .beats_o        (reserve_beats),
    .cut_o          (cut),
    .slot_o         (cut_slot),
    .resume_i       (resume),
    .axi_ar_valid_o,
    .axi_ar_ready_i,
    .axi_ar_addr_o,
    .axi_ar_len_o
  );

  dma_read_axi u_read_axi (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .ready_o        (axi_read_ready),
    .load_i         (load[2]),
    .slot_i         (load_slot),
    .shape_i        (load_shape),
    .failed_i       (failed),
    .data_fault_o   (read_data_fault),
    .reserve_i      (reserve),
    .beats_i        (reserve_beats),
    .free_o         (free_beats),
    .cut_i          (cut),
    .cut_slot_i     (cut_slot),
    .resume_o       (resume),
    .owner_valid_o  (axi_owner_valid),
    .owner_o        (axi_owner),
    .lane_valid_o   (axi_lane_valid),
    .lane_data_o    (axi_lane_data),
    .lane_pop_i     (axi_lane_pop),
    .finish_i       (axi_finish),
    .finish_ready_o (axi_finish_ready),
    .axi_r_valid_i,
    .axi_r_ready_o,
    .axi_r_data_i,
    .axi_r_resp_i,
    .wait_data_o    (wait_data)
  );

  dma_read_tcdm #(
    .TcdmBytes(TcdmBytes)
  ) u_read_tcdm (
    .clk_i,
    .rst_ni,
    .ready_o        (tcdm_read_ready),
    .load_i         (load[3]),
    .slot_i         (load_slot),
    .shape_i        (load_shape),
    .failed_i       (failed),
    .address_fault_o(tcdm_read_fault),
    .owner_valid_o  (tcdm_owner_valid),
    .owner_o        (tcdm_owner),
    .lane_valid_o   (tcdm_lane_valid),
    .lane_data_o    (tcdm_lane_data),
    .lane_pop_i     (tcdm_lane_pop),
    .finish_i       (tcdm_finish),
    .finish_ready_o (tcdm_finish_ready),
    .tcdm_req_o     (tcdm_read_req_o),
    .tcdm_rsp_i     (tcdm_read_rsp_i)
  );

  // 3 Writers, each with the lanes of its transfer's reader.
  logic [dma_pkg::SlotWidth-1:0] axi_write_slot, tcdm_write_slot;
  logic                          axi_write_source, tcdm_write_source;  // 1: scratchpad
  logic                          axi_write_owns, tcdm_write_owns;      // its reader is at its transfer
  logic [7:0]                    axi_write_pop, tcdm_write_pop;
  logic                          axi_write_finish, tcdm_write_finish;
  logic                          burst_room, burst, leave, wait_response;

  assign axi_write_owns  = axi_write_source ? (tcdm_owner_valid && tcdm_owner == axi_write_slot)
                                            : (axi_owner_valid && axi_owner == axi_write_slot);
  assign tcdm_write_owns = tcdm_write_source ? (tcdm_owner_valid && tcdm_owner == tcdm_write_slot)
                                             : (axi_owner_valid && axi_owner == tcdm_write_slot);

  assign axi_lane_pop  = (axi_write_source ? 8'h00 : axi_write_pop) | (tcdm_write_source ? 8'h00 : tcdm_write_pop);
  assign tcdm_lane_pop = (axi_write_source ? axi_write_pop : 8'h00) | (tcdm_write_source ? tcdm_write_pop : 8'h00);
  assign axi_finish    = (!axi_write_source && axi_write_finish && axi_write_owns) ||
                         (!tcdm_write_source && tcdm_write_finish && tcdm_write_owns);
  assign tcdm_finish   = (axi_write_source && axi_write_finish && axi_write_owns) ||
                         (tcdm_write_source && tcdm_write_finish && tcdm_write_owns);

  dma_write_axi u_write_axi (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .ready_o         (axi_write_ready),
    .load_i          (load[0]),
    .slot_i          (load_slot),
    .shape_i         (load_shape),
    .failed_i        (failed),
    .address_fault_o (write_address_fault),
    .slot_o          (axi_write_slot),
    .source_tcdm_o   (axi_write_source),
    .lane_valid_i    (axi_write_owns ? (axi_write_source ? tcdm_lane_valid : axi_lane_valid) : 8'h00),
    .lane_data_i     (axi_write_source ? tcdm_lane_data : axi_lane_data),
    .lane_pop_o      (axi_write_pop),
    .finish_o        (axi_write_finish),
    .finish_ready_i  (axi_write_owns && (axi_write_source ? tcdm_finish_ready : axi_finish_ready)),
    .burst_room_i    (burst_room),
    .burst_o         (burst),
    .leave_o         (leave),
    .axi_aw_valid_o,
    .axi_aw_ready_i,
    .axi_aw_addr_o,
    .axi_aw_len_o,
    .axi_w_valid_o,
    .axi_w_ready_i,
    .axi_w_data_o,
    .axi_w_strb_o,
    .axi_w_last_o
  );

  dma_responses u_responses (
    .clk_i,
    .rst_ni,
    .core_tick_i,
    .ready_o         (response_ready),
    .load_i          (load[5]),
    .slot_i          (load_slot),
    .shape_i         (load_shape),
    .room_o          (burst_room),
    .burst_i         (burst),
    .leave_i         (leave),
    .response_fault_o(write_response_fault),
    .done_o          (axi_done),
    .done_slot_o     (axi_done_slot),
    .wait_response_o (wait_response),
    .axi_b_valid_i,
    .axi_b_ready_o,
    .axi_b_resp_i
  );

  dma_write_tcdm #(
    .TcdmBytes(TcdmBytes)
  ) u_write_tcdm (
    .clk_i,
    .rst_ni,
    .ready_o        (tcdm_write_ready),
    .load_i         (load[1]),
    .slot_i         (load_slot),
    .shape_i        (load_shape),
    .failed_i       (failed),
    .address_fault_o(tcdm_write_fault),
    .slot_o         (tcdm_write_slot),
    .source_tcdm_o  (tcdm_write_source),
    .lane_valid_i   (tcdm_write_owns ? (tcdm_write_source ? tcdm_lane_valid : axi_lane_valid) : 8'h00),
    .lane_data_i    (tcdm_write_source ? tcdm_lane_data : axi_lane_data),
    .lane_pop_o     (tcdm_write_pop),
    .finish_o       (tcdm_write_finish),
    .finish_ready_i (tcdm_write_owns && (tcdm_write_source ? tcdm_finish_ready : axi_finish_ready)),
    .done_o         (tcdm_done),
    .tcdm_req_o     (tcdm_write_req_o),
    .tcdm_rsp_i     (tcdm_write_rsp_i)
  );

  // 4 What is the same for every access.
  assign axi_aw_id_o    = 3'd0;
  assign axi_aw_size_o  = 3'd3;
  assign axi_aw_burst_o = 2'b01;
  assign axi_ar_id_o    = 3'd0;
  assign axi_ar_size_o  = 3'd3;
  assign axi_ar_burst_o = 2'b01;

  // 5 For counters and watchdogs.
  logic aw_waits, w_waits, ar_waits, tcdm_read_waits, tcdm_write_waits;

  assign aw_waits         = axi_aw_valid_o && !axi_aw_ready_i;
  assign w_waits          = axi_w_valid_o && !axi_w_ready_i;
  assign ar_waits         = axi_ar_valid_o && !axi_ar_ready_i;
  assign tcdm_read_waits  = tcdm_read_req_o.req && !tcdm_read_rsp_i.gnt;
  assign tcdm_write_waits = tcdm_write_req_o.req && !tcdm_write_rsp_i.gnt;

  always_comb begin
    debug_o        = '0;
    debug_o[3:0]   = outstanding;
    debug_o[17:16] = {tcdm_done, axi_done};
    debug_o[14:8]  = {tcdm_write_waits, tcdm_read_waits, wait_response, w_waits, aw_waits, wait_data, ar_waits};
    read_bytes_o   = '0;
    write_bytes_o  = '0;
    if (core_tick_i && axi_r_valid_i && axi_r_ready_o) read_bytes_o = 4'd8;
    if (core_tick_i && axi_w_valid_o && axi_w_ready_i) begin
      for (int unsigned i = 0; i < 8; i++) write_bytes_o = write_bytes_o + 4'(axi_w_strb_o[i]);
    end
  end

  assign busy_o      = outstanding != '0;
  assign wait_bus_o  = aw_waits || w_waits || ar_waits || wait_data;
  assign wait_tcdm_o = tcdm_read_waits || tcdm_write_waits;

  // Answers come in order, so their ids and last say nothing new.
  logic unused;
  assign unused = &{1'b0, axi_r_id_i, axi_b_id_i, axi_r_last_i};

  `NC_ASSERT(DmaArStable, !$past(rst_ni && axi_ar_valid_o && !(axi_ar_ready_i && core_tick_i)) ||
             (axi_ar_valid_o && $stable(axi_ar_addr_o) && $stable(axi_ar_len_o)))
  `NC_ASSERT(DmaAwStable, !$past(rst_ni && axi_aw_valid_o && !(axi_aw_ready_i && core_tick_i)) ||
             (axi_aw_valid_o && $stable(axi_aw_addr_o) && $stable(axi_aw_len_o)))
  `NC_ASSERT(DmaWStable, !$past(rst_ni && axi_w_valid_o && !(axi_w_ready_i && core_tick_i)) ||
             (axi_w_valid_o && $stable(axi_w_data_o) && $stable(axi_w_strb_o) && $stable(axi_w_last_o)))
  `NC_ASSERT(DmaTcdmReadHeld, !$past(rst_ni && tcdm_read_waits) || $stable(tcdm_read_req_o))
  `NC_ASSERT(DmaTcdmWriteHeld, !$past(rst_ni && tcdm_write_waits) || $stable(tcdm_write_req_o))

endmodule
