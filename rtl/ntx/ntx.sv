// SPDX-License-Identifier: Apache-2.0
//
// Network training accelerator: executes streaming commands over up to five nested loops on data in
// the scratchpad: exact multiply-accumulate (rounded once, at the store), element-wise arithmetic,
// compares and copies.
//
// ntx_regs (staged command) -> ntx_walker (active command: loops and addresses, ahead of issue) ->
// ntx_stream A, B, init (addresses and operands) <-> ntx_ports (two scratchpad ports); step queue
// -> ntx_issue -> exact_mac, or ntx_bypass -> ntx_results
// -> ntx_ports. ntx_rmw is MASKMAC's second half, ntx_image moves unrounded accumulators.
//
// Throughput: max(steps, (reads + writes) / 2) cycles a command. From a CMD write's grant to its
// first request on a port: 4 cycles. Configuration accesses happen in cycles with core_tick_i
// (cfg_gnt_o does not depend on cfg_req_i); the answer comes one cycle later, its data stay until
// the next access. A scratchpad request is kept until it is granted, also over a soft clear: a
// store that is on a port at a soft clear is done, answers to reads are ignored, and STATUS shows
// busy until then. Reset leaves an idle unit with undefined command registers.

`include "assertions.svh"

module ntx #(
  /// Accumulator: weight of its least significant bit is 2^AccLsb; number of 32-bit segments, odd.
  parameter int          AccLsb           = -298,
  parameter int unsigned AccSegments      = 19,
  /// Words of operand A (and of B) fetched ahead.
  parameter int unsigned OperandFifoDepth = 8,
  /// Results that wait for a port or are being computed; even.
  parameter int unsigned ResultFifoDepth  = 12,
  /// Size of the scratchpad in bytes.
  parameter int unsigned TcdmBytes        = 65536
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  /// High in the last cycle of each core cycle.
  input  logic           core_tick_i,

  /// Configuration slave; word offset.
  input  logic           cfg_req_i,
  input  logic           cfg_we_i,
  input  logic [4:0]     cfg_addr_i,
  input  logic [31:0]    cfg_wdata_i,
  output logic           cfg_gnt_o,
  output logic           cfg_rvalid_o,
  output logic [31:0]    cfg_rdata_o,
  /// Scratchpad priority of the cluster, for reads of CTRL.
  input  logic [1:0]     priority_i,

  /// Scratchpad ports.
  output tcdm_pkg::req_t tcdm0_req_o,
  output tcdm_pkg::req_t tcdm1_req_o,
  input  tcdm_pkg::rsp_t tcdm0_rsp_i,
  input  tcdm_pkg::rsp_t tcdm1_rsp_i,

  output logic           irq_o,
  /// It holds a command: staged, active, or in the data path.
  output logic           active_o,
  /// Events for the performance counters.
  output ntx_pkg::perf_t perf_o,
  /// Content of register debug.
  output logic [31:0]    debug_o
);

  localparam int unsigned TcdmWords   = TcdmBytes / 4;
  localparam int unsigned AddrBits    = $clog2(TcdmWords);
  localparam int unsigned ImageWords  = AccSegments + 1;
  // Addresses that wait for a port, of A and of B. Of init, MASKMAC's wait there for their test
  // too: enough for the walker to be ahead by the time that a word takes from its address to its
  // use.
  localparam int unsigned AddrDepth     = 4;
  localparam int unsigned InitAddrDepth = 6;
  // Init operands fetched ahead: three cycles from choice of port to use, at up to one a cycle.
  localparam int unsigned InitDepth   = 4;
  // Steps walked ahead: below seven, queues of five operands are never all full (a share of peak of
  // 0.83 instead of 0.86 with the published scratchpad); and addresses of stores, from a step's walk
  // to its store. More of either gains nothing.
  localparam int unsigned StepDepth   = 7;
  localparam int unsigned StoreDepth  = ResultFifoDepth;
  // Each step that waits has one word of A and of B at most, so more words are never ahead.
  localparam int unsigned OperandDepth = (OperandFifoDepth < StepDepth) ? OperandFifoDepth : StepDepth;
  localparam int unsigned LeadWidth   = $clog2(OperandDepth + 1);
  localparam int unsigned InitLeadWidth = $clog2(InitDepth + 1);
  localparam logic [31:0] One         = 32'h3F80_0000;

  if (TcdmWords < ImageWords || AddrBits > tcdm_pkg::AddrWidth) begin : g_check_size
    $error("ntx: TcdmBytes out of range");
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  ntx_types_pkg::command_t next_command, command;
  logic         staged_valid, take, pending, active, datapath_empty, stop, abort_reads, clear, error_state;
  logic         writeback_done, command_done;
  logic [1:0]   fault_agu;
  logic [31:0]  fault_addr, staged_cmd;
  logic [4:0]   reg_addr;
  logic         reg_write;
  logic [31:0]  reg_wdata, reg_rdata;
  logic [17:0]  misaligned;
  logic [2:0]   base_far;

  ntx_regs #(
    .AccLsb      (AccLsb),
    .AccSegments (AccSegments)
  ) i_regs (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .core_tick_i      (core_tick_i),
    .cfg_req_i        (cfg_req_i),
    .cfg_we_i         (cfg_we_i),
    .cfg_addr_i       (cfg_addr_i),
    .cfg_wdata_i      (cfg_wdata_i),
    .cfg_gnt_o        (cfg_gnt_o),
    .cfg_rvalid_o     (cfg_rvalid_o),
    .cfg_rdata_o      (cfg_rdata_o),
    .priority_i       (priority_i),
    .staged_valid_o   (staged_valid),
    .take_i           (take),
    .staged_cmd_o     (staged_cmd),
    .pending_o        (pending),
    .reg_addr_o       (reg_addr),
    .reg_write_o      (reg_write),
    .reg_wdata_o      (reg_wdata),
    .reg_rdata_i      (reg_rdata),
    .misaligned_i     (misaligned),
    .base_far_i       (base_far),
    .active_i         (active),
    .datapath_empty_i (datapath_empty),
    .stop_i           (stop),
    .stop_agu_i       (fault_agu),
    .stop_addr_i      (fault_addr),
    .writeback_done_i (writeback_done),
    .command_done_i   (command_done),
    .debug_i          (debug_o),
    .clear_o          (clear),
    .error_o          (error_state),
    .irq_o            (irq_o)
  );

  logic unused;
  assign unused = ^{staged_cmd[31:22], command.overlap, command.irq, command.source, command.outer_level,
                    command.store_level, command.init_level};

  // A command that stops leaves nothing but results behind; a soft clear not even these.
  assign abort_reads = clear || stop;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Walk ahead
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  ntx_types_pkg::step_t    walked_step, step;
  logic hand_valid, hand, issue_free, drained, hold_stores, resume, walking;
  logic walked_valid, walked_ready, step_valid, step_pop;
  logic a_addr_valid, a_addr_ready, a_addr_held, b_addr_valid, b_addr_ready, init_addr_valid, init_addr_ready;
  logic init_addr_held, store_addr_valid, store_addr_ready, walker_notify;
  logic [AddrBits-1:0] a_addr, b_addr, init_addr, store_addr;

  ntx_walker #(
    .TcdmWords  (TcdmWords),
    .ImageWords (ImageWords)
  ) i_walker (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (abort_reads),
    .staged_valid_i (staged_valid),
    .staged_cmd_i   (staged_cmd[21:0]),
    .take_o         (take),
    .reg_addr_i     (reg_addr),
    .reg_write_i    (reg_write),
    .reg_wdata_i    (reg_wdata),
    .reg_rdata_o    (reg_rdata),
    .misaligned_o   (misaligned),
    .base_far_o     (base_far),
    .command_o      (next_command),
    .hand_valid_o   (hand_valid),
    .hand_i         (hand),
    .issue_free_i   (issue_free),
    .drained_i      (drained),
    .hold_stores_i  (hold_stores),
    .resume_i       (resume),
    .step_valid_o   (walked_valid),
    .step_ready_i   (walked_ready),
    .step_o         (walked_step),
    .a_valid_o      (a_addr_valid),
    .a_ready_i      (a_addr_ready),
    .a_held_o       (a_addr_held),
    .a_addr_o       (a_addr),
    .b_valid_o      (b_addr_valid),
    .b_ready_i      (b_addr_ready),
    .b_addr_o       (b_addr),
    .init_valid_o   (init_addr_valid),
    .init_ready_i   (init_addr_ready),
    .init_held_o    (init_addr_held),
    .init_addr_o    (init_addr),
    .store_valid_o  (store_addr_valid),
    .store_ready_i  (store_addr_ready),
    .store_notify_o (walker_notify),
    .store_addr_o   (store_addr),
    .walking_o      (walking),
    .fault_agu_o    (fault_agu),
    .fault_addr_o   (fault_addr)
  );

  logic [$clog2(StepDepth+1)-1:0] unused_step_count;
  fifo #(
    .Width (ntx_types_pkg::StepBits),
    .Depth (StepDepth)
  ) i_steps (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (abort_reads),
    .valid_i (walked_valid),
    .ready_o (walked_ready),
    .data_i  (walked_step),
    .valid_o (step_valid),
    .ready_i (step_pop),
    .data_o  (step),
    .count_o (unused_step_count)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Operands and ports
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic a_held, a_drop, a_request, a_take, a_answer, a_valid, a_pop;
  logic b_request, b_take, b_answer, b_valid, b_pop;
  logic init_held, init_release, init_drop, init_request, init_take, init_answer, init_valid, init_pop;
  logic [AddrBits-1:0]  a_head_addr, b_head_addr, init_head_addr;
  logic [31:0]          a_answer_data, b_answer_data, init_answer_data, a_data, b_data, init_data;
  logic [LeadWidth-1:0] a_lead, b_lead;

  ntx_stream #(
    .AddrBits  (AddrBits),
    .AddrDepth (AddrDepth),
    .Depth     (OperandDepth)
  ) i_a (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (abort_reads),
    .addr_valid_i (a_addr_valid),
    .addr_ready_o (a_addr_ready),
    .addr_held_i  (a_addr_held),
    .addr_i       (a_addr),
    .held_o       (a_held),
    .release_i    (1'b0),
    .drop_i       (a_drop),
    .request_o    (a_request),
    .addr_o       (a_head_addr),
    .take_i       (a_take),
    .lead_o       (a_lead),
    .answer_i     (a_answer),
    .data_i       (a_answer_data),
    .valid_o      (a_valid),
    .data_o       (a_data),
    .pop_i        (a_pop)
  );

  logic unused_b_held;
  ntx_stream #(
    .AddrBits  (AddrBits),
    .AddrDepth (AddrDepth),
    .Depth     (OperandDepth)
  ) i_b (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (abort_reads),
    .addr_valid_i (b_addr_valid),
    .addr_ready_o (b_addr_ready),
    .addr_held_i  (1'b0),
    .addr_i       (b_addr),
    .held_o       (unused_b_held),
    .release_i    (1'b0),
    .drop_i       (1'b0),
    .request_o    (b_request),
    .addr_o       (b_head_addr),
    .take_i       (b_take),
    .lead_o       (b_lead),
    .answer_i     (b_answer),
    .data_i       (b_answer_data),
    .valid_o      (b_valid),
    .data_o       (b_data),
    .pop_i        (b_pop)
  );

  logic [InitLeadWidth-1:0] unused_init_lead;
  ntx_stream #(
    .AddrBits  (AddrBits),
    .AddrDepth (InitAddrDepth),
    .Depth     (InitDepth)
  ) i_init (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (abort_reads),
    .addr_valid_i (init_addr_valid),
    .addr_ready_o (init_addr_ready),
    .addr_held_i  (init_addr_held),
    .addr_i       (init_addr),
    .held_o       (init_held),
    .release_i    (init_release),
    .drop_i       (init_drop),
    .request_o    (init_request),
    .addr_o       (init_head_addr),
    .take_i       (init_take),
    .lead_o       (unused_init_lead),
    .answer_i     (init_answer),
    .data_i       (init_answer_data),
    .valid_o      (init_valid),
    .data_o       (init_data),
    .pop_i        (init_pop)
  );

  logic [1:0]          store_request, store_take, stored, stored_rmw, refused;
  logic                hurry, notify0, notify1, rmw0, rmw1, ports_notify, ports_busy, ports_storing;
  logic [AddrBits-1:0] store0_addr, store1_addr, stored0_addr, stored1_addr, image_addr;
  logic [31:0]         store0_data, store1_data;
  logic                image_busy, image_request, image_write, image_notify, image_take, image_answer;
  logic [63:0]         image_in, image_out;

  ntx_ports #(
    .AddrBits  (AddrBits),
    .LeadWidth (LeadWidth)
  ) i_ports (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear),
    .drop_reads_i    (abort_reads),
    .tcdm0_req_o     (tcdm0_req_o),
    .tcdm1_req_o     (tcdm1_req_o),
    .tcdm0_rsp_i     (tcdm0_rsp_i),
    .tcdm1_rsp_i     (tcdm1_rsp_i),
    .a_request_i     (a_request),
    .a_addr_i        (a_head_addr),
    .a_lead_i        (a_lead),
    .a_take_o        (a_take),
    .b_request_i     (b_request),
    .b_addr_i        (b_head_addr),
    .b_lead_i        (b_lead),
    .b_take_o        (b_take),
    .init_request_i  (init_request),
    .init_addr_i     (init_head_addr),
    .init_take_o     (init_take),
    .a_answer_o      (a_answer),
    .a_data_o        (a_answer_data),
    .b_answer_o      (b_answer),
    .b_data_o        (b_answer_data),
    .init_answer_o   (init_answer),
    .init_data_o     (init_answer_data),
    .store_request_i (store_request),
    .hurry_i         (hurry),
    .store0_addr_i   (store0_addr),
    .store0_data_i   (store0_data),
    .store0_notify_i (notify0),
    .store0_rmw_i    (rmw0),
    .store1_addr_i   (store1_addr),
    .store1_data_i   (store1_data),
    .store1_notify_i (notify1),
    .store1_rmw_i    (rmw1),
    .store_take_o    (store_take),
    .notify_o        (ports_notify),
    .image_busy_i    (image_busy),
    .image_request_i (image_request),
    .image_write_i   (image_write),
    .image_addr_i    (image_addr),
    .image_data_i    (image_out),
    .image_notify_i  (image_notify),
    .image_take_o    (image_take),
    .image_answer_o  (image_answer),
    .image_data_o    (image_in),
    .stored_o        (stored),
    .stored_rmw_o    (stored_rmw),
    .stored0_addr_o  (stored0_addr),
    .stored1_addr_o  (stored1_addr),
    .busy_o          (ports_busy),
    .storing_o       (ports_storing),
    .refused_o       (refused)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Issue
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic room, results_empty, results_pending, reserve, rmw_addr_push, rmw_notify;
  logic issue, first_of_nest, reg_load, reg_zero, hit, bypass_push;
  logic rmw_push, rmw_hit, rmw_last_v, rmw_ready, rmw_empty, rmw_addr_free, rmw_add, rmw_pop_v;
  logic mac_valid, mac_summand, mac_negate, mac_init_negate, mac_store, mac_relu, mac_busy, mac_result_valid;
  logic [1:0] mac_init;
  logic image_done, image_load_start, image_from_a, image_start_add, image_start_negate, image_store_start;
  logic image_start_notify, miss_writeback, image_waits;
  logic wait_a, wait_b, wait_init, wait_result, wait_hazard, product, last_issued;

  ntx_issue i_issue (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .clear_i            (abort_reads),
    .command_i          (next_command),
    .hand_valid_i       (hand_valid),
    .hand_o             (hand),
    .free_o             (issue_free),
    .step_valid_i       (step_valid),
    .step_i             (step),
    .step_pop_o         (step_pop),
    .resume_o           (resume),
    .stop_o             (stop),
    .hold_stores_o      (hold_stores),
    .a_valid_i          (a_valid),
    .b_valid_i          (b_valid),
    .init_valid_i       (init_valid),
    .a_pop_o            (a_pop),
    .b_pop_o            (b_pop),
    .init_pop_o         (init_pop),
    .a_held_i           (a_held),
    .a_drop_o           (a_drop),
    .init_held_i        (init_held),
    .init_release_o     (init_release),
    .init_take_i        (init_take),
    .init_drop_o        (init_drop),
    .room_i             (room),
    .results_empty_i    (results_empty),
    .results_pending_i  (results_pending),
    .reserve_o          (reserve),
    .store_addr_ready_i (store_addr_ready),
    .store_addr_push_o  (rmw_addr_push),
    .store_notify_o     (rmw_notify),
    .stored_i           (!ports_storing),
    .command_o          (command),
    .issue_o            (issue),
    .init_o             (first_of_nest),
    .reg_load_o         (reg_load),
    .reg_zero_o         (reg_zero),
    .hit_i              (hit),
    .bypass_push_o      (bypass_push),
    .rmw_push_o         (rmw_push),
    .rmw_hit_o          (rmw_hit),
    .rmw_pop_v_o        (rmw_last_v),
    .rmw_ready_i        (rmw_ready),
    .rmw_empty_i        (rmw_empty),
    .rmw_addr_free_i    (rmw_addr_free),
    .rmw_add_i          (rmw_add),
    .rmw_pop_v_i        (rmw_pop_v),
    .mac_valid_o        (mac_valid),
    .mac_summand_o      (mac_summand),
    .mac_negate_o       (mac_negate),
    .mac_init_o         (mac_init),
    .mac_init_negate_o  (mac_init_negate),
    .mac_store_o        (mac_store),
    .mac_relu_o         (mac_relu),
    .mac_busy_i         (mac_busy),
    .image_busy_i       (image_busy),
    .image_done_i       (image_done),
    .image_load_o       (image_load_start),
    .image_from_a_o     (image_from_a),
    .image_add_o        (image_start_add),
    .image_negate_o     (image_start_negate),
    .image_store_o      (image_store_start),
    .image_notify_o     (image_start_notify),
    .command_done_o     (command_done),
    .writeback_done_o   (miss_writeback),
    .image_waits_o      (image_waits),
    .step_wait_a_o      (wait_a),
    .step_wait_b_o      (wait_b),
    .step_wait_init_o   (wait_init),
    .step_wait_result_o (wait_result),
    .step_wait_hazard_o (wait_hazard),
    .product_o          (product),
    .last_o             (last_issued)
  );

  ntx_rmw #(
    .AddrBits (AddrBits)
  ) i_rmw (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .addr_i         (init_head_addr),
    .addr_free_o    (rmw_addr_free),
    .push_i         (rmw_push),
    .hit_i          (rmw_hit),
    .pop_v_i        (rmw_last_v),
    .ready_o        (rmw_ready),
    .v_valid_i      (a_valid),
    .word_valid_i   (init_valid),
    .add_o          (rmw_add),
    .pop_v_o        (rmw_pop_v),
    .empty_o        (rmw_empty),
    .stored_i       (stored_rmw),
    .stored0_addr_i (stored0_addr),
    .stored1_addr_i (stored1_addr)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Compute
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic [31:0] reg_value, register, bypass_result, mac_result, mac_b;
  logic        is_maskmac;
  assign is_maskmac = command.opcode == nearcube_regs_pkg::NtxCmdOpcodeIsMaskmac;
  assign reg_value  = is_maskmac ? b_data : init_data;

  ntx_bypass i_bypass (
    .clk_i       (clk_i),
    .step_i      (issue),
    .opcode_i    (command.opcode),
    .aux_i       (command.aux),
    .polarity_i  (command.polarity),
    .init_i      (first_of_nest),
    .reg_load_i  (reg_load),
    .reg_value_i (reg_value),
    .zero_i      (reg_zero),
    .a_i         (a_data),
    .b_i         (b_data),
    .reg_o       (register),
    .hit_o       (hit),
    .result_o    (bypass_result)
  );

  always_comb begin
    if (rmw_add || command.opcode == nearcube_regs_pkg::NtxCmdOpcodeIsVaddsub) mac_b = One;
    else if (command.opcode == nearcube_regs_pkg::NtxCmdOpcodeIsOuterp) mac_b = register;
    else mac_b = b_data;
  end

  logic        image_mac_load, image_mac_add, image_mac_negate, image_mac_store;
  logic [4:0]  image_load_index, image_store_index;

  exact_mac #(
    .AccLsb      (AccLsb),
    .AccSegments (AccSegments)
  ) i_mac (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .clear_i            (clear),
    .valid_i            (mac_valid),
    .summand_i          (mac_summand),
    .a_i                (a_data),
    .b_i                (mac_b),
    .negate_i           (mac_negate),
    .init_i             (mac_init),
    .init_value_i       (rmw_add ? init_data : register),
    .init_negate_i      (mac_init_negate),
    .store_i            (mac_store),
    .relu_i             (mac_relu),
    .result_valid_o     (mac_result_valid),
    .result_o           (mac_result),
    .wide_load_i        (image_mac_load),
    .wide_add_i         (image_mac_add),
    .wide_negate_i      (image_mac_negate),
    .wide_index_i       (image_load_index),
    .wide_data_i        (image_in),
    .wide_store_i       (image_mac_store),
    .wide_store_index_i (image_store_index),
    .wide_data_o        (image_out),
    .busy_o             (mac_busy)
  );

  ntx_image #(
    .AddrBits    (AddrBits),
    .AccSegments (AccSegments)
  ) i_image (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear),
    .start_load_i  (image_load_start),
    .start_store_i (image_store_start),
    .addr_i        (image_store_start ? store0_addr : image_from_a ? a_head_addr : init_head_addr),
    .add_i         (image_start_add),
    .negate_i      (image_start_negate),
    .notify_i      (image_start_notify),
    .busy_o        (image_busy),
    .done_o        (image_done),
    .request_o     (image_request),
    .write_o       (image_write),
    .addr_o        (image_addr),
    .notify_o      (image_notify),
    .take_i        (image_take),
    .answer_i      (image_answer),
    .load_o        (image_mac_load),
    .add_o         (image_mac_add),
    .negate_o      (image_mac_negate),
    .load_index_o  (image_load_index),
    .store_o       (image_mac_store),
    .store_index_o (image_store_index)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Results
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  ntx_results #(
    .AddrBits  (AddrBits),
    .Depth     (ResultFifoDepth),
    .AddrDepth (StoreDepth)
  ) i_results (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear),
    .room_o       (room),
    .reserve_i    (reserve),
    .push_i       (mac_result_valid || bypass_push),
    .data_i       (mac_result_valid ? mac_result : bypass_result),
    .addr_ready_o (store_addr_ready),
    .addr_push_i  (store_addr_valid || rmw_addr_push),
    .addr_i       (rmw_addr_push ? init_head_addr : store_addr),
    .notify_i     (rmw_addr_push ? rmw_notify : walker_notify),
    .rmw_i        (rmw_addr_push),
    .image_pop_i  (image_store_start),
    .request_o    (store_request),
    .addr0_o      (store0_addr),
    .data0_o      (store0_data),
    .notify0_o    (notify0),
    .rmw0_o       (rmw0),
    .addr1_o      (store1_addr),
    .data1_o      (store1_data),
    .notify1_o    (notify1),
    .rmw1_o       (rmw1),
    .pop_i        (store_take),
    .hurry_o       (hurry),
    .empty_o      (results_empty),
    .pending_o    (results_pending)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // State, events
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  assign writeback_done = miss_writeback || ports_notify;
  assign active         = walking || hand_valid || !issue_free;
  // Nothing is left of the commands before the one that the walker holds (when that one has no step
  // out yet).
  assign drained        = results_empty && !ports_storing && !image_waits && rmw_empty;
  assign datapath_empty = drained && !ports_busy && !image_busy;
  assign active_o       = pending || active || !datapath_empty;

  logic has_steps;
  assign has_steps = pending || active;

  always_comb begin
    perf_o              = '0;
    perf_o.busy         = issue;
    perf_o.stall_a      = has_steps && wait_a;
    perf_o.stall_b      = has_steps && wait_b;
    perf_o.stall_init   = has_steps && wait_init;
    perf_o.stall_result = has_steps && wait_result;
    perf_o.stall_hazard = has_steps && wait_hazard;
    perf_o.idle         = !has_steps;
    perf_o.mac          = issue && product;
    perf_o.stores       = {stored[0] && stored[1], stored[0] ^ stored[1]};
    perf_o.command_done = last_issued;

    debug_o        = '0;
    debug_o[0]     = active;
    debug_o[1]     = perf_o.stall_a;
    debug_o[2]     = perf_o.stall_b;
    debug_o[3]     = perf_o.stall_init;
    debug_o[4]     = perf_o.stall_result;
    debug_o[5]     = perf_o.stall_hazard;
    debug_o[7:6]   = refused;
    debug_o[8]     = error_state;
    debug_o[9]     = pending;
    debug_o[10]    = last_issued;
    debug_o[11]    = !datapath_empty;
    debug_o[15:12] = command.opcode;
  end

  // One path to the result queue at a time, one source of store addresses at a time.
  `NC_ASSERT(OneResultAtATime, !(mac_result_valid && bypass_push))
  `NC_ASSERT(OneStoreAddressAtATime, !(store_addr_valid && rmw_addr_push))
  `NC_ASSERT(ImagesFindTheAccumulatorAtRest, !image_mac_load || image_load_index != '0 || !mac_busy)
  `NC_ASSERT(ImagesAndStepsDoNotMeet, !mac_valid || !(image_mac_load || image_mac_store))
  `NC_ASSERT(ExactlyOneReason, $onehot({perf_o.busy, perf_o.stall_a, perf_o.stall_b, perf_o.stall_init,
                                        perf_o.stall_result, perf_o.stall_hazard, perf_o.idle}))

endmodule
