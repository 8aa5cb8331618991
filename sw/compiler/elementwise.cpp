// SPDX-License-Identifier: Apache-2.0
// Vectors: a tile is a run of elements, one row in cube memory and one row a lane in the eyes of the NTX.
#include <algorithm>

#include "sw/compiler/job_list.h"
#include "sw/compiler/layers.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {

std::int64_t longest_run(const Machine& machine, std::int64_t extra, const char* what) {
  const std::int64_t most = (std::int64_t{machine.tile_bytes} - extra) / 24;  // six buffers of 4-byte words
  if (most < std::int64_t{machine.ntx})
    bad_input("{}: the TCDM's tile space of {} B is too small", what, machine.tile_bytes);
  return std::min<std::int64_t>(most, 0xFFF0);  // 16-bit fields, with a halo
}

std::vector<Run> cut_vector(const Machine& machine, std::int64_t elements, std::int64_t loaded,
                            std::int64_t most) {
  const std::int64_t lanes = machine.ntx;
  // Eight tiles or more, so that transfers overlap with computation and the last result is soon stored; none
  // whose loads take less time than its set-up, and none much larger than that needs: nothing hides the last
  // one.
  const std::int64_t words =
      std::clamp<std::int64_t>(ceil_div(elements * loaded, 8 * std::int64_t{machine.clusters}), 2048, 4000);
  // Every cluster has something to do.
  const std::int64_t wanted =
      std::min({words / loaded, most, ceil_div(elements, std::int64_t{machine.clusters})});
  std::int64_t cols = std::max<std::int64_t>(1, wanted / lanes);
  // Lanes walk side by side, so their distance should spread over the banks; less than `cols` where that is
  // possible.
  for (std::int64_t shorter = cols; shorter > cols - std::int64_t{machine.banks} && shorter > 0; --shorter) {
    if (spread_pitch(machine, shorter, lanes) == shorter) {
      cols = shorter;
      break;
    }
  }
  std::vector<Run> runs;
  std::int64_t first = 0;
  for (; elements - first >= lanes * cols; first += lanes * cols) runs.push_back({first, lanes, cols});
  const std::int64_t rest = elements - first;
  if (rest >= lanes) runs.push_back({first, lanes, rest / lanes});
  if (rest % lanes > 0) runs.push_back({elements - rest % lanes, 1, rest % lanes});
  return runs;
}

void check(const AxpyShape& s, const Machine& machine) {
  check_extent("n", s.n);
  check_memory({{s.n}, {s.n}}, machine);
}

void check(const ReluShape& s, const Machine& machine) {
  check_extent("n", s.n);
  check_memory({{s.n}, {s.n}}, machine);
}

Workload make_axpy(const AxpyShape& s, float a, const Tensor& x, const Tensor& y, const Machine& machine) {
  check(s, machine);
  check_tensor("axpy's x", x, {s.n});
  check_tensor("axpy's y", y, {s.n});
  JobList list("axpy", machine);
  const std::uint64_t a_address = list.place(Tensor({1}, {a}), "a");
  const std::uint64_t x_address = list.place(x, "x");
  const std::uint64_t y_address = list.place_output("y", {s.n});
  list.put(y_address, y);
  list.add_macs(s.n);

  const std::int64_t most = longest_run(machine, 64, "axpy");
  const std::vector<Run> runs = cut_vector(machine, s.n, 2, most);
  std::int64_t longest = 0;
  for (const Run& run : runs) longest = std::max(longest, run.rows * run.cols);
  Scratchpad scratchpad(machine);
  Buffers xs(scratchpad, longest, 3), ys(scratchpad, longest, 3);
  const std::uint32_t scalar = scratchpad.take(1);
  list.uses(scratchpad.used());
  for (const Run& run : runs) {
    auto tile = JobList::tile(interfaces::kKindAxpy);
    set_run(tile, run, xs.next(), ys.next(), x_address, y_address);
    std::uint32_t flags =
        interfaces::kFlagLoadInput | interfaces::kFlagInitOutput | interfaces::kFlagStoreOutput;
    if (run.first == 0) flags |= interfaces::kFlagLoadWeights;
    set(tile.flags, flags);
    tile.weights_address = a_address;
    tile.weights_offset = scalar;
    tile.weights_rows = tile.weights_cols = tile.weights_tcdm_row = 1;
    list.add(tile);
  }
  return list.finish();
}

Workload make_relu(const ReluShape& s, const Tensor& input, const Machine& machine) {
  check(s, machine);
  check_tensor("relu's input", input, {s.n});
  JobList list("relu", machine);
  const std::uint64_t input_address = list.place(input, "input");
  const std::uint64_t output_address = list.place_output("output", {s.n});
  list.add_macs(s.n);

  const std::int64_t most = longest_run(machine, 64, "relu");
  const std::vector<Run> runs = cut_vector(machine, s.n, 1, most);
  std::int64_t longest = 0;
  for (const Run& run : runs) longest = std::max(longest, run.rows * run.cols);
  Scratchpad scratchpad(machine);
  Buffers inputs(scratchpad, longest, 3), outputs(scratchpad, longest, 3);
  list.uses(scratchpad.used());
  for (const Run& run : runs) {
    auto tile = JobList::tile(interfaces::kKindRelu);
    set_run(tile, run, inputs.next(), outputs.next(), input_address, output_address);
    set(tile.flags, interfaces::kFlagLoadInput | interfaces::kFlagStoreOutput);
    list.add(tile);
  }
  return list.finish();
}

void set_run(interfaces::TileDescriptor& tile, const Run& run, std::uint32_t input_offset,
             std::uint32_t output_offset, std::uint64_t input, std::uint64_t output) {
  set(tile.lanes_a, run.rows);
  tile.input_address = input + 4 * static_cast<std::uint64_t>(run.first);
  tile.output_address = output + 4 * static_cast<std::uint64_t>(run.first);
  set(tile.output_row_pitch, 4 * run.cols);
  tile.input_offset = input_offset;
  tile.output_offset = output_offset;
  set(tile.input_tcdm_row, run.cols);
  set(tile.output_tcdm_row, run.cols);
  set(tile.input_cols, run.rows * run.cols);
  set(tile.output_rows, run.rows);
  set(tile.output_cols, run.cols);
}

}  // namespace nearcube::compiler
