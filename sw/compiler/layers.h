// SPDX-License-Identifier: Apache-2.0
// One layer's tiles added to a job list whose tensors have their addresses: workloads of several layers chain
// them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "sim/base/error.h"
#include "sw/compiler/job_list.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {

struct ConvAddresses {
  std::uint64_t input = 0;
  std::uint64_t weights = 0;
  std::optional<std::uint64_t> bias;
  std::uint64_t output = 0;
};

/// Adds the tiles of a convolution. The shape has been checked.
void add_conv2d(JobList& list, const Conv2dShape& shape, const ConvAddresses& at, const Machine& machine);

/// Adds the tiles of a pooling layer. With `after_earlier_tiles`, the first of them waits until everything
/// before it is stored.
void add_max_pool(JobList& list, const PoolShape& shape, std::uint64_t input, std::uint64_t output,
                  bool after_earlier_tiles, const Machine& machine);

/// Part of a vector: `rows` lanes of `cols` elements each, one after another.
struct Run {
  std::int64_t first;
  std::int64_t rows;
  std::int64_t cols;
};

/// Longest run of which two triple-buffered ones (six in all), and `extra` bytes, fit the tile space. Bad
/// input if not one a lane.
std::int64_t longest_run(const Machine& machine, std::int64_t extra, const char* what);

/// Cuts a vector into runs of at most `most` elements, for each of which `loaded` words are loaded; the last
/// two may have fewer columns and a single lane.
std::vector<Run> cut_vector(const Machine& machine, std::int64_t elements, std::int64_t loaded,
                            std::int64_t most);

/// Sets what an elementwise tile needs beside its flags.
void set_run(interfaces::TileDescriptor& tile, const Run& run, std::uint32_t input_offset,
             std::uint32_t output_offset, std::uint64_t input, std::uint64_t output);

/// Bad input for a window that makes no sense on an image.
void check_window(std::int64_t height, std::int64_t width, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad);

/// Assigns to a descriptor's field. An internal error if the value does not fit it.
template <typename Field>
void set(Field& field, std::int64_t value) {
  if (value < 0 || static_cast<std::uint64_t>(value) > std::numeric_limits<Field>::max())
    throw base::error(ExitStatus::kOther, "compiler: {} does not fit a descriptor's field", value);
  field = static_cast<Field>(value);
}

/// Sets paddings and the input box's rows and columns from cuts of the two axes.
void set_padding(interfaces::TileDescriptor& tile, const Cut& row, const Cut& col);

}  // namespace nearcube::compiler
