// SPDX-License-Identifier: Apache-2.0
// Matrix products: blocks of rows of A times blocks of columns of B. One of the two stays in the TCDM while
// the other streams by; where even a row and a column do not fit, k is split and the sums stay wide in
// between.
#include <algorithm>
#include <optional>

#include "sw/compiler/job_list.h"
#include "sw/compiler/layers.h"
#include "sw/compiler/tiling.h"

namespace nearcube::compiler {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

constexpr std::int64_t kMostExtent = 0xFFFF;  // the descriptor's 16-bit fields

struct Plan {
  std::int64_t lanes_a = 0, lanes_b = 0;  ///< NTX over rows and over columns
  Axis m{}, n{}, k{};
  bool b_stays = true;  ///< the outer loop is over columns, so B's block stays while A's rows stream by
  int streaming = 3;    ///< buffers of the operand that streams
};

class GemmPlanner {
 public:
  GemmPlanner(const GemmShape& shape, const Machine& machine) : shape_(shape), machine_(machine) {}

  std::int64_t a_pitch(const Plan& p) const { return spread_pitch(machine_, p.k.step, p.lanes_a); }
  std::int64_t a_words(const Plan& p) const { return a_pitch(p) * p.m.step; }
  /// Odd: with all NTX reading down the same column, a multiple of the banks would keep them on one bank.
  std::int64_t b_pitch(const Plan& p) const { return p.n.step | 1; }
  std::int64_t b_words(const Plan& p) const { return b_pitch(p) * p.k.step; }
  std::int64_t c_words(const Plan& p) const { return p.m.step * p.n.step; }
  std::int64_t image_bytes(const Plan& p) const {
    return p.k.parts() > 1 ? c_words(p) * 4 * (std::int64_t{machine_.accumulator_segments} + 1) : 0;
  }
  int a_buffers(const Plan& p) const {
    return p.k.parts() == 1 && p.m.parts() == 1 ? 1 : p.b_stays ? p.streaming : 2;
  }
  int b_buffers(const Plan& p) const {
    return p.k.parts() == 1 && p.n.parts() == 1 ? 1 : p.b_stays ? 2 : p.streaming;
  }

  bool fits(const Plan& p) const {
    return a_buffers(p) * scratchpad_bytes(a_words(p)) + b_buffers(p) * scratchpad_bytes(b_words(p)) +
               3 * scratchpad_bytes(c_words(p)) + image_bytes(p) <=
           std::int64_t{machine_.tile_bytes};
  }

  Cost cost(const Plan& p) const {
    Cost cost;
    const std::int64_t chunks = p.k.parts();
    double per_output = real(shape_.k) + 0.5;
    if (chunks > 1) per_output += 20 * real(chunks);
    cost.compute = real(p.m.rounds(p.lanes_a) * p.n.rounds(p.lanes_b)) * per_output;
    const bool split = chunks > 1;
    const std::int64_t a_loads = split || (p.b_stays && p.m.parts() > 1) ? p.n.parts() : 1;
    const std::int64_t b_loads = split || (!p.b_stays && p.n.parts() > 1) ? p.m.parts() : 1;
    cost.load = real(a_loads) * transfer_cycles(real(shape_.m * chunks), real(shape_.m * shape_.k)) +
                real(b_loads) * transfer_cycles(real(shape_.k * p.n.parts()), real(shape_.k * shape_.n));
    cost.store = transfer_cycles(real(shape_.m * p.n.parts()), real(shape_.m * shape_.n));
    cost.tiles = real(p.m.parts() * p.n.parts() * chunks);
    cost.chains = real(p.m.parts() * p.n.parts());
    cost.exposed =
        transfer_cycles(real(p.m.step + p.k.step), real(a_words(p) + b_words(p))) + real(c_words(p));
    return cost;
  }

  Plan best() const {
    std::optional<Plan> best;
    double least = 0;
    const std::vector<Axis> ms = axes({shape_.m}, kMostExtent), ns = axes({shape_.n}, kMostExtent),
                            ks = axes({shape_.k}, kMostExtent);
    for (auto k = ks.rbegin(); k != ks.rend(); ++k) {
      for (const Axis& m : ms) {
        for (const Axis& n : ns) {
          Plan p{std::min<std::int64_t>(machine_.ntx, m.step), 1, m, n, *k, true};
          p.lanes_b = std::min(machine_.ntx / p.lanes_a, n.step);
          bool any = false;
          for (const bool b_stays : {true, false}) {
            p.b_stays = b_stays;
            p.streaming = 3;
            if (!fits(p)) p.streaming = 2;
            if (!fits(p)) continue;
            any = true;
            const double cycles = cost(p).cycles(machine_);
            if (!best || cycles < least) {
              best = p;
              least = cycles;
            }
          }
          if (!any) break;
        }
      }
    }
    if (!best)
      bad_input("gemm: not even one product fits the {} B of the TCDM's tile space", machine_.tile_bytes);
    return *best;
  }

