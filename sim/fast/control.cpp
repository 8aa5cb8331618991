// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/control.h"

#include <utility>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::fast {
namespace {

namespace control = interfaces::control;

constexpr std::uint32_t kEvents = (1u << (control::kEventMaskBarrierLsb + 1)) - 1;
constexpr std::uint32_t kSticky = 1u << control::kEventStatusDmaDoneLsb |
                                  1u << control::kEventStatusDmaErrorLsb |
                                  1u << control::kEventStatusBarrierLsb;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::optional<std::uint32_t> Control::read(std::uint32_t offset, std::uint64_t now) {
  switch (offset) {
    case control::kClusterIdOffset:
      return identity_.cluster_id;
    case control::kClusterCountOffset:
      return identity_.cluster_count;
    case control::kNtxCountOffset:
      return identity_.ntx_count;
    case control::kClockRatioOffset:
      return identity_.clock_ratio;
    case control::kTcdmBytesOffset:
      return identity_.tcdm_bytes;
    case control::kTcdmBanksOffset:
      return identity_.tcdm_banks;
    case control::kCycleLoOffset:
      cycle_hi_ = high(now);
      return low(now);
    case control::kCycleHiOffset:
      return cycle_hi_;
    case control::kBarrierOffset:
      return waits_;
    case control::kEventStatusOffset:
      return status();
    case control::kEventMaskOffset:
      return mask_;
    case control::kEventClearOffset:
      return sticky_;
    case control::kPhaseOffset:
      return phase_;
    case control::kPerfControlOffset:
      return static_cast<std::uint32_t>(freeze_) << control::kPerfControlFreezeLsb;
    case control::kMtimeLoOffset:
      mtime_hi_ = high(mtime_);
      return low(mtime_);
    case control::kMtimeHiOffset:
      return mtime_hi_;
    case control::kMtimecmpLoOffset:
      return low(mtimecmp_);
    case control::kMtimecmpHiOffset:
      return high(mtimecmp_);
    default:
      return std::nullopt;
  }
}

bool Control::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case control::kBarrierOffset:
      arriving_ = !waits_;
      return true;
    case control::kEventMaskOffset:
      mask_ = value & kEvents;
      return true;
    case control::kEventClearOffset:
      cleared_ = value & kSticky;
      return true;
    case control::kExitOffset:
      if (!exit_code_) exit_code_ = value;
      return true;
    case control::kCharOutOffset:
      character_ = static_cast<char>(value & 0xFF);
      return true;
    case control::kPhaseOffset:
      phase_ = static_cast<std::uint8_t>(value);
      return true;
    case control::kPerfControlOffset:
      freeze_ = (value >> control::kPerfControlFreezeLsb & 1) != 0;
      clear_ = (value >> control::kPerfControlClearLsb & 1) != 0;
      return true;
    case control::kMtimecmpLoOffset:
      mtimecmp_ = (mtimecmp_ & ~std::uint64_t{0xFFFF'FFFF}) | value;
      return true;
    case control::kMtimecmpHiOffset:
      mtimecmp_ = (mtimecmp_ & 0xFFFF'FFFF) | std::uint64_t{value} << 32;
      return true;
    default:
      return false;
  }
}

void Control::tick(const ControlInputs& inputs) {
  timer_expired_ = mtime_ >= mtimecmp_;
  ++mtime_;
  const auto event = [](bool happens, unsigned lsb) { return static_cast<std::uint32_t>(happens) << lsb; };
  // A new one in the cycle of its clear stays.
  sticky_ = (sticky_ & ~cleared_) | event(inputs.dma_done, control::kEventStatusDmaDoneLsb) |
            event(inputs.dma_error, control::kEventStatusDmaErrorLsb) |
            event(waits_ && inputs.barrier_release, control::kEventStatusBarrierLsb);
  cleared_ = 0;
  ntx_irq_ = inputs.ntx_irq << control::kEventStatusNtxLsb;
  if (waits_ && inputs.barrier_release) waits_ = false;
  arrives_ = std::exchange(arriving_, false);
  waits_ = waits_ || arrives_;
  shown_ = std::exchange(character_, std::nullopt);
}

bool Control::take_clear() { return std::exchange(clear_, false); }

}  // namespace nearcube::fast
