// SPDX-License-Identifier: Apache-2.0
// Plain twins of the firmware's kernels: what each must compute, to the bit.
//
// All arrays are fp32, dense and row-major. Unless it says otherwise, an output element is one exact sum
// rounded once to nearest even, so neither the order of the loops here nor the tiling there can matter. NaN
// results are 0x7FC00000; RN() below marks a rounding. A size that does not fit the shape throws
// std::invalid_argument.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearcube::reference {

using Values = std::vector<float>;
using View = std::span<const float>;

/// Output extent of a window that moves over a padded line: (in + 2 pad - kernel) / stride + 1, rounded down.
constexpr std::int64_t window_count(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t pad) {
  return (in + 2 * pad - kernel) / stride + 1;
}

/// Two-dimensional cross-correlation, as neural networks call convolution.
struct Conv2d {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  bool relu = false;

  std::int64_t out_height() const { return window_count(height, kernel_height, stride, pad); }
  std::int64_t out_width() const { return window_count(width, kernel_width, stride, pad); }
};

/// out[n][o][y][x] = RN(bias[o] + sum over c, i, j of in[n][c][y stride + i - pad][x stride + j - pad] *
/// w[o][c][i][j]).
///
/// Input NCHW, weights OIHW, output NCHW. Without a bias (empty) the sum starts from nothing. Elements
/// outside the input are +0 and take part like any other (so an infinite weight over the padding gives NaN,
/// as it does in the hardware). With `relu`, a rounded result with a minus sign becomes +0.
Values conv2d(const Conv2d& shape, View input, View weights, View bias = {});

/// C = A B: out[i][j] = RN(sum over p of a[i][p] * b[p][j]); A is m x k, B k x n, C m x n.
Values gemm(std::int64_t m, std::int64_t n, std::int64_t k, View a, View b);

/// y = A x: out[i] = RN(sum over j of a[i][j] * x[j]); A is m x n.
Values gemv(std::int64_t m, std::int64_t n, View a, View x);

/// out[i] = RN(a * x[i] + y[i]): fused multiply-add.
Values axpy(float a, View x, View y);

/// Maximum over a square window.
struct MaxPool {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t pad = 0;

  std::int64_t out_height() const { return window_count(height, kernel, stride, pad); }
  std::int64_t out_width() const { return window_count(width, kernel, stride, pad); }
};

/// IEEE 754-2019 maximum of each window, NCHW: -0 is below +0, and a NaN in the window gives 0x7FC00000.
/// Elements outside the input are -Inf. Nothing is rounded.
Values max_pool(const MaxPool& shape, View input);

/// x where x > 0 or x is NaN (its bits unchanged), else +0. Nothing is rounded.
Values relu(View x);

/// A star of 3 points a dimension over a field of 1 to 3 dimensions (`extents`, outermost first; the last is
/// the column). Outside the field everything is +0 and takes part in the sums.
///
/// One rounding a dimension, from the columns outwards: s = RN(weights[0] * left + weights[1] * centre +
/// weights[2] * right); in 2-D and 3-D s = RN(s + weights[3] * above + weights[4] * below); in 3-D s = RN(s +
/// weights[5] * before + weights[6] * behind).
Values stencil(std::span<const std::int64_t> extents, View field, std::span<const float, 7> weights);

/// Discrete Laplace operator: the stencil with centre -2 * dimensions and neighbours 1.
Values laplace(std::span<const std::int64_t> extents, View field);

/// `steps` sweeps of explicit diffusion, u = u + rate * laplace(u): the stencil with neighbours `rate` and
/// centre RN(1 - 2 * dimensions * rate).
Values diffusion(std::span<const std::int64_t> extents, View field, float rate, int steps);

}  // namespace nearcube::reference
