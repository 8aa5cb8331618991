// SPDX-License-Identifier: Apache-2.0
#include "sim/system/cluster_system.h"

#include <algorithm>
#include <chrono>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/units.h"
#include "sim/riscv/disassemble.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;
using Clock = std::chrono::steady_clock;

// Core cycles, besides those that the memory takes its time, that an access of the harness, or the end of
// what the core has under way, may take: less than a user's patience.
constexpr std::uint64_t kPatienceCoreCycles = 100'000;
// Core cycles between looks at the wall clock.
constexpr std::uint64_t kClockInterval = 4096;

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

rtl::ClusterOptions checked_options(const ClusterConfig& config, std::uint64_t seed, bool traceable) {
  const rtl::ClusterOptions options{.cluster_id = 0,
                                    .cluster_count = 1,
                                    .seed = seed,
                                    .traceable = traceable,
                                    .parameters = config.cluster};
  check_model(config, traceable);
  return options;
}

}  // namespace

void check_model(const ClusterConfig& config, bool traceable) {
  try {
    rtl::check_model({.traceable = traceable, .parameters = config.cluster});
  } catch (const Error& error) {
    throw base::error(error.status(), "{}: {}", config.file, error.what());
  }
}

ClusterSystem::ClusterSystem(const ClusterConfig& config, std::uint64_t seed, bool traceable)
    : config_(config),
      memory_(regs::kCubeBase, config.memory_bytes, config.untouched),
      axi_(std::make_unique<memory::AxiMemory>(memory_, config.timing)),
      cluster_(checked_options(config, seed, traceable)),
      core_(0),
      commands_(0, 0),
      counters_(0) {
  inputs_.axi = axi_->outputs();
  check_parameters();
  commands_ = CommandLog(parameters_.ntx, parameters_.tcdm_bytes);
  counters_ = base::WrappingCounters(counter_offsets(parameters_.ntx, parameters_.tcdm_banks).size());
}

void ClusterSystem::check_parameters() {
  const auto control = [this](std::uint32_t offset) { return port_read(regs::kControlBase + offset); };
  parameters_ = config_.cluster;
  parameters_.ntx = control(regs::control::kNtxCountOffset);
  parameters_.core_clock_ratio = control(regs::control::kClockRatioOffset);
  parameters_.tcdm_bytes = control(regs::control::kTcdmBytesOffset);
  parameters_.tcdm_banks = control(regs::control::kTcdmBanksOffset);
  const std::uint32_t ident = port_read(regs::kNtxBase + regs::ntx::kIdentOffset);
  parameters_.accumulator_segments =
      ident >> regs::ntx::kIdentAccSegmentsLsb & ((1u << regs::ntx::kIdentAccSegmentsWidth) - 1);
  parameters_.accumulator_lsb = static_cast<std::int16_t>(ident >> regs::ntx::kIdentAccLsbLsb);

  const auto compare = [this](const char* key, auto wanted, auto built) {
    if (wanted != built) {
      bad_input("{}: key cluster.{}: {} does not fit the RTL, which was built with {}", config_.file, key,
                wanted, built);
    }
  };
  const ClusterParameters& wanted = config_.cluster;
  compare("ntx", wanted.ntx, parameters_.ntx);
  compare("tcdm_bytes", wanted.tcdm_bytes, parameters_.tcdm_bytes);
  compare("tcdm_banks", wanted.tcdm_banks, parameters_.tcdm_banks);
  compare("core_clock_ratio", wanted.core_clock_ratio, parameters_.core_clock_ratio);
  compare("accumulator_lsb", wanted.accumulator_lsb, parameters_.accumulator_lsb);
  compare("accumulator_segments", wanted.accumulator_segments, parameters_.accumulator_segments);
}

