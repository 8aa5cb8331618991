// SPDX-License-Identifier: Apache-2.0
// The Verilated cluster as a C++ class. Nothing else includes the generated headers.
//
//   Cluster cluster(options);
//   for (;;) {
//     if (cluster.core_tick()) {                       // the last NTX cycle of a core cycle
//       const ClusterOutputs out = cluster.sample();   // settled answers to what is driven now
//       cluster.drive(...);                            // holds from the coming clock edge on
//     }
//     cluster.cycle();                                 // the clock edge
//   }
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/axi.h"
#include "sim/rtl/cluster_parameters.h"

namespace nearcube::rtl {

/// What the harness drives: the core's ports, AXI's slave side and the barrier (ports of
/// rtl/cluster/cluster.sv).
struct ClusterInputs {
  bool data_req = false, data_we = false;
  std::uint8_t data_be = 0;
  std::uint32_t data_addr = 0, data_wdata = 0;
  bool instr_req = false;
  std::uint32_t instr_addr = 0;
  bool barrier_release = false;
  base::AxiResponse axi;
};

/// What the cluster drives; valid in cycles with core_tick.
struct ClusterOutputs {
  bool data_gnt = false, data_rvalid = false, data_err = false;
  std::uint32_t data_rdata = 0;
  bool instr_gnt = false, instr_rvalid = false, instr_last = false, instr_err = false;
  std::uint64_t instr_rdata = 0;
  bool irq_external = false, irq_timer = false, barrier_arrive = false;
  bool exit_valid = false;
  std::uint32_t exit_code = 0;
  bool char_valid = false;
  char character = 0;
  std::uint8_t phase = 0;
  base::AxiRequest axi;
};

/// What each unit waits for; fields in rtl/cluster/cluster.sv and in register ntx.debug.
struct ClusterDebug {
  std::uint32_t dma = 0;
  std::uint32_t core = 0;
  std::array<std::uint32_t, 8> ntx{};
};

struct ClusterOptions {
  std::uint32_t cluster_id = 0;
  std::uint32_t cluster_count = 1;
  /// Of the values that registers without reset start with.
  std::uint64_t seed = 1;
  /// start_trace will be called: takes the slower model that can.
  bool traceable = false;
  /// Of the RTL: one of cluster_presets().
  ClusterParameters parameters = {};
};

/// Throws Error (kBadInput) that lists what there is if no model was built with these options' parameters.
void check_model(const ClusterOptions& options);

/// A window of a run to record.
struct TraceOptions {
  std::string file = {};                 ///< FST; a GTKWave save file FILE.gtkw goes beside it
  std::uint64_t from = 0;                ///< first NTX clock cycle
  std::uint64_t to = ~std::uint64_t{0};  ///< last NTX clock cycle
  std::string scope = {};  ///< instance path below the top ("cluster.gen_ntx[0].u_ntx"); empty: all
  double ntx_hz = 1.25e9;  ///< so that the trace's time is the cluster's
};

/// Version of the Verilator that made the model, as "5.006".
std::string verilator_version();

class ClusterModel;

class Cluster {
 public:
  /// In reset for some cycles, then out of it and settled, at cycle 0. Throws as check_model.
  explicit Cluster(const ClusterOptions& options);
  /// Around another model with the same ports.
  Cluster(const ClusterOptions& options, std::unique_ptr<ClusterModel> model);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Resets again: everything but the scratchpad's contents is as after construction, and `inputs` are driven
  /// from cycle 0 on.
  void reset(const ClusterInputs& inputs);
  /// NTX clock edges since reset.
  std::uint64_t cycles() const;
  bool core_tick() const;
  ClusterOutputs sample() const;
  ClusterDebug debug() const;
  /// The performance counters without an access on a port, in the order of their registers: the cluster's
  /// own, those of each of eight NTX, those of each bank. Those of events may miss up to 200 of the latest.
  std::vector<std::uint32_t> counters() const;
  void drive(const ClusterInputs& inputs);
  void cycle();
  /// Cycles after which an idle cluster is in the same state again but for time and counters: the performance
  /// counters' scanners go round in 64, and the core's clock in its ratio.
  std::uint64_t idle_period() const { return 64 * std::uint64_t{parameters_.core_clock_ratio}; }
  /// `periods` idle periods pass, at least 1, at the price of one. Only while nothing happens in the cluster
  /// and nothing has for two of them: no command, transfer, access, interrupt or barrier; and not while a
  /// trace is recorded.
  void idle(std::uint64_t periods);

  /// Records a window from now on. Throws Error (kBadInput) for a file that cannot be made, for `from` after
  /// `to` and for a scope that does not exist, naming one that does.
  void start_trace(const TraceOptions& options);
  /// Ends the recording, whatever the window says.
  void stop_trace();
  /// Ends the recording, checks that the file is whole, gives it its name and writes the save file. Throws
  /// Error (kOther) and removes the file if it is not whole, as on a full disk. False if the window was never
  /// reached: then there is no file. Without a trace: true.
  bool finish_trace();

 private:
  class Model;
  class Trace;
  ClusterParameters parameters_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Trace> trace_;
};

}  // namespace nearcube::rtl
