// SPDX-License-Identifier: Apache-2.0
#include "sim/system/cube_system.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/units.h"
#include "sim/fast/cluster.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;
using Clock = std::chrono::steady_clock;

// Windows between looks at the wall clock.
constexpr std::uint64_t kClockInterval = 256;
// Core cycles: more would hardly save anything, and when a slow memory answers is known in time for a
// watchdog.
constexpr std::uint64_t kLongestWindow = 64;

constexpr std::uint64_t kNever = ~std::uint64_t{0};

double cpu_seconds() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

CubeOptions checked(const ClusterConfig& config, CubeOptions options) {
  if (options.clusters < 1 || options.clusters > kMostClusters)
    bad_input("{} clusters: a cube has 1 to {}", options.clusters, kMostClusters);
  if (options.observed >= options.clusters)
    bad_input("cluster {} cannot be observed: there are {}, counted from 0", options.observed,
              options.clusters);
  if (options.check_dram && !options.memory)
    bad_input("--check-dram: flat memory has no DRAM commands; name a cube's with --memory");
  options.threads = std::min(options.threads, options.clusters);
  check_model(config, options.traceable, options.backend);
  return options;
}

/// "0-2, 5" for {0, 1, 2, 5}.
std::string format_ranges(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (last > i) text += fmt::format("{}{}", last > i + 1 ? "-" : ", ", numbers[last]);
    i = last + 1;
  }
  return text;
}

/// Adds a cluster's part to the run's totals.
void add_up(RunResult& result, const ClusterResult& own, const std::string& name) {
  const bool first = result.clusters.empty();
  result.clusters.push_back(own);
  result.cycles = std::max(result.cycles, own.cycles);
  for (const PhaseCycles& phase : own.phases) {
    const auto same = std::find_if(result.phases.begin(), result.phases.end(),
                                   [&](const PhaseCycles& other) { return other.phase == phase.phase; });
    if (same != result.phases.end()) {
      same->cycles += phase.cycles;
    } else {
      result.phases.push_back(phase);
    }
  }
  if (first) {
    result.counters = own.counters;
  } else if (result.counters && own.counters) {
    *result.counters += *own.counters;
  } else {
    result.counters.reset();  // no total without all of them
  }
  result.counters_exact = result.counters_exact && own.counters_exact;
  result.core += own.core;
  for (const std::string& fault : own.faults) result.faults.push_back(name + fault);
}

}  // namespace

void check_model(const ClusterConfig& config, bool traceable, Backend backend) {
  const rtl::ClusterOptions options = {.traceable = traceable, .parameters = config.cluster};
  try {
    if (backend == Backend::kFast) {
      fast::check_model(options);
    } else {
      rtl::check_model(options);
    }
  } catch (const Error& error) {
    throw base::error(error.status(), "{}: {}", config.file, error.what());
  }
}

CubeSystem::CubeSystem(const ClusterConfig& config, const CubeOptions& options)
    : config_(config),
      options_(checked(config, options)),
      memory_(regs::kCubeBase, options.memory ? options.memory->capacity_bytes : config.memory_bytes,
              config.untouched),
      pool_(options_.threads),
      lines_(options_.clusters) {
  if (options_.faults.any()) {
    protection_ = std::make_unique<memory::ProtectedMemory>(
        memory_, options_.faults, [this](std::uint64_t address) { return in_stuck_bank(address); });
  }
  std::vector<memory::AxiPort*> ports;
  for (unsigned id = 0; id < options_.clusters; ++id) {
    nodes_.push_back(std::make_unique<ClusterNode>(
        config_,
        NodeOptions{.id = id,
                    .count = options_.clusters,
                    .seed = options_.seed + id,
                    .traceable = options_.traceable && id == options_.observed,
                    .granule_bytes = options_.memory ? options_.memory->granule_bytes : 64,
                    .protection = protection_.get(),
                    .backend = options_.backend},
        memory_));
    ports.push_back(&nodes_.back()->port());
  }
  if (options_.memory) {
    side_ = std::make_unique<CubeSide>(*options_.memory, memory_, protection_.get(), std::move(ports),
                                       config_.core_hz(), options_.check_dram);
  } else {
    side_ = std::make_unique<FlatSide>(memory_, protection_.get(), std::move(ports), config_.timing);
  }
  window_ = std::min(side_->lookahead_core_cycles(), kLongestWindow);
  // All are built alike.
  nodes_.front()->check_parameters();
}

bool CubeSystem::in_stuck_bank(std::uint64_t address) const {
  const auto& stuck = options_.faults.stuck_banks;
  if (stuck.empty() || !options_.memory) return false;
  const hmc::Location place = hmc::locate(*options_.memory, address - memory_.base());
  return std::find(stuck.begin(), stuck.end(), memory::StuckBank{place.vault, place.bank}) != stuck.end();
}