void ClusterSystem::load(const riscv::ElfFile& elf) {
  for (const auto& segment : elf.segments()) {
    const std::uint64_t address = segment.address;
    if (!exists(address, segment.memory_bytes)) {
      bad_input(
          "{}: a segment of {} at {:#x} is neither in the cube's memory ({} from {:#x} on, key "
          "memory.capacity_bytes of {}) nor in the TCDM ({} from {:#x} on)",
          elf.path(), base::format_bytes(segment.memory_bytes), address,
          base::format_bytes(memory_.capacity()), memory_.base(), config_.file,
          base::format_bytes(parameters_.tcdm_bytes), regs::kTcdmBase);
    }
    write(address, segment.bytes);
    const std::vector<std::uint8_t> zeros(segment.memory_bytes - segment.bytes.size());
    write(address + segment.bytes.size(), zeros);
  }
  entry_ = elf.entry();
  elf_ = elf;
  lines_ = riscv::SourceLines::load(elf.path());
}

bool ClusterSystem::in_tcdm(std::uint64_t address, std::uint64_t bytes) const {
  return address >= regs::kTcdmBase && bytes <= parameters_.tcdm_bytes &&
         address - regs::kTcdmBase <= parameters_.tcdm_bytes - bytes;
}

bool ClusterSystem::exists(std::uint64_t address, std::uint64_t bytes) const {
  return memory_.contains(address, bytes) || in_tcdm(address, bytes);
}

void ClusterSystem::require_exists(std::uint64_t address, std::uint64_t bytes) const {
  if (!exists(address, bytes)) {
    bad_input(
        "{} bytes at {:#x} are neither in the cube's memory ({} from {:#x} on) nor in the TCDM ({} from "
        "{:#x} on)",
        bytes, address, base::format_bytes(memory_.capacity()), memory_.base(),
        base::format_bytes(parameters_.tcdm_bytes), regs::kTcdmBase);
  }
}

void ClusterSystem::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  require_exists(address, bytes.size());
  if (!in_tcdm(address, bytes.size())) {
    memory_.write(address, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes.size();) {
    const auto at = static_cast<std::uint32_t>(address + i);
    std::uint8_t enables = 0;
    std::uint32_t data = 0;
    do {
      const auto lane = static_cast<std::uint32_t>((address + i) % 4);
      enables = static_cast<std::uint8_t>(enables | 1u << lane);
      data |= std::uint32_t{bytes[i]} << (8 * lane);
      ++i;
    } while (i < bytes.size() && (address + i) % 4 != 0);
    port_write(at & ~3u, enables, data);
  }
}

void ClusterSystem::read(std::uint64_t address, std::span<std::uint8_t> bytes) {
  require_exists(address, bytes.size());
  if (!in_tcdm(address, bytes.size())) {
    memory_.read(address, bytes);
    return;
  }
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(address + i);
    if (i == 0 || at % 4 == 0) word = port_read(at & ~3u);
    bytes[i] = static_cast<std::uint8_t>(word >> (8 * (at % 4)));
  }
}

void ClusterSystem::trace(const rtl::TraceOptions& options) { trace_ = options; }

void ClusterSystem::trace_instructions(const std::string& file, std::uint64_t from, std::uint64_t to) {
  instruction_trace_ = std::make_unique<InstructionTrace>(file, from, to, [this](std::uint32_t pc) {
    const std::string line = lines_.find(pc);
    return line.empty() ? function(pc) : fmt::format("{} {}", function(pc), line);
  });
}

CommandTrace& ClusterSystem::follow_commands() {
  if (!command_trace_) {
    command_trace_ = std::make_unique<CommandTrace>(parameters_.ntx);
    commands_.on_command = [this](const NtxCommand& command, bool dropped) {
      command_trace_->start(command, dropped);
    };
    commands_.on_transfer = [this](const DmaTransfer& transfer) { command_trace_->start(transfer); };
    commands_.on_clear = [this](unsigned unit) { command_trace_->clear(unit); };
  }
  return *command_trace_;
}

void ClusterSystem::trace_commands(const std::string& file, std::uint64_t from, std::uint64_t to) {
  command_table_ = std::make_unique<CommandTable>(file, [this](std::uint32_t pc) {
    return Place{function(pc), lines_.find(pc)};
  });
  follow_commands().add([this](const CommandRow& row) { command_table_->add(row); }, from, to);
}

