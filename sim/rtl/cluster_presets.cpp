// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/base/error.h"
#include "sim/rtl/cluster.h"
#include "sim/rtl/cluster_model.h"
#include "sim/rtl/cluster_parameters.h"
#include "sim/rtl/cluster_preset_table.h"

namespace nearcube::rtl {

std::vector<ClusterParameter> listed(const ClusterParameters& p) {
  return {
      {"ntx", fmt::format("{}", p.ntx)},
      {"tcdm_bytes", fmt::format("{}", p.tcdm_bytes)},
      {"tcdm_banks", fmt::format("{}", p.tcdm_banks)},
      {"multicast", p.multicast ? "true" : "false"},
      {"operand_fifo_depth", fmt::format("{}", p.operand_fifo_depth)},
      {"core_clock_ratio", fmt::format("{}", p.core_clock_ratio)},
      {"accumulator_lsb", fmt::format("{}", p.accumulator_lsb)},
      {"accumulator_segments", fmt::format("{}", p.accumulator_segments)},
  };
}

const std::vector<ClusterPreset>& cluster_presets() {
  static const std::vector<ClusterPreset> presets = [] {
    std::vector<ClusterPreset> list;
    for (const PresetModels& entry : kPresetModels) {
      list.push_back({entry.name, entry.parameters, entry.traced != nullptr});
    }
    return list;
  }();
  return presets;
}

namespace {

/// "tcdm_banks: 16 instead of 64, multicast: false instead of true"
std::string difference(const ClusterParameters& wanted, const ClusterParameters& built) {
  const auto want = listed(wanted);
  const auto have = listed(built);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i].value != have[i].value)
      texts.push_back(fmt::format("{}: {} instead of {}", want[i].key, want[i].value, have[i].value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The table's entry for these options.
const PresetModels& find(const ClusterOptions& options) {
  for (const PresetModels& entry : kPresetModels) {
    if (entry.parameters != options.parameters) continue;
    if (!options.traceable || entry.traced != nullptr) return entry;
    std::vector<std::string> names;
    for (const ClusterPreset& preset : cluster_presets()) {
      if (preset.traceable) names.push_back(preset.name);
    }
    bad_input(
        "waveforms: the RTL model of preset {} was built without them; there are some of: {}. TRACE after "
        "the "
        "preset's name in sim/rtl/CMakeLists.txt adds one",
        entry.name, fmt::join(names, ", "));
  }
  std::vector<std::string> texts;
  for (const ClusterPreset& preset : cluster_presets()) {
    texts.push_back(fmt::format("{} ({})", preset.name, difference(options.parameters, preset.parameters)));
  }
  bad_input(
      "no RTL model was built for these parameters. There are models of the presets {}. A file in "
      "config/cluster that sim/rtl/CMakeLists.txt names becomes another",
      fmt::join(texts, " and "));
}

}  // namespace

void check_model(const ClusterOptions& options) { find(options); }

std::unique_ptr<ClusterModel> make_cluster(const ClusterOptions& options) {
  const PresetModels& models = find(options);
  return options.traceable ? models.traced(options) : models.plain(options);
}

}  // namespace nearcube::rtl
