// SPDX-License-Identifier: Apache-2.0
#include "tests/hmc/random_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "sim/base/random.h"

namespace nearcube::test {
namespace {

using hmc::CommandKind;
using hmc::DramCommand;
using hmc::Request;

constexpr std::uint64_t kGrain = 32;  // addresses and sizes are multiples of it
constexpr std::uint64_t kStepPs = 8000;
constexpr std::uint64_t kPatiencePs = 1'000'000'000;  // no queue is so long

}  // namespace

const char* name(Pattern pattern) {
  constexpr const char* kNames[] = {"sequential", "random", "one bank", "one vault", "strided", "hot spots"};
  return kNames[static_cast<unsigned>(pattern)];
}

std::string Traffic::describe() const {
  return fmt::format(
      "{}, seed {}, {} requests at {} ports, {} outstanding, {} % writes, up to {} B, pauses to {} ps",
      name(pattern), seed, requests, ports, outstanding, write_percent, max_bytes, pause_ps);
}

std::vector<Request> requests(const hmc::CubeConfig& config, const Traffic& traffic) {
  base::Random random(traffic.seed);
  const std::uint64_t capacity = config.capacity_bytes;
  // The place that kOneBank and kOneVault stay in.
  const hmc::Location home = hmc::locate(config, random.below(capacity));
  const std::uint32_t max_bytes = traffic.max_bytes != 0 ? traffic.max_bytes : config.granule_bytes;
  const std::uint64_t start = random.below(capacity), stride = kGrain * random.below(1024);
  std::uint64_t hot[4];
  for (std::uint64_t& spot : hot) spot = random.below(capacity);

  std::vector<Request> list;
  std::uint64_t time = 0;
  std::uint64_t next = start;
  for (std::uint64_t i = 0; i < traffic.requests; ++i) {
    Request request{};
    request.bytes = static_cast<std::uint32_t>(kGrain << random.below(std::bit_width(max_bytes / kGrain)));
    request.write = random.below(100) < traffic.write_percent;
    request.port = static_cast<std::uint32_t>(random.below(traffic.ports));
    request.tag = i;
    if (traffic.pause_ps != 0) time += random.below(traffic.pause_ps + 1);
    request.time_ps = time;
    std::uint64_t address = 0;
    switch (traffic.pattern) {
      case Pattern::kSequential:
        address = next;
        next += request.bytes;
        break;
      case Pattern::kRandom:
        address = random.below(capacity);
        break;
      case Pattern::kOneBank:
      case Pattern::kOneVault: {
        hmc::Location place = hmc::locate(config, random.below(capacity));
        place.vault = home.vault;
        if (traffic.pattern == Pattern::kOneBank) place.bank = home.bank;
        address = hmc::address_of(config, place);
        break;
      }
      case Pattern::kStrided:
        address = start + i * stride;
        break;
      case Pattern::kHotSpots:
        address = random.below(4) == 0 ? random.below(capacity) : hot[random.below(4)] + random.below(512);
        break;
    }
    // A multiple of its size crosses no granule.
    request.address = address % capacity / request.bytes * request.bytes;
    list.push_back(request);
  }
  return list;
}

namespace {

/// One run's book of who asked what and what came of it.
class Ledger : public hmc::CommandObserver {
 public:
  explicit Ledger(const std::vector<Request>& requests) : requests_(requests), states_(requests.size()) {}

  void submitted(const Request& request) {
    State& state = states_[request.tag];
    state.submitted = true;
    state.time_ps = request.time_ps;
    for (std::uint64_t at = request.address; at < request.address + request.bytes; at += kGrain)
      waiting_[at].push_back(request.tag);
  }

  void command(const DramCommand& command) override {
    if (command.kind != CommandKind::kActivate && command.kind != CommandKind::kPrecharge &&
        command.kind != CommandKind::kRefresh) {
      column_bytes_ += command.bytes;
    }
  }

  /// The bytes move.
  void access(const Request& request, std::uint64_t time_ps) {
    if (request.tag >= states_.size() || !states_[request.tag].submitted) {
      fail("an access of tag {} that nobody asked for", request.tag);
      return;
    }
    State& state = states_[request.tag];
    const Request& asked = requests_[request.tag];
    if (request.address != asked.address || request.bytes != asked.bytes || request.write != asked.write ||
        request.port != asked.port) {
      fail("request {} was carried out as another one", request.tag);
    }
    if (state.accessed) fail("request {} was carried out twice", request.tag);
    if (time_ps < state.time_ps) fail("request {} was carried out before it was made", request.tag);
    state.accessed = true;
    state.access_ps = time_ps;
    for (std::uint64_t at = asked.address; at < asked.address + asked.bytes; at += kGrain) {
      auto& tags = waiting_[at];
      const auto me = std::find(tags.begin(), tags.end(), request.tag);
      for (auto older = tags.begin(); older != me; ++older) {
        if (requests_[*older].port == asked.port && (requests_[*older].write || asked.write))
          fail("request {} overtook request {} of the same port and address {:#x}", request.tag, *older, at);
      }
      if (me != tags.end()) tags.erase(me);
    }
  }

