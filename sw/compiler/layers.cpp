// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layers.h"

namespace nearcube::compiler {

void check_window(std::int64_t height, std::int64_t width, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad) {
  check_extent("kernel", kernel);
  check_extent("stride", stride);
  if (pad < 0) bad_input("pad is {}, but must not be negative", pad);
  if (pad >= kernel)
    bad_input("pad {} is not smaller than kernel {}: some windows would see nothing but padding", pad,
              kernel);
  if (pad > 0xFF) bad_input("pad is {}, but must be below 256", pad);
  if (stride > 0xFFFF) bad_input("stride is {}, but must be below 65536", stride);
  const auto fits = [&](const char* what, std::int64_t extent) {
    if (kernel > extent + 2 * pad)
      bad_input("kernel {} is larger than the padded {} {} + 2 * {}", kernel, what, extent, pad);
  };
  fits("height", height);
  fits("width", width);
}

void set_padding(interfaces::TileDescriptor& tile, const Cut& row, const Cut& col) {
  set(tile.pad_top, row.pad_before);
  set(tile.pad_bottom, row.pad_after);
  set(tile.pad_left, col.pad_before);
  set(tile.pad_right, col.pad_after);
  set(tile.input_rows, row.in_count);
  set(tile.input_cols, col.in_count);
}

}  // namespace nearcube::compiler