 private:
  GemmShape shape_;
  Machine machine_;
};

/// Blocks of an axis, forwards or backwards: turning round at the end of a sweep leaves one operand where it
/// is.
std::vector<Cut> sweep(std::int64_t extent, std::int64_t step, bool backwards) {
  std::vector<Cut> blocks = cut({extent}, step);
  if (backwards) std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

void check(const GemmShape& s, const Machine& machine) {
  check_extent("m", s.m);
  check_extent("n", s.n);
  check_extent("k", s.k);
  check_memory({{s.m, s.k}, {s.k, s.n}, {s.m, s.n}}, machine);
}

Workload make_gemm(const GemmShape& s, const Tensor& a, const Tensor& b, const Machine& machine) {
  check(s, machine);
  check_tensor("gemm's A", a, {s.m, s.k});
  check_tensor("gemm's B", b, {s.k, s.n});
  JobList list("gemm", machine);
  const auto a_address = static_cast<std::int64_t>(list.place(a, "A"));
  const auto b_address = static_cast<std::int64_t>(list.place(b, "B"));
  const auto c_address = static_cast<std::int64_t>(list.place_output("C", {s.m, s.n}));
  list.add_macs(s.m * s.n * s.k);

  const GemmPlanner planner(s, machine);
  const Plan plan = planner.best();
  Scratchpad scratchpad(machine);
  Buffers a_blocks(scratchpad, planner.a_words(plan), planner.a_buffers(plan));
  Buffers b_blocks(scratchpad, planner.b_words(plan), planner.b_buffers(plan));
  Buffers c_blocks(scratchpad, planner.c_words(plan), 3);
  const std::uint32_t partial = scratchpad.take(planner.image_bytes(plan) / 4);
  list.uses(scratchpad.used());

  const Cut none{-1, 0, 0, 0, 0, 0};
  Cut a_rows = none, a_cols = none, b_cols = none, b_rows = none;  // what is in the current blocks
  const auto same = [](const Cut& x, const Cut& y) { return x.out_first == y.out_first; };

  const auto add_block = [&](const Cut& m, const Cut& n) {
    c_blocks.next();
    for (const Cut& k : cut({s.k}, plan.k.step)) {
      auto tile = JobList::tile(interfaces::kKindGemm);
      std::uint32_t flags = 0;
      if (!same(m, a_rows) || !same(k, a_cols)) {
        flags |= interfaces::kFlagLoadInput;
        a_blocks.next();
        a_rows = m;
        a_cols = k;
      }
      if (!same(n, b_cols) || !same(k, b_rows)) {
        flags |= interfaces::kFlagLoadWeights;
        b_blocks.next();
        b_cols = n;
        b_rows = k;
      }
      const bool starts = k.out_first == 0, ends = k.out_first + k.out_count == s.k;
      if (!starts) flags |= interfaces::kFlagWideIn;
      flags |= ends ? interfaces::kFlagStoreOutput : interfaces::kFlagWideOut;
      set(tile.flags, flags);
      set(tile.lanes_a, plan.lanes_a);
      set(tile.lanes_b, plan.lanes_b);
      tile.input_address = static_cast<std::uint64_t>(a_address + 4 * (m.out_first * s.k + k.out_first));
      tile.weights_address = static_cast<std::uint64_t>(b_address + 4 * (k.out_first * s.n + n.out_first));
      tile.output_address = static_cast<std::uint64_t>(c_address + 4 * (m.out_first * s.n + n.out_first));
      set(tile.input_row_pitch, 4 * s.k);
      set(tile.weights_row_pitch, 4 * s.n);
      set(tile.output_row_pitch, 4 * s.n);
      tile.input_offset = a_blocks.current();
      tile.weights_offset = b_blocks.current();
      tile.output_offset = c_blocks.current();
      tile.partial_offset = partial;
      set(tile.input_tcdm_row, planner.a_pitch(plan));
      set(tile.weights_tcdm_row, planner.b_pitch(plan));
      set(tile.output_tcdm_row, plan.n.step);
      set(tile.input_rows, m.out_count);
      set(tile.input_cols, k.out_count);
      set(tile.weights_rows, k.out_count);
      set(tile.weights_cols, n.out_count);
      set(tile.output_rows, m.out_count);
      set(tile.output_cols, n.out_count);
      list.add(tile);
    }
  };

  bool backwards = false;
  if (plan.b_stays) {
    for (const Cut& n : cut({s.n}, plan.n.step)) {
      for (const Cut& m : sweep(s.m, plan.m.step, backwards)) add_block(m, n);
      backwards = !backwards;
    }
  } else {
    for (const Cut& m : cut({s.m}, plan.m.step)) {
      for (const Cut& n : sweep(s.n, plan.n.step, backwards)) add_block(m, n);
      backwards = !backwards;
    }
  }
  return list.finish();
}

void check(const GemvShape& s, const Machine& machine) {
  check_extent("m", s.m);
  check_extent("n", s.n);
  check_memory({{s.m, s.n}, {s.n}, {s.m}}, machine);
}

Workload make_gemv(const GemvShape& s, const Tensor& a, const Tensor& x, const Machine& machine) {
  check(s, machine);
  check_tensor("gemv's A", a, {s.m, s.n});
  check_tensor("gemv's x", x, {s.n});
  JobList list("gemv", machine);
  const auto a_address = static_cast<std::int64_t>(list.place(a, "A"));
  const auto x_address = static_cast<std::int64_t>(list.place(x, "x"));
  const auto y_address = static_cast<std::int64_t>(list.place_output("y", {s.m}));
  list.add_macs(s.m * s.n);

  struct GemvPlan {
    Axis rows{}, cols{};
    std::int64_t lanes = 1;
  };
  const auto pitch = [&](const GemvPlan& p) { return spread_pitch(machine, p.cols.step, p.lanes); };
  const auto image_bytes = [&](const GemvPlan& p) {
    return p.cols.parts() > 1 ? p.rows.step * 4 * (std::int64_t{machine.accumulator_segments} + 1) : 0;
  };
  const auto vectors = [](const GemvPlan& p) { return p.cols.parts() > 1 ? 2 : 1; };
  std::optional<GemvPlan> best;
  double least = 0;
  for (const Axis& cols : axes({s.n}, kMostExtent)) {
    for (const Axis& rows : axes({s.m}, kMostExtent)) {
      const GemvPlan p{rows, cols, std::min<std::int64_t>(machine.ntx, rows.step)};
      const std::int64_t bytes = 2 * scratchpad_bytes(pitch(p) * rows.step) +
                                 vectors(p) * scratchpad_bytes(cols.step) + 2 * scratchpad_bytes(rows.step) +
                                 image_bytes(p);
      if (bytes > std::int64_t{machine.tile_bytes}) break;
      Cost cost;
      double per_output = real(s.n) + 0.5;
      if (cols.parts() > 1) per_output += 20 * real(cols.parts());
      cost.compute = real(rows.rounds(p.lanes)) * per_output;
      cost.load = transfer_cycles(real(s.m * cols.parts()), real(s.m * s.n)) +
                  (cols.parts() > 1 ? real(rows.parts()) : 1) * real(s.n);
      cost.store = real(s.m);
      cost.tiles = real(rows.parts() * cols.parts());
      cost.chains = real(rows.parts());
      cost.exposed =
          transfer_cycles(real(rows.step), real(rows.step * cols.step + cols.step)) + real(rows.step);
      if (!best || cost.cycles(machine) < least) {
        best = p;
        least = cost.cycles(machine);
      }
    }
  }
  if (!best)
    bad_input("gemv: not even one product fits the {} B of the TCDM's tile space", machine.tile_bytes);
  const GemvPlan plan = *best;

  Scratchpad scratchpad(machine);
  Buffers blocks(scratchpad, pitch(plan) * plan.rows.step, 2);
  Buffers parts(scratchpad, plan.cols.step, vectors(plan));
  Buffers results(scratchpad, plan.rows.step, 2);
  const std::uint32_t partial = scratchpad.take(image_bytes(plan) / 4);
  list.uses(scratchpad.used());
  const bool split = plan.cols.parts() > 1;
  bool first = true;
  for (const Cut& row : cut({s.m}, plan.rows.step)) {
    results.next();
    for (const Cut& col : cut({s.n}, plan.cols.step)) {
      auto tile = JobList::tile(interfaces::kKindGemv);
      std::uint32_t flags = interfaces::kFlagLoadInput;
      blocks.next();
      if (split || first) {
        flags |= interfaces::kFlagLoadWeights;
        parts.next();
        first = false;
      }
      if (col.out_first > 0) flags |= interfaces::kFlagWideIn;
      flags |= col.out_first + col.out_count == s.n ? interfaces::kFlagStoreOutput : interfaces::kFlagWideOut;
      set(tile.flags, flags);
      set(tile.lanes_a, plan.lanes);
      tile.input_address = static_cast<std::uint64_t>(a_address + 4 * (row.out_first * s.n + col.out_first));
      tile.weights_address = static_cast<std::uint64_t>(x_address + 4 * col.out_first);
      tile.output_address = static_cast<std::uint64_t>(y_address + 4 * row.out_first);
      set(tile.input_row_pitch, 4 * s.n);
      tile.input_offset = blocks.current();
      tile.weights_offset = parts.current();
      tile.output_offset = results.current();
      tile.partial_offset = partial;
      set(tile.input_tcdm_row, pitch(plan));
      set(tile.input_rows, row.out_count);
      set(tile.input_cols, col.out_count);
      set(tile.weights_rows, 1);
      set(tile.weights_cols, col.out_count);
      set(tile.output_cols, row.out_count);
      list.add(tile);
    }
  }
  return list.finish();
}

}  // namespace nearcube::compiler
