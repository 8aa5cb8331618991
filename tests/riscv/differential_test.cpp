// SPDX-License-Identifier: Apache-2.0
// Random programs on the timed core, with random latencies and grants withheld, and on the functional
// executor: the same registers, memory, traps and number of instructions. A program that fails is made
// shorter before it is shown.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/riscv/support/encode.h"
#include "tests/riscv/support/machine.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace nearcube;
using namespace nearcube::test;

namespace {

// Registers with a purpose: x3 and x4 the trap handler's, x5 the loop counter, x8 TCDM, x9 cube data, x14
// device, x15 nothing there.
constexpr unsigned kTrapA = 3, kTrapB = 4, kLoop = 5, kTcdmPointer = 8, kCubePointer = 9, kDevicePointer = 14,
                   kNowherePointer = 15;
constexpr std::uint32_t kHandler = kCube + 0x100;
constexpr std::uint32_t kProgram = kCube + 0x1000;
constexpr std::uint32_t kData = kCube + 0x20000;
constexpr std::uint32_t kTrapCount = kCube + 0x40000;

/// One instruction, or a branch whose target is the start of another item.
struct Item {
  std::uint32_t bits = 0;
  bool compressed = false;
  std::optional<std::size_t> target;
};

struct Program {
  std::vector<Item> items;
  std::uint32_t loops = 3;
  std::uint32_t seed = 0;
};

bool is_reserved(unsigned reg) {
  return reg == kTrapA || reg == kTrapB || reg == kLoop || reg == kTcdmPointer || reg == kCubePointer ||
         reg == kDevicePointer || reg == kNowherePointer;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program make() {
    Program program;
    program.seed = static_cast<std::uint32_t>(random_());
    const std::size_t count = 20 + pick(300);
    for (std::size_t i = 0; i < count; ++i) program.items.push_back(item(i, count));
    return program;
  }

 private:
  unsigned pick(std::uint64_t n) { return static_cast<unsigned>(random_() % n); }
  unsigned destination() {
    unsigned reg;
    do reg = pick(32);
    while (is_reserved(reg));
    return reg;
  }
  unsigned source() { return pick(32); }
  /// x8 to x15 that may be written, for compressed instructions: 10 to 13.
  unsigned small_destination() { return 10 + pick(4); }
  unsigned pointer() {
    const unsigned r = pick(40);
    return r < 20 ? kTcdmPointer : r < 34 ? kCubePointer : r < 39 ? kDevicePointer : kNowherePointer;
  }
  std::int32_t offset() { return static_cast<std::int32_t>(pick(256)) - (pick(8) == 0 ? 64 : 0); }
  Item wide(std::uint32_t bits) { return {bits, false, {}}; }
  Item half(std::uint32_t bits) { return {bits, true, {}}; }

  Item item(std::size_t i, std::size_t count) {
    static constexpr std::uint32_t branches[]{0, 1, 4, 5, 6, 7};
    static constexpr std::uint32_t loads[]{0, 1, 2, 4, 5};
    const unsigned kind = pick(100);
    if (kind < 22) {  // register-register; multiply and divide included
      const unsigned f = pick(18);
      const std::uint32_t funct7 = f < 8 ? 0 : f < 16 ? 1 : 0x20;
      const std::uint32_t funct3 = f < 16 ? f % 8 : f == 16 ? 0 : 5;
      return wide(r_type(funct7, source(), source(), funct3, destination(), 0x33));
    }
    if (kind < 34) {
      const unsigned f = pick(8);
      const auto imm = static_cast<std::int32_t>(f == 1   ? pick(32)
                                                 : f == 5 ? pick(32) | (pick(2) << 10)
                                                          : pick(4096));
      return wide(i_type(imm, source(), f, destination(), 0x13));
    }
    if (kind < 38) return wide(lui(destination(), static_cast<std::uint32_t>(random_())));
    if (kind < 40)
      return wide((static_cast<std::uint32_t>(random_()) & 0xFFFFF000u) | destination() << 7 | 0x17u);
    if (kind < 52) return wide(i_type(offset(), pointer(), loads[pick(5)], destination(), 0x03));
    if (kind < 62) return wide(s_type(offset(), source(), pointer(), pick(3), 0x23));
    if (kind < 70) {  // compressed arithmetic
      const unsigned rd = small_destination(), rs = 8 + pick(8);
      switch (pick(6)) {
        case 0:
          return half(0x0001u | destination() << 7 | pick(32) << 2 | pick(2) << 12);  // c.addi
        case 1:
          return half(0x4001u | destination() << 7 | pick(32) << 2 | pick(2) << 12);  // c.li
        case 2:
          return half(0x8C01u | (rd - 8) << 7 | pick(4) << 5 | (rs - 8) << 2);  // c.sub..
        case 3:
          return half(0x8002u | pick(2) << 12 | destination_nonzero() << 7 |
                      (1 + pick(31)) << 2);  // c.mv, add
        case 4:
          return half(0x8801u | (rd - 8) << 7 | pick(32) << 2 | pick(2) << 12);  // c.andi
        default:
          return half(0x0002u | destination() << 7 | pick(32) << 2);  // c.slli
      }
    }
    if (kind < 76) {  // c.lw, c.sw by x8, x9
      const unsigned base = pick(2), reg = small_destination() - 8;
      const std::uint32_t common = base << 7 | pick(8) << 10 | pick(4) << 5;
      return half(pick(2) == 0 ? 0x4000u | common | reg << 2 : 0xC000u | common | pick(8) << 2);
    }
    if (kind < 90) {  // forward
      const std::size_t target = std::min(count, i + 1 + pick(8));
      if (pick(3) != 0) return {b_type(0, source(), source(), branches[pick(6)]), false, target};
      if (pick(2) == 0) return {j_type(0, destination()), false, target};
      return {0xA001u, true, target};  // c.j
    }
    if (kind < 95) {  // CSRs that both ways agree on
      static constexpr std::uint32_t numbers[]{0xB02, 0xB82, 0xF14, 0x301, 0x304, 0x343, 0x342, 0x340, 0x300};
      const std::uint32_t number = numbers[pick(7)];
      if (number == 0x304 || number >= 0xB00 || number == 0x301)
        return wide(csr_access(2, destination(), number, 0));
      static constexpr std::uint32_t forms[]{1, 2, 3, 5, 6, 7};
      return wide(csr_access(forms[pick(6)], destination(), number, source()));
    }
    if (kind < 97) return wide(0x0000000Fu);  // fence
    switch (pick(6)) {
      case 0:
        return wide(0x00000073);  // ecall
      case 1:
        return wide(0x0000100F);  // fence.i
      case 2:
        return half(0x9002);  // c.ebreak
      case 3:
        return half(0x0000);  // illegal
      case 4:
        return wide(csr_access(1, destination(), 0xC00, 1));  // illegal
      default:
        return wide(0xFFFFFFFF);  // illegal
    }
  }
  unsigned destination_nonzero() {
    unsigned reg;
    do reg = destination();
    while (reg == 0);
    return reg;
  }

  Random random_;
};

/// Puts the program, its handler and its data into memory.
void place(const Program& program, TestMemory& memory) {
  Random random(program.seed);
  for (std::uint32_t a = 0; a < 1024; a += 4) {
    memory.set_word(kTcdm + a, static_cast<std::uint32_t>(random()));
    memory.set_word(kData + a, static_cast<std::uint32_t>(random()));
  }
  std::uint32_t at = kHandler;
  const auto emit = [&](std::uint32_t word) {
    memory.set_word(at, word);
    at += 4;
  };
  // Handler: count the trap, and go on behind the instruction. mepc += 2, and 2 more if its low bits are 11.
  emit(lui(kTrapA, kTrapCount));
  emit(i_type(0, kTrapA, 2, kTrapB, 0x03));
  emit(addi(kTrapB, kTrapB, 1));
  emit(s_type(0, kTrapB, kTrapA, 2, 0x23));
  emit(csr_access(2, kTrapA, 0x341, 0));
  emit(i_type(0, kTrapA, 5, kTrapB, 0x03));  // lhu
  emit(i_type(3, kTrapB, 7, kTrapB, 0x13));  // andi 3
  emit(addi(kTrapB, kTrapB, -3));
  emit(i_type(1, kTrapB, 3, kTrapB, 0x13));  // sltiu 1: 1 if the low bits are 11
  emit(i_type(1, kTrapB, 1, kTrapB, 0x13));  // slli 1
  emit(addi(kTrapB, kTrapB, 2));
  emit(r_type(0, kTrapB, kTrapA, 0, kTrapA, 0x33));
  emit(csr_access(1, 0, 0x341, kTrapA));
  emit(0x30200073);

  // Start: pointers, handler, loop counter.
  at = kProgram;
  emit(lui(kTcdmPointer, kTcdm));
  emit(addi(kTcdmPointer, kTcdmPointer, 0x100));
  emit(lui(kCubePointer, kData));
  emit(addi(kCubePointer, kCubePointer, 0x100));
  emit(lui(kDevicePointer, kPlainRegister));
  emit(addi(kDevicePointer, kDevicePointer, 0x100));
  emit(lui(kNowherePointer, 0x44444000));
  emit(lui(kTrapA, kHandler));
  emit(addi(kTrapA, kTrapA, 0x100));
  emit(csr_access(1, 0, 0x305, kTrapA));
  emit(addi(kLoop, 0, static_cast<std::int32_t>(program.loops)));
  for (unsigned r = 16; r < 32; ++r) emit(lui(r, static_cast<std::uint32_t>(random())));

  const std::uint32_t start = at;
  std::vector<std::uint32_t> address;
  for (const Item& item : program.items) {
    address.push_back(at);
    at += item.compressed ? 2 : 4;
  }
  address.push_back(at);
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const Item& item = program.items[i];
    std::uint32_t bits = item.bits;
    if (item.target) {
      const auto distance = static_cast<std::int32_t>(address[*item.target] - address[i]);
      if (item.compressed) {
        const auto d = static_cast<std::uint32_t>(distance);
        bits |= (d >> 4 & 1u) << 11 | (d >> 3 & 1u) << 5 | (d >> 2 & 1u) << 4 | (d >> 1 & 1u) << 3 |
                (d >> 5 & 1u) << 2 | (d >> 6 & 1u) << 7 | (d >> 7 & 1u) << 6;
      } else {
        bits |= (bits & 0x7Fu) == 0x6Fu ? j_type(distance, 0) & ~0x7Fu : b_type(distance, 0, 0, 0) & ~0x7Fu;
      }
    }
    if (item.compressed) {
      memory.set_half(address[i], static_cast<std::uint16_t>(bits));
    } else {
      memory.set_word(address[i], bits);
    }
  }
  // End: again, or exit.
  emit(addi(kLoop, kLoop, -1));
  emit(b_type(8, 0, kLoop, 0));
  emit(j_type(static_cast<std::int32_t>(start - at), 0));
  emit(csr_access(2, kTrapB, 0xB02, 0));
  emit(lui(kTrapA, kExitRegister));
  emit(s_type(0x30, kTrapB, kTrapA, 2, 0x23));
  emit(0x0000006F);
}

