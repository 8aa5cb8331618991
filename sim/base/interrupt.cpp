// SPDX-License-Identifier: Apache-2.0
#include "sim/base/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "sim/base/error.h"

namespace nearcube::base {
namespace {

// The global state that a signal handler cannot do without.
volatile std::sig_atomic_t arrived = 0;
volatile std::sig_atomic_t noting = 0;

// Only what a signal handler may call.
[[noreturn]] void end_program() {
  static constexpr char kMessage[] = "nearcube: interrupted\n";
  // There is nobody left to tell if this fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(static_cast<int>(ExitStatus::kOther));
}

extern "C" void note_signal(int number) {
  if (noting == 0) end_program();
  if (arrived != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  arrived = number;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

NoteInterrupts::NoteInterrupts() { noting = noting + 1; }

NoteInterrupts::~NoteInterrupts() {
  noting = noting - 1;
  if (noting == 0 && arrived != 0) end_program();
}

bool interrupted() { return arrived != 0; }
int interrupt_signal() { return arrived; }
void clear_interrupt() { arrived = 0; }

}  // namespace nearcube::base
