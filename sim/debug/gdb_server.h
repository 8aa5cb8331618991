// SPDX-License-Identifier: Apache-2.0
// A GDB remote server for a simulation, on one TCP port of this machine.
//
// The simulation stands still from its first instruction until a debugger has come and told it to go on. A
// debugger that detaches leaves the program running, and can come back at any time, which halts it. One whose
// connection breaks leaves it halted, waiting for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/debug/debugger.h"

namespace nearcube::debug {

class GdbServer final : public Debugger {
 public:
  /// Listens on `port` of the loopback interface; 0 takes a free one. `say` is given each line that a user
  /// should read. Throws Error (kBadInput) if the port cannot be had.
  GdbServer(std::uint16_t port, std::function<void(const std::string&)> say);
  ~GdbServer() override;

  std::uint16_t port() const;

  bool starts(std::uint32_t pc) override;
  bool accesses(std::uint32_t address, std::uint32_t bytes, bool store) override;
  void traps(const riscv::Trap& trap, std::uint64_t cycle) override;
  bool wants_stop() override;
  Resume stopped(Target& target) override;
  void ended(std::uint8_t status) override;

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace nearcube::debug
