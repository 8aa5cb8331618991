// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first asks a run to end with its report so far, the second kills the program.
#pragma once

namespace nearcube::base {

/// Catches SIGINT and SIGTERM from now on. Call once, from main.
void catch_interrupts();

/// A signal arrived since catch_interrupts (or the last clear_interrupt).
bool interrupted();

/// The signal that arrived (0: none).
int interrupt_signal();

/// Forgets an interrupt (tests).
void clear_interrupt();

}  // namespace nearcube::base
