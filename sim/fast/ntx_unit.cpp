// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/ntx_unit.h"

#include <algorithm>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/fast/address.h"

namespace nearcube::fast {
namespace {

namespace ntx = interfaces::ntx;

// Of the RTL, in NTX cycles, as build/tests/fast_time_test compares them: from a command's begin to its first
// step; what the accumulator takes from its last step to a result; from there to the last store's grant. An
// image moves when the accumulator is at rest, for which it waits before it is stored, and after it is read.
constexpr std::uint64_t kFill = 3;
constexpr std::uint64_t kAccumulate = 6;
constexpr std::uint64_t kDrain = 5;
constexpr std::uint64_t kImageCycles = exact::kImageWords / 2;
constexpr std::uint64_t kImageReadWait = 3;
constexpr std::uint64_t kImageStoreWait = 4;
constexpr std::uint32_t kVersion = 1;
constexpr int kAccumulatorLsb = -298;
constexpr std::uint32_t kMostDropped = 255;

bool is_staged(std::uint32_t offset) { return offset >= ntx::kLoopOffset && offset < ntx::kIdentOffset; }

}  // namespace

bool NtxUnit::grants(std::uint32_t offset, bool write) const {
  return !(pending_ && write && (offset == ntx::kCmdOffset || is_staged(offset)));
}

std::uint32_t NtxUnit::status() const {
  const auto bit = [](bool set, unsigned lsb) { return static_cast<std::uint32_t>(set) << lsb; };
  return bit(!pending_ && !active_, ntx::kStatusFifoEmptyLsb) |
         bit(!active_ && draining_.empty(), ntx::kStatusDatapathEmptyLsb) |
         bit(!active_, ntx::kStatusControllerIdleLsb) | bit(failed_, ntx::kStatusInvalidLsb) |
         bit(pending_, ntx::kStatusStagedLsb);
}

std::uint32_t NtxUnit::debug() const {
  const auto bit = [](bool set, unsigned lsb) { return static_cast<std::uint32_t>(set) << lsb; };
  return bit(active_, ntx::kDebugActiveLsb) | bit(doing_ == Doing::kStalled, ntx::kDebugWaitALsb) |
         bit(doing_ == Doing::kWaiting, ntx::kDebugWaitHazardLsb) |
         bit(doing_ == Doing::kLastStep && !outcome_.error, ntx::kDebugLastStepLsb) |
         bit(failed_, ntx::kDebugInvalidLsb) | bit(pending_, ntx::kDebugStagedLsb) |
         bit(active_ || !draining_.empty(), ntx::kDebugDatapathBusyLsb) |
         (active_ ? (cmd_ & 0xF) << ntx::kDebugOpcodeLsb : 0);
}

std::uint32_t NtxUnit::read(std::uint32_t offset, std::uint32_t priority) const {
  if (is_staged(offset)) return read_staged(staged_, offset, reach_of(tcdm_.size()));
  switch (offset) {
    case ntx::kStatusOffset:
      return status();
    case ntx::kCtrlOffset:
      return priority << ntx::kCtrlPriorityLsb;
    case ntx::kCmdOffset:
      return staged_.cmd;
    case ntx::kIrqOffset:
      return irq_;
    case ntx::kIdentOffset:
      return kVersion << ntx::kIdentVersionLsb |
             static_cast<std::uint32_t>(static_cast<std::uint16_t>(kAccumulatorLsb)) << ntx::kIdentAccLsbLsb |
             (exact::kImageWords - 1) << ntx::kIdentAccSegmentsLsb;
    case ntx::kErrorCauseOffset:
      return error_.cause << ntx::kErrorCauseCauseLsb | error_.agu << ntx::kErrorCauseAguLsb;
    case ntx::kErrorAddrOffset:
      return error_.address;
    case ntx::kDroppedOffset:
      return dropped_;
    default:
      return debug();
  }
}

void NtxUnit::write(std::uint32_t offset, std::uint32_t value) {
  if (is_staged(offset)) {
    write_staged(staged_, offset, value);
    return;
  }
  switch (offset) {
    case ntx::kCmdOffset:
      staged_.cmd = value;
      if (failed_) {
        dropped_ = std::min(dropped_ + 1, kMostDropped);
      } else {
        pending_ = true;
      }
      break;
    case ntx::kCtrlOffset:
      if ((value >> ntx::kCtrlSoftClearLsb & 1) != 0) {
        pending_ = active_ = failed_ = false;
        error_ = {};
        dropped_ = 0;
        draining_.clear();
      }
      break;
    case ntx::kIrqOffset:
      irq_ &= ~value;
      break;
    default:
      break;
  }
}

void NtxUnit::count() {
  switch (doing_) {
    case Doing::kNothing:
      ++counters_.idle;
      break;
    case Doing::kWaiting:
      ++counters_.stall_hazard;
      break;
    case Doing::kStalled:  // the ports need longer than the steps
      ++counters_.stall_a;
      break;
    default:
      ++counters_.busy;
      if (outcome_.products != 0) ++counters_.macs;
      break;
  }
}

void NtxUnit::advance(std::uint64_t now, bool counts) {
  while (!draining_.empty() && draining_.front().until <= now) {
    if (draining_.front().notifies) irq_ |= 1u << ntx::kIrqWritebackDoneLsb;
    if (counts) counters_.results += draining_.front().stores;
    draining_.pop_front();
  }
  if (active_ && now > last_step_) end(now, counts);
  if (pending_ && !active_) begin(now);
  if (!active_) {
    doing_ = Doing::kNothing;
  } else if (now < first_step_) {
    doing_ = Doing::kWaiting;
  } else {
    const std::uint64_t cycles = last_step_ - first_step_ + 1;
    credit_ += outcome_.steps;
    doing_ = credit_ < cycles ? Doing::kStalled : now == last_step_ ? Doing::kLastStep : Doing::kStep;
    if (credit_ >= cycles) credit_ -= cycles;
  }
}

void NtxUnit::begin(std::uint64_t now) {
  pending_ = false;
  const NtxOperation operation(staged_.cmd);
  const NtxError error = refusal(staged_, operation, reach_of(tcdm_.size()));
  if (error) {
    fail(error);
    return;
  }
  cmd_ = staged_.cmd;
  outcome_ = ntx_.run(staged_, tcdm_);
  const bool overlaps = (cmd_ >> ntx::kCmdOverlapLsb & 1) != 0;
  const std::uint64_t drained = draining_.empty() ? now : std::max(now, draining_.back().until);
  first_step_ = overlaps ? now : drained + kFill;
  const std::uint64_t steps = outcome_.steps + outcome_.images_read * (kImageCycles + kImageReadWait) +
                              outcome_.images_stored * (kImageCycles + kImageStoreWait);
  const std::uint64_t ports = (outcome_.reads + outcome_.stores + 1) / 2;
  last_step_ = first_step_ + std::max<std::uint64_t>({steps, ports, 1}) - 1;
  // Results of a command that the ports hold up are on their way meanwhile.
  const bool accumulates = operation.sums || operation.product || operation.maskmac;
  stored_ = first_step_ + std::max(steps + (accumulates ? kAccumulate : 0), ports) + kDrain;
  credit_ = 0;
  active_ = true;
}

void NtxUnit::end(std::uint64_t now, bool counts) {
  active_ = false;
  const auto irq = NtxOperation(cmd_).irq;
  draining_.push_back({std::max(now, stored_), static_cast<std::uint32_t>(outcome_.stores),
                       irq == ntx::kCmdIrqWritebackDone && !outcome_.error});
  if (outcome_.error) {
    if (pending_) {
      pending_ = false;
      ++dropped_;
    }
    fail(outcome_.error);
    return;
  }
  if (irq == ntx::kCmdIrqCommandDone) irq_ |= 1u << ntx::kIrqCommandDoneLsb;
  if (counts) ++counters_.commands;
}

void NtxUnit::fail(const NtxError& error) {
  failed_ = true;
  error_ = error;
  irq_ |= 1u << ntx::kIrqCommandDoneLsb;
}

}  // namespace nearcube::fast
