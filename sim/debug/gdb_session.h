// SPDX-License-Identifier: Apache-2.0
// What GDB asks of a halted core and how it is answered; breakpoints, watchpoints and steps of a running one.
// Protocol: Debugging with GDB, appendix E. No sockets here: gdb_server.h has them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debug/debugger.h"

namespace nearcube::debug {

class GdbSession {
 public:
  enum class Action : std::uint8_t {
    kReply,   ///< send the text (which may be empty: "not supported")
    kResume,  ///< run; the reply follows when the core stops
    kDetach,  ///< send the text, then let the program run on alone
    kKill,    ///< end the run
  };
  struct Answer {
    Action action = Action::kReply;
    std::string text = {};
  };

  /// Carries out one packet's command.
  Answer handle(std::string_view packet, Target& target);

  /// A new debugger knows of no breakpoint and wants acknowledgements.
  void restart();
  bool acknowledges() const { return acknowledges_; }

  /// Why the core stopped, as the packet that says so.
  const std::string& stop_reply() const { return stop_reply_; }
  /// The user asked for the stop.
  void interrupted() { stop_reply_ = "T02"; }

  // The running core; see riscv::Observer. False holds it.
  bool starts(std::uint32_t pc);
  bool accesses(std::uint32_t address, std::uint32_t bytes, bool store);
  /// True if it is an exception, before whose handler the core is to be held.
  bool traps(const riscv::Trap& trap);

 private:
  struct Watch {
    char kind;  ///< as in Z packets: '2' write, '3' read, '4' both
    std::uint32_t address;
    std::uint32_t bytes;
    bool operator==(const Watch&) const = default;
  };

  Answer resume(bool step);
  Answer query(std::string_view packet, Target& target);
  std::string monitor(std::string_view command, Target& target) const;
  std::string read_memory(std::string_view arguments, Target& target) const;
  std::string write_memory(std::string_view arguments, bool binary, Target& target) const;
  std::string change_point(std::string_view packet);
  std::uint32_t shown_pc(const Target& target) const { return fault_ ? fault_->pc : target.pc(); }
  std::optional<std::uint32_t> read_register(std::uint64_t number, const Target& target) const;
  bool write_register(std::uint64_t number, std::uint32_t value, Target& target);

  bool acknowledges_ = true;
  std::string stop_reply_ = "T05";
  std::map<std::uint32_t, int> breakpoints_;  ///< how often each was set (Z0 and Z1)
  std::vector<Watch> watches_;
  /// The exception at which the core stopped: shown is its pc, although the handler is next.
  std::optional<riscv::Trap> fault_;
  bool stepping_ = false;
  bool first_ = false;  ///< the next instruction to start is the one at which the core resumes
};

}  // namespace nearcube::debug
