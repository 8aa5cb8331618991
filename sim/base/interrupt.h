// SPDX-License-Identifier: Apache-2.0
// Ctrl-C. Whoever has something to finish - a run its report, a file its last byte - notes signals meanwhile;
// at any other time one ends the program at once.
#pragma once

namespace nearcube::base {

/// Catches SIGINT, SIGTERM and (unless ignored, as under nohup) SIGHUP from now on. Call once, from main.
void catch_interrupts();

/// While one lives, the first signal is only noted, and the second kills the program. When the last one goes
/// and nobody took the signal with clear_interrupt(), the program ends, with status 1.
class NoteInterrupts {
 public:
  NoteInterrupts();
  ~NoteInterrupts();
  NoteInterrupts(const NoteInterrupts&) = delete;
  NoteInterrupts& operator=(const NoteInterrupts&) = delete;
};

/// A signal was noted (since the last clear_interrupt).
bool interrupted();

/// The signal that was noted (0: none).
int interrupt_signal();

/// Takes the noted signal: it is being dealt with.
void clear_interrupt();

}  // namespace nearcube::base
