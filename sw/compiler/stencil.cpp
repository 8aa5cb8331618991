// SPDX-License-Identifier: Apache-2.0
// Star stencils on fields of one to three dimensions: a tile is a block with a halo of one cell, which is
// zero outside the field.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sw/compiler/job_list.h"
#include "sw/compiler/layers.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {
namespace {

struct Extents {
  std::int64_t planes, rows, cols;
  int dimensions;

  std::int64_t cells() const { return planes * rows * cols; }
};

Extents extents_of(const StencilShape& shape) {
  const std::vector<std::int64_t>& e = shape.extents;
  const std::size_t d = e.size();
  return {d > 2 ? e[d - 3] : 1, d > 1 ? e[d - 2] : 1, e[d - 1], shape.dimensions()};
}

struct Plan {
  std::int64_t lanes_a = 1, lanes_b = 1;
  Axis planes{}, rows{}, cols{};
};

/// Adds one sweep over a field of two or three dimensions.
class Sweeper {
 public:
  Sweeper(JobList& list, const Extents& extents, std::uint64_t weights, const Machine& machine)
      : list_(list),
        extents_(extents),
        machine_(machine),
        weights_(weights),
        depth_{extents.planes, extents.dimensions > 2 ? 3 : 1, 1, extents.dimensions > 2 ? 1 : 0},
        vertical_{extents.rows, 3, 1, 1},
        horizontal_{extents.cols, 3, 1, 1},
        plan_(best()),
        scratchpad_(machine),
        inputs_(scratchpad_, input_words(plan_), 2),
        outputs_(scratchpad_, output_words(plan_), 2),
        coefficients_(scratchpad_.take(7)) {
    list.uses(scratchpad_.used());
  }

  void add(std::uint64_t from, std::uint64_t to, bool first) {
    bool starts = true;
    for (const Cut& plane : cut(depth_, plan_.planes.step)) {
      for (const Cut& row : cut(vertical_, plan_.rows.step)) {
        for (const Cut& col : cut(horizontal_, plan_.cols.step)) {
          auto tile = JobList::tile(interfaces::kKindStencil);
          std::uint32_t flags = interfaces::kFlagLoadInput | interfaces::kFlagStoreOutput;
          if (starts) flags |= first ? interfaces::kFlagLoadWeights : interfaces::kFlagSync;
          starts = false;
          set(tile.flags, flags);
          set(tile.lanes_a, plan_.lanes_a);
          set(tile.lanes_b, plan_.lanes_b);
          set_padding(tile, row, col);
          set(tile.pad_front, plane.pad_before);
          set(tile.pad_back, plane.pad_after);
          tile.input_address = from + offset(plane.in_first, row.in_first, col.in_first);
          tile.weights_address = weights_;
          tile.output_address = to + offset(plane.out_first, row.out_first, col.out_first);
          for (std::uint32_t* pitch : {&tile.input_row_pitch, &tile.output_row_pitch})
            set(*pitch, 4 * extents_.cols);
          for (std::uint32_t* pitch : {&tile.input_plane_pitch, &tile.output_plane_pitch})
            set(*pitch, 4 * extents_.rows * extents_.cols);
          tile.input_offset = inputs_.next();
          tile.weights_offset = coefficients_;
          tile.output_offset = outputs_.next();
          set(tile.input_tcdm_row, input_row(plan_));
          set(tile.input_tcdm_plane, input_plane(plan_));
          set(tile.weights_tcdm_row, 7);
          set(tile.output_tcdm_row, plan_.cols.step);
          set(tile.output_tcdm_plane, plan_.rows.step * plan_.cols.step);
          set(tile.input_planes, plane.in_count);
          set(tile.weights_rows, 1);
          set(tile.weights_cols, 7);
          set(tile.output_planes, plane.out_count);
          set(tile.output_rows, row.out_count);
          set(tile.output_cols, col.out_count);
          set(tile.kernel_planes, depth_.kernel);
          set(tile.kernel_rows, 3);
          set(tile.kernel_cols, 3);
          list_.add(tile);
        }
      }
    }
  }

