// SPDX-License-Identifier: Apache-2.0
// Random batches of transfers, many outstanding, against a copy of all memories that is moved byte by byte. A
// batch that fails is shrunk to the fewest transfers that still fail, and printed.
#include "tests/support/random.h"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/dma/dma_bench.h"
#include "tests/support/catch.h"

namespace nearcube::test {
namespace {

using base::Random;

/// A stretch of addresses in which batches live. Transfers read from the lower half and write to the upper.
struct Area {
  std::uint64_t base, bytes;
};
constexpr Area kAreas[] = {
    {kTcdmBase, kTcdmBytes}, {kCubeBase, 0x10000}, {0x3'FFFF'8000, 0x10000},  // across a multiple of 4 GiB
};

struct Batch {
  BenchOptions options;
  std::vector<Transfer> transfers;
  std::vector<AxiSlave::Range> errors;
  std::uint64_t seed = 1;
};

std::string describe(const Transfer& t) {
  std::ostringstream out;
  out << std::hex << (t.fill ? "fill 0x" : "copy 0x") << (t.fill ? t.pattern : t.src) << " -> 0x" << t.dst
      << std::dec << ", " << t.bytes << " B, rows " << t.count1 << " (strides " << t.src_stride1 << ", "
      << t.dst_stride1 << "), planes " << t.count2 << " (strides " << t.src_stride2 << ", " << t.dst_stride2
      << ")";
  return out.str();
}

std::string describe(const Batch& batch) {
  std::ostringstream out;
  out << "seed " << batch.seed << ", clock ratio " << batch.options.ratio << ", grants "
      << batch.options.read_grant << " " << batch.options.write_grant << ", AXI latency to "
      << batch.options.axi.read_latency_max << ", ready " << batch.options.axi.ar_ready << "\n";
  for (const auto& range : batch.errors) {
    out << "  error answers from 0x" << std::hex << range.begin << " to 0x" << range.end << std::dec << "\n";
  }
  for (const Transfer& t : batch.transfers) out << "  " << describe(t) << "\n";
  return out.str();
}

/// Every byte's two addresses, in the order of the engine's rows.
template <typename Visit>
void each_byte(const Transfer& t, const Visit& visit) {
  for (std::uint64_t k = 0; k < t.count2; ++k) {
    for (std::uint64_t j = 0; j < t.count1; ++j) {
      const std::uint64_t src = t.src + j * static_cast<std::uint64_t>(std::int64_t{t.src_stride1}) +
                                k * static_cast<std::uint64_t>(std::int64_t{t.src_stride2});
      const std::uint64_t dst = t.dst + j * static_cast<std::uint64_t>(std::int64_t{t.dst_stride1}) +
                                k * static_cast<std::uint64_t>(std::int64_t{t.dst_stride2});
      for (std::uint64_t i = 0; i < t.bytes; ++i) visit(src + i, dst + i);
    }
  }
}

bool in_tcdm(std::uint64_t a) { return a >= kTcdmBase && a < kTcdmBase + kTcdmBytes; }

/// Contents of all areas.
class Image {
 public:
  explicit Image(std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < std::size(kAreas); ++i) {
      bytes_[i].resize(kAreas[i].bytes);
      for (auto& b : bytes_[i]) b = static_cast<std::uint8_t>(random.next());
    }
  }
  std::uint8_t* find(std::uint64_t address) {
    for (std::size_t i = 0; i < std::size(kAreas); ++i) {
      if (address - kAreas[i].base < kAreas[i].bytes) return &bytes_[i][address - kAreas[i].base];
    }
    return nullptr;
  }
  const std::vector<std::uint8_t>& area(std::size_t i) const { return bytes_[i]; }