void CubeSystem::load(const riscv::ElfFile& elf) {
  for (const auto& segment : elf.segments()) {
    const std::uint64_t address = segment.address;
    if (!exists(address, segment.memory_bytes)) {
      bad_input(
          "{}: a segment of {} at {:#x} is neither in the cube's memory ({} from {:#x} on, key "
          "{} of {}) nor in the TCDM ({} from {:#x} on)",
          elf.path(), base::format_bytes(segment.memory_bytes), address,
          base::format_bytes(memory_.capacity()), memory_.base(),
          options_.memory ? "cube.capacity" : "memory.capacity_bytes",
          options_.memory ? options_.memory->file : config_.file, base::format_bytes(parameters().tcdm_bytes),
          regs::kTcdmBase);
    }
    write(address, segment.bytes);
    const std::vector<std::uint8_t> zeros(segment.memory_bytes - segment.bytes.size());
    write(address + segment.bytes.size(), zeros);
  }
  program_ = std::make_unique<Program>(elf);
  for (const auto& node : nodes_) node->set_program(program_.get());
}

bool CubeSystem::exists(std::uint64_t address, std::uint64_t bytes) const {
  return memory_.contains(address, bytes) || nodes_.front()->in_tcdm(address, bytes);
}

void CubeSystem::require_exists(std::uint64_t address, std::uint64_t bytes) const {
  if (!exists(address, bytes)) {
    bad_input(
        "{} bytes at {:#x} are neither in the cube's memory ({} from {:#x} on) nor in the TCDM ({} from "
        "{:#x} on)",
        bytes, address, base::format_bytes(memory_.capacity()), memory_.base(),
        base::format_bytes(parameters().tcdm_bytes), regs::kTcdmBase);
  }
}

void CubeSystem::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  require_exists(address, bytes.size());
  if (memory_.contains(address, bytes.size())) {
    memory_.write(address, bytes);
    if (protection_) protection_->host_wrote(address, bytes.size());
    return;
  }
  pool_.run(nodes_.size(), [&](std::size_t i) { nodes_[i]->write_tcdm(address, bytes); });
}

void CubeSystem::read(std::uint64_t address, std::span<std::uint8_t> bytes) {
  require_exists(address, bytes.size());
  if (memory_.contains(address, bytes.size())) {
    memory_.read(address, bytes);
    if (protection_ && !protection_->host_read(address, bytes)) {
      throw base::error(
          ExitStatus::kOther,
          "a word of the {} bytes at {:#x} is beyond repair: more than one of its 72 bits is wrong",
          bytes.size(), address);
    }
  } else {
    observed().read_tcdm(address, bytes);
  }
}

void CubeSystem::set_console(std::function<void(const std::string&)> console) {
  console_ = std::move(console);
  if (clusters() == 1) {
    nodes_.front()->set_console([this](char character) { console_(std::string(1, character)); });
    return;
  }
  for (unsigned id = 0; id < clusters(); ++id) {
    nodes_[id]->set_console([this, id](char character) { lines_[id] += character; });
  }
}

void CubeSystem::print_lines(bool all) {
  for (unsigned id = 0; id < clusters(); ++id) {
    std::string& text = lines_[id];
    if (text.empty()) continue;
    if (all && text.back() != '\n') text += '\n';
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      console_(fmt::format("cluster {}: {}", id, text.substr(begin, end + 1 - begin)));
      begin = end + 1;
    }
    text.erase(0, begin);
  }
}

void CubeSystem::serve_memory(std::uint64_t core_cycle) {
  accesses_.clear();
  for (const auto& node : nodes_) {
    for (const memory::Access& access : node->port().asked()) accesses_.push_back({node->id(), access});
    node->port().forget_asked();
  }
  std::stable_sort(accesses_.begin(), accesses_.end(), [](const ClusterAccess& a, const ClusterAccess& b) {
    return a.access.cycle < b.access.cycle;
  });
  side_->serve(accesses_, core_cycle);
}

// From the last arrival to the release it takes as long as a short access to memory: the barrier is on the
// logic base, too.
void CubeSystem::serve_barrier() {
  std::uint64_t last = 0;
  for (const auto& node : nodes_) {
    if (node->arrived_at() == 0) return;
    last = std::max(last, node->arrived_at());
  }
  for (const auto& node : nodes_) node->release(last + window_);
}