 private:
  std::uint64_t offset(std::int64_t plane, std::int64_t row, std::int64_t col) const {
    return 4 * static_cast<std::uint64_t>((plane * extents_.rows + row) * extents_.cols + col);
  }
  std::int64_t input_row(const Plan& p) const { return spread_pitch(machine_, p.cols.step + 2, p.lanes_b); }
  std::int64_t input_plane(const Plan& p) const {
    return spread_pitch(machine_, input_row(p) * (p.rows.step + 2), p.lanes_b > 1 ? 1 : p.lanes_a);
  }
  std::int64_t input_words(const Plan& p) const { return input_plane(p) * depth_.inputs(p.planes.step); }
  std::int64_t output_words(const Plan& p) const { return p.planes.step * p.rows.step * p.cols.step; }
  bool fits(const Plan& p) const {
    return 2 * scratchpad_bytes(input_words(p)) + 2 * scratchpad_bytes(output_words(p)) +
                   scratchpad_bytes(7) <=
               std::int64_t{machine_.tile_bytes} &&
           input_row(p) <= 0xFFFF;
  }

  Plan best() const {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    std::optional<Plan> best;
    double least = 0;
    for (const Axis& planes : axes(depth_, 256)) {
      for (const Axis& rows : axes(vertical_, 512)) {
        bool any = false;
        for (const Axis& cols : axes(horizontal_, 4096)) {
          Plan p{1, 1, planes, rows, cols};
          p.lanes_b = std::min<std::int64_t>(machine_.ntx, rows.step);
          p.lanes_a = std::min(machine_.ntx / p.lanes_b, planes.step);
          if (!fits(p)) break;
          any = true;
          // A command a dimension: three products and a store, then two products, an init value and a store.
          const double per_output = 3.5 + 3.0 * (extents_.dimensions - 1);
          Cost cost;
          cost.compute = real(planes.rounds(p.lanes_a) * rows.rounds(p.lanes_b) * extents_.cols) * per_output;
          cost.load = transfer_cycles(real(planes.inputs * rows.inputs * cols.parts()),
                                      real(planes.inputs * rows.inputs * cols.inputs));
          cost.store = transfer_cycles(real(extents_.cells()) / real(cols.step), real(extents_.cells()));
          cost.tiles = real(planes.parts() * rows.parts() * cols.parts());
          cost.chains = cost.tiles;
          cost.exposed = real(input_words(p) + output_words(p));
          if (!best || cost.cycles(machine_) < least) {
            best = p;
            least = cost.cycles(machine_);
          }
        }
        if (!any) break;
      }
    }
    if (!best)
      bad_input("stencil: not even one cell fits the {} B of the TCDM's tile space", machine_.tile_bytes);
    return *best;
  }

