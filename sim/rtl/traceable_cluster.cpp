// SPDX-License-Identifier: Apache-2.0
#include <Vcluster_traced.h>
#include <Vcluster_traced___024root.h>

#include "sim/rtl/cluster_model_of.h"

namespace nearcube::rtl {

std::unique_ptr<ClusterModel> make_traceable_cluster(const ClusterOptions& options) {
  return std::make_unique<ClusterModelOf<Vcluster_traced, true>>(options);
}

}  // namespace nearcube::rtl
