// SPDX-License-Identifier: Apache-2.0
// What a cluster's RTL is built with: the parameters of rtl/cluster/cluster.sv that a configuration names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearcube::rtl {

struct ClusterParameters {
  unsigned ntx = 8;
  std::uint32_t tcdm_bytes = 65536;
  unsigned tcdm_banks = 64;
  bool multicast = true;            ///< reads of one word in one cycle are served together
  unsigned operand_fifo_depth = 8;  ///< words in each operand FIFO of an NTX
  unsigned core_clock_ratio = 2;    ///< NTX clock cycles in one core clock cycle
  int accumulator_lsb = -298;       ///< exponent of its least significant bit
  unsigned accumulator_segments = 19;

  bool operator==(const ClusterParameters&) const = default;
};

/// A key of a configuration's section `cluster` and its value as text.
struct ClusterParameter {
  const char* key;
  std::string value;
};

/// The parameters as a configuration writes them.
std::vector<ClusterParameter> listed(const ClusterParameters& parameters);

/// A combination that a model was built for, from config/cluster/NAME.yaml (sim/rtl/CMakeLists.txt).
struct ClusterPreset {
  std::string name;
  ClusterParameters parameters;
  bool traceable = false;  ///< there is also a model that records waveforms
};

/// All of them, the default first.
const std::vector<ClusterPreset>& cluster_presets();

}  // namespace nearcube::rtl
