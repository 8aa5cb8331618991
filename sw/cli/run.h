// SPDX-License-Identifier: Apache-2.0
// `nearcube run`: one run from its options to its exit status.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/cli/workloads.h"

namespace nearcube::cli {

/// Options that every run has.
struct RunOptions {
  std::string config;  ///< empty: the default
  std::string json;    ///< report file; empty: none
  std::string trace;
  std::uint64_t trace_from = 0;
  std::uint64_t trace_to = ~std::uint64_t{0};
  std::string trace_scope;
  std::uint64_t max_cycles = 0;  ///< 0: the configuration's
  std::uint64_t seed = 1;
};

/// Runs a named workload; writes its first output to `output` (.npy) unless that is empty. Returns the
/// program's exit status.
int run_workload(const WorkloadRequest& request, const RunOptions& options, const std::string& output);

/// Runs a user's firmware with arrays in and out (see arrays.h). Returns the program's exit status.
int run_elf(const std::string& path, const std::vector<std::string>& loads,
            const std::vector<std::string>& dumps, const RunOptions& options);

}  // namespace nearcube::cli
