// SPDX-License-Identifier: Apache-2.0
#include "sim/system/cluster_node.h"

#include <algorithm>
#include <utility>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/units.h"
#include "sim/fast/cluster.h"
#include "sim/rtl/cluster_model.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;
using Clock = std::chrono::steady_clock;

// Core cycles, besides those that the memory takes its time, that the end of what the core has under way may
// take: less than a user's patience.
constexpr std::uint64_t kPatienceCoreCycles = 100'000;
// Core cycles between looks at the counters.
constexpr std::uint64_t kSampleInterval = 4096;

riscv::CoreInputs core_inputs(const rtl::ClusterOutputs& out) {
  riscv::CoreInputs in;
  in.data_gnt = out.data_gnt;
  in.data_rvalid = out.data_rvalid;
  in.data_err = out.data_err;
  in.data_rdata = out.data_rdata;
  in.instr_gnt = out.instr_gnt;
  in.instr_rvalid = out.instr_rvalid;
  in.instr_last = out.instr_last;
  in.instr_err = out.instr_err;
  in.instr_rdata = out.instr_rdata;
  in.irq_external = out.irq_external;
  in.irq_timer = out.irq_timer;
  return in;
}

/// The core's request is granted, and zeroes the performance counters.
bool clears_counters(const rtl::ClusterInputs& in, const rtl::ClusterOutputs& out) {
  return in.data_req && in.data_we && out.data_gnt &&
         in.data_addr == regs::kControlBase + regs::control::kPerfControlOffset &&
         (in.data_wdata >> regs::control::kPerfControlClearLsb & 1) != 0;
}

rtl::ClusterOptions rtl_options(const ClusterConfig& config, const NodeOptions& options) {
  return {.cluster_id = options.id,
          .cluster_count = options.count,
          .seed = options.seed,
          .traceable = options.traceable,
          .parameters = config.cluster};
}

std::unique_ptr<rtl::ClusterModel> make_model(const rtl::ClusterOptions& options, Backend backend) {
  return backend == Backend::kFast ? fast::make_cluster(options) : rtl::make_cluster(options);
}

}  // namespace

ClusterNode::ClusterNode(const ClusterConfig& config, const NodeOptions& options, memory::FlatMemory& memory)
    : config_(config),
      id_(options.id),
      granule_bytes_(options.granule_bytes),
      memory_(memory),
      protection_(options.protection),
      port_(memory.base(), memory.capacity(), options.granule_bytes, config.timing),
      cluster_(rtl_options(config, options), make_model(rtl_options(config, options), options.backend)),
      core_(options.id),
      commands_(config.cluster.ntx, config.cluster.tcdm_bytes),
      counters_(counter_offsets(config.cluster.ntx, config.cluster.tcdm_banks).size()) {
  inputs_.axi = port_.outputs();
}

void ClusterNode::start(std::uint32_t entry, const RunLimits& limits, debug::Debugger* debugger) {
  limits_ = &limits;
  max_cycles_ = limits.max_cycles != 0 ? limits.max_cycles : config_.max_cycles;
  debugger_ = debugger;
  port_ = memory::AxiPort(memory_.base(), memory_.capacity(), granule_bytes_, config_.timing);
  core_.reset(entry);
  inputs_ = rtl::ClusterInputs();
  inputs_.axi = port_.outputs();
  drive_core_data();
  drive_core_instructions();
  data_port_ = DataPort::kCore;
  cluster_.reset(inputs_);
  if (trace_) cluster_.start_trace(*trace_);
  if (debugger_ != nullptr) observers_.add(*debugger_);
  if (instruction_trace_) observers_.add(*instruction_trace_);
  core_.observe(observers_.any());
  state_ = State::kRunning;
}

void ClusterNode::advance(std::uint64_t core_cycle) {
  if (asleep_) {
    const std::uint64_t until = sleeps_until();
    if (until > core_cycle) return;
    wake(until - 1);
  }
  if (state_ == State::kRunning) run(core_cycle);
  if (state_ == State::kEnding) quiesce(core_cycle);
}

