// SPDX-License-Identifier: Apache-2.0
// How long the functional NTX says a command takes, beside the RTL alone on ideal memory.
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "interfaces/generated/nearcube/interfaces.hpp"
#include "sim/fast/ntx_unit.h"
#include "tests/golden/ntx_golden.h"
#include "tests/ntx/bench.h"
#include "tests/support/catch.h"

namespace nearcube::fast {
namespace {

namespace regs = interfaces::ntx;

/// Trips, and plain strides in words of the three AGUs.
using Loop = std::array<int, 4>;

golden::Command command(golden::CommandFields fields, const std::vector<Loop>& loops) {
  golden::Command result;
  result.base = {0x1000'0000, 0x1000'4000, 0x1000'8000};
  result.cmd = golden::encode(fields);
  std::array<int, 3> advanced{};
  for (std::size_t j = 0; j < loops.size(); ++j) {
    result.loops[j] = static_cast<std::uint32_t>(loops[j][0] - 1);
    for (std::size_t u = 0; u < 3; ++u) {
      result.stride[u][j] = 4 * (loops[j][u + 1] - advanced[u]);
      advanced[u] += (loops[j][0] - 1) * loops[j][u + 1];
    }
  }
  return result;
}

std::uint64_t cycles_of_rtl(const golden::Command& command) {
  ntx_test::NtxBench bench;
  bench.stage(command);
  bench.commit(command.cmd);
  const std::uint64_t begin = bench.last_grant();
  return bench.wait_idle() - begin;
}

std::uint64_t cycles_of_unit(const golden::Command& command) {
  std::vector<std::uint32_t> tcdm(ntx_test::NtxBench::kTcdmWords);
  Ntx ntx;
  NtxUnit unit(ntx, tcdm);
  for (std::uint32_t j = 0; j < kLoops; ++j) unit.write(regs::kLoopOffset + 4 * j, command.loops[j]);
  for (std::uint32_t u = 0; u < kAgus; ++u) {
    const std::uint32_t base = regs::kAgu0BaseOffset + u * (regs::kAgu1BaseOffset - regs::kAgu0BaseOffset);
    unit.write(base, command.base[u]);
    for (std::uint32_t j = 0; j < kLoops; ++j) {
      unit.write(base + 4 + 4 * j, static_cast<std::uint32_t>(command.stride[u][j]));
    }
  }
  unit.write(regs::kCmdOffset, command.cmd);
  std::uint64_t now = 0;
  while ((unit.read(regs::kStatusOffset, 0) & 7) != 7) unit.advance(now++, true);
  REQUIRE(unit.counters().commands == 1);
  return now;
}

}  // namespace

TEST_CASE("A command takes about as long as in the RTL") {
  const auto mac = [](std::uint32_t levels, std::uint32_t outer, std::uint32_t source, std::uint32_t aux) {
    return golden::CommandFields{.opcode = golden::kMac,
                                 .init_level = levels,
                                 .store_level = levels,
                                 .outer_level = outer,
                                 .init_source = source,
                                 .aux = aux};
  };
  const auto elementwise = [](std::uint32_t opcode, std::uint32_t source, std::uint32_t aux) {
    return golden::CommandFields{.opcode = opcode, .outer_level = 1, .init_source = source, .aux = aux};
  };
  const auto maxmin = golden::CommandFields{
      .opcode = golden::kMaxmin, .init_level = 1, .store_level = 1, .outer_level = 2, .init_source = 3};
  struct Case {
    const char* name;
    golden::Command command;
  };
  const std::vector<Case> cases = {
      {"dot product of 4096", command(mac(1, 1, 3, 0), {{4096, 1, 1, 0}})},
      {"100 dot products of 16", command(mac(1, 2, 3, 0), {{16, 1, 1, 0}, {100, 16, 16, 1}})},
      {"AXPY 1024", command(mac(0, 1, 2, 0), {{1024, 1, 0, 1}})},
      {"VADDSUB 1024", command(elementwise(golden::kVaddsub, 2, 0), {{1024, 1, 0, 1}})},
      {"VMULT 1024", command(elementwise(golden::kVmult, 3, 0), {{1024, 1, 1, 1}})},
      {"100 MAXMIN of 9", command(maxmin, {{9, 0, 1, 0}, {100, 0, 9, 1}})},
      {"MASK 1000", command(elementwise(golden::kMask, 3, 1), {{1000, 1, 1, 1}})},
      {"COPY 1024", command(elementwise(golden::kCopy, 3, 1), {{1024, 1, 0, 1}})},
      {"wide stores", command(mac(1, 2, 3, 4), {{50, 1, 1, 0}, {100, 5, 5, 20}})},
      {"wide inits", command(mac(1, 2, 2, 2), {{50, 1, 1, 0}, {100, 5, 5, 20}})},
      {"both", command(mac(1, 2, 2, 6), {{5, 1, 1, 0}, {100, 5, 5, 20}})},
      {"sums of images, rounded", command(elementwise(golden::kVaddsub, 2, 2), {{100, 20, 0, 20}})},
      {"sums of images", command(elementwise(golden::kVaddsub, 2, 6), {{100, 20, 0, 20}})},
  };
  std::printf("%-26s %8s %8s\n", "command", "RTL", "by formula");
  for (const Case& c : cases) {
    const auto rtl = static_cast<double>(cycles_of_rtl(c.command));
    const auto formula = static_cast<double>(cycles_of_unit(c.command));
    std::printf("%-26s %8.0f %8.0f\n", c.name, rtl, formula);
    INFO(c.name);
    CHECK(formula == Approx(rtl).epsilon(0.06).margin(4));
  }
}

}  // namespace nearcube::fast
