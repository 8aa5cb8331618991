// SPDX-License-Identifier: Apache-2.0
// Control and status registers of an M-mode-only hart, traps and interrupts (RISC-V Privileged Architecture
// 20211203, chapters 2 and 3). Counters of the hypervisor, supervisor and user levels do not exist: reading
// `cycle` or `time` is an illegal instruction, mcycle and the memory-mapped mtime serve instead.
#pragma once

#include <cstdint>
#include <optional>

namespace nearcube::riscv {

/// mcause of the traps this hart takes (Privileged Architecture, table 3.6).
namespace cause {
inline constexpr std::uint32_t kInstructionAccessFault = 1;
inline constexpr std::uint32_t kIllegalInstruction = 2;
inline constexpr std::uint32_t kBreakpoint = 3;
inline constexpr std::uint32_t kLoadAccessFault = 5;
inline constexpr std::uint32_t kStoreAccessFault = 7;
inline constexpr std::uint32_t kEcallFromM = 11;
inline constexpr std::uint32_t kInterrupt = 0x80000000;
inline constexpr std::uint32_t kTimerInterrupt = kInterrupt | 7;
inline constexpr std::uint32_t kExternalInterrupt = kInterrupt | 11;
}  // namespace cause

/// "store access fault" and the like.
const char* describe_cause(std::uint32_t mcause);

/// An exception or interrupt.
struct Trap {
  std::uint32_t pc = 0;     ///< mepc: the instruction at fault, or the next one for an interrupt
  std::uint32_t cause = 0;  ///< mcause
  std::uint32_t value = 0;  ///< mtval: faulting address, illegal instruction's bits, or 0

  bool is_interrupt() const { return (cause & cause::kInterrupt) != 0; }
};

/// CSR numbers.
namespace csr {
inline constexpr std::uint32_t kMstatus = 0x300;
inline constexpr std::uint32_t kMisa = 0x301;
inline constexpr std::uint32_t kMie = 0x304;
inline constexpr std::uint32_t kMtvec = 0x305;
inline constexpr std::uint32_t kMstatush = 0x310;
inline constexpr std::uint32_t kMcountinhibit = 0x320;
inline constexpr std::uint32_t kMscratch = 0x340;
inline constexpr std::uint32_t kMepc = 0x341;
inline constexpr std::uint32_t kMcause = 0x342;
inline constexpr std::uint32_t kMtval = 0x343;
inline constexpr std::uint32_t kMip = 0x344;
inline constexpr std::uint32_t kMcycle = 0xB00;
inline constexpr std::uint32_t kMinstret = 0xB02;
inline constexpr std::uint32_t kMcycleh = 0xB80;
inline constexpr std::uint32_t kMinstreth = 0xB82;
inline constexpr std::uint32_t kMvendorid = 0xF11;
inline constexpr std::uint32_t kMarchid = 0xF12;
inline constexpr std::uint32_t kMimpid = 0xF13;
inline constexpr std::uint32_t kMhartid = 0xF14;
inline constexpr std::uint32_t kMconfigptr = 0xF15;
}  // namespace csr

/// Bits of mstatus, mie and mip.
inline constexpr std::uint32_t kMstatusMie = 1u << 3;
inline constexpr std::uint32_t kMstatusMpie = 1u << 7;
inline constexpr std::uint32_t kMstatusMpp = 3u << 11;
inline constexpr std::uint32_t kTimerBit = 1u << 7;
inline constexpr std::uint32_t kExternalBit = 1u << 11;

class CsrFile {
 public:
  explicit CsrFile(std::uint32_t hart_id) : hart_id_(hart_id) {}

  /// Reset values: everything 0, but for mstatus.MPP, which is always M.
  void reset();

  /// The register's value; nothing if it does not exist.
  std::optional<std::uint32_t> read(std::uint32_t number) const;
  /// Writes the register's writable bits. False if it does not exist or is read-only (number bits 11:10 = 3).
  bool write(std::uint32_t number, std::uint32_t value);

  /// The interrupt lines, which mip shows.
  void set_lines(bool external, bool timer) {
    mip_ = (external ? kExternalBit : 0) | (timer ? kTimerBit : 0);
  }

  /// An enabled interrupt is pending, whatever mstatus.MIE says: what ends a WFI.
  bool wakes() const { return (mip_ & mie_) != 0; }
  /// An interrupt is to be taken before the next instruction.
  bool interrupt_pending() const { return interrupts_enabled() && wakes(); }
  bool interrupts_enabled() const { return (mstatus_ & kMstatusMie) != 0; }
  /// mcause of the interrupt to be taken; external before timer (Privileged Architecture, section 3.1.9).
  std::uint32_t interrupt_cause() const {
    return (mip_ & mie_ & kExternalBit) != 0 ? cause::kExternalInterrupt : cause::kTimerInterrupt;
  }

  /// A trap handler is set: mtvec's base is not 0 (its reset value, where no memory is).
  bool has_handler() const { return (mtvec_ & ~3u) != 0; }
  /// Enters the trap and returns the handler's address.
  std::uint32_t enter_trap(const Trap& trap);
  /// mret: restores the interrupt enable and returns mepc.
  std::uint32_t return_from_trap();

  /// Time goes on. An explicit write of a counter in the same cycle wins: the next instruction reads what was
  /// written (Privileged Architecture, section 3.1.10).
  void count(std::uint64_t cycles, std::uint64_t instructions) {
    if ((mcountinhibit_ & 1u) == 0 && !wrote_mcycle_) mcycle_ += cycles;
    if ((mcountinhibit_ & 4u) == 0 && !wrote_minstret_) minstret_ += instructions;
    wrote_mcycle_ = wrote_minstret_ = false;
  }
  /// Takes back the count of a load or store that completed its request, and then failed.
  void uncount_instruction() {
    if ((mcountinhibit_ & 4u) == 0) --minstret_;
  }

 private:
  std::uint32_t hart_id_;
  std::uint32_t mstatus_ = kMstatusMpp;
  std::uint32_t mie_ = 0;
  std::uint32_t mip_ = 0;
  std::uint32_t mtvec_ = 0;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint32_t mcountinhibit_ = 0;
  std::uint64_t mcycle_ = 0;
  std::uint64_t minstret_ = 0;
  bool wrote_mcycle_ = false;
  bool wrote_minstret_ = false;
};

}  // namespace nearcube::riscv
