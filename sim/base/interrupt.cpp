// SPDX-License-Identifier: Apache-2.0
#include "sim/base/interrupt.h"

#include <csignal>

namespace nearcube::base {
namespace {

// The one piece of global state a signal handler cannot do without.
volatile std::sig_atomic_t arrived = 0;

extern "C" void note_signal(int number) {
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
}

bool interrupted() { return arrived != 0; }
int interrupt_signal() { return arrived; }
void clear_interrupt() { arrived = 0; }

}  // namespace nearcube::base
