// SPDX-License-Identifier: Apache-2.0
// The core's data port between a random core and slaves that hold back as they like.
#include <deque>
#include <map>
#include <optional>

#include "Vcore_data_port_1.h"
#include "Vcore_data_port_2.h"
#include "Vcore_data_port_4.h"
#include "interfaces/generated/nearcube/interfaces.hpp"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Block;
using nearcube::test::put;
using nearcube::test::Random;
namespace map = nearcube::interfaces;

constexpr std::uint32_t kTcdmBytes = 65536;

enum class Target { kTcdm, kRegister, kAxi, kNone };

struct Access {
  bool write;
  unsigned be;
  std::uint32_t address, data;
  Target target;
};

/// What the slaves do.
struct Slaves {
  unsigned hold_tcdm, hold_register, hold_axi;  // percent of cycles without grant or ready
  unsigned register_errors, axi_errors;         // percent
  unsigned latency;                             // most core cycles that AXI takes
};

std::uint32_t merge(std::uint32_t old, std::uint32_t data, unsigned be) {
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t mask = 0xFFu << (8 * i);
    if ((be >> i) & 1) old = (old & ~mask) | (data & mask);
  }
  return old;
}

Target target_of(std::uint32_t address, unsigned be) {
  if (address >= map::kTcdmBase && address < map::kTcdmBase + kTcdmBytes) return Target::kTcdm;
  if (address >= map::kControlBase && address < map::kControlBase + 0x8000 && be == 15)
    return Target::kRegister;
  return address >= map::kCubeBase ? Target::kAxi : Target::kNone;
}

template <typename Model>
class Bench {
 public:
  Bench(unsigned ratio, std::uint64_t seed, const Slaves& slaves)
      : ratio_(ratio), random_(seed), slaves_(slaves), block_(seed) {
    auto& dut = *block_.dut;
    dut.core_tick_i = 0;
    dut.data_req_i = 0;
    dut.tcdm_rsp_i = 0;
    dut.axi_b_valid_i = dut.axi_r_valid_i = 0;
    block_.reset();
  }

  std::uint64_t answers() const { return answers_; }
  std::uint64_t core_cycles() const { return core_cycles_; }
  std::uint64_t errors() const { return errors_; }

  /// `idle` percent of core cycles bring no new request; `only` restricts the targets.
  void run(std::uint64_t core_cycles, unsigned idle, std::optional<Target> only) {
    for (std::uint64_t end = core_cycles_ + core_cycles; core_cycles_ < end;) {
      if (!request_ && random_() % 100 >= idle) request_ = draw(only);
      core_cycle();
    }
    while (request_ || !expected_.empty()) core_cycle();
  }

 private:
  struct Expected {
    Access access;
    std::uint64_t granted_at;  // core cycle
    std::uint32_t data;
    bool error;
  };

  bool percent(unsigned share) { return random_() % 100 < share; }

  Access draw(std::optional<Target> only) {
    for (;;) {
      const unsigned sizes[] = {1, 2, 4, 8, 3, 12, 15, 15, 15};
      Access access{percent(50), sizes[random_() % 9], 0, static_cast<std::uint32_t>(random_()),
                    Target::kNone};
      const std::uint32_t word = static_cast<std::uint32_t>(random_() % 8) * 4;
      switch (random_() % 5) {
        case 0:
          access.address = map::kTcdmBase + word;
          break;
        case 1:
          access.address = map::kTcdmBase + kTcdmBytes - 16 + word;
          break;
        case 2:
          access.address = map::kControlBase + static_cast<std::uint32_t>(random_() % 0x2000) * 4;
          break;
        case 3:
          access.address = map::kCubeBase + word;
          break;
        default: {
          const std::uint32_t edges[] = {0,
                                         map::kTcdmBase - 16,
                                         map::kTcdmBase + map::kTcdmSize - 16,
                                         map::kControlBase - 16,
                                         map::kControlBase + 0x8000 - 16,
                                         static_cast<std::uint32_t>(map::kCubeBase) - 16,
                                         0xFFFFFFE0};
          access.address = edges[random_() % 7] + word;
        }
      }
      access.target = target_of(access.address, access.be);
      if (!only || access.target == *only) return access;
    }
  }

