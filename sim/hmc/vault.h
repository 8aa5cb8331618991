// SPDX-License-Identifier: Apache-2.0
// A vault: its controller with a queue of reads and one of writes, and the DRAM's banks.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "sim/hmc/cube.h"
#include "sim/hmc/vault_timing.h"

namespace nearcube::hmc {

/// Requests that wait for their command: a list in the order of acceptance for each bank.
class RequestQueue {
 public:
  static constexpr std::int8_t kNone = -1;
  struct Entry {
    Request request;
    std::uint32_t row = 0, column = 0;
    std::uint8_t bank = 0;
    std::uint64_t granule = 0;                        ///< address without the byte in the granule
    std::uint64_t id = 0;                             ///< order of acceptance by the vault
    std::uint64_t arrival_clk = 0, accepted_clk = 0;  ///< by the vault; into the queue
    std::uint64_t order = 0;                          ///< of submission to the cube
    std::int8_t next = kNone;                         ///< in its bank's list
    std::int8_t blocked_by = kNone;  ///< entry of the other queue to the same granule, which goes first
    bool blocks = false;             ///< some entry of the other queue waits for this one
  };

  RequestQueue(std::uint32_t capacity, std::uint32_t banks);

  bool full() const { return free_.empty(); }
  std::uint32_t size() const { return size_; }
  /// Those that do not wait for the other queue.
  std::uint32_t ready() const { return size_ - blocked_; }
  std::uint32_t banks_in_use() const { return in_use_; }  ///< a bit a bank
  std::int8_t first(std::uint32_t bank) const { return first_[bank]; }
  const Entry& operator[](std::int8_t index) const { return entries_[static_cast<std::size_t>(index)]; }

  /// The last accepted entry to `granule`; kNone if there is none.
  std::int8_t last_to(std::uint32_t bank, std::uint64_t granule) const;
  /// The first accepted; null if empty. It may be blocked.
  const Entry* oldest() const;

  void push(const Entry& entry);
  void remove(std::int8_t index);
  void mark_blocking(std::int8_t index) { entries_[static_cast<std::size_t>(index)].blocks = true; }
  /// Entry `index` of the other queue is served: what waited for it may go.
  void unblock(std::int8_t index);

 private:
  std::vector<Entry> entries_;
  std::vector<std::int8_t> free_;
  std::vector<std::int8_t> first_, last_;  // of each bank
  std::uint32_t in_use_ = 0;
  std::uint32_t size_ = 0, blocked_ = 0;
};

/// First ready, first come, first served; closed page. Among the commands that may come first, a read or
/// write of an open row goes before an activation, then the older request; a row closes with its last
/// waiting request, or after CubeConfig::row_hits. Reads go before writes, but for a drain: from write_high
/// writes, or a write write_age_clk old, down to write_low; or while there is no read to serve.
class Vault {
 public:
  /// A request whose data moves, ended by `end_clk`.
  using Serve = std::function<void(const RequestQueue::Entry& entry, std::uint64_t end_clk)>;

  Vault(const CubeConfig& config, std::uint32_t index, Serve serve);

  /// A request reaches the vault at `clk`; `order`: of submission.
  void arrive(const Request& request, const Location& location, std::uint64_t clk, std::uint64_t order);
  /// Every command before `clk`.
  void advance(std::uint64_t clk, const std::vector<CommandObserver*>& observers);

  bool idle() const { return waiting_.empty() && reads_.size() == 0 && writes_.size() == 0; }
  VaultCounters counters(std::uint64_t clk) const;
  std::string describe() const;

 private:
  struct Arrival {
    std::uint64_t clk, order;
    Request request;
    Location location;
  };
  /// An open bank.
  struct Bank {
    bool of_write = false;                   ///< activated for an entry of the write queue
    std::uint32_t hits = 0;                  ///< requests served since the activation
    std::int8_t next = RequestQueue::kNone;  ///< the entry that is served next from the open row
  };
  struct Choice {
    std::uint64_t clk = ~std::uint64_t{0};
    std::uint64_t id = 0;
    bool column = false;
    bool write = false;  ///< which queue
    std::int8_t entry = RequestQueue::kNone;
  };

  RequestQueue& queue(bool write) { return write ? writes_ : reads_; }
  void accept();
  void choose_direction();
  Choice choose() const;
  static std::int8_t next_hit(const RequestQueue& own, std::int8_t after);
  void issue(const Choice& choice);
  void refresh(std::uint64_t clk);
  void idle_refreshes(std::uint64_t until);
  void tell(CommandKind kind, std::uint64_t clk, const RequestQueue::Entry* entry);

  const CubeConfig& config_;
  std::uint32_t index_;
  Serve serve_;
  const std::vector<CommandObserver*>* observers_ = nullptr;
  VaultTiming timing_;
  std::vector<std::uint32_t> burst_clk_;  ///< by bytes
  std::vector<Bank> banks_;
  std::uint32_t open_ = 0;  ///< banks, a bit each
  std::deque<Arrival> waiting_;
  RequestQueue reads_, writes_;
  std::uint64_t now_ = 0;  ///< no command before it
  /// Nothing happens before it, unless a request arrives: what advance() found out the last time.
  std::uint64_t wake_ = 0;
  std::uint64_t next_id_ = 0;
  bool writing_ = false, draining_ = false;
  std::uint64_t next_aged_clk_ = 0;  ///< no write has waited for write_age before
  std::uint64_t refresh_due_;
  VaultCounters counters_;
};

}  // namespace nearcube::hmc
