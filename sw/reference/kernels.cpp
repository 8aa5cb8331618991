// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sw/reference/exact_sum.h"

namespace nearcube::reference {
namespace {

void require(bool condition, const char* what) {
  if (!condition) {
    throw std::invalid_argument(what);
  }
}

void require_size(View values, std::int64_t count, const char* what) {
  if (static_cast<std::int64_t>(values.size()) != count) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(values.size()) +
                                " elements; the shape has " + std::to_string(count));
  }
}

bool inside(std::int64_t x, std::int64_t extent) { return x >= 0 && x < extent; }

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::bit_cast<float>(0x7FC0'0000u);
  }
  if (a == b) {  // equal, or zeros of different sign
    return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}

}  // namespace

Values conv2d(const Conv2d& shape, View input, View weights, View bias) {
  require(shape.stride > 0 && shape.pad >= 0 && shape.kernel_height > 0 && shape.kernel_width > 0,
          "conv2d: kernel and stride are positive, pad is not negative");
  require(shape.height + 2 * shape.pad >= shape.kernel_height &&
              shape.width + 2 * shape.pad >= shape.kernel_width,
          "conv2d: the kernel is larger than the padded input");
  const std::int64_t plane = shape.height * shape.width;
  const std::int64_t window = shape.kernel_height * shape.kernel_width;
  require_size(input, shape.batch * shape.in_channels * plane, "conv2d: input");
  require_size(weights, shape.out_channels * shape.in_channels * window, "conv2d: weights");
  if (!bias.empty()) {
    require_size(bias, shape.out_channels, "conv2d: bias");
  }

  Values out;
  out.reserve(
      static_cast<std::size_t>(shape.batch * shape.out_channels * shape.out_height() * shape.out_width()));
  ExactSum sum;
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t o = 0; o < shape.out_channels; ++o) {
      for (std::int64_t y = 0; y < shape.out_height(); ++y) {
        for (std::int64_t x = 0; x < shape.out_width(); ++x) {
          sum.clear();
          if (!bias.empty()) {
            sum.add(bias[o]);
          }
          for (std::int64_t c = 0; c < shape.in_channels; ++c) {
            const float* image = input.data() + (n * shape.in_channels + c) * plane;
            const float* weight = weights.data() + (o * shape.in_channels + c) * window;
            for (std::int64_t i = 0; i < shape.kernel_height; ++i) {
              for (std::int64_t j = 0; j < shape.kernel_width; ++j) {
                const std::int64_t row = y * shape.stride + i - shape.pad;
                const std::int64_t column = x * shape.stride + j - shape.pad;
                const bool real = inside(row, shape.height) && inside(column, shape.width);
                sum.add_product(real ? image[row * shape.width + column] : 0.0F,
                                weight[i * shape.kernel_width + j]);
              }
            }
          }
          out.push_back(sum.round(shape.relu));
        }
      }
    }
  }
  return out;
}

Values gemm(std::int64_t m, std::int64_t n, std::int64_t k, View a, View b) {
  require(m > 0 && n > 0 && k > 0, "gemm: extents are positive");
  require_size(a, m * k, "gemm: A");
  require_size(b, k * n, "gemm: B");
  Values out;
  out.reserve(static_cast<std::size_t>(m * n));
  ExactSum sum;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      sum.clear();
      for (std::int64_t p = 0; p < k; ++p) {
        sum.add_product(a[i * k + p], b[p * n + j]);
      }
      out.push_back(sum.round());
    }
  }
  return out;
}

Values gemv(std::int64_t m, std::int64_t n, View a, View x) {
  require_size(x, n, "gemv: x");
  return gemm(m, 1, n, a, x);
}

Values axpy(float a, View x, View y) {
  require_size(y, static_cast<std::int64_t>(x.size()), "axpy: y");
  Values out;
  out.reserve(x.size());
  ExactSum sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.clear();
    sum.add_product(a, x[i]);
    sum.add(y[i]);
    out.push_back(sum.round());
  }
  return out;
}

Values max_pool(const MaxPool& shape, View input) {
  require(shape.stride > 0 && shape.pad >= 0 && shape.kernel > 0,
          "max_pool: window and stride are positive, pad is not negative");
  require(shape.height + 2 * shape.pad >= shape.kernel && shape.width + 2 * shape.pad >= shape.kernel,
          "max_pool: the window is larger than the padded input");
  const std::int64_t planes = shape.batch * shape.channels;
  require_size(input, planes * shape.height * shape.width, "max_pool: input");
  Values out;
  out.reserve(static_cast<std::size_t>(planes * shape.out_height() * shape.out_width()));
  for (std::int64_t p = 0; p < planes; ++p) {
    const float* image = input.data() + p * shape.height * shape.width;
    for (std::int64_t y = 0; y < shape.out_height(); ++y) {
      for (std::int64_t x = 0; x < shape.out_width(); ++x) {
        float best = -std::numeric_limits<float>::infinity();
        for (std::int64_t i = 0; i < shape.kernel; ++i) {
          for (std::int64_t j = 0; j < shape.kernel; ++j) {
            const std::int64_t row = y * shape.stride + i - shape.pad;
            const std::int64_t column = x * shape.stride + j - shape.pad;
            if (inside(row, shape.height) && inside(column, shape.width)) {
              best = maximum(best, image[row * shape.width + column]);
            }
          }
        }
        out.push_back(best);
      }
    }
  }
  return out;
}

Values relu(View x) {
  Values out(x.begin(), x.end());
  for (float& value : out) {
    if (!(value > 0.0F) && !std::isnan(value)) {
      value = 0.0F;
    }
  }
  return out;
}

Values stencil(std::span<const std::int64_t> extents, View field, std::span<const float, 7> weights) {
  require(!extents.empty() && extents.size() <= 3, "stencil: a field has 1 to 3 dimensions");
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    require(extent > 0, "stencil: extents are positive");
    count *= extent;
  }
  require_size(field, count, "stencil: field");

  Values out(field.size());
  ExactSum sum;
  std::int64_t pitch = 1;  // elements from one neighbour to the next in the dimension at hand
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int64_t extent = extents[extents.size() - 1 - d];
    const float low_weight = d == 0 ? weights[0] : weights[2 * d + 1];
    const float high_weight = weights[2 * d + 2];
    for (std::int64_t at = 0; at < count; ++at) {
      const std::int64_t x = at / pitch % extent;
      sum.clear();
      sum.add_product(inside(x - 1, extent) ? field[at - pitch] : 0.0F, low_weight);
      if (d == 0) {
        sum.add_product(field[at], weights[1]);
      } else {
        sum.add(out[at]);
      }
      sum.add_product(inside(x + 1, extent) ? field[at + pitch] : 0.0F, high_weight);
      out[at] = sum.round();
    }
    pitch *= extent;
  }
  return out;
}

Values laplace(std::span<const std::int64_t> extents, View field) {
  const auto centre = static_cast<float>(-2 * static_cast<int>(extents.size()));
  return stencil(extents, field, std::array<float, 7>{1, centre, 1, 1, 1, 1, 1});
}

Values diffusion(std::span<const std::int64_t> extents, View field, float rate, int steps) {
  ExactSum centre;
  centre.add(1.0F);
  centre.add_product(static_cast<float>(-2 * static_cast<int>(extents.size())), rate);
  const std::array<float, 7> weights{rate, centre.round(), rate, rate, rate, rate, rate};
  Values now(field.begin(), field.end());
  for (int step = 0; step < steps; ++step) {
    now = stencil(extents, now, weights);
  }
  return now;
}

}  // namespace nearcube::reference
