// SPDX-License-Identifier: Apache-2.0
#include "sim/riscv/source_lines.h"

#include <atomic>
#include <thread>
#include <vector>

#include "sim/riscv/elf.h"
#include "tests/support/catch.h"

using namespace nearcube;

// Clusters that end in the same moment ask for their lines in threads of their own.
TEST_CASE("many threads may ask a fresh file for lines", "[riscv]") {
  const std::string path = NEARCUBE_RISCV_PROGRAMS "/compute.elf";
  const std::uint32_t entry = riscv::ElfFile::load(path).symbol("main").address;
  const std::string expected = riscv::SourceLines::load(path).find(entry);
  REQUIRE_THAT(expected, test::contains("compute.c:"));
  for (int round = 0; round < 200; ++round) {
    const riscv::SourceLines lines = riscv::SourceLines::load(path);
    std::atomic<int> wrong = 0;
    std::atomic<int> waiting = 4;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (--waiting; waiting != 0;) std::this_thread::yield();  // all at once
        if (lines.find(entry) != expected) ++wrong;
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(wrong == 0);
  }
}
