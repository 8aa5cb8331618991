// SPDX-License-Identifier: Apache-2.0
#include "sim/system/counters.h"

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::system {

std::vector<std::uint32_t> counter_offsets(unsigned ntx, unsigned banks) {
  namespace c = interfaces::counters;
  std::vector<std::uint32_t> offsets = {
      c::kCyclesOffset,  c::kComputeCyclesOffset, c::kDmaReadBytesOffset, c::kDmaWriteBytesOffset,
      c::kDmaBusyOffset, c::kDmaWaitBusOffset,    c::kDmaWaitTcdmOffset,  c::kCoreWaitTcdmOffset};
  for (unsigned n = 0; n < ntx; ++n) {
    for (const std::uint32_t first :
         {c::kNtxBusyOffset, c::kNtxStallAOffset, c::kNtxStallBOffset, c::kNtxStallInitOffset,
          c::kNtxStallResultOffset, c::kNtxStallHazardOffset, c::kNtxIdleOffset, c::kNtxMacsOffset,
          c::kNtxResultsOffset, c::kNtxCommandsOffset}) {
      offsets.push_back(first + n * c::kNtxBusyStride);
    }
  }
  for (unsigned b = 0; b < banks; ++b) {
    offsets.push_back(c::kBankAccessesOffset + b * c::kBankAccessesStride);
    offsets.push_back(c::kBankConflictsOffset + b * c::kBankConflictsStride);
  }
  return offsets;
}

ClusterCounters to_counters(std::span<const std::uint64_t> values, unsigned ntx, unsigned banks) {
  auto next = values.begin();
  ClusterCounters counters;
  for (std::uint64_t* counter :
       {&counters.cycles, &counters.compute_cycles, &counters.dma_read_bytes, &counters.dma_write_bytes,
        &counters.dma_busy, &counters.dma_wait_bus, &counters.dma_wait_tcdm, &counters.core_wait_tcdm}) {
    *counter = *next++;
  }
  counters.ntx.resize(ntx);
  for (auto& unit : counters.ntx) {
    for (std::uint64_t* counter :
         {&unit.busy, &unit.stall_a, &unit.stall_b, &unit.stall_init, &unit.stall_result, &unit.stall_hazard,
          &unit.idle, &unit.macs, &unit.results, &unit.commands}) {
      *counter = *next++;
    }
  }
  counters.banks.resize(banks);
  for (auto& bank : counters.banks) {
    bank.accesses = *next++;
    bank.conflicts = *next++;
  }
  return counters;
}

}  // namespace nearcube::system