  JobList& list_;
  Extents extents_;
  Machine machine_;
  std::uint64_t weights_;
  Window depth_, vertical_, horizontal_;
  Plan plan_;
  Scratchpad scratchpad_;
  Buffers inputs_, outputs_;
  std::uint32_t coefficients_;
};

/// One sweep over a vector: runs of elements with a neighbour on each side.
void add_line_sweep(JobList& list, std::int64_t elements, std::uint64_t weights, std::uint64_t from,
                    std::uint64_t to, bool first_sweep, const Machine& machine) {
  const std::int64_t most = longest_run(machine, 256, "stencil");
  const std::vector<Run> runs = cut_vector(machine, elements, 1, most);
  std::int64_t longest = 0;
  for (const Run& run : runs) longest = std::max(longest, run.rows * run.cols);
  Scratchpad scratchpad(machine);
  Buffers inputs(scratchpad, longest + 2, 3), outputs(scratchpad, longest, 3);
  const std::uint32_t coefficients = scratchpad.take(7);
  list.uses(scratchpad.used());
  for (const Run& run : runs) {
    auto tile = JobList::tile(interfaces::kKindStencil);
    set_run(tile, run, inputs.next(), outputs.next(), from, to);
    std::uint32_t flags = interfaces::kFlagLoadInput | interfaces::kFlagStoreOutput;
    if (run.first == 0) flags |= first_sweep ? interfaces::kFlagLoadWeights : interfaces::kFlagSync;
    set(tile.flags, flags);
    // One lane's neighbour on the right is the next one's first element, so the halo is only at the two ends.
    const std::int64_t count = run.rows * run.cols;
    const std::int64_t begin = std::max<std::int64_t>(run.first - 1, 0);
    const std::int64_t end = std::min(run.first + count + 1, elements);
    tile.input_address = from + 4 * static_cast<std::uint64_t>(begin);
    set(tile.input_cols, end - begin);
    set(tile.pad_left, begin - (run.first - 1));
    set(tile.pad_right, run.first + count + 1 - end);
    tile.weights_address = weights;
    tile.weights_offset = coefficients;
    set(tile.weights_tcdm_row, 7);
    set(tile.weights_rows, 1);
    set(tile.weights_cols, 7);
    set(tile.kernel_cols, 3);
    // Lanes a share out planes: each lane's run is one.
    set(tile.lanes_a, 1);
    set(tile.lanes_b, run.rows);
    list.add(tile);
  }
}

Workload make_stencil(const char* name, const StencilShape& shape, const Tensor& field, float neighbour,
                      float centre, int steps, const Machine& machine) {
  check(shape, machine);
  check_tensor("the field", field, shape.extents);
  const Extents extents = extents_of(shape);
  JobList list(name, machine);
  // Columns; then rows and planes, which go on from what is there and so leave out the centre.
  const Tensor coefficients({7}, {neighbour, centre, neighbour, neighbour, neighbour, neighbour, neighbour});
  const std::uint64_t weights = list.place(coefficients, "coefficients");
  // Steps go back and forth between two fields; the last one ends in the result.
  std::array<std::uint64_t, 2> fields{};
  const std::uint64_t source = list.place(field, "field");
  fields[static_cast<std::size_t>(steps % 2)] = list.place_output("field", shape.extents);
  if (steps > 1)
    fields[static_cast<std::size_t>((steps + 1) % 2)] =
        list.reserve(4 * static_cast<std::uint64_t>(field.size()), "field");
  list.add_macs(steps * extents.cells() * (2 * extents.dimensions + 1));

  std::optional<Sweeper> sweeper;
  if (extents.dimensions > 1) sweeper.emplace(list, extents, weights, machine);
  for (int step = 1; step <= steps; ++step) {
    const std::uint64_t from = step == 1 ? source : fields[static_cast<std::size_t>((step - 1) % 2)];
    const std::uint64_t to = fields[static_cast<std::size_t>(step % 2)];
    if (sweeper)
      sweeper->add(from, to, step == 1);
    else
      add_line_sweep(list, extents.cols, weights, from, to, step == 1, machine);
  }
  return list.finish();
}

}  // namespace

void check(const StencilShape& s, const Machine& machine) {
  if (s.dimensions() < 1 || s.dimensions() > 3)
    bad_input("a stencil has 1 to 3 dimensions, not {}", s.dimensions());
  for (const std::int64_t extent : s.extents) check_extent("an extent of the field", extent);
  check_memory({s.extents, s.extents, s.extents}, machine);
}

Workload make_laplace(const StencilShape& shape, const Tensor& field, const Machine& machine) {
  return make_stencil("laplace", shape, field, 1.0f, -2.0f * static_cast<float>(shape.dimensions()), 1,
                      machine);
}

Workload make_diffusion(const StencilShape& shape, const Tensor& field, float rate, int steps,
                        const Machine& machine) {
  if (steps < 1) bad_input("steps is {}, but must be at least 1", steps);
  const float centre = std::fma(-2.0f * static_cast<float>(shape.dimensions()), rate, 1.0f);  // rounded once
  return make_stencil("diffusion", shape, field, rate, centre, steps, machine);
}

}  // namespace nearcube::compiler
