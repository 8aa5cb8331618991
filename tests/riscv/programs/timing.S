# SPDX-License-Identifier: Apache-2.0
# Pieces of code between NAME and NAME_end whose cycles timing_test.cpp states. On entry: a0 = an aligned address in
# the TCDM, a1 = one in cube memory, a2 = a peripheral register, s0 and s1 = operands.
  .option norelax
  .text
  .globl _start
_start:

  .macro begin name
  .balign 32
  .globl \name
\name:
  .endm
  .macro end name
  .globl \name\()_end
\name\()_end:
  nop
  .endm

  begin alu
  .rept 6
  addi a5, a5, 1
  xor a6, a5, s0
  .endr
  end alu

  begin dependent
  add a5, s0, s1
  add a5, a5, a5
  add a5, a5, a5
  end dependent

  begin load
  lw a5, 0(a0)
  end load

  begin load_use
  lw a5, 0(a0)
  addi a6, a5, 1
  end load_use

  begin load_use_second_source
  lw a5, 0(a0)
  add a6, s0, a5
  end load_use_second_source

  begin load_then_other
  lw a5, 0(a0)
  addi a6, s0, 1
  addi a6, a5, 1
  end load_then_other

  begin load_then_store_it
  lw a5, 0(a0)
  sw a5, 4(a0)
  end load_then_store_it

  begin load_address
  lw a5, 0(a0)
  lw a6, 0(a5)
  end load_address

  begin load_branch
  lw a5, 0(a0)
  beq a5, a5, 1f
  nop
1:
  end load_branch

  begin load_x0
  lw zero, 0(a0)
  add a6, zero, zero
  end load_x0

  begin loads
  lw a3, 0(a0)
  lw a4, 4(a0)
  lw a5, 8(a0)
  lw a6, 12(a0)
  end loads

  begin stores
  sw s0, 0(a0)
  sw s0, 4(a0)
  sw s0, 8(a0)
  sw s0, 12(a0)
  end stores

  begin store_then_load
  sw s0, 0(a0)
  lw a5, 0(a0)
  end store_then_load

  begin memory_load
  lw a5, 0(a1)
  end memory_load

  begin memory_load_then_alu
  lw a5, 0(a1)
  addi a6, s0, 1
  end memory_load_then_alu

  begin memory_load_use
  lw a5, 0(a1)
  addi a6, a5, 1
  end memory_load_use

  begin memory_load_mulh
  lw a5, 0(a1)
  mulh a6, s0, s1
  end memory_load_mulh

  begin memory_store_then_alu
  sw s0, 0(a1)
  addi a6, s0, 1
  end memory_store_then_alu

  begin peripheral_store_then_alu
  sw s0, 0(a2)
  addi a6, s0, 1
  end peripheral_store_then_alu

  begin misaligned_word
  lw a5, 1(a0)
  end misaligned_word

  begin misaligned_word_use
  lw a5, 1(a0)
  addi a6, a5, 1
  end misaligned_word_use

  begin misaligned_half
  lh a5, 3(a0)
  end misaligned_half

  begin misaligned_half_in_word
  lh a5, 1(a0)
  end misaligned_half_in_word

  begin misaligned_store
  sw s0, 2(a0)
  end misaligned_store

  begin branch_not_taken
  bne s0, s0, 1f
  end branch_not_taken
1:
  begin branch_taken
  beq s0, s0, 1f
  nop
1:
  end branch_taken

  begin branch_taken_to_next
  .option push
  .option norvc
  beq s0, s0, .+4
  .option pop
  end branch_taken_to_next

  begin jump
  j 1f
  nop
1:
  end jump

  begin jump_wide
  .option push
  .option norvc
  jal a5, 1f
  nop
1:
  .option pop
  end jump_wide

  begin jump_register
  la a5, 1f
  jr a5
  nop
1:
  end jump_register

  begin loop
  li a5, 10
1:
  addi a5, a5, -1
  bnez a5, 1b
  end loop

  begin mul
  mul a5, s0, s1
  end mul
  begin mulh
  mulh a5, s0, s1
  end mulh
  begin mulhu
  mulhu a5, s0, s1
  end mulhu
  begin mulhsu
  mulhsu a5, s0, s1
  end mulhsu
  begin div
  div a5, s0, s1
  end div
  begin divu
  divu a5, s0, s1
  end divu
  begin rem
  rem a5, s0, s1
  end rem
  begin remu
  remu a5, s0, s1
  end remu

  begin csr
  csrr a5, mscratch
  csrw mscratch, a5
  csrr a6, mcycle
  end csr

  begin fences
  fence
  fence rw, rw
  end fences

  begin mret
  la a5, 1f
  csrw mepc, a5
  mret
1:
  end mret

  begin trap
  la a5, 1f
  csrw mtvec, a5
  ecall
  .balign 4
1:
  end trap

  begin trap_of_store
  la a5, 1f
  csrw mtvec, a5
  sw a5, 0(zero)
  nop
  .balign 4
1:
  end trap_of_store

  # Counters read by the program itself: cycles and instructions between two reads.
  begin own_counters
  csrr s2, mcycle
  csrr s3, minstret
  lw a5, 0(a0)
  addi a5, a5, 1
  mulh a5, a5, a5
  csrr s4, mcycle
  csrr s5, minstret
  end own_counters

  # Straight lines longer than the cache (2 KiB) in 4-byte instructions, for refills.
  .option norvc
  begin straight
  .rept 768
  addi a5, a5, 1
  .endr
  end straight

  # An instruction across a line end, after 15 halfwords of the first line.
  begin across
  .option rvc
  .rept 15
  c.addi a5, 1
  .endr
  .option norvc
  addi a5, a5, 0x100
  end across

  # Five lines of one set (512 bytes apart), visited in turn three times.
  begin conflict
  li a5, 3
  j set0
  .macro visit number, next
  .balign 512
set\number:
  addi a6, a6, 1
  j \next
  .endm
  visit 0, set1
  visit 1, set2
  visit 2, set3
  visit 3, set4
  .balign 512
set4:
  addi a5, a5, -1
  bnez a5, set0
  end conflict

  # The same with four lines, which fit. Their next lines are prefetched into another set, so it starts in a third.
  .balign 512
  .space 256
  begin fits
  li a5, 3
  j fit0
  .balign 512
  .macro fit number, next
  .balign 512
fit\number:
  addi a6, a6, 1
  j \next
  .endm
  fit 0, fit1
  fit 1, fit2
  fit 2, fit3
  .balign 512
fit3:
  addi a5, a5, -1
  bnez a5, fit0
  end fits
