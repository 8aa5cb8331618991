// SPDX-License-Identifier: Apache-2.0
// The whole cluster with cube memory, driven through the core's ports by a C++ test in place of a core.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/fast/cluster.h"
#include "sim/memory/axi_memory.h"
#include "sim/memory/flat_memory.h"
#include "sim/rtl/cluster.h"
#include "sim/rtl/cluster_model.h"

namespace nearcube::test {

class Machine {
 public:
  static constexpr std::uint64_t kMemoryBytes = 1 << 20;

  struct Answer {
    std::uint32_t data;
    bool error;
    std::uint64_t core_cycles;  ///< from the cycle of the request to that of the answer
  };

  /// `fast`: sim/fast instead of the RTL.
  explicit Machine(const memory::AxiTiming& timing = {}, std::uint64_t seed = 1,
                   const rtl::ClusterParameters& parameters = {}, bool fast = false)
      : Machine({.cluster_id = 5, .cluster_count = 9, .seed = seed, .parameters = parameters}, timing, fast) {
  }

  Machine(const rtl::ClusterOptions& options, const memory::AxiTiming& timing, bool fast)
      : memory(interfaces::kCubeBase, kMemoryBytes, memory::Untouched::kPoison),
        cluster(options, fast ? nearcube::fast::make_cluster(options) : rtl::make_cluster(options)),
        axi_(memory, timing) {
    inputs.axi = axi_.outputs();
    cluster.drive(inputs);
  }

  /// Runs to the end of this core cycle and returns what the cluster drove in it; `inputs` hold in the next.
  rtl::ClusterOutputs core_cycle() {
    while (!cluster.core_tick()) cluster.cycle();
    const rtl::ClusterOutputs out = cluster.sample();
    axi_.tick(out.axi);
    if (out.char_valid) text += out.character;
    arrivals += out.barrier_arrive;
    return out;
  }
  /// After core_cycle(): makes `inputs` hold from the next core cycle on.
  void commit() {
    inputs.axi = axi_.outputs();
    cluster.drive(inputs);
    cluster.cycle();
    ++core_cycles;
  }

  Answer access(bool write, std::uint32_t address, std::uint32_t data = 0, unsigned be = 15) {
    inputs.data_req = true;
    inputs.data_we = write;
    inputs.data_be = static_cast<std::uint8_t>(be);
    inputs.data_addr = address;
    inputs.data_wdata = data;
    // The request appears at the next core cycle's start.
    core_cycle();
    commit();
    const std::uint64_t begin = core_cycles;
    for (;;) {
      const rtl::ClusterOutputs out = core_cycle();
      if (out.data_gnt) inputs.data_req = false;
      commit();
      if (out.data_rvalid) return {out.data_rdata, out.data_err, core_cycles - 1 - begin};
      if (core_cycles - begin > 100000)
        throw std::runtime_error("no answer from address " + std::to_string(address));
    }
  }

  void write(std::uint64_t address, std::uint32_t data) {
    if (access(true, static_cast<std::uint32_t>(address), data).error) {
      throw std::runtime_error("bus error on a write to " + std::to_string(address));
    }
  }
  std::uint32_t read(std::uint64_t address) {
    const Answer answer = access(false, static_cast<std::uint32_t>(address));
    if (answer.error) throw std::runtime_error("bus error on a read of " + std::to_string(address));
    return answer.data;
  }
  /// Reads until `done` likes the value.
  std::uint32_t poll(std::uint64_t address, const std::function<bool(std::uint32_t)>& done) {
    for (unsigned i = 0; i < 100000; ++i) {
      const std::uint32_t value = read(address);
      if (done(value)) return value;
    }
    throw std::runtime_error("polled for too long");
  }

  struct Line {
    std::array<std::uint64_t, 4> beats{};
    std::array<bool, 4> errors{};
  };
  Line fetch(std::uint32_t address) {
    inputs.instr_req = true;
    inputs.instr_addr = address;
    core_cycle();
    commit();
    Line line;
    unsigned beat = 0;
    for (unsigned i = 0; i < 100000; ++i) {
      const rtl::ClusterOutputs out = core_cycle();
      if (out.instr_gnt) inputs.instr_req = false;
      commit();
      if (!out.instr_rvalid) continue;
      line.beats[beat] = out.instr_rdata;
      line.errors[beat] = out.instr_err;
      if (out.instr_last != (beat == 3)) throw std::runtime_error("last beat in the wrong place");
      if (++beat == 4) return line;
    }
    throw std::runtime_error("no line");
  }

  /// A one-dimensional copy by the DMA, waited for.
  void copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    start_copy(from, to, bytes);
    const std::uint32_t id = read(interfaces::kDmaBase + interfaces::dma::kStartedIdOffset);
    poll(interfaces::kDmaBase + interfaces::dma::kCompletedIdOffset,
         [=](std::uint32_t now) { return now == id; });
  }
  void start_copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
    namespace dma = interfaces::dma;
    write(interfaces::kDmaBase + dma::kSrcLoOffset, static_cast<std::uint32_t>(from));
    write(interfaces::kDmaBase + dma::kSrcHiOffset, static_cast<std::uint32_t>(from >> 32));
    write(interfaces::kDmaBase + dma::kDstLoOffset, static_cast<std::uint32_t>(to));
    write(interfaces::kDmaBase + dma::kDstHiOffset, static_cast<std::uint32_t>(to >> 32));
    write(interfaces::kDmaBase + dma::kBytesOffset, bytes);
    write(interfaces::kDmaBase + dma::kStartOffset, 0);
  }

  static std::uint64_t ntx(unsigned unit, std::uint32_t offset) {
    return interfaces::kNtxBase + 0x80 * std::uint64_t{unit} + offset;
  }
  static std::uint64_t control(std::uint32_t offset) { return interfaces::kControlBase + offset; }
  static std::uint64_t counter(std::uint32_t offset) { return interfaces::kCountersBase + offset; }

  memory::FlatMemory memory;
  rtl::Cluster cluster;
  rtl::ClusterInputs inputs;
  std::uint64_t core_cycles = 0;
  std::string text;       ///< what was printed
  unsigned arrivals = 0;  ///< at the barrier

 private:
  memory::AxiMemory axi_;
};

}  // namespace nearcube::test
