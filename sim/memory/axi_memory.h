// SPDX-License-Identifier: Apache-2.0
// An AXI4 slave with latency and bandwidth in front of a FlatMemory.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/base/axi.h"
#include "sim/base/random.h"
#include "sim/memory/flat_memory.h"

namespace nearcube::memory {

using base::AxiRequest;
using base::AxiResponse;
using base::kRespDecErr;
using base::kRespOkay;

/// In core clock cycles and bytes per core clock cycle.
struct AxiTiming {
  /// From the handshake of a read's address to the first cycle its first data can be taken; at least 1.
  std::uint64_t read_latency_core_cycles = 25;
  /// From a write's last data to the first cycle its response can be taken; at least 1.
  std::uint64_t write_latency_core_cycles = 25;
  /// Data bandwidth each way, above 0 and at most 8, the width of the bus.
  double read_bytes_per_core_cycle = 8;
  double write_bytes_per_core_cycle = 8;
  /// Reads, and as many writes, that may be under way.
  unsigned outstanding = 32;

  // For tests, what a slave may do but this one otherwise does not:
  /// Up to so many core cycles more latency, drawn for each transaction; ids overtake each other and their
  /// beats mix.
  std::uint64_t jitter_core_cycles = 0;
  /// Share of cycles, 0 to below 1, in which each ready is withheld and a new beat or response not offered.
  double withhold = 0;
  std::uint64_t seed = 1;
};

/// Transactions of one id answer in order; of different ids in order of readiness. An address outside the
/// memory answers DECERR. The master's breaches of the protocol (a burst across 4 KiB, a type other than INCR
/// or FIXED, a wrong last) throw Error (kOther): they are faults of the RTL.
class AxiMemory {
 public:
  AxiMemory(FlatMemory& memory, const AxiTiming& timing);

  /// The outputs in the present core cycle.
  const AxiResponse& outputs() const { return out_; }

  /// Ends a core cycle in which the master drove `request` and the slave outputs(): takes what shook hands
  /// and decides the outputs of the next cycle. True if any beat or address was taken.
  bool tick(const AxiRequest& request);

  std::uint64_t read_beats() const { return read_beats_; }
  std::uint64_t write_beats() const { return write_beats_; }
  std::size_t reads_outstanding() const { return reads_.size(); }
  std::size_t writes_outstanding() const { return writes_.size(); }

  /// For a watchdog's report: what is under way and what it waits for, a line each.
  std::vector<std::string> describe() const;

  /// Only time keeps something back - a latency or the bandwidth - so that things will move by themselves.
  bool time_helps() const;

 private:
  struct Transfer {
    std::uint64_t address = 0;
    std::uint64_t ready_at = 0;  // core cycle of the first data (read) or of the response (write)
    std::uint8_t id = 0, size = 0, burst = 0;
    unsigned beats_left = 0;
    bool error = false;
    bool begun = false;
    bool complete = false;  // write: all its data came
  };
  struct WriteBeat {
    std::uint64_t data;
    std::uint8_t strobe;
    bool last;
  };

  Transfer accept(std::uint64_t address, std::uint8_t id, std::uint8_t len, std::uint8_t size,
                  std::uint8_t burst, const char* channel) const;
  void take_write_data();
  void offer_read();
  void offer_response();
  bool withheld();
  std::uint64_t latency(std::uint64_t base);
  std::size_t pick(const std::deque<Transfer>& transfers, bool keep_begun);

  FlatMemory& memory_;
  AxiTiming timing_;
  base::Random random_;
  AxiResponse out_;
  std::uint64_t now_ = 0;
  std::deque<Transfer> reads_;
  std::deque<Transfer> writes_;
  std::deque<WriteBeat> write_data_;
  double read_credit_ = 0;
  double write_credit_ = 0;
  std::uint64_t read_beats_ = 0;
  std::uint64_t write_beats_ = 0;
};

}  // namespace nearcube::memory
