// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/csr.h"

namespace nearcube::riscv {
namespace {

constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint64_t with_low(std::uint64_t old, std::uint32_t value) { return (old >> 32 << 32) | value; }
constexpr std::uint64_t with_high(std::uint64_t old, std::uint32_t value) {
  return (std::uint64_t{value} << 32) | low(old);
}

// MXL = 1 (32 bits), extensions I, M, C (Privileged Architecture, section 3.1.1).
constexpr std::uint32_t kMisaValue =
    (1u << 30) | (1u << ('I' - 'A')) | (1u << ('M' - 'A')) | (1u << ('C' - 'A'));
constexpr std::uint32_t kCountInhibitBits = 5;  // CY and IR

/// mhpmcounter3-31, their high halves and mhpmevent3-31: they exist and are always 0.
constexpr bool is_zero_counter(std::uint32_t number) {
  return (number >= 0xB03 && number <= 0xB1F) || (number >= 0xB83 && number <= 0xB9F) ||
         (number >= 0x323 && number <= 0x33F);
}

}  // namespace

const char* describe_cause(std::uint32_t mcause) {
  switch (mcause) {
    case cause::kInstructionAccessFault:
      return "instruction access fault";
    case cause::kIllegalInstruction:
      return "illegal instruction";
    case cause::kBreakpoint:
      return "breakpoint";
    case cause::kLoadAccessFault:
      return "load access fault";
    case cause::kStoreAccessFault:
      return "store access fault";
    case cause::kEcallFromM:
      return "environment call";
    case cause::kTimerInterrupt:
      return "timer interrupt";
    case cause::kExternalInterrupt:
      return "external interrupt";
    default:
      return "unknown cause";
  }
}

void CsrFile::reset() {
  const CsrFile fresh(hart_id_);
  *this = fresh;
}

std::optional<std::uint32_t> CsrFile::read(std::uint32_t number) const {
  switch (number) {
    case csr::kMstatus:
      return mstatus_;
    case csr::kMisa:
      return kMisaValue;
    case csr::kMie:
      return mie_;
    case csr::kMtvec:
      return mtvec_;
    case csr::kMcountinhibit:
      return mcountinhibit_;
    case csr::kMscratch:
      return mscratch_;
    case csr::kMepc:
      return mepc_;
    case csr::kMcause:
      return mcause_;
    case csr::kMtval:
      return mtval_;
    case csr::kMip:
      return mip_;
    case csr::kMcycle:
      return low(mcycle_);
    case csr::kMcycleh:
      return high(mcycle_);
    case csr::kMinstret:
      return low(minstret_);
    case csr::kMinstreth:
      return high(minstret_);
    case csr::kMhartid:
      return hart_id_;
    case csr::kMstatush:
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMimpid:
    case csr::kMconfigptr:
      return 0;
    default:
      if (is_zero_counter(number)) return 0;
      return std::nullopt;
  }
}

bool CsrFile::write(std::uint32_t number, std::uint32_t value) {
  switch (number) {
    case csr::kMstatus:
      mstatus_ = kMstatusMpp | (value & (kMstatusMie | kMstatusMpie));
      return true;
    case csr::kMie:
      mie_ = value & (kTimerBit | kExternalBit);
      return true;
    case csr::kMtvec:
      mtvec_ = value & ~2u;  // modes 0 (direct) and 1 (vectored)
      return true;
    case csr::kMcountinhibit:
      mcountinhibit_ = value & kCountInhibitBits;
      return true;
    case csr::kMscratch:
      mscratch_ = value;
      return true;
    case csr::kMepc:
      mepc_ = value & ~1u;
      return true;
    case csr::kMcause:
      mcause_ = value;
      return true;
    case csr::kMtval:
      mtval_ = value;
      return true;
    case csr::kMcycle:
      mcycle_ = with_low(mcycle_, value);
      wrote_mcycle_ = true;
      return true;
    case csr::kMcycleh:
      mcycle_ = with_high(mcycle_, value);
      wrote_mcycle_ = true;
      return true;
    case csr::kMinstret:
      minstret_ = with_low(minstret_, value);
      wrote_minstret_ = true;
      return true;
    case csr::kMinstreth:
      minstret_ = with_high(minstret_, value);
      wrote_minstret_ = true;
      return true;
    case csr::kMisa:
    case csr::kMstatush:
    case csr::kMip:  // both bits follow the lines
      return true;
    default:
      return is_zero_counter(number);
  }
}

std::uint32_t CsrFile::enter_trap(const Trap& trap) {
  mepc_ = trap.pc & ~1u;
  mcause_ = trap.cause;
  mtval_ = trap.value;
  mstatus_ = kMstatusMpp | (interrupts_enabled() ? kMstatusMpie : 0);
  const std::uint32_t base = mtvec_ & ~3u;
  const bool vectored = (mtvec_ & 1u) != 0 && trap.is_interrupt();
  return vectored ? base + 4 * (trap.cause & ~cause::kInterrupt) : base;
}

std::uint32_t CsrFile::return_from_trap() {
  mstatus_ = kMstatusMpp | kMstatusMpie | ((mstatus_ & kMstatusMpie) != 0 ? kMstatusMie : 0);
  return mepc_;
}

}  // namespace nearcube::riscv
