// SPDX-License-Identifier: Apache-2.0
// Block `control` of a cluster's registers: identity, time, events, barrier, end of computation, character
// output.
#pragma once

#include <cstdint>
#include <optional>

namespace nearcube::fast {

/// Identity, as the registers tell it.
struct Identity {
  std::uint32_t cluster_id = 0, cluster_count = 1, ntx_count = 8, clock_ratio = 2, tcdm_bytes = 65536,
                tcdm_banks = 64;
};

/// What comes from outside the block in a core cycle.
struct ControlInputs {
  std::uint32_t ntx_irq = 0;  ///< the line of NTX n in bit n
  bool dma_done = false, dma_error = false;
  bool barrier_release = false;
};

class Control {
 public:
  explicit Control(const Identity& identity) : identity_(identity) {}

  /// A register by byte offset; nothing: a bus error. `now`: NTX clock cycles since reset.
  std::optional<std::uint32_t> read(std::uint32_t offset, std::uint64_t now);
  /// False: a bus error.
  bool write(std::uint32_t offset, std::uint32_t value);

  /// The end of a core cycle, after its register access.
  void tick(const ControlInputs& inputs);

  // Outputs in the present core cycle.
  bool irq_external() const { return (status() & mask_) != 0; }
  bool irq_timer() const { return timer_expired_; }
  bool barrier_arrives() const { return arrives_; }
  bool barrier_waits() const { return waits_; }
  std::optional<std::uint32_t> exit_code() const { return exit_code_; }
  std::optional<char> character() const { return shown_; }
  std::uint8_t phase() const { return phase_; }
  bool counters_run() const { return !freeze_ && !exit_code_; }
  /// The last access zeroed the counters; asked once.
  bool take_clear();

  std::uint64_t& mtime() { return mtime_; }
  std::uint64_t mtime() const { return mtime_; }

 private:
  std::uint32_t status() const { return sticky_ | ntx_irq_; }

  Identity identity_;
  std::uint64_t mtime_ = 0, mtimecmp_ = ~std::uint64_t{0};
  std::uint32_t cycle_hi_ = 0, mtime_hi_ = 0;
  bool timer_expired_ = false;
  std::uint32_t mask_ = 0, sticky_ = 0, cleared_ = 0, ntx_irq_ = 0;
  bool waits_ = false, arrives_ = false, arriving_ = false;
  std::optional<std::uint32_t> exit_code_;
  std::optional<char> character_, shown_;
  std::uint8_t phase_ = 0;
  bool freeze_ = false, clear_ = false;
};

}  // namespace nearcube::fast
