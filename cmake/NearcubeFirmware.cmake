# SPDX-License-Identifier: Apache-2.0
find_program(NEARCUBE_RISCV_GCC riscv64-unknown-elf-gcc REQUIRED)
