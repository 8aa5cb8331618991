// SPDX-License-Identifier: Apache-2.0
// A cluster without RTL, in the place of one: the same ports, registers and bits, and time by formula.
#pragma once

#include <memory>

#include "sim/rtl/cluster_model.h"

namespace nearcube::fast {

/// Throws Error (kBadInput) if there is no such cluster: traces, or another accumulator than the default.
void check_model(const rtl::ClusterOptions& options);

/// The model for rtl::Cluster. Throws as check_model.
///
/// Computed as in the RTL: every register, all that NTX and DMA store, errors, interrupts. By formula: how
/// long a command takes (NtxUnit). Left out: conflicts in the scratchpad, so nobody waits for a bank and the
/// banks' counters stay zero.
std::unique_ptr<rtl::ClusterModel> make_cluster(const rtl::ClusterOptions& options);

}  // namespace nearcube::fast