 private:
  std::vector<std::uint8_t> bytes_[std::size(kAreas)];
};

/// Runs a batch; says what is wrong, if something is.
std::optional<std::string> run(const Batch& batch) {
  DmaBench bench(batch.options);
  Image before(batch.seed);
  bench.tcdm() = before.area(0);
  for (std::size_t i = 1; i < std::size(kAreas); ++i) bench.memory().write(kAreas[i].base, before.area(i));
  for (const auto& range : batch.errors) bench.axi().add_error_range(range);
  const auto erroneous = [&](std::uint64_t a) {
    for (const auto& range : batch.errors) {
      if (a >= range.begin && a < range.end) return true;
    }
    return false;
  };

  // What must come out; for transfers in error each byte may be old or any of those that belong there.
  Image after = before;
  std::map<std::uint64_t, std::set<std::uint8_t>> either;
  std::vector<std::set<std::uint32_t>> causes(batch.transfers.size());
  for (std::size_t n = 0; n < batch.transfers.size(); ++n) {
    const Transfer& t = batch.transfers[n];
    each_byte(t, [&](std::uint64_t src, std::uint64_t dst) {
      const bool src_tcdm = in_tcdm(t.src), dst_tcdm = in_tcdm(t.dst);
      if (!t.fill && (src_tcdm ? !in_tcdm(src) : src < kCubeBase)) causes[n].insert(3);
      if (dst_tcdm ? !in_tcdm(dst) : dst < kCubeBase) causes[n].insert(3);
      if (!t.fill && !src_tcdm && erroneous(src & ~std::uint64_t{7})) causes[n].insert(1);
      if (!dst_tcdm && erroneous(dst & ~std::uint64_t{7})) causes[n].insert(2);
    });
    each_byte(t, [&](std::uint64_t src, std::uint64_t dst) {
      std::uint8_t* to = after.find(dst);
      if (!to) return;
      const std::uint8_t* from = before.find(src);
      const std::uint8_t copied = from ? *from : 0;  // memory beside the areas is zero
      const std::uint8_t value = t.fill ? static_cast<std::uint8_t>(t.pattern >> 8 * (dst & 3)) : copied;
      if (causes[n].empty()) {
        *to = value;
      } else {
        either[dst].insert({value, *before.find(dst)});
      }
    });
  }

  const auto actual = [&](std::uint64_t a) {
    return in_tcdm(a) ? bench.tcdm()[a - kTcdmBase] : bench.memory().read_as<std::uint8_t>(a);
  };
  const auto wrong = [&](const Transfer& t) -> std::optional<std::string> {
    std::optional<std::string> text;
    each_byte(t, [&](std::uint64_t, std::uint64_t dst) {
      const std::uint8_t* expected = after.find(dst);
      if (text || !expected || either.count(dst) || actual(dst) == *expected) return;
      std::ostringstream out;
      out << "byte 0x" << std::hex << dst << " is 0x" << unsigned{actual(dst)} << ", not 0x"
          << unsigned{*expected} << ", when its transfer is complete: " << describe(t);
      text = out.str();
    });
    return text;
  };

  try {
    // Start everything, and look at each transfer's bytes as soon as it is said to be complete.
    std::uint32_t completed = 0;
    const auto poll = [&]() -> std::optional<std::string> {
      const std::uint32_t now = bench.read(interfaces::dma::kCompletedIdOffset);
      if (now < completed || now > batch.transfers.size())
        return "completed_id went from " + std::to_string(completed) + " to " + std::to_string(now);
      for (; completed < now; ++completed) {
        if (auto text = wrong(batch.transfers[completed])) return text;
      }
      return std::nullopt;
    };
    for (std::size_t n = 0; n < batch.transfers.size(); ++n) {
      if (bench.start(batch.transfers[n]) != n + 1) return "a wrong id";
      if (auto text = poll()) return text;
    }
    while (completed < batch.transfers.size()) {
      if (auto text = poll()) return text;
      if (bench.now() > 4'000'000) return "stuck: " + bench.debug();
    }
    if (bench.read(interfaces::dma::kStatusOffset) & 15)
      return "all ids are complete, but some are outstanding";
    for (int i = 0; i < 200; ++i) bench.cycle();
    if (!bench.axi().idle()) return "AXI has something left over";
    if (bench.done_pulses() == 0) return "no event";
  } catch (const std::exception& error) {
    return error.what();
  }

  // Everything else is as it was.
  for (std::size_t i = 0; i < std::size(kAreas); ++i) {
    for (std::uint64_t o = 0; o < kAreas[i].bytes; ++o) {
      const std::uint64_t a = kAreas[i].base + o;
      const auto choice = either.find(a);
      const std::uint8_t is = actual(a);
      if (choice != either.end() ? choice->second.count(is) != 0 : is == after.area(i)[o]) continue;
      std::ostringstream out;
      out << "byte 0x" << std::hex << a << " is 0x" << unsigned{is} << ", not 0x"
          << unsigned{after.area(i)[o]};
      return out.str();
    }
  }

  // Errors where there are some, and only there.
  bool any = false;
  for (const auto& set : causes) any |= !set.empty();
  const bool recorded = bench.read(interfaces::dma::kStatusOffset) >> 8 & 1;
  if (recorded != any) return recorded ? "an error nobody made" : "an error was not recorded";
  if ((bench.error_pulses() != 0) != any) return "error event wrong";
  if (any) {
    const std::uint32_t id = bench.read(interfaces::dma::kErrorIdOffset);
    const std::uint32_t cause = bench.read(interfaces::dma::kErrorCauseOffset);
    const std::uint64_t address = bench.read(interfaces::dma::kErrorAddrLoOffset) |
                                  std::uint64_t{bench.read(interfaces::dma::kErrorAddrHiOffset)} << 32;
    std::ostringstream out;
    out << "error id " << id << ", cause " << cause << ", address 0x" << std::hex << address;
    if (id == 0 || id > causes.size() || !causes[id - 1].count(cause)) return out.str() + ": no such error";
    if (cause == 1 && !erroneous(address & ~std::uint64_t{7}))
      return out.str() + ": not an erroneous address";
    bool near = cause != 2;
    for (std::uint64_t a = address & ~std::uint64_t{7}; a <= (address | 255) && !near; a += 8)
      near = erroneous(a);
    if (!near) return out.str() + ": not an erroneous burst";
    if (cause == 3 && (in_tcdm(address) || address >= kCubeBase) &&
        in_tcdm(address) == in_tcdm(batch.transfers[id - 1].src) &&
        in_tcdm(address) == in_tcdm(batch.transfers[id - 1].dst)) {
      return out.str() + ": a good address";
    }
  }
  return std::nullopt;
}

/// A span of `bytes` within half an area, at any alignment.
std::uint64_t place(Random& random, const Area& area, bool upper, std::uint64_t bytes) {
  const std::uint64_t half = area.bytes / 2;
  return area.base + (upper ? half : 0) + random.below(half - bytes + 1);
}

/// Lowest and highest offset of any byte from the address, of an end with these strides.
struct Span {
  std::int64_t low = 0, high = 0;
};
Span span(const Transfer& t, std::int64_t stride1, std::int64_t stride2) {
  const std::int64_t a = stride1 * (std::int64_t{t.count1} - 1), b = stride2 * (std::int64_t{t.count2} - 1);
  Span s;
  s.low = std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0);
  s.high = std::max<std::int64_t>(a, 0) + std::max<std::int64_t>(b, 0) + t.bytes;
  return s;
}

