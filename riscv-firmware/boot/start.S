# SPDX-License-Identifier: Apache-2.0
# Reset: every cluster's core starts here. Code and constants stay in cube memory; variables and stack are in the TCDM.

    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, nc_stack_top
    la t0, nc_trap_entry
    csrw mtvec, t0
    li t0, 1 << 11                  # mie.MEIE: an external interrupt ends WFI; mstatus.MIE stays 0, so none is taken
    csrw mie, t0

    la t0, nc_data_start            # .data: from its image in cube memory to the TCDM
    la t1, nc_data_end
    la t2, nc_data_image
1:  bgeu t0, t1, 2f
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j 1b
2:  la t0, nc_bss_start             # whole 16-byte steps: see link.ld
    la t1, nc_bss_end
3:  bgeu t0, t1, 4f
    sw zero, 0(t0)
    sw zero, 4(t0)
    sw zero, 8(t0)
    sw zero, 12(t0)
    addi t0, t0, 16
    j 3b
4:  call main
    call exit
    .size _start, . - _start

# An exception that nobody expected: say which and where, and end the run. The interrupted program is lost, so its stack is reused.
    .balign 4
    .type nc_trap_entry, @function
nc_trap_entry:
    la sp, nc_stack_top
    la t0, nc_trap_again            # an exception in the report itself ends the run without one
    csrw mtvec, t0
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    tail nc_trap
    .size nc_trap_entry, . - nc_trap_entry

    .balign 4
nc_trap_again:
    j nc_trap_end
