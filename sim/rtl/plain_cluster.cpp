// SPDX-License-Identifier: Apache-2.0
#include <Vcluster.h>
#include <Vcluster___024root.h>

#include "sim/rtl/cluster_model_of.h"

namespace nearcube::rtl {

std::unique_ptr<ClusterModel> make_plain_cluster(const ClusterOptions& options) {
  return std::make_unique<ClusterModelOf<Vcluster, false>>(options);
}

}  // namespace nearcube::rtl