  void completed(const hmc::Completion& completion) {
    if (completion.tag >= states_.size() || !states_[completion.tag].submitted) {
      fail("an answer with tag {} that nobody asked for", completion.tag);
      return;
    }
    State& state = states_[completion.tag];
    const Request& asked = requests_[completion.tag];
    if (state.completed) fail("request {} was answered twice", completion.tag);
    if (completion.port != asked.port || completion.write != asked.write)
      fail("request {} was answered as another one", completion.tag);
    if (completion.error) fail("request {} came back with an error", completion.tag);
    if (!asked.write && (!state.accessed || completion.time_ps < state.access_ps))
      fail("read {} was answered before its data was read", completion.tag);
    if (completion.time_ps <= state.time_ps) fail("request {} was answered in no time", completion.tag);
    state.completed = true;
  }

  /// Everything is over.
  void finish() {
    std::uint64_t bytes = 0;
    for (std::size_t tag = 0; tag < states_.size(); ++tag) {
      if (!states_[tag].completed) fail("request {} was never answered", tag);
      if (!states_[tag].accessed) fail("request {} was never carried out", tag);
      bytes += requests_[tag].bytes;
    }
    if (bytes != column_bytes_) fail("{} bytes were asked for and {} moved", bytes, column_bytes_);
  }

  const std::string& complaint() const { return complaint_; }

 private:
  struct State {
    bool submitted = false, accessed = false, completed = false;
    std::uint64_t time_ps = 0, access_ps = 0;
  };

  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    if (complaint_.empty()) complaint_ = fmt::format(format, std::forward<Args>(args)...);
  }

  const std::vector<Request>& requests_;
  std::vector<State> states_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiting_;  // by address, tags in order
  std::uint64_t column_bytes_ = 0;
  std::string complaint_;
};

}  // namespace

std::string drive(const hmc::CubeConfig& config, const dram_check::DramRules& rules,
                  const std::vector<Request>& requests, std::uint32_t ports, std::uint32_t outstanding) {
  // Tags are places in the list, whatever was left out of it.
  std::vector<Request> list = requests;
  for (std::size_t i = 0; i < list.size(); ++i) list[i].tag = i;
  Ledger ledger(list);
  dram_check::RuleChecker checker(rules);
  hmc::Cube cube(config, ports);
  cube.add_observer(checker);
  cube.add_observer(ledger);
  cube.set_access([&ledger](const Request& request, std::uint64_t time_ps) {
    ledger.access(request, time_ps);
    return true;
  });

  std::uint64_t now = 0, last_answer = 0;
  std::size_t next = 0, answered = 0;
  while (answered < list.size() || !cube.idle()) {
    while (next < list.size() && next - answered < outstanding && list[next].time_ps <= now) {
      Request request = list[next++];
      request.time_ps = now;
      ledger.submitted(request);
      cube.submit(request);
    }
    now += kStepPs;
    // Nothing on its way: on to the next request.
    if (cube.idle() && next < list.size()) now = std::max(now, list[next].time_ps);
    cube.advance(now);
    for (const hmc::Completion& completion : cube.completions()) {
      ledger.completed(completion);
      ++answered;
    }
    if (!cube.completions().empty() || cube.idle()) last_answer = now;
    cube.clear_completions();
    if (!ledger.complaint().empty()) return ledger.complaint();
    if (checker.violations() != 0) return checker.first().front().message;
    if (now - last_answer > kPatiencePs)
      return fmt::format("{} requests unanswered for {} ps", next - answered, now - last_answer);
  }
  ledger.finish();
  if (!ledger.complaint().empty()) return ledger.complaint();
  checker.finish(now / config.timing.tck_ps);
  return checker.violations() == 0 ? "" : checker.first().front().message;
}

std::vector<Request> shrink(const hmc::CubeConfig& config, const dram_check::DramRules& rules,
                            std::vector<Request> requests, std::uint32_t ports, std::uint32_t outstanding) {
  for (std::size_t piece = requests.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t begin = 0; begin + piece <= requests.size();) {
      std::vector<Request> fewer(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(begin));
      fewer.insert(fewer.end(), requests.begin() + static_cast<std::ptrdiff_t>(begin + piece),
                   requests.end());
      if (drive(config, rules, fewer, ports, outstanding).empty()) {
        begin += piece;
      } else {
        requests = std::move(fewer);
      }
    }
  }
  return requests;
}

std::string text(const std::vector<Request>& requests) {
  std::string lines;
  for (const Request& r : requests) {
    lines += fmt::format("\n  {} ps port {} {} {:#x} {} B", r.time_ps, r.port, r.write ? "write" : "read",
                         r.address, r.bytes);
  }
  return lines;
}

}  // namespace nearcube::test
