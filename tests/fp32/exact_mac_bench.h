// SPDX-License-Identifier: Apache-2.0
// Drives a Verilated exact_mac through a sequence of operations and compares every result, its cycle, and
// every image with the golden sum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "sim/rtl/simulation.h"
#include "tests/golden/exact.h"
#include "tests/support/random.h"

namespace nearcube::test {

/// exact_mac_pkg::Latency, in cycles. The test fails if the RTL's differs.
inline constexpr std::uint64_t kLatency = 6;

enum class Init : std::uint8_t { kNone, kZero, kValue };

/// One thing to do with the unit. Every kind but kStep waits first for what it must wait for.
struct Op {
  enum class Kind : std::uint8_t {
    kStep,
    kIdle,   ///< one cycle of nothing
    kClear,  ///< soft clear, with a step in the same cycle that must be lost
    kLoad,   ///< image replaces the accumulator
    kAdd,    ///< image is added
    kStore,  ///< image is read and compared
  };
  Kind kind = Kind::kStep;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool negate = false;
  bool summand = true;  ///< of a step: it has a product
  Init init = Init::kNone;
  std::uint32_t init_value = 0;
  bool init_negate = false;  ///< or of an image: it is negated
  bool store = true;
  bool relu = false;
  std::vector<std::uint32_t> image{};
};

inline std::string to_string(const Op& op) {
  std::ostringstream out;
  out << std::hex;
  switch (op.kind) {
    case Op::Kind::kStep:
      out << "step a=0x" << op.a << " b=0x" << op.b << (op.negate ? " negate" : "");
      if (!op.summand) out << " no product";
      if (op.init == Init::kZero) out << " init zero";
      if (op.init == Init::kValue) out << " init 0x" << op.init_value << (op.init_negate ? " negated" : "");
      out << (op.store ? " store" : "") << (op.relu ? " relu" : "");
      break;
    case Op::Kind::kIdle:
      out << "idle";
      break;
    case Op::Kind::kClear:
      out << "clear";
      break;
    case Op::Kind::kLoad:
    case Op::Kind::kAdd:
      out << (op.kind == Op::Kind::kLoad ? "load" : "add") << (op.init_negate ? " negated" : "");
      for (std::uint32_t word : op.image) out << " 0x" << word;
      break;
    case Op::Kind::kStore:
      out << "store image";
      break;
  }
  return out.str();
}

/// The unit `Model` (a class that Verilator made) in the format it was built with.
template <typename Model>
class ExactMacBench {
 public:
  explicit ExactMacBench(golden::AccumulatorFormat format)
      : format_(format), model_(seed()), golden_(format) {
    model_->clk_i = 0;
    model_->rst_ni = 0;
    idle_inputs();
    for (int i = 0; i < 3; ++i) cycle();
    model_->rst_ni = 1;
    cycle();
  }

  /// Runs the sequence until its last result has come. Says what differs first; nothing if nothing does.
  std::optional<std::string> run(const std::vector<Op>& ops) {
    // A sequence that failed may have left results on their way.
    clear(nullptr);
    failure_.reset();
    for (const Op& op : ops) {
      perform(op);
      if (failure_) return failure_;
    }
    for (std::uint64_t i = 0; i <= kLatency; ++i) cycle();
    if (!failure_ && model_->busy_o) fail("busy after the last result");
    return failure_;
  }

  std::uint64_t results() const { return results_; }
  std::uint64_t cycles() const { return cycles_; }
  /// The image that the last kStore read.
  const std::vector<std::uint32_t>& stored() const { return stored_; }
  const golden::AccumulatorFormat& format() const { return format_; }

 private:
  struct Expected {
    std::uint64_t cycle;
    std::uint32_t bits;
  };

  void idle_inputs() {
    model_->clear_i = 0;
    model_->valid_i = 0;
    model_->wide_load_i = 0;
    model_->wide_store_i = 0;
  }

  void fail(const std::string& text) {
    if (!failure_) failure_ = "cycle " + std::to_string(cycles_) + ": " + text;
  }

  static std::string hex(std::uint32_t x) {
    std::ostringstream out;
    out << "0x" << std::hex << x;
    return out.str();
  }

  /// One clock cycle with the inputs as they are; checks what stands at the result port in it.
  void cycle() {
    model_->eval();
    if (model_->result_valid_o) {
      ++results_;
      if (expected_.empty()) {
        fail("a result that nobody asked for: " + hex(model_->result_o));
      } else {
        const Expected due = expected_.front();
        expected_.pop_front();
        if (due.cycle != cycles_)
          fail("result in cycle " + std::to_string(cycles_) + ", due in " + std::to_string(due.cycle));
        if (due.bits != model_->result_o)
          fail("result " + hex(model_->result_o) + ", expected " + hex(due.bits));
      }
    } else if (!expected_.empty() && expected_.front().cycle <= cycles_) {
      fail("no result " + hex(expected_.front().bits));
      expected_.pop_front();
    }
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    ++cycles_;
  }

