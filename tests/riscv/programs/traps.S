# SPDX-License-Identifier: Apache-2.0
# Programs that trap. `handler` appends mcause, mepc, mtval and mstatus to `log`, clears the interrupt lines, skips the
# instruction at fault, and returns; traps_test.cpp runs each program from its label and reads the log.
  .option norelax
  .equ exit_register, 0x10200030
  .equ lines_register, 0x10200100   # of the test bench: bit 0 external, bit 1 timer

  .text
  .globl _start
_start:

  .macro start_program name
  .balign 4
  .globl \name
\name:
  .endm

  .macro set_handler address
  la t0, \address
  csrw mtvec, t0
  .endm

  .macro exit
  li t0, exit_register
  sw a0, 0(t0)
1:
  j 1b
  .endm

  .macro record at
  la t0, log_next
  lw t1, 0(t0)
  csrr t2, mcause
  sw t2, 0(t1)
  csrr t2, mepc
  sw t2, 4(t1)
  csrr t2, mtval
  sw t2, 8(t1)
  csrr t2, mstatus
  sw t2, 12(t1)
  li t2, \at
  sw t2, 16(t1)
  addi t1, t1, 20
  sw t1, 0(t0)
  .endm

  .macro save
  csrw mscratch, t0
  la t0, saved
  sw t1, 0(t0)
  sw t2, 4(t0)
  .endm

  .macro restore
  la t0, saved
  lw t2, 4(t0)
  lw t1, 0(t0)
  csrr t0, mscratch
  .endm

  .balign 4
handler:
  save
  record 0
handler_common:
  csrr t2, mcause
  bltz t2, 2f
  addi t1, t2, -1           # instruction access fault: go on where the jump came from
  beqz t1, 3f
  csrr t0, mepc
  lhu t1, 0(t0)
  andi t1, t1, 3
  addi t1, t1, -3
  li t2, 4
  beqz t1, 1f
  li t2, 2
1:
  add t0, t0, t2
  csrw mepc, t0
  j 4f
2:
  li t0, lines_register
  sw zero, 0(t0)
  j 4f
3:
  csrw mepc, ra
4:
  restore
  mret

  .balign 4
  .globl vectors
vectors:                      # one 4-byte jump a cause
  .option push
  .option norvc
  j handler                   # exceptions
  j vector_wrong
  j vector_wrong
  j vector_wrong
  j vector_wrong
  j vector_wrong
  j vector_wrong
  j vector_timer              # 7
  j vector_wrong
  j vector_wrong
  j vector_wrong
  j vector_external           # 11
  .option pop
vector_wrong:
  save
  record 99
  j handler_common
vector_timer:
  save
  record 7
  j handler_common
vector_external:
  save
  record 11
  j handler_common

  # Every exception there is.
  start_program exceptions
  set_handler handler
  li a1, 0x44444444          # nothing there
  li a2, 0x1000fffe          # the last two bytes of the TCDM
  li a3, 0x0ffffffe          # two bytes before the TCDM
  li a4, 0x10200000          # a device that takes words only
  li a5, 0x5a5a5a5a
  mv a6, a5
  .globl x_illegal, x_zero, x_lr, x_float, x_missing_csr, x_read_only_csr, x_user_counter, x_ecall, x_ebreak
  .globl x_c_ebreak, x_load, x_store, x_load_second, x_load_first, x_store_second, x_device_byte, x_fetch, x_sret
  .globl x_fetch_target, x_fetch_half, x_read_only_set
x_illegal:
  .4byte 0xffffffff
x_zero:
  .2byte 0
x_lr:
  .4byte 0x1005a52f          # lr.w a0, (a1)
x_float:
  .4byte 0x00c5f553          # fadd.s fa0, fa1, fa2
x_sret:
  .4byte 0x10200073
x_missing_csr:
  csrr a6, 0x180             # satp
x_read_only_csr:
  csrrw a6, mhartid, a5
x_read_only_set:
  csrrs a6, mhartid, a5
x_user_counter:
  csrr a6, cycle
x_ecall:
  ecall
x_ebreak:
  .4byte 0x00100073
x_c_ebreak:
  c.ebreak
x_load:
  lw a6, 0x10(a1)
x_store:
  sh a5, 2(a1)
x_load_second:
  lw a6, 0(a2)
