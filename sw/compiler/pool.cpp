// SPDX-License-Identifier: Apache-2.0
// Max pooling: a tile is some channels of some rows and columns.
#include <algorithm>
#include <optional>

#include "sw/compiler/job_list.h"
#include "sw/compiler/layers.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {
namespace {

constexpr std::uint32_t kMinusInfinity = 0xFF80'0000;  // binary32, IEEE 754-2019 table 3.5

struct Plan {
  std::int64_t lanes_a = 1, lanes_b = 1;
  Axis planes{}, rows{}, cols{};
};

struct Geometry {
  std::int64_t input_row, input_plane, input_words, output_plane, output_words;
  std::int64_t bytes() const {
    return 2 * scratchpad_bytes(input_words) + 2 * scratchpad_bytes(output_words);
  }
};

}  // namespace

void check(const PoolShape& s, const Machine& machine) {
  check_extent("batch", s.batch);
  check_extent("channels", s.channels);
  check_extent("height", s.height);
  check_extent("width", s.width);
  check_window(s.height, s.width, s.kernel, s.stride, s.pad);
  check_memory({s.input(), s.output()}, machine);
}

void add_max_pool(JobList& list, const PoolShape& s, std::uint64_t input, std::uint64_t output,
                  bool after_earlier_tiles, const Machine& machine) {
  const Window vertical{s.height, s.kernel, s.stride, s.pad}, horizontal{s.width, s.kernel, s.stride, s.pad};
  // Images of a batch are further channels: pooling treats all planes alike.
  const std::int64_t planes = s.batch * s.channels;
  const auto geometry = [&](const Plan& p) {
    Geometry g{};
    g.input_row = spread_pitch(machine, horizontal.inputs(p.cols.step), p.lanes_b, s.stride);
    g.input_plane = spread_pitch(machine, g.input_row * vertical.inputs(p.rows.step), p.lanes_a);
    g.input_words = g.input_plane * p.planes.step;
    g.output_plane = p.rows.step * p.cols.step;
    g.output_words = g.output_plane * p.planes.step;
    return g;
  };
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };

  std::optional<Plan> best;
  double least = 0;
  const std::vector<Axis> all_planes = axes({planes}, 256), all_rows = axes(vertical, 512),
                          all_cols = axes(horizontal, 4096);
  for (const Axis& plane_axis : all_planes) {
    for (const Axis& rows : all_rows) {
      bool any = false;
      for (const Axis& cols : all_cols) {
        Plan p{1, 1, plane_axis, rows, cols};
        p.lanes_a = std::min<std::int64_t>(machine.ntx, plane_axis.step);
        p.lanes_b = std::min(machine.ntx / p.lanes_a, rows.step);
        const Geometry g = geometry(p);
        if (g.bytes() > std::int64_t{machine.tile_bytes} || g.input_row > 0xFFFF) break;
        any = true;
        Cost cost;
        cost.compute = real(plane_axis.rounds(p.lanes_a) * rows.rounds(p.lanes_b) * s.out_width()) *
                       (real(s.kernel * s.kernel) + 0.5);
        cost.load = transfer_cycles(real(planes * rows.inputs * cols.parts()),
                                    real(planes * rows.inputs * cols.inputs));
        const std::int64_t outputs = planes * s.out_height() * s.out_width();
        cost.store = transfer_cycles(real(outputs) / real(cols.step), real(outputs));
        cost.tiles = real(plane_axis.parts() * rows.parts() * cols.parts());
        cost.chains = cost.tiles;
        cost.exposed = real(g.input_words + g.output_words);
        if (!best || cost.cycles(machine) < least) {
          best = p;
          least = cost.cycles(machine);
        }
      }
      if (!any) break;
    }
  }
  if (!best)
    bad_input("pool: not even one output of a {0}x{0} window fits the {1} B of the TCDM's tile space",
              s.kernel, machine.tile_bytes);

  const Plan plan = *best;
  const Geometry g = geometry(plan);
  Scratchpad scratchpad(machine);
  Buffers inputs(scratchpad, g.input_words, 2), outputs(scratchpad, g.output_words, 2);
  list.uses(scratchpad.used());
  list.add_macs(planes * s.out_height() * s.out_width() * s.kernel * s.kernel);
  bool first = true;
  for (const Cut& plane : cut({planes}, plan.planes.step)) {
    for (const Cut& row : cut(vertical, plan.rows.step)) {
      for (const Cut& col : cut(horizontal, plan.cols.step)) {
        auto tile = JobList::tile(interfaces::kKindMaxPool);
        std::uint32_t flags = interfaces::kFlagLoadInput | interfaces::kFlagStoreOutput;
        if (first && after_earlier_tiles) flags |= interfaces::kFlagSync;
        first = false;
        set(tile.flags, flags);
        set(tile.lanes_a, plan.lanes_a);
        set(tile.lanes_b, plan.lanes_b);
        set_padding(tile, row, col);
        tile.pad_value = kMinusInfinity;
        tile.input_address =
            input + 4 * static_cast<std::uint64_t>((plane.out_first * s.height + row.in_first) * s.width +
                                                   col.in_first);
        tile.output_address =
            output +
            4 * static_cast<std::uint64_t>(
                    (plane.out_first * s.out_height() + row.out_first) * s.out_width() + col.out_first);
        set(tile.input_row_pitch, 4 * s.width);
        set(tile.input_plane_pitch, 4 * s.height * s.width);
        set(tile.output_row_pitch, 4 * s.out_width());
        set(tile.output_plane_pitch, 4 * s.out_height() * s.out_width());
        tile.input_offset = inputs.next();
        tile.output_offset = outputs.next();
        set(tile.input_tcdm_row, g.input_row);
        set(tile.input_tcdm_plane, g.input_plane);
        set(tile.output_tcdm_row, plan.cols.step);
        set(tile.output_tcdm_plane, g.output_plane);
        set(tile.input_planes, plane.out_count);
        set(tile.output_planes, plane.out_count);
        set(tile.output_rows, row.out_count);
        set(tile.output_cols, col.out_count);
        set(tile.kernel_rows, s.kernel);
        set(tile.kernel_cols, s.kernel);
        set(tile.stride_rows, s.stride);
        set(tile.stride_cols, s.stride);
        list.add(tile);
      }
    }
  }
}

