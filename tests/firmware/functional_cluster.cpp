// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/functional_cluster.h"

#include <algorithm>
#include <cstring>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::test {
namespace {

namespace control_block = interfaces::control;
namespace dma_block = interfaces::dma;
namespace ntx_block = interfaces::ntx;

constexpr std::uint32_t kTcdm = static_cast<std::uint32_t>(interfaces::kTcdmBase);
constexpr std::uint32_t kCube = static_cast<std::uint32_t>(interfaces::kCubeBase);
constexpr unsigned kMostTransfers = 8;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

constexpr bool within(std::uint32_t address, std::uint64_t base, std::uint64_t size) {
  return address >= base && address < base + size;
}

}  // namespace

FunctionalCluster::FunctionalCluster(std::uint64_t seed) : random_(seed), hart_(0, memory_) {
  memory_.add_region(kTcdm, kTcdmBytes, false);
  memory_.add_region(kCube, kMemoryBytes, true);
  memory_.set_device([this](std::uint32_t address, bool write, std::uint8_t lanes, std::uint32_t& data) {
    return device(address, write, lanes, data);
  });
  // What nobody wrote is a NaN that nobody computes.
  const std::vector<std::uint8_t> poison(kTcdmBytes, 0xFF);
  memory_.write(kTcdm, poison);
}

void FunctionalCluster::load(const riscv::ElfFile& file) {
  memory_.load(file);
  hart_.reset(file.entry());
}

void FunctionalCluster::write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  memory_.write(static_cast<std::uint32_t>(address), bytes);
}

std::vector<std::uint8_t> FunctionalCluster::read(std::uint64_t address, std::uint64_t bytes) const {
  const auto view = memory_.read(static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(bytes));
  return {view.begin(), view.end()};
}

FunctionalCluster::Result FunctionalCluster::run(std::uint64_t max_instructions) {
  constexpr std::uint64_t slice = 16;  // instructions between looks at the clock
  while (!result_.exited && hart_.instructions() < max_instructions) {
    process();
    update_lines();
    const riscv::Stop stop = hart_.run(slice);
    if (stop == riscv::Stop::kHalted) break;
    if (stop == riscv::Stop::kAsleep) {
      if (next_event() == kNever) break;
      now_ = std::max(now_, next_event());
    } else {
      now_ += slice;
    }
  }
  return result_;
}

std::uint64_t FunctionalCluster::next_event() const {
  std::uint64_t next = kNever;
  for (const Transfer& t : transfers_)
    if (!t.complete) next = std::min(next, t.end);
  for (const Unit& unit : units_)
    if (unit.active) next = std::min(next, unit.active->end);
  return next;
}

/// Lets everything happen that is due.
void FunctionalCluster::process() {
  for (Transfer& t : transfers_) {
    if (t.complete || t.end > now_) continue;
    move(t);
    t.complete = true;
    sticky_ |= 1u << control_block::kEventStatusDmaDoneLsb;
  }
  while (!transfers_.empty() && transfers_.front().complete) {
    completed_ = transfers_.front().id;
    transfers_.pop_front();
  }
  for (Unit& unit : units_)
    while (unit.active && unit.active->end <= now_) finish(unit);
}

/// A stalled access: time passes until something happens. False if nothing ever will.
bool FunctionalCluster::step_time(std::uint64_t until) {
  if (until == kNever) return false;
  now_ = std::max(now_, until);
  process();
  return true;
}

std::uint32_t FunctionalCluster::events() const {
  std::uint32_t lines = sticky_;
  for (std::size_t n = 0; n < units_.size(); ++n)
    if (units_[n].irq != 0) lines |= 1u << n;
  return lines;
}

void FunctionalCluster::update_lines() { hart_.set_lines((events() & mask_) != 0, false); }