/// What differs between the two ways after the program; empty if nothing.
std::string difference(const Program& program, const PortTiming& timing, std::uint64_t seed) {
  CoreMachine core(timing, seed);
  FunctionalMachine functional;
  place(program, core.memory);
  place(program, functional.memory);
  core.start(kProgram);
  functional.start(kProgram);
  std::ostringstream out;
  try {
    functional.run();
    core.run(10'000'000);
  } catch (const std::exception& e) {
    return e.what();
  }
  for (unsigned i = 0; i < 32; ++i) {
    if (core.x(i) != functional.x(i))
      out << "x" << i << ": " << core.x(i) << " != " << functional.x(i) << "\n";
  }
  if (core.memory.exit_code != functional.memory.exit_code) out << "instructions differ\n";
  if (core.memory.tcdm != functional.memory.tcdm) out << "the TCDM differs\n";
  if (core.memory.cube != functional.memory.cube) out << "cube memory differs\n";
  if (core.memory.plain != functional.memory.plain) out << "the device differs\n";
  for (const std::uint32_t number : {0x300u, 0x305u, 0x340u, 0x341u, 0x342u, 0x343u}) {
    if (core.csr().read(number) != functional.csr().read(number)) out << "CSR " << number << " differs\n";
  }
  const auto& c = core.core.counters();
  if (c.active + c.stalls() + c.asleep != c.cycles) out << "cycles do not add up\n";
  if (c.exceptions != core.memory.word(kTrapCount)) out << "exceptions miscounted\n";
  return out.str();
}

