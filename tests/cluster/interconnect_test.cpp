// SPDX-License-Identifier: Apache-2.0
// The scratchpad interconnect against a model that arbitrates bank by bank, as the specification tells it.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "Vtcdm.h"
#include "Vtcdm_published.h"
#include "tests/cluster/bench.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace {

using nearcube::test::Block;
using nearcube::test::put;
using nearcube::test::Random;

constexpr unsigned kMasters = 19;
constexpr unsigned kFirstCore = 16;

struct Request {
  bool valid = false, write = false;
  unsigned be = 0;
  std::uint32_t address = 0, data = 0;  // address in words
  unsigned waited = 0;                  // cycles not granted
};

/// Sets `width` bits from bit `lsb` of one of Verilator's wide words.
template <typename Wide>
void set_bits(Wide& wide, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = lsb + i;
    const std::uint32_t mask = 1u << (bit % 32);
    wide[bit / 32] = (wide[bit / 32] & ~mask) | (((value >> i) & 1) ? mask : 0);
  }
}

/// The specification, bank by bank.
class Reference {
 public:
  Reference(unsigned banks, unsigned words, bool multicast)
      : banks_(banks), multicast_(multicast), memory_(words) {
    for (Bank& bank : banks_) bank = {kFirstCore - 1, kMasters - 1, kMasters - 1};
  }

  struct Outcome {
    std::uint32_t granted = 0;
    std::uint64_t accessed = 0, conflicted = 0;
    std::array<std::uint32_t, kMasters> data{};  // of granted reads
  };

  Outcome cycle(std::array<Request, kMasters>& requests, unsigned priority, std::uint64_t slot) {
    Outcome out;
    for (unsigned b = 0; b < banks_.size(); ++b) {
      std::vector<unsigned> asking;
      for (unsigned m = 0; m < kMasters; ++m) {
        if (requests[m].valid && requests[m].address % banks_.size() == b) asking.push_back(m);
      }
      if (asking.empty()) continue;
      out.accessed |= std::uint64_t{1} << b;
      const unsigned winner = choose(banks_[b], asking, priority, slot);
      const Request& won = requests[winner];
      for (unsigned m : asking) {
        const bool together =
            multicast_ && !won.write && !requests[m].write && requests[m].address == won.address;
        if (m == winner || together) {
          out.granted |= 1u << m;
          out.data[m] = memory_[won.address];
        } else {
          out.conflicted |= std::uint64_t{1} << b;
        }
      }
      if (won.write) {
        for (unsigned i = 0; i < 4; ++i) {
          const std::uint32_t mask = 0xFFu << (8 * i);
          if ((won.be >> i) & 1) memory_[won.address] = (memory_[won.address] & ~mask) | (won.data & mask);
        }
      }
      if ((out.conflicted >> b) & 1) {
        banks_[b].last = winner;
        (winner < kFirstCore ? banks_[b].last_ntx : banks_[b].last_core) = winner;
      }
    }
    return out;
  }

  void poke(std::uint32_t address, std::uint32_t data) { memory_[address] = data; }

 private:
  struct Bank {
    unsigned last_ntx, last_core, last;
  };

  /// The first of `from` behind `last`, going round.
  static unsigned behind(const std::vector<unsigned>& from, unsigned last) {
    for (unsigned m : from) {
      if (m > last) return m;
    }
    return from.front();
  }

  static unsigned choose(const Bank& bank, const std::vector<unsigned>& asking, unsigned priority,
                         std::uint64_t slot) {
    if (priority == 1 || priority == 3) return behind(asking, bank.last);
    std::vector<unsigned> ntx, core;
    for (unsigned m : asking) (m < kFirstCore ? ntx : core).push_back(m);
    const bool core_first = priority == 2 && slot % 8 == 7;
    const bool take_core = ntx.empty() || (core_first && !core.empty());
    return take_core ? behind(core, bank.last_core) : behind(ntx, bank.last_ntx);
  }

  std::vector<Bank> banks_;
  bool multicast_;
  std::vector<std::uint32_t> memory_;
};

/// How the traffic of a run looks.
struct Traffic {
  unsigned priority;
  unsigned busy;    // percent of idle masters that start a request in a cycle
  unsigned writes;  // percent
  unsigned words;   // addresses are drawn from so many words ...
  unsigned stride;  // ... so far apart
};

template <typename Model>
class Bench {
 public:
  Bench(unsigned banks, unsigned words, bool multicast, std::uint64_t seed)
      : block_(seed), random_(seed), reference_(banks, words, multicast) {
    drive(1);
    block_.reset();
    slot_ = 0;
    // Every word a run may read is written first.
    for (std::uint32_t a = 0; a < words; ++a) {
      requests_[0] = {true, true, 15, a, static_cast<std::uint32_t>(random_()), 0};
      run_cycle(1);
    }
  }

  void run(const Traffic& traffic, unsigned cycles) {
    for (unsigned c = 0; c < cycles; ++c) {
      for (Request& request : requests_) {
        if (request.valid || random_() % 100 >= traffic.busy) continue;
        request.valid = true;
        request.write = random_() % 100 < traffic.writes;
        request.be = random_() % 16;
        request.address = static_cast<std::uint32_t>(random_() % traffic.words) * traffic.stride;
        request.data = static_cast<std::uint32_t>(random_());
        request.waited = 0;
      }
      run_cycle(traffic.priority);
    }
    while (std::any_of(requests_.begin(), requests_.end(), [](const Request& r) { return r.valid; })) {
      run_cycle(traffic.priority);
    }
    run_cycle(traffic.priority);  // the last answers
  }

