// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.h"
#include "sw/compiler/workload.h"
#include "tests/support/catch.h"

using namespace nearcube;
using namespace nearcube::compiler;
using nearcube::test::contains;

namespace {

/// Calls `make` and expects bad input with `reason` in its message.
template <typename Make>
void refuses(Make make, const std::string& reason) {
  try {
    make();
    FAIL("accepted; expected: " << reason);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::kBadInput);
    CHECK_THAT(error.what(), contains(reason));
  }
}

}  // namespace

TEST_CASE("Absurd convolutions are refused with a reason") {
  const Conv2dShape good{.in_channels = 2, .out_channels = 3, .height = 8, .width = 9, .kernel = 3, .pad = 1};
  const auto with = [&](auto change) {
    Conv2dShape s = good;
    change(s);
    return s;
  };
  refuses([&] { check(with([](auto& s) { s.batch = 0; })); }, "batch is 0");
  refuses([&] { check(with([](auto& s) { s.in_channels = 0; })); }, "in-channels is 0");
  refuses([&] { check(with([](auto& s) { s.out_channels = -4; })); }, "out-channels is -4");
  refuses([&] { check(with([](auto& s) { s.height = 0; })); }, "height is 0");
  refuses([&] { check(with([](auto& s) { s.width = std::int64_t{1} << 40; })); }, "below 2^30");
  refuses([&] { check(with([](auto& s) { s.kernel = 0; })); }, "kernel is 0");
  refuses([&] { check(with([](auto& s) { s.stride = 0; })); }, "stride is 0");
  refuses([&] { check(with([](auto& s) { s.stride = 70000; })); }, "below 65536");
  refuses([&] { check(with([](auto& s) { s.pad = -1; })); }, "pad is -1");
  refuses([&] { check(with([](auto& s) { s.pad = 3; })); }, "pad 3 is not smaller than kernel 3");
  refuses([&] { check(with([](auto& s) { s.kernel = 11; })); }, "larger than the padded height 8 + 2 * 1");
  refuses([&] { check(with([](auto& s) { s.height = 30000, s.width = 30000; })); }, "do not fit");
  refuses([&] { check(with([](auto& s) { s.batch = s.in_channels = s.height = s.width = 1 << 29; })); },
          "more elements");
  refuses(
      [&] {
        make_conv2d(good, Tensor({1, 2, 8, 8}), Tensor(good.weights()));
      },
      "conv2d's input has shape 1x2x8x8");
  refuses([&] { make_conv2d(good, Tensor(good.input()), Tensor({3, 2, 3, 2})); }, "conv2d's weights");
  refuses([&] { make_conv2d(good, Tensor(good.input()), Tensor(good.weights()), Tensor({4})); },
          "conv2d's bias");
  const Conv2dShape huge{.height = 200, .width = 200, .kernel = 150};
  refuses([&] { make_conv2d(huge, Tensor(huge.input()), Tensor(huge.weights())); },
          "not even one output of a 150x150 window");
}

TEST_CASE("Absurd matrices, vectors, windows and fields are refused with a reason") {
  refuses([] { check(GemmShape{0, 1, 1}); }, "m is 0");
  refuses([] { check(GemmShape{1, -1, 1}); }, "n is -1");
  refuses([] { check(GemmShape{1, 1, 0}); }, "k is 0");
  refuses([] { check(GemmShape{100000, 100000, 1}); }, "do not fit");
  refuses([] { make_gemm({2, 3, 4}, Tensor({2, 3}), Tensor({4, 3})); }, "gemm's A");
  refuses([] { make_gemm({2, 3, 4}, Tensor({2, 4}), Tensor({3, 4})); }, "gemm's B");
  refuses([] { check(GemvShape{1, 0}); }, "n is 0");
  refuses([] { make_gemv({2, 3}, Tensor({2, 3}), Tensor({2})); }, "gemv's x");
  refuses([] { check(AxpyShape{0}); }, "n is 0");
  refuses([] { check(AxpyShape{std::int64_t{1} << 29}); }, "do not fit");
  refuses([] { make_axpy({2}, 1.0f, Tensor({3}), Tensor({2})); }, "axpy's x");
  refuses([] { check(ReluShape{-1}); }, "n is -1");
  refuses([] { make_relu({2}, Tensor({3})); }, "relu's input");
  refuses([] { check(PoolShape{.channels = 0, .height = 4, .width = 4}); }, "channels is 0");
  refuses([] { check(PoolShape{.height = 4, .width = 1}); }, "larger than the padded width");
  refuses([] { check(PoolShape{.height = 4, .width = 4, .pad = 2}); }, "not smaller than kernel");
  refuses([] { make_max_pool({.height = 4, .width = 4}, Tensor({1, 1, 4, 5})); }, "pool's input");
  refuses([] { check(StencilShape{{}}); }, "1 to 3 dimensions, not 0");
  refuses([] { check(StencilShape{{1, 1, 1, 1}}); }, "1 to 3 dimensions, not 4");
  refuses([] { check(StencilShape{{5, 0}}); }, "an extent of the field is 0");
  refuses([] { make_laplace({{5, 5}}, Tensor({25})); }, "the field has shape 25");
  refuses([] { make_diffusion({{5}}, Tensor({5}), 0.1f, 0); }, "steps is 0");
}

TEST_CASE("A cube memory or a TCDM that is too small is refused") {
  Machine machine;
  machine.memory_bytes = 1 << 21;
  refuses([&] { check(ReluShape{1 << 18}, machine); },
          "do not fit the cube memory of 2 MiB (configuration key");
  machine.memory_bytes = 4096;
  refuses([&] { check(ReluShape{1}, machine); },
          "need more than 1.00 MiB, and do not fit the cube memory of 4 KiB (configuration key "
          "memory.capacity_bytes): give a --config with a larger one, up to 2 GiB");
  machine.memory_bytes = 1 << 20;
  refuses([&] { check(ReluShape{1}, machine); }, "memory.capacity_bytes");
  // The tensors fit, the job list behind them does not.
  machine.memory_bytes = (1 << 20) + 512 + 513;
  refuses([&] { make_relu({64}, Tensor({64}), machine); }, "tile descriptors do not fit");
  machine = {};
  refuses([&] { check(ReluShape{std::int64_t{1} << 29}, machine); }, "make the workload smaller");
  machine = {};
  machine.tile_bytes = 64;
  refuses(
      [&] {
        make_gemm({8, 8, 64}, Tensor({8, 64}), Tensor({64, 8}), machine);
      },
      "not even one product fits");
  refuses([&] { make_axpy({8}, 1.0f, Tensor({8}), Tensor({8}), machine); }, "is too small");
}
