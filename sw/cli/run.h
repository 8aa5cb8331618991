// SPDX-License-Identifier: Apache-2.0
// `nearcube run`: one run from its options to its exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/system/cluster_config.h"
#include "sim/system/cube_system.h"
#include "sw/cli/report.h"
#include "sw/cli/workloads.h"

namespace nearcube::cli {

/// Options that every run has.
struct RunOptions {
  std::string config;  ///< as --config names it; empty: the default
  std::string memory;  ///< "flat", or as --memory names a cube; empty: flat
  std::string energy;  ///< constants, as --energy names them; empty: the default
  std::string json;    ///< report file; empty: none
  system::Backend backend = system::Backend::kRtl;
  unsigned clusters = 1;
  unsigned threads = 0;  ///< host threads; 0: the machine's
  std::string trace;
  unsigned trace_cluster = 0;  ///< of this cluster are all traces, and to it GDB talks
  std::uint64_t trace_from = 0;
  std::uint64_t trace_to = ~std::uint64_t{0};
  std::string trace_scope;
  std::string trace_instructions;
  std::string trace_commands;
  std::string timeline;
  std::string roofline;
  std::uint64_t max_cycles = 0;  ///< 0: the configuration's
  std::uint64_t seed = 1;
  bool check_dram = false;           ///< hold every DRAM command against the rules
  std::vector<std::string> inject;   ///< faults of the memory, see memory::add_fault
  std::optional<std::uint16_t> gdb;  ///< port of a GDB server; 0: any free one
};

/// What became of a case on the cluster.
struct CaseResult {
  int status = 0;                        ///< the program's exit status
  std::vector<network::Tensor> outputs;  ///< in the order of workload.outputs; empty unless the run completed
};

/// A case on the cluster, before anyone is told.
struct Measurement {
  Report report;
  CaseResult result;
  std::optional<Error> trace_error;
  std::string complaint;  ///< why the run did not complete; empty if it did
};

/// Runs a case and compares every word with its reference.
Measurement measure_case(const Case& job, const std::string& name, const system::ClusterConfig& config,
                         const RunOptions& options);

/// Runs a case, compares every word with its reference, prints and writes the report. `name` is the
/// workload's.
CaseResult run_case(const Case& job, const std::string& name, const system::ClusterConfig& config,
                    const RunOptions& options);

/// Throws unless the options make sense together and their files, and `files`, can be written, each once.
void check_run_options(const RunOptions& options, const std::vector<std::string>& files);

/// What the options say of the cube.
system::CubeOptions cube_options(const RunOptions& options);

/// The configuration that the options name, or the default.
system::ClusterConfig load_config(const RunOptions& options);

/// What the compiler may use of that machine.
compiler::Machine machine_of(const system::ClusterConfig& config, const RunOptions& options);

/// Runs a named workload; writes its first output to `output` (.npy) unless that is empty. Returns the
/// program's exit status.
int run_workload(const WorkloadRequest& request, const RunOptions& options, const std::string& output);

/// Runs a named workload on each of the machines that `configs` names and prints their figures side by side;
/// as JSON, schema "nearcube-compare-1", to options.json. Returns the program's exit status: that of the
/// first run that failed.
int compare_workload(const WorkloadRequest& request, const std::vector<std::string>& configs,
                     const RunOptions& options);

/// Runs a user's firmware with arrays in and out (see arrays.h). Returns the program's exit status.
int run_elf(const std::string& path, const std::vector<std::string>& loads,
            const std::vector<std::string>& dumps, const RunOptions& options);

}  // namespace nearcube::cli
