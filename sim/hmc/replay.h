// SPDX-License-Identifier: Apache-2.0
// Traces of memory requests, one a line: `address READ|WRITE cycle`, as the public simulators read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/hmc/cube.h"

namespace nearcube::hmc {

/// A line of a trace.
struct TraceLine {
  std::uint64_t address = 0;  ///< byte in the cube
  bool write = false;
  std::uint64_t cycle = 0;  ///< clock of tCK in which it is asked for
};

/// Reads a trace: in each line a hexadecimal address (with or without 0x), READ or WRITE, and a decimal cycle
/// that is not below that of the line before. Empty lines and those that begin with # count for nothing.
class TraceReader {
 public:
  /// The whole file is read; throws Error (kBadInput) if it cannot be.
  explicit TraceReader(const std::string& path);

  /// The next line; false at the end. Throws Error (kBadInput): "FILE:LINE: what is there, what was
  /// expected".
  bool next(TraceLine& line);
  /// Throws Error (kBadInput) about the line that next() gave last.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  std::string path_;
  std::vector<std::uint8_t> content_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t cycle_ = 0;
};

struct ReplayOptions {
  std::uint32_t bytes = 64;       ///< of each request, which begins at a multiple of it
  unsigned ports = 32;            ///< granules go round them, so that those of one keep their order
  std::uint32_t outstanding = 0;  ///< at most so many under way, the others wait for their turn; 0: no limit
};

/// Latencies are from a line's cycle to its completion, a wait for its turn included.
struct ReplayResult {
  LatencyCounters reads, writes;
  std::uint64_t ps = 0;       ///< from the first line's cycle to the last completion
  std::uint64_t late = 0;     ///< requests that waited for their turn
  std::uint64_t last_ps = 0;  ///< the last completion
};

/// Replays `trace` on an idle cube with at least `options.ports` ports. Throws Error (kBadInput) as
/// TraceReader, for an address outside the cube, and for a size that is no power of two up to a granule.
ReplayResult replay(Cube& cube, TraceReader& trace, const ReplayOptions& options);

}  // namespace nearcube::hmc
