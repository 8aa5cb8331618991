// SPDX-License-Identifier: Apache-2.0
// Wrong register values from firmware, on the RTL and on the functional cluster: the run names the unit, the
// register and the cause.
#include <nlohmann/json.hpp>

#include "tests/cli/scenario.h"

using namespace nearcube;
using test::contains;

namespace {

enum {
  kOpcode,
  kLevels,
  kIrq,
  kAux,
  kWideRelu,
  kReservedBits,
  kMisalignedBase,
  kMisalignedStride,
  kInactive,
  kBaseBeyond,
  kLeaves,
  kLeavesBelow,
  kDroppedBehind,
  kAllUnits,
  kIgnored,
  kAsleep,
  kCleared,
  kDmaNowhere,
  kDmaPastTcdm,
  kDmaPastCube,
  kDmaStorePastCube,
  kControlOffset,
  kDmaOffset,
  kCountersOffset,
  kNtxOffset,
  kBroadcastRead,
  kByteAccess,
  kReadOnly,
};

/// As --backend names it; of the present section.
std::string backend;

test::Outcome run(unsigned scenario, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--backend", backend});
  return test::run_scenario("test_wrong_registers", scenario, std::move(more));
}

/// The program saw the error and ended with exit code 4: bad input, with what the hardware knows.
void refuses(unsigned scenario, const std::string& message) {
  const auto outcome = run(scenario);
  test::check(outcome, 2, {message, "ended with exit code 4"});
  CHECK_THAT(outcome.out, contains("ERROR: ") && contains(message));
}

}  // namespace

TEST_CASE("wrong values in an NTX's registers", "[cli][bad][ntx]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  refuses(kOpcode, "NTX 3 refused a command: register cmd (0x");
  refuses(kOpcode, "opcode 11 does not exist (0 to 8 do)");
  refuses(kLevels, "store level 2 <= init level 1 <= outer level 3 <= 5 does not hold");
  refuses(kIrq, "irq 3 does not exist (0 to 2 do)");
  refuses(kAux, "aux 2 has no meaning for opcode 2");
  refuses(kWideRelu, "aux 5 asks for ReLU and a wide store, which exclude each other");
  refuses(kReservedBits, "bits 31:22 are 0x20, and must be 0");
  refuses(kMisalignedBase, "NTX 3 refused a command: register agu1_base (0x10000042) is no multiple of 4");
  refuses(kMisalignedStride,
          "NTX 3 refused a command: register agu2_stride[0] (0xfffffffa, or -6) is no multiple of 4");
  refuses(
      kBaseBeyond,
      "NTX 3 stopped in a command: registers agu2_base and agu2_stride lead to 0x10010000, which is not in "
      "the TCDM (0x10000000 to 0x1000ffff)");
  refuses(kLeaves, "registers agu0_base and agu0_stride lead to 0x10010000");
  refuses(kLeavesBelow, "registers agu1_base and agu1_stride lead to 0x0ffffffc");
  refuses(kDroppedBehind, "bits 31:22 are 0x200, and must be 0; 2 later commands were dropped");
}

TEST_CASE("a wrong command for all NTX is reported by each", "[cli][bad][ntx]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  const auto outcome = run(kAllUnits);
  for (const char* unit : {"NTX 0", "NTX 1", "NTX 2", "NTX 3", "NTX 4", "NTX 5", "NTX 6", "NTX 7"}) {
    test::check(outcome, 2, {std::string(unit) + " refused a command: register cmd (0x0000000f): opcode 15"});
  }
}

TEST_CASE("what a command does not use, and errors that the program cleared, are none", "[cli][ntx]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  for (const unsigned scenario : {kInactive, kCleared}) {
    const auto outcome = run(scenario);
    test::check(outcome, 0, {});
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("errors that the program does not see are seen all the same", "[cli][bad][ntx]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  const test::Folder folder;
  test::check(
      run(kIgnored, {"--json", folder.file("report.json"), "--dump", "scenario:1=" + folder.file("x.npy")}),
      2, {"NTX 3 refused a command", "left this error uncleared"});
  const auto report = nlohmann::json::parse(test::slurp(folder.file("report.json")));
  CHECK(report["exit_code"] == 0);
  REQUIRE(report["faults"].size() == 1);
  CHECK_THAT(report["faults"][0].get<std::string>(), contains("NTX 3 refused a command"));
  // Results that do not count are not written.
  CHECK(folder.entries() == 1);
  const auto asleep = run(kAsleep);
  test::check(asleep, 4, {"NTX 3 refused a command: register cmd (0x0000000f): opcode 15"});
  CHECK_THAT(asleep.out, contains("NOT COMPLETE: stuck") && contains("ERROR: NTX 3"));
}

TEST_CASE("transfers that lead out of memory", "[cli][bad][dma]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  refuses(kDmaNowhere,
          "DMA transfer 1 failed: source or destination (registers src, dst, bytes, strides, counts) "
          "leads to 0x40000010, which is neither in the TCDM (0x10000000 to 0x1000ffff) nor in the "
          "cube's memory (16 MiB from 0x80000000 on, key memory.capacity_bytes)");
  refuses(kDmaPastTcdm, "leads to 0x10010000, which is neither");
  refuses(kDmaPastCube,
          "DMA transfer 1 failed: its source (registers src, bytes, src_stride, count) leads to 0x81000000, "
          "which is not in the cube's memory (16 MiB");
  refuses(kDmaStorePastCube, "DMA transfer 1 failed: its destination (registers dst");
}

TEST_CASE("register accesses that no register takes", "[cli][bad][control]") {
  backend = GENERATE("rtl", "fast");
  INFO(backend);
  const auto traps = [](unsigned scenario, const std::string& access, const std::string& message) {
    test::check(run(scenario), 2, {"uncaught exception: " + access, "main", message});
  };
  traps(kControlOffset, "load access fault", "0x10200800: block control has no register at offset 0x800");
  traps(kDmaOffset, "store access fault", "0x10201054: block dma has no register at offset 0x54");
  traps(kCountersOffset, "load access fault", "0x10202040: block counters has no register at offset 0x40");
  traps(kNtxOffset, "load access fault",
        "0x10204900: NTX 2 has no register at offset 0x0 that takes this access");
  traps(kBroadcastRead, "load access fault", "the NTX's broadcast block, which is write-only");
  traps(kByteAccess, "store access fault",
        "block control has no register at offset 0x38 that takes this access");
  traps(kReadOnly, "store access fault",
        "block control has no register at offset 0x8 that takes this access");
}