void ClusterNode::run(std::uint64_t until) {
  while (port_.cycles() < until) {
    if (command_trace_) command_trace_->observe(cluster_.cycles(), cluster_.debug());
    if (cluster_.core_tick()) {
      const rtl::ClusterOutputs out = cluster_.sample();
      const std::uint64_t now = cluster_.cycles();
      // What the last core cycle's edge wrote holds since then, and is seen now.
      const std::uint64_t written = now - std::min<std::uint64_t>(now, parameters().core_clock_ratio - 1);
      if (out.phase != phase_) enter_phase(out.phase, written);
      if (out.exit_valid) {
        result_.cycles = written;
        result_.exit_code = out.exit_code;
        if (command_trace_) command_trace_->end(written);
        begin_end(End::kExit);
        return;
      }
      if (command_trace_) command_trace_->settle();
      if (instruction_trace_) instruction_trace_->at(now);
      if (clears_counters(inputs_, out)) counters_.clear();
      tick(out);
      if (timeline_) timeline_->core(core_.counters(), now + 1);
      std::optional<End> end;
      if (debugger_ != nullptr) {
        const auto before = Clock::now();
        const Served served = serve_debugger();
        if (served == Served::kKill) end = End::kKilled;
        if (served == Served::kRun) {
          halted_ += Clock::now() - before;
          last_progress_ = now;
          if (base::interrupted()) end = End::kInterrupted;
          if (!end && !core_.halted()) continue;
        }
      }
      if (!end) end = end_of_cycle(now);
      if (end) {
        result_.cycles = cluster_.cycles();
        cluster_.stop_trace();
        // Everybody has seen this cycle's outputs; its edge must follow before they see any again.
        cluster_.cycle();
        begin_end(*end);
        return;
      }
      asleep_ = falls_asleep(out);
    }
    cluster_.cycle();
    if (asleep_) return;
  }
}

// Nothing has happened in this core cycle and for long enough before that nothing will without a cause from
// outside or the timer.
bool ClusterNode::falls_asleep(const rtl::ClusterOutputs& out) {
  constexpr std::uint32_t kDmaOutstanding = 0xF;
  constexpr std::uint32_t kNtxHolds = 1u << regs::ntx::kDebugActiveLsb | 1u << regs::ntx::kDebugStagedLsb;
  const bool observed = debugger_ != nullptr || command_trace_ || instruction_trace_ || trace_;
  bool quiet = limits_->skip_idle && !observed && core_.dormant() && !out.irq_external && port_.idle() &&
               !inputs_.barrier_release;
  if (quiet) {
    const rtl::ClusterDebug words = cluster_.debug();
    quiet = (words.dma & kDmaOutstanding) == 0 &&
            !debug::units_move(words.dma, words.ntx.data(), words.ntx.size()) &&
            std::none_of(words.ntx.begin(), words.ntx.end(),
                         [](std::uint32_t word) { return (word & kNtxHolds) != 0; });
  }
  quiet_cycles_ = quiet ? quiet_cycles_ + 1 : 0;
  return quiet_cycles_ * std::uint64_t{parameters().core_clock_ratio} >= 2 * cluster_.idle_period();
}

std::uint64_t ClusterNode::sleeps_until() const {
  if (!asleep_) return 0;
  const std::uint64_t ratio = parameters().core_clock_ratio;
  // The machine timer counts core cycles from reset; its interrupt may come a little after or before.
  constexpr std::uint64_t kTimerMargin = 8;
  std::uint64_t until = std::min(max_cycles_, last_sample_ + limits_->counter_interval) / ratio;
  if (release_at_ != 0) until = std::min(until, release_at_);
  const std::uint64_t timer = commands_.timer_compare();
  if (timer + kTimerMargin > port_.cycles()) until = std::min(until, timer - std::min(timer, kTimerMargin));
  if (!at_barrier() && !timer_will_wake())
    until = std::min(until, (last_progress_ + config_.watchdog_cycles) / ratio);
  return std::max<std::uint64_t>(until, 1);
}

// Comes to the end of that core cycle, or some cycles before it.
void ClusterNode::wake(std::uint64_t core_cycle) {
  asleep_ = false;
  quiet_cycles_ = 0;
  const std::uint64_t period = cluster_.idle_period() / parameters().core_clock_ratio;
  if (core_cycle < port_.cycles() + 2 * period) return;
  const std::uint64_t periods = (core_cycle - port_.cycles()) / period;
  cluster_.idle(periods);
  core_.sleep_on(periods * period);
  port_.skip(periods * period);
}