  /// One cycle with the present requests; those granted become free. Returns the grants.
  std::uint32_t run_cycle(unsigned priority) {
    auto& dut = *block_.dut;
    drive(priority);
    block_.settle();
    // Answers to the last cycle's grants, and to nothing else.
    REQUIRE(dut.rvalid_o == expected_valid_);
    for (unsigned m = 0; m < kMasters; ++m) {
      if ((expected_read_ >> m) & 1) {
        INFO("master " << m << " in cycle " << block_.cycles);
        REQUIRE(dut.rdata_o[m] == expected_data_[m]);
      }
    }
    const auto outcome = reference_.cycle(requests_, priority, slot_);
    INFO("cycle " << block_.cycles << ", priority " << priority);
    REQUIRE(dut.gnt_o == outcome.granted);
    REQUIRE(dut.bank_access_o == outcome.accessed);
    REQUIRE(dut.bank_conflict_o == outcome.conflicted);
    expected_valid_ = outcome.granted;
    expected_read_ = 0;
    expected_data_ = outcome.data;
    for (unsigned m = 0; m < kMasters; ++m) {
      Request& request = requests_[m];
      if (!request.valid) continue;
      if ((outcome.granted >> m) & 1) {
        if (!request.write) expected_read_ |= 1u << m;
        longest_[m] = std::max(longest_[m], request.waited);
        request.valid = false;
      } else {
        ++request.waited;
      }
    }
    block_.edge();
    ++slot_;
    return outcome.granted;
  }

  std::array<Request, kMasters>& requests() { return requests_; }
  unsigned longest_wait(unsigned first, unsigned end) const {
    return *std::max_element(longest_.begin() + first, longest_.begin() + end);
  }

 private:
  void drive(unsigned priority) {
    auto& dut = *block_.dut;
    put(dut.priority_i, priority);
    std::uint32_t req = 0, we = 0;
    for (unsigned m = 0; m < kMasters; ++m) {
      const Request& request = requests_[m];
      req |= static_cast<std::uint32_t>(request.valid) << m;
      we |= static_cast<std::uint32_t>(request.write) << m;
      set_bits(dut.be_i, 4 * m, 4, request.be);
      set_bits(dut.addr_i, 18 * m, 18, request.address);
      dut.wdata_i[m] = request.data;
    }
    dut.req_i = req;
    dut.we_i = we;
  }

  Block<Model> block_;
  Random random_;
  Reference reference_;
  std::array<Request, kMasters> requests_{};
  std::array<unsigned, kMasters> longest_{};
  std::uint32_t expected_valid_ = 0, expected_read_ = 0;
  std::array<std::uint32_t, kMasters> expected_data_{};
  std::uint64_t slot_ = 0;
};

template <typename Model>
void random_traffic(unsigned banks, unsigned words, bool multicast) {
  const std::uint64_t seed = nearcube::test::seed();
  const unsigned cycles = static_cast<unsigned>(nearcube::test::cases(4000, 200000));
  WARN("seed " << seed);
  Bench<Model> bench(banks, words, multicast, seed);
  for (unsigned priority = 0; priority < 4; ++priority) {
    for (const Traffic& traffic : {
             Traffic{priority, 30, 30, words, 1},      // sparse, anywhere
             Traffic{priority, 100, 30, words, 1},     // all masters always
             Traffic{priority, 100, 20, 8, 1},         // few words: multicast and conflicts
             Traffic{priority, 100, 10, 16, banks},    // one bank
             Traffic{priority, 70, 50, 2, words / 2},  // two words of one bank
         }) {
      bench.run(traffic, cycles);
    }
  }
}

}  // namespace

TEST_CASE("Interconnect: random traffic, 64 banks with multicast") { random_traffic<Vtcdm>(64, 16384, true); }

TEST_CASE("Interconnect: random traffic, 32 banks without multicast") {
  random_traffic<Vtcdm_published>(32, 1024, false);
}

TEST_CASE("Interconnect: reads of one word by all masters are granted together, writes one by one") {
  Bench<Vtcdm> bench(64, 16384, true, 1);
  for (Request& request : bench.requests()) request = {true, false, 15, 77, 0, 0};
  CHECK(bench.run_cycle(1) == (1u << kMasters) - 1);
  for (Request& request : bench.requests()) request = {true, true, 15, 77, 5, 0};
  std::uint32_t granted = 0;
  for (unsigned i = 0; i < kMasters; ++i) {
    const std::uint32_t now = bench.run_cycle(1);
    CHECK((now & (now - 1)) == 0);
    CHECK((granted & now) == 0);
    granted |= now;
  }
  CHECK(granted == (1u << kMasters) - 1);
}

TEST_CASE("Interconnect: nobody waits longer than the priority mode promises") {
  // All masters always ask one bank for different rows, so nothing is served together.
  const auto longest = [](unsigned priority, unsigned first, unsigned end) {
    Bench<Vtcdm> bench(64, 16384, true, 3);
    for (unsigned c = 0; c < 5000; ++c) {
      for (unsigned m = 0; m < kMasters; ++m) {
        Request& request = bench.requests()[m];
        if (!request.valid) request = {true, false, 15, 64 * m, 0, 0};
      }
      bench.run_cycle(priority);
    }
    return bench.longest_wait(first, end);
  };
  CHECK(longest(1, 0, kMasters) == kMasters - 1);
  CHECK(longest(3, 0, kMasters) == kMasters - 1);
  CHECK(longest(2, kFirstCore, kMasters) <= 3 * 8 - 1);
  CHECK(longest(2, 0, kFirstCore) <= 16 + 3 - 1);
  CHECK(longest(0, 0, kFirstCore) == 16 - 1);
}