x_load_first:
  lw a6, 0(a3)
x_store_second:
  sw a5, 0(a2)
x_device_byte:
  lbu a6, 1(a4)
x_fetch:
  jalr ra, 0(a1)
  li a0, 0x80100000 - 2      # a 4-byte instruction of which only the first half is in memory
x_fetch_half:
  jalr ra, 0(a0)
  mv a0, a6
  exit

  # Loads and stores right behind an access that fails: none of them may be lost or done with wrong values.
  start_program behind_fault
  set_handler handler
  li a1, 0x44444444
  li a2, 0x10000000
  li a3, 7
  li a0, 0
  lw a3, 0(a1)
  sw a3, 0(a2)
  lw a4, 0(a2)
  sw a4, 0(a1)
  addi a4, a4, 1
  sw a4, 4(a2)
  lw a5, 1(a1)
  lw a6, 1(a2)
  lw a5, 3(a2)
  add a0, a4, a6
  add a0, a0, a5
  exit

  # A trap within a trap handler.
  start_program nested
  set_handler outer
  csrsi mstatus, 8
  ecall
  csrr a0, mstatus
  exit
  .balign 4
outer:
  csrr s0, mepc
  csrr s1, mstatus
  la t0, inner
  csrw mtvec, t0
  csrsi mstatus, 8
  ebreak
  csrr s4, mstatus
  csrw mstatus, s1
  addi s0, s0, 4
  csrw mepc, s0
  mret
  .balign 4
inner:
  csrr s2, mcause
  csrr s3, mstatus
  csrr t1, mepc
  addi t1, t1, 2
  csrw mepc, t1
  mret

  # Sleeps; interrupts are enabled in mie but not in mstatus: goes on without a trap.
  start_program sleep_without_trap
  set_handler handler
  li t0, 0x880
  csrw mie, t0
  wfi
  csrr a0, mip
  exit

  # Sleeps until a trap; a0 counts the instructions after it.
  start_program sleep_with_trap
  set_handler vectors + 1
  li t0, 0x880
  csrw mie, t0
  csrsi mstatus, 8
  li a0, 1
  .globl after_wfi
  wfi
after_wfi:
  addi a0, a0, 1
  exit

  # Both lines rise at once, by a store; the handler clears them one at a time.
  start_program priority
  set_handler vectors + 1
  li t0, 0x880
  csrw mie, t0
  li t1, 3
  li t0, lines_register
  sw t1, 0(t0)
  li a0, 0
  fence
  fence
  csrsi mstatus, 8
  addi a0, a0, 1
  exit

  # wfi with an interrupt pending is a nop.
  start_program no_sleep
  li t0, 0x880
  csrw mie, t0
  li t1, 2
  li t0, lines_register
  sw t1, 0(t0)
  fence
  fence
  wfi
  li a0, 55
  exit

  # Counts to 1000 while interrupts come at any time; the sum tells whether one was felt.
  start_program counting
  set_handler handler
  li t0, 0x880
  csrw mie, t0
  csrsi mstatus, 8
  li a0, 0
  li a1, 1000
  li a2, 0x10000000
  sw zero, 0(a2)
1:
  lw a3, 0(a2)
  add a3, a3, a1
  sw a3, 0(a2)
  mulh a4, a3, a1
  add a0, a0, a4
  div a5, a3, a1
  add a0, a0, a5
  addi a1, a1, -1
  bnez a1, 1b
  add a0, a0, a3
  exit

  # Writes an instruction, and executes it after fence.i.
  start_program self_modifying
  la t0, patched
  li t1, 0x00700513          # li a0, 7
  call patched
  mv a1, a0
  sw t1, 0(t0)
  fence.i
  call patched
  slli a1, a1, 8
  or a0, a0, a1
  exit
  .balign 4
  .option push
  .option norvc
patched:
  li a0, 3
  ret
  .option pop

  # No handler is set.
  start_program uncaught_store
  li a0, 0x55555554
  .globl uncaught_store_pc
uncaught_store_pc:
  sw a0, 0(a0)
  nop
  start_program uncaught_illegal
  .4byte 0xdeadbe6b

  .bss
  .balign 4
  .globl log
log:
  .space 4096
saved:
  .space 8
  .data
  .balign 4
  .globl log_next
log_next:
  .4byte log
