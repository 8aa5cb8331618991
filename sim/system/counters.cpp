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

namespace {
/// All counters in the order of counter_offsets().
std::vector<std::uint64_t*> listed(ClusterCounters& c) {
  std::vector<std::uint64_t*> all = {&c.cycles,   &c.compute_cycles, &c.dma_read_bytes, &c.dma_write_bytes,
                                     &c.dma_busy, &c.dma_wait_bus,   &c.dma_wait_tcdm,  &c.core_wait_tcdm};
  for (auto& unit : c.ntx) {
    all.insert(all.end(), {&unit.busy, &unit.stall_a, &unit.stall_b, &unit.stall_init, &unit.stall_result,
                           &unit.stall_hazard, &unit.idle, &unit.macs, &unit.results, &unit.commands});
  }
  for (auto& bank : c.banks) all.insert(all.end(), {&bank.accesses, &bank.conflicts});
  return all;
}
}  // namespace

ClusterCounters to_counters(std::span<const std::uint64_t> values, unsigned ntx, unsigned banks) {
  ClusterCounters counters;
  counters.ntx.resize(ntx);
  counters.banks.resize(banks);
  auto next = values.begin();
  for (std::uint64_t* counter : listed(counters)) *counter = *next++;
  return counters;
}

ClusterCounters& ClusterCounters::operator+=(const ClusterCounters& other) {
  ClusterCounters copy = other;
  const auto mine = listed(*this), theirs = listed(copy);
  for (std::size_t i = 0; i < mine.size(); ++i) *mine[i] += *theirs[i];
  return *this;
}

}  // namespace nearcube::system
