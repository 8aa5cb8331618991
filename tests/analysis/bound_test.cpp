// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/bound.h"

#include "tests/support/catch.h"

using namespace nearcube::analysis;

TEST_CASE("the slowest of computing, reading and writing bounds a workload", "[bound]") {
  const Rates rates{.macs = 8, .read_bytes = 4, .written_bytes = 2};
  const Bound compute = bound_of({.macs = 801, .read_bytes = 400, .written_bytes = 200}, rates);
  CHECK(compute.cycles == 101);  // 100.125, rounded up
  CHECK(compute.resource == "compute");
  const Bound read = bound_of({.macs = 800, .read_bytes = 404, .written_bytes = 200}, rates);
  CHECK(read.cycles == 101);
  CHECK(read.resource == "memory read");
  const Bound write = bound_of({.macs = 800, .read_bytes = 404, .written_bytes = 204}, rates);
  CHECK(write.cycles == 102);
  CHECK(write.resource == "memory write");
}
