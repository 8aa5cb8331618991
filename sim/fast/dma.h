// SPDX-License-Identifier: Apache-2.0
// The DMA engine: strided copies and fills between scratchpad and memory, at the pace of an eight-byte bus.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/axi.h"

namespace nearcube::fast {

/// A transfer as the shape registers describe it.
struct DmaShape {
  std::uint64_t src = 0, dst = 0;
  std::uint32_t bytes = 0;
  std::int32_t src_stride1 = 0, dst_stride1 = 0;
  std::uint32_t count1 = 1;
  std::int32_t src_stride2 = 0, dst_stride2 = 0;
  std::uint32_t count2 = 1;
  std::uint32_t pattern = 0;
  bool fill = false;  ///< write the pattern instead of copying
};

/// Addresses of one end of a transfer, piece by piece.
class DmaRows {
 public:
  DmaRows() = default;
  DmaRows(std::uint64_t first, std::int32_t stride1, std::int32_t stride2, const DmaShape& shape);

  bool done() const { return planes_left_ == 0; }
  std::uint64_t address() const { return row_ + at_; }
  /// Bytes to the end of the row, but not across a multiple of `block`.
  std::uint32_t piece(std::uint32_t block) const;
  void advance(std::uint32_t bytes);

 private:
  std::uint64_t plane_ = 0, row_ = 0;
  std::int64_t stride1_ = 0, stride2_ = 0;
  std::uint32_t at_ = 0, bytes_ = 0, rows_ = 0, rows_left_ = 0, planes_left_ = 0;
};

/// Transfers with the same kind of source read in the order of their starts, those with the same kind of
/// destination write and complete in it; kinds proceed beside each other.
class Dma {
 public:
  explicit Dma(std::span<std::uint8_t> tcdm) : tcdm_(tcdm) {}

  /// Registers by byte offset; nothing, or false: a bus error.
  std::optional<std::uint32_t> read(std::uint32_t offset) const;
  bool write(std::uint32_t offset, std::uint32_t value);
  /// The write may be taken: it is no start, or there is room for one.
  bool grants(std::uint32_t offset, bool write) const;

  // The AXI master. A burst that is offered stays until it is taken.
  struct Burst {
    std::uint64_t address = 0;
    std::uint8_t beats = 0;
  };
  /// The address of a read burst that is wanted.
  const std::optional<Burst>& wanted_read() const { return wanted_read_; }
  void read_taken();
  void read_beat(std::uint64_t data, bool error, bool last);
  /// The address of a write burst that is wanted, and its data in order, all there.
  const std::optional<Burst>& wanted_write() const { return wanted_write_; }
  void write_taken() { wanted_write_.reset(); }
  struct Beat {
    std::uint64_t data = 0;
    std::uint8_t strobe = 0;
    bool last = false;
  };
  const Beat* wanted_beat() const { return beats_.empty() ? nullptr : &beats_.front(); }
  void beat_taken();
  void write_response(bool error);

  /// The end of a core cycle, after its handshakes and register access.
  void tick();

  // What happened in the last tick().
  bool done() const { return done_; }
  bool failed() const { return error_; }
  bool completed_to_memory() const { return completed_[0]; }
  bool completed_to_tcdm() const { return completed_[1]; }
  unsigned outstanding() const { return static_cast<unsigned>(transfers_.size()); }
  bool waits_for_read() const { return !reads_.empty(); }
  bool waits_for_response() const { return !responses_.empty(); }
  std::uint32_t read_bytes = 0, write_bytes = 0;  ///< over AXI, as the counters count them

 private:
  struct Transfer {
    DmaShape shape;
    std::uint32_t id = 0;
    bool src_tcdm = false, dst_tcdm = false;
    bool failed = false;
    DmaRows in, out;
    std::deque<std::uint8_t> data;   ///< read and not yet written
    std::uint32_t asked = 0;         ///< bytes of read bursts under way
    unsigned reads = 0, writes = 0;  ///< bursts under way
  };
  using Handle = std::shared_ptr<Transfer>;
  struct ReadBurst {
    Handle transfer;
    std::uint64_t address;
    std::uint32_t left;  ///< bytes
    std::uint64_t first_bad = 0;
  };
  struct WriteBurst {
    Handle transfer;
    std::uint64_t address;
  };

  void start(bool fill);
  bool in_tcdm(std::uint64_t address) const;
  void fail(Transfer& transfer, std::uint32_t cause, std::uint64_t address);
  std::uint8_t take_byte(Transfer& transfer, std::uint64_t address);
  std::uint32_t ready(const Transfer& transfer, std::uint32_t wanted) const;
  void want_read();
  void read_tcdm();
  void want_write();
  void write_tcdm();
  void complete();

  std::span<std::uint8_t> tcdm_;
  DmaShape shape_;
  std::uint32_t started_ = 0;
  std::deque<Handle> transfers_;  ///< outstanding, in the order of their starts
  std::deque<ReadBurst> reads_;
  std::deque<WriteBurst> responses_;
  std::optional<Burst> wanted_read_, wanted_write_;
  std::deque<Beat> beats_;
  bool empty_done_ = false, done_ = false, error_ = false;
  std::array<bool, 2> completed_{};  ///< a transfer to memory, to the scratchpad
  struct Fault {
    std::uint32_t id, cause;
    std::uint64_t address;
  };
  std::optional<Fault> fault_;
};

}  // namespace nearcube::fast