void ClusterSystem::trace_timeline(const TimelineOptions& options) {
  timeline_ =
      std::make_unique<Timeline>(options, parameters_.ntx, [this](std::uint32_t pc) { return place(pc); });
  follow_commands().add([this](const CommandRow& row) { timeline_->command(row); }, options.from, options.to,
                        options.stall_cycles);
}

void ClusterSystem::finish_tables(const std::string& reason) {
  if (instruction_trace_) instruction_trace_->commit(reason);
  instruction_trace_.reset();
  if (command_trace_) command_trace_->flush();
  if (command_table_) command_table_->commit();
  command_table_.reset();
  if (timeline_) timeline_->commit();
  timeline_.reset();
}

std::string ClusterSystem::function(std::uint32_t pc) const {
  const auto location = elf_ ? elf_->locate(pc) : riscv::ElfFile::Location();
  if (location.symbol == nullptr) return "";
  return location.offset == 0 ? location.symbol->name
                              : fmt::format("{}+{:#x}", location.symbol->name, location.offset);
}

std::string ClusterSystem::place(std::uint32_t pc) const {
  const std::string name = function(pc);
  const std::string line = lines_.find(pc);
  if (name.empty() && line.empty()) return fmt::format("{:#010x}", pc);
  return fmt::format("{:#010x} ({}{}{})", pc, name, name.empty() || line.empty() ? "" : ", ", line);
}

std::string ClusterSystem::history(bool of_exception) const {
  const std::vector<riscv::Executed> list = of_exception ? core_.before_exception() : core_.recent();
  if (list.empty()) return "no instruction was completed";
  std::string text =
      fmt::format("the last {} instructions{}:", list.size(), of_exception ? ", and the one at fault" : "");
  const auto append = [&](std::uint32_t pc, const riscv::Instruction& instruction) {
    const std::string line = lines_.find(pc);
    text += fmt::format("\n  {:08x}  {:<28}{}{}{}", pc, riscv::disassemble(instruction, pc), function(pc),
                        line.empty() ? "" : "  ", line);
  };
  for (const auto& [pc, instruction] : list) append(pc, instruction);
  const std::uint32_t pc = core_.trap().pc;
  if (of_exception && memory_.contains(pc, 4)) {
    std::array<std::uint8_t, 4> bytes{};
    memory_.read(pc, bytes);
    append(pc, riscv::decode(bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
                             std::uint32_t{bytes[3]} << 24));
  }
  return text;
}

// A write of the core that is granted in this cycle.
void ClusterSystem::watch_port(const rtl::ClusterOutputs& out) {
  if (!inputs_.data_req || !inputs_.data_we || !out.data_gnt) return;
  // Memory and scratchpad command nobody.
  if (inputs_.data_addr < regs::kControlBase || inputs_.data_addr >= regs::kCubeBase) return;
  commands_.write(
      inputs_.data_addr, inputs_.data_wdata, core_.request_pc(), cluster_.cycles(),
      [this](unsigned unit) { return (cluster_.debug().ntx[unit] >> regs::ntx::kDebugInvalidLsb & 1) != 0; });
}

// The core sleeps until its timer, and that before the end of the run.
bool ClusterSystem::timer_will_wake(std::uint64_t max_cycles) const {
  const bool enabled = (core_.csr().read(riscv::csr::kMie).value_or(0) & riscv::kTimerBit) != 0;
  return enabled && core_.status().sleeping &&
         commands_.timer_compare() < max_cycles / parameters_.core_clock_ratio;
}

