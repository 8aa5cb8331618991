// SPDX-License-Identifier: Apache-2.0
// An AXI4 slave with fixed latency and bandwidth in front of a FlatMemory, for one master.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/axi_port.h"

namespace nearcube::memory {

/// An AxiPort whose accesses are carried out as they are asked for.
class AxiMemory {
 public:
  AxiMemory(FlatMemory& memory, const AxiTiming& timing)
      : memory_(memory), timing_(timing), port_(memory.base(), memory.capacity(), 64, timing) {}

  /// The outputs in the present core cycle.
  const AxiResponse& outputs() const { return port_.outputs(); }

  /// Ends a core cycle in which the master drove `request` and the slave outputs(): takes what shook hands
  /// and decides the outputs of the next cycle. True if any beat or address was taken.
  bool tick(const AxiRequest& request) {
    const bool progress = port_.take(request);
    for (const Access& access : port_.asked()) answer(port_, access, memory_, nullptr, timing_);
    port_.forget_asked();
    port_.offer();
    return progress;
  }

  std::uint64_t read_beats() const { return port_.read_beats(); }
  std::uint64_t write_beats() const { return port_.write_beats(); }
  std::vector<std::string> describe() const { return port_.describe(); }
  bool time_helps() const { return port_.time_helps(); }

 private:
  FlatMemory& memory_;
  AxiTiming timing_;
  AxiPort port_;
};

}  // namespace nearcube::memory
