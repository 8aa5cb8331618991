// SPDX-License-Identifier: Apache-2.0
// A convolution's tiles: some output planes (one a lane) times some rows and columns of them, for all input
// channels or, when those do not fit, for some, with the sums as wide images in between.
#include <algorithm>
#include <optional>

#include "sim/base/error.h"
#include "sw/compiler/job_list.h"
#include "sw/compiler/layers.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {
namespace {

struct Plan {
  std::int64_t lanes_a = 0;   ///< output planes of a tile
  std::int64_t lanes_b = 0;   ///< NTX that share a plane's rows
  Axis rows{};                ///< output rows
  Axis cols{};                ///< output columns
  std::int64_t channels = 0;  ///< input planes
};

struct Geometry {
  std::int64_t input_row, input_plane, input_words;  ///< pitches and size of the input box, words
  std::int64_t weights_row, weights_words;           ///< one row an output plane
  std::int64_t output_row, output_plane, output_words;
  std::int64_t image_bytes;  ///< of all wide images, 0 if channels are not split
  int input_buffers, weights_buffers;

  std::int64_t bytes() const {
    return input_buffers * scratchpad_bytes(input_words) + weights_buffers * scratchpad_bytes(weights_words) +
           2 * scratchpad_bytes(output_words) + image_bytes;
  }
};

class Planner {
 public:
  Planner(const Conv2dShape& shape, bool bias, const Machine& machine)
      : shape_(shape),
        machine_(machine),
        bias_(bias),
        vertical_{shape.height, shape.kernel, shape.stride, shape.pad},
        horizontal_{shape.width, shape.kernel, shape.stride, shape.pad} {}

  const Window& vertical() const { return vertical_; }
  const Window& horizontal() const { return horizontal_; }

  bool split(const Plan& plan) const { return plan.channels < shape_.in_channels; }
  std::int64_t groups(const Plan& plan) const { return ceil_div(shape_.out_channels, plan.lanes_a); }
  std::int64_t chunks(const Plan& plan) const { return ceil_div(shape_.in_channels, plan.channels); }
  std::int64_t places(const Plan& plan) const { return shape_.batch * plan.rows.parts() * plan.cols.parts(); }

  Geometry geometry(const Plan& plan) const {
    Geometry g{};
    const std::int64_t rows = plan.rows.step, cols = plan.cols.step;
    const std::int64_t in_rows = vertical_.inputs(rows);
    const std::int64_t in_cols = horizontal_.inputs(cols);
    g.input_row =
        spread_pitch(machine_, in_cols, plan.lanes_b, shape_.stride);  // lanes b read rows `stride` apart
    g.input_plane = g.input_row * in_rows;
    g.input_words = g.input_plane * plan.channels;
    g.weights_row = spread_pitch(machine_, plan.channels * shape_.kernel * shape_.kernel, plan.lanes_a);
    g.weights_words = g.weights_row * plan.lanes_a;
    g.output_row = cols;  // no gap, so that rows of a whole width leave in one burst
    g.output_plane = spread_pitch(machine_, rows * cols, plan.lanes_a);
    g.output_words = g.output_plane * plan.lanes_a;
    if (split(plan))
      g.image_bytes = plan.lanes_a * rows * cols * 4 * (std::int64_t{machine_.accumulator_segments} + 1);
    const bool one_input = places(plan) == 1 && !split(plan);
    const bool one_weights = groups(plan) == 1 && !split(plan);
    g.input_buffers = one_input ? 1 : 2;
    g.weights_buffers = one_weights ? 1 : 2;
    return g;
  }

  bool fits(const Plan& plan) const {
    const Geometry g = geometry(plan);
    constexpr std::int64_t field = 0xFFFF;  // the descriptor's 16-bit fields
    return g.bytes() <= std::int64_t{machine_.tile_bytes} && g.input_row <= field && g.weights_row <= field;
  }

