// SPDX-License-Identifier: Apache-2.0
// The simulation context that every Verilated model runs in.
#pragma once

#include <verilated.h>
#if VM_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <atomic>
#include <cstdlib>
#include <string>
#endif

namespace nearcube::rtl {

/// Verilator's context that, in a coverage build, leaves what it covered in the folder that
/// NEARCUBE_COVERAGE_DIR names (`make coverage` sets it and merges the files).
class Context : public VerilatedContext {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
#if VM_COVERAGE
  ~Context() {
    static std::atomic<unsigned> number = 0;
    if (const char* folder = std::getenv("NEARCUBE_COVERAGE_DIR")) {
      const std::string name = std::to_string(getpid()) + "-" + std::to_string(number++) + ".dat";
      coveragep()->write((std::string(folder) + "/" + name).c_str());
    }
  }
#endif
};

}  // namespace nearcube::rtl
