# SPDX-License-Identifier: Apache-2.0
# One instruction a label, for tests that set registers, execute it alone and compare with a formula. Operands are
# a1 and a2, the result is a0. Instructions with an immediate come as a row of 4-byte ones.
  .option norvc
  .option norelax
  .text
  .globl _start
_start:

  .macro register_operation name
  .globl op_\name
op_\name:
  \name a0, a1, a2
  .endm

  .irp name, add, sub, sll, slt, sltu, xor, srl, sra, or, and, mul, mulh, mulhsu, mulhu, div, divu, rem, remu
  register_operation \name
  .endr

  .macro immediate_operation name
  .globl op_\name
op_\name:
  .irp value, -2048, -1365, -2, -1, 0, 1, 31, 32, 1365, 2047
  \name a0, a1, \value
  .endr
  .endm

  .irp name, addi, slti, sltiu, xori, ori, andi
  immediate_operation \name
  .endr

  .macro shift_operation name
  .globl op_\name
op_\name:
  .irp value, 0, 1, 2, 7, 15, 16, 24, 30, 31
  \name a0, a1, \value
  .endr
  .endm

  .irp name, slli, srli, srai
  shift_operation \name
  .endr

  .macro upper_operation name
  .globl op_\name
op_\name:
  .irp value, 0, 1, 0x12345, 0x7ffff, 0x80000, 0xfffff
  \name a0, \value
  .endr
  .endm
  upper_operation lui
  upper_operation auipc

  .macro branch_operation name
  .globl op_\name
op_\name:
  \name a1, a2, .+0x100
  \name a1, a2, .-0x80
  \name a1, a2, .+0xffe
  \name a1, a2, .-0x1000
  .endm
  .irp name, beq, bne, blt, bge, bltu, bgeu
  branch_operation \name
  .endr

  .globl op_jal
op_jal:
  jal a0, .+0x100
  jal a0, .-0x100
  jal a0, .+0xffffe
  jal a0, .-0x100000
  jal zero, .+0x100

  .macro load_operation name
  .globl op_\name
op_\name:
  .irp value, -2048, -3, 0, 1, 2047
  \name a0, \value(a1)
  .endr
  .endm
  .irp name, lb, lh, lw, lbu, lhu, jalr
  load_operation \name
  .endr

  .macro store_operation name
  .globl op_\name
op_\name:
  .irp value, -2048, -3, 0, 1, 2047
  \name a2, \value(a1)
  .endr
  .endm
  .irp name, sb, sh, sw
  store_operation \name
  .endr

  # Writes to x0 are lost.
  .globl op_discard
op_discard:
  add zero, a1, a2
  lw zero, 0(a1)
  jalr zero, 0(a1)
  csrrs zero, mscratch, a1

  # rd equal to a source.
  .globl op_same
op_same:
  jalr a1, 0(a1)
  lw a1, 0(a1)
  csrrw a1, mscratch, a1