riscv::Access FunctionalCluster::device(std::uint32_t address, bool write, std::uint8_t lanes,
                                        std::uint32_t& data) {
  if (lanes != 0xF) return riscv::Access::kFault;
  now_ += 1 + random_.below(3);
  process();
  bool good = false;
  if (within(address, interfaces::kControlBase, interfaces::kControlSize))
    good = control(address - static_cast<std::uint32_t>(interfaces::kControlBase), write, data);
  else if (within(address, interfaces::kDmaBase, interfaces::kDmaSize))
    good = dma(address - static_cast<std::uint32_t>(interfaces::kDmaBase), write, data);
  else if (within(address, interfaces::kNtxBase, interfaces::kNtxSize + interfaces::kNtxBroadcastSize))
    good = ntx(address - static_cast<std::uint32_t>(interfaces::kNtxBase), write, data);
  if (!good) return riscv::Access::kFault;
  update_lines();
  return result_.exited ? riscv::Access::kStop : riscv::Access::kDevice;
}

bool FunctionalCluster::control(std::uint32_t offset, bool write, std::uint32_t& data) {
  if (!write) {
    switch (offset) {
      case control_block::kClusterIdOffset:
        data = 0;
        return true;
      case control_block::kClusterCountOffset:
        data = 1;
        return true;
      case control_block::kNtxCountOffset:
        data = 8;
        return true;
      case control_block::kClockRatioOffset:
        data = 2;
        return true;
      case control_block::kTcdmBytesOffset:
        data = kTcdmBytes;
        return true;
      case control_block::kTcdmBanksOffset:
        data = 64;
        return true;
      case control_block::kCycleLoOffset:
        data = static_cast<std::uint32_t>(2 * now_);
        return true;
      case control_block::kCycleHiOffset:
        data = static_cast<std::uint32_t>(2 * now_ >> 32);
        return true;
      case control_block::kEventStatusOffset:
        data = events();
        return true;
      case control_block::kEventMaskOffset:
        data = mask_;
        return true;
      case control_block::kPhaseOffset:
        data = phase_;
        return true;
      default:
        return false;
    }
  }
  switch (offset) {
    case control_block::kBarrierOffset:
      sticky_ |= 1u << control_block::kEventStatusBarrierLsb;
      return true;
    case control_block::kEventMaskOffset:
      mask_ = data;
      return true;
    case control_block::kEventClearOffset:
      sticky_ &= ~data;
      return true;
    case control_block::kExitOffset:
      result_.exited = true;
      result_.exit_code = data;
      return true;
    case control_block::kCharOutOffset:
      result_.output += static_cast<char>(data);
      return true;
    case control_block::kPhaseOffset:
      phase_ = data;
      return true;
    default:
      return false;
  }
}

bool FunctionalCluster::dma(std::uint32_t offset, bool write, std::uint32_t& data) {
  if (offset <= dma_block::kFillOffset) {
    std::uint32_t& reg = shape_[offset / 4];
    if (write) reg = data;
    data = reg;
    return true;
  }
  switch (offset) {
    case dma_block::kStartOffset:
      if (!write) return false;
      start_transfer((data & 1u) != 0);
      return true;
    case dma_block::kStartedIdOffset:
      data = started_;
      return !write;
    case dma_block::kCompletedIdOffset:
      data = completed_;
      return !write;
    case dma_block::kStatusOffset:
      data = static_cast<std::uint32_t>(transfers_.size()) | std::uint32_t{dma_failed_}
                                                                 << dma_block::kStatusErrorLsb;
      return !write;
    case dma_block::kErrorIdOffset:
      data = dma_error_id_;
      return !write;
    case dma_block::kErrorAddrLoOffset:
      data = static_cast<std::uint32_t>(dma_error_address_);
      return !write;
    case dma_block::kErrorAddrHiOffset:
      data = static_cast<std::uint32_t>(dma_error_address_ >> 32);
      return !write;
    case dma_block::kErrorCauseOffset:
      data = dma_error_cause_;
      return !write;
    case dma_block::kErrorClearOffset:
      dma_failed_ = false;
      return write;
    default:
      return false;
  }
}

