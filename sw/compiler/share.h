// SPDX-License-Identifier: Apache-2.0
// Sharing a job list's tiles out over the clusters of a cube.
#pragma once

#include <cstdint>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"

namespace nearcube::compiler {

/// Tiles of all clusters, one cluster's after another's.
struct SharedTiles {
  std::vector<interfaces::TileDescriptor> tiles;
  std::vector<interfaces::JobRange> ranges;  ///< of each cluster
  std::uint32_t barriers = 0;  ///< that all clusters pass, the last of them after their last tile
};

/// Gives each cluster neighbouring tiles of about the same work, and never part of a chain of wide images, so
/// that every sum is made by one cluster, from what it would be made of otherwise. Where a tile waits for all
/// before it (flag_sync), the clusters meet. What a cluster's TCDM does not hold because the tile that loaded
/// it is another's, is loaded again. A single cluster keeps the list as it is.
SharedTiles share_out(const std::vector<interfaces::TileDescriptor>& tiles, unsigned clusters);

}  // namespace nearcube::compiler
