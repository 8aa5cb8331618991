// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/share.h"

#include <algorithm>
#include <array>
#include <map>

#include "sw/compiler/tiling.h"

namespace nearcube::compiler {
namespace {

using interfaces::TileDescriptor;

bool has(const TileDescriptor& t, std::uint32_t flag) { return (t.flags & flag) != 0; }

/// NTX cycles that a tile keeps a cluster busy, about.
double work(const TileDescriptor& t) {
  const double outputs = static_cast<double>(t.output_planes) * t.output_rows * t.output_cols;
  double steps = 1;  // an output
  switch (t.kind) {
    case interfaces::kKindConv2d:
      steps = static_cast<double>(t.input_planes) * t.kernel_rows * t.kernel_cols;
      break;
    case interfaces::kKindGemm:
    case interfaces::kKindGemv:
      steps = t.input_cols;
      break;
    case interfaces::kKindMaxPool:
      steps = static_cast<double>(t.kernel_rows) * t.kernel_cols;
      break;
    default:
      steps = 3;
      break;
  }
  // Lanes that divide the output unevenly wait for the last of them; that is for the planner.
  return outputs * (steps + 0.5) / (static_cast<double>(t.lanes_a) * t.lanes_b) + kTileSwitch;
}

/// Neighbouring tiles that stay together.
struct Chain {
  std::size_t first = 0, count = 0;
  double work = 0;
};

/// Chains that fit into `clusters` parts of at most `most`, taken in order.
bool fits(const std::vector<Chain>& chains, unsigned clusters, double most) {
  unsigned used = 1;
  double sum = 0;
  for (const Chain& chain : chains) {
    if (chain.work > most) return false;
    if (sum + chain.work > most) {
      if (++used > clusters) return false;
      sum = 0;
    }
    sum += chain.work;
  }
  return true;
}

/// Number of chains for each cluster, in order: the busiest has as little as can be, and the others as even
/// shares as that allows.
std::vector<std::size_t> divide(const std::vector<Chain>& chains, unsigned clusters) {
  double all = 0, largest = 0;
  for (const Chain& chain : chains) {
    all += chain.work;
    largest = std::max(largest, chain.work);
  }
  double low = std::max(largest, all / clusters), high = all;
  if (fits(chains, clusters, low)) high = low;
  for (int i = 0; i < 60 && high > low * (1 + 1e-9); ++i) {
    const double middle = (low + high) / 2;
    (fits(chains, clusters, middle) ? high : low) = middle;
  }
  const double most = high * (1 + 1e-6);
  std::vector<std::size_t> counts(clusters);
  std::size_t next = 0;
  for (unsigned cluster = 0; cluster < clusters; ++cluster) {
    const double even = all / (clusters - cluster);
    const std::vector<Chain> later(chains.begin() + static_cast<std::ptrdiff_t>(next), chains.end());
    double sum = 0;
    std::size_t taken = 0;
    for (const Chain& chain : later) {
      if (sum + chain.work > most) break;
      // Enough, if the others can do what is left.
      if (sum + chain.work / 2 > even &&
          fits({later.begin() + static_cast<std::ptrdiff_t>(taken), later.end()}, clusters - cluster - 1,
               most))
        break;
      sum += chain.work;
      ++taken;
    }
    counts[cluster] = taken;
    next += taken;
    all -= sum;
  }
  return counts;
}

/// The tiles between two waits for everything before.
std::vector<std::vector<Chain>> stages_of(const std::vector<TileDescriptor>& tiles) {
  std::vector<std::vector<Chain>> stages;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (stages.empty() || has(tiles[i], interfaces::kFlagSync)) stages.emplace_back();
    std::vector<Chain>& chains = stages.back();
    if (chains.empty() || !has(tiles[i], interfaces::kFlagWideIn)) chains.push_back({i, 0, 0});
    ++chains.back().count;
    chains.back().work += work(tiles[i]);
  }
  return stages;
}

/// Loads what the tiles before have not left where it is needed.
void load_what_is_missing(std::vector<TileDescriptor>& tiles) {
  using Operand = std::array<std::uint64_t, 4>;      // address, planes, rows, columns
  std::map<std::uint32_t, Operand> inputs, weights;  // by place in the TCDM
  for (TileDescriptor& t : tiles) {
    const auto need = [&t](std::map<std::uint32_t, Operand>& held, std::uint32_t offset,
                           const Operand& operand, std::uint32_t flag) {
      if (has(t, flag) || held[offset] != operand) t.flags = static_cast<std::uint16_t>(t.flags | flag);
      held[offset] = operand;
    };
    need(inputs, t.input_offset, {t.input_address, t.input_planes, t.input_rows, t.input_cols},
         interfaces::kFlagLoadInput);
    // Kinds without weights have none in their descriptors.
    if (t.weights_rows != 0)
      need(weights, t.weights_offset, {t.weights_address, 1, t.weights_rows, t.weights_cols},
           interfaces::kFlagLoadWeights);
  }
}

}  // namespace

SharedTiles share_out(const std::vector<TileDescriptor>& tiles, unsigned clusters) {
  if (clusters == 1) return {tiles, {{0, static_cast<std::uint32_t>(tiles.size())}}, 0};
  std::vector<std::vector<TileDescriptor>> own(clusters);
  std::vector<std::uint32_t> passed(clusters);  // barriers
  const auto stages = stages_of(tiles);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::vector<std::size_t> counts = divide(stages[stage], clusters);
    auto chain = stages[stage].begin();
    for (unsigned cluster = 0; cluster < clusters; ++cluster) {
      for (std::size_t i = 0; i < counts[cluster]; ++i, ++chain) {
        for (std::size_t t = chain->first; t < chain->first + chain->count; ++t) {
          TileDescriptor tile = tiles[t];
          tile.barriers = static_cast<std::uint16_t>(stage - passed[cluster]);
          if (tile.barriers != 0) tile.flags = static_cast<std::uint16_t>(tile.flags | interfaces::kFlagSync);
          passed[cluster] = static_cast<std::uint32_t>(stage);
          own[cluster].push_back(tile);
        }
      }
    }
  }
  SharedTiles shared;
  if (!stages.empty()) shared.barriers = static_cast<std::uint32_t>(stages.size() - 1);
  for (auto& list : own) {
    load_what_is_missing(list);
    shared.ranges.push_back(
        {static_cast<std::uint32_t>(shared.tiles.size()), static_cast<std::uint32_t>(list.size())});
    shared.tiles.insert(shared.tiles.end(), list.begin(), list.end());
  }
  return shared;
}

}  // namespace nearcube::compiler