void FunctionalCluster::start_transfer(bool fill) {
  while (transfers_.size() >= kMostTransfers) step_time(next_event());
  const auto reg = [&](std::uint32_t offset) { return shape_[offset / 4]; };
  const auto pair = [&](std::uint32_t low) { return std::uint64_t{reg(low + 4)} << 32 | reg(low); };
  Transfer t{};
  t.id = ++started_;
  t.source = pair(dma_block::kSrcLoOffset);
  t.destination = pair(dma_block::kDstLoOffset);
  t.bytes = reg(dma_block::kBytesOffset);
  t.rows = reg(dma_block::kCount1Offset);
  t.planes = reg(dma_block::kCount2Offset);
  t.source_row = static_cast<std::int32_t>(reg(dma_block::kSrcStride1Offset));
  t.destination_row = static_cast<std::int32_t>(reg(dma_block::kDstStride1Offset));
  t.source_plane = static_cast<std::int32_t>(reg(dma_block::kSrcStride2Offset));
  t.destination_plane = static_cast<std::int32_t>(reg(dma_block::kDstStride2Offset));
  if (fill) t.fill = reg(dma_block::kFillOffset);
  t.end = now_ + 1 + random_.below(random_.below(4) == 0 ? 20000 : 500);
  if (random_.below(2) == 0) move(t);
  transfers_.push_back(t);
  ++result_.transfers;
}

bool FunctionalCluster::holds(std::uint64_t address, std::uint64_t bytes) const {
  const auto inside = [&](std::uint64_t base, std::uint64_t size) {
    return address >= base && bytes <= size && address - base <= size - bytes;
  };
  return inside(kTcdm, kTcdmBytes) || inside(kCube, kMemoryBytes);
}

void FunctionalCluster::dma_error(const Transfer& t, std::uint32_t cause, std::uint64_t address) {
  sticky_ |= 1u << control_block::kEventStatusDmaErrorLsb;
  if (dma_failed_) return;
  dma_failed_ = true;
  dma_error_id_ = t.id;
  dma_error_cause_ = address < kCube ? dma_block::kErrorCauseCauseNoSuchAddress : cause;
  dma_error_address_ = address;
}

bool FunctionalCluster::copy_row(const Transfer& t, std::uint64_t from, std::uint64_t to) {
  if (!t.fill && !holds(from, t.bytes)) {
    dma_error(t, dma_block::kErrorCauseCauseBusRead, from);
    return false;
  }
  if (!holds(to, t.bytes)) {
    dma_error(t, dma_block::kErrorCauseCauseBusWrite, to);
    return false;
  }
  std::vector<std::uint8_t> row(t.bytes);
  if (t.fill) {
    for (std::uint32_t i = 0; i < t.bytes; ++i)
      row[i] = static_cast<std::uint8_t>(*t.fill >> (8 * ((to + i) % 4)));
  } else {
    row = read(from, t.bytes);
  }
  write(to, row);
  return true;
}

void FunctionalCluster::move(Transfer& t) {
  if (t.moved || t.bytes == 0) return;
  t.moved = true;
  for (std::uint32_t plane = 0; plane < t.planes; ++plane) {
    for (std::uint32_t row = 0; row < t.rows; ++row) {
      const auto step = [&](std::uint64_t start, std::int32_t row_step, std::int32_t plane_step) {
        return start +
               static_cast<std::uint64_t>(std::int64_t{row} * row_step + std::int64_t{plane} * plane_step);
      };
      if (!copy_row(t, step(t.source, t.source_row, t.source_plane),
                    step(t.destination, t.destination_row, t.destination_plane)))
        return;
    }
  }
}

bool FunctionalCluster::ntx(std::uint32_t offset, bool write, std::uint32_t& data) {
  constexpr std::uint32_t unit_bytes = 0x80;
  const std::uint32_t word = offset % unit_bytes / 4;
  if (offset >= interfaces::kNtxSize) {  // broadcast
    if (!write || offset >= interfaces::kNtxSize + interfaces::kNtxBroadcastSize) return false;
    for (Unit& unit : units_) write_unit(unit, word, data);
    return true;
  }
  Unit& unit = units_[offset / unit_bytes];
  if (write) {
    write_unit(unit, word, data);
    return true;
  }
  switch (word * 4) {
    case ntx_block::kStatusOffset: {
      const bool busy = unit.active.has_value();
      data = (busy ? 0u : 7u) | std::uint32_t{unit.invalid} << ntx_block::kStatusInvalidLsb |
             std::uint32_t{unit.staged.has_value()} << ntx_block::kStatusStagedLsb;
      return true;
    }
    case ntx_block::kIrqOffset:
      data = unit.irq;
      return true;
    case ntx_block::kIdentOffset:
      data = 19u | (static_cast<std::uint32_t>(-298) & 0xFFFFu) << 8 | 1u << 24;
      return true;
    case ntx_block::kErrorCauseOffset:
      data = unit.error_cause;
      return true;
    case ntx_block::kErrorAddrOffset:
      data = unit.error_address;
      return true;
    default:
      data = unit.registers[word];
      return true;
  }
}

