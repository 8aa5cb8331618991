// SPDX-License-Identifier: Apache-2.0
// What is behind the clusters' AXI ports: one memory, in one thread, some cycles behind them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/dram_check/rule_checker.h"
#include "sim/hmc/cube.h"
#include "sim/memory/axi_port.h"
#include "sim/memory/flat_memory.h"
#include "sim/memory/protected_memory.h"
#include "sim/system/run_result.h"

namespace nearcube::system {

/// An access of a cluster's port.
struct ClusterAccess {
  unsigned cluster = 0;
  memory::Access access;
};

class MemorySide {
 public:
  virtual ~MemorySide() = default;

  /// Core cycles, at least 1: an access of core cycle c is not answered before c + lookahead(). So that many
  /// cycles of all clusters can pass between two calls of serve().
  virtual std::uint64_t lookahead_core_cycles() const = 0;
  /// Takes what was asked for up to and in `core_cycle`, ordered by (cycle, cluster), carries it out, and
  /// tells the ports of every answer that is due up to core_cycle + lookahead.
  virtual void serve(std::span<const ClusterAccess> accesses, std::uint64_t core_cycle) = 0;
  /// For a watchdog's report, a line each.
  virtual std::vector<std::string> describe() const { return {}; }
  /// After the last serve(), what a rule checker saw; nothing if there is none.
  virtual std::optional<DramCheck> finish_check() { return std::nullopt; }
};

/// Memory without vaults: each access is carried out at once and answered after a fixed latency.
class FlatSide final : public MemorySide {
 public:
  /// Latencies of at least 2 core cycles: one there, one back. `protection`: of `memory`, or null.
  FlatSide(memory::FlatMemory& memory, memory::ProtectedMemory* protection,
           std::vector<memory::AxiPort*> ports, const memory::AxiTiming& timing);

  std::uint64_t lookahead_core_cycles() const override { return lookahead_; }
  void serve(std::span<const ClusterAccess> accesses, std::uint64_t core_cycle) override;

 private:
  memory::FlatMemory& memory_;
  memory::ProtectedMemory* protection_;
  std::vector<memory::AxiPort*> ports_;
  memory::AxiTiming timing_;
  std::uint64_t lookahead_;
};

/// The vaults of a cube, a port of its logic base for each cluster.
class CubeSide final : public MemorySide {
 public:
  /// `protection`: of `memory`, or null. `core_hz`: the clock of the clusters' AXI, whose period is taken to
  /// the next picosecond. `check_dram`: with a rule checker.
  CubeSide(const hmc::CubeConfig& config, memory::FlatMemory& memory, memory::ProtectedMemory* protection,
           std::vector<memory::AxiPort*> ports, double core_hz, bool check_dram);

  std::uint64_t lookahead_core_cycles() const override;
  void serve(std::span<const ClusterAccess> accesses, std::uint64_t core_cycle) override;
  std::vector<std::string> describe() const override { return cube_.describe(); }
  std::optional<DramCheck> finish_check() override;

  hmc::Cube& cube() { return cube_; }

 private:
  memory::FlatMemory& memory_;
  memory::ProtectedMemory* protection_;
  std::vector<memory::AxiPort*> ports_;
  std::uint64_t period_ps_;
  hmc::Cube cube_;
  std::uint64_t advanced_ps_ = 0;
  std::optional<dram_check::RuleChecker> checker_;
};

}  // namespace nearcube::system
