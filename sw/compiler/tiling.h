// SPDX-License-Identifier: Apache-2.0
// Pieces that every workload's tiling is made of: cutting an axis, sharing out lanes, pitches that spread
// over the banks.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/compiler/workload.h"

namespace nearcube::compiler {

/// a / b, rounded up; a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A window that slides along an axis: output i covers inputs i * stride - pad .. i * stride - pad + kernel
/// - 1.
struct Window {
  std::int64_t extent;  ///< inputs along the axis
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;  ///< on both sides, less than `kernel`

  std::int64_t outputs() const { return (extent + 2 * pad - kernel) / stride + 1; }
  /// Inputs that `count` neighbouring outputs cover, padding included.
  std::int64_t inputs(std::int64_t count) const { return (count - 1) * stride + kernel; }
};

/// Part of an axis: some outputs, and the inputs that they need.
struct Cut {
  std::int64_t out_first;
  std::int64_t out_count;
  std::int64_t in_first;
  std::int64_t in_count;    ///< at least 1, because pad < kernel
  std::int64_t pad_before;  ///< then in_count inputs, then
  std::int64_t pad_after;
};

/// Cuts the axis into parts of `step` outputs; the last may be smaller.
std::vector<Cut> cut(const Window& window, std::int64_t step);

/// An axis cut into parts, summed up: `full` parts of `step` outputs and one of `rest`, if that is not 0.
struct Axis {
  std::int64_t step;
  std::int64_t full;
  std::int64_t rest;
  std::int64_t inputs;  ///< inputs that all parts load, those loaded twice counted twice

  std::int64_t parts() const { return full + (rest > 0 ? 1 : 0); }
  /// Rounds of `lanes` outputs that all parts together take.
  std::int64_t rounds(std::int64_t lanes) const {
    return full * ceil_div(step, lanes) + ceil_div(rest, lanes);
  }
};
Axis summarize(const Window& window, std::int64_t step);

/// The axes of all candidate steps up to `limit` outputs a part.
std::vector<Axis> axes(const Window& window, std::int64_t limit);

/// The smallest pitch, at least `words`, at which `lanes` streams that advance together, `pitches` pitches
/// apart, stay at least half of an even spread of 8 streams over the machine's banks apart (four banks of
/// 64). NTX read one word a cycle from each stream, so streams in the same bank would take turns.
std::int64_t spread_pitch(const Machine& machine, std::int64_t words, std::int64_t lanes,
                          std::int64_t pitches = 1);

/// Candidate sizes for cutting `extent`: 1, 2, 3, ... thinned out above 16, the extent itself, and the sizes
/// that give equal parts.
std::vector<std::int64_t> candidates(std::int64_t extent, std::int64_t limit);

/// What a plan is judged by, in NTX cycles.
struct Cost {
  double compute = 0;  ///< all tiles
  double load = 0;     ///< all transfers into the TCDM
  double store = 0;    ///< all transfers out of it
  double tiles = 0;    ///< number of tiles
  double chains = 1;   ///< of tiles that one cluster does: all, unless sums go on from tile to tile
  double exposed = 0;  ///< first load and last store, which nothing hides

  /// Stages overlap, so the slowest one counts; and of several clusters the busiest.
  double cycles(const Machine& machine) const;
};

/// NTX cycles that the core needs for a tile, whatever its size: descriptor, transfers, commands. Measured on
/// the job runner.
inline constexpr double kTileOverhead = 3000;
/// NTX cycles from the end of a tile's computation to the first word of the load that takes its place, and
/// from the last word to the start of its commands. Measured on the job runner.
inline constexpr double kLoadLatency = 1300;
/// NTX cycles that a tile costs even when everything is hidden: units that finish at different times, streams
/// that fill anew.
inline constexpr double kTileSwitch = 60;

/// NTX cycles of a transfer into or out of the TCDM: one word a cycle (32-bit ports at the NTX clock), and
/// two bus beats, which are four, for the ends of each row (tests/dma measures less than that).
constexpr double transfer_cycles(double rows, double words) { return words + 4 * rows; }

/// Hands out TCDM space from the start of the tile space.
class Scratchpad {
 public:
  explicit Scratchpad(const Machine& machine) : limit_(machine.tile_bytes) {}
  /// Byte offset of `words` fresh words, 8-byte aligned. An internal error if the plan promised too much.
  std::uint32_t take(std::int64_t words);
  std::uint32_t used() const { return next_; }

 private:
  std::uint32_t limit_;
  std::uint32_t next_ = 0;
};

/// One or two places for something, used in turn.
class Buffers {
 public:
  Buffers(Scratchpad& scratchpad, std::int64_t words, int count);
  /// Moves on to the next place, and returns it.
  std::uint32_t next();
  std::uint32_t current() const { return offset_[index_]; }

 private:
  std::vector<std::uint32_t> offset_;
  std::size_t index_;
};

/// Bytes of `words` as Scratchpad::take rounds them.
constexpr std::int64_t scratchpad_bytes(std::int64_t words) { return (4 * words + 7) / 8 * 8; }

}  // namespace nearcube::compiler