/// Time that a command takes: now and then one unit falls far behind the others.
std::uint64_t FunctionalCluster::duration() {
  return 1 + random_.below(random_.below(8) == 0 ? 30000 : 2000);
}

void FunctionalCluster::write_unit(Unit& unit, std::uint32_t word, std::uint32_t data) {
  const std::uint32_t offset = word * 4;
  if (offset == ntx_block::kIrqOffset) {
    unit.irq &= ~data;
    // Completions like to come between a clear and the look at the status that follows it.
    if (unit.active && random_.below(8) == 0) unit.active->end = now_ + 1;
    return;
  }
  if (offset == ntx_block::kCtrlOffset) return;
  while (unit.staged) step_time(unit.active->end);  // a write to a pending staging area stalls
  unit.registers[word] = data;
  if (offset != ntx_block::kCmdOffset || unit.invalid) return;

  golden::Command command;
  command.cmd = unit.refuse_next ? 0xFFFF'FFFF : data;
  unit.refuse_next = false;
  for (std::size_t k = 0; k < 5; ++k) command.loops[k] = unit.registers[ntx_block::kLoopOffset / 4 + k];
  constexpr std::size_t agu0 = ntx_block::kAgu0BaseOffset / 4;
  for (std::size_t agu = 0; agu < 3; ++agu) {
    command.base[agu] = unit.registers[agu0 + 6 * agu];
    for (std::size_t k = 0; k < 5; ++k)
      command.stride[agu][k] = static_cast<std::int32_t>(unit.registers[agu0 + 6 * agu + 1 + k]);
  }
  Unit::Running running{command, 0};
  if (!unit.active) {
    running.end = now_ + duration();
    if (random_.below(2) == 0) apply(unit, running);
    unit.active = running;
    return;
  }
  // With overlap, nothing but the order of completion is promised.
  if (golden::decode(data).overlap && random_.below(2) == 0) apply(unit, running);
  unit.staged = running;
}

void FunctionalCluster::apply(Unit& unit, Unit::Running& running) {
  if (running.applied) return;
  running.applied = true;
  std::vector<std::uint32_t> tcdm(kTcdmBytes / 4);
  const auto bytes = memory_.read(kTcdm, kTcdmBytes);
  std::memcpy(tcdm.data(), bytes.data(), kTcdmBytes);
  const golden::Outcome outcome = golden::run(running.command, tcdm);
  if (outcome.cause != golden::Cause::kNone || outcome.hazard) {
    unit.invalid = true;
    unit.error_cause = static_cast<std::uint32_t>(outcome.cause) | outcome.error_agu << 8;
    unit.error_address = outcome.error_addr;
    unit.irq |= 2;
  }
  result_.macs += outcome.macs;
  for (const golden::Store& store : outcome.stores) {
    std::array<std::uint8_t, 4> word{};
    std::memcpy(word.data(), &store.value, 4);
    memory_.write(kTcdm + store.address, word);
  }
}

void FunctionalCluster::finish(Unit& unit) {
  apply(unit, *unit.active);
  ++result_.commands;
  const std::uint32_t irq = golden::decode(unit.active->command.cmd).irq;
  if (irq == 2) unit.irq |= 1;
  if (irq == 1) unit.irq |= 2;
  const std::uint64_t end = unit.active->end;
  unit.active = unit.staged;
  unit.staged.reset();
  if (!unit.active) return;
  unit.active->end = end + duration();
  if (random_.below(2) == 0) apply(unit, *unit.active);
}

}  // namespace nearcube::test
