// SPDX-License-Identifier: Apache-2.0
#include "sim/hmc/cube.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>

#include "sim/base/error.h"
#include "sim/hmc/vault.h"

namespace nearcube::hmc {

namespace {

/// A channel that carries one thing at a time.
struct Channel {
  std::uint64_t free_ps = 0;
  /// The end of something that takes `ps` and is there at `from`.
  std::uint64_t take(std::uint64_t from, std::uint64_t ps) { return free_ps = std::max(free_ps, from) + ps; }
  /// The same for something that comes in while it goes out, and is there as a whole at `whole`.
  std::uint64_t pass(std::uint64_t whole, std::uint64_t ps) {
    return free_ps = std::max(free_ps + ps, whole);
  }
};

/// Picoseconds of `bytes` on a link, each way.
std::uint64_t link_ps(const CubeConfig& config, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(bytes) * 8e3 / (config.lanes * config.lane_gbps)));
}

std::uint64_t port_ps(const CubeConfig& config, std::uint64_t bytes) {
  return bytes * config.timing.tck_ps / config.port_bytes_per_clk;
}

/// From a read's or write's command to the end of the shortest data.
std::uint64_t least_access_ps(const CubeConfig& config) {
  return (std::min(config.timing.cl, config.timing.cwl) + config.burst_clk(1)) * config.timing.tck_ps;
}

}  // namespace

/// A request that its vault has served, from then on.
struct Cube::Served {
  std::uint64_t at_ps = 0;  ///< when it comes out of the crossbar; then, when it completes
  std::uint64_t order = 0;
  std::uint64_t tag = 0, submitted_ps = 0;
  std::uint32_t port = 0, bytes = 0;
  bool write = false, error = false;

  /// Earlier in the order of time, port and submission.
  bool operator<(const Served& other) const {
    if (at_ps != other.at_ps) return at_ps < other.at_ps;
    return port != other.port ? port < other.port : order < other.order;
  }
};

class Cube::Impl {
 public:
  Impl(const CubeConfig& config, unsigned ports, Attach attach)
      : config_(config), attach_(attach), requests_(ports), responses_(ports), last_time_(ports) {
    for (std::uint32_t v = 0; v < config.vaults; ++v) {
      vaults_.emplace_back(config_, v, [this](const RequestQueue::Entry& entry, std::uint64_t end_clk) {
        served(entry, end_clk);
      });
    }
    busy_.resize((config.vaults + 63) / 64);
    if (attach == Attach::kLinks) {
      down_.resize(config.links);
      up_.resize(config.links);
      link_counters_.resize(config.links);
    }
  }

  void submit(const Request& request, std::uint64_t advanced_ps, std::uint64_t lookahead_ps) {
    check(request, advanced_ps, lookahead_ps);
    last_time_[request.port] = request.time_ps;
    std::uint64_t at = request.time_ps;
    const std::uint32_t data = request.write ? request.bytes : 0;
    if (attach_ == Attach::kLinks) {
      const std::size_t link = request.port % config_.links;
      at = down_[link].take(at, link_ps(config_, config_.header_bytes + data)) + config_.link_ps;
      ++link_counters_[link].packets_down;
      link_counters_[link].bytes_down += config_.header_bytes + data;
    } else {
      at = requests_[request.port].take(at, port_ps(config_, data));
    }
    at += config_.request_ps;
    const Location location = locate(config_, request.address);
    const std::uint64_t clk = (at + config_.timing.tck_ps - 1) / config_.timing.tck_ps;
    vaults_[location.vault].arrive(request, location, clk, order_++);
    busy_[location.vault / 64] |= std::uint64_t{1} << location.vault % 64;
  }