// The commands that an NTX has not finished, in words.
std::string ClusterSystem::describe_commands(unsigned unit, const rtl::ClusterDebug& words) const {
  const auto& latest = commands_.latest(unit);
  const std::uint32_t word = words.ntx[unit];
  const auto holds = [word](unsigned lsb) { return (word >> lsb & 1) != 0; };
  if (latest.empty()) return "";
  const auto describe = [this](const NtxCommand& command) {
    return fmt::format("\n  {}", describe_command(command, [this](std::uint32_t pc) { return place(pc); }));
  };
  if (holds(regs::ntx::kDebugInvalidLsb)) {
    // Others may have been staged behind one that leads out of the scratchpad, none behind one that was
    // refused.
    const auto astray = std::find_if(latest.begin(), latest.end(), [this](const NtxCommand& command) {
      return leaves_tcdm(command, parameters_.tcdm_bytes);
    });
    return describe(astray == latest.end() ? latest.back() : *astray);
  }
  const std::size_t unfinished =
      std::size_t{holds(regs::ntx::kDebugActiveLsb)} + std::size_t{holds(regs::ntx::kDebugStagedLsb)};
  std::string text;
  for (std::size_t i = latest.size() - std::min(latest.size(), unfinished); i < latest.size(); ++i) {
    text += describe(latest[i]);
  }
  return text;
}

// The end of a core cycle: everybody sees the settled outputs, and what they drive holds from the next one
// on.
void ClusterSystem::tick(const rtl::ClusterOutputs& out) {
  axi_moved_ = axi_->tick(out.axi);
  inputs_.axi = axi_->outputs();
  // One cluster is all clusters.
  inputs_.barrier_release = out.barrier_arrive;
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

void ClusterSystem::drive_core_data() {
  const riscv::CoreOutputs& drive = core_.outputs();
  inputs_.data_req = drive.data_req;
  inputs_.data_we = drive.data_we;
  inputs_.data_be = drive.data_be;
  inputs_.data_addr = drive.data_addr;
  inputs_.data_wdata = drive.data_wdata;
}

void ClusterSystem::drive_core_instructions() {
  const riscv::CoreOutputs& drive = core_.outputs();
  inputs_.instr_req = drive.instr_req;
  inputs_.instr_addr = drive.instr_addr;
}

// One core cycle.
void ClusterSystem::step() {
  while (!cluster_.core_tick()) cluster_.cycle();
  tick(cluster_.sample());
  cluster_.cycle();
}

// An access on the core's data port; nothing if it is not granted or answered in time. Throws on a bus error.
std::optional<std::uint32_t> ClusterSystem::try_port(std::uint32_t address, bool write, std::uint8_t enables,
                                                     std::uint32_t data) {
  inputs_.data_req = true;
  inputs_.data_we = write;
  inputs_.data_be = enables;
  inputs_.data_addr = address;
  inputs_.data_wdata = data;
  // The request is on the port from the next core cycle on.
  step();
  bool granted = false;
  for (std::uint64_t cycle = 0; cycle < kPatienceCoreCycles; cycle += axi_->time_helps() ? 0 : 1) {
    while (!cluster_.core_tick()) cluster_.cycle();
    const rtl::ClusterOutputs out = cluster_.sample();
    const bool answered = granted && out.data_rvalid;
    if (!granted && out.data_gnt) {
      granted = true;
      inputs_.data_req = false;
    }
    tick(out);
    cluster_.cycle();
    if (answered) {
      if (out.data_err) bad_input("a bus error at {:#x}: nothing is there", address);
      return out.data_rdata;
    }
  }
  return std::nullopt;
}

std::uint32_t ClusterSystem::port_read(std::uint32_t address) {
  const auto value = try_port(address, false, 0xF, 0);
  if (!value) throw base::error(ExitStatus::kStuck, "the cluster does not answer a read of {:#x}", address);
  return *value;
}

void ClusterSystem::port_write(std::uint32_t address, std::uint8_t enables, std::uint32_t data) {
  if (!try_port(address, true, enables, data)) {
    throw base::error(ExitStatus::kStuck, "the cluster does not answer a write of {:#x}", address);
  }
}

// Lets what the core has under way end, so that its port is free. False if that does not happen.
bool ClusterSystem::quiesce() {
  core_.hold(true);
  for (std::uint64_t cycle = 0; cycle < kPatienceCoreCycles; cycle += axi_->time_helps() ? 0 : 1) {
    if (core_.quiet()) {
      inputs_.data_req = false;
      inputs_.instr_req = false;
      data_port_ = DataPort::kHarness;
      return true;
    }
    step();
  }
  return false;
}

// Often enough that no counter wraps unseen. What it misses of the latest, the next sample has.
void ClusterSystem::sample_counters() {
  std::vector<std::uint32_t> values = cluster_.counters();
  // The model has a place for eight NTX.
  const std::size_t own = counter_offsets(0, 0).size();
  const std::size_t ntx = counter_offsets(1, 0).size() - own;
  const auto absent = values.begin() + static_cast<std::ptrdiff_t>(own + ntx * parameters_.ntx);
  values.erase(absent, values.begin() + static_cast<std::ptrdiff_t>(own + ntx * 8));
  counters_.sample(values);
}

/// The machine as a debugger sees it, while the core is held.
class ClusterSystem::DebugTarget final : public debug::Target {
 public:
  explicit DebugTarget(ClusterSystem& system) : system_(system), blocked_(!system.core_.quiet()) {}

  bool blocked() const override { return blocked_; }
  std::uint32_t pc() const override { return system_.core_.pc(); }
  void set_pc(std::uint32_t value) override { system_.core_.set_pc(value); }
  std::uint32_t x(unsigned index) const override { return system_.core_.x(index); }
  void set_x(unsigned index, std::uint32_t value) override { system_.core_.set_x(index, value); }
  std::optional<std::uint32_t> csr(std::uint32_t number) const override {
    return system_.core_.csr().read(number);
  }
  bool set_csr(std::uint32_t number, std::uint32_t value) override {
    return system_.core_.csr().write(number, value);
  }

  bool read(std::uint32_t address, std::span<std::uint8_t> bytes) override {
    if (system_.exists(address, bytes.size())) {
      if (blocked_ && system_.in_tcdm(address, bytes.size())) return false;
      system_.read(address, bytes);
      return true;
    }
    // Registers, of which none changes by being read.
    const std::uint64_t end = std::uint64_t{address} + bytes.size();
    if (blocked_ || address < regs::kControlBase || end > regs::kNtxBase + regs::kNtxSize) return false;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(address + i);
      if (i == 0 || at % 4 == 0) {
        try {
          word = system_.port_read(at & ~3u);
        } catch (const Error&) {
          return false;
        }
      }
      bytes[i] = static_cast<std::uint8_t>(word >> (8 * (at % 4)));
    }
    return true;
  }

  bool write(std::uint32_t address, std::span<const std::uint8_t> bytes) override {
    if (!system_.exists(address, bytes.size())) return false;
    if (blocked_ && system_.in_tcdm(address, bytes.size())) return false;
    system_.write(address, bytes);
    system_.core_.flush_instruction_cache();
    return true;
  }

  std::uint64_t cycles() const override { return system_.cluster_.cycles(); }
  std::string describe_units() const override {
    return debug::format_units(debug::describe_units(system_.view()));
  }

 private:
  ClusterSystem& system_;
  bool blocked_;
};

