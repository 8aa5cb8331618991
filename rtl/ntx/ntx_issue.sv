// SPDX-License-Identifier: Apache-2.0
//
// Issues steps, in order, one a cycle, as soon as their operands are there: to the accumulator, to
// the bypass, or (MASKMAC's hits) to ntx_rmw. Around a step it has images loaded and stored.
//
// A step waits for: its operands, room for its result, and hazards: the other path's results (only
// on a change to the bypass, whose results would overtake), a MASKMAC before it that still adds, an
// image. A stop in the step queue is reported when it is reached, so all steps before it have been
// issued. Reset and clear_i leave no command.

`include "assertions.svh"

module ntx_issue (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,

  /// The next command's description, and its steps.
  input  ntx_types_pkg::command_t    command_i,
  input  logic                       hand_valid_i,
  output logic                       hand_o,
  output logic                       free_o,
  input  logic                       step_valid_i,
  input  ntx_types_pkg::step_t       step_i,
  output logic                       step_pop_o,
  output logic                       resume_o,
  /// The command stops here: an address is out of range.
  output logic                       stop_o,
  /// A MASKMAC has steps left, so later stores cannot be queued yet.
  output logic                       hold_stores_o,

  /// Operands.
  input  logic                       a_valid_i,
  input  logic                       b_valid_i,
  input  logic                       init_valid_i,
  output logic                       a_pop_o,
  output logic                       b_pop_o,
  output logic                       init_pop_o,
  /// Addresses held for this module: images, and the word that MASKMAC may modify.
  input  logic                       a_held_i,
  output logic                       a_drop_o,
  input  logic                       init_held_i,
  output logic                       init_release_o,
  input  logic                       init_take_i,
  output logic                       init_drop_o,

  /// Results and store addresses.
  input  logic                       room_i,
  input  logic                       results_empty_i,
  input  logic                       results_pending_i,
  output logic                       reserve_o,
  input  logic                       store_addr_ready_i,
  output logic                       store_addr_push_o,
  output logic                       store_notify_o,
  /// No store is in the ports.
  input  logic                       stored_i,

  /// Bypass.
  output ntx_types_pkg::command_t    command_o,
  output logic                       issue_o,
  output logic                       init_o,
  output logic                       reg_load_o,
  output logic                       reg_zero_o,
  input  logic                       hit_i,
  output logic                       bypass_push_o,

  /// MASKMAC's second half.
  output logic                       rmw_push_o,
  output logic                       rmw_hit_o,
  output logic                       rmw_pop_v_o,
  input  logic                       rmw_ready_i,
  input  logic                       rmw_empty_i,
  input  logic                       rmw_addr_free_i,
  input  logic                       rmw_add_i,
  input  logic                       rmw_pop_v_i,

  /// Accumulator.
  output logic                       mac_valid_o,
  output logic                       mac_summand_o,
  output logic                       mac_negate_o,
  output logic [1:0]                 mac_init_o,
  output logic                       mac_init_negate_o,
  output logic                       mac_store_o,
  output logic                       mac_relu_o,
  input  logic                       mac_busy_i,

  /// Images.
  input  logic                       image_busy_i,
  input  logic                       image_done_i,
  output logic                       image_load_o,
  output logic                       image_from_a_o,
  output logic                       image_add_o,
  output logic                       image_negate_o,
  output logic                       image_store_o,
  output logic                       image_notify_o,

  /// Interrupts (a MASKMAC's write-back interrupt only if its last step does not store; else the store tells).
  output logic                       command_done_o,
  output logic                       writeback_done_o,
  /// An image waits to be stored.
  output logic                       image_waits_o,
  /// For counters and debugging: why no step is issued.
  output logic                       step_wait_a_o,
  output logic                       step_wait_b_o,
  output logic                       step_wait_init_o,
  output logic                       step_wait_result_o,
  output logic                       step_wait_hazard_o,
  output logic                       product_o,
  output logic                       last_o
);

  ntx_types_pkg::command_t   command_q;
  ntx_types_pkg::operation_t operation;
  logic                      valid_q;

  ntx_decode i_decode (
    .opcode_i    (command_q.opcode),
    .aux_i       (command_q.aux),
    .source_i    (command_q.source),
    .operation_o (operation)
  );

  logic unused;
  assign unused = operation.count_mode;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Images around a step: which of the present step's are loaded; whether the step before has one
  // to store
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic init_loaded_q, a_loaded_q, loading_a_q, image_waits_q, image_storing_q, image_notify_q;
  logic present, needs_image_init, needs_image_a, narrow_store, wide_store;

  assign present          = valid_q && step_valid_i;
  assign needs_image_init = operation.wide_init && operation.reads_init && step_i.init && !init_loaded_q;
  assign needs_image_a    = operation.wide_a && !a_loaded_q;
  assign wide_store       = step_i.store && operation.wide_store;
  assign narrow_store     = step_i.store && !operation.wide_store;

  // A step before this one was issued a cycle ago at the latest, so the accumulator is at rest when
  // the first pair comes, three cycles from now.
  assign image_load_o   = present && !step_i.stop && (needs_image_init || needs_image_a) && !image_busy_i &&
                          !image_waits_q && rmw_empty_i && (needs_image_init ? init_held_i : a_held_i);
  assign image_from_a_o = !needs_image_init;
  assign image_add_o    = !needs_image_init && !(step_i.init && operation.source_zero);
  assign image_negate_o = needs_image_init && operation.wide_a && command_q.polarity;
  assign image_store_o  = image_waits_q && !image_storing_q && !mac_busy_i && results_empty_i;
  assign image_notify_o = image_notify_q;
  assign image_waits_o  = image_waits_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // May the step go?
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  logic has_a, has_b, has_init, has_room, no_hazard, plain, tested, notifies, hit_goes, miss_goes, hit_stops, issue;

  always_comb begin
    has_a     = operation.maskmac || operation.wide_a || !operation.uses_a || a_valid_i;
    has_b     = b_valid_i || !(operation.uses_b || (operation.maskmac && step_i.init && !operation.source_zero));
    has_init  = operation.maskmac ? init_held_i : !step_i.new_init || init_valid_i;
    has_room  = operation.maskmac || !narrow_store || room_i;
    no_hazard = !image_waits_q && !image_busy_i;
    notifies  = step_i.last && command_q.irq == nearcube_regs_pkg::NtxCmdIrqIsWritebackDone;

    plain = present && !step_i.stop && !operation.maskmac && has_a && has_b && has_init && has_room && no_hazard &&
            rmw_empty_i && !needs_image_init && !needs_image_a && !(operation.bypass && results_pending_i);
  end

  always_comb begin
    // MASKMAC: a hit goes when its word's read gets a port; a miss drops the address.
    tested    = present && !step_i.stop && operation.maskmac && has_b && has_init && no_hazard && rmw_ready_i;
    init_release_o = tested && hit_i && !step_i.suspect && room_i && rmw_addr_free_i && store_addr_ready_i;
    hit_stops = tested && hit_i && step_i.suspect;
    miss_goes = tested && !hit_i && (!notifies || (rmw_empty_i && results_empty_i && stored_i));
    stop_o = rmw_empty_i && no_hazard && ((present && step_i.stop) || hit_stops);
  end

  assign hit_goes       = init_take_i && tested && hit_i;
  assign issue          = plain || hit_goes || miss_goes;

  assign step_pop_o     = issue;
  assign resume_o       = miss_goes && step_i.suspect;
  assign issue_o        = issue;
  assign last_o         = issue && step_i.last;
  assign hold_stores_o  = valid_q && operation.maskmac;
  assign command_o      = command_q;
  assign init_o         = step_i.init;
  assign reg_load_o     = operation.maskmac ? step_i.init : step_i.new_init;
  assign reg_zero_o     = operation.source_zero;
  assign product_o      = operation.product;

  assign a_pop_o        = (plain && step_i.pop_a) || rmw_pop_v_i;
  assign b_pop_o        = issue && step_i.pop_b;
  assign init_pop_o     = (plain && step_i.new_init) || rmw_add_i;
  assign a_drop_o       = image_load_o && image_from_a_o;
  assign init_drop_o    = (image_load_o && !image_from_a_o) || miss_goes;

  assign rmw_push_o     = hit_goes || (miss_goes && step_i.pop_a);
  assign rmw_hit_o      = hit_goes;
  assign rmw_pop_v_o    = step_i.pop_a;

  assign reserve_o         = (plain && narrow_store) || hit_goes;
  assign store_addr_push_o = hit_goes;
  assign store_notify_o    = notifies;
  assign bypass_push_o     = plain && operation.bypass && step_i.store;

  assign command_done_o   = last_o && command_q.irq == nearcube_regs_pkg::NtxCmdIrqIsCommandDone;
  assign writeback_done_o = miss_goes && notifies;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // To the accumulator
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  always_comb begin
    // A sum of images is complete before the step; only its rounding is left.
    mac_summand_o     = rmw_add_i || !operation.wide_a;
    mac_valid_o       = rmw_add_i || (plain && !operation.bypass && (!operation.wide_a || narrow_store));
    mac_negate_o      = !rmw_add_i && operation.product && command_q.polarity;
    mac_init_negate_o = !rmw_add_i && command_q.polarity &&
                        command_q.opcode == nearcube_regs_pkg::NtxCmdOpcodeIsVaddsub;
    mac_store_o       = rmw_add_i || narrow_store;
    mac_relu_o        = !rmw_add_i && command_q.aux[0];
    if (rmw_add_i) mac_init_o = exact_mac_pkg::InitValue;
    else if (command_q.opcode[1]) mac_init_o = exact_mac_pkg::InitZero;  // VMULT, OUTERP: each step by itself
    else if (!step_i.init || operation.wide_a) mac_init_o = exact_mac_pkg::InitNone;
    else if (operation.source_zero) mac_init_o = exact_mac_pkg::InitZero;
    else if (operation.wide_init) mac_init_o = exact_mac_pkg::InitNone;  // already loaded
    else mac_init_o = exact_mac_pkg::InitValue;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Why not
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  always_comb begin
    step_wait_a_o      = 1'b0;
    step_wait_b_o      = 1'b0;
    step_wait_init_o   = 1'b0;
    step_wait_result_o = 1'b0;
    step_wait_hazard_o = 1'b0;
    if (!issue) begin
      if (!valid_q || (present && step_i.stop)) step_wait_hazard_o = 1'b1;
      else if (!step_valid_i) begin
        // Its operands have not even been asked for: the first of them counts.
        if (operation.uses_a) step_wait_a_o = 1'b1;
        else if (operation.uses_b) step_wait_b_o = 1'b1;
        else step_wait_init_o = 1'b1;
      end else if (!has_a) step_wait_a_o = 1'b1;
      else if (!has_b) step_wait_b_o = 1'b1;
      else if (!has_init) step_wait_init_o = 1'b1;
      else if (!has_room || (operation.maskmac && hit_i && !room_i)) step_wait_result_o = 1'b1;
      else step_wait_hazard_o = 1'b1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // State
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  assign free_o = !valid_q;
  assign hand_o = hand_valid_i && (!valid_q || last_o);

  always_ff @(posedge clk_i) begin
    if (hand_o) command_q <= command_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q         <= 1'b0;
      init_loaded_q   <= 1'b0;
      a_loaded_q      <= 1'b0;
      image_waits_q   <= 1'b0;
      image_storing_q <= 1'b0;
    end else begin
      if (hand_o) valid_q <= 1'b1;
      else if (last_o) valid_q <= 1'b0;

      if (issue) begin
        init_loaded_q <= 1'b0;
        a_loaded_q    <= 1'b0;
      end else if (image_done_i && !image_storing_q) begin
        if (loading_a_q) a_loaded_q <= 1'b1;
        else init_loaded_q <= 1'b1;
      end

      if (plain && wide_store) image_waits_q <= 1'b1;
      else if (image_done_i && image_storing_q) image_waits_q <= 1'b0;
      if (image_store_o) image_storing_q <= 1'b1;
      else if (image_done_i) image_storing_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (image_load_o) loading_a_q <= image_from_a_o;
    if (plain) image_notify_q <= notifies;
  end

  `NC_ASSERT(AccumulatorTakesOneStep, !rmw_add_i || !(plain && !operation.bypass))

endmodule