  Cost cost(const Plan& plan) const {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    const std::int64_t window = shape_.kernel * shape_.kernel;
    const std::int64_t outputs =
        shape_.batch * shape_.out_channels * shape_.out_height() * shape_.out_width();
    Cost cost;
    // A store and an init value cost a port half a cycle each; an image takes ten cycles each way (ntx.md).
    double per_output = real(shape_.in_channels * window) + 0.5 + (bias_ ? 0.5 : 0);
    if (split(plan)) per_output += 20 * real(chunks(plan));
    cost.compute =
        real(shape_.batch * groups(plan) * plan.rows.rounds(plan.lanes_b) * shape_.out_width()) * per_output;
    const std::int64_t input_loads = split(plan) ? groups(plan) : 1;
    const double input_rows = real(shape_.batch * plan.rows.inputs * plan.cols.parts());
    cost.load =
        real(input_loads) *
        transfer_cycles(input_rows * real(shape_.in_channels),
                        real(shape_.batch * plan.rows.inputs * plan.cols.inputs * shape_.in_channels));
    const bool resident = groups(plan) == 1 && !split(plan);
    const std::int64_t weights_loads = resident ? 1 : places(plan);
    cost.load +=
        real(weights_loads) * transfer_cycles(real(shape_.out_channels * chunks(plan)),
                                              real(shape_.out_channels * shape_.in_channels * window));
    cost.store = transfer_cycles(real(outputs) / real(plan.cols.step), real(outputs));
    cost.tiles = real(places(plan) * groups(plan) * chunks(plan));
    cost.chains = real(places(plan) * groups(plan));
    const Geometry g = geometry(plan);
    cost.exposed = transfer_cycles(real(vertical_.inputs(plan.rows.step) * plan.channels),
                                   real(g.input_words + g.weights_words)) +
                   real(g.output_words);
    return cost;
  }

  Plan best() const {
    std::optional<Plan> best;
    double least = 0;
    const std::int64_t ntx = machine_.ntx;
    const std::vector<Axis> all_rows = axes(vertical_, 512), all_cols = axes(horizontal_, 4096);
    for (std::int64_t lanes_a = std::min<std::int64_t>(ntx, shape_.out_channels); lanes_a >= 1; --lanes_a) {
      for (const std::int64_t channels : channel_candidates()) {
        for (const Axis& rows : all_rows) {
          Plan plan{lanes_a, std::min(ntx / lanes_a, rows.step), rows, {}, channels};
          bool any = false;
          for (const Axis& cols : all_cols) {
            plan.cols = cols;
            if (!fits(plan)) break;  // more columns need more space
            any = true;
            const double cycles = cost(plan).cycles(machine_);
            if (!best || cycles < least) {
              best = plan;
              least = cycles;
            }
          }
          if (!any) break;
        }
      }
    }
    if (!best)
      bad_input("conv2d: not even one output of a {0}x{0} window fits the {1} B of the TCDM's tile space",
                shape_.kernel, machine_.tile_bytes);
    return *best;
  }

 private:
  /// All channels at once, or equal parts of them: sums between wide images should be long.
  std::vector<std::int64_t> channel_candidates() const {
    const std::int64_t all = shape_.in_channels;
    std::vector<std::int64_t> sizes;
    for (std::int64_t parts = 1; parts <= 16; ++parts) sizes.push_back(ceil_div(all, parts));
    for (std::int64_t size = 1; size <= std::min<std::int64_t>(all, 16); size *= 2) sizes.push_back(size);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  }

  Conv2dShape shape_;
  Machine machine_;
  bool bias_;
  Window vertical_, horizontal_;
};

}  // namespace

void check(const Conv2dShape& s, const Machine& machine) {
  check_extent("batch", s.batch);
  check_extent("in-channels", s.in_channels);
  check_extent("out-channels", s.out_channels);
  check_extent("height", s.height);
  check_extent("width", s.width);
  check_window(s.height, s.width, s.kernel, s.stride, s.pad);
  check_memory({s.input(), s.weights(), s.bias(), s.output()}, machine);
}

