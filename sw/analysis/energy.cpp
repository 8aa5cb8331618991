// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/energy.h"

#include "sim/base/strict_yaml.h"
#include "sim/base/units.h"

namespace nearcube::analysis {

EnergyConstants read_energy_constants(const std::string& path) {
  using base::YamlSection;
  EnergyConstants constants;
  constants.file = path;
  YamlSection top = YamlSection::load(path);
  top.choice("schema", {"nearcube-energy-1"});

  const auto watt = [](YamlSection& section, const char* key) {
    const auto power = section.quantity(key, {"W", "mW"}, 0);
    return power.unit == "mW" ? power.value / 1e3 : power.value;
  };
  YamlSection cluster = top.section("cluster");
  constants.cluster_watt = watt(cluster, "power");
  const auto clock = cluster.quantity("clock", {"GHz", "MHz"}, 0.001);
  constants.reference_hz = clock.value * (clock.unit == "GHz" ? 1e9 : 1e6);
  constants.idle_share = cluster.number("idle_share", 0, 1);
  cluster.finish();

  YamlSection cube = top.section("cube");
  constants.dram_pj_per_bit = cube.quantity("dram", {"pJ/bit"}, 0).value;
  constants.logic_pj_per_bit = cube.quantity("logic", {"pJ/bit"}, 0).value;
  constants.static_watt = watt(cube, "static");
  cube.finish();

  top.finish();
  return constants;
}

Energy estimate(const EnergyConstants& constants, const Work& work) {
  const double power = constants.cluster_watt * work.ntx_hz / constants.reference_hz *
                       (constants.idle_share + (1 - constants.idle_share) * work.activity);
  const double bits = 8 * work.memory_bytes;
  return {.clusters = work.clusters * power * work.seconds,
          .dram = bits * constants.dram_pj_per_bit * 1e-12,
          .logic = bits * constants.logic_pj_per_bit * 1e-12,
          .standby = constants.static_watt * work.seconds};
}

double gflop_per_joule(const Energy& energy, const Work& work) {
  return energy.total() > 0 ? work.macs * base::kFlopPerMac / energy.total() / 1e9 : 0;
}

}  // namespace nearcube::analysis