std::uint64_t ClusterNode::stalled_from() const {
  const std::uint64_t ratio = parameters().core_clock_ratio;
  return timer_will_wake() ? ~std::uint64_t{0}
                           : (last_progress_ + config_.watchdog_cycles + ratio - 1) / ratio;
}

// Whether the run ends with this core cycle, whose last NTX cycle is `now`.
std::optional<End> ClusterNode::end_of_cycle(std::uint64_t now) {
  if (core_.halted()) return End::kUncaught;
  const std::uint64_t active = core_.counters().active;
  if (axi_moved_ || active != last_active_) {
    last_active_ = active;
    last_progress_ = now;
  } else {
    const rtl::ClusterDebug words = cluster_.debug();
    if (port_.time_helps() || debug::units_move(words.dma, words.ntx.data(), words.ntx.size()) ||
        timer_will_wake()) {
      last_progress_ = now;
    } else if (now - last_progress_ >= config_.watchdog_cycles && !at_barrier()) {
      // Others may still come to a barrier: who waits there is the cube's business.
      return End::kStuck;
    }
  }
  if (now >= max_cycles_) return End::kMaxCycles;
  if (port_.cycles() % kSampleInterval == 0 && now - last_sample_ >= limits_->counter_interval) {
    last_sample_ = now;
    sample_counters();
  }
  return std::nullopt;
}

bool ClusterNode::at_barrier() const {
  constexpr unsigned kWaitsAtBarrier = 5;  // of core_debug_o, rtl/cluster/cluster.sv
  return (cluster_.debug().core >> kWaitsAtBarrier & 1) != 0;
}

// The core sleeps until its timer, and that before the end of the run.
bool ClusterNode::timer_will_wake() const {
  const bool enabled = (core_.csr().read(riscv::csr::kMie).value_or(0) & riscv::kTimerBit) != 0;
  return enabled && core_.status().sleeping &&
         commands_.timer_compare() < max_cycles_ / parameters().core_clock_ratio;
}

void ClusterNode::enter_phase(std::uint8_t phase, std::uint64_t cycle) {
  if (cycle != phase_start_) {
    if (phase_cycles_[phase_] == 0) phase_order_.push_back(phase_);
    phase_cycles_[phase_] += cycle - phase_start_;
    if (timeline_) timeline_->phase(phase_, phase_start_, cycle);
    phase_start_ = cycle;
  }
  phase_ = phase;
}

// The end of a core cycle: everybody sees the settled outputs, and what they drive holds from the next one
// on.
void ClusterNode::tick(const rtl::ClusterOutputs& out) {
  axi_moved_ = port_.take(out.axi);
  port_.offer();
  inputs_.axi = port_.outputs();
  if (out.barrier_arrive) arrived_at_ = port_.cycles();
  inputs_.barrier_release = release_at_ != 0 && port_.cycles() >= release_at_;
  if (inputs_.barrier_release) {
    release_at_ = 0;
    last_progress_ = cluster_.cycles();
  }
  if (data_port_ != DataPort::kHarness) {
    riscv::CoreInputs in = core_inputs(out);
    if (data_port_ == DataPort::kCore) {
      watch_port(out);
      core_.tick(in);
      drive_core_data();
    } else {
      in.data_gnt = in.data_rvalid = false;
      core_.tick(in);
    }
    drive_core_instructions();
  }
  if (out.char_valid && console_) console_(out.character);
  cluster_.drive(inputs_);
}

void ClusterNode::drive_core_data() {
  const riscv::CoreOutputs& drive = core_.outputs();
  inputs_.data_req = drive.data_req;
  inputs_.data_we = drive.data_we;
  inputs_.data_be = drive.data_be;
  inputs_.data_addr = drive.data_addr;
  inputs_.data_wdata = drive.data_wdata;
}

void ClusterNode::drive_core_instructions() {
  const riscv::CoreOutputs& drive = core_.outputs();
  inputs_.instr_req = drive.instr_req;
  inputs_.instr_addr = drive.instr_addr;
}