  void core_cycle() {
    auto& dut = *block_.dut;
    dut.data_req_i = request_.has_value();
    if (request_) {
      dut.data_we_i = request_->write;
      put(dut.data_be_i, request_->be);
      dut.data_addr_i = request_->address;
      dut.data_wdata_i = request_->data;
    } else {
      dut.data_addr_i = static_cast<std::uint32_t>(random_()) & ~3u;
    }
    dut.axi_aw_ready_i = !percent(slaves_.hold_axi);
    dut.axi_w_ready_i = !percent(slaves_.hold_axi);
    dut.axi_ar_ready_i = !percent(slaves_.hold_axi);
    const bool respond = axi_ && axi_->data && axi_->address && axi_->due <= core_cycles_;
    dut.axi_b_valid_i = respond && axi_->write;
    dut.axi_r_valid_i = respond && !axi_->write;
    dut.axi_b_err_i = dut.axi_r_err_i = respond && axi_->error;
    dut.axi_r_data_i = respond ? axi_->read : random_();
    for (unsigned c = 0; c < ratio_; ++c) ntx_cycle(c + 1 == ratio_);
    ++core_cycles_;
  }

  void ntx_cycle(bool tick) {
    auto& dut = *block_.dut;
    dut.core_tick_i = tick;
    // Answers of the last NTX cycle's accesses, for one cycle; noise else.
    std::uint64_t rsp = tcdm_answer_ ? (std::uint64_t{1} << 32 | *tcdm_answer_) : (random_() & 0xFFFFFFFF);
    dut.tcdm_rsp_i = rsp;
    dut.reg_rdata_i = register_answer_ ? register_answer_->data : static_cast<std::uint32_t>(random_());
    dut.reg_err_i = register_answer_ ? register_answer_->error : random_() % 2;
    dut.reg_gnt_i = !percent(slaves_.hold_register);
    block_.settle();
    const bool grant = ((dut.tcdm_req_o >> 55) & 1) && !percent(slaves_.hold_tcdm);
    if (grant) dut.tcdm_rsp_i = rsp | std::uint64_t{1} << 33;
    block_.settle();
    tcdm_answer_.reset();
    register_answer_.reset();
    if (grant) {
      const std::uint32_t address = static_cast<std::uint32_t>(dut.tcdm_req_o >> 32) & 0x3FFFF;
      std::uint32_t& word = tcdm_[address];
      if ((dut.tcdm_req_o >> 54) & 1) {
        word = merge(word, static_cast<std::uint32_t>(dut.tcdm_req_o), (dut.tcdm_req_o >> 50) & 15);
        tcdm_answer_ = static_cast<std::uint32_t>(random_());
      } else {
        tcdm_answer_ = word;
      }
    }
    CHECK(dut.wait_tcdm_o == (((dut.tcdm_req_o >> 55) & 1) && !grant));
    if (tick) at_tick();
    block_.edge();
  }

  void at_tick() {
    auto& dut = *block_.dut;
    // The answer to an earlier grant.
    if (dut.data_rvalid_o) {
      REQUIRE(!expected_.empty());
      const Expected& expected = expected_.front();
      INFO("address " << std::hex << expected.access.address << " be " << expected.access.be);
      if (expected.access.target == Target::kAxi) {
        REQUIRE(axi_);
        REQUIRE((dut.axi_b_valid_i || dut.axi_r_valid_i));
        CHECK(dut.data_err_o == axi_->error);
        if (!axi_->write && !axi_->error) CHECK(dut.data_rdata_o == expected.data);
        axi_.reset();
      } else {
        CHECK(core_cycles_ == expected.granted_at + 1);
        CHECK(dut.data_err_o == expected.error);
        if (!expected.access.write && !expected.error) CHECK(dut.data_rdata_o == expected.data);
      }
      errors_ += dut.data_err_o;
      expected_.pop_front();
      ++answers_;
    }
    CHECK(expected_.size() <= (axi_ ? 1u : 0u));
    axi_handshakes();
    if (dut.reg_req_o && dut.reg_gnt_i) {
      REQUIRE(request_);
      REQUIRE(request_->target == Target::kRegister);
      CHECK(dut.reg_addr_o == request_->address);
      CHECK(dut.reg_we_o == request_->write);
      if (request_->write) CHECK(dut.reg_wdata_o == request_->data);
      CHECK(dut.data_gnt_o);
      register_answer_ =
          nearcube::test::Answer{static_cast<std::uint32_t>(random_()), percent(slaves_.register_errors)};
    }
    if (dut.data_gnt_o) {
      REQUIRE(request_);
      Expected expected{*request_, core_cycles_, 0, request_->target == Target::kNone};
      switch (request_->target) {
        case Target::kTcdm: {
          // The slave's memory may only have been touched by this very access.
          const std::uint32_t word = (request_->address & (kTcdmBytes - 1)) / 4;
          if (request_->write) reference_[word] = merge(reference_[word], request_->data, request_->be);
          expected.data = reference_[word];
          REQUIRE(tcdm_[word] == reference_[word]);
          break;
        }
        case Target::kRegister:
          REQUIRE(register_answer_);
          expected.data = register_answer_->data;
          expected.error = register_answer_->error;
          break;
        case Target::kAxi: {
          REQUIRE(!axi_);
          const std::uint32_t word = request_->address / 4;
          axi_ = Axi{request_->write, false, request_->write ? false : true, percent(slaves_.axi_errors), 0,
                     random_()};
          if (request_->write) {
            cube_[word] = merge(cube_[word], request_->data, request_->be);
          } else {
            expected.data = cube_[word];
            const unsigned shift = (request_->address & 4) * 8;
            axi_->read = (axi_->read & ~(std::uint64_t{0xFFFFFFFF} << shift)) | std::uint64_t{expected.data}
                                                                                    << shift;
          }
          break;
        }
        case Target::kNone:
          break;
      }
      expected_.push_back(expected);
      request_.reset();
    }
  }

