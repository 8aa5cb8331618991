// SPDX-License-Identifier: Apache-2.0
// Cube memory's contents in the making: tensors get addresses, tiles are collected, and the job list is
// written at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/compiler/workload.h"

namespace nearcube::compiler {

class JobList {
 public:
  JobList(std::string name, const Machine& machine);

  /// An address for `bytes`, 256-byte aligned (the DMA's longest burst). Bad input if cube memory is full.
  std::uint64_t reserve(std::uint64_t bytes, const char* what);
  /// Reserves space for a tensor and puts it into the image.
  std::uint64_t place(const Tensor& tensor, const char* what);
  /// Puts a tensor into the image at an address that has been reserved: the start value of a result.
  void put(std::uint64_t address, const Tensor& tensor);
  /// Reserves space for a result.
  std::uint64_t place_output(const std::string& name, Shape shape);

  /// A descriptor with nothing set but its kind and the extents and strides that must not be zero, which
  /// are 1.
  static interfaces::TileDescriptor tile(std::uint32_t kind);
  void add(const interfaces::TileDescriptor& tile) { workload_.tiles.push_back(tile); }
  void add_macs(std::int64_t macs) { workload_.macs += static_cast<std::uint64_t>(macs); }
  /// TCDM bytes that the tiles added so far use, so that the firmware can check them.
  void uses(std::uint32_t tile_bytes) { tile_bytes_ = std::max(tile_bytes_, tile_bytes); }

  /// Writes header, range, record space and descriptors. Call it once, at the end.
  Workload finish();

 private:
  const Machine machine_;
  Workload workload_;
  std::uint64_t next_;
  std::uint32_t tile_bytes_ = 0;
};

/// Bad input if `shape` is not `expected`.
void check_tensor(const char* what, const Tensor& tensor, const Shape& expected);
/// Bad input if an extent is below 1 or so large that addresses would not fit.
void check_extent(const char* what, std::int64_t extent);
/// Bad input if tensors of these shapes do not fit cube memory above the firmware.
void check_memory(const std::vector<Shape>& shapes, const Machine& machine);

}  // namespace nearcube::compiler
