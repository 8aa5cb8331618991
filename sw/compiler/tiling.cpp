// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiling.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace nearcube::compiler {

std::vector<Cut> cut(const Window& window, std::int64_t step) {
  std::vector<Cut> cuts;
  const std::int64_t outputs = window.outputs();
  for (std::int64_t first = 0; first < outputs; first += step) {
    const std::int64_t count = std::min(step, outputs - first);
    const std::int64_t begin = first * window.stride - window.pad;
    const std::int64_t end = begin + window.inputs(count);
    const std::int64_t in_begin = std::max<std::int64_t>(begin, 0);
    const std::int64_t in_end = std::min(end, window.extent);
    cuts.push_back({first, count, in_begin, in_end - in_begin, in_begin - begin, end - in_end});
  }
  return cuts;
}

Axis summarize(const Window& window, std::int64_t step) {
  const std::int64_t outputs = window.outputs();
  Axis axis{step, outputs / step, outputs % step, 0};
  for (const Cut& part : cut(window, step)) axis.inputs += part.in_count;
  return axis;
}

std::vector<Axis> axes(const Window& window, std::int64_t limit) {
  std::vector<Axis> all;
  for (const std::int64_t step : candidates(window.outputs(), limit)) all.push_back(summarize(window, step));
  return all;
}

std::int64_t spread_pitch(const Machine& machine, std::int64_t words, std::int64_t lanes,
                          std::int64_t pitches) {
  const std::int64_t banks = machine.banks;
  const std::int64_t apart = banks / 16;
  for (std::int64_t pitch = words; pitch < words + banks; ++pitch) {
    bool good = true;
    for (std::int64_t lane = 1; lane < lanes; ++lane) {
      const std::int64_t bank = lane * pitches * pitch % banks;
      good = good && std::min(bank, banks - bank) >= apart;
    }
    if (good) return pitch;
  }
  return words;
}

std::vector<std::int64_t> candidates(std::int64_t extent, std::int64_t limit) {
  const std::int64_t most = std::min(extent, limit);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= most; size += std::max<std::int64_t>(1, size / 16))
    sizes.push_back(size);
  for (std::int64_t parts = 1; parts <= 64; ++parts) {
    const std::int64_t size = ceil_div(extent, parts);
    if (size >= 1 && size <= most) sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

double Cost::cycles(const Machine& machine) const {
  // Chains of equal work, dealt out whole.
  const double share = std::ceil(chains / machine.clusters) / chains;
  const double slowest =
      std::max({compute + tiles * kTileSwitch, load + tiles * kLoadLatency, store, tiles * kTileOverhead});
  // What is hidden is not free: it takes banks and energy. So among plans of equal time the one with less
  // work wins.
  return share * (slowest + (compute + load + store) / 16) + exposed;
}

std::uint32_t Scratchpad::take(std::int64_t words) {
  const std::int64_t bytes = scratchpad_bytes(words);
  if (bytes > std::int64_t{limit_} - next_)
    throw base::error(ExitStatus::kOther, "compiler: a plan needs more than the {} B of tile space", limit_);
  const std::uint32_t offset = next_;
  next_ += static_cast<std::uint32_t>(bytes);
  return offset;
}

Buffers::Buffers(Scratchpad& scratchpad, std::int64_t words, int count)
    : index_(static_cast<std::size_t>(count) - 1) {
  for (int i = 0; i < count; ++i) offset_.push_back(scratchpad.take(words));
}

std::uint32_t Buffers::next() {
  index_ = (index_ + 1) % offset_.size();
  return offset_[index_];
}

}  // namespace nearcube::compiler