/// Replaces instructions by nops while the difference stays.
Program shrink(Program program, const PortTiming& timing, std::uint64_t seed) {
  for (std::size_t step = program.items.size(); step > 0; step /= 2) {
    for (std::size_t i = 0; i < program.items.size(); i += step) {
      Program shorter = program;
      for (std::size_t j = i; j < std::min(i + step, program.items.size()); ++j) {
        shorter.items[j] = shorter.items[j].compressed ? Item{0x0001, true, {}} : Item{0x13, false, {}};
      }
      if (!difference(shorter, timing, seed).empty()) program = shorter;
    }
  }
  return program;
}

std::string listing(const Program& program) {
  std::ostringstream out;
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const Item& item = program.items[i];
    if (item.bits == 0x0001 || item.bits == 0x13) continue;
    out << i << ": " << riscv::mnemonic(riscv::decode(item.bits).op) << " " << std::hex << item.bits
        << std::dec << "\n";
  }
  return out.str();
}

}  // namespace

TEST_CASE("random programs end alike on the timed core and functionally") {
  Random random(seed());
  INFO("seed " << seed());
  for (std::uint64_t n = 0; n < cases(1000, 30000); ++n) {
    const std::uint64_t program_seed = random();
    const Program program = Generator(program_seed).make();
    PortTiming timing;
    timing.memory = 1 + static_cast<unsigned>(random() % 12);
    timing.peripheral = 1 + static_cast<unsigned>(random() % 3);
    timing.instruction = 1 + static_cast<unsigned>(random() % 12);
    timing.withhold = n % 3 == 0 ? 0 : static_cast<double>(random() % 60) / 100;
    timing.random_latency = n % 4 == 0 ? 0 : static_cast<unsigned>(random() % 8);
    const std::string what = difference(program, timing, program_seed);
    if (!what.empty()) {
      const Program small = shrink(program, timing, program_seed);
      FAIL("program " << n << ":\n" << what << listing(small) << difference(small, timing, program_seed));
    }
  }
}

TEST_CASE("the random programs reach what they are for") {
  Random random(seed());
  std::uint64_t exceptions = 0, loads = 0, stores = 0, branches = 0, misses = 0;
  for (int n = 0; n < 20; ++n) {
    CoreMachine core;
    place(Generator(random()).make(), core.memory);
    core.start(kProgram);
    core.run(10'000'000);
    const auto& c = core.core.counters();
    exceptions += c.exceptions;
    loads += c.loads;
    stores += c.stores;
    branches += c.branches_taken;
    misses += c.cache_misses;
  }
  CHECK(exceptions > 100);
  CHECK(loads > 500);
  CHECK(stores > 500);
  CHECK(branches > 300);
  CHECK(misses > 100);
}