std::optional<Transfer> random_transfer(Random& random,
                                        std::vector<std::pair<std::uint64_t, std::uint64_t>>& taken) {
  Transfer t;
  const unsigned shape = static_cast<unsigned>(random.below(8));
  if (shape == 0) {
    t.bytes = static_cast<std::uint32_t>(random.below(5001));  // 1-D, any size from 0
  } else if (shape <= 3) {
    t.bytes = static_cast<std::uint32_t>(1 + random.below(shape == 1 ? 12 : 130));
    t.count1 = static_cast<std::uint32_t>(1 + random.below(12));
  } else {
    t.bytes = static_cast<std::uint32_t>(1 + random.below(shape == 4 ? 300 : 24));
    t.count1 = static_cast<std::uint32_t>(1 + random.below(6));
    t.count2 = static_cast<std::uint32_t>(1 + random.below(5));
  }
  if (random.below(40) == 0) t.count1 = 0;
  if (random.below(40) == 0) t.count2 = 0;
  const auto stride = [&](std::uint32_t usual) -> std::int32_t {
    switch (random.below(5)) {
      case 0:
        return 0;
      case 1:
        return static_cast<std::int32_t>(usual);
      case 2:
        return -static_cast<std::int32_t>(random.below(400));
      default:
        return static_cast<std::int32_t>(random.below(600));
    }
  };
  t.src_stride1 = stride(t.bytes);
  t.dst_stride1 = stride(t.bytes);
  t.src_stride2 = stride(t.bytes * t.count1);
  t.dst_stride2 = stride(t.bytes * t.count1);
  t.fill = random.below(6) == 0;
  t.pattern = static_cast<std::uint32_t>(random.next());

  const Area& from = kAreas[random.below(2) ? 0 : 1 + random.below(2)];
  const Area& to = kAreas[random.below(2) ? 0 : 1 + random.below(2)];
  const Span src = span(t, t.src_stride1, t.src_stride2), dst = span(t, t.dst_stride1, t.dst_stride2);
  const auto fits = [](const Span& s, const Area& area) {
    return s.high - s.low <= static_cast<std::int64_t>(area.bytes / 2);
  };
  if (!fits(src, from) || !fits(dst, to)) return std::nullopt;
  t.src = place(random, from, false, static_cast<std::uint64_t>(src.high - src.low)) -
          static_cast<std::uint64_t>(src.low);
  t.dst = place(random, to, true, static_cast<std::uint64_t>(dst.high - dst.low)) -
          static_cast<std::uint64_t>(dst.low);
  // Transfers are unordered: no two of a batch may write the same bytes. (One may write a byte twice: its
  // rows are ordered.)
  const std::uint64_t begin = t.dst + static_cast<std::uint64_t>(dst.low),
                      end = t.dst + static_cast<std::uint64_t>(dst.high);
  for (const auto& [b, e] : taken) {
    if (begin < e && b < end) return std::nullopt;
  }
  taken.emplace_back(begin, end);
  return t;
}

