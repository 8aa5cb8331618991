// SPDX-License-Identifier: Apache-2.0
// The two ways to run a program, with one face: CoreMachine ticks a Core against ports with any timing and
// checks its side of the protocol, FunctionalMachine runs the functional executor. Both have the memory of
// TestMemory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/riscv/core.h"
#include "sim/riscv/elf.h"
#include "sim/riscv/functional.h"
#include "tests/support/random.h"

namespace nearcube::test {

inline constexpr std::uint32_t kTcdm = 0x10000000;
inline constexpr std::uint32_t kTcdmBytes = 0x10000;
inline constexpr std::uint32_t kCube = 0x80000000;
inline constexpr std::uint32_t kCubeBytes = 0x100000;
inline constexpr std::uint32_t kExitRegister = 0x10200030;
/// A write sets the interrupt lines: bit 0 external, bit 1 timer. Not of the product.
inline constexpr std::uint32_t kLinesRegister = 0x10200100;
/// A word to read and write. Not of the product.
inline constexpr std::uint32_t kPlainRegister = 0x10200104;

/// 64 KiB of TCDM, 1 MiB of cube memory, three device registers that take whole words only, and nothing else.
struct TestMemory {
  std::vector<std::uint8_t> tcdm = std::vector<std::uint8_t>(kTcdmBytes);
  std::vector<std::uint8_t> cube = std::vector<std::uint8_t>(kCubeBytes);
  std::uint32_t plain = 0;
  bool external = false;
  bool timer = false;
  std::optional<std::uint32_t> exit_code;

  std::uint8_t* at(std::uint32_t address) {
    if (address - kTcdm < kTcdmBytes) return &tcdm[address - kTcdm];
    if (address - kCube < kCubeBytes) return &cube[address - kCube];
    return nullptr;
  }
  std::uint32_t word(std::uint32_t address) {
    std::uint32_t value;
    std::memcpy(&value, at(address), 4);
    return value;
  }
  void set_word(std::uint32_t address, std::uint32_t value) { std::memcpy(at(address), &value, 4); }
  void set_half(std::uint32_t address, std::uint16_t value) { std::memcpy(at(address), &value, 2); }
  void load(const riscv::ElfFile& file) {
    for (const auto& segment : file.segments()) {
      std::memset(at(segment.address), 0, segment.memory_bytes);
      std::memcpy(at(segment.address), segment.bytes.data(), segment.bytes.size());
    }
  }

  // The bus of Functional.
  std::uint8_t* data_page(std::uint32_t page) { return at(page); }
  const std::uint8_t* code_page(std::uint32_t page) { return page >= kCube ? at(page) : nullptr; }
  riscv::Access device(std::uint32_t address, bool write, std::uint8_t byte_enables, std::uint32_t& data) {
    if (byte_enables != 0xF) return riscv::Access::kFault;
    if (address == kPlainRegister) {
      if (write) plain = data;
      if (!write) data = plain;
      return riscv::Access::kDone;
    }
    if (address == kExitRegister && write) {
      exit_code = data;
      return riscv::Access::kStop;
    }
    if (address == kLinesRegister && write) {
      external = (data & 1u) != 0;
      timer = (data & 2u) != 0;
      return riscv::Access::kDevice;
    }
    return riscv::Access::kFault;
  }
  /// One word access as a port sees it. False: bus error.
  bool access(std::uint32_t address, bool write, std::uint8_t byte_enables, std::uint32_t& data) {
    std::uint8_t* host = at(address);
    if (host == nullptr) return device(address, write, byte_enables, data) != riscv::Access::kFault;
    if (!write) {
      std::memcpy(&data, host, 4);
      return true;
    }
    for (unsigned i = 0; i < 4; ++i) {
      if ((byte_enables >> i & 1u) != 0) host[i] = static_cast<std::uint8_t>(data >> (8 * i));
    }
    return true;
  }
};

/// Timing of the ports. Latencies are ticks from grant to answer (first beat for instructions), at least 1.
struct PortTiming {
  unsigned tcdm = 1;
  unsigned peripheral = 1;
  unsigned memory = 10;
  unsigned instruction = 10;
  unsigned lines = 4;           ///< of instructions that may be on their way
  unsigned grant_delay = 0;     ///< ticks that a data request waits for its grant
  double withhold = 0;          ///< probability that a grant or beat does not come in a tick
  unsigned random_latency = 0;  ///< up to this is added to each latency
};

class CoreMachine {
 public:
  explicit CoreMachine(PortTiming timing = {}, std::uint64_t seed = 1) : timing_(timing), random_(seed) {}

  TestMemory memory;
  riscv::Core core{3};

  void start(std::uint32_t pc) {
    core.reset(pc);
    memory.exit_code.reset();
    memory.external = memory.timer = false;
    data_left_ = 0;
    lines_.clear();
  }

