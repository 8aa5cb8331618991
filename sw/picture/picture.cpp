// SPDX-License-Identifier: Apache-2.0
#include "sw/picture/picture.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

namespace nearcube::picture {

Picture from_plane(std::span<const float> plane, int height, int width) {
  float low = INFINITY;
  float high = -INFINITY;
  for (float value : plane) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Picture result{width, height, std::vector<std::uint8_t>(plane.size(), 0)};
  if (!(low < high)) return result;
  // In double: high - low of two finite floats may overflow a float.
  const double scale = 255.0 / (static_cast<double>(high) - low);
  for (std::size_t i = 0; i < plane.size(); ++i) {
    if (std::isfinite(plane[i])) {
      result.grey[i] = static_cast<std::uint8_t>(std::lround((static_cast<double>(plane[i]) - low) * scale));
    }
  }
  return result;
}

Picture montage(const std::vector<Picture>& pictures, int columns, int gap, std::uint8_t background) {
  int cell_width = 0;
  int cell_height = 0;
  for (const Picture& picture : pictures) {
    cell_width = std::max(cell_width, picture.width);
    cell_height = std::max(cell_height, picture.height);
  }
  const int count = static_cast<int>(pictures.size());
  columns = std::min(columns, count);
  if (columns <= 0) return {};
  const int rows = (count + columns - 1) / columns;
  Picture result;
  result.width = columns * cell_width + (columns - 1) * gap;
  result.height = rows * cell_height + (rows - 1) * gap;
  result.grey.assign(static_cast<std::size_t>(result.width) * result.height, background);
  for (int i = 0; i < count; ++i) {
    const int left = (i % columns) * (cell_width + gap);
    const int top = (i / columns) * (cell_height + gap);
    for (int y = 0; y < pictures[i].height; ++y) {
      for (int x = 0; x < pictures[i].width; ++x) {
        result.grey[static_cast<std::size_t>(top + y) * result.width + left + x] = pictures[i].at(x, y);
      }
    }
  }
  return result;
}

Picture enlarged(const Picture& picture, int factor) {
  Picture result{picture.width * factor, picture.height * factor, {}};
  result.grey.reserve(static_cast<std::size_t>(result.width) * result.height);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) result.grey.push_back(picture.at(x / factor, y / factor));
  }
  return result;
}

std::string to_text(const Picture& picture) {
  constexpr std::string_view kRamp = " .:-=+*#%@";
  std::string text;
  for (int y = 0; y < picture.height; y += 2) {
    std::string line;
    for (int x = 0; x < picture.width; ++x) {
      const int below = std::min(y + 1, picture.height - 1);
      line += kRamp[(picture.at(x, y) + picture.at(x, below)) * kRamp.size() / 512];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

void write_png(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::uint8_t> encoded(bytes);
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, picture.grey.data(), 0, nullptr) == 0) {
    throw base::error(ExitStatus::kOther, "{}: cannot encode a picture of {} x {} pixels: {}", path,
                      picture.width, picture.height, static_cast<const char*>(image.message));
  }
  encoded.resize(bytes);
  base::write_file_atomically(path, std::span<const std::uint8_t>(encoded));
}

}  // namespace nearcube::picture
