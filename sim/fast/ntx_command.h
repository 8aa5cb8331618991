// SPDX-License-Identifier: Apache-2.0
// A command of an NTX as its registers hold it, and what it asks for (docs/ntx-programming.md).
#pragma once

#include <array>
#include <cstdint>

namespace nearcube::fast {

inline constexpr unsigned kLoops = 5;
inline constexpr unsigned kAgus = 3;

/// The staged registers.
struct NtxRegisters {
  std::array<std::uint32_t, kLoops> loops{};  ///< trip counts minus one, in bits 15:0
  std::array<std::uint32_t, kAgus> base{};
  std::array<std::array<std::int32_t, kLoops>, kAgus> stride{};  ///< bytes
  std::uint32_t cmd = 0;
};

/// A staged register other than cmd, by its byte offset (interfaces::ntx::kLoopOffset to before
/// kIdentOffset). `reach`: see address.h; a stride that is far does not read back as written.
std::uint32_t read_staged(const NtxRegisters& registers, std::uint32_t offset, std::int64_t reach);
void write_staged(NtxRegisters& registers, std::uint32_t offset, std::uint32_t value);

/// The registers error_cause and error_addr.
struct NtxError {
  std::uint32_t cause = 0;  ///< interfaces::ntx::kErrorCauseCause...; 0: none
  unsigned agu = 0;         ///< at fault
  std::uint32_t address = 0;

  explicit operator bool() const { return cause != 0; }
};

/// The fields of register cmd, and what follows from them for a valid command.
struct NtxOperation {
  explicit NtxOperation(std::uint32_t cmd);

  std::uint32_t opcode, init_level, store_level, outer_level, source, aux, irq;
  bool polarity;

  bool source_zero;
  bool sums;     ///< MAC or VADDSUB
  bool product;  ///< a step forms a product
  bool maskmac;
  bool counts;      ///< MASK or MASKMAC that tests the count
  bool uses_a;      ///< operand A in every step
  bool uses_b;      ///< operand B in every step
  bool reads_init;  ///< an init operand from memory in init steps (MASKMAC has its own rules)
  bool wide_init, wide_a, wide_store;

  /// The AGU can be used.
  bool activates(unsigned agu) const;
};

/// Why a command is refused, if it is: the first cause in the order of register error_cause.
/// `reach`: see address.h.
NtxError refusal(const NtxRegisters& registers, const NtxOperation& operation, std::int64_t reach);

}  // namespace nearcube::fast
