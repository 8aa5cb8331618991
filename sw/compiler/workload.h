// SPDX-License-Identifier: Apache-2.0
// From a layer's shape and tensors to what the harness loads and the firmware runs: memory image, job list,
// and where the results will be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sw/network/tensor.h"

namespace nearcube::compiler {

using network::Shape;
using network::Tensor;

/// The machine that a workload is made for. The defaults are the default cluster's.
struct Machine {
  unsigned ntx = 8;                                        ///< NTX a cluster
  unsigned banks = 64;                                     ///< word-interleaved TCDM banks
  std::uint32_t tile_bytes = interfaces::kTileSpaceBytes;  ///< TCDM bytes that tiles may use
  unsigned accumulator_segments = 19;                      ///< 32-bit segments of the accumulator
  std::uint64_t memory_bytes = interfaces::kCubeSize;      ///< cube memory from interfaces::kCubeBase on
  unsigned clusters = 1;                                   ///< that share the work
};

/// Bytes at an address of cube memory.
struct Piece {
  std::uint64_t address;
  std::vector<std::uint8_t> bytes;
};

/// A result in cube memory: fp32, row-major, contiguous.
struct Output {
  std::string name;
  std::uint64_t address;
  Shape shape;

  std::uint64_t bytes() const { return static_cast<std::uint64_t>(network::element_count(shape)) * 4; }
};

/// Everything that a run needs beside the machine: load the firmware's ELF and `image`, run until exit, read
/// `outputs`.
struct Workload {
  std::string name;                     ///< "conv2d", "gemm", ...
  std::string firmware = "job_runner";  ///< ELF name: build/firmware/FIRMWARE.elf
  std::uint64_t job_list_address = interfaces::kJobListAddress;
  std::uint64_t record_address = 0;               ///< interfaces::JobRecord of cluster 0; the others follow
  std::vector<Piece> image;                       ///< job list and input tensors; the pieces do not overlap
  std::vector<Output> outputs;                    ///< in the order that they are computed
  std::vector<std::string> phases;                ///< names by value of the control register phase
  std::vector<interfaces::TileDescriptor> tiles;  ///< the job list's descriptors, for reports and tests
  std::vector<interfaces::JobRange> ranges;       ///< of each cluster
  std::uint32_t barriers = 0;                     ///< how often the clusters meet
  std::uint64_t macs = 0;  ///< products of the layer's definition; comparisons for pooling, elements for ReLU
  std::uint64_t read_bytes = 0;     ///< all operands of the layer's definition, once
  std::uint64_t written_bytes = 0;  ///< all results, once
  std::uint64_t memory_end = 0;     ///< first address past everything
};

/// Batched 2-D convolution. Input N x C x H x W, weights O x C x K x K, output N x O x OH x OW with
/// OH = (H + 2 pad - K) / stride + 1 (floor). out = RN(bias + sum), ReLU at that rounding.
struct Conv2dShape {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t pad = 0;
  bool relu = false;

  std::int64_t out_height() const { return (height + 2 * pad - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * pad - kernel) / stride + 1; }
  Shape input() const { return {batch, in_channels, height, width}; }
  Shape weights() const { return {out_channels, in_channels, kernel, kernel}; }
  Shape bias() const { return {out_channels}; }
  Shape output() const { return {batch, out_channels, out_height(), out_width()}; }
};

/// C = A B with A of m x k, B of k x n, C of m x n.
struct GemmShape {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

/// y = A x with A of m x n.
struct GemvShape {
  std::int64_t m = 1;
  std::int64_t n = 1;
};

/// y = RN(y + a x) with n elements.
struct AxpyShape {
  std::int64_t n = 1;
};

/// Max pooling of N x C x H x W with a square window; padding is -Inf.
struct PoolShape {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t kernel = 2;
  std::int64_t stride = 2;
  std::int64_t pad = 0;

  std::int64_t out_height() const { return (height + 2 * pad - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * pad - kernel) / stride + 1; }
  Shape input() const { return {batch, channels, height, width}; }
  Shape output() const { return {batch, channels, out_height(), out_width()}; }
};

/// Elementwise ReLU of n elements.
struct ReluShape {
  std::int64_t n = 1;
};

/// A field of 1 to 3 dimensions, outermost first (planes, rows, columns); outside it everything is 0.
struct StencilShape {
  std::vector<std::int64_t> extents;

  int dimensions() const { return static_cast<int>(extents.size()); }
};

/// Bad input if a shape makes no sense or its tensors cannot fit cube memory: call it before making the
/// tensors.
void check(const Conv2dShape& shape, const Machine& machine = {});
void check(const GemmShape& shape, const Machine& machine = {});
void check(const GemvShape& shape, const Machine& machine = {});
void check(const AxpyShape& shape, const Machine& machine = {});
void check(const PoolShape& shape, const Machine& machine = {});
void check(const ReluShape& shape, const Machine& machine = {});
void check(const StencilShape& shape, const Machine& machine = {});

/// Each function below checks shapes and tensors against each other and throws bad input that says what is
/// wrong: a zero or negative extent, a kernel larger than the padded input, a tensor of another shape, more
/// than cube memory holds, a window of which not even the smallest tile fits the TCDM.
Workload make_conv2d(const Conv2dShape& shape, const Tensor& input, const Tensor& weights,
                     const std::optional<Tensor>& bias = std::nullopt, const Machine& machine = {});
Workload make_gemm(const GemmShape& shape, const Tensor& a, const Tensor& b, const Machine& machine = {});
Workload make_gemv(const GemvShape& shape, const Tensor& a, const Tensor& x, const Machine& machine = {});
Workload make_axpy(const AxpyShape& shape, float a, const Tensor& x, const Tensor& y,
                   const Machine& machine = {});
Workload make_max_pool(const PoolShape& shape, const Tensor& input, const Machine& machine = {});
Workload make_relu(const ReluShape& shape, const Tensor& input, const Machine& machine = {});
/// Discrete Laplace operator: star of 3, 5 or 7 points, neighbours 1, centre -2 * dimensions; one rounding a
/// dimension.
Workload make_laplace(const StencilShape& shape, const Tensor& field, const Machine& machine = {});
/// `steps` sweeps of u = u + rate * laplace(u) as a star with neighbours rate and centre RN(1 - 2 dimensions
/// rate).
Workload make_diffusion(const StencilShape& shape, const Tensor& field, float rate, int steps,
                        const Machine& machine = {});

/// Convolution with bias and ReLU followed by max pooling, whose input stays in cube memory: outputs "conv"
/// and "pool".
Workload make_conv2d_pool(const Conv2dShape& conv, const Tensor& input, const Tensor& weights,
                          const std::optional<Tensor>& bias, std::int64_t pool_kernel,
                          std::int64_t pool_stride, const Machine& machine = {});

}  // namespace nearcube::compiler
