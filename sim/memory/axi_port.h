// SPDX-License-Identifier: Apache-2.0
// The memory's end of a cluster's AXI4 port: bursts become accesses of at most a granule, which somebody else
// times and carries out.
//
//   each core cycle:   port.take(request);             // what the master drove and outputs() shook hands on
//                      port.offer();                   // decides outputs() of the next cycle
//   now and then:      for (access : port.asked()) ... // to the memory
//                      port.perform(tag, memory);      // when the access's data move
//                      port.complete(tag, cycle, ...); // when its answer is back
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/base/axi.h"
#include "sim/base/random.h"
#include "sim/memory/flat_memory.h"
#include "sim/memory/protected_memory.h"

namespace nearcube::memory {

using base::AxiRequest;
using base::AxiResponse;
using base::kRespDecErr;
using base::kRespOkay;
using base::kRespSlvErr;

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
  /// Up to so many core cycles more latency, drawn for each transaction, and ids in no order.
  std::uint64_t jitter_core_cycles = 0;
  /// Share of cycles, 0 to below 1, in which each ready is withheld and a new beat or response not offered.
  double withhold = 0;
  std::uint64_t seed = 1;
};

/// Bytes of one granule that a burst reads or writes.
struct Access {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint64_t tag = 0;    ///< for perform() and complete()
  std::uint64_t cycle = 0;  ///< core cycle in which the address, or the last of the data, was taken
};

/// Transactions of one id answer in order; ids that are ready take turns, beat by beat, so that a short read
/// does not wait for all the long ones before it. An address outside the memory answers DECERR, data that the
/// memory cannot correct SLVERR. The master's breaches of the protocol (a burst across 4 KiB, a type other
/// than INCR or FIXED, a wrong last) throw Error (kOther): they are faults of the RTL.
class AxiPort {
 public:
  /// In front of `capacity` bytes from `base` on. Of `timing` the latencies hold for DECERR only: others are
  /// the memory's. `granule_bytes`: a power of two, 8 to 2048. Throws Error (kBadInput) for a value that
  /// cannot be.
  AxiPort(std::uint64_t base, std::uint64_t capacity, unsigned granule_bytes, const AxiTiming& timing);

  /// The outputs in the present core cycle.
  const AxiResponse& outputs() const { return out_; }

  /// Ends a core cycle in which the master drove `request` and the slave outputs(): takes what shook hands.
  /// True if any beat or address was taken.
  bool take(const AxiRequest& request);
  /// Decides the outputs of the next cycle.
  void offer();

  /// What was asked for, in order, until forgotten.
  const std::vector<Access>& asked() const { return asked_; }
  void forget_asked() { asked_.clear(); }
  /// Moves the data of an access that was asked for and is not complete. `memory`: FlatMemory or
  /// ProtectedMemory. False if the memory cannot correct some of it.
  template <typename Memory>
  bool perform(std::uint64_t tag, Memory& memory);
  /// The same of `protection`, or of `memory` if that is null.
  bool perform(std::uint64_t tag, FlatMemory& memory, ProtectedMemory* protection) {
    return protection != nullptr ? perform(tag, *protection) : perform(tag, memory);
  }
  /// It can be answered at the end of core cycle `cycle`; `error`: with SLVERR.
  void complete(std::uint64_t tag, std::uint64_t cycle, bool error);

  /// Core cycles so far.
  std::uint64_t cycles() const { return now_; }
  std::uint64_t read_beats() const { return read_beats_; }
  std::uint64_t write_beats() const { return write_beats_; }
  std::size_t reads_outstanding() const { return reads_.size(); }
  std::size_t writes_outstanding() const { return writes_.size(); }
  /// Nothing is under way, and no credit of bandwidth is still growing.
  bool idle() const;
  /// `core_cycles` pass while idle().
  void skip(std::uint64_t core_cycles) { now_ += core_cycles; }

  /// For a watchdog's report: what is under way and what it waits for, a line each.
  std::vector<std::string> describe() const;

  /// Only time keeps something back - a latency that is known or the bandwidth - so that things will move by
  /// themselves.
  bool time_helps() const;

 private:
  /// The part of a transfer that lies in one granule.
  struct Piece {
    std::uint64_t done_at = ~std::uint64_t{0};  ///< core cycle; all ones: nobody knows yet
    bool error = false;
  };
  struct Transfer {
    std::uint64_t address = 0;  ///< of the next beat
    std::uint64_t first = 0;    ///< byte address of words[0]
    std::uint64_t begin = 0;    ///< bytes that it concerns,
    std::uint64_t end = 0;      ///< and the first behind them
    std::uint64_t extra = 0;    ///< latency added for tests
    std::uint8_t id = 0, size = 0, burst = 0;
    unsigned beats_left = 0;
    bool write = false;
    bool complete = false;  ///< write: all its data came
    bool missing = false;   ///< write: some of it is for a place that does not exist
    std::vector<Piece> pieces;
    std::vector<std::uint64_t> words;
    std::vector<std::uint8_t> strobes;
  };
  struct WriteBeat {
    std::uint64_t data;
    std::uint8_t strobe;
    bool last;
  };
  /// Indices of slots_, in order of acceptance.
  using Queue = std::deque<std::size_t>;

  void accept(Queue& queue, std::uint64_t address, std::uint8_t id, std::uint8_t len, std::uint8_t size,
              std::uint8_t burst, bool write);
  void ask(std::size_t slot, std::size_t piece);
  static bool read_word(FlatMemory& memory, std::uint64_t word, std::uint64_t& data);
  static bool read_word(ProtectedMemory& memory, std::uint64_t word, std::uint64_t& data);
  static bool write_word(FlatMemory& memory, std::uint64_t word, std::uint64_t data, std::uint8_t strobe);
  static bool write_word(ProtectedMemory& memory, std::uint64_t word, std::uint64_t data,
                         std::uint8_t strobe);
  std::size_t piece_of(const Transfer& transfer, std::uint64_t address) const {
    return static_cast<std::size_t>(address / granule_ - transfer.first / granule_);
  }
  bool exists(std::uint64_t word) const { return word >= base_ && word - base_ < capacity_; }
  bool read_ready(const Transfer& transfer) const;
  bool write_ready(const Transfer& transfer) const;
  void take_write_data();
  void offer_read();
  void offer_response();
  bool withheld();
  std::uint64_t jitter();
  std::size_t pick(const Queue& queue, std::uint8_t last_id, bool (AxiPort::*ready)(const Transfer&) const);

  std::uint64_t base_, capacity_, granule_;
  AxiTiming timing_;
  base::Random random_;
  AxiResponse out_;
  std::uint64_t now_ = 0;
  std::vector<Transfer> slots_;
  std::vector<std::size_t> free_;
  Queue reads_, writes_;
  std::deque<WriteBeat> write_data_;
  std::vector<Access> asked_;
  double read_credit_ = 0;
  double write_credit_ = 0;
  std::uint64_t read_beats_ = 0;
  std::uint64_t write_beats_ = 0;
};

/// Carries out an access of a memory without timing: at once, with the fixed latencies of `timing`.
void answer(AxiPort& port, const Access& access, FlatMemory& memory, ProtectedMemory* protection,
            const AxiTiming& timing);

}  // namespace nearcube::memory