// Holds the core if the debugger wants it, and once it stands, gives the machine to the debugger. Afterwards
// the cluster is at the beginning of a core cycle. Call at the end of one, before the clock edge.
ClusterSystem::Served ClusterSystem::serve_debugger(debug::Debugger& debugger) {
  const bool wanted = debugger.wants_stop();
  if (wanted && held_since_ == 0) {
    held_since_ = cluster_.cycles();
    core_.hold(true);
  }
  const bool blocked = wanted && !core_.quiet() &&
                       cluster_.cycles() - held_since_ >= kPatienceCoreCycles * parameters_.core_clock_ratio;
  if (!core_.quiet() && !blocked) return Served::kNot;
  // The edge of the cycle whose outputs everybody has seen.
  cluster_.cycle();
  DebugTarget target(*this);
  if (!blocked) data_port_ = DataPort::kHarnessHeld;
  const auto resume = debugger.stopped(target);
  data_port_ = DataPort::kCore;
  if (!blocked) drive_core_data();
  cluster_.drive(inputs_);
  held_since_ = 0;
  core_.hold(false);
  while (!cluster_.core_tick()) cluster_.cycle();
  return resume == debug::Debugger::Resume::kKill ? Served::kKill : Served::kRun;
}

std::optional<ClusterCounters> ClusterSystem::read_counters() {
  // Stops them, where the program has not ended.
  if (!try_port(regs::kControlBase + regs::control::kPerfControlOffset, true, 0xF,
                1u << regs::control::kPerfControlFreezeLsb)) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> values;
  for (const std::uint32_t offset : counter_offsets(parameters_.ntx, parameters_.tcdm_banks)) {
    values.push_back(port_read(regs::kCountersBase + offset));
  }
  counters_.sample(values);
  return to_counters(counters_.totals(), parameters_.ntx, parameters_.tcdm_banks);
}

