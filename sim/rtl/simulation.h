// SPDX-License-Identifier: Apache-2.0
// A Verilated model in a simulation context of its own.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <memory>
#if VM_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <atomic>
#include <cstdlib>
#include <string>
#endif

namespace nearcube::rtl {

/// Owns a model and its context. Registers without reset start with values drawn from `seed`. In a coverage
/// build they start with zeros, as a fall from a random value to that of the reset would count as a toggle,
/// and what the model covered goes into the folder that NEARCUBE_COVERAGE_DIR names when it ends
/// (scripts/coverage merges the files).
template <typename Model>
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed, bool traced = false) {
    context_.randReset(VM_COVERAGE ? 0 : 2);
    // Verilator takes a seed of 31 bits, and 0 for a time-dependent one.
    context_.randSeed(static_cast<int>(seed % 0x7FFFFFFF) + 1);
    context_.traceEverOn(traced);
    model_ = std::make_unique<Model>(&context_, "TOP");
  }
  ~Simulation() {
    // Verilator 5.006 takes a dying model's scopes out of the thread's context, whichever that is.
    Verilated::threadContextp(&context_);
    model_->final();
    save_coverage();
    model_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  VerilatedContext& context() { return context_; }
  Model& operator*() const { return *model_; }
  Model* operator->() const { return model_.get(); }

 private:
  void save_coverage() {
#if VM_COVERAGE
    // The counters are the model's: now, before it goes.
    static std::atomic<unsigned> number = 0;
    if (const char* folder = std::getenv("NEARCUBE_COVERAGE_DIR")) {
      const std::string name = std::string(model_->modelName()) + "-" + std::to_string(getpid()) + "-" +
                               std::to_string(number++) + ".dat";
      context_.coveragep()->write((std::string(folder) + "/" + name).c_str());
    }
#endif
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
};

}  // namespace nearcube::rtl
