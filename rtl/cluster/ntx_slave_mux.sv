// SPDX-License-Identifier: Apache-2.0
//
// Takes register accesses to one NTX, or a broadcast write to all of them at once, and keeps the
// scratchpad priority that the last write to any CTRL chose.
//
// Both sides: an access is made in a cycle with req, gnt and core_tick_i; gnt depends on address
// and write enable only; the answer belongs to it in the next cycle. A broadcast write is granted
// only when every NTX grants it, and then all take it in that cycle. Reads of the broadcast alias
// and units that do not exist are errors. Reset leaves the priority at round robin.

module ntx_slave_mux #(
  /// NTX, 1 to 8.
  parameter int unsigned NumNtx = 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 core_tick_i,

  input  logic                 req_i,
  input  logic                 we_i,
  /// Byte address; only bits 10:2, relative to NTX 0, matter.
  input  logic [10:2]          addr_i,
  /// Bits of the write data that are the priority if the register is CTRL.
  input  logic [1:0]           priority_i,
  output logic                 gnt_o,
  output logic [31:0]          rdata_o,
  output logic                 err_o,

  /// To NTX n: its request, with write enable, addr_i[6:2] and data as they are here.
  output logic [NumNtx-1:0]    ntx_req_o,
  input  logic [NumNtx-1:0]    ntx_gnt_i,
  /// Read data of NTX n in bits 32 n + 31 : 32 n.
  input  logic [32*NumNtx-1:0] ntx_rdata_i,

  /// Scratchpad priority, as in CTRL.
  output logic [1:0]           priority_o
);

  typedef logic [31:0] word_t;
  typedef logic [NumNtx-1:0] units_t;

  localparam units_t AllUnits = {NumNtx{1'b1}};
  localparam units_t FirstUnit = 1;

  logic        broadcast, exists;
  logic [2:0]  unit, unit_q;
  units_t      chosen;
  logic        err_q;
  logic [1:0]  priority_q;

  // The alias lies right behind the eight units: see interfaces/registers.yaml.
  assign broadcast = addr_i[10];
  assign unit      = addr_i[9:7];
  assign chosen    = broadcast ? AllUnits : (FirstUnit << unit);
  assign exists    = broadcast ? (we_i && unit == '0) : (chosen != '0);

  assign gnt_o     = !exists || (chosen & ~ntx_gnt_i) == '0;
  assign ntx_req_o = (req_i && exists && gnt_o) ? chosen : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      priority_q <= nearcube_regs_pkg::NtxCtrlPriorityIsRoundRobin;
    end else if (core_tick_i && ntx_req_o != '0 && we_i &&
                 addr_i[6:2] == nearcube_regs_pkg::NtxCtrlOffset[6:2]) begin
      priority_q <= priority_i;
    end
  end
  assign priority_o = priority_q;

  always_ff @(posedge clk_i) begin
    if (core_tick_i && req_i) begin
      unit_q <= unit;
      err_q  <= !exists;
    end
  end

  word_t rdata [8];
  for (genvar n = 0; n < 8; n++) begin : gen_rdata
    if (n < NumNtx) begin : gen_there
      assign rdata[n] = ntx_rdata_i[32*n+:32];
    end else begin : gen_absent
      assign rdata[n] = '0;
    end
  end
  assign rdata_o = rdata[unit_q];
  assign err_o   = err_q;

endmodule
