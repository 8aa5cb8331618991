// SPDX-License-Identifier: Apache-2.0
#include "sw/network/tensor.h"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "sim/base/error.h"

namespace nearcube::network {

static_assert(std::endian::native == std::endian::little,
              "tensors are copied to little-endian memory as they are");

std::int64_t element_count(const Shape& shape) {
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) bad_input("shape {}: an extent is negative", to_string(shape));
    empty = empty || extent == 0;
  }
  if (empty) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (count > std::numeric_limits<std::int64_t>::max() / extent)
      bad_input("shape {}: more elements than any memory holds", to_string(shape));
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

Tensor::Tensor(Shape shape)
    : shape_(std::move(shape)), values_(static_cast<std::size_t>(element_count(shape_))) {}

Tensor::Tensor(Shape shape, std::vector<float> values)
    : shape_(std::move(shape)), values_(std::move(values)) {
  if (size() != element_count(shape_))
    bad_input("{} values for a tensor of shape {}, which has {}", size(), to_string(shape_),
              element_count(shape_));
}

Tensor Tensor::reshaped(Shape shape) const { return Tensor(std::move(shape), values_); }

std::vector<std::uint8_t> to_bytes(const Tensor& tensor) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(tensor.size()) * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), tensor.data(), bytes.size());
  return bytes;
}

Tensor from_bytes(Shape shape, const std::vector<std::uint8_t>& bytes) {
  const auto expected = static_cast<std::uint64_t>(element_count(shape)) * sizeof(float);
  if (bytes.size() != expected)
    bad_input("{} bytes for a tensor of shape {}, which has {}", bytes.size(), to_string(shape), expected);
  Tensor tensor(std::move(shape));
  if (!bytes.empty()) std::memcpy(tensor.data(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace nearcube::network
