// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/ntx_command.h"

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/fast/address.h"

namespace nearcube::fast {
namespace {

namespace ntx = interfaces::ntx;

std::uint32_t field(std::uint32_t cmd, unsigned lsb, unsigned width) {
  return cmd >> lsb & ((1u << width) - 1);
}

bool defined_aux(const NtxOperation& op) {
  switch (op.opcode) {
    case ntx::kCmdOpcodeMac:
    case ntx::kCmdOpcodeVaddsub:
      return (op.aux & 5) != 5;  // a wide store is not rounded, so ReLU means nothing
    case ntx::kCmdOpcodeThtst:
    case ntx::kCmdOpcodeMask:
    case ntx::kCmdOpcodeMaskmac:
      return (op.aux & 3) != 3;
    default:
      return op.aux <= 1;
  }
}

/// What a stride register reads back: of a far stride the low bits, with a sign that makes it far.
std::uint32_t kept(std::int32_t stride, std::int64_t reach) {
  const auto low = static_cast<std::uint32_t>(2 * reach - 1);
  const std::uint32_t bits = static_cast<std::uint32_t>(stride) & low;
  const bool top_bit = bits >= static_cast<std::uint32_t>(reach);
  return top_bit != is_far(stride, reach) ? bits | ~low : bits;
}

/// Which of an AGU's registers an offset is: 0 the base, from 1 on the strides.
struct AguRegister {
  explicit AguRegister(std::uint32_t offset)
      : agu((offset - ntx::kAgu0BaseOffset) / 4 / (kLoops + 1)),
        number((offset - ntx::kAgu0BaseOffset) / 4 % (kLoops + 1)) {}
  std::uint32_t agu, number;
};

}  // namespace

std::uint32_t read_staged(const NtxRegisters& registers, std::uint32_t offset, std::int64_t reach) {
  if (offset < ntx::kAgu0BaseOffset) return registers.loops[(offset - ntx::kLoopOffset) / 4];
  const AguRegister at(offset);
  if (at.number == 0) return registers.base[at.agu];
  return kept(registers.stride[at.agu][at.number - 1], reach);
}

void write_staged(NtxRegisters& registers, std::uint32_t offset, std::uint32_t value) {
  if (offset < ntx::kAgu0BaseOffset) {
    registers.loops[(offset - ntx::kLoopOffset) / 4] = value & 0xFFFF;
    return;
  }
  const AguRegister at(offset);
  if (at.number == 0) {
    registers.base[at.agu] = value;
  } else {
    registers.stride[at.agu][at.number - 1] = static_cast<std::int32_t>(value);
  }
}

NtxOperation::NtxOperation(std::uint32_t cmd)
    : opcode(field(cmd, ntx::kCmdOpcodeLsb, ntx::kCmdOpcodeWidth)),
      init_level(field(cmd, ntx::kCmdInitLevelLsb, ntx::kCmdInitLevelWidth)),
      store_level(field(cmd, ntx::kCmdStoreLevelLsb, ntx::kCmdStoreLevelWidth)),
      outer_level(field(cmd, ntx::kCmdOuterLevelLsb, ntx::kCmdOuterLevelWidth)),
      source(field(cmd, ntx::kCmdInitSourceLsb, ntx::kCmdInitSourceWidth)),
      aux(field(cmd, ntx::kCmdAuxLsb, ntx::kCmdAuxWidth)),
      irq(field(cmd, ntx::kCmdIrqLsb, ntx::kCmdIrqWidth)),
      polarity(field(cmd, ntx::kCmdPolarityLsb, ntx::kCmdPolarityWidth) != 0) {
  const bool mac = opcode == ntx::kCmdOpcodeMac;
  const bool vmult = opcode == ntx::kCmdOpcodeVmult;
  const bool mask = opcode == ntx::kCmdOpcodeMask;
  const bool copies_a = opcode == ntx::kCmdOpcodeCopy && (aux & 1) != 0;
  source_zero = source == ntx::kCmdInitSourceZero;
  sums = mac || opcode == ntx::kCmdOpcodeVaddsub;
  product = mac || vmult || opcode == ntx::kCmdOpcodeOuterp;
  maskmac = opcode == ntx::kCmdOpcodeMaskmac;
  counts = (mask || maskmac) && (aux & 4) != 0;
  uses_a = sums || product || mask || copies_a;
  uses_b = mac || vmult || opcode == ntx::kCmdOpcodeMaxmin || opcode == ntx::kCmdOpcodeThtst ||
           ((mask || maskmac) && !counts);
  reads_init = !source_zero && !vmult && !maskmac && !copies_a;
  wide_init = sums && (aux & 2) != 0;
  wide_a = wide_init && !mac;
  wide_store = sums && (aux & 4) != 0;
}

bool NtxOperation::activates(unsigned agu) const {
  if (agu == 2) return true;  // results
  const bool uses = agu == 0 ? uses_a || maskmac : uses_b || (maskmac && !source_zero);
  return uses || (reads_init && source == agu);
}

NtxError refusal(const NtxRegisters& registers, const NtxOperation& op, std::int64_t reach) {
  if (op.opcode > ntx::kCmdOpcodeCopy) return {ntx::kErrorCauseCauseOpcode, 0, registers.cmd};
  if (op.store_level > op.init_level || op.init_level > op.outer_level || op.outer_level > kLoops) {
    return {ntx::kErrorCauseCauseLevels, 0, registers.cmd};
  }
  if (op.irq > ntx::kCmdIrqWritebackDone) return {ntx::kErrorCauseCauseIrq, 0, registers.cmd};
  if (!defined_aux(op)) return {ntx::kErrorCauseCauseAux, 0, registers.cmd};
  if (registers.cmd >> (ntx::kCmdOverlapLsb + ntx::kCmdOverlapWidth) != 0) {
    return {ntx::kErrorCauseCauseReservedBits, 0, registers.cmd};
  }
  for (unsigned agu = 0; agu < kAgus; ++agu) {
    if (op.activates(agu) && registers.base[agu] % 4 != 0) {
      return {ntx::kErrorCauseCauseMisalignedBase, agu, registers.base[agu]};
    }
  }
  for (unsigned agu = 0; agu < kAgus; ++agu) {
    for (unsigned loop = 0; op.activates(agu) && loop < op.outer_level; ++loop) {
      const std::int32_t stride = registers.stride[agu][loop];
      if (stride % 4 != 0) return {ntx::kErrorCauseCauseMisalignedStride, agu, kept(stride, reach)};
    }
  }
  for (unsigned agu = 0; agu < kAgus; ++agu) {
    const std::uint32_t base = registers.base[agu];
    const std::uint32_t region = base & ~0xF'FFFFu;
    const bool elsewhere = region != 0 && region != interfaces::kTcdmBase;
    if (op.activates(agu) && (elsewhere || (base & 0xF'FFFF) >= 2 * reach)) {
      return {ntx::kErrorCauseCauseOutOfRange, agu, base};
    }
  }
  return {};
}

}  // namespace nearcube::fast
