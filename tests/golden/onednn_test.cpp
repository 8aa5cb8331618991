// SPDX-License-Identifier: Apache-2.0
// sw/reference against oneDNN, which is nobody's twin: another library, other loops, plain fp32 arithmetic.
//
// A sum of n products in fp32, in any order and with or without fused multiply-add, is off by at most n u /
// (1 - n u) * sum |a b|, u = 2^-24 (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// eq. 3.5); the reference adds its own u. n 2^-23 sum |a b| covers both for n < 2^22, and a bias counts as
// one product.
#include <bit>
#include <cmath>
#include <dnnl.hpp>
#include <vector>

#include "sw/reference/kernels.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"

namespace nearcube::golden {
namespace {

using Floats = reference::Values;

Floats random_array(test::Random& random, std::int64_t count) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
  fill_values(random, Values::kOrdinary, words);
  Floats values;
  for (const std::uint32_t word : words) {
    values.push_back(std::bit_cast<float>(word));
  }
  return values;
}

Floats absolute(Floats values) {
  for (float& x : values) {
    x = std::fabs(x);
  }
  return values;
}

Floats onednn_conv2d(const reference::Conv2d& s, Floats input, Floats weights, Floats bias) {
  using dnnl::memory;
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto fp32 = [](const memory::dims& dims, memory::format_tag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  const auto input_desc = fp32({s.batch, s.in_channels, s.height, s.width}, memory::format_tag::nchw);
  const auto weights_desc =
      fp32({s.out_channels, s.in_channels, s.kernel_height, s.kernel_width}, memory::format_tag::oihw);
  const auto bias_desc = fp32({s.out_channels}, memory::format_tag::x);
  const auto output_desc =
      fp32({s.batch, s.out_channels, s.out_height(), s.out_width()}, memory::format_tag::nchw);
  // What the window leaves over at the far side is not padding for oneDNN, so it is taken off.
  const auto far = [&](std::int64_t in, std::int64_t kernel, std::int64_t out) {
    return (out - 1) * s.stride + kernel - in - s.pad;
  };
  const memory::dims strides = {s.stride, s.stride};
  const memory::dims near_pad = {s.pad, s.pad};
  const memory::dims far_pad = {far(s.height, s.kernel_height, s.out_height()),
                                far(s.width, s.kernel_width, s.out_width())};
  using Convolution = dnnl::convolution_forward;
#if DNNL_VERSION_MAJOR >= 3
  const Convolution::primitive_desc primitive(engine, dnnl::prop_kind::forward_inference,
                                              dnnl::algorithm::convolution_direct, input_desc, weights_desc,
                                              bias_desc, output_desc, strides, near_pad, far_pad);
#else
  const Convolution::primitive_desc primitive(
      Convolution::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, input_desc,
                        weights_desc, bias_desc, output_desc, strides, near_pad, far_pad),
      engine);
#endif
  Floats output(static_cast<std::size_t>(s.batch * s.out_channels * s.out_height() * s.out_width()));
  Convolution(primitive).execute(stream, {{DNNL_ARG_SRC, memory(input_desc, engine, input.data())},
                                          {DNNL_ARG_WEIGHTS, memory(weights_desc, engine, weights.data())},
                                          {DNNL_ARG_BIAS, memory(bias_desc, engine, bias.data())},
                                          {DNNL_ARG_DST, memory(output_desc, engine, output.data())}});
  stream.wait();
  return output;
}

/// `magnitudes` are the sums of absolute products, from the reference itself on absolute operands.
void require_close(const Floats& ours, const Floats& theirs, const Floats& magnitudes,
                   std::int64_t products) {
  REQUIRE(ours.size() == theirs.size());
  REQUIRE(ours.size() == magnitudes.size());
  bool differs = false;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double bound = static_cast<double>(products) * 0x1p-23 * static_cast<double>(magnitudes[i]);
    const double error = std::fabs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i]));
    if (!(error <= bound)) {
      CAPTURE(i, ours[i], theirs[i], error, bound);
      FAIL("further from oneDNN than fp32's error");
    }
    differs = differs || ours[i] != theirs[i];
  }
  // A sum of many terms that never differed would mean that we compare a thing with itself.
  CHECK((differs || products < 100));
}

}  // namespace

TEST_CASE("conv2d agrees with oneDNN within fp32's error") {
  struct Row {
    std::int64_t batch, in, out, height, width, kernel_height, kernel_width, stride, pad;
  };
  test::Random random(test::seed(51));
  for (const Row& row : std::vector<Row>{{1, 16, 32, 32, 32, 3, 3, 1, 1},
                                         {2, 3, 5, 17, 13, 5, 5, 2, 2},
                                         {1, 1, 8, 28, 28, 5, 5, 1, 0},
                                         {1, 7, 3, 11, 19, 1, 1, 1, 0},
                                         {3, 4, 6, 15, 14, 7, 7, 2, 3},
                                         {1, 5, 4, 10, 9, 3, 1, 3, 0},
                                         {1, 2, 2, 6, 30, 2, 4, 1, 1},
                                         {1, 64, 4, 9, 9, 3, 3, 1, 1}}) {
    reference::Conv2d shape{row.batch,         row.in,           row.out,    row.height, row.width,
                            row.kernel_height, row.kernel_width, row.stride, row.pad,    false};
    CAPTURE(row.batch, row.in, row.out, row.height, row.width, row.kernel_height, row.kernel_width,
            row.stride, row.pad);
    const std::int64_t window = row.in * row.kernel_height * row.kernel_width;
    const Floats input = random_array(random, row.batch * row.in * row.height * row.width);
    const Floats weights = random_array(random, row.out * window);
    const Floats bias = random_array(random, row.out);
    const Floats theirs = onednn_conv2d(shape, input, weights, bias);
    const Floats ours = reference::conv2d(shape, input, weights, bias);
    const Floats magnitudes = reference::conv2d(shape, absolute(input), absolute(weights), absolute(bias));
    require_close(ours, theirs, magnitudes, window + 1);
  }
}

TEST_CASE("gemm agrees with oneDNN within fp32's error") {
  test::Random random(test::seed(52));
  struct Row {
    std::int64_t m, n, k;
  };
  for (const Row& row :
       std::vector<Row>{{64, 64, 256}, {1, 1, 1}, {7, 13, 5}, {33, 1, 1000}, {1, 50, 333}, {20, 31, 4096}}) {
    CAPTURE(row.m, row.n, row.k);
    const Floats a = random_array(random, row.m * row.k);
    const Floats b = random_array(random, row.k * row.n);
    Floats theirs(static_cast<std::size_t>(row.m * row.n));
    REQUIRE(dnnl_sgemm('N', 'N', row.m, row.n, row.k, 1.0F, a.data(), row.k, b.data(), row.n, 0.0F,
                       theirs.data(), row.n) == dnnl_success);
    require_close(reference::gemm(row.m, row.n, row.k, a, b), theirs,
                  reference::gemm(row.m, row.n, row.k, absolute(a), absolute(b)), row.k);
  }
}

}  // namespace nearcube::golden
