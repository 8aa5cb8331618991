// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/job_list.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sw/compiler/share.h"

namespace nearcube::compiler {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t align(std::uint64_t address) {
  return (address + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename T>
std::vector<std::uint8_t> bytes_of(const T* values, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

/// The cube memory that there is, and who says so.
std::string memory_of(const Machine& machine) {
  return fmt::format("the cube memory of {} (configuration key memory.capacity_bytes)",
                     base::format_bytes(machine.memory_bytes));
}

/// Words of the TCDM that a tile uses.
struct Box {
  std::uint32_t offset;
  std::int64_t planes, rows, cols;
  std::int64_t plane_pitch, row_pitch;  // words
  bool written;                         // loaded or computed, not just still there

  template <typename Function>
  void each_word(const Function& function) const {
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto first = offset / 4 + static_cast<std::size_t>(plane * plane_pitch + row * row_pitch);
        for (std::size_t word = first; word < first + static_cast<std::size_t>(cols); ++word) function(word);
      }
    }
  }
};

/// Input, weights and output. Wide images are not among them: the NTX that start a chain of them wait for the
/// last one.
std::vector<Box> boxes_of(const interfaces::TileDescriptor& t) {
  const auto has = [&t](std::uint32_t flag) { return (t.flags & flag) != 0; };
  std::vector<Box> boxes{{t.input_offset, t.pad_front + t.input_planes + t.pad_back,
                          t.pad_top + t.input_rows + t.pad_bottom, t.pad_left + t.input_cols + t.pad_right,
                          t.input_tcdm_plane, t.input_tcdm_row, has(interfaces::kFlagLoadInput)},
                         {t.weights_offset, 1, t.weights_rows, t.weights_cols, 0, t.weights_tcdm_row,
                          has(interfaces::kFlagLoadWeights)}};
  if (!has(interfaces::kFlagWideOut) || has(interfaces::kFlagInitBias) || has(interfaces::kFlagInitOutput))
    boxes.push_back({t.output_offset, t.output_planes, t.output_rows, t.output_cols, t.output_tcdm_plane,
                     t.output_tcdm_row, true});
  return boxes;
}

/// Sets how far ahead each tile may be loaded: what it writes must not be in use by then.
void set_ahead(std::span<interfaces::TileDescriptor> tiles, std::uint32_t tile_bytes) {
  std::vector<std::size_t> last_use(tile_bytes / 4 + 1, 0);  // of each word, the number of the tile, from 1
  for (std::size_t number = 1; number <= tiles.size(); ++number) {
    interfaces::TileDescriptor& tile = tiles[number - 1];
    std::size_t latest = 0;
    const std::vector<Box> boxes = boxes_of(tile);
    for (const Box& box : boxes) {
      if (box.written) box.each_word([&](std::size_t word) { latest = std::max(latest, last_use[word]); });
    }
    for (const Box& box : boxes) box.each_word([&](std::size_t word) { last_use[word] = number; });
    const std::size_t most = interfaces::kMostAhead;
    tile.ahead = static_cast<std::uint16_t>(latest == 0 ? most : std::min(number - latest, most));
  }
}

}  // namespace

JobList::JobList(std::string name, const Machine& machine) : machine_(machine) {
  workload_.name = std::move(name);
  workload_.job_list_address = interfaces::kJobListAddress;
  workload_.record_address = align(interfaces::kJobListAddress + sizeof(interfaces::JobHeader));
  next_ = align(workload_.record_address + machine.clusters * sizeof(interfaces::JobRecord));
  workload_.phases = {"boot", "check", "fill", "tiles", "drain", "done"};
}

std::uint64_t JobList::reserve(std::uint64_t bytes, const char* what) {
  const std::uint64_t end = interfaces::kCubeBase + machine_.memory_bytes;
  const std::uint64_t address = next_;
  if (address > end || bytes > end - address)
    bad_input("{}: {} of {} do not fit {}", workload_.name, base::format_bytes(bytes), what,
              memory_of(machine_));
  next_ = align(address + bytes);
  return address;
}

std::uint64_t JobList::place(const Tensor& tensor, const char* what) {
  std::vector<std::uint8_t> bytes = network::to_bytes(tensor);
  const std::uint64_t address = reserve(bytes.size(), what);
  workload_.read_bytes += bytes.size();
  workload_.image.push_back({address, std::move(bytes)});
  return address;
}

void JobList::put(std::uint64_t address, const Tensor& tensor) {
  workload_.image.push_back({address, network::to_bytes(tensor)});
  workload_.read_bytes += workload_.image.back().bytes.size();
}

std::uint64_t JobList::place_output(const std::string& name, Shape shape) {
  const std::uint64_t address =
      reserve(4 * static_cast<std::uint64_t>(network::element_count(shape)), "results");
  workload_.outputs.push_back({name, address, std::move(shape)});
  workload_.written_bytes += workload_.outputs.back().bytes();
  return address;
}

interfaces::TileDescriptor JobList::tile(std::uint32_t kind) {
  interfaces::TileDescriptor tile{};
  tile.kind = static_cast<std::uint16_t>(kind);
  tile.lanes_a = tile.lanes_b = 1;
  tile.input_planes = tile.input_rows = tile.input_cols = 1;
  tile.output_planes = tile.output_rows = tile.output_cols = 1;
  tile.kernel_planes = tile.kernel_rows = tile.kernel_cols = 1;
  tile.stride_rows = tile.stride_cols = 1;
  return tile;
}

Workload JobList::finish() {
  SharedTiles shared = share_out(workload_.tiles, machine_.clusters);
  for (const interfaces::JobRange& range : shared.ranges)
    set_ahead(std::span(shared.tiles).subspan(range.first, range.count), tile_bytes_);
  workload_.tiles = std::move(shared.tiles);
  workload_.ranges = std::move(shared.ranges);
  workload_.barriers = shared.barriers;
  const std::size_t count = workload_.tiles.size();
  const std::uint64_t descriptors = reserve(count * sizeof(interfaces::TileDescriptor), "tile descriptors");
  const std::uint64_t ranges = reserve(workload_.ranges.size() * sizeof(interfaces::JobRange), "ranges");
  interfaces::JobHeader header{};
  header.magic = interfaces::kJobMagic;
  header.version = interfaces::kJobVersion;
  header.descriptor_bytes = sizeof(interfaces::TileDescriptor);
  header.descriptor_count = static_cast<std::uint32_t>(count);
  header.cluster_count = machine_.clusters;
  header.barriers = workload_.barriers;
  header.descriptors_address = descriptors;
  header.ranges_address = ranges;
  header.records_address = workload_.record_address;
  header.image_bytes = 4 * (machine_.accumulator_segments + 1);
  header.tile_bytes = tile_bytes_;
  workload_.image.push_back({workload_.job_list_address, bytes_of(&header, 1)});
  workload_.image.push_back({descriptors, bytes_of(workload_.tiles.data(), count)});
  workload_.image.push_back({ranges, bytes_of(workload_.ranges.data(), workload_.ranges.size())});
  workload_.memory_end = next_;
  return std::move(workload_);
}

void check_tensor(const char* what, const Tensor& tensor, const Shape& expected) {
  if (tensor.shape() != expected)
    bad_input("{} has shape {}, but {} is needed", what, network::to_string(tensor.shape()),
              network::to_string(expected));
}

void check_extent(const char* what, std::int64_t extent) {
  if (extent < 1) bad_input("{} is {}, but must be at least 1", what, extent);
  // Pitches are 32-bit byte counts in the descriptors.
  if (extent >= std::int64_t{1} << 30) bad_input("{} is {}, but must be below 2^30", what, extent);
}

void check_memory(const std::vector<Shape>& shapes, const Machine& machine) {
  // What lies below the job list is the firmware's.
  std::uint64_t needed = interfaces::kJobListAddress - interfaces::kCubeBase;
  for (const Shape& shape : shapes) {
    const auto elements = static_cast<std::uint64_t>(network::element_count(shape));
    if (elements > (UINT64_MAX / 2 - needed) / sizeof(float)) {
      bad_input("a tensor of shape {} is larger than any cube memory", network::to_string(shape));
    }
    needed += sizeof(float) * elements;
  }
  // The job list itself comes on top.
  if (needed < machine.memory_bytes) return;
  const bool fits_a_larger_one = needed < interfaces::kCubeSize;
  bad_input("firmware and tensors need more than {}, and do not fit {}: {}", base::format_bytes(needed),
            memory_of(machine),
            fits_a_larger_one ? fmt::format("give a --config with a larger one, up to {}",
                                            base::format_bytes(interfaces::kCubeSize))
                              : fmt::format("make the workload smaller; firmware reaches no more than {}",
                                            base::format_bytes(interfaces::kCubeSize)));
}

}  // namespace nearcube::compiler
