# SPDX-License-Identifier: Apache-2.0
# Targets with the project's warnings: nearcube_library, nearcube_program, nearcube_test.

# -Wconversion names every conversion that may lose bits; one between signed and unsigned of the same width keeps them
# all, and indices and register words make it everywhere.
add_library(nearcube_options INTERFACE)
target_compile_options(nearcube_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror -fno-math-errno)
target_include_directories(nearcube_options INTERFACE ${PROJECT_SOURCE_DIR})
if(NEARCUBE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# nearcube_library(NAME SOURCES... USES targets...)
# Headers are included by their path from the repository's root: #include "sim/base/error.h".
function(nearcube_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC nearcube_options ${ARG_USES})
endfunction()

# nearcube_test(NAME SOURCES... USES targets... [ARGS ...] [LONG])
# One Catch2 program; `make test` runs it, and `make nightly` runs it with NEARCUBE_NIGHTLY=1 set,
# in which random tests take their long trip counts. LONG: in nightly only.
function(nearcube_test name)
  cmake_parse_arguments(ARG "LONG" "TIMEOUT" "SOURCES;USES;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE nearcube_options nearcube_catch ${ARG_USES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES LABELS nightly)
  endif()
endfunction()
