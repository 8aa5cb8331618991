// SPDX-License-Identifier: Apache-2.0
// Memory with a SECDED code on every 64-bit word, and faults to try it on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/base/random.h"
#include "sim/memory/fault_injection.h"
#include "sim/memory/flat_memory.h"
#include "sim/memory/secded.h"

namespace nearcube::memory {

/// What became of the words, of 64 bits and their 8 check bits.
struct ProtectionResult {
  std::uint64_t words_read = 0;       ///< by the machine, also to change part of a word
  std::uint64_t injected_single = 0;  ///< words in which one bit was flipped
  std::uint64_t injected_double = 0;  ///< words in which two were
  std::uint64_t corrected = 0;      ///< reads that found one wrong bit; it is put right in the memory as well
  std::uint64_t uncorrectable = 0;  ///< reads that found more, each a bus error
  std::vector<std::uint64_t> addresses = {};  ///< of the first kKept of these
  static constexpr std::size_t kKept = 16;

  /// "1,234 words read: 3 single flips corrected, 1 words beyond repair, at 0x80001000"
  std::string describe() const;
};

/// Stands between a machine and its FlatMemory. The check bits of a 64 KiB page come into being when the
/// machine first uses the page, from the data it has then, so that whatever a host put there before the run
/// is protected. Faults are drawn from the seed in the order of the machine's reads, and from nothing else.
class ProtectedMemory {
 public:
  /// Says whether an address lies in a bank that is stuck.
  using Stuck = std::function<bool(std::uint64_t address)>;

  /// `memory` outlives this. Without `stuck` no bank is.
  ProtectedMemory(FlatMemory& memory, const FaultInjection& faults, Stuck stuck = {});

  /// What the machine's bus does; `address` a multiple of 8 and inside the memory. None: the word is beyond
  /// repair, a bus error; it stays so until all of it is written.
  std::optional<std::uint64_t> read64(std::uint64_t address);
  /// Writes the bytes whose bit in `strobe` is set. False: some but not all are set, and the rest of the word
  /// is beyond repair; nothing is written.
  bool write64(std::uint64_t address, std::uint64_t data, std::uint8_t strobe);

  /// What a host does, which sees through the faults of the bus but not of the memory: neither draws faults
  /// nor counts. host_read() is false if a word of the range is beyond repair; host_wrote() follows a write
  /// to the FlatMemory and makes its words good. The range exists.
  bool host_read(std::uint64_t address, std::span<std::uint8_t> bytes) const;
  void host_wrote(std::uint64_t address, std::uint64_t bytes);

  const ProtectionResult& result() const { return result_; }

 private:
  static constexpr std::uint64_t kPageWords = 8192;
  using Page = std::array<std::uint8_t, kPageWords>;

  std::uint8_t& check_of(std::uint64_t address);
  // Null for a page whose check bits do not exist yet.
  const std::uint8_t* find_check(std::uint64_t address) const;

  FlatMemory& memory_;
  Stuck stuck_;
  base::Random random_;
  std::uint64_t below_single_;  // a draw below this flips one bit,
  std::uint64_t below_double_;  // one from there to below this two
  ProtectionResult result_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace nearcube::memory
