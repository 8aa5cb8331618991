// SPDX-License-Identifier: Apache-2.0
// The named workloads: their options, inputs, and references.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/compiler/workload.h"
#include "sw/network/tensor.h"

namespace nearcube::cli {

/// "--in-channels": a whole number of at least `min`.
struct ShapeOption {
  const char* name;  ///< "in-channels"
  std::int64_t fallback;
  const char* help;
  std::int64_t min = 1;
};

/// What the user asked for.
struct WorkloadRequest {
  std::string name;                           ///< "conv2d"
  std::map<std::string, std::int64_t> shape;  ///< values of the workload's options, by name
  std::set<std::string> given;   ///< those that the user wrote; the others give way to the input's shape
  bool relu = false;             ///< conv2d: ReLU at the rounding
  bool bias = false;             ///< conv2d: with a random bias
  double rate = 0.1;             ///< diffusion
  std::string input = "random";  ///< FILE.npy, fashion-mnist:INDEX or random
  std::uint64_t seed = 1;
};

/// A workload ready to run.
struct Case {
  std::string title;             ///< "conv2d 1x16x32x32 * 32x16x3x3, stride 1, pad 1"
  nlohmann::ordered_json shape;  ///< the shape options' values
  compiler::Workload workload;
  /// Computes what the outputs must be, in the order of workload.outputs.
  std::function<std::vector<network::Tensor>()> reference;
};

struct WorkloadKind {
  const char* name;
  const char* summary;
  const char* example;
  std::vector<ShapeOption> options;
};

/// All workloads, in the order that help shows.
const std::vector<WorkloadKind>& workload_kinds();
std::vector<std::string> workload_names();

/// Makes inputs and job list. Throws Error (kBadInput) for shapes that make no sense or do not fit memory, an
/// input that is not there or does not fit, or an image index out of range.
Case make_case(WorkloadRequest request, const compiler::Machine& machine);

}  // namespace nearcube::cli
