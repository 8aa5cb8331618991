// SPDX-License-Identifier: Apache-2.0
// What a debugger or an instruction trace sees. Without an observer an executor pays nothing but a test of a
// pointer.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/riscv/csr.h"
#include "sim/riscv/instruction.h"

namespace nearcube::riscv {

/// A completed instruction. Loads and stores complete with their answer.
struct Retirement {
  std::uint32_t pc = 0;
  Instruction instruction;
  std::uint32_t value = 0;    ///< written to instruction.rd, or stored
  std::uint32_t address = 0;  ///< of a load's or store's first byte
  std::uint64_t cycle = 0;    ///< core cycles since reset (functional execution: instructions)
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// The instruction at `pc` is about to start. False holds the core before it (a breakpoint).
  virtual bool starts(std::uint32_t /*pc*/) { return true; }
  /// A load or store of `bytes` from `address` on has been requested. False holds the core after it (a
  /// watchpoint).
  virtual bool accesses(std::uint32_t /*address*/, std::uint32_t /*bytes*/, bool /*store*/) { return true; }
  virtual void retires(const Retirement&) {}
  /// A trap is taken, or ends the run for want of a handler.
  virtual void traps(const Trap&, std::uint64_t /*cycle*/) {}
};

/// Several as one. Each is told of everything; any of them can hold the core.
class Observers final : public Observer {
 public:
  /// `observer` must outlive this.
  void add(Observer& observer) { all_.push_back(&observer); }
  /// The one to give to a core; null if nobody wants to know.
  Observer* any() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }

  bool starts(std::uint32_t pc) override {
    bool go = true;
    for (Observer* observer : all_) go = observer->starts(pc) && go;
    return go;
  }
  bool accesses(std::uint32_t address, std::uint32_t bytes, bool store) override {
    bool go = true;
    for (Observer* observer : all_) go = observer->accesses(address, bytes, store) && go;
    return go;
  }
  void retires(const Retirement& retirement) override {
    for (Observer* observer : all_) observer->retires(retirement);
  }
  void traps(const Trap& trap, std::uint64_t cycle) override {
    for (Observer* observer : all_) observer->traps(trap, cycle);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace nearcube::riscv
