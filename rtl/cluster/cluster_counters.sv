// SPDX-License-Identifier: Apache-2.0
//
// The performance counters: 32 bits, wrapping, one step a cycle unless they count bytes.
//
// All count in the same cycles, those with freeze_i low, so that identities between them (busy +
// stalls + idle = cycles for each NTX) hold whenever they are frozen. clear_i wins over counting.
// Register side: an access is made in a cycle with req_i and core_tick_i, always granted; rdata_o
// and err_o belong to it in the next cycle. Writes, and counters of units that do not exist, are
// errors.

module cluster_counters #(
  parameter int unsigned NumNtx = 8,
  parameter int unsigned TcdmBanks = 64
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         core_tick_i,
  input  logic                         freeze_i,
  input  logic                         clear_i,

  input  logic                         req_i,
  input  logic                         we_i,
  input  logic [12:2]                  addr_i,
  output logic [31:0]                  rdata_o,
  output logic                         err_o,

  /// NTX n holds a command.
  input  logic [NumNtx-1:0]            ntx_active_i,
  /// ntx_pkg::perf_t of NTX n in slice n.
  input  logic [11*NumNtx-1:0]         ntx_perf_i,
  input  logic [TcdmBanks-1:0]         bank_access_i,
  input  logic [TcdmBanks-1:0]         bank_conflict_i,
  /// Bytes, in tick cycles.
  input  logic [3:0]                   dma_read_bytes_i,
  input  logic [3:0]                   dma_write_bytes_i,
  input  logic                         dma_busy_i,
  input  logic                         dma_wait_bus_i,
  input  logic                         dma_wait_tcdm_i,
  input  logic                         core_wait_tcdm_i
);

  logic zero, count;
  assign zero  = !rst_ni || clear_i;
  assign count = !freeze_i;

  // 1 The cluster's own.
  logic [31:0] cycles_q, compute_q, read_bytes_q, write_bytes_q;
  logic [31:0] busy_q, wait_bus_q, wait_tcdm_q, core_wait_q;

  always_ff @(posedge clk_i) begin
    if (zero) begin
      cycles_q      <= '0;
      compute_q     <= '0;
      read_bytes_q  <= '0;
      write_bytes_q <= '0;
      busy_q        <= '0;
      wait_bus_q    <= '0;
      wait_tcdm_q   <= '0;
      core_wait_q   <= '0;
    end else if (count) begin
      cycles_q <= cycles_q + 32'd1;
      if (ntx_active_i != '0) compute_q <= compute_q + 32'd1;
      if (core_tick_i) read_bytes_q <= read_bytes_q + {28'b0, dma_read_bytes_i};
      if (core_tick_i) write_bytes_q <= write_bytes_q + {28'b0, dma_write_bytes_i};
      if (dma_busy_i) busy_q <= busy_q + 32'd1;
      if (dma_wait_bus_i) wait_bus_q <= wait_bus_q + 32'd1;
      if (dma_wait_tcdm_i) wait_tcdm_q <= wait_tcdm_q + 32'd1;
      if (core_wait_tcdm_i) core_wait_q <= core_wait_q + 32'd1;
    end
  end

  // 2 Of each NTX, always eight. A store of two words counts in `pairs`, of one in `singles`.
  logic [63:0] events;
  logic [7:0]  done, singles, pairs;

  for (genvar n = 0; n < 8; n++) begin : gen_ntx
    if (n < NumNtx) begin : gen_present
      logic       busy, stall_a, stall_b, stall_init, stall_result, stall_hazard, idle, mac;
      logic       command;
      logic [1:0] stores;
      assign {busy, stall_a, stall_b, stall_init, stall_result, stall_hazard, idle, mac, stores,
              command} = ntx_perf_i[11*n+:11];
      assign events[8*n+:8] = count ? {mac, idle, stall_hazard, stall_result, stall_init, stall_b,
                                       stall_a, busy} : '0;
      assign {done[n], pairs[n], singles[n]} = count ? {command, stores} : '0;
    end else begin : gen_absent
      assign events[8*n+:8] = '0;
      assign {done[n], pairs[n], singles[n]} = '0;
    end
  end

  logic [15:0] ntx_offset;
  logic [2:0]  unit;
  logic [31:0] event_value, done_value, single_value, pair_value;

  event_counters #(.Counters(64)) u_events (
    .clk_i, .rst_ni, .clear_i,
    .step_i (events),
    .index_i({unit, ntx_offset[4:2]}),
    .value_o(event_value)
  );
  event_counters #(.Counters(8)) u_done (
    .clk_i, .rst_ni, .clear_i, .step_i(done), .index_i(unit), .value_o(done_value)
  );
  event_counters #(.Counters(8)) u_singles (
    .clk_i, .rst_ni, .clear_i, .step_i(singles), .index_i(unit), .value_o(single_value)
  );
  event_counters #(.Counters(8)) u_pairs (
    .clk_i, .rst_ni, .clear_i, .step_i(pairs), .index_i(unit), .value_o(pair_value)
  );

  // 3 Of each bank.
  localparam int unsigned BankWidth = $clog2(TcdmBanks);
  logic [15:0]          bank_offset;
  logic [BankWidth-1:0] bank;
  logic [31:0]          access_value, conflict_value;

  event_counters #(.Counters(TcdmBanks)) u_accesses (
    .clk_i, .rst_ni, .clear_i,
    .step_i (count ? bank_access_i : '0),
    .index_i(bank),
    .value_o(access_value)
  );
  event_counters #(.Counters(TcdmBanks)) u_conflicts (
    .clk_i, .rst_ni, .clear_i,
    .step_i (count ? bank_conflict_i : '0),
    .index_i(bank),
    .value_o(conflict_value)
  );

  // 4 Reads. The NTX's and the banks' counters lie in arrays of 16 and 2 words a unit.
  logic [15:0] offset;
  logic [31:0] rdata_q;
  logic        err_q;

  assign offset      = {3'b0, addr_i, 2'b00};
  assign ntx_offset  = offset - nearcube_regs_pkg::CountersNtxBusyOffset;
  assign bank_offset = offset - nearcube_regs_pkg::CountersBankAccessesOffset;
  assign unit        = ntx_offset[8:6];
  assign bank        = bank_offset[3+:BankWidth];

  always_ff @(posedge clk_i) begin
    if (req_i && core_tick_i) begin
      rdata_q <= '0;
      err_q   <= we_i;
      if (ntx_offset < 16'(NumNtx * nearcube_regs_pkg::CountersNtxBusyStride)) begin
        case ({10'b0, ntx_offset[5:2], 2'b00} + nearcube_regs_pkg::CountersNtxBusyOffset)
          nearcube_regs_pkg::CountersNtxBusyOffset,
          nearcube_regs_pkg::CountersNtxStallAOffset,
          nearcube_regs_pkg::CountersNtxStallBOffset,
          nearcube_regs_pkg::CountersNtxStallInitOffset,
          nearcube_regs_pkg::CountersNtxStallResultOffset,
          nearcube_regs_pkg::CountersNtxStallHazardOffset,
          nearcube_regs_pkg::CountersNtxIdleOffset,
          nearcube_regs_pkg::CountersNtxMacsOffset:     rdata_q <= event_value;
          nearcube_regs_pkg::CountersNtxResultsOffset:  rdata_q <= single_value + (pair_value << 1);
          nearcube_regs_pkg::CountersNtxCommandsOffset: rdata_q <= done_value;
          default:                                      err_q <= 1'b1;
        endcase
      end else if (bank_offset <
                   16'(TcdmBanks * nearcube_regs_pkg::CountersBankAccessesStride)) begin
        rdata_q <= bank_offset[2] ? conflict_value : access_value;
      end else begin
        case (offset)
          nearcube_regs_pkg::CountersCyclesOffset:        rdata_q <= cycles_q;
          nearcube_regs_pkg::CountersComputeCyclesOffset: rdata_q <= compute_q;
          nearcube_regs_pkg::CountersDmaReadBytesOffset:  rdata_q <= read_bytes_q;
          nearcube_regs_pkg::CountersDmaWriteBytesOffset: rdata_q <= write_bytes_q;
          nearcube_regs_pkg::CountersDmaBusyOffset:       rdata_q <= busy_q;
          nearcube_regs_pkg::CountersDmaWaitBusOffset:    rdata_q <= wait_bus_q;
          nearcube_regs_pkg::CountersDmaWaitTcdmOffset:   rdata_q <= wait_tcdm_q;
          nearcube_regs_pkg::CountersCoreWaitTcdmOffset:  rdata_q <= core_wait_q;
          default:                                        err_q <= 1'b1;
        endcase
      end
    end
  end
  assign rdata_o = rdata_q;
  assign err_o   = err_q;

endmodule
