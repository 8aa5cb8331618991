// SPDX-License-Identifier: Apache-2.0
// What a cube is made of, from a file in config/cube.
#pragma once

#include <cstdint>
#include <string>

namespace nearcube::hmc {

/// Timing of a vault's DRAM in clocks of `tck_ps`. Names and meanings are JEDEC's (JESD79-4); a burst is the
/// clocks that its data takes on the vault's bus.
struct DramTiming {
  std::uint64_t tck_ps = 800;
  std::uint32_t cl = 0;      ///< RD to its first data
  std::uint32_t cwl = 0;     ///< WR to its first data
  std::uint32_t t_rcd = 0;   ///< ACT to RD or WR, same bank
  std::uint32_t t_rp = 0;    ///< PRE to ACT, same bank; to REF
  std::uint32_t t_ras = 0;   ///< ACT to PRE, same bank
  std::uint32_t t_ccd = 0;   ///< RD to RD, WR to WR; the burst if that is longer
  std::uint32_t t_rrd = 0;   ///< ACT to ACT, other banks
  std::uint32_t t_faw = 0;   ///< window with at most four ACT
  std::uint32_t t_wtr = 0;   ///< last data of a WR to RD
  std::uint32_t t_wr = 0;    ///< last data of a WR to PRE, same bank
  std::uint32_t t_rtp = 0;   ///< RD and a burst to PRE, same bank
  std::uint32_t t_rfc = 0;   ///< REF to ACT
  std::uint32_t t_refi = 0;  ///< between refreshes of a vault, on average

  std::uint32_t t_rc() const { return t_ras + t_rp; }  ///< ACT to ACT, same bank
};

struct CubeConfig {
  std::string file;  ///< where it was read from
  std::uint32_t vaults = 0;
  std::uint32_t banks = 0;  ///< of a vault
  std::uint64_t capacity_bytes = 0;
  std::uint32_t row_bytes = 0;
  std::uint32_t granule_bytes = 0;   ///< addresses go round the vaults in steps of it; the largest request
  std::uint32_t smallest_bytes = 0;  ///< what the DRAM moves for less
  DramTiming timing;
  double bus_bytes_per_clk = 0;  ///< of a vault, both directions together

  // Controller of a vault.
  std::uint32_t read_queue = 0, write_queue = 0;  ///< requests
  std::uint32_t write_high = 0, write_low = 0;    ///< writes that begin and end a drain
  std::uint32_t write_age_clk = 0;                ///< a write that waited so long begins one
  std::uint32_t row_hits = 0;                     ///< at most so many requests for one activation

  // Crossbar on the logic base.
  std::uint64_t request_ps = 0, response_ps = 0;  ///< port to vault and back
  std::uint32_t port_bytes_per_clk = 0;           ///< of a port, each way

  // Serial links.
  std::uint32_t links = 0, lanes = 0;
  double lane_gbps = 0;            ///< Gb/s of a lane, each way
  std::uint32_t header_bytes = 0;  ///< header and tail of a packet
  std::uint64_t link_ps = 0;       ///< SerDes and wire, each way

  /// Clocks that `bytes` take on a vault's bus: whole, and of at least smallest_bytes.
  std::uint32_t burst_clk(std::uint32_t bytes) const;
  /// GB/s of all links together, each way, headers included.
  double links_gb_per_s() const { return links * lanes * lane_gbps / 8; }
  /// GB/s of all vaults' buses.
  double buses_gb_per_s() const {
    return vaults * bus_bytes_per_clk * 1e3 / static_cast<double>(timing.tck_ps);
  }
  /// Share of time that refresh leaves: 1 - tRFC / tREFI.
  double refresh_factor() const { return 1 - static_cast<double>(timing.t_rfc) / timing.t_refi; }
};

/// Where a byte of the cube lies. From the lowest bits up: byte in the granule, vault, bank, granule in the
/// row, row.
struct Location {
  std::uint32_t vault = 0, bank = 0, row = 0;
  std::uint32_t column = 0;  ///< byte in the row
};
Location locate(const CubeConfig& config, std::uint64_t address);
/// The other way round.
std::uint64_t address_of(const CubeConfig& config, const Location& location);

/// Reads a cube's file; throws Error (kBadInput) with file, line, key and reason.
CubeConfig read_cube_config(const std::string& path);

/// With requests of up to `bytes`, as --granule: addresses go round in these steps. Throws Error (kBadInput)
/// unless it is a power of two from 32 to the size of a row.
CubeConfig with_granule(CubeConfig config, std::uint64_t bytes);

}  // namespace nearcube::hmc
