// SPDX-License-Identifier: Apache-2.0
// NC_ASSERT speaks up at the clock edge at which it is violated, out of reset, and at no other.
#include "Vassertion_test.h"
#include "sim/rtl/simulation.h"
#include "tests/support/catch.h"

TEST_CASE("NC_ASSERT reports what is violated at a clock edge out of reset") {
  nearcube::rtl::Simulation<Vassertion_test> simulation(1);
  VerilatedContext& context = simulation.context();
  Vassertion_test& model = *simulation;
  context.fatalOnError(false);
  const auto edge = [&](bool reset, unsigned value) {
    model.rst_ni = !reset;
    model.value_i = static_cast<unsigned char>(value);
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
    const bool failed = context.gotError();
    context.gotError(false);
    context.gotFinish(false);
    return failed;
  };
  CHECK_FALSE(edge(true, 9));
  for (unsigned value = 0; value < 16; ++value) {
    INFO("value " << value);
    CHECK(edge(false, value) == (value >= 9));
  }
}
