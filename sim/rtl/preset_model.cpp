// SPDX-License-Identifier: Apache-2.0
// The model of one preset; compiled once for each with the names of what Verilator made
// (sim/rtl/CMakeLists.txt).
#include NEARCUBE_MODEL_HEADER
#include NEARCUBE_MODEL_ROOT_HEADER

#include "sim/rtl/cluster_model_of.h"

namespace nearcube::rtl {

std::unique_ptr<ClusterModel> NEARCUBE_MAKE_MODEL(const ClusterOptions& options) {
  return std::make_unique<ClusterModelOf<NEARCUBE_MODEL, NEARCUBE_MODEL_TRACEABLE>>(options);
}

}  // namespace nearcube::rtl
