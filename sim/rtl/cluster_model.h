// SPDX-License-Identifier: Apache-2.0
// A preset's cluster is Verilated twice: plain, and with traces, which costs speed even while none is
// recorded. This is what the wrapper sees of either.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/rtl/cluster.h"

class VerilatedFstC;

namespace nearcube::rtl {

class ClusterModel {
 public:
  virtual ~ClusterModel() = default;
  /// In reset for some cycles, then out of it and settled with `inputs` driven and the clock low.
  virtual void reset(const ClusterInputs& inputs) = 0;
  /// The rising clock edge number `cycle`.
  virtual void rise(std::uint64_t cycle) = 0;
  /// The falling edge, with which new inputs (or null: the old ones) come and everything settles.
  virtual void fall(const ClusterInputs* inputs) = 0;
  virtual bool core_tick() const = 0;
  virtual ClusterOutputs sample() const = 0;
  virtual ClusterDebug debug() const = 0;
  virtual std::vector<std::uint32_t> counters() const = 0;
  /// All registers that count although nothing happens: time, and performance counters. The values, and the
  /// registers set to such values.
  virtual std::vector<std::uint64_t> clocks() const = 0;
  virtual void set_clocks(const std::vector<std::uint64_t>& values) = 0;
  virtual bool traceable() const = 0;
  /// Puts the model's signals into a trace that is yet to be opened; traceable models only.
  virtual void trace(VerilatedFstC& fst) = 0;
};

/// The model built with these options' parameters. Throws as check_model.
std::unique_ptr<ClusterModel> make_cluster(const ClusterOptions& options);

}  // namespace nearcube::rtl