Workload make_max_pool(const PoolShape& shape, const Tensor& input, const Machine& machine) {
  check(shape, machine);
  check_tensor("pool's input", input, shape.input());
  JobList list("pool", machine);
  const std::uint64_t from = list.place(input, "input");
  const std::uint64_t to = list.place_output("output", shape.output());
  add_max_pool(list, shape, from, to, false, machine);
  return list.finish();
}

Workload make_conv2d_pool(const Conv2dShape& conv, const Tensor& input, const Tensor& weights,
                          const std::optional<Tensor>& bias, std::int64_t pool_kernel,
                          std::int64_t pool_stride, const Machine& machine) {
  check(conv, machine);
  const PoolShape pool{
      conv.batch, conv.out_channels, conv.out_height(), conv.out_width(), pool_kernel, pool_stride, 0};
  check(pool, machine);
  check_tensor("conv2d's input", input, conv.input());
  check_tensor("conv2d's weights", weights, conv.weights());
  if (bias) check_tensor("conv2d's bias", *bias, conv.bias());
  JobList list("conv2d_pool", machine);
  ConvAddresses at;
  at.input = list.place(input, "input");
  at.weights = list.place(weights, "weights");
  if (bias) at.bias = list.place(*bias, "bias");
  at.output = list.place_output("conv", conv.output());
  const std::uint64_t pooled = list.place_output("pool", pool.output());
  add_conv2d(list, conv, at, machine);
  add_max_pool(list, pool, at.output, pooled, true, machine);
  return list.finish();
}

}  // namespace nearcube::compiler
