// SPDX-License-Identifier: Apache-2.0
#include "sim/system/memory_side.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.h"

namespace nearcube::system {

FlatSide::FlatSide(memory::FlatMemory& memory, memory::ProtectedMemory* protection,
                   std::vector<memory::AxiPort*> ports, const memory::AxiTiming& timing)
    : memory_(memory), protection_(protection), ports_(std::move(ports)), timing_(timing) {
  const std::uint64_t latency = std::min(timing.read_latency_core_cycles, timing.write_latency_core_cycles);
  if (latency < 2) bad_input("a memory latency of {} core cycles: must be at least 2", latency);
  lookahead_ = latency - 1;
}

void FlatSide::serve(std::span<const ClusterAccess> accesses, std::uint64_t /*core_cycle*/) {
  for (const auto& [cluster, access] : accesses)
    memory::answer(*ports_[cluster], access, memory_, protection_, timing_);
}

CubeSide::CubeSide(const hmc::CubeConfig& config, memory::FlatMemory& memory,
                   memory::ProtectedMemory* protection, std::vector<memory::AxiPort*> ports, double core_hz,
                   bool check_dram)
    : memory_(memory),
      protection_(protection),
      ports_(std::move(ports)),
      period_ps_(static_cast<std::uint64_t>(std::llround(1e12 / core_hz))),
      cube_(config, static_cast<unsigned>(ports_.size())) {
  cube_.set_access([this](const hmc::Request& request, std::uint64_t /*time_ps*/) {
    return ports_[request.port]->perform(request.tag, memory_, protection_);
  });
  if (check_dram) cube_.add_observer(checker_.emplace(dram_check::rules_of(config)));
}

std::uint64_t CubeSide::lookahead_core_cycles() const {
  return std::max<std::uint64_t>(1, (cube_.lookahead_ps() + period_ps_ - 1) / period_ps_);
}

void CubeSide::serve(std::span<const ClusterAccess> accesses, std::uint64_t core_cycle) {
  for (const auto& [cluster, access] : accesses) {
    cube_.submit({.address = access.address - memory_.base(),
                  .bytes = access.bytes,
                  .write = access.write,
                  .port = cluster,
                  .tag = access.tag,
                  .time_ps = access.cycle * period_ps_});
  }
  // What comes next is asked for in core_cycle + 1 or later, and so answered after this.
  advanced_ps_ = (core_cycle + lookahead_core_cycles()) * period_ps_ + 1;
  cube_.advance(advanced_ps_);
  for (const hmc::Completion& done : cube_.completions())
    ports_[done.port]->complete(done.tag, (done.time_ps + period_ps_ - 1) / period_ps_, done.error);
  cube_.clear_completions();
}

std::optional<DramCheck> CubeSide::finish_check() {
  if (!checker_) return std::nullopt;
  checker_->finish(advanced_ps_ / cube_.config().timing.tck_ps);
  return DramCheck{
      .commands = checker_->commands(), .violations = checker_->violations(), .report = checker_->report()};
}

}  // namespace nearcube::system
