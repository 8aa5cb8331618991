# SPDX-License-Identifier: Apache-2.0
# Calls main and ends the run with its result.
  .section .text.start, "ax"
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack
  call main
  li t0, 0x10200030       # control.exit
  sw a0, 0(t0)
1:
  j 1b
