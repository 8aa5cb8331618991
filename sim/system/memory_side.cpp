// SPDX-License-Identifier: Apache-2.0
#include "sim/system/memory_side.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"

namespace nearcube::system {

FlatSide::FlatSide(memory::FlatMemory& memory, std::vector<memory::AxiPort*> ports,
                   const memory::AxiTiming& timing)
    : memory_(memory), ports_(std::move(ports)), timing_(timing) {
  const std::uint64_t latency = std::min(timing.read_latency_core_cycles, timing.write_latency_core_cycles);
  if (latency < 2) bad_input("a memory latency of {} core cycles: must be at least 2", latency);
  lookahead_ = latency - 1;
}

void FlatSide::serve(std::span<const ClusterAccess> accesses, std::uint64_t /*core_cycle*/) {
  for (const auto& [cluster, access] : accesses) memory::answer(*ports_[cluster], access, memory_, timing_);
}

}  // namespace nearcube::system
