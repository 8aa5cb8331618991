# SPDX-License-Identifier: Apache-2.0
# nearcube_verilate(NAME TOP module ROOMS rtl rooms... [SOURCES extra files...] [PARAMETERS -GName=value...]
#                   [SHARE] [TRACE] [FAST]
#                   [TOGGLES rtl files...])
#
# Makes the imported library verilated::NAME with the class V<NAME> (header "V<NAME>.h"). It is built on demand, in
# its own folder, and again only when a source changes. Assertions are on. Without FAST every
# register starts with a random value drawn from the run-time seed, so that nothing leans on an unwritten one.
# A room's sources are listed in rtl/<room>/files.f in compilation order.
# SHARE: merge the code of equal instances, which then stays in the processor's instruction cache (the cluster with
# eight NTX: 1.7 times as fast, built in a third of the time). Verilator merges equal functions of modules that it does
# not inline; SOURCES must hold a file that says which, see sim/rtl/share.vlt. Lookup tables, which Verilator numbers,
# are off.
# TOGGLES: in a coverage build, count toggles in these files only, "none" for no file; of the rest the lines. Toggles
# of the whole cluster leave it a sixth of its speed, and every block but these has a model of its own that counts them.

include(ProcessorCount)

execute_process(COMMAND ${NEARCUBE_VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE NEARCUBE_VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

function(nearcube_rtl_sources variable)
  set(files)
  foreach(room ${ARGN})
    set(list ${PROJECT_SOURCE_DIR}/rtl/${room}/files.f)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} names)
    foreach(name IN LISTS names)
      if(name AND NOT name MATCHES "^(#|//)")
        list(APPEND files ${PROJECT_SOURCE_DIR}/rtl/${room}/${name})
      endif()
    endforeach()
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

function(nearcube_verilate name)
  cmake_parse_arguments(ARG "TRACE;FAST;SHARE" "TOP" "ROOMS;SOURCES;PARAMETERS;TOGGLES" ${ARGN})
  nearcube_rtl_sources(sources ${ARG_ROOMS})
  foreach(file IN LISTS ARG_SOURCES)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND sources ${file})
  endforeach()
  # Verilator takes the names it is given apart at spaces, and writes them into the model: from the root of the
  # sources on, they have none, and are the same in every checkout.
  set(names)
  foreach(file IN LISTS sources)
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${file})
    list(APPEND names ${file})
  endforeach()
  set(dir ${CMAKE_BINARY_DIR}/verilated/${name})
  set(flags --cc --top-module ${ARG_TOP} --prefix V${name} --Mdir ${dir} -Wall --assert -O3
    --output-split 12000 --timescale 1ns/1ps -Irtl/common ${ARG_PARAMETERS})
  if(ARG_TRACE)
    list(APPEND flags --trace-fst --trace-structs)
  endif()
  if(ARG_FAST)
    list(APPEND flags --x-assign fast --x-initial fast)
  else()
    list(APPEND flags --x-assign unique --x-initial unique)
  endif()
  set(toggles)
  if(NEARCUBE_COVERAGE)
    # Where Verilator splits a process, it gives the counters a part of their own, whose conditions then see what the
    # variables are at the end of the process: branches that were taken count as not taken, and the other way round.
    list(APPEND flags --coverage-line -fno-split)
    if(NOT "${ARG_TOGGLES}" STREQUAL "none")
      # Up to the interconnect's bundles and the accumulator, not the memories.
      list(APPEND flags --coverage-toggle --coverage-max-width 2048)
    endif()
    if(ARG_TOGGLES AND NOT "${ARG_TOGGLES}" STREQUAL "none")
      set(others ${names})
      list(FILTER others INCLUDE REGEX "\\.sv$")
      list(REMOVE_ITEM others ${ARG_TOGGLES})
      set(toggles COMMAND ${PROJECT_SOURCE_DIR}/scripts/coverage-toggles --output ${dir}/toggles.vlt ${others})
      # Before the sources: it is obeyed while they are read.
      list(PREPEND names ${dir}/toggles.vlt)
    endif()
  endif()
  if(ARG_SHARE)
    list(APPEND flags -fno-table)
  endif()
  set(cxxflags "-O2")
  if(NEARCUBE_COVERAGE)
    set(cxxflags "-O1")
  endif()
  if(NEARCUBE_SANITIZE)
    set(cxxflags "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all")
  endif()
  # The headers are not in the list, but what includes them depends on them.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/common/*.svh)
  # Verilator's makefile talks about every archive.
  set(quiet ${PROJECT_SOURCE_DIR}/scripts/quiet)
  # The archive's name depends on the Verilator version; libV<name>.a is ours.
  set(archive ${dir}/libV${name}.a)
  # The headers are outputs too, so that what includes them is compiled again in the same build.
  add_custom_command(OUTPUT ${archive} ${dir}/V${name}.h ${dir}/V${name}___024root.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    ${toggles}
    COMMAND ${quiet} ${NEARCUBE_VERILATOR} ${flags} ${names}
    COMMAND ${quiet} ${CMAKE_COMMAND} -E env OBJCACHE=${NEARCUBE_CCACHE} MAKEFLAGS=
      make -s -j 2 -C ${dir} -f V${name}.mk OPT_FAST=${cxxflags} OPT_SLOW=-O1 OPT_GLOBAL=${cxxflags} V${name}__ALL.a
    COMMAND ${CMAKE_COMMAND} -E copy ${dir}/V${name}__ALL.a ${archive}
    DEPENDS ${sources} ${headers} ${PROJECT_SOURCE_DIR}/cmake/NearcubeVerilate.cmake
      ${PROJECT_SOURCE_DIR}/scripts/coverage-toggles
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(verilate_${name} DEPENDS ${archive})
  add_library(verilated_${name} INTERFACE)
  add_dependencies(verilated_${name} verilate_${name})
  file(MAKE_DIRECTORY ${dir})
  target_include_directories(verilated_${name} SYSTEM INTERFACE ${dir})
  target_link_libraries(verilated_${name} INTERFACE ${archive} nearcube_verilator)
  if(ARG_TRACE)
    target_compile_definitions(verilated_${name} INTERFACE NEARCUBE_TRACE_FST=1)
  endif()
  add_library(verilated::${name} ALIAS verilated_${name})
endfunction()

# Verilator's run-time library, once for all models.
set(runtime ${NEARCUBE_VERILATOR_ROOT}/include)
set(runtime_sources ${runtime}/verilated.cpp ${runtime}/verilated_fst_c.cpp)
foreach(optional verilated_threads.cpp)
  if(EXISTS ${runtime}/${optional})
    list(APPEND runtime_sources ${runtime}/${optional})
  endif()
endforeach()
if(NEARCUBE_COVERAGE)
  list(APPEND runtime_sources ${runtime}/verilated_cov.cpp)
endif()
add_library(nearcube_verilator STATIC EXCLUDE_FROM_ALL ${runtime_sources})
target_include_directories(nearcube_verilator SYSTEM PUBLIC ${runtime} ${runtime}/vltstd)
target_compile_definitions(nearcube_verilator PUBLIC VM_COVERAGE=$<BOOL:${NEARCUBE_COVERAGE}> VM_SC=0
  VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
target_compile_options(nearcube_verilator PRIVATE -w -O2)
target_link_libraries(nearcube_verilator PUBLIC Threads::Threads ZLIB::ZLIB)