// The core cycle from which on nobody is left to come to the barrier: a cluster has ended, and all others
// have waited there for as long as a watchdog does. All ones: somebody may come.
std::uint64_t CubeSystem::barrier_lost_from() const {
  std::uint64_t from = 0;
  for (const auto& node : nodes_) {
    if (node->running()) from = std::max(from, node->arrived_at() != 0 ? node->stalled_from() : kNever);
  }
  return from != 0 ? from : kNever;
}

RunResult CubeSystem::run(const RunLimits& limits) {
  if (ran_) throw base::error(ExitStatus::kOther, "a cube system runs once");
  ran_ = true;
  const std::uint32_t entry = program_ ? program_->elf().entry() : 0;
  const auto start = Clock::now();
  const double cpu_start = cpu_seconds();
  for (const auto& node : nodes_)
    node->start(entry, limits, node->id() == options_.observed ? limits.debugger : nullptr);

  std::vector<ClusterNode*> active;
  auto last_report = start;
  bool ending = false;  // all are to come to rest
  std::uint64_t core_cycle = 0;
  for (std::uint64_t round = 1;; ++round) {
    active.clear();
    std::uint64_t first = kNever;  // core cycle in which something can happen
    for (const auto& node : nodes_) {
      if (!node->done()) first = std::min(first, node->sleeps_until());
    }
    if (first == kNever) break;
    if (!ending) first = std::min(first, barrier_lost_from());
    if (first > core_cycle) core_cycle += (first - 1 - core_cycle) / window_ * window_;
    core_cycle += window_;
    for (const auto& node : nodes_) {
      if (!node->done() && node->sleeps_until() <= core_cycle) active.push_back(node.get());
    }
    pool_.run(active.size(), [&](std::size_t i) { active[i]->advance(core_cycle); });
    serve_memory(core_cycle);
    serve_barrier();
    if (clusters() > 1 && console_) print_lines(false);
    if (ending) continue;

    const auto stop_all = [&](End end) {
      for (const auto& node : nodes_) node->stop(end, core_cycle);
      ending = true;
    };
    const bool failed = std::any_of(active.begin(), active.end(), [](const ClusterNode* node) {
      return !node->running() && (node->result().end != End::kExit || node->result().exit_code != 0);
    });
    if (failed) {
      stop_all(End::kStopped);
    } else if (base::interrupted()) {
      stop_all(End::kInterrupted);
    } else if (core_cycle >= barrier_lost_from()) {
      barrier_lost_ = true;
      stop_all(End::kStuck);
    } else if (limits.progress && round % kClockInterval == 0 &&
               Clock::now() - last_report > std::chrono::milliseconds(100)) {
      last_report = Clock::now();
      limits.progress(core_cycle * parameters().core_clock_ratio);
    }
  }
  if (clusters() > 1 && console_) print_lines(true);

  RunResult result = conclude();
  if (protection_) result.protection = protection_->result();
  result.dram_check = side_->finish_check();
  result.threads = pool_.threads();
  result.host_seconds = std::chrono::duration<double>(Clock::now() - start - observed().halted()).count();
  result.host_cpu_seconds = cpu_seconds() - cpu_start;
  return result;
}

RunResult CubeSystem::conclude() {
  RunResult result;
  const ClusterResult* first = nullptr;  // to end otherwise than well
  for (const auto& node : nodes_) {
    const ClusterResult& own = node->result();
    add_up(result, own, clusters() == 1 ? "" : fmt::format("cluster {}: ", node->id()));
    const bool well = own.end == End::kExit && own.exit_code == 0;
    if (well || own.end == End::kStopped || (first != nullptr && first->cycles <= own.cycles)) continue;
    first = &own;
    result.cluster = node->id();
  }
  if (first == nullptr) return result;
  result.end = first->end;
  result.exit_code = first->exit_code;
  result.message = first->message;
  if (clusters() == 1 || result.message.empty()) return result;
  result.message = barrier_lost_
                       ? "stuck: some clusters wait at the barrier, and nobody is left to come there"
                       : fmt::format("cluster {}: {}", result.cluster, result.message);
  result.message += describe_places(barrier_lost_ ? clusters() : result.cluster);
  for (const std::string& line : side_->describe()) result.message += "\n" + line;
  return result;
}

// Where all clusters but one are, those at the same place together.
std::string CubeSystem::describe_places(unsigned but) const {
  std::map<std::string, std::vector<unsigned>> places;
  for (const auto& node : nodes_) {
    if (node->id() != but) places[node->last_place()].push_back(node->id());
  }
  std::string text;
  for (const auto& [place, ids] : places)
    text += fmt::format("\n{} {}: {}", ids.size() > 1 ? "clusters" : "cluster", format_ranges(ids), place);
  return text;
}

}  // namespace nearcube::system
