// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>

#include "sim/base/error.h"
#include "sw/network/tensor.h"
#include "tests/support/catch.h"

using namespace nearcube;
using network::Shape;
using network::Tensor;

TEST_CASE("Shapes are counted, printed and refused") {
  CHECK(network::element_count({}) == 1);
  CHECK(network::element_count({2, 3, 4}) == 24);
  CHECK(network::element_count({0, std::int64_t{1} << 40, std::int64_t{1} << 40}) == 0);
  CHECK(network::to_string({16, 32, 32}) == "16x32x32");
  CHECK(network::to_string({}) == "scalar");
  CHECK_THROWS_AS(network::element_count({2, -1}), Error);
  CHECK_THROWS_AS(network::element_count({std::int64_t{1} << 32, std::int64_t{1} << 32}), Error);
}

TEST_CASE("A tensor keeps its elements' bits through bytes") {
  Tensor tensor({2, 2}, {1.0f, -0.0f, std::bit_cast<float>(0x7FA0'1234u), std::bit_cast<float>(1u)});
  const auto bytes = network::to_bytes(tensor);
  CHECK(bytes[3] == 0x3F);  // little-endian 1.0f
  const Tensor back = network::from_bytes({4}, bytes);
  for (int i = 0; i < 4; ++i)
    CHECK(std::bit_cast<std::uint32_t>(back[i]) == std::bit_cast<std::uint32_t>(tensor[i]));
}

TEST_CASE("A tensor whose values do not fit its shape is bad input") {
  CHECK_THROWS_AS(Tensor({3}, {1.0f, 2.0f}), Error);
  CHECK_THROWS_AS(Tensor({4}).reshaped({3}), Error);
  CHECK_THROWS_AS(network::from_bytes({2}, {1, 2, 3}), Error);
  CHECK(Tensor({2, 3}).reshaped({6}).shape() == Shape{6});
}
