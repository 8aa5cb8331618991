// SPDX-License-Identifier: Apache-2.0
// What the C library and the trap entry need: character output, exit, and the last words of a failed program.
#include <stdio.h>

#include "hal/control.h"

_Noreturn void _exit(int code);
_Noreturn void nc_trap(uint32_t cause, uint32_t pc, uint32_t value);
_Noreturn void nc_trap_end(void);

static int put_character(char c, FILE* file) {
  (void)file;
  nc_control_write(NC_CONTROL_CHAR_OUT_OFFSET, (uint8_t)c);
  return 0;
}

// Not in .data, which start.S would copy word by word in every run.
NC_CUBE static FILE character_output = FDEV_SETUP_STREAM(put_character, NULL, NULL, _FDEV_SETUP_WRITE);
FILE* const stdout = &character_output;
FILE* const stderr = &character_output;

void _exit(int code) { nc_exit((uint32_t)code); }

void nc_trap_end(void) { nc_exit(NC_EXIT_TRAP); }

/// Machine cause codes of the RISC-V privileged architecture, version 20211203, table 3.6.
static const char* cause_name(uint32_t cause) {
  switch (cause) {
    case 0:
      return "misaligned instruction address";
    case 1:
      return "instruction fetch from nowhere";
    case 2:
      return "illegal instruction";
    case 3:
      return "breakpoint";
    case 4:
      return "misaligned load";
    case 5:
      return "load from nowhere";
    case 6:
      return "misaligned store";
    case 7:
      return "store to nowhere";
    case 11:
      return "environment call";
    default:
      return "exception";
  }
}

void nc_trap(uint32_t cause, uint32_t pc, uint32_t value) {
  printf("firmware: %s (cause %lu) at pc 0x%08lx, value 0x%08lx\n", cause_name(cause), (unsigned long)cause,
         (unsigned long)pc, (unsigned long)value);
  nc_trap_end();
}
