// SPDX-License-Identifier: Apache-2.0
// How the harness gets at a cluster that does not run: through the core's data port.
#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/error.h"
#include "sim/system/cluster_node.h"

namespace nearcube::system {
namespace {

namespace regs = interfaces;

// Core cycles, besides those that the memory takes its time, that an access of the harness may take: less
// than a user's patience.
constexpr std::uint64_t kPatienceCoreCycles = 100'000;

}  // namespace

bool ClusterNode::in_tcdm(std::uint64_t address, std::uint64_t bytes) const {
  return address >= regs::kTcdmBase && bytes <= parameters().tcdm_bytes &&
         address - regs::kTcdmBase <= parameters().tcdm_bytes - bytes;
}

void ClusterNode::write_tcdm(std::uint64_t address, std::span<const std::uint8_t> bytes) {
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

void ClusterNode::read_tcdm(std::uint64_t address, std::span<std::uint8_t> bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(address + i);
    if (i == 0 || at % 4 == 0) word = port_read(at & ~3u);
    bytes[i] = static_cast<std::uint8_t>(word >> (8 * (at % 4)));
  }
}

// One core cycle.
void ClusterNode::step() {
  while (!cluster_.core_tick()) cluster_.cycle();
  tick(cluster_.sample());
  cluster_.cycle();
}

// An access on the core's data port; nothing if it is not granted or answered in time. Throws on a bus error.
std::optional<std::uint32_t> ClusterNode::try_port(std::uint32_t address, bool write, std::uint8_t enables,
                                                   std::uint32_t data) {
  inputs_.data_req = true;
  inputs_.data_we = write;
  inputs_.data_be = enables;
  inputs_.data_addr = address;
  inputs_.data_wdata = data;
  // The request is on the port from the next core cycle on.
  step();
  bool granted = false;
  for (std::uint64_t cycle = 0; cycle < kPatienceCoreCycles; cycle += port_.time_helps() ? 0 : 1) {
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

std::uint32_t ClusterNode::port_read(std::uint32_t address) {
  const auto value = try_port(address, false, 0xF, 0);
  if (!value) throw base::error(ExitStatus::kStuck, "the cluster does not answer a read of {:#x}", address);
  return *value;
}

void ClusterNode::port_write(std::uint32_t address, std::uint8_t enables, std::uint32_t data) {
  if (!try_port(address, true, enables, data)) {
    throw base::error(ExitStatus::kStuck, "the cluster does not answer a write of {:#x}", address);
  }
}

void ClusterNode::check_parameters() {
  const auto control = [this](std::uint32_t offset) { return port_read(regs::kControlBase + offset); };
  ClusterParameters built = config_.cluster;
  built.ntx = control(regs::control::kNtxCountOffset);
  built.core_clock_ratio = control(regs::control::kClockRatioOffset);
  built.tcdm_bytes = control(regs::control::kTcdmBytesOffset);
  built.tcdm_banks = control(regs::control::kTcdmBanksOffset);
  const std::uint32_t ident = port_read(regs::kNtxBase + regs::ntx::kIdentOffset);
  built.accumulator_segments =
      ident >> regs::ntx::kIdentAccSegmentsLsb & ((1u << regs::ntx::kIdentAccSegmentsWidth) - 1);
  built.accumulator_lsb = static_cast<std::int16_t>(ident >> regs::ntx::kIdentAccLsbLsb);

  const auto compare = [this](const char* key, auto wanted, auto found) {
    if (wanted != found) {
      bad_input("{}: key cluster.{}: {} does not fit the RTL, which was built with {}", config_.file, key,
                wanted, found);
    }
  };
  const ClusterParameters& wanted = config_.cluster;
  compare("ntx", wanted.ntx, built.ntx);
  compare("tcdm_bytes", wanted.tcdm_bytes, built.tcdm_bytes);
  compare("tcdm_banks", wanted.tcdm_banks, built.tcdm_banks);
  compare("core_clock_ratio", wanted.core_clock_ratio, built.core_clock_ratio);
  compare("accumulator_lsb", wanted.accumulator_lsb, built.accumulator_lsb);
  compare("accumulator_segments", wanted.accumulator_segments, built.accumulator_segments);
}

/// The machine as a debugger sees it, while the core is held.
class ClusterNode::DebugTarget final : public debug::Target {
 public:
  explicit DebugTarget(ClusterNode& node) : node_(node), blocked_(!node.core_.quiet()) {}

  bool blocked() const override { return blocked_; }
  std::uint32_t pc() const override { return node_.core_.pc(); }
  void set_pc(std::uint32_t value) override { node_.core_.set_pc(value); }
  std::uint32_t x(unsigned index) const override { return node_.core_.x(index); }
  void set_x(unsigned index, std::uint32_t value) override { node_.core_.set_x(index, value); }
  std::optional<std::uint32_t> csr(std::uint32_t number) const override {
    return node_.core_.csr().read(number);
  }
  bool set_csr(std::uint32_t number, std::uint32_t value) override {
    return node_.core_.csr().write(number, value);
  }

  bool read(std::uint32_t address, std::span<std::uint8_t> bytes) override {
    if (node_.memory_.contains(address, bytes.size())) {
      node_.memory_.read(address, bytes);
      return node_.protection_ == nullptr || node_.protection_->host_read(address, bytes);
    }
    if (node_.in_tcdm(address, bytes.size())) {
      if (!blocked_) node_.read_tcdm(address, bytes);
      return !blocked_;
    }
    // Registers, of which none changes by being read.
    const std::uint64_t end = std::uint64_t{address} + bytes.size();
    if (blocked_ || address < regs::kControlBase || end > regs::kNtxBase + regs::kNtxSize) return false;
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(address + i);
      if (i == 0 || at % 4 == 0) {
        try {
          word = node_.port_read(at & ~3u);
        } catch (const Error&) {
          return false;
        }
      }
      bytes[i] = static_cast<std::uint8_t>(word >> (8 * (at % 4)));
    }
    return true;
  }

  bool write(std::uint32_t address, std::span<const std::uint8_t> bytes) override {
    if (node_.memory_.contains(address, bytes.size())) {
      node_.memory_.write(address, bytes);
      if (node_.protection_ != nullptr) node_.protection_->host_wrote(address, bytes.size());
    } else if (!blocked_ && node_.in_tcdm(address, bytes.size())) {
      node_.write_tcdm(address, bytes);
    } else {
      return false;
    }
    node_.core_.flush_instruction_cache();
    return true;
  }

  std::uint64_t cycles() const override { return node_.cluster_.cycles(); }
  std::string describe_units() const override {
    return debug::format_units(debug::describe_units(node_.view()));
  }

 private:
  ClusterNode& node_;
  bool blocked_;
};

// Holds the core if the debugger wants it, and once it stands, gives the machine to the debugger_->
// Afterwards the cluster is at the beginning of a core cycle. Call at the end of one, before the clock edge.
ClusterNode::Served ClusterNode::serve_debugger() {
  const bool wanted = debugger_->wants_stop();
  if (wanted && held_since_ == 0) {
    held_since_ = cluster_.cycles();
    core_.hold(true);
  }
  const bool blocked = wanted && !core_.quiet() &&
                       cluster_.cycles() - held_since_ >= kPatienceCoreCycles * parameters().core_clock_ratio;
  if (!core_.quiet() && !blocked) return Served::kNot;
  // The edge of the cycle whose outputs everybody has seen.
  cluster_.cycle();
  DebugTarget target(*this);
  if (!blocked) data_port_ = DataPort::kHarnessHeld;
  const auto resume = debugger_->stopped(target);
  data_port_ = DataPort::kCore;
  if (!blocked) drive_core_data();
  cluster_.drive(inputs_);
  held_since_ = 0;
  core_.hold(false);
  while (!cluster_.core_tick()) cluster_.cycle();
  return resume == debug::Debugger::Resume::kKill ? Served::kKill : Served::kRun;
}

std::optional<ClusterCounters> ClusterNode::read_counters() {
  // Stops them, where the program has not ended.
  if (!try_port(regs::kControlBase + regs::control::kPerfControlOffset, true, 0xF,
                1u << regs::control::kPerfControlFreezeLsb)) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> values;
  for (const std::uint32_t offset : counter_offsets(parameters().ntx, parameters().tcdm_banks)) {
    values.push_back(port_read(regs::kCountersBase + offset));
  }
  counters_.sample(values);
  return to_counters(counters_.totals(), parameters().ntx, parameters().tcdm_banks);
}

std::vector<std::string> ClusterNode::read_faults() {
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
  for (unsigned unit = 0; unit < parameters().ntx; ++unit) {
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

}  // namespace nearcube::system
