// SPDX-License-Identifier: Apache-2.0
// Small grey pictures of tensors, for the terminal and as PNG.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nearcube::picture {

/// Grey image, row-major from the top left; 0 is black, 255 is white.
struct Picture {
  int width = 0;   ///< pixels
  int height = 0;  ///< pixels
  std::vector<std::uint8_t> grey;

  std::uint8_t at(int x, int y) const { return grey[static_cast<std::size_t>(y) * width + x]; }
};

/// A plane of height x width values, its smallest value black and its largest white. A plane of one value is
/// black; values that are no finite numbers are black and do not count.
Picture from_plane(std::span<const float> plane, int height, int width);

/// Pictures side by side, `columns` a row, with `gap` pixels of `background` between and around smaller ones.
Picture montage(const std::vector<Picture>& pictures, int columns, int gap, std::uint8_t background = 96);

/// Every pixel as a square of factor x factor pixels.
Picture enlarged(const Picture& picture, int factor);

/// Lines of characters from dark (space) to bright (@). A character is about twice as high as wide, so it
/// shows the mean of two rows.
std::string to_text(const Picture& picture);

/// Writes an 8-bit grey PNG, whole or not at all. Throws Error as base::write_file_atomically does.
void write_png(const Picture& picture, const std::string& path);

}  // namespace nearcube::picture
