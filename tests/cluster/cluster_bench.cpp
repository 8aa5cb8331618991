// SPDX-License-Identifier: Apache-2.0
// Simulated kHz of the busy cluster, and the share of peak that eight NTX reach: each computes one output
// channel of a 3x3 convolution of 8 channels to 16x16 outputs, from one shared input, without core or DMA
// traffic.
//   cluster_bench [--preset NAME] [--json FILE]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cluster/machine.h"
#include "tests/golden/ntx_golden.h"

using nearcube::test::Machine;
namespace map = nearcube::interfaces;
namespace golden = nearcube::golden;

int main(int argc, char* argv[]) {
  std::string preset_name = "default", json;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--preset") preset_name = argv[i + 1];
    if (std::string(argv[i]) == "--json") json = argv[i + 1];
  }
  const auto& presets = nearcube::rtl::cluster_presets();
  const auto preset = std::find_if(presets.begin(), presets.end(),
                                   [&](const auto& entry) { return entry.name == preset_name; });
  if (argc % 2 == 0 || preset == presets.end()) {
    std::fprintf(stderr, "usage: cluster_bench [--preset NAME] [--json FILE]\n");
    return 2;
  }
  constexpr std::uint32_t kTcdm = static_cast<std::uint32_t>(map::kTcdmBase);
  constexpr int kPitch = 18, kSide = 16, kKernel = 3, kChannels = 8;
  constexpr std::uint32_t kWeights = kChannels * kPitch * kPitch * 4;
  constexpr std::uint32_t kWeightBytes = kChannels * kKernel * kKernel * 4;
  constexpr std::uint32_t kOutputs = kWeights + 8 * (kWeightBytes + 4);

  Machine machine({}, 1, preset->parameters);
  for (std::uint32_t i = 0; i < 4096; ++i) {
    machine.memory.write_as(map::kCubeBase + 4 * i, 1.0f + static_cast<float>(i % 97));
  }
  machine.copy(map::kCubeBase, kTcdm, 16384);

  golden::Command command;
  const int trips[5] = {kKernel, kKernel, kChannels, kSide, kSide};
  const int input[5] = {4, 4 * kPitch, 4 * kPitch * kPitch, 4, 4 * kPitch};
  const int weights[5] = {4, 4 * kKernel, 4 * kKernel * kKernel, 0, 0};
  const int output[5] = {0, 0, 0, 4, 4 * kSide};
  int done[3] = {0, 0, 0};  // what the loops inside have moved an AGU
  for (unsigned i = 0; i < 5; ++i) {
    command.loops[i] = static_cast<std::uint32_t>(trips[i] - 1);
    const int plain[3] = {input[i], weights[i], output[i]};
    for (unsigned a = 0; a < 3; ++a) {
      command.stride[a][i] = plain[a] - done[a];
      done[a] += (trips[i] - 1) * plain[a];
    }
  }
  golden::CommandFields fields;
  fields.opcode = golden::kMac;
  fields.init_level = fields.store_level = 3;
  fields.outer_level = 5;
  fields.init_source = golden::kSourceZero;
  command.cmd = golden::encode(fields);

  const auto set = [&](std::uint64_t base, unsigned agu, std::uint32_t value) {
    const std::uint32_t offsets[] = {map::ntx::kAgu0BaseOffset, map::ntx::kAgu1BaseOffset,
                                     map::ntx::kAgu2BaseOffset};
    machine.write(base + offsets[agu], value);
  };
  const std::uint64_t all = map::kNtxBroadcastBase;
  for (unsigned i = 0; i < 5; ++i) {
    machine.write(all + map::ntx::kLoopOffset + 4 * i, command.loops[i]);
    const std::uint32_t offsets[] = {map::ntx::kAgu0StrideOffset, map::ntx::kAgu1StrideOffset,
                                     map::ntx::kAgu2StrideOffset};
    for (unsigned a = 0; a < 3; ++a) {
      machine.write(all + offsets[a] + 4 * i, static_cast<std::uint32_t>(command.stride[a][i]));
    }
  }
  set(all, 0, kTcdm);
  for (unsigned n = 0; n < 8; ++n) {
    set(Machine::ntx(n, 0), 1, kTcdm + kWeights + n * (kWeightBytes + 4));
    set(Machine::ntx(n, 0), 2, kTcdm + kOutputs + n * 4 * (kSide * kSide + 1));
  }

  double best = 0;
  double best_wall = 0;
  std::uint64_t cycles = 0;
  for (int round = 0; round < 5; ++round) {
    machine.write(all + map::ntx::kCmdOffset, command.cmd);
    const std::uint64_t first = machine.cluster.cycles();
    const std::clock_t begin = std::clock();
    const auto wall_begin = std::chrono::steady_clock::now();
    // Only the clock moves; STATUS would be read through the core's port.
    while (machine.cluster.debug().ntx != decltype(machine.cluster.debug().ntx){} ||
           machine.cluster.cycles() - first < 100) {
      machine.core_cycle();
      machine.commit();
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_begin;
    cycles = machine.cluster.cycles() - first;
    best_wall = std::max(best_wall, static_cast<double>(cycles) / wall.count() / 1e3);
    best = std::max(best, static_cast<double>(cycles) / seconds / 1e3);
  }
  const double macs = double{kSide * kSide} * kKernel * kKernel * kChannels;
  const double share = macs / static_cast<double>(cycles);
  std::printf("%-10s %.0f kHz of processor time, %.0f of wall time; %llu cycles, %.1f %% of peak\n",
              preset_name.c_str(), best, best_wall, static_cast<unsigned long long>(cycles), 100 * share);
  if (!json.empty()) {
    std::ofstream file(json);
    file << nlohmann::json{{"preset", preset_name},
                           {"khz_cpu", best},
                           {"khz_wall", best_wall},
                           {"cycles", cycles},
                           {"share_of_peak", share}}
                .dump(2)
         << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "%s: cannot be written\n", json.c_str());
      return 1;
    }
  }
  return 0;
}
