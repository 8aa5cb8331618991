# SPDX-License-Identifier: Apache-2.0
# nearcube_firmware(NAME SOURCES files...)
#
# Builds build/firmware/NAME.elf from C and assembler for a cluster's core, with the boot code. The target is firmware_NAME, and
# `firmware` is all of them. Sources include "hal/ntx.h" and so on, by their path from riscv-firmware/.
find_program(NEARCUBE_RISCV_GCC riscv64-unknown-elf-gcc REQUIRED)

# misa-spec 2.2: with the newer default, rv32imc has no CSR instructions, and rv32imc_zicsr picks another C library.
# no-save-restore: shared prologues are calls to code elsewhere, which the hot loop would fetch into its 2 KiB cache.
# no-sign-conversion: see NearcubeTargets.cmake; -Wconversion still names every change of value by width.
set(NEARCUBE_FIRMWARE_FLAGS -std=c17 -march=rv32imc -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs
  -DPICOLIBC_INTEGER_PRINTF_SCANF -Os -mno-save-restore -g -ffunction-sections -fdata-sections
  -Wall -Wextra -Werror -Wconversion -Wno-sign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes)

add_custom_target(firmware)

function(nearcube_firmware name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  set(root ${PROJECT_SOURCE_DIR}/riscv-firmware)
  set(dir ${CMAKE_BINARY_DIR}/firmware)
  file(MAKE_DIRECTORY ${dir}/${name})
  set(objects)
  foreach(source IN LISTS ARG_SOURCES ITEMS ${root}/boot/start.S ${root}/boot/boot.c)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(stem ${source} NAME)
    set(object ${dir}/${name}/${stem}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${NEARCUBE_RISCV_GCC} ${NEARCUBE_FIRMWARE_FLAGS} -I${root} -I${PROJECT_SOURCE_DIR}/interfaces/generated
        -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/= -MMD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d
      COMMENT "Firmware ${name}: ${stem}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(elf ${dir}/${name}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${NEARCUBE_RISCV_GCC} ${NEARCUBE_FIRMWARE_FLAGS} -nostartfiles -T${root}/boot/link.ld
      -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments -Wl,-Map=${dir}/${name}.map ${objects} -o ${elf}
    DEPENDS ${objects} ${root}/boot/link.ld
    COMMENT "Firmware ${name}.elf" VERBATIM)
  add_custom_target(firmware_${name} ALL DEPENDS ${elf})
  add_dependencies(firmware firmware_${name})
endfunction()