Batch random_batch(std::uint64_t seed, bool errors) {
  Random random(seed);
  Batch batch;
  batch.seed = seed;
  batch.options.seed = random.next();
  batch.options.ratio = static_cast<unsigned>(1 + random.below(3));
  const auto probability = [&] {
    return random.below(3) == 0 ? 1.0 : 0.05 + 0.9 * static_cast<double>(random.unit());
  };
  batch.options.read_grant = probability();
  batch.options.write_grant = probability();
  AxiSlaveOptions& axi = batch.options.axi;
  axi.seed = random.next();
  axi.read_latency_max = static_cast<unsigned>(1 + random.below(120));
  axi.write_latency_max = static_cast<unsigned>(1 + random.below(120));
  axi.ar_ready = probability();
  axi.aw_ready = probability();
  axi.w_ready = probability();
  axi.r_valid = probability();
  axi.b_valid = probability();
  axi.outstanding = static_cast<unsigned>(1 + random.below(40));
  const std::uint64_t wanted = 1 + random.below(30);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (int tries = 0; tries < 200 && batch.transfers.size() < wanted; ++tries) {
    if (auto t = random_transfer(random, taken)) batch.transfers.push_back(*t);
  }
  if (errors) {
    for (std::uint64_t i = random.below(5); i > 0; --i) {
      const Area& area = kAreas[1 + random.below(2)];
      const std::uint64_t begin = area.base + (random.below(area.bytes) & ~std::uint64_t{7});
      batch.errors.push_back({begin, begin + 8 * (1 + random.below(40))});
    }
    // Some addresses that lead nowhere: strides, bases, ends.
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      Transfer& t = batch.transfers[random.below(batch.transfers.size())];
      switch (random.below(5)) {
        case 0:
          t.src_stride1 = static_cast<std::int32_t>(0x8000'0000 + random.below(9));
          break;
        case 1:
          t.dst_stride1 = static_cast<std::int32_t>(0x7FFF'0000 + random.below(9));
          break;
        case 2:
          t.src = 0x2000'0000 + random.below(64);
          break;
        case 3:
          t.dst = 0x7FFF'FFF0 + random.below(8);
          break;
        default:
          // Off the scratchpad's end.
          if (!in_tcdm(t.dst)) t.src = kTcdmBase + kTcdmBytes - 1 - random.below(40);
      }
    }
    // Where a stride leads, another transfer may write: leave such ones out, since transfers are unordered.
    std::map<std::uint64_t, const Transfer*> writers;
    for (Transfer& t : batch.transfers) {
      bool shared = false;
      each_byte(t, [&](std::uint64_t, std::uint64_t dst) {
        shared |= writers.emplace(dst, &t).first->second != &t;
      });
      if (shared) t.count1 = 0;
    }
    for (Transfer& t : batch.transfers) {
      bool shared = false;
      if (!t.fill) each_byte(t, [&](std::uint64_t src, std::uint64_t) { shared |= writers.count(src) != 0; });
      if (shared) t.count1 = 0;
    }
  }
  return batch;
}

void run_batches(std::uint64_t first_seed, std::uint64_t count, bool errors) {
  std::cout << "dma: " << count << " batches from seed " << first_seed << (errors ? ", with errors\n" : "\n");
  for (std::uint64_t i = 0; i < count; ++i) {
    Batch batch = random_batch(first_seed + i, errors);
    std::optional<std::string> failure = run(batch);
    if (!failure) continue;
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t n = 0; n < batch.transfers.size() && batch.transfers.size() > 1; ++n) {
        Batch fewer = batch;
        fewer.transfers.erase(fewer.transfers.begin() + static_cast<std::ptrdiff_t>(n));
        if (auto still = run(fewer)) {
          batch = fewer;
          failure = still;
          smaller = true;
          break;
        }
      }
    }
    FAIL(*failure << "\nin the batch, shrunk:\n" << describe(batch));
  }
}

}  // namespace

TEST_CASE("random transfers arrive, byte for byte, and complete when they say so") {
  run_batches(seed(), cases(150, 6000), false);
}

TEST_CASE("transfers in error stop, and the others arrive") {
  run_batches(seed() + 1'000'000, cases(150, 6000), true);
}

}  // namespace nearcube::test
