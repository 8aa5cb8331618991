// SPDX-License-Identifier: Apache-2.0
// A dense fp32 tensor, row-major: the last dimension is contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nearcube::network {

/// Extents, outermost first; NCHW for images. An empty shape is a scalar.
using Shape = std::vector<std::int64_t>;

/// Number of elements. Bad input if an extent is negative or the product does not fit 63 bits.
std::int64_t element_count(const Shape& shape);

/// "16x32x32"; "scalar" for an empty shape.
std::string to_string(const Shape& shape);

/// Dense fp32 data with its shape. Elements keep their bits: NaN payloads and signed zeros survive a copy.
class Tensor {
 public:
  Tensor() = default;
  /// All elements +0.
  explicit Tensor(Shape shape);
  /// Bad input if the number of values is not the shape's.
  Tensor(Shape shape, std::vector<float> values);

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float& operator[](std::int64_t index) { return values_[static_cast<std::size_t>(index)]; }
  float operator[](std::int64_t index) const { return values_[static_cast<std::size_t>(index)]; }

  /// The same elements under another shape. Bad input if the number of elements differs.
  Tensor reshaped(Shape shape) const;

 private:
  Shape shape_{0};
  std::vector<float> values_;
};

/// Little-endian bytes of the elements, as they lie in cube memory.
std::vector<std::uint8_t> to_bytes(const Tensor& tensor);
/// The opposite of to_bytes. Bad input if the number of bytes is not the shape's.
Tensor from_bytes(Shape shape, const std::vector<std::uint8_t>& bytes);

}  // namespace nearcube::network
