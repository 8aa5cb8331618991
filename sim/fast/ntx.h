// SPDX-License-Identifier: Apache-2.0
// One NTX command on a scratchpad, as a function: the same stores, errors and counts as the RTL, in no time.
#pragma once

#include <cstdint>
#include <span>

#include "sim/exact/products.h"
#include "sim/fast/accumulation.h"
#include "sim/fast/ntx_command.h"

namespace nearcube::fast {

/// What a command did.
struct NtxOutcome {
  NtxError error;              ///< it was refused, or stopped; stores of earlier steps are done
  std::uint64_t steps = 0;     ///< steps done
  std::uint64_t products = 0;  ///< of these, steps that formed a product
  std::uint64_t reads = 0;     ///< words read; what is held is not read again. (Of MASKMAC: about)
  std::uint64_t stores = 0;    ///< words stored
  std::uint64_t images_read = 0, images_stored = 0;  ///< whose words are among these
};

/// An NTX in its default format (19 segments from 2^-298). Keeps nothing from one command to the next but
/// buffers and statistics; one a thread.
class Ntx {
 public:
  explicit Ntx(exact::Path path = exact::best_path()) : accumulation_(path) {}

  /// Runs one command. A command that reads what an earlier step of it stores (MASKMAC's AGU2 apart) is a
  /// software error, and what it reads is not defined.
  NtxOutcome run(const NtxRegisters& registers, std::span<std::uint32_t> tcdm);

  /// How all sums so far were decided.
  const exact::Decisions& decisions() const { return accumulation_.decisions(); }

 private:
  Accumulation accumulation_;
};

}  // namespace nearcube::fast
