# SPDX-License-Identifier: Apache-2.0
# The libraries Nearcube builds on, each as one imported target, whatever its package calls it.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(Threads REQUIRED)
# Boost's own configuration, which its headers come with; CMake 3.30 warns unless it is told.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 REQUIRED)
find_package(Catch2 REQUIRED)
# Debian's oneDNN configuration asks for an OpenCL that its CPU library does not use.
find_library(NEARCUBE_ONEDNN dnnl REQUIRED)
find_library(NEARCUBE_ELF elf REQUIRED)
find_library(NEARCUBE_DW dw REQUIRED)
find_library(NEARCUBE_MPFR mpfr REQUIRED)
find_library(NEARCUBE_GMP gmp REQUIRED)

if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_program(NEARCUBE_VERILATOR verilator REQUIRED)
find_program(NEARCUBE_CCACHE ccache)
if(NEARCUBE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${NEARCUBE_CCACHE})
endif()
# The system's own interpreter: python3-yaml is installed for it, not for one put before it in PATH.
find_program(NEARCUBE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
