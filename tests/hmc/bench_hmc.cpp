// SPDX-License-Identifier: Apache-2.0
// Requests a second that the host simulates, on one core: a saturated cube, and a nearly idle one.
//   bench_hmc [--json FILE]
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/hmc/traffic.h"

using namespace nearcube;

int main(int argc, char* argv[]) {
  if (argc != 1 && (argc != 3 || std::string(argv[1]) != "--json")) {
    std::fprintf(stderr, "usage: bench_hmc [--json FILE]\n");
    return 2;
  }
  const auto config = hmc::read_cube_config("config/cube/hmc2-8gb.yaml");
  struct Case {
    const char* name;
    hmc::Pattern pattern;
    std::uint32_t outstanding;
    double writes;
  };
  nlohmann::ordered_json rows;
  for (const Case& c : {Case{"random reads, saturated", hmc::Pattern::kRandom, 1024, 0},
                        Case{"random, half writes, saturated", hmc::Pattern::kRandom, 1024, 0.5},
                        Case{"sequential reads, saturated", hmc::Pattern::kSequential, 1024, 0},
                        Case{"one request at a time", hmc::Pattern::kRandom, 1, 0}}) {
    hmc::Cube cube(config, 32);
    const std::clock_t start = std::clock();
    const auto result = hmc::run_traffic(
        cube,
        {.pattern = c.pattern, .write_share = c.writes, .outstanding = c.outstanding, .requests = 1'000'000});
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    // All of them, the unmeasured tenth too.
    const double rate = static_cast<double>(cube.counters().requests()) / seconds;
    rows.push_back(
        {{"traffic", c.name}, {"requests_per_second", rate}, {"gbytes_per_second", result.gb_per_s()}});
    std::printf("%-32s %6.2f million requests a second of processor time; %.1f GB/s simulated\n", c.name,
                rate / 1e6, result.gb_per_s());
  }
  if (argc == 3) std::ofstream(argv[2]) << rows.dump(2) << "\n";
  return 0;
}
