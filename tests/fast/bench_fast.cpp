// SPDX-License-Identifier: Apache-2.0
// Products, or steps, a second of the functional NTX, on one core of the host, by pattern and path; and how
// the sums were decided.
//   bench_fast [--json FILE]
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/base/random.h"
#include "sim/fast/ntx.h"

using namespace nearcube;
namespace regs = interfaces::ntx;

namespace {

constexpr std::size_t kWords = 16384;
constexpr int kRepeats = 4;                                   // the clock ticks in microseconds
constexpr std::uint32_t kB = 4 * 6144, kResults = 4 * 12288;  // bytes; A lies at 0

struct Loop {
  std::uint32_t trips;
  std::array<std::int32_t, 3> stride;  ///< plain, in words, of the AGUs
};

std::uint32_t command(std::uint32_t opcode, std::uint32_t init, std::uint32_t store, std::uint32_t outer,
                      std::uint32_t source = regs::kCmdInitSourceZero, std::uint32_t aux = 0) {
  return opcode << regs::kCmdOpcodeLsb | init << regs::kCmdInitLevelLsb | store << regs::kCmdStoreLevelLsb |
         outer << regs::kCmdOuterLevelLsb | source << regs::kCmdInitSourceLsb | aux << regs::kCmdAuxLsb;
}

/// Programmed strides take back what inner loops have advanced.
fast::NtxRegisters nest(std::uint32_t cmd, const std::vector<Loop>& loops) {
  fast::NtxRegisters registers;
  registers.base = {0, kB, kResults};
  registers.cmd = cmd;
  std::array<std::int32_t, 3> advanced{};
  for (std::size_t j = 0; j < loops.size(); ++j) {
    registers.loops[j] = loops[j].trips - 1;
    for (unsigned u = 0; u < 3; ++u) {
      registers.stride[u][j] = 4 * (loops[j].stride[u] - advanced[u]);
      advanced[u] += static_cast<std::int32_t>(loops[j].trips - 1) * loops[j].stride[u];
    }
  }
  return registers;
}

struct Pattern {
  const char* name;
  fast::NtxRegisters registers;
};

std::vector<Pattern> patterns() {
  const std::uint32_t zero = regs::kCmdInitSourceZero, results = regs::kCmdInitSourceAgu2;
  return {
      {"dot products of 64",
       nest(command(regs::kCmdOpcodeMac, 1, 1, 2), {{64, {1, 1, 0}}, {90, {64, 64, 1}}})},
      {"dot products of 576",
       nest(command(regs::kCmdOpcodeMac, 1, 1, 2), {{576, {1, 1, 0}}, {10, {576, 576, 1}}})},
      {"dot product of 4096", nest(command(regs::kCmdOpcodeMac, 1, 1, 1), {{4096, {1, 1, 0}}})},
      {"matrix by matrix, columns of 64",
       nest(command(regs::kCmdOpcodeMac, 1, 1, 3), {{64, {1, 64, 0}}, {64, {0, 1, 1}}, {64, {64, 0, 64}}})},
      {"conv 3x3, 8 channels, 16x16 outputs",
       nest(command(regs::kCmdOpcodeMac, 3, 3, 5),
            {{3, {1, 1, 0}}, {3, {18, 3, 0}}, {8, {324, 9, 0}}, {16, {1, 0, 1}}, {16, {18, 0, 16}}})},
      {"wide store and init, sums of 576",
       nest(command(regs::kCmdOpcodeMac, 1, 1, 2, results, 6), {{576, {1, 1, 0}}, {10, {576, 576, 20}}})},
      {"AXPY 4096", nest(command(regs::kCmdOpcodeMac, 0, 0, 1, results), {{4096, {1, 0, 1}}})},
      {"VADDSUB 4096", nest(command(regs::kCmdOpcodeVaddsub, 0, 0, 1, results), {{4096, {1, 0, 1}}})},
      {"MAXMIN 4096", nest(command(regs::kCmdOpcodeMaxmin, 1, 1, 1, zero), {{4096, {0, 1, 0}}})},
      {"COPY 4096", nest(command(regs::kCmdOpcodeCopy, 0, 0, 1, zero, 1), {{4096, {1, 0, 1}}})},
  };
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 1 && (argc != 3 || std::string(argv[1]) != "--json")) {
    std::fprintf(stderr, "usage: bench_fast [--json FILE]\n");
    return 2;
  }
  nlohmann::ordered_json rows;
  for (const Pattern& pattern : patterns()) {
    for (const exact::Path path : exact::available_paths()) {
      base::Random random(1);
      std::vector<std::uint32_t> tcdm(kWords);
      fast::Ntx unit(path);
      std::uint64_t steps = 0;
      double seconds = 0;
      for (std::size_t i = 0; i < kWords; ++i) {
        tcdm[i] = i < kResults / 4 ? std::bit_cast<std::uint32_t>(random.normal()) : 0;
      }
      while (seconds < 0.3) {
        // Other pairs of operands each time, so that rare decisions are seen as often as they are.
        std::rotate(tcdm.begin(), tcdm.begin() + 1, tcdm.begin() + kB / 4);
        tcdm[random.below(kB / 4)] = std::bit_cast<std::uint32_t>(random.normal());
        const std::clock_t start = std::clock();
        for (int i = 0; i < kRepeats; ++i) {
          const fast::NtxOutcome outcome = unit.run(pattern.registers, tcdm);
          if (outcome.error) {
            std::fprintf(stderr, "bench_fast: %s: cause %u\n", pattern.name, outcome.error.cause);
            return 1;
          }
          steps += outcome.steps;
        }
        seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      }
      const exact::Decisions& d = unit.decisions();
      const double rate = static_cast<double>(steps) / seconds;
      std::printf("%-36s %-9s %8.3f 10^9 steps/s", pattern.name, exact::name_of(path), rate / 1e9);
      if (d.by_bound + d.in_full > 0) {
        std::printf("  %9lu sums, %.2f in a million in full",
                    static_cast<unsigned long>(d.by_bound + d.in_full),
                    1e6 * static_cast<double>(d.in_full) / static_cast<double>(d.by_bound + d.in_full));
      }
      if (d.split + d.one_by_one > d.in_full) {
        std::printf("  %9lu blocks, %lu one by one", static_cast<unsigned long>(d.split + d.one_by_one),
                    static_cast<unsigned long>(d.one_by_one));
      }
      std::printf("\n");
      std::fflush(stdout);
      rows.push_back({{"pattern", pattern.name},
                      {"path", exact::name_of(path)},
                      {"steps_per_second", rate},
                      {"by_bound", d.by_bound},
                      {"in_full", d.in_full},
                      {"split_blocks", d.split},
                      {"blocks_one_by_one", d.one_by_one}});
    }
  }
  if (argc == 3) std::ofstream(argv[2]) << rows.dump(2) << "\n";
  return 0;
}