  void axi_handshakes() {
    auto& dut = *block_.dut;
    if (!axi_) {
      CHECK(!dut.axi_aw_valid_o);
      CHECK(!dut.axi_w_valid_o);
      CHECK(!dut.axi_ar_valid_o);
      return;
    }
    const Access& access = expected_.front().access;
    if ((dut.axi_aw_valid_o && dut.axi_aw_ready_i) || (dut.axi_ar_valid_o && dut.axi_ar_ready_i)) {
      CHECK(!axi_->address);
      CHECK(dut.axi_aw_valid_o == axi_->write);
      CHECK(dut.axi_addr_o == access.address);
      axi_->address = true;
      axi_->due = core_cycles_ + 1 + (slaves_.latency ? random_() % slaves_.latency : 0);
    }
    if (dut.axi_w_valid_o && dut.axi_w_ready_i) {
      CHECK(axi_->write);
      CHECK(!axi_->data);
      CHECK(dut.axi_w_strb_o == access.be << (access.address & 4));
      CHECK(static_cast<std::uint32_t>(dut.axi_w_data_o >> (access.address & 4) * 8) == access.data);
      axi_->data = true;
      axi_->due = core_cycles_ + 1 + (slaves_.latency ? random_() % slaves_.latency : 0);
    }
  }

  struct Axi {
    bool write;
    bool address, data;  // handshakes done
    bool error;
    std::uint64_t due;
    std::uint64_t read;
  };

  unsigned ratio_;
  Random random_;
  Slaves slaves_;
  Block<Model> block_;
  std::optional<Access> request_;
  std::deque<Expected> expected_;
  std::optional<std::uint32_t> tcdm_answer_;
  std::optional<nearcube::test::Answer> register_answer_;
  std::optional<Axi> axi_;
  std::map<std::uint32_t, std::uint32_t> tcdm_, reference_, cube_;
  std::uint64_t core_cycles_ = 0, answers_ = 0, errors_ = 0;
};

template <typename Model>
void random_accesses(unsigned ratio) {
  const std::uint64_t seed = nearcube::test::seed();
  WARN("seed " << seed);
  const std::uint64_t cycles = nearcube::test::cases(5000, 300000);
  for (const Slaves& slaves :
       {Slaves{0, 0, 0, 0, 0, 0}, Slaves{50, 50, 50, 20, 20, 10}, Slaves{90, 80, 80, 50, 50, 40}}) {
    Bench<Model> bench(ratio, seed, slaves);
    bench.run(cycles, 0, std::nullopt);
    bench.run(cycles, 60, std::nullopt);
    CHECK(bench.answers() > cycles / 50);
    CHECK(bench.errors() > 0);
  }
}

/// With slaves that never hold back, a stream of accesses to scratchpad, registers or nowhere takes one core
/// cycle each.
template <typename Model>
void full_rate(unsigned ratio) {
  for (const Target target : {Target::kTcdm, Target::kRegister, Target::kNone}) {
    Bench<Model> bench(ratio, 7, Slaves{0, 0, 0, 0, 0, 0});
    bench.run(1000, 0, target);
    CHECK(bench.answers() == 1000);
    CHECK(bench.core_cycles() == 1001);
  }
}

}  // namespace

TEST_CASE("Core data port: random accesses, one NTX cycle in a core cycle") {
  random_accesses<Vcore_data_port_1>(1);
}
TEST_CASE("Core data port: random accesses, two NTX cycles in a core cycle") {
  random_accesses<Vcore_data_port_2>(2);
}
TEST_CASE("Core data port: random accesses, four NTX cycles in a core cycle") {
  random_accesses<Vcore_data_port_4>(4);
}

TEST_CASE("Core data port: one access a core cycle") {
  full_rate<Vcore_data_port_1>(1);
  full_rate<Vcore_data_port_2>(2);
  full_rate<Vcore_data_port_4>(4);
}