  void advance(std::uint64_t time_ps, std::uint64_t lookahead_ps, std::vector<Completion>& ready,
               std::uint64_t& in_flight) {
    // Vaults as far as every arrival is known: requests are submitted up to time_ps - lookahead_ps.
    const std::uint64_t known = time_ps > lookahead_ps ? time_ps - lookahead_ps + config_.request_ps : 0;
    vault_clk_ = std::max(vault_clk_, (known + config_.timing.tck_ps - 1) / config_.timing.tck_ps);
    for (std::size_t word = 0; word < busy_.size(); ++word) {
      // An observer wants the refreshes of idle vaults too.
      std::uint64_t bits = busy_[word];
      if (!observers_.empty()) {
        const std::size_t rest = config_.vaults - word * 64;
        bits = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
      }
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t v = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        vaults_[v].advance(vault_clk_, observers_);
        if (vaults_[v].idle()) busy_[word] &= ~(std::uint64_t{1} << v % 64);
      }
    }
    // What comes out of the crossbar before time_ps, and what of that is there by then: later steps of the
    // vaults add only later ones.
    take_before(time_ps, crossing_, [this](Served& served) {
      leave(served);
      leaving_.push_back(served);
    });
    take_before(time_ps, leaving_, [&](const Served& served) {
      (served.write ? writes_ : reads_).add(served.at_ps - served.submitted_ps);
      ready.push_back({.time_ps = served.at_ps,
                       .port = served.port,
                       .tag = served.tag,
                       .write = served.write,
                       .error = served.error});
      --in_flight;
    });
  }

  CubeCounters counters() const {
    CubeCounters counters;
    for (const Vault& vault : vaults_) counters.vaults.push_back(vault.counters(vault_clk_));
    counters.links = link_counters_;
    counters.reads = reads_;
    counters.writes = writes_;
    return counters;
  }

  std::vector<std::string> describe() const {
    std::vector<std::string> lines;
    for (const Vault& vault : vaults_) {
      if (!vault.idle()) lines.push_back(vault.describe());
    }
    return lines;
  }

  std::function<bool(const Request&, std::uint64_t)> access_;
  std::vector<CommandObserver*> observers_;

 private:
  /// Gives `take` what has its time before `time_ps`, in order, and keeps the rest.
  template <typename Take>
  static void take_before(std::uint64_t time_ps, std::vector<Served>& all, const Take& take) {
    const auto taken =
        std::partition(all.begin(), all.end(), [=](const Served& served) { return served.at_ps >= time_ps; });
    std::sort(taken, all.end());
    std::for_each(taken, all.end(), take);
    all.erase(taken, all.end());
  }

  void check(const Request& request, std::uint64_t advanced_ps, std::uint64_t lookahead_ps) const {
    const auto refuse = [&](const char* reason) {
      throw base::error(ExitStatus::kOther, "cube: a {} of {} B at {:#x} of port {}: {}",
                        request.write ? "write" : "read", request.bytes, request.address, request.port,
                        reason);
    };
    if (request.port >= last_time_.size()) refuse("there is no such port");
    if (request.bytes == 0 ||
        request.address % config_.granule_bytes + request.bytes > config_.granule_bytes) {
      refuse("it is empty or crosses a granule");
    }
    if (request.address >= config_.capacity_bytes) refuse("it is outside the cube");
    if (request.time_ps < last_time_[request.port] || request.time_ps + lookahead_ps < advanced_ps) {
      refuse("its time is past");
    }
  }

  void served(const RequestQueue::Entry& entry, std::uint64_t end_clk) {
    const Request& request = entry.request;
    const std::uint64_t end_ps = end_clk * config_.timing.tck_ps;
    const bool good = !access_ || access_(request, end_ps);
    crossing_.push_back({.at_ps = end_ps + config_.response_ps,
                         .order = entry.order,
                         .tag = request.tag,
                         .submitted_ps = request.time_ps,
                         .port = request.port,
                         .bytes = request.bytes,
                         .write = request.write,
                         .error = !good});
  }

  // From the crossbar to whoever asked: at_ps becomes the time of completion.
  void leave(Served& served) {
    const std::uint32_t data = served.write ? 0 : served.bytes;
    if (attach_ == Attach::kBase) {
      served.at_ps = responses_[served.port].pass(served.at_ps, port_ps(config_, data));
      return;
    }
    const std::size_t link = served.port % config_.links;
    served.at_ps =
        up_[link].take(served.at_ps, link_ps(config_, config_.header_bytes + data)) + config_.link_ps;
    ++link_counters_[link].packets_up;
    link_counters_[link].bytes_up += config_.header_bytes + data;
  }

  const CubeConfig& config_;
  Attach attach_;
  std::deque<Vault> vaults_;
  std::vector<std::uint64_t> busy_;            // a bit each vault
  std::vector<Channel> requests_, responses_;  // of each port on the base
  std::vector<Channel> down_, up_;             // of each link
  std::vector<std::uint64_t> last_time_;       // of each port
  std::vector<LinkCounters> link_counters_;
  std::uint64_t order_ = 0;
  std::uint64_t vault_clk_ = 0;
  std::vector<Served> crossing_;
  std::vector<Served> leaving_;  // a heap, the earliest first
  LatencyCounters reads_, writes_;
};

Cube::Cube(const CubeConfig& config, unsigned ports, Attach attach)
    : config_(config),
      lookahead_ps_(config.request_ps + least_access_ps(config) + config.response_ps),
      impl_(std::make_unique<Impl>(config_, ports, attach)) {}

Cube::~Cube() = default;

void Cube::submit(const Request& request) {
  impl_->submit(request, advanced_ps_, lookahead_ps_);
  ++in_flight_;
}

void Cube::advance(std::uint64_t time_ps) {
  impl_->advance(time_ps, lookahead_ps_, ready_, in_flight_);
  advanced_ps_ = std::max(advanced_ps_, time_ps);
}

void Cube::set_access(std::function<bool(const Request&, std::uint64_t time_ps)> hook) {
  impl_->access_ = std::move(hook);
}

void Cube::add_observer(CommandObserver& observer) { impl_->observers_.push_back(&observer); }

CubeCounters Cube::counters() const { return impl_->counters(); }

std::vector<std::string> Cube::describe() const { return impl_->describe(); }

std::vector<Cube::Part> Cube::idle_read(const CubeConfig& config, std::uint32_t bytes, Attach attach) {
  const DramTiming& t = config.timing;
  std::vector<Part> parts;
  const bool links = attach == Attach::kLinks;
  if (links) {
    parts.push_back({"request packet on the link", link_ps(config, config.header_bytes)});
    parts.push_back({"SerDes and wire", config.link_ps});
  }
  parts.push_back({"crossbar to the vault", config.request_ps});
  parts.push_back({"activate the row (tRCD)", t.t_rcd * t.tck_ps});
  parts.push_back({"read to first data (CL)", t.cl * t.tck_ps});
  parts.push_back({"data on the vault's bus", config.burst_clk(bytes) * t.tck_ps});
  parts.push_back({"crossbar to the port", config.response_ps});
  if (links) {
    parts.push_back({"response packet on the link", link_ps(config, config.header_bytes + bytes)});
    parts.push_back({"SerDes and wire", config.link_ps});
  }
  return parts;
}

}  // namespace nearcube::hmc
