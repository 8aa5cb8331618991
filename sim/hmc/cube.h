// SPDX-License-Identifier: Apache-2.0
// A cube's memory in time: ports on the logic base or on serial links, a crossbar, vaults. When, not what:
// the bytes are with the owner of the access hook.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/hmc/cube_config.h"
#include "sim/hmc/latency.h"

namespace nearcube::hmc {

/// What a port asks for: at most one access granule, and not across two; the port splits bursts.
struct Request {
  std::uint64_t address = 0;  ///< byte in the cube, from 0
  std::uint32_t bytes = 0;    ///< at least 1
  bool write = false;
  std::uint32_t port = 0;
  std::uint64_t tag = 0;      ///< the port's own; comes back
  std::uint64_t time_ps = 0;  ///< when the port has it ready
};

/// Read data has arrived at the port as a whole; or the DRAM has taken a write, and the port knows.
struct Completion {
  std::uint64_t time_ps = 0;
  std::uint32_t port = 0;
  std::uint64_t tag = 0;
  bool write = false;
  bool error = false;  ///< what the access hook said: uncorrectable
};

enum class CommandKind : std::uint8_t { kActivate, kRead, kReadAp, kWrite, kWriteAp, kPrecharge, kRefresh };
/// "ACT", "RD", "RDA" and so on.
const char* name_of(CommandKind kind);

/// A DRAM command as a vault issues it. A refresh is of all banks of the vault: bank and what follows are 0.
struct DramCommand {
  std::uint64_t clk = 0;  ///< in clocks of tCK since reset
  std::uint32_t vault = 0, bank = 0;
  CommandKind kind = CommandKind::kActivate;
  std::uint32_t row = 0, column = 0;  ///< column: byte in the row
  std::uint32_t bytes = 0;            ///< of a read or write, as requested
  std::uint64_t address = 0;
  std::uint64_t id = 0;  ///< of a read or write: the order of acceptance of requests by the vault
};

class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void command(const DramCommand& command) = 0;
};

struct BankCounters {
  std::uint64_t activates = 0, reads = 0, writes = 0, row_hits = 0;
  std::uint64_t precharges = 0;  ///< all of them by auto-precharge
  std::uint64_t bytes = 0;       ///< as requested, both ways
};

struct VaultCounters {
  std::uint64_t reads = 0, writes = 0;            ///< requests served
  std::uint64_t read_bytes = 0, write_bytes = 0;  ///< as requested
  std::uint64_t bus_clk = 0;                      ///< clocks in which the bus carries data
  std::uint64_t refreshes = 0;
  std::uint64_t occupancy = 0;                  ///< requests in the vault, summed over the clocks
  LatencyCounters read_latency, write_latency;  ///< from arrival at the vault to the end of the data
  std::vector<BankCounters> banks;
};

struct LinkCounters {
  std::uint64_t packets_down = 0, packets_up = 0;  ///< to the cube, from it
  std::uint64_t bytes_down = 0, bytes_up = 0;      ///< headers included
};

struct CubeCounters {
  std::vector<VaultCounters> vaults;
  std::vector<LinkCounters> links;  ///< empty without ports on links
  LatencyCounters reads, writes;    ///< from Request::time_ps to Completion::time_ps

  std::uint64_t requests() const { return reads.count + writes.count; }
};

/// Where a port sits.
enum class Attach : std::uint8_t {
  kBase,   ///< on the logic base
  kLinks,  ///< beyond the serial links, port p on link p modulo their number
};

/// Times in picoseconds since reset. Requests to one granule are served in the order in which the vault gets
/// them, none merged and none lost; those of one port, and of several by time and then port. The same
/// requests give the same completions however the calls of advance() cut the time.
class Cube {
 public:
  Cube(const CubeConfig& config, unsigned ports, Attach attach = Attach::kBase);
  ~Cube();
  Cube(const Cube&) = delete;
  Cube& operator=(const Cube&) = delete;

  const CubeConfig& config() const { return config_; }

  /// Per port, times do not decrease; none is earlier than the last advance() less lookahead_ps(). Throws
  /// Error (kOther) for a breach: across granules, outside the cube, an unknown port, or too early.
  void submit(const Request& request);

  /// Afterwards completions() has every completion earlier than `time_ps`.
  void advance(std::uint64_t time_ps);

  /// In the order of time, port, and submission.
  std::span<const Completion> completions() const { return ready_; }
  void clear_completions() { ready_.clear(); }

  /// No request completes sooner than this after its time: the window of a simulation that submits what
  /// happened in a window after it. The crossbar both ways and the shortest access to an open row.
  std::uint64_t lookahead_ps() const { return lookahead_ps_; }

  /// Called when a request's data moves, in the order of each vault's commands; false: the data is beyond
  /// correction, and the completion says so.
  void set_access(std::function<bool(const Request&, std::uint64_t time_ps)> hook);
  /// Sees every command of every vault; in the order of time within a vault.
  void add_observer(CommandObserver& observer);

  /// Nothing is under way.
  bool idle() const { return in_flight_ == 0; }
  std::uint64_t in_flight() const { return in_flight_; }
  /// Refreshes are counted up to the last advance().
  CubeCounters counters() const;
  /// For a watchdog's report: each vault with requests, a line.
  std::vector<std::string> describe() const;

  /// The parts of the latency of a read of `bytes` in an idle cube, in order, as a name and picoseconds.
  struct Part {
    std::string name;
    std::uint64_t ps = 0;
  };
  static std::vector<Part> idle_read(const CubeConfig& config, std::uint32_t bytes, Attach attach);

 private:
  struct Served;
  class Impl;

  CubeConfig config_;
  std::uint64_t lookahead_ps_;
  std::vector<Completion> ready_;
  std::uint64_t in_flight_ = 0;
  std::uint64_t advanced_ps_ = 0;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nearcube::hmc
