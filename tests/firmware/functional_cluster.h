// SPDX-License-Identifier: Apache-2.0
// A cluster without time, for testing firmware before and beside the RTL: the functional RV32IMC executor,
// the golden NTX model, and a DMA that copies. Its latencies are random and its orderings as unkind as the
// specification allows: a transfer may read and write at its start or at its end, a command's results may
// appear at once or late, and a command with `overlap` may run before the one ahead of it. Firmware that gets
// the right bits here under many seeds waits where it must.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/riscv/direct_memory.h"
#include "sim/riscv/elf.h"
#include "sim/riscv/functional.h"
#include "tests/golden/ntx_golden.h"

namespace nearcube::test {

class FunctionalCluster {
 public:
  static constexpr std::uint32_t kTcdmBytes = 65536;
  static constexpr std::uint32_t kMemoryBytes = 24u << 20;

  explicit FunctionalCluster(std::uint64_t seed);

  /// Loads a program and starts it at its entry.
  void load(const riscv::ElfFile& file);
  void write(std::uint64_t address, std::span<const std::uint8_t> bytes);
  std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t bytes) const;

  /// Makes unit `n` refuse its next command, as it would refuse a wrong one.
  void refuse_next_command(std::size_t n) { units_[n].refuse_next = true; }

  struct Result {
    bool exited = false;  ///< else it slept for ever, or ran out of instructions
    std::uint32_t exit_code = 0;
    std::string output;          ///< what the firmware printed
    std::uint64_t commands = 0;  ///< NTX commands completed
    std::uint64_t transfers = 0;
    std::uint64_t macs = 0;
  };
  Result run(std::uint64_t max_instructions = 50'000'000);

 private:
  struct Transfer {
    std::uint32_t id;
    std::uint64_t source, destination;
    std::uint32_t bytes, rows, planes;
    std::int32_t source_row, destination_row, source_plane, destination_plane;
    std::optional<std::uint32_t> fill;
    std::uint64_t end;
    bool moved = false;
    bool complete = false;
  };
  struct Unit {
    std::array<std::uint32_t, 32> registers{};
    struct Running {
      golden::Command command;
      std::uint64_t end;
      bool applied = false;
    };
    std::optional<Running> active, staged;
    std::uint32_t irq = 0;
    std::uint32_t error_cause = 0, error_address = 0;
    bool invalid = false;
    bool refuse_next = false;
  };

  riscv::Access device(std::uint32_t address, bool write, std::uint8_t lanes, std::uint32_t& data);
  bool control(std::uint32_t offset, bool write, std::uint32_t& data);
  bool dma(std::uint32_t offset, bool write, std::uint32_t& data);
  bool ntx(std::uint32_t offset, bool write, std::uint32_t& data);
  void write_unit(Unit& unit, std::uint32_t word, std::uint32_t data);
  std::uint64_t duration();
  void start_transfer(bool fill);
  void move(Transfer& transfer);
  bool copy_row(const Transfer& transfer, std::uint64_t from, std::uint64_t to);
  void dma_error(const Transfer& transfer, std::uint32_t cause, std::uint64_t address);
  void apply(Unit& unit, Unit::Running& running);
  void finish(Unit& unit);
  bool step_time(std::uint64_t until);
  void process();
  std::uint64_t next_event() const;
  std::uint32_t events() const;
  void update_lines();
  bool holds(std::uint64_t address, std::uint64_t bytes) const;

  base::Random random_;
  riscv::DirectMemory memory_;
  riscv::Functional<riscv::DirectMemory> hart_;
  std::uint64_t now_ = 0;
  Result result_;
  std::array<Unit, 8> units_;
  std::array<std::uint32_t, 16> shape_{};  ///< the DMA's shape registers
  std::deque<Transfer> transfers_;         ///< started, in order; those complete leave from the front
  std::uint32_t started_ = 0, completed_ = 0;
  bool dma_failed_ = false;
  std::uint32_t dma_error_id_ = 0, dma_error_cause_ = 0;
  std::uint64_t dma_error_address_ = 0;
  std::uint32_t sticky_ = 0, mask_ = 0;
  std::uint32_t phase_ = 0;
};

}  // namespace nearcube::test