  void drive(const Op& op) {
    model_->valid_i = 1;
    model_->summand_i = op.summand;
    model_->a_i = op.a;
    model_->b_i = op.b;
    model_->negate_i = op.negate;
    model_->init_i = static_cast<std::uint8_t>(op.init);
    model_->init_value_i = op.init_value;
    model_->init_negate_i = op.init_negate;
    model_->store_i = op.store;
    model_->relu_i = op.relu;
  }

  void clear(const Op* lost) {
    if (lost) drive(*lost);
    model_->clear_i = 1;
    // A result that is at the port in this cycle still counts.
    cycle();
    idle_inputs();
    expected_.clear();
    golden_.clear();
  }

  void wait_until_not_busy() {
    model_->eval();
    for (int i = 0; model_->busy_o; ++i) {
      if (i > 3) return fail("busy for more than 3 cycles");
      cycle();
      model_->eval();
    }
  }

  void perform(const Op& op) {
    switch (op.kind) {
      case Op::Kind::kIdle:
        cycle();
        break;
      case Op::Kind::kClear:
        clear(&op);
        break;
      case Op::Kind::kStep: {
        if (op.init != Init::kNone) golden_.clear();
        if (op.init == Init::kValue) golden_.add_value(op.init_value, op.init_negate);
        if (op.summand) golden_.add_product(op.a, op.b, op.negate);
        if (op.store) expected_.push_back({cycles_ + kLatency, golden_.round(op.relu)});
        drive(op);
        cycle();
        idle_inputs();
        break;
      }
      case Op::Kind::kLoad:
      case Op::Kind::kAdd: {
        wait_until_not_busy();
        const bool add = op.kind == Op::Kind::kAdd;
        if (!add) golden_.clear();
        golden_.add_image(op.image, op.init_negate);
        for (unsigned i = 0; i < op.image.size(); i += 2) {
          // A pair may be late.
          if (op.negate && i % 6 == 4) cycle();
          model_->wide_load_i = 1;
          model_->wide_add_i = add;
          model_->wide_negate_i = op.init_negate;
          model_->wide_index_i = static_cast<std::uint8_t>(i);
          model_->wide_data_i = (std::uint64_t{op.image[i + 1]} << 32) | op.image[i];
          cycle();
          idle_inputs();
        }
        break;
      }
      case Op::Kind::kStore: {
        wait_until_not_busy();
        stored_.clear();
        for (unsigned i = 0; i <= format_.segments; i += 2) {
          model_->wide_store_i = 1;
          model_->wide_store_index_i = static_cast<std::uint8_t>(i);
          cycle();
          idle_inputs();
          model_->eval();
          stored_.push_back(static_cast<std::uint32_t>(model_->wide_data_o));
          stored_.push_back(static_cast<std::uint32_t>(model_->wide_data_o >> 32));
        }
        const auto expected = golden_.image();
        for (unsigned i = 0; i < expected.size(); ++i) {
          if (stored_[i] != expected[i]) {
            fail("image word " + std::to_string(i) + " is " + hex(stored_[i]) + ", expected " +
                 hex(expected[i]));
          }
        }
        break;
      }
    }
  }

  golden::AccumulatorFormat format_;
  rtl::Simulation<Model> model_;
  golden::ExactSum golden_;
  std::deque<Expected> expected_;
  std::vector<std::uint32_t> stored_;
  std::optional<std::string> failure_;
  std::uint64_t cycles_ = 0;
  std::uint64_t results_ = 0;
};

/// The shortest sequence found, by leaving out operations, on which `bench` still fails.
template <typename Bench>
std::vector<Op> shrink(Bench& bench, std::vector<Op> ops) {
  for (std::size_t chunk = ops.size(); chunk >= 1; chunk /= 2) {
    for (std::size_t at = 0; at < ops.size();) {
      std::vector<Op> fewer(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(at));
      fewer.insert(fewer.end(), ops.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, ops.size())),
                   ops.end());
      if (bench.run(fewer)) {
        ops = std::move(fewer);
      } else {
        at += chunk;
      }
    }
  }
  return ops;
}

/// Why `ops` fails, with the shrunk sequence; empty if it does not.
template <typename Bench>
std::string check(Bench& bench, const std::vector<Op>& ops) {
  const std::optional<std::string> first = bench.run(ops);
  if (!first) return {};
  const std::vector<Op> fewer = shrink(bench, ops);
  std::string text = bench.run(fewer).value_or("not when repeated, but at first " + *first) + "\n";
  for (const Op& op : fewer) text += "  " + to_string(op) + "\n";
  return text;
}

}  // namespace nearcube::test