// A write of the core that is granted in this cycle.
void ClusterNode::watch_port(const rtl::ClusterOutputs& out) {
  if (!inputs_.data_req || !inputs_.data_we || !out.data_gnt) return;
  // Memory and scratchpad command nobody.
  if (inputs_.data_addr < regs::kControlBase || inputs_.data_addr >= regs::kCubeBase) return;
  commands_.write(
      inputs_.data_addr, inputs_.data_wdata, core_.request_pc(), cluster_.cycles(),
      [this](unsigned unit) { return (cluster_.debug().ntx[unit] >> regs::ntx::kDebugInvalidLsb & 1) != 0; });
}

void ClusterNode::stop(End end, std::uint64_t core_cycle) {
  if (state_ != State::kRunning) return;
  if (asleep_) {
    wake(core_cycle);
    run(core_cycle);
    if (state_ != State::kRunning) return;
  }
  result_.cycles = cluster_.cycles();
  begin_end(end);
}

// result_.cycles is known. What there is to say is kept before anything moves on.
void ClusterNode::begin_end(End end) {
  result_.end = end;
  cluster_.stop_trace();
  core_.observe(nullptr);
  result_.core = core_.counters();
  enter_phase(phase_, result_.cycles);
  if (timeline_) timeline_->end(result_.cycles);
  for (const std::uint8_t visited : phase_order_) result_.phases.push_back({visited, phase_cycles_[visited]});
  last_view_ = view();
  last_words_ = cluster_.debug();
  last_place_ =
      end == End::kExit ? fmt::format("ended with exit code {}", result_.exit_code) : describe_place();
  result_.message = end_message();
  core_.hold(true);
  patience_ = kPatienceCoreCycles;
  state_ = State::kEnding;
}

// Lets what the core has under way end, so that its port is free.
void ClusterNode::quiesce(std::uint64_t until) {
  while (!core_.quiet() && patience_ > 0) {
    if (port_.cycles() >= until) return;
    if (!port_.time_helps()) --patience_;
    step();
  }
  finish(core_.quiet());
}

void ClusterNode::finish(bool quiet) {
  if (quiet) {
    inputs_.data_req = false;
    inputs_.instr_req = false;
    data_port_ = DataPort::kHarness;
  }
  state_ = State::kDone;
  const End end = result_.end;
  if (end != End::kExit && end != End::kUncaught && end != End::kKilled && end != End::kStopped) {
    // A sleeping core leaves its port to us.
    if (quiet && last_view_.core_asleep) {
      const auto events = [this](std::uint32_t offset) {
        return try_port(regs::kControlBase + offset, false, 0xF, 0);
      };
      last_view_.event_mask = events(regs::control::kEventMaskOffset);
      last_view_.event_status = events(regs::control::kEventStatusOffset);
    }
    result_.message += fmt::format("\n{}", debug::format_units(debug::describe_units(last_view_)));
    result_.message.pop_back();
    for (unsigned unit = 0; unit < parameters().ntx; ++unit) {
      constexpr std::uint32_t kBusy = 1u << regs::ntx::kDebugActiveLsb | 1u << regs::ntx::kDebugStagedLsb;
      if ((last_words_.ntx[unit] & kBusy) != 0) result_.message += describe_commands(unit, last_words_);
    }
    result_.message += fmt::format("\n{}", history(false));
  }
  if (quiet) {
    result_.counters = read_counters();
    result_.faults = read_faults();
  } else {
    // Something holds the core's port for long: the counters are read past it, while they go on.
    sample_counters();
    result_.counters = to_counters(counters_.totals(), parameters().ntx, parameters().tcdm_banks);
    result_.counters_exact = false;
  }
  if (debugger_ != nullptr) {
    const bool exited = end == End::kExit;
    debugger_->ended(static_cast<std::uint8_t>(exited ? result_.exit_code
                                                      : static_cast<std::uint32_t>(ExitStatus::kOther)));
  }
}

// Often enough that no counter wraps unseen. What it misses of the latest, the next sample has.
void ClusterNode::sample_counters() {
  std::vector<std::uint32_t> values = cluster_.counters();
  // The model has a place for eight NTX.
  const std::size_t own = counter_offsets(0, 0).size();
  const std::size_t ntx = counter_offsets(1, 0).size() - own;
  const auto absent = values.begin() + static_cast<std::ptrdiff_t>(own + ntx * parameters().ntx);
  values.erase(absent, values.begin() + static_cast<std::ptrdiff_t>(own + ntx * 8));
  counters_.sample(values);
}

}  // namespace nearcube::system
