// SPDX-License-Identifier: Apache-2.0
//
// The active command (and the staged loop and AGU registers that the next one is made of): walks
// through its steps ahead of their issue, one a cycle. For each it hands a description to the step
// queue, and the addresses of what must be fetched or stored to the queues of their streams.
//
// - An operand whose address does not change is not fetched again: the step before it says "no
//   pop".
// - Unless the command overlaps, it starts when everything before it has been stored (drained_i).
// - A step with an address outside the scratchpad becomes a stop instead; there the walker waits
//   for clear_i. In MASKMAC an AGU2 address matters only if the test holds, so there it waits for
//   resume_i or clear_i.
// - The next command is taken in the cycle of the last step, so there is no gap; but only when
//   ntx_issue has received the description of this one (hand_valid_o, hand_i).
//
// Queue handshake: a word moves with valid and ready high. Here valid depends on ready, because a
// step goes to all its queues in one cycle or to none. Reset and clear_i leave no command.

`include "assertions.svh"

module ntx_walker #(
  parameter int unsigned TcdmWords  = 16384,
  parameter int unsigned ImageWords = 20,
  localparam int unsigned AddrBits  = $clog2(TcdmWords)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       clear_i,

  /// The staged command, valid and checked; see ntx_regs.
  input  logic                       staged_valid_i,
  input  logic [21:0]                staged_cmd_i,
  output logic                       take_o,
  input  logic [4:0]                 reg_addr_i,
  input  logic                       reg_write_i,
  input  logic [31:0]                reg_wdata_i,
  output logic [31:0]                reg_rdata_o,
  output logic [17:0]                misaligned_o,
  output logic [2:0]                 base_far_o,

  /// To ntx_issue: the command whose steps are next in the step queue.
  output ntx_types_pkg::command_t    command_o,
  output logic                       hand_valid_o,
  input  logic                       hand_i,
  /// No command is with ntx_issue, so it takes this one now.
  input  logic                       issue_free_i,

  /// Every store of the commands before is done.
  input  logic                       drained_i,
  /// No store address may be queued for now: an earlier MASKMAC still decides on its stores.
  input  logic                       hold_stores_i,
  /// MASKMAC: the suspect step did not store.
  input  logic                       resume_i,

  output logic                       step_valid_o,
  input  logic                       step_ready_i,
  output ntx_types_pkg::step_t       step_o,

  /// Addresses in words from the scratchpad's start. Held: not for the ports, but for ntx_issue to use.
  output logic                       a_valid_o,
  input  logic                       a_ready_i,
  output logic                       a_held_o,
  output logic [AddrBits-1:0]        a_addr_o,
  output logic                       b_valid_o,
  input  logic                       b_ready_i,
  output logic [AddrBits-1:0]        b_addr_o,
  output logic                       init_valid_o,
  input  logic                       init_ready_i,
  output logic                       init_held_o,
  output logic [AddrBits-1:0]        init_addr_o,
  output logic                       store_valid_o,
  input  logic                       store_ready_i,
  /// The command's last store, and it asks for the write-back interrupt.
  output logic                       store_notify_o,
  output logic [AddrBits-1:0]        store_addr_o,

  /// A command is here: taken and not walked to its end.
  output logic                       walking_o,
  /// Meaningful while stopped: the lowest AGU at fault and the byte address of its lowest bad word.
  output logic [1:0]                 fault_agu_o,
  output logic [31:0]                fault_addr_o
);

  localparam logic [31:0] End = nearcube_regs_pkg::TcdmBase + 32'(4 * TcdmWords);

  ntx_types_pkg::command_t   command_q;
  ntx_types_pkg::operation_t operation;
  logic        walking_q, started_q, handed_q, stopped_q;

  logic        advance, bad, suspect, go, push;

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // Loops and addresses
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  localparam logic [4:0] Loop0 = nearcube_regs_pkg::NtxLoopOffset[6:2];
  localparam logic [4:0] Agu0  = nearcube_regs_pkg::NtxAgu0BaseOffset[6:2];
  localparam logic [4:0] Agu1  = nearcube_regs_pkg::NtxAgu1BaseOffset[6:2];
  localparam logic [4:0] Agu2  = nearcube_regs_pkg::NtxAgu2BaseOffset[6:2];

  // Which unit a register is in, and its number there.
  logic [3:0]  selects;
  logic [4:0]  first_of_unit, number_in_unit;
  logic [15:0] loop_rdata;
  (* mem2reg *) logic [31:0] agu_rdata [3];
  always_comb begin
    if (reg_addr_i < Agu0) begin
      selects       = 4'b0001;
      first_of_unit = Loop0;
    end else if (reg_addr_i < Agu1) begin
      selects       = 4'b0010;
      first_of_unit = Agu0;
    end else if (reg_addr_i < Agu2) begin
      selects       = 4'b0100;
      first_of_unit = Agu1;
    end else begin
      selects       = 4'b1000;
      first_of_unit = Agu2;
    end
    number_in_unit = reg_addr_i - first_of_unit;
  end
  // Apart from the number, on which the units' answers depend.
  always_comb begin
    if (selects[0]) reg_rdata_o = {16'b0, loop_rdata};
    else if (selects[1]) reg_rdata_o = agu_rdata[0];
    else if (selects[2]) reg_rdata_o = agu_rdata[1];
    else reg_rdata_o = agu_rdata[2];
  end

  logic [4:0]  advances;
  logic [5:0]  nest_ends;
  logic        last;
  (* mem2reg *) logic [AddrBits-1:0] addr [3];
  (* mem2reg *) logic [31:0] outside_addr [3];
  logic [2:0]  word_outside, image_outside, moves;

  ntx_loops i_loops (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .write_i       (reg_write_i && selects[0]),
    .register_i    (number_in_unit[2:0]),
    .wdata_i       (reg_wdata_i[15:0]),
    .rdata_o       (loop_rdata),
    .load_i        (take_o),
    .step_i        (advance),
    .outer_level_i (command_q.outer_level),
    .advances_o    (advances),
    .nest_ends_o   (nest_ends),
    .last_o        (last)
  );

  for (genvar u = 0; u < 3; u++) begin : g_agus
    logic [AddrBits-1:0] addr_u;
    logic [31:0] rdata_u, outside_addr_u;
    ntx_agu #(
      .TcdmWords  (TcdmWords),
      .ImageWords (ImageWords)
    ) i_agu (
      .clk_i           (clk_i),
      .write_i         (reg_write_i && selects[u+1]),
      .register_i      (number_in_unit[2:0]),
      .wdata_i         (reg_wdata_i),
      .rdata_o         (rdata_u),
      .misaligned_o    (misaligned_o[6*u+:6]),
      .base_far_o      (base_far_o[u]),
      .load_i          (take_o),
      .step_i          (advance),
      .advances_i      (advances),
      .addr_o          (addr_u),
      .word_outside_o  (word_outside[u]),
      .image_outside_o (image_outside[u]),
      .outside_addr_o  (outside_addr_u),
      .moves_o         (moves[u])
    );
    assign addr[u]         = addr_u;
    assign agu_rdata[u]    = rdata_u;
    assign outside_addr[u] = outside_addr_u;
  end

  ntx_decode i_decode (
    .opcode_i    (command_q.opcode),
    .aux_i       (command_q.aux),
    .source_i    (command_q.source),
    .operation_o (operation)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // The present step
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  // First step of an init nest; operands that this step must fetch because their address is new.
  logic init_q, new_a_q, new_b_q;
  // The address has moved since the operand was fetched (MASKMAC's are not fetched in every step).
  logic moved_a_q, moved_b_q;
  logic previous_init_valid_q;
  logic [AddrBits-1:0] previous_init_q, init_addr;

  logic store, uses_init, new_init, next_init, next_uses_a, next_uses_b, next_moved_a, next_moved_b;
  logic reads_image, needs_a, needs_b, needs_init, needs_store;
  logic [2:0] accesses, images, faults;

  always_comb begin
    store     = nest_ends[command_q.store_level];
    next_init = nest_ends[command_q.init_level];
    uses_init = init_q && operation.reads_init;
    reads_image = uses_init && operation.wide_init;

    case (command_q.source)
      2'd0:    init_addr = addr[0];
      2'd1:    init_addr = addr[1];
      default: init_addr = addr[2];
    endcase
    new_init = uses_init && !operation.wide_init && !(previous_init_valid_q && previous_init_q == init_addr);

    // MASKMAC reads v and, in count mode, reg in init steps only.
    next_uses_a  = operation.uses_a || (operation.maskmac && next_init);
    next_uses_b  = operation.uses_b || (operation.maskmac && next_init && !operation.source_zero);
    next_moved_a = (moved_a_q && !new_a_q) || moves[0];
    next_moved_b = (moved_b_q && !new_b_q) || moves[1];

    needs_a     = new_a_q || operation.wide_a;
    needs_b     = new_b_q;
    needs_init  = new_init || reads_image || operation.maskmac;
    needs_store = store && !operation.maskmac;

    // What this step accesses through which AGU; a held operand counts, its address is good or bad
    // as before.
    accesses[0] = operation.uses_a || (operation.maskmac && init_q) || (uses_init && command_q.source == 2'd0);
    accesses[1] = operation.uses_b || (operation.maskmac && init_q && !operation.source_zero) ||
                  (uses_init && command_q.source == 2'd1);
    accesses[2] = needs_store || (uses_init && command_q.source == 2'd2);
    images[0]   = operation.wide_a || (reads_image && command_q.source == 2'd0);
    images[1]   = reads_image && command_q.source == 2'd1;
    images[2]   = (needs_store && operation.wide_store) || (reads_image && command_q.source == 2'd2);
    faults      = accesses & (word_outside | (images & image_outside));
    bad         = faults != '0;
    suspect     = operation.maskmac && word_outside[2];

    go      = walking_q && !stopped_q && (started_q || command_q.overlap || (drained_i && (handed_q || issue_free_i)));
    push    = go && step_ready_i &&
              (bad || ((!needs_a || a_ready_i) && (!needs_b || b_ready_i) && (!needs_init || init_ready_i) &&
                       (!needs_store || (store_ready_i && !hold_stores_i))));
    advance = (push && !bad && !suspect) || (stopped_q && resume_i);

    step_valid_o    = push;
    step_o.stop     = bad;
    step_o.suspect  = suspect;
    step_o.last     = last;
    step_o.init     = init_q;
    step_o.store    = store;
    step_o.new_init = new_init;
    step_o.pop_a    = (last || (next_uses_a && next_moved_a)) && !operation.wide_a &&
                      (operation.uses_a || operation.maskmac);
    step_o.pop_b    = (last || (next_uses_b && next_moved_b)) &&
                      (operation.uses_b || (operation.maskmac && !operation.source_zero));

    a_valid_o      = push && !bad && needs_a;
    a_held_o       = operation.wide_a;
    a_addr_o       = addr[0];
    b_valid_o      = push && !bad && needs_b;
    b_addr_o       = addr[1];
    init_valid_o   = push && !bad && needs_init;
    init_held_o    = operation.wide_init || operation.maskmac;
    init_addr_o    = operation.maskmac ? addr[2] : init_addr;
    store_valid_o  = push && !bad && needs_store;
    store_notify_o = last && command_q.irq == nearcube_regs_pkg::NtxCmdIrqIsWritebackDone;
    store_addr_o   = addr[2];

    // Only a suspect step stops without one of these, and it is AGU2's.
    fault_agu_o = faults[0] ? 2'd0 : faults[1] ? 2'd1 : 2'd2;
    case (fault_agu_o)
      2'd0:    fault_addr_o = word_outside[0] ? outside_addr[0] : End;
      2'd1:    fault_addr_o = word_outside[1] ? outside_addr[1] : End;
      default: fault_addr_o = word_outside[2] ? outside_addr[2] : End;
    endcase
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////////
  // State
  //////////////////////////////////////////////////////////////////////////////////////////////////////

  assign take_o       = staged_valid_i && !clear_i && (!walking_q || (advance && last)) && (handed_q || issue_free_i);
  assign hand_valid_o = !handed_q;
  assign command_o    = command_q;
  assign walking_o    = walking_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      walking_q <= 1'b0;
      handed_q  <= 1'b1;
      stopped_q <= 1'b0;
    end else begin
      if (take_o) walking_q <= 1'b1;
      else if (advance && last) walking_q <= 1'b0;
      if (take_o) handed_q <= 1'b0;
      else if (hand_i) handed_q <= 1'b1;
      if (advance) stopped_q <= 1'b0;
      else if (push) stopped_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_o) command_q <= staged_cmd_i;
  end

  // Operands of the first step are always fetched.
  ntx_types_pkg::command_t   staged_command;
  ntx_types_pkg::operation_t staged_operation;
  assign staged_command = staged_cmd_i;
  ntx_decode i_staged_decode (
    .opcode_i    (staged_command.opcode),
    .aux_i       (staged_command.aux),
    .source_i    (staged_command.source),
    .operation_o (staged_operation)
  );

  logic unused;
  assign unused = ^{number_in_unit[4:3], operation.product, operation.bypass, operation.count_mode, moves[2], staged_operation.reads_init,
                    staged_operation.product, staged_operation.bypass, staged_operation.count_mode,
                    staged_operation.wide_init, staged_operation.wide_store, staged_command.overlap,
                    staged_command.polarity, staged_command.irq, staged_command.outer_level,
                    staged_command.store_level, staged_command.init_level};

  always_ff @(posedge clk_i) begin
    if (take_o) begin
      started_q             <= 1'b0;
      init_q                <= 1'b1;
      new_a_q               <= (staged_operation.uses_a && !staged_operation.wide_a) || staged_operation.maskmac;
      new_b_q               <= staged_operation.uses_b ||
                               (staged_operation.maskmac && !staged_operation.source_zero);
      moved_a_q             <= 1'b0;
      moved_b_q             <= 1'b0;
      previous_init_valid_q <= 1'b0;
    end else begin
      if (go) started_q <= 1'b1;
      if (advance) begin
        init_q    <= next_init;
        new_a_q   <= next_uses_a && next_moved_a && !operation.wide_a;
        new_b_q   <= next_uses_b && next_moved_b;
        moved_a_q <= next_moved_a;
        moved_b_q <= next_moved_b;
        if (new_init) begin
          previous_init_valid_q <= 1'b1;
          previous_init_q       <= init_addr;
        end
      end
    end
  end

  `NC_ASSERT(HandsOnlyWhatIsThere, !hand_i || hand_valid_o)
  `NC_ASSERT(StepsStayInOrder, !step_valid_o || (handed_q || hand_valid_o))

endmodule
