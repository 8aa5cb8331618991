// SPDX-License-Identifier: Apache-2.0
// How fast the simulator runs: functional execution and the timed core, in millions of instructions a second.
//   bench_riscv [--json FILE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/base/error.h"
#include "sim/riscv/direct_memory.h"
#include "sim/riscv/elf.h"
#include "sim/riscv/functional.h"
#include "tests/riscv/support/machine.h"

namespace {

using namespace nearcube;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Millions of instructions a second of functional execution, and the program's result.
double functional_speed(const riscv::ElfFile& elf, std::uint32_t& result) {
  riscv::DirectMemory memory;
  memory.add_region(test::kTcdm, test::kTcdmBytes, false);
  memory.add_region(test::kCube, test::kCubeBytes, true);
  memory.set_device([&result](std::uint32_t address, bool write, std::uint8_t, std::uint32_t& data) {
    if (!write || address != test::kExitRegister) return riscv::Access::kFault;
    result = data;
    return riscv::Access::kStop;
  });
  memory.load(elf);
  riscv::Functional<riscv::DirectMemory> hart(0, memory);
  hart.reset(elf.entry());
  const auto start = std::chrono::steady_clock::now();
  const riscv::Stop stop = hart.run(2'000'000'000);
  const double seconds = seconds_since(start);
  if (stop != riscv::Stop::kExit) throw base::error(ExitStatus::kOther, "the bench program did not end");
  return static_cast<double>(hart.instructions()) / seconds * 1e-6;
}

/// Millions of core cycles a second of the timed core on simple ports.
double timed_speed(const riscv::ElfFile& elf) {
  test::CoreMachine machine;
  machine.memory.load(elf);
  machine.start(elf.entry());
  constexpr int ticks = 10'000'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < ticks; ++i) machine.tick();
  return ticks / seconds_since(start) * 1e-6;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    const bool json = argc == 3 && std::string(argv[1]) == "--json";
    if (argc != 1 && !json) bad_input("usage: {} [--json FILE]", argv[0]);
    const auto elf = riscv::ElfFile::load(NEARCUBE_RISCV_PROGRAMS "/bench.elf");
    std::uint32_t result = 0;
    double functional = 0;
    for (int i = 0; i < 3; ++i) functional = std::max(functional, functional_speed(elf, result));
    const double timed = timed_speed(elf);
    fmt::print("ISS, functional: {:8.1f} M instructions/s (result {:08x})\n", functional, result);
    fmt::print("ISS, timed core: {:8.1f} M cycles/s\n", timed);
    if (json) {
      std::ofstream file(argv[2]);
      file << nlohmann::json{{"iss_functional_mips", functional}, {"iss_timed_mcycles_per_s", timed}}.dump(2)
           << "\n";
      if (!file.flush()) bad_input("{}: cannot be written", argv[2]);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return e.exit_code();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
