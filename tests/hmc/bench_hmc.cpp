// SPDX-License-Identifier: Apache-2.0
// Requests a second that the host simulates, on one core: a saturated cube, and a nearly idle one.
//   bench_hmc [CUBE.yaml]
#include <cstdio>
#include <ctime>

#include "sim/hmc/traffic.h"

using namespace nearcube;

int main(int argc, char* argv[]) {
  const auto config = hmc::read_cube_config(argc > 1 ? argv[1] : "config/cube/hmc2-8gb.yaml");
  struct Case {
    const char* name;
    hmc::Pattern pattern;
    std::uint32_t outstanding;
    double writes;
  };
  for (const Case& c : {Case{"random reads, saturated", hmc::Pattern::kRandom, 1024, 0},
                        Case{"random, half writes, saturated", hmc::Pattern::kRandom, 1024, 0.5},
                        Case{"sequential reads, saturated", hmc::Pattern::kSequential, 1024, 0},
                        Case{"one request at a time", hmc::Pattern::kRandom, 1, 0}}) {
    hmc::Cube cube(config, 32);
    const std::clock_t start = std::clock();
    const auto result = hmc::run_traffic(
        cube,
        {.pattern = c.pattern, .write_share = c.writes, .outstanding = c.outstanding, .requests = 2'000'000});
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%-32s %6.2f million requests a second of processor time; %.1f GB/s simulated\n", c.name,
                2.2 / seconds, result.gb_per_s());
  }
  return 0;
}