AddressMap ClusterSystem::address_map() const {
  return {.tcdm_bytes = parameters_.tcdm_bytes, .cube_bytes = memory_.capacity(), .ntx = parameters_.ntx};
}

std::vector<std::string> ClusterSystem::read_faults() {
  namespace n = regs::ntx;
  namespace d = regs::dma;
  std::vector<std::string> faults;
  const auto dma = [this](std::uint32_t offset) { return port_read(regs::kDmaBase + offset); };
  if ((dma(d::kStatusOffset) >> d::kStatusErrorLsb & 1) != 0) {
    faults.push_back(describe_dma_fault(
        {.id = dma(d::kErrorIdOffset),
         .address = std::uint64_t{dma(d::kErrorAddrHiOffset)} << 32 | dma(d::kErrorAddrLoOffset),
         .cause = dma(d::kErrorCauseOffset)},
        address_map()));
  }
  for (unsigned unit = 0; unit < parameters_.ntx; ++unit) {
    const auto ntx = [&](std::uint32_t offset) {
      return port_read(static_cast<std::uint32_t>(regs::kNtxBase + regs::kNtxSize / 8 * unit) + offset);
    };
    if ((ntx(n::kStatusOffset) >> n::kStatusInvalidLsb & 1) == 0) continue;
    NtxFault fault{.unit = unit, .cause = ntx(n::kErrorCauseOffset), .value = ntx(n::kErrorAddrOffset)};
    fault.dropped = ntx(n::kDroppedOffset);
    const std::uint32_t agu = fault.cause >> n::kErrorCauseAguLsb & ((1u << n::kErrorCauseAguWidth) - 1);
    const std::uint32_t stride0 = n::kAgu0StrideOffset + agu * (n::kAgu1BaseOffset - n::kAgu0BaseOffset);
    for (unsigned j = 0; j < n::kAgu0StrideCount; ++j) fault.strides.push_back(ntx(stride0 + 4 * j));
    faults.push_back(describe_ntx_fault(fault, address_map()) + describe_commands(unit, cluster_.debug()));
  }
  return faults;
}

debug::ClusterView ClusterSystem::view() const {
  const rtl::ClusterDebug words = cluster_.debug();
  const riscv::CoreStatus status = core_.status();
  debug::ClusterView view;
  view.dma = words.dma;
  view.core = words.core;
  view.ntx.assign(words.ntx.begin(), words.ntx.begin() + parameters_.ntx);
  view.core_place = place(status.pc);
  view.core_wait = riscv::describe(status.wait);
  if (status.wait == riscv::CoreWait::kDataGrant || status.wait == riscv::CoreWait::kDataAnswer ||
      status.wait == riscv::CoreWait::kInstructionGrant || status.wait == riscv::CoreWait::kInstructionData) {
    view.core_address = status.wait_address;
  }
  view.core_asleep = status.sleeping;
  view.core_ended = core_.halted();
  view.memory = axi_->describe();
  return view;
}

