// SPDX-License-Identifier: Apache-2.0
// The command model against tables made by hand and against plain nested loops.
#include "tests/golden/ntx_golden.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/golden/binary32.h"
#include "tests/golden/random_values.h"
#include "tests/support/catch.h"

namespace nearcube::golden {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t kWords = 16384;
constexpr std::uint32_t kMinusZero = kSignBit;
constexpr std::uint32_t kTwo = 0x4000'0000;
constexpr std::uint32_t kThree = 0x4040'0000;
constexpr std::uint32_t kMinusOne = kOne | kSignBit;
constexpr std::uint32_t kMinusTwo = kTwo | kSignBit;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
float number(std::uint32_t x) { return std::bit_cast<float>(x); }

/// Programmed strides from plain ones: s'_k = s_k - sum_{j<k} (N_j - 1) s_j.
void set_strides(Command& c, unsigned agu, std::array<std::int32_t, 5> plain) {
  std::int32_t inner = 0;
  for (unsigned k = 0; k < 5; ++k) {
    c.stride[agu][k] = plain[k] - inner;
    inner += static_cast<std::int32_t>(c.loops[k]) * plain[k];
  }
}

/// A command over one loop of `count` steps: A at 0x100, B at 0x200, result at 0x300, init value at 0x400
/// through AGU2's or another AGU's base as the caller likes; every stream strides by a word.
Command one_loop(CommandFields f, std::uint32_t count) {
  Command c;
  f.outer_level = 1;
  c.loops[0] = count - 1;
  c.base = {0x100, 0x1000'0200, 0x300};
  for (auto& strides : c.stride) {
    strides[0] = 4;
  }
  c.cmd = encode(f);
  return c;
}

Words scratchpad(const Words& a, const Words& b = {}) {
  Words tcdm(kWords, 0xDEAD'BEEF);
  std::copy(a.begin(), a.end(), tcdm.begin() + 0x100 / 4);
  std::copy(b.begin(), b.end(), tcdm.begin() + 0x200 / 4);
  return tcdm;
}

/// Values stored by a one-loop command with all levels 0 but the outer (each step inits and stores), or as
/// given.
Words stored(const Outcome& out) {
  Words values;
  for (const Store& s : out.stores) {
    values.push_back(s.value);
  }
  return values;
}

CommandFields fields(std::uint32_t opcode, std::uint32_t aux = 0, bool polarity = false) {
  CommandFields f;
  f.opcode = opcode;
  f.init_source = kSourceZero;
  f.aux = aux;
  f.polarity = polarity;
  return f;
}

/// One loop, init once before it, a store at each step; `init` is the init operand, read through AGU2 (so it
/// lies where the first result goes; the first step reads before it stores).
Words running(std::uint32_t opcode, std::uint32_t aux, bool polarity, std::uint32_t init, const Words& a,
              const Words& b = {}) {
  CommandFields f = fields(opcode, aux, polarity);
  f.init_level = 1;
  f.init_source = 2;
  Words tcdm = scratchpad(a, b);
  tcdm[0x300 / 4] = init;
  const Outcome out = run(one_loop(f, static_cast<std::uint32_t>(std::max(a.size(), b.size()))), tcdm);
  REQUIRE(out.cause == Cause::kNone);
  return stored(out);
}

}  // namespace

TEST_CASE("fields are where the specification has them") {
  CommandFields f;
  f.opcode = 8;
  f.init_level = 4;
  f.store_level = 2;
  f.outer_level = 5;
  f.init_source = 2;
  f.aux = 5;
  f.irq = 2;
  f.polarity = true;
  f.overlap = true;
  f.reserved = 1;
  const std::uint32_t cmd = encode(f);
  CHECK(cmd == (8u | 4u << 4 | 2u << 7 | 5u << 10 | 2u << 13 | 5u << 15 | 2u << 18 | 1u << 20 | 1u << 21 |
                1u << 22));
  CHECK(encode(decode(cmd)) == cmd);
  CHECK(encode(decode(0x1234'5678)) == 0x1234'5678);
}

TEST_CASE("MAC: dot product, init value, polarity, ReLU") {
  const Words a = {kOne, kTwo, kThree};
  const Words b = {kTwo, kTwo, kMinusOne};
  CHECK(running(kMac, 0, false, kOne, a, b) == Words{bits(3), bits(7), bits(4)});
  CHECK(running(kMac, 0, true, kOne, a, b) == Words{bits(-1), bits(-5), bits(-2)});
  CHECK(running(kMac, 1, true, bits(3), a, b) == Words{bits(1), 0, 0});
  // Zero init is no summand, a +0 from memory is one.
  CHECK(running(kMac, 0, false, 0, {kMinusZero}, {kOne}) == Words{0});
  Words tcdm = scratchpad({kMinusZero}, {kOne});
  CHECK(stored(run(one_loop(fields(kMac), 1), tcdm)) == Words{kMinusZero});
}

TEST_CASE("VADDSUB: polarity negates the init operand") {
  const Words a = {kOne, kTwo, kPlusInf};
  CHECK(running(kVaddsub, 0, false, kThree, a) == Words{bits(4), bits(6), kPlusInf});
  CHECK(running(kVaddsub, 0, true, kThree, a) == Words{bits(-2), 0, kPlusInf});
  CHECK(running(kVaddsub, 1, true, kThree, a) == Words{0, 0, kPlusInf});
  CHECK(running(kVaddsub, 0, true, 0, {kMinusZero}) == Words{kMinusZero});
  CHECK(running(kVaddsub, 0, false, 0, {kMinusZero}) == Words{0});
}

TEST_CASE("VMULT and OUTERP are IEEE products; only the last of a nest is stored") {
  const Words a = {kMinusZero, kTwo, 0x0000'0001};
  const Words b = {kOne, kThree, 0x3F00'0000};
  Words tcdm = scratchpad(a, b);
  CHECK(stored(run(one_loop(fields(kVmult), 3), tcdm)) == Words{kMinusZero, bits(6), 0});
  CHECK(stored(run(one_loop(fields(kVmult, 0, true), 3), tcdm)) == Words{0, bits(-6), kMinusZero});
  CHECK(stored(run(one_loop(fields(kVmult, 1, true), 3), tcdm)) == Words{0, 0, 0});
  CommandFields f = fields(kVmult);
  f.store_level = f.init_level = 1;
  const Outcome last = run(one_loop(f, 2), tcdm);
  CHECK(last.stores == std::vector<Store>{{0x304, bits(6)}});
  CHECK(last.macs == 2);
  CHECK(running(kOuterp, 0, false, kTwo, a) == Words{kMinusZero, bits(4), 2});
  CHECK(running(kOuterp, 0, true, kTwo, a) == Words{0, bits(-4), kMinusZero | 2});
  CHECK(stored(run(one_loop(fields(kOuterp), 3), tcdm)) == Words{kMinusZero, 0, 0});
}

TEST_CASE("MAXMIN: IEEE maximum and minimum, index of the first winner") {
  const std::uint32_t nan = 0xFFC0'1234;
  const Words b = {kOne, kTwo, kTwo, kMinusOne, nan, 0x7F80'0001, kPlusInf};
  CHECK(running(kMaxmin, 0, false, kMinusOne, {}, b) ==
        Words{kOne, kTwo, kTwo, kTwo, kQuietNan, kQuietNan, kQuietNan});
  CHECK(running(kMaxmin, 1, false, kMinusOne, {}, b) == Words{0, 1, 1, 1, 4, 4, 4});
  CHECK(running(kMaxmin, 0, true, kMinusOne, {}, b) ==
        Words{kMinusOne, kMinusOne, kMinusOne, kMinusOne, kQuietNan, kQuietNan, kQuietNan});
  CHECK(running(kMaxmin, 1, true, kThree, {}, b) == Words{0, 0, 0, 3, 4, 4, 4});
  CHECK(running(kMaxmin, 0, false, kMinusZero, {}, {kMinusZero, 0, kMinusZero}) == Words{kMinusZero, 0, 0});
  CHECK(running(kMaxmin, 1, false, kMinusZero, {}, {kMinusZero, 0, kMinusZero}) == Words{0, 1, 1});
  CHECK(running(kMaxmin, 0, true, 0, {}, {0, kMinusZero, 0}) == Words{0, kMinusZero, kMinusZero});
  CHECK(running(kMaxmin, 1, true, 0, {}, {0, kMinusZero, 0}) == Words{0, 1, 1});
  CHECK(running(kMaxmin, 0, false, nan, {}, {kOne}) == Words{kQuietNan});
  CHECK(running(kMaxmin, 1, false, nan, {}, {kOne, nan}) == Words{0, 0});
  // A zero init takes part: the maximum of negatives is +0.
  Words tcdm = scratchpad({}, {kMinusOne, kMinusTwo});
  CommandFields f = fields(kMaxmin);
  f.init_level = f.store_level = 1;
  CHECK(stored(run(one_loop(f, 2), tcdm)) == Words{0});
}

TEST_CASE("THTST and MASK: compares, polarity, bit patterns unchanged") {
  const std::uint32_t nan = 0x7F80'0001;
  const Words b = {kOne, kTwo, kThree, kMinusZero, nan, kMinusTwo};
  const Words a = {1, 0xFFFF'FFFF, 3, 4, kMinusZero, 6};
  const std::uint32_t t = kTwo;
  CHECK(running(kThtst, 0, false, t, {}, b) == Words{t, kTwo, t, t, t, t});
  CHECK(running(kThtst, 1, false, t, {}, b) == Words{kOne, t, t, kMinusZero, t, kMinusTwo});
  CHECK(running(kThtst, 2, false, t, {}, b) == Words{kOne, kTwo, t, kMinusZero, t, kMinusTwo});
  CHECK(running(kThtst, 1, true, t, {}, b) == Words{t, kTwo, kThree, t, nan, t});
  CHECK(running(kThtst, 4, false, 0, {}, b) == Words{0, 0, 0, kOne, 0, 0});
  CHECK(running(kThtst, 5, false, 0, {}, b) == Words{0, 0, 0, 0, 0, kOne});
  CHECK(running(kThtst, 6, false, kMinusTwo, {}, b) == Words{0, 0, 0, 0, 0, kOne});
  CHECK(running(kThtst, 5, false, kMinusTwo, {}, b) == Words{0, 0, 0, 0, 0, 0});
  CHECK(running(kThtst, 6, true, nan, {}, b) == Words{kOne, kOne, kOne, kOne, kOne, kOne});
  CHECK(running(kMask, 0, false, 0, a, b) == Words{0, 0, 0, 4, 0, 0});
  CHECK(running(kMask, 1, true, t, a, b) == Words{0, 0xFFFF'FFFF, 3, 0, kMinusZero, 0});
  CHECK(running(kMask, 4, false, 2, a) == Words{0, 0, 3, 0, 0, 0});
  CHECK(running(kMask, 5, false, 2, a) == Words{1, 0xFFFF'FFFF, 0, 0, 0, 0});
  CHECK(running(kMask, 6, true, 2, a) == Words{0, 0, 0, 4, kMinusZero, 6});
  CHECK(running(kMask, 5, false, 0x8000'0000, a) == a);  // unsigned
}

TEST_CASE("COPY: replicate or copy, bits unchanged") {
  const Words a = {0x7F80'0001, kMinusZero, 1};
  CHECK(running(kCopy, 0, true, 0xFFFF'FFFF, a) == Words(3, 0xFFFF'FFFF));
  CHECK(running(kCopy, 1, true, 0, a) == a);
  Words tcdm = scratchpad(a);
  CHECK(stored(run(one_loop(fields(kCopy), 2), tcdm)) == Words{0, 0});
}

TEST_CASE("MASKMAC: scatter of one value, at each step whose test holds") {
  // Pooling backward: add the gradient at the index.
  CommandFields f = fields(kMaskmac, 4);
  f.init_source = 0;
  f.init_level = 1;
  f.store_level = 1;  // ignored
  Words tcdm = scratchpad({kThree}, {2});
  std::fill_n(tcdm.begin() + 0x300 / 4, 4, kOne);
  Outcome out = run(one_loop(f, 4), tcdm);
  CHECK(out.stores == std::vector<Store>{{0x308, bits(4)}});
  CHECK(out.steps == 4);
  CHECK(out.reads == 3);  // v, reg, and the destination of the hit
  // Without init again for each: levels 0.
  f.init_level = f.store_level = 0;
  tcdm = scratchpad({kOne, kTwo, kThree}, {0, 1, 0});
  std::fill_n(tcdm.begin() + 0x300 / 4, 3, kOne);
  CHECK(run(one_loop(f, 3), tcdm).stores == std::vector<Store>{{0x300, bits(2)}, {0x308, bits(4)}});
  // Compare mode with the source zero: B against 0; several hits on one destination add up, rounded each
  // time.
  f = fields(kMaskmac, 1, true);  // not less than zero
  f.init_level = 1;
  tcdm = scratchpad({bits(1.0F)}, {kOne, kMinusOne, kMinusZero, kQuietNan});
  tcdm[0x300 / 4] = bits(16777216.0F);
  Command c = one_loop(f, 4);
  c.stride[2][0] = 0;
  out = run(c, tcdm);
  CHECK(stored(out) == Words(3, bits(16777216.0F)));
  CHECK(!out.hazard);
  // Compare mode with reg from AGU1: B of the init step is reg itself.
  f = fields(kMaskmac, 0);
  f.init_source = 2;
  f.init_level = 1;
  tcdm = scratchpad({kOne}, {kTwo, kThree, kTwo});
  std::fill_n(tcdm.begin() + 0x300 / 4, 3, kMinusOne);
  CHECK(run(one_loop(f, 3), tcdm).stores == std::vector<Store>{{0x300, 0}, {0x308, 0}});
}

TEST_CASE("each init starts anew: register, count, index and value") {
  // Two nests of two steps. Init operands lie at 0x300 and 0x308 (AGU2 at the nest's first step).
  const auto nests = [](std::uint32_t opcode, std::uint32_t aux, std::uint32_t source, const Words& a,
                        const Words& b) {
    CommandFields f = fields(opcode, aux);
    f.outer_level = 2;
    f.init_level = 1;
    f.init_source = source;
    Command c = one_loop(f, 2);
    c.loops[1] = 1;
    for (auto& strides : c.stride) {
      strides[1] = 4;
    }
    c.cmd = encode(f);
    Words tcdm = scratchpad(a, b);
    tcdm[0x300 / 4] = kTwo;
    tcdm[0x308 / 4] = kThree;
    return stored(run(c, tcdm));
  };
  CHECK(nests(kCopy, 0, 2, {}, {}) == Words{kTwo, kTwo, kThree, kThree});
  CHECK(nests(kMac, 0, 2, {kOne, kOne, kOne, kOne}, {kOne, kOne, kOne, kOne}) ==
        Words{bits(3), bits(4), bits(4), bits(5)});
  CHECK(nests(kMac, 0, 3, {kOne, kOne, kOne, kOne}, {kOne, kOne, kOne, kOne}) ==
        Words{bits(1), bits(2), bits(1), bits(2)});
  CHECK(nests(kMaxmin, 0, 3, {}, {kThree, kOne, kTwo, kOne}) == Words{kThree, kThree, kTwo, kTwo});
  CHECK(nests(kMaxmin, 1, 3, {}, {0, kOne, 0, 0}) == Words{0, 1, 0, 0});
  CHECK(nests(kMaxmin, 1, 2, {}, {kOne, kThree, kOne, kTwo}) == Words{0, 1, 0, 0});
  CHECK(nests(kMask, 4, 3, {1, 2, 3, 4}, {}) == Words{1, 0, 3, 0});
  // A zero init after nothing else: OUTERP's register.
  CHECK(nests(kOuterp, 0, 3, {kOne, kOne, kOne, kOne}, {}) == Words{0, 0, 0, 0});
}

TEST_CASE("steps, levels and addresses are those of nested loops") {
  test::Random random(test::seed(21));
  for (int i = 0; i < 400; ++i) {
    CommandFields f = fields(kMac);
    f.outer_level = static_cast<std::uint32_t>(random() % 6);
    f.init_level = static_cast<std::uint32_t>(random() % (f.outer_level + 1));
    f.store_level = static_cast<std::uint32_t>(random() % (f.init_level + 1));
    f.init_source = static_cast<std::uint32_t>(random() % 4);
    Command c;
    c.cmd = encode(f);
    std::array<std::array<std::int32_t, 5>, 3> plain{};
    for (unsigned j = 0; j < 5; ++j) {
      c.loops[j] = static_cast<std::uint32_t>(random() % 3);
    }
    for (unsigned u = 0; u < 3; ++u) {
      for (unsigned j = 0; j < 5; ++j) {
        plain[u][j] = 4 * (static_cast<std::int32_t>(random() % 41) - 20);
      }
      set_strides(c, u, plain[u]);
      // Results above everything that is read, so no step reads what another stores.
      c.base[u] = 4 * (u == 2 ? 12000 : 4000) + static_cast<std::uint32_t>(random() % 64) * 4;
    }
    Words tcdm(kWords);
    fill_values(random, Values::kSmallIntegers, tcdm);
    const Words before = tcdm;

    Words expected = before;
    std::vector<Store> stores;
    double sum = 0;  // small integers: exact
    std::array<std::uint32_t, 5> n{1, 1, 1, 1, 1};
    for (unsigned j = 0; j < f.outer_level; ++j) {
      n[j] = c.loops[j] + 1;
    }
    std::array<std::uint32_t, 5> x{};
    for (x[4] = 0; x[4] < n[4]; ++x[4])
      for (x[3] = 0; x[3] < n[3]; ++x[3])
        for (x[2] = 0; x[2] < n[2]; ++x[2])
          for (x[1] = 0; x[1] < n[1]; ++x[1])
            for (x[0] = 0; x[0] < n[0]; ++x[0]) {
              std::array<std::uint32_t, 3> word{};
              for (unsigned u = 0; u < 3; ++u) {
                std::int32_t offset = 0;
                for (unsigned j = 0; j < 5; ++j) {
                  offset += static_cast<std::int32_t>(x[j]) * plain[u][j];
                }
                word[u] = (c.base[u] + static_cast<std::uint32_t>(offset)) / 4;
              }
              bool first = true;
              bool last = true;
              for (unsigned j = 0; j < f.init_level; ++j) first = first && x[j] == 0;
              for (unsigned j = 0; j < f.store_level; ++j) last = last && x[j] == n[j] - 1;
              if (first) {
                sum = f.init_source == kSourceZero ? 0 : number(expected[word[f.init_source]]);
              }
              sum += double{number(expected[word[0]])} * number(expected[word[1]]);
              if (last) {
                expected[word[2]] = bits(static_cast<float>(sum));
                stores.push_back({4 * word[2], bits(static_cast<float>(sum))});
              }
            }
    const Outcome out = run(c, tcdm);
    if (out.hazard) {
      continue;  // an init operand through AGU2 reads an earlier result
    }
    INFO(to_string(c));
    REQUIRE(out.steps == std::uint64_t{n[0]} * n[1] * n[2] * n[3] * n[4]);
    REQUIRE(out.stores.size() == stores.size());
    for (std::size_t k = 0; k < stores.size(); ++k) {
      REQUIRE(out.stores[k].address == stores[k].address);
      REQUIRE(number(out.stores[k].value) ==
              number(stores[k].value));  // signs of zeros are other tests' matter
    }
    for (const Store& s : out.stores) {
      REQUIRE(tcdm[s.address / 4] ==
              (std::find_if(out.stores.rbegin(), out.stores.rend(), [&](const Store& t) {
                return t.address == s.address;
              }))->value);
    }
  }
}

TEST_CASE("trip counts of 65536, negative strides, loops above the outer level do nothing") {
  CommandFields f = fields(kMac);
  f.init_level = f.store_level = 2;
  f.outer_level = 2;
  Command c;
  c.cmd = encode(f);
  c.loops = {65535, 1, 7, 7, 7};
  c.base = {0x10C, 0x200, 0x300};
  c.stride[0] = {0, -4, 1, 1, 1};  // misaligned strides of loops that do not run do not matter
  c.stride[1] = {0, 4, 2, 2, 2};
  c.stride[2] = {0, 0, 3, 3, 3};
  Words tcdm = scratchpad({0, 0, kTwo, kOne}, {kThree, kOne});
  const Outcome out = run(c, tcdm);
  CHECK(out.cause == Cause::kNone);
  CHECK(out.steps == 131072);
  CHECK(out.stores == std::vector<Store>{{0x300, bits(65536.0F * 5)}});
  CHECK(out.reads == 4);
  CHECK(out.minimum_cycles() == 131072);
}

TEST_CASE("held operands: AXPY's scalar costs one read") {
  // y = a * x + y: B is the scalar (stride 0), init from AGU2 = y, stored in place.
  CommandFields f = fields(kMac);
  f.init_source = 2;
  Command c = one_loop(f, 100);
  c.stride[1][0] = 0;
  Words tcdm(kWords, kOne);
  const Outcome out = run(c, tcdm);
  CHECK(out.reads == 100 + 1 + 100);
  CHECK(out.stores.size() == 100);
  CHECK(!out.hazard);
  CHECK(out.minimum_cycles() == 151);
  // An init operand whose address stays is read once.
  c.stride[2][0] = 4;
  f.init_source = 1;
  f.outer_level = 1;
  c.cmd = encode(f);
  CHECK(run(c, tcdm).reads == 100 + 1 + 1);
}

TEST_CASE("wide images: a chain of commands rounds once") {
  test::Random random(test::seed(22));
  for (int i = 0; i < 200; ++i) {
    Words tcdm(kWords);
    fill_values(random, random_values_kind(random), std::span(tcdm).subspan(0x100 / 4, 64));
    fill_values(random, random_values_kind(random), std::span(tcdm).subspan(0x200 / 4, 64));
    CommandFields f = fields(kMac, 0, (random() & 1) != 0);
    f.init_level = f.store_level = 1;
    Words whole = tcdm;
    const Outcome once = run(one_loop(f, 60), whole);

    const auto cut = static_cast<std::uint32_t>(1 + random() % 59);
    Command first = one_loop(f, cut);
    CommandFields g = f;
    g.outer_level = 1;
    g.aux = 4;
    first.cmd = encode(g);
    first.base[2] = 0x1000;
    first.stride[2][0] = 0;
    const Outcome stored_image = run(first, tcdm);
    REQUIRE(stored_image.stores.size() == 20);
    REQUIRE(stored_image.image_words == 20);

    Command second = one_loop(f, 60 - cut);
    second.base[0] += 4 * cut;
    second.base[1] += 4 * cut;
    second.base[2] = 0x1000;
    second.stride[2][0] = 0;
    g.aux = 2;
    g.init_source = 2;
    second.cmd = encode(g);
    const Outcome resumed = run(second, tcdm);
    REQUIRE(resumed.reads == 2 * (60 - cut) + 20);
    REQUIRE(stored(resumed) == stored(once));

    // The same through VADDSUB of two images.
    Command rest = second;
    g.aux = 4;
    g.init_source = kSourceZero;
    rest.cmd = encode(g);
    rest.base[2] = 0x1100;
    run(rest, tcdm);
    run(first, tcdm);
    CommandFields h = fields(kVaddsub, 2);
    h.init_source = 1;
    Command sum = one_loop(h, 1);
    sum.base = {0x1000, 0x1100, 0x300};
    REQUIRE(stored(run(sum, tcdm)) == stored(once));
    // And its difference with itself is an exact zero.
    h.polarity = true;
    h.outer_level = 1;
    sum.cmd = encode(h);
    sum.base[1] = 0x1000;
    const std::uint32_t difference = stored(run(sum, tcdm)).at(0);
    const std::uint32_t flags = tcdm[0x1000 / 4 + 19];
    REQUIRE(difference == ((flags & (kPlusInfSeen | kMinusInfSeen | kNanSeen)) != 0 ? kQuietNan : 0));
  }
}

TEST_CASE("refused commands: the lowest cause, its register, nothing touched") {
  struct Row {
    const char* what;
    Cause cause;
    std::uint32_t agu;
    std::uint32_t address;
    Command command;
  };
  std::vector<Row> rows;
  const auto add_fields = [&](const char* what, Cause cause, CommandFields f) {
    Command c = one_loop(fields(kMac), 4);
    f.outer_level = f.outer_level == 0 ? 1 : f.outer_level;
    c.cmd = encode(f);
    rows.push_back({what, cause, 0, c.cmd, c});
  };
  CommandFields f = fields(9);
  f.aux = 3;
  f.irq = 3;
  f.reserved = 5;
  f.init_level = 7;
  add_fields("opcode", Cause::kOpcode, f);
  f.opcode = 8;
  add_fields("levels before irq", Cause::kLevels, f);
  f.init_level = 0;
  f.store_level = 1;
  add_fields("store above init", Cause::kLevels, f);
  f.store_level = 0;
  f.outer_level = 6;
  add_fields("outer above 5", Cause::kLevels, f);
  f.outer_level = 1;
  add_fields("irq", Cause::kIrq, f);
  f.irq = 0;
  add_fields("aux", Cause::kAux, f);
  f.aux = 0;
  add_fields("reserved", Cause::kReservedBits, f);
  for (const std::uint32_t op : {0u, 1u}) add_fields("relu and wide store", Cause::kAux, fields(op, 5));
  for (const std::uint32_t op : {0u, 1u}) add_fields("relu and all wide", Cause::kAux, fields(op, 7));
  for (const std::uint32_t op : {2u, 3u, 4u, 8u}) {
    for (const std::uint32_t aux : {2u, 4u}) add_fields("only aux 0", Cause::kAux, fields(op, aux));
  }
  for (const std::uint32_t op : {5u, 6u, 7u}) {
    for (const std::uint32_t aux : {3u, 7u}) add_fields("compare 3", Cause::kAux, fields(op, aux));
  }
  const auto add_command = [&](const char* what, Cause cause, std::uint32_t agu, std::uint32_t address,
                               const Command& c) {
    rows.push_back({what, cause, agu, address, c});
  };
  Command c = one_loop(fields(kMac), 4);
  c.base[1] = 0x1000'0202;
  c.base[2] = 0x301;
  c.stride[0][0] = 2;
  add_command("base before stride", Cause::kMisalignedBase, 1, 0x1000'0202, c);
  c.base[1] = 0x200;
  c.base[2] = 0x300;
  add_command("stride", Cause::kMisalignedStride, 0, 2, c);
  c.stride[0][0] = 4;
  c.stride[2][0] = -1;
  add_command("negative stride", Cause::kMisalignedStride, 2, 0xFFFF'FFFF, c);
  c.loops[0] = 0;
  add_command("stride of a single trip", Cause::kMisalignedStride, 2, 0xFFFF'FFFF, c);
  c.stride[2][0] = 0;
  c.base[0] = 0x2000'0100;
  add_command("no address prefix", Cause::kOutOfRange, 0, 0x2000'0100, c);
  c.base[0] = 0x0001'0000;
  add_command("beyond", Cause::kOutOfRange, 0, 0x1001'0000, c);
  for (const Row& row : rows) {
    Words tcdm = scratchpad({});
    const Words before = tcdm;
    const Outcome out = run(row.command, tcdm);
    INFO(row.what << "\n" << to_string(row.command));
    CHECK(out.cause == row.cause);
    CHECK(out.error_agu == row.agu);
    CHECK(out.error_addr == row.address);
    CHECK(out.stores.empty());
    CHECK(out.steps == 0);
    CHECK(tcdm == before);
  }
}

TEST_CASE("registers of AGUs that a command does not use are ignored") {
  struct Row {
    std::uint32_t opcode, aux, source;
    unsigned active;
  };
  for (const Row& row : std::vector<Row>{{kMac, 0, 3, 7},
                                         {kVaddsub, 0, 3, 5},
                                         {kVaddsub, 2, 1, 7},
                                         {kVmult, 0, 0, 7},
                                         {kOuterp, 0, 3, 5},
                                         {kOuterp, 0, 1, 7},
                                         {kMaxmin, 0, 3, 6},
                                         {kMaxmin, 1, 0, 7},
                                         {kThtst, 4, 2, 6},
                                         {kMask, 0, 3, 7},
                                         {kMask, 4, 3, 5},
                                         {kMask, 4, 1, 7},
                                         {kMaskmac, 0, 3, 7},
                                         {kMaskmac, 4, 3, 5},
                                         {kMaskmac, 4, 0, 7},
                                         {kCopy, 0, 3, 4},
                                         {kCopy, 0, 0, 5},
                                         {kCopy, 0, 1, 6},
                                         {kCopy, 1, 1, 5}}) {
    CommandFields f = fields(row.opcode, row.aux);
    f.init_source = row.source;
    CAPTURE(row.opcode, row.aux, row.source);
    CHECK(active_agus(f) == row.active);
    Command c = one_loop(f, 2);
    for (unsigned u = 0; u < 3; ++u) {
      if ((row.active >> u & 1) == 0) {
        c.base[u] = 0xFFFF'FFFF;
        c.stride[u][0] = 1;
      }
    }
    Words tcdm = scratchpad({kOne, kOne}, {kOne, kOne});
    CHECK(run(c, tcdm).cause == Cause::kNone);
  }
}

TEST_CASE("an address too far from the scratchpad is lost") {
  const std::uint32_t end = 4 * kWords;
  Words tcdm(kWords, kOne);
  // A stride from the first to the last word and one back are none too far; twice that is.
  Command c = one_loop(fields(kMac), 2);
  c.stride[0][0] = static_cast<std::int32_t>(end - 4);
  c.base[0] = 0;
  CHECK(run(c, tcdm).cause == Cause::kNone);
  c.base[0] = end - 4;
  c.stride[0][0] = -c.stride[0][0];
  CHECK(run(c, tcdm).cause == Cause::kNone);
  c.stride[0][0] = -static_cast<std::int32_t>(end);
  CHECK_FALSE(is_far(c.stride[0][0], kWords));
  Outcome out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.error_addr == kTcdmBase - 4);
  c.base[0] = 0;
  c.stride[0][0] = static_cast<std::int32_t>(end);
  CHECK(is_far(c.stride[0][0], kWords));
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.steps == 1);
  CHECK(out.error_addr == kLost);
  // A far stride that never advances does not matter.
  c.loops[0] = 0;
  CHECK(run(c, tcdm).cause == Cause::kNone);
  // Out between accesses and back: found if never twice the scratchpad's size from its start, else lost.
  CommandFields f = fields(kMac);
  f.outer_level = f.init_level = f.store_level = 2;
  c = Command{};
  c.cmd = encode(f);
  c.loops = {1, 2, 0, 0, 0};
  const auto sixteenth = static_cast<std::int32_t>(end / 16);
  c.stride[2] = {2 * sixteenth, -14 * sixteenth, 0, 0, 0};
  c.base[2] = 29 * end / 16;
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kNone);
  CHECK(out.stores.at(0).address == 7 * end / 16);
  c.base[2] = 31 * end / 16;
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.error_agu == 2);
  CHECK(out.error_addr == kLost);
  // A base at twice the size is refused, as one in another region is.
  c.base[2] = 2 * end;
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.steps == 0);
  CHECK(out.error_addr == 2 * end);
}

TEST_CASE("a command that runs out of the scratchpad stops at that step") {
  const std::uint32_t end = 4 * kWords;
  Command c = one_loop(fields(kMac), 4);
  c.base[1] = end - 8;
  Words tcdm(kWords, kOne);
  Outcome out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.error_agu == 1);
  CHECK(out.error_addr == kTcdmBase + end);
  CHECK(out.steps == 2);
  CHECK(out.stores.size() == 2);
  CHECK(tcdm[0x308 / 4] == kOne);
  // The lowest AGU of the first bad step.
  c.base = {end - 8, end - 8, end - 4};
  out = run(c, tcdm);
  CHECK(out.steps == 1);
  CHECK(out.error_agu == 2);
  c.base[2] = end - 8;
  CHECK(run(c, tcdm).error_agu == 0);
  // Below the start.
  c = one_loop(fields(kMac), 4);
  c.base[0] = 0;
  c.stride[0][0] = -4;
  out = run(c, tcdm);
  CHECK(out.steps == 1);
  CHECK(out.error_addr == kTcdmBase - 4);
  // AGU2 is judged only when it stores.
  CommandFields f = fields(kMac);
  f.init_level = f.store_level = 1;
  c = one_loop(f, 3);
  c.stride[2][0] = -4;
  c.base[2] = end + 4;  // beyond the scratchpad, reaches it at the last step
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kNone);
  CHECK(out.stores == std::vector<Store>{{end - 4, bits(3)}});
  c.base[2] -= 4;
  CHECK(run(c, tcdm).cause == Cause::kNone);
  c.base[2] += 8;
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.steps == 2);
  CHECK(out.error_addr == kTcdmBase + end);
  c.stride[2][0] = 4;
  // An image that ends outside: its first bad word; nothing of it is stored.
  f.aux = 4;
  c = one_loop(f, 1);
  c.base[2] = end - 40;
  std::fill(tcdm.begin(), tcdm.end(), kOne);
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.error_addr == kTcdmBase + end);
  CHECK(out.stores.empty());
  CHECK(tcdm == Words(kWords, kOne));
  // MASKMAC reads v only in init steps.
  f = fields(kMaskmac, 5,
             true);  // never, but for a count of 0 at least 0: the first step is a hit, and all others
  f.init_level = 1;
  c = one_loop(f, 3);
  c.base[0] = end - 4;
  tcdm[end / 4 - 1] = 0;
  CHECK(run(c, tcdm).cause == Cause::kNone);
  // MASKMAC reaches AGU2 only on a hit.
  f = fields(kMaskmac, 4);
  f.init_level = 1;
  f.init_source = 1;
  c = one_loop(f, 4);
  c.base[2] = end - 4;
  tcdm[0x200 / 4] = 0;
  CHECK(run(c, tcdm).cause == Cause::kNone);
  tcdm[0x200 / 4] = 2;
  out = run(c, tcdm);
  CHECK(out.cause == Cause::kOutOfRange);
  CHECK(out.error_agu == 2);
  CHECK(out.error_addr == kTcdmBase + end + 4);
  CHECK(out.steps == 2);
}

TEST_CASE("reading what an earlier step stored is reported") {
  Words tcdm(kWords, kOne);
  Command c = one_loop(fields(kMac), 4);
  c.base[2] = 0x104;
  Outcome out = run(c, tcdm);
  REQUIRE(out.hazard);
  CHECK(out.hazard->step == 1);
  CHECK(out.hazard->agu == 0);
  CHECK(out.hazard->address == 0x104);
  c.base[2] = 0x100;  // in place
  CHECK(!run(c, tcdm).hazard);
  c.base[2] = 0xFC;  // behind
  CHECK(!run(c, tcdm).hazard);
  CommandFields f = fields(kMaskmac, 6);
  f.init_source = 1;
  f.init_level = 1;
  c = one_loop(f, 4);
  c.stride[2][0] = 0;
  CHECK(!run(c, tcdm).hazard);
  f.init_level = 0;  // v is read again at each step
  f.outer_level = 1;
  c.cmd = encode(f);
  c.base[2] = 0x104;
  CHECK(run(c, tcdm).hazard);
}

}  // namespace nearcube::golden
