// SPDX-License-Identifier: Apache-2.0
// What a debugger is to a simulation, and the machine to a debugger.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/riscv/observer.h"

namespace nearcube::debug {

/// A machine whose core stands between two instructions. Nothing moves while a debugger looks at it, but for
/// the few cycles that an access to scratchpad or registers takes.
class Target {
 public:
  virtual ~Target() = default;

  /// The core could not come to rest: it waits for an access that nobody answers. Registers can then be read
  /// but not written, and of the memory only the cube's is there.
  virtual bool blocked() const = 0;
  virtual std::uint32_t pc() const = 0;
  virtual void set_pc(std::uint32_t value) = 0;
  virtual std::uint32_t x(unsigned index) const = 0;
  virtual void set_x(unsigned index, std::uint32_t value) = 0;
  /// Nothing (false) for a register that does not exist (or cannot be written).
  virtual std::optional<std::uint32_t> csr(std::uint32_t number) const = 0;
  virtual bool set_csr(std::uint32_t number, std::uint32_t value) = 0;
  /// False, and nothing done, if some of the bytes are not there or not safe to touch: cube memory and
  /// scratchpad can be read and written, registers read a word at a time.
  virtual bool read(std::uint32_t address, std::span<std::uint8_t> bytes) = 0;
  virtual bool write(std::uint32_t address, std::span<const std::uint8_t> bytes) = 0;
  /// NTX clock cycles since reset.
  virtual std::uint64_t cycles() const = 0;
  /// What every unit does and whom it waits for, as lines of text.
  virtual std::string describe_units() const = 0;
};

/// Halts the core through riscv::Observer (before an instruction) or wants_stop() (at any time), and then has
/// the machine for itself.
class Debugger : public riscv::Observer {
 public:
  enum class Resume : std::uint8_t { kRun, kKill };

  /// The core is to be held as soon as possible. Asked after every core cycle.
  virtual bool wants_stop() = 0;
  /// The core is held. Returns when it shall go on, or the run end.
  virtual Resume stopped(Target& target) = 0;
  /// The run ended; `status` is the program's exit code, or what the run makes of it.
  virtual void ended(std::uint8_t status) = 0;
};

}  // namespace nearcube::debug