std::string ClusterSystem::describe_trap() const {
  const riscv::Trap& trap = core_.trap();
  const bool bus_error = trap.cause == riscv::cause::kInstructionAccessFault ||
                         trap.cause == riscv::cause::kLoadAccessFault ||
                         trap.cause == riscv::cause::kStoreAccessFault;
  return fmt::format("uncaught exception: {} (mcause {}) at pc {}, {} {:#010x}{}",
                     riscv::describe_cause(trap.cause), trap.cause, place(trap.pc),
                     trap.cause == riscv::cause::kIllegalInstruction ? "instruction" : "address", trap.value,
                     bus_error ? ": " + describe_bus_error(trap.value, address_map()) : "");
}

RunResult ClusterSystem::run(const RunLimits& limits) {
  if (ran_) throw base::error(ExitStatus::kOther, "a cluster system runs once");
  ran_ = true;
  const std::uint64_t max_cycles = limits.max_cycles != 0 ? limits.max_cycles : config_.max_cycles;
  axi_ = std::make_unique<memory::AxiMemory>(memory_, config_.timing);
  core_.reset(entry_);
  inputs_ = rtl::ClusterInputs();
  inputs_.axi = axi_->outputs();
  drive_core_data();
  drive_core_instructions();
  data_port_ = DataPort::kCore;
  cluster_.reset(inputs_);
  if (trace_) cluster_.start_trace(*trace_);
  riscv::Observers observers;
  if (limits.debugger != nullptr) observers.add(*limits.debugger);
  if (instruction_trace_) observers.add(*instruction_trace_);
  core_.observe(observers.any());

  RunResult result;
  auto start = Clock::now();
  auto last_report = start;
  std::array<std::uint64_t, 256> phase_cycles{};
  std::vector<std::uint8_t> phase_order;
  std::uint8_t phase = 0;
  std::uint64_t phase_start = 0;
  std::uint64_t last_progress = 0;
  std::uint64_t last_active = 0;
  std::uint64_t ticks = 0;
  std::uint64_t last_sample = 0;
  const auto leave_phase = [&](std::uint64_t now) {
    if (now == phase_start) return;
    if (phase_cycles[phase] == 0) phase_order.push_back(phase);
    phase_cycles[phase] += now - phase_start;
    if (timeline_) timeline_->phase(phase, phase_start, now);
    phase_start = now;
  };

  for (;;) {
    if (command_trace_) command_trace_->observe(cluster_.cycles(), cluster_.debug());
    if (cluster_.core_tick()) {
      const rtl::ClusterOutputs out = cluster_.sample();
      const std::uint64_t now = cluster_.cycles();
      // What the last core cycle's edge wrote holds since then, and is seen now.
      const std::uint64_t written = now - std::min<std::uint64_t>(now, parameters_.core_clock_ratio - 1);
      if (out.phase != phase) {
        leave_phase(written);
        phase = out.phase;
      }
      if (out.exit_valid) {
        result.end = End::kExit;
        result.cycles = written;
        result.exit_code = out.exit_code;
        if (command_trace_) command_trace_->end(written);
        break;
      }
      if (command_trace_) command_trace_->settle();
      if (instruction_trace_) instruction_trace_->at(now);
      if (clears_counters(inputs_, out)) counters_.clear();
      tick(out);
      if (timeline_) timeline_->core(core_.counters(), now + 1);
      if (limits.debugger != nullptr) {
        const auto halted = Clock::now();
        const Served served = serve_debugger(*limits.debugger);
        if (served == Served::kKill) {
          result.end = End::kKilled;
          break;
        }
        if (served == Served::kRun) {
          start += Clock::now() - halted;
          last_progress = now;
          if (base::interrupted()) {
            result.end = End::kInterrupted;
            break;
          }
          if (!core_.halted()) continue;
        }
      }
      if (core_.halted()) {
        result.end = End::kUncaught;
        break;
      }
      const std::uint64_t active = core_.counters().active;
      if (axi_moved_ || active != last_active) {
        last_active = active;
        last_progress = now;
      } else {
        const rtl::ClusterDebug words = cluster_.debug();
        if (axi_->time_helps() || debug::units_move(words.dma, words.ntx.data(), words.ntx.size()) ||
            timer_will_wake(max_cycles)) {
          last_progress = now;
        } else if (now - last_progress >= config_.watchdog_cycles) {
          result.end = End::kStuck;
          break;
        }
      }
      if (now >= max_cycles) {
        result.end = End::kMaxCycles;
        break;
      }
      if (++ticks % kClockInterval == 0) {
        if (now - last_sample >= limits.counter_interval) {
          last_sample = now;
          sample_counters();
        }
        if (base::interrupted()) {
          result.end = End::kInterrupted;
          break;
        }
        if (limits.progress && Clock::now() - last_report > std::chrono::milliseconds(100)) {
          last_report = Clock::now();
          limits.progress(now);
        }
      }
    }
    cluster_.cycle();
  }

  cluster_.stop_trace();
  core_.observe(nullptr);
  if (result.end != End::kExit) {
    result.cycles = cluster_.cycles();
    // Everybody has seen this cycle's outputs; its edge must follow before they see any again.
    cluster_.cycle();
  }
  result.host_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.core = core_.counters();
  leave_phase(result.cycles);
  if (timeline_) timeline_->end(result.cycles);
  for (const std::uint8_t visited : phase_order) result.phases.push_back({visited, phase_cycles[visited]});

  switch (result.end) {
    case End::kExit:
      break;
    case End::kUncaught:
      result.message = fmt::format("{}\n{}", describe_trap(), history(true));
      break;
    case End::kMaxCycles:
      result.message =
          fmt::format("the limit of {} cycles (--max-cycles) was reached without an end of the program",
                      base::with_separators(max_cycles));
      break;
    case End::kStuck:
      result.message = fmt::format("stuck: no instruction, NTX step, DMA or AXI transfer for {} cycles",
                                   base::with_separators(config_.watchdog_cycles));
      break;
    case End::kKilled:
      result.message =
          fmt::format("killed by the debugger after {} cycles", base::with_separators(result.cycles));
      break;
    case End::kInterrupted:
      result.message = fmt::format("interrupted after {} cycles", base::with_separators(result.cycles));
      break;
  }
  // Before anything moves on.
  debug::ClusterView state = view();
  const rtl::ClusterDebug words = cluster_.debug();
  const bool quiet = quiesce();
  if (result.end != End::kExit && result.end != End::kUncaught && result.end != End::kKilled) {
    // A sleeping core leaves its port to us.
    if (quiet && state.core_asleep) {
      state.event_mask = try_port(regs::kControlBase + regs::control::kEventMaskOffset, false, 0xF, 0);
      state.event_status = try_port(regs::kControlBase + regs::control::kEventStatusOffset, false, 0xF, 0);
    }
    result.message += fmt::format("\n{}", debug::format_units(debug::describe_units(state)));
    result.message.pop_back();
    for (unsigned unit = 0; unit < parameters_.ntx; ++unit) {
      constexpr std::uint32_t kBusy = 1u << regs::ntx::kDebugActiveLsb | 1u << regs::ntx::kDebugStagedLsb;
      if ((words.ntx[unit] & kBusy) != 0) result.message += describe_commands(unit, words);
    }
    result.message += fmt::format("\n{}", history(false));
  }
  if (quiet) {
    result.counters = read_counters();
    result.faults = read_faults();
  } else {
    // Something holds the core's port for long: the counters are read past it, while they go on.
    sample_counters();
    result.counters = to_counters(counters_.totals(), parameters_.ntx, parameters_.tcdm_banks);
    result.counters_exact = false;
  }
  if (limits.debugger != nullptr) {
    core_.observe(nullptr);
    const bool exited = result.end == End::kExit;
    limits.debugger->ended(static_cast<std::uint8_t>(
        exited ? result.exit_code : static_cast<std::uint32_t>(ExitStatus::kOther)));
  }
  return result;
}

bool ClusterSystem::finish_trace() { return cluster_.finish_trace(); }

}  // namespace nearcube::system
