// SPDX-License-Identifier: Apache-2.0
// IDX files (gzip or plain), the format of MNIST and Fashion-MNIST, and the latter as a data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/network/tensor.h"

namespace nearcube::network {

/// An IDX array of unsigned bytes (type 0x08), the only type that these data sets use.
struct ByteArray {
  Shape shape;
  std::vector<std::uint8_t> values;
};

/// Reads a whole IDX file, decompressing it if it is gzip. Bad input for a missing, truncated, overlong or
/// foreign file.
ByteArray read_idx(const std::string& path);

/// Where Debian's package dataset-fashion-mnist puts its files, unless NEARCUBE_FASHION_MNIST names another
/// folder.
std::string fashion_mnist_directory();

/// Fashion-MNIST: 60,000 training and 10,000 test images of 28x28 with labels 0 to 9.
class FashionMnist {
 public:
  enum class Part { kTrain, kTest };
  static constexpr int kHeight = 28;
  static constexpr int kWidth = 28;

  /// Bad input if a file is missing (the message names the package), or images and labels do not fit
  /// together.
  explicit FashionMnist(Part part, const std::string& directory = fashion_mnist_directory());

  std::int64_t size() const { return images_.shape[0]; }
  /// Images first .. first + count - 1 as count x 1 x 28 x 28, each pixel divided by 255 and rounded to fp32.
  /// Bad input if an index is out of range.
  Tensor images(std::int64_t first, std::int64_t count = 1) const;
  /// Label of an image, 0 to 9. Bad input if the index is out of range.
  int label(std::int64_t index) const;
  /// "T-shirt/top", "Trouser", ... for a label of 0 to 9.
  static const char* class_name(int label);

 private:
  void check_index(std::int64_t index) const;

  ByteArray images_;
  ByteArray labels_;
};

}  // namespace nearcube::network