  void tick() {
    using riscv::CoreInputs;
    const riscv::CoreOutputs out = core.outputs();
    check_protocol(out);
    CoreInputs in;
    if (data_left_ > 0 && --data_left_ == 0) {
      in.data_rvalid = true;
      in.data_err = !data_ok_;
      in.data_rdata = data_ok_ ? data_ : static_cast<std::uint32_t>(random_());
    }
    if (out.data_req && data_left_ == 0 && waited_++ >= timing_.grant_delay && !withheld()) {
      in.data_gnt = true;
      waited_ = 0;
      data_ = out.data_wdata;
      data_ok_ = memory.access(out.data_addr, out.data_we, out.data_be, data_);
      const bool peripheral = out.data_addr >= interfaces::kControlBase && out.data_addr < kCube;
      data_left_ = latency(out.data_addr - kTcdm < kTcdmBytes ? timing_.tcdm
                           : peripheral                       ? timing_.peripheral
                                                              : timing_.memory);
    }
    if (!lines_.empty() && lines_.front().due <= now_ && !withheld()) {
      Line& line = lines_.front();
      in.instr_rvalid = true;
      in.instr_err = !line.ok;
      in.instr_rdata = line.beats[line.next];
      in.instr_last = ++line.next == line.beats.size();
      if (in.instr_last) lines_.pop_front();
    }
    if (out.instr_req && lines_.size() < timing_.lines && !withheld()) {
      in.instr_gnt = true;
      // Read at once: what is stored from now on is not in the line.
      const std::uint8_t* from = out.instr_addr >= kCube ? memory.at(out.instr_addr) : nullptr;
      Line line{.due = now_ + latency(timing_.instruction), .ok = from != nullptr};
      if (line.ok) std::memcpy(line.beats.data(), from, sizeof line.beats);
      lines_.push_back(line);
    }
    ++now_;
    in.irq_external = memory.external;
    in.irq_timer = memory.timer;
    previous_ = out;
    data_open_ = out.data_req && !in.data_gnt;
    instr_open_ = out.instr_req && !in.instr_gnt;
    core.tick(in);
  }

  /// Ticks until exit, halt or sleep. Throws after `limit` ticks.
  void run(std::uint64_t limit = 1'000'000) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      if (memory.exit_code || core.halted() || core.status().sleeping) {
        finish();
        return;
      }
      tick();
    }
    throw std::runtime_error("the program did not end; the core waits for " +
                             std::string(riscv::describe(core.status().wait)));
  }

  void set_lines(bool external, bool timer) {
    memory.external = external;
    memory.timer = timer;
    tick();
  }
  std::uint32_t x(unsigned i) const { return core.x(i); }
  riscv::CsrFile& csr() { return core.csr(); }
  bool halted() const { return core.halted(); }
  bool asleep() const { return core.status().sleeping; }
  const riscv::Trap& trap() const { return core.trap(); }

 private:
  /// Lets the access under way be answered, so that registers are up to date.
  void finish() {
    core.hold(true);
    for (int i = 0; i < 1000 && !core.quiet() && !core.status().sleeping; ++i) tick();
    core.hold(false);
  }
  bool withheld() {
    return timing_.withhold > 0 && std::uniform_real_distribution<>(0, 1)(random_) < timing_.withhold;
  }
  unsigned latency(unsigned base) {
    return base +
           (timing_.random_latency > 0 ? static_cast<unsigned>(random_() % (timing_.random_latency + 1)) : 0);
  }
  void check_protocol(const riscv::CoreOutputs& out) const {
    const auto require = [](bool ok, const char* what) {
      if (!ok) throw std::runtime_error(std::string("core breaks its ports' protocol: ") + what);
    };
    require(!out.data_req || out.data_addr % 4 == 0, "data address not aligned");
    require(!out.data_req || (out.data_be != 0 && out.data_be < 16), "no byte enabled");
    require(!out.instr_req || out.instr_addr % 32 == 0, "instruction address not aligned");
    if (data_open_) {
      require(out.data_req && out.data_we == previous_.data_we && out.data_be == previous_.data_be &&
                  out.data_addr == previous_.data_addr && out.data_wdata == previous_.data_wdata,
              "data request changed before its grant");
    }
    if (instr_open_) {
      require(out.instr_req && out.instr_addr == previous_.instr_addr,
              "instruction request changed before its grant");
    }
  }

  PortTiming timing_;
  Random random_;
  unsigned data_left_ = 0;
  bool data_ok_ = false;
  std::uint32_t data_ = 0;
  unsigned waited_ = 0;
  /// A line of instructions on its way.
  struct Line {
    std::uint64_t due = 0;  ///< tick of the first beat
    bool ok = false;
    std::size_t next = 0;
    std::array<std::uint64_t, 4> beats{};
  };
  std::uint64_t now_ = 0;
  std::deque<Line> lines_;
  bool data_open_ = false;
  bool instr_open_ = false;
  riscv::CoreOutputs previous_;
};

class FunctionalMachine {
 public:
  TestMemory memory;
  riscv::Functional<TestMemory> hart{3, memory};

  void start(std::uint32_t pc) {
    hart.reset(pc);
    memory.exit_code.reset();
    memory.external = memory.timer = false;
  }
  void run(std::uint64_t limit = 1'000'000) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      // One at a time, because the device raises its lines in memory.
      hart.set_lines(memory.external, memory.timer);
      const riscv::Stop stop = hart.run(1);
      asleep_ = stop == riscv::Stop::kAsleep;
      if (stop != riscv::Stop::kBudget) return;
    }
    throw std::runtime_error("the program did not end");
  }
  void set_lines(bool external, bool timer) {
    memory.external = external;
    memory.timer = timer;
    asleep_ = false;
  }
  std::uint32_t x(unsigned i) const { return hart.x(i); }
  riscv::CsrFile& csr() { return hart.csr(); }
  bool halted() const { return hart.halted(); }
  bool asleep() const { return asleep_; }
  const riscv::Trap& trap() const { return hart.trap(); }

 private:
  bool asleep_ = false;
};

}  // namespace nearcube::test
