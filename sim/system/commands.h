// SPDX-License-Identifier: Apache-2.0
// What the core asked of the NTX and the DMA: the commands, by whom and when they were written.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace nearcube::system {

/// A command of an NTX: its registers when CMD was written.
struct NtxCommand {
  unsigned unit = 0;
  std::uint64_t number = 0;  ///< of this unit's commands, from 1
  std::uint32_t cmd = 0;
  std::array<std::uint32_t, 5> loop{};  ///< trip counts minus one
  std::array<std::uint32_t, 3> base{};
  std::array<std::array<std::int32_t, 5>, 3> stride{};
  std::uint32_t pc = 0;       ///< of the store to CMD
  std::uint64_t written = 0;  ///< NTX clock cycle of its grant
};

/// A transfer of the DMA: its registers when START was written.
struct DmaTransfer {
  std::uint32_t id = 0;
  bool fill = false;
  bool to_tcdm = false;
  std::uint64_t source = 0, destination = 0;  ///< a fill's source is its pattern
  std::uint32_t bytes = 0, count1 = 1, count2 = 1;
  std::uint32_t pc = 0;
  std::uint64_t written = 0;

  std::uint64_t total_bytes() const { return std::uint64_t{bytes} * count1 * count2; }
};

/// "MAC" and so on.
const char* opcode_name(std::uint32_t cmd);

/// First and last byte address that an address generator leads to, as 64-bit numbers: strides may lead
/// astray.
struct AddressRange {
  std::int64_t first = 0, last = 0;
};
AddressRange address_range(const NtxCommand& command, unsigned agu);

/// One of its address generators leads out of the scratchpad.
bool leaves_tcdm(const NtxCommand& command, std::uint32_t tcdm_bytes);

/// The command in words, some lines: what, who wrote it and when, loops, and each operand stream. `place`
/// names a pc.
std::string describe_command(const NtxCommand& command,
                             const std::function<std::string(std::uint32_t)>& place);

/// Told of every write on the core's data port; knows what was asked for.
class CommandLog {
 public:
  CommandLog(unsigned ntx, std::uint32_t tcdm_bytes);

  /// A write of the core was granted. `refuses(n)`: NTX n holds an error, and drops commands.
  void write(std::uint32_t address, std::uint32_t value, std::uint32_t pc, std::uint64_t cycle,
             const std::function<bool(unsigned)>& refuses);

  /// The latest commands of an NTX that were not dropped, at most three, the latest at the end: the staged
  /// one, the one whose addresses are walked and the one that computes.
  const std::deque<NtxCommand>& latest(unsigned unit) const { return units_[unit].latest; }

  /// Called for each; null for nobody.
  std::function<void(const NtxCommand&, bool dropped)> on_command;
  std::function<void(const DmaTransfer&)> on_transfer;
  /// A soft clear of an NTX.
  std::function<void(unsigned unit)> on_clear;

  /// NTX cycle of the core's timer (register control.mtimecmp), in core clock cycles; all ones: never.
  std::uint64_t timer_compare() const { return timer_compare_; }

 private:
  struct Unit {
    std::array<std::uint32_t, 32> registers{};  ///< the staging area, by word offset
    std::uint64_t number = 0;
    std::deque<NtxCommand> latest;
  };
  void write_ntx(unsigned unit, std::uint32_t offset, std::uint32_t value, std::uint32_t pc,
                 std::uint64_t cycle, bool refuses);
  void write_dma(std::uint32_t offset, std::uint32_t value, std::uint32_t pc, std::uint64_t cycle);

  std::uint32_t tcdm_bytes_;
  std::vector<Unit> units_;
  std::array<std::uint32_t, 12> dma_{};  ///< the shape registers, by word offset
  std::uint32_t dma_id_ = 0;
  std::uint64_t timer_compare_ = ~std::uint64_t{0};
};

}  // namespace nearcube::system
