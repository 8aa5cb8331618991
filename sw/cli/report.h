// SPDX-License-Identifier: Apache-2.0
// What a run did, for people and for scripts.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/system/cube_system.h"
#include "sw/analysis/bound.h"
#include "sw/analysis/energy.h"
#include "sw/analysis/roofline.h"
#include "sw/cli/compare.h"

namespace nearcube::cli {

/// Everything a report is made of.
struct Report {
  std::string title;
  std::string workload;          ///< "conv2d", or "elf"
  nlohmann::ordered_json shape;  ///< shape options, or the ELF's path
  std::string config;            ///< its file
  double ntx_hz = 0;
  double read_gb_per_s = 0, write_gb_per_s = 0;  ///< what the memory gives the cluster
  analysis::EnergyConstants energy;
  system::ClusterParameters cluster;
  std::uint64_t seed = 1;
  system::Backend backend = system::Backend::kRtl;
  system::RunResult run;
  std::vector<std::string> phase_names;  ///< by phase; others print as their number
  std::optional<std::uint64_t> macs;     ///< by the workload's definition; none: those that the NTX counted
  std::optional<analysis::LeastWork> work;      ///< by the workload's definition; none: nobody knows
  std::optional<interfaces::JobRecord> record;  ///< of the job runner, if it wrote one
  std::optional<Check> check;                   ///< none: not compared
};

/// The report as text, with a line end.
std::string format_text(const Report& report);

/// Runs of one workload on several machines, a column each, under these names.
std::string format_side_by_side(const std::vector<Report>& reports, const std::vector<std::string>& names);

/// The report as JSON, schema "nearcube-run-1": keys are only ever added.
nlohmann::ordered_json to_json(const Report& report);

/// What the machine allows: the cluster with its memory traffic both ways, and one way.
std::vector<analysis::Roof> roofs_of(const Report& report);

/// The fewest cycles that the machine can do the workload in; none if nobody knows its work.
std::optional<analysis::Bound> bound_of(const Report& report);

/// "exit", "uncaught-exception", "max-cycles", "stuck", "interrupted"
const char* name_of(system::End end);

}  // namespace nearcube::cli
