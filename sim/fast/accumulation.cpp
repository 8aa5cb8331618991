// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/accumulation.h"

#include <algorithm>
#include <cstring>

namespace nearcube::fast {
namespace {

constexpr std::uint32_t kOne = 0x3F80'0000;

void gather(std::uint32_t* to, const std::uint32_t* from, std::ptrdiff_t stride, std::size_t count) {
  constexpr std::size_t kFewestCopied = 8;  // a call costs as much as these
  if (stride == 1 && count >= kFewestCopied) {
    std::memcpy(to, from, 4 * count);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
  }
}

}  // namespace

Accumulation::Accumulation(exact::Path path) : path_(path), a_(kMostHeld), b_(kMostHeld) {}

void Accumulation::start(bool negate, std::optional<std::uint32_t> value) {
  negate_ = negate;
  folded_ = false;
  value_ = value;
  held_ = 0;
}

void Accumulation::start_image(bool negate, std::span<const std::uint32_t, exact::kImageWords> image,
                               bool negate_image) {
  start(negate);
  fold();
  sum_.add_image(image, negate_image);
}

void Accumulation::add_image(std::span<const std::uint32_t, exact::kImageWords> image) {
  fold();
  sum_.add_image(image);
}

void Accumulation::add(const std::uint32_t* a, std::ptrdiff_t a_stride, const std::uint32_t* b,
                       std::ptrdiff_t b_stride, std::size_t count) {
  while (count > 0) {
    if (held_ == kMostHeld) fold();
    const std::size_t part = std::min(count, kMostHeld - held_);
    gather(a_.data() + held_, a, a_stride, part);
    if (b != nullptr) {
      gather(b_.data() + held_, b, b_stride, part);
      b += static_cast<std::ptrdiff_t>(part) * b_stride;
    } else {
      std::fill_n(b_.data() + held_, part, kOne);
    }
    a += static_cast<std::ptrdiff_t>(part) * a_stride;
    held_ += part;
    count -= part;
  }
}

void Accumulation::add_rows(const std::uint32_t* a, std::ptrdiff_t a_stride, const std::uint32_t* b,
                            std::ptrdiff_t b_stride, std::size_t count, std::span<const BlockRow> rows) {
  for (const BlockRow& row : rows) {
    if (b == nullptr || held_ + count > kMostHeld) {
      add(a + row.a, a_stride, b == nullptr ? nullptr : b + row.b, b_stride, count);
    } else {
      gather(a_.data() + held_, a + row.a, a_stride, count);
      gather(b_.data() + held_, b + row.b, b_stride, count);
      held_ += count;
    }
  }
}

void Accumulation::fold() {
  if (!folded_) {
    sum_.clear();
    if (value_) sum_.add_value(*value_);
    folded_ = true;
  }
  exact::add_products(path_, sum_, a_.data(), b_.data(), held_, negate_, decisions_);
  held_ = 0;
}

std::uint32_t Accumulation::result(bool continues) {
  if (!folded_ && !continues) {
    return exact::dot(path_, a_.data(), b_.data(), held_, negate_, value_, decisions_);
  }
  fold();
  return sum_.round();
}

void Accumulation::store_image(std::span<std::uint32_t, exact::kImageWords> image) {
  fold();
  sum_.store_image(image);
}

}  // namespace nearcube::fast
