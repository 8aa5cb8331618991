// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/demo.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sw/network/idx.h"
#include "sw/picture/picture.h"
#include "sw/reference/kernels.h"

namespace nearcube::cli {
namespace {

using network::FashionMnist;
using network::Tensor;

constexpr std::int64_t kKernel = 5;
constexpr std::int64_t kChannels = 8;
constexpr std::int64_t kPool = 2;

/// Eight edge detectors, 22.5 degrees apart: the derivative of a Gaussian of one pixel along each direction,
/// scaled so that a unit step edge gives about 1. What a trained first layer tends to look like.
Tensor edge_detectors() {
  Tensor weights({kChannels, 1, kKernel, kKernel});
  const double scale = 1.0 / std::sqrt(2.0 * std::numbers::pi);
  std::int64_t i = 0;
  for (std::int64_t channel = 0; channel < kChannels; ++channel) {
    const double angle = static_cast<double>(channel) * 2.0 * std::numbers::pi / kChannels;
    for (std::int64_t row = 0; row < kKernel; ++row) {
      for (std::int64_t column = 0; column < kKernel; ++column) {
        const auto y = static_cast<double>(row - kKernel / 2);
        const auto x = static_cast<double>(column - kKernel / 2);
        const double along = x * std::cos(angle) + y * std::sin(angle);
        weights[i++] = static_cast<float>(scale * along * std::exp(-(x * x + y * y) / 2.0));
      }
    }
  }
  return weights;
}

reference::View view(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(tensor.size())};
}

Case make_demo_case(const Tensor& images, const compiler::Machine& machine) {
  const Tensor weights = edge_detectors();
  const compiler::Conv2dShape conv{.batch = images.shape()[0],
                                   .in_channels = 1,
                                   .out_channels = kChannels,
                                   .height = FashionMnist::kHeight,
                                   .width = FashionMnist::kWidth,
                                   .kernel = kKernel,
                                   .relu = true};
  Case result;
  result.title =
      fmt::format("demo: {} Fashion-MNIST images, conv 5x5 1->8, ReLU, max pooling 2x2", conv.batch);
  result.shape = {{"images", conv.batch}};
  result.workload = compiler::make_conv2d_pool(conv, images, weights, std::nullopt, kPool, kPool, machine);
  result.reference = [=] {
    const reference::Conv2d twin{.batch = conv.batch,
                                 .in_channels = conv.in_channels,
                                 .out_channels = conv.out_channels,
                                 .height = conv.height,
                                 .width = conv.width,
                                 .kernel_height = conv.kernel,
                                 .kernel_width = conv.kernel,
                                 .relu = true};
    const reference::MaxPool pool{.batch = conv.batch,
                                  .channels = conv.out_channels,
                                  .height = conv.out_height(),
                                  .width = conv.out_width(),
                                  .kernel = kPool,
                                  .stride = kPool};
    const Tensor maps(conv.output(), reference::conv2d(twin, view(images), view(weights)));
    const Tensor pooled({conv.batch, kChannels, pool.out_height(), pool.out_width()},
                        reference::max_pool(pool, view(maps)));
    return std::vector{maps, pooled};
  };
  return result;
}

/// Plane `index` of an NCHW tensor as a picture.
picture::Picture plane(const Tensor& tensor, std::int64_t index) {
  const std::int64_t height = tensor.shape()[2];
  const std::int64_t width = tensor.shape()[3];
  return picture::from_plane(std::span<const float>(tensor.data() + index * height * width,
                                                    static_cast<std::size_t>(height * width)),
                             static_cast<int>(height), static_cast<int>(width));
}

/// An image, and its eight pooled feature maps beside it.
picture::Picture row_of(const Tensor& images, const Tensor& pooled, std::int64_t image) {
  std::vector<picture::Picture> row = {plane(images, image)};
  for (std::int64_t channel = 0; channel < kChannels; ++channel) {
    row.push_back(picture::enlarged(plane(pooled, image * kChannels + channel), 2));
  }
  return picture::montage(row, static_cast<int>(row.size()), 2);
}

}  // namespace

int run_demo(const DemoOptions& demo, const RunOptions& options) {
  try {
    base::check_writable(demo.png);
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("{}; --png FILE puts the picture elsewhere", error.what()));
  }
  check_run_options(options, {demo.png});
  const FashionMnist data(FashionMnist::Part::kTest);
  const Tensor images = data.images(demo.first, demo.count);
  const system::ClusterConfig config = load_config(options);
  const Case job = make_demo_case(images, machine_of(config, options));
  const CaseResult result = run_case(job, "demo", config, options);
  if (result.outputs.size() < 2) return result.status;

  const Tensor& pooled = result.outputs[1];
  const std::vector<picture::Picture> shown = {plane(images, 0), picture::enlarged(plane(pooled, 0), 2),
                                               picture::enlarged(plane(pooled, 2), 2)};
  fmt::print("\nTest image {} ({}), and what the cluster made of it with filters 0 and 2 of {}:\n\n{}\n",
             demo.first, FashionMnist::class_name(data.label(demo.first)), kChannels,
             picture::to_text(picture::montage(shown, 3, 2, 0)));

  std::vector<picture::Picture> rows;
  for (std::int64_t image = 0; image < demo.count; ++image) rows.push_back(row_of(images, pooled, image));
  picture::write_png(picture::enlarged(picture::montage(rows, 1, 4), 3), demo.png);
  fmt::print("Every image with its eight feature maps: {}\n", demo.png);
  return result.status;
}

}  // namespace nearcube::cli
