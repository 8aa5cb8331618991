// SPDX-License-Identifier: Apache-2.0
// Simulated kHz of the interconnect alone under convolution-like traffic (interconnect_traffic.sv).
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "Vinterconnect_traffic.h"
#include "tests/cluster/bench.h"

int main() {
  constexpr std::uint64_t kCycles = 1000000;
  nearcube::test::Block<Vinterconnect_traffic> block(1);
  block.reset();
  const std::clock_t begin = std::clock();
  for (std::uint64_t c = 0; c < kCycles; ++c) block.edge();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%.0f kHz of processor time, %.2f grants a cycle, checksum %08x\n", kCycles / seconds / 1e3,
              static_cast<double>(block.dut->grants_o) / kCycles, block.dut->checksum_o);
  return 0;
}