void add_conv2d(JobList& list, const Conv2dShape& s, const ConvAddresses& at, const Machine& machine) {
  const Planner planner(s, at.bias.has_value(), machine);
  const Plan plan = planner.best();
  const Geometry g = planner.geometry(plan);
  Scratchpad scratchpad(machine);
  Buffers inputs(scratchpad, g.input_words, g.input_buffers);
  Buffers weights(scratchpad, g.weights_words, g.weights_buffers);
  Buffers outputs(scratchpad, g.output_words, 2);
  const std::uint32_t partial = scratchpad.take(g.image_bytes / 4);
  list.uses(scratchpad.used());
  list.add_macs(s.batch * s.out_channels * s.out_height() * s.out_width() * s.in_channels * s.kernel *
                s.kernel);

  const bool split = planner.split(plan);
  const std::int64_t window = s.kernel * s.kernel;
  bool first_weights = true;
  for (std::int64_t image = 0; image < s.batch; ++image) {
    for (const Cut& row : cut(planner.vertical(), plan.rows.step)) {
      for (const Cut& col : cut(planner.horizontal(), plan.cols.step)) {
        bool first_input = true;
        for (std::int64_t plane = 0; plane < s.out_channels; plane += plan.lanes_a) {
          outputs.next();
          for (std::int64_t channel = 0; channel < s.in_channels; channel += plan.channels) {
            auto tile = JobList::tile(interfaces::kKindConv2d);
            const std::int64_t planes = std::min(plan.lanes_a, s.out_channels - plane);
            const std::int64_t channels = std::min(plan.channels, s.in_channels - channel);
            const bool starts = channel == 0, ends = channel + channels == s.in_channels;
            const bool load_input = split || first_input;
            const bool load_weights = split || first_weights || plan.lanes_a < s.out_channels;
            first_input = first_weights = false;
            if (load_input) inputs.next();
            if (load_weights) weights.next();

            std::uint32_t flags = 0;
            if (load_input) flags |= interfaces::kFlagLoadInput;
            if (load_weights) flags |= interfaces::kFlagLoadWeights;
            if (starts && at.bias) flags |= interfaces::kFlagInitBias;
            if (!starts) flags |= interfaces::kFlagWideIn;
            if (!ends) flags |= interfaces::kFlagWideOut;
            if (ends) flags |= interfaces::kFlagStoreOutput;
            if (ends && s.relu) flags |= interfaces::kFlagRelu;
            set(tile.flags, flags);
            set(tile.lanes_a, plan.lanes_a);
            set(tile.lanes_b, plan.lanes_b);
            set_padding(tile, row, col);
            tile.input_address =
                at.input +
                4 * (((image * s.in_channels + channel) * s.height + row.in_first) * s.width + col.in_first);
            tile.weights_address = at.weights + 4 * (plane * s.in_channels + channel) * window;
            tile.output_address =
                at.output +
                4 * (((image * s.out_channels + plane) * s.out_height() + row.out_first) * s.out_width() +
                     col.out_first);
            if (at.bias) tile.bias_address = *at.bias + 4 * plane;
            set(tile.input_row_pitch, 4 * s.width);
            set(tile.input_plane_pitch, 4 * s.height * s.width);
            set(tile.weights_row_pitch, 4 * s.in_channels * window);
            set(tile.output_row_pitch, 4 * s.out_width());
            set(tile.output_plane_pitch, 4 * s.out_height() * s.out_width());
            tile.input_offset = inputs.current();
            tile.weights_offset = weights.current();
            tile.output_offset = outputs.current();
            tile.partial_offset = partial;
            set(tile.input_tcdm_row, g.input_row);
            set(tile.input_tcdm_plane, g.input_plane);
            set(tile.weights_tcdm_row, g.weights_row);
            set(tile.output_tcdm_row, g.output_row);
            set(tile.output_tcdm_plane, g.output_plane);
            set(tile.input_planes, channels);
            set(tile.weights_rows, planes);
            set(tile.weights_cols, channels * window);
            set(tile.output_planes, planes);
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
  }
}

Workload make_conv2d(const Conv2dShape& shape, const Tensor& input, const Tensor& weights,
                     const std::optional<Tensor>& bias, const Machine& machine) {
  check(shape, machine);
  check_tensor("conv2d's input", input, shape.input());
  check_tensor("conv2d's weights", weights, shape.weights());
  if (bias) check_tensor("conv2d's bias", *bias, shape.bias());
  JobList list("conv2d", machine);
  ConvAddresses at;
  at.input = list.place(input, "input");
  at.weights = list.place(weights, "weights");
  if (bias) at.bias = list.place(*bias, "bias");
  at.output = list.place_output("output", shape.output());
  add_conv2d(list, shape, at, machine);
  return list.finish();
}

}  // namespace nearcube::compiler
