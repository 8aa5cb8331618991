// SPDX-License-Identifier: Apache-2.0
// What a run takes in energy: published powers and energies times what it counted.
#pragma once

#include <cstdint>
#include <string>

namespace nearcube::analysis {

/// Constants, from a file in config/energy.
struct EnergyConstants {
  std::string file;
  double cluster_watt = 0;  ///< of one cluster at full activity and reference_hz
  double reference_hz = 0;
  double idle_share = 0;       ///< of cluster_watt at no activity
  double dram_pj_per_bit = 0;  ///< of each bit read or written
  double logic_pj_per_bit = 0;
  double static_watt = 0;  ///< of the cube
};

/// Throws Error (kBadInput) with file, line, key and reason.
EnergyConstants read_energy_constants(const std::string& path);

/// What a run counted.
struct Work {
  double seconds = 0;  ///< simulated
  double ntx_hz = 0;
  double clusters = 0;
  double activity = 0;  ///< MACs per NTX and cycle, 0 to 1, over all clusters
  double macs = 0;
  double memory_bytes = 0;  ///< read from the cube's memory and written to it
};

/// In joule. Clusters: K P (f / f0) (idle + (1 - idle) activity) T; the evaluation's power model at one
/// voltage.
struct Energy {
  double clusters = 0, dram = 0, logic = 0, standby = 0;
  double total() const { return clusters + dram + logic + standby; }
};
Energy estimate(const EnergyConstants& constants, const Work& work);

/// Gflop/s a watt, which is Gflop a joule; a multiply-accumulate is two flop.
double gflop_per_joule(const Energy& energy, const Work& work);

}  // namespace nearcube::analysis
