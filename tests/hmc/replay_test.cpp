// SPDX-License-Identifier: Apache-2.0
// Traces: what is read, what is refused, and what becomes of the requests.
#include "sim/hmc/replay.h"

#include <filesystem>
#include <fstream>
#include <map>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "tests/support/catch.h"

using namespace nearcube;

namespace {

/// A trace in a file that goes away with it.
class Trace {
 public:
  explicit Trace(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "nearcube-trace-XXXXXX").string();
    const int fd = mkstemp(name.data());
    REQUIRE(fd >= 0);
    close(fd);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Trace() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const hmc::CubeConfig& config() {
  static const hmc::CubeConfig config = hmc::read_cube_config("config/cube/hmc2-8gb.yaml");
  return config;
}

std::vector<hmc::TraceLine> lines_of(const std::string& text) {
  const Trace trace(text);
  hmc::TraceReader reader(trace.path());
  std::vector<hmc::TraceLine> lines;
  for (hmc::TraceLine line; reader.next(line);) lines.push_back(line);
  return lines;
}

hmc::ReplayResult replay(const std::string& text, const hmc::ReplayOptions& options = {},
                         hmc::CommandObserver* observer = nullptr) {
  const Trace trace(text);
  hmc::TraceReader reader(trace.path());
  hmc::Cube cube(config(), options.ports);
  if (observer != nullptr) cube.add_observer(*observer);
  return hmc::replay(cube, reader, options);
}

void refuse(const std::string& text, const std::string& message) {
  INFO(text);
  const Trace trace(text);
  hmc::TraceReader reader(trace.path());
  hmc::Cube cube(config(), 32);
  try {
    hmc::replay(cube, reader, {});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::kBadInput);
    CHECK(std::string(error.what()) == trace.path() + message);
  }
}

}  // namespace

TEST_CASE("a trace is read as the public simulators read it") {
  const auto lines = lines_of("0x9d00a40 READ 0\n# a remark\n\n  1f00\tWRITE 12\r\n0XAbC READ 12");
  REQUIRE(lines.size() == 3);
  CHECK((lines[0].address == 0x9d00a40 && !lines[0].write && lines[0].cycle == 0));
  CHECK((lines[1].address == 0x1f00 && lines[1].write && lines[1].cycle == 12));
  CHECK((lines[2].address == 0xabc && !lines[2].write && lines[2].cycle == 12));
  CHECK(lines_of("").empty());
  CHECK(lines_of("\n\n# nothing\n").empty());
}

TEST_CASE("a bad line is named, with what was expected") {
  refuse("0x40 READ 0\n\nzebra READ 3\n",
         ":3: \"zebra\" is not a hexadecimal address; a line is \"address READ|WRITE cycle\"");
  refuse("0x READ 3", ":1: \"0x\" is not a hexadecimal address; a line is \"address READ|WRITE cycle\"");
  refuse("-40 READ 3", ":1: \"-40\" is not a hexadecimal address; a line is \"address READ|WRITE cycle\"");
  refuse("0x12345678123456781 READ 3",
         ":1: \"0x12345678123456781\" is not a hexadecimal address; a line is \"address READ|WRITE cycle\"");
  refuse("0x40", ":1: READ or WRITE is missing after the address");
  refuse("0x40 read 3", ":1: \"read\" is neither READ nor WRITE");
  refuse("0x40 READ", ":1: the cycle is missing, a decimal number after READ or WRITE");
  refuse("0x40 READ 0x10", ":1: \"0x10\" is not a cycle, a decimal number");
  refuse("0x40 READ -1", ":1: \"-1\" is not a cycle, a decimal number");
  refuse("0x40 READ 18446744073709551616", ":1: \"18446744073709551616\" is not a cycle, a decimal number");
  refuse("0x40 READ 18446744073709551615", ":1: cycle 18446744073709551615 is not below 11529215046068469");
  refuse("0x40 READ 5 64", ":1: \"64\" follows the cycle; nothing may");
  refuse("0x40 READ 5\n0x40 READ 4\n", ":2: cycle 4 comes after cycle 5; cycles must not decrease");
  refuse("0x200000000 READ 0", ":1: address 0x200000000 is outside the cube of 8 GiB");
  refuse(std::string("\x1b[2J\0x", 6) + std::string(100, 'y'),
         ":1: \"?[2J?xyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...\" is not a hexadecimal address; a line is "
         "\"address READ|WRITE cycle\"");
  CHECK_THROWS_AS(hmc::TraceReader("/no/such/trace"), Error);
  CHECK_THROWS_AS(replay("0x40 READ 5", {.bytes = 48}), Error);
  CHECK_THROWS_AS(replay("0x40 READ 5", {.bytes = 128}), Error);
}

TEST_CASE("requests are asked for in their cycle, and a gap costs nothing") {
  // Nothing else is under way: each takes what an idle read takes. The refreshes of both vaults are
  // elsewhere.
  std::uint64_t idle = 0;
  for (const auto& part : hmc::Cube::idle_read(config(), 64, hmc::Attach::kBase)) idle += part.ps;
  const auto result = replay("0x0 READ 100\n0x0 READ 1000000000000\n");
  CHECK(result.reads.count == 2);
  CHECK(result.writes.count == 0);
  CHECK(result.reads.min_ps == idle);
  CHECK(result.last_ps == 800ull * 1'000'000'000'000 + result.reads.max_ps);
  CHECK(result.ps == result.last_ps - 80'000);
  const auto none = replay("");
  CHECK((none.reads.count == 0 && none.ps == 0));
}

TEST_CASE("a wait for one's turn counts as latency") {
  // Four reads of four vaults at once, one under way: each waits for all before it.
  const std::string text = "000 READ 0\n040 READ 0\n080 READ 0\n0c0 READ 0\n";
  const auto free = replay(text);
  const auto bound = replay(text, {.outstanding = 1});
  CHECK(free.late == 0);
  CHECK(bound.late == 3);
  CHECK(bound.reads.max_ps == 4 * free.reads.max_ps);
  CHECK(bound.reads.max_ps == bound.ps);
  CHECK(bound.reads.sum_ps == 10 * free.reads.max_ps);
}

TEST_CASE("every line becomes one request, and those of one address keep their order") {
  base::Random random(7);
  std::string text;
  std::map<std::uint64_t, std::vector<bool>> expected;
  std::uint64_t cycle = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t address = random.below(40) * 64 * 33;
    const bool write = random.below(2) == 0;
    cycle += random.below(4);
    text += std::to_string(address / 16) + "0";  // decimal digits are hexadecimal, too
    text += std::string(write ? " WRITE " : " READ ") + std::to_string(cycle) + "\n";
    expected[std::stoull(std::to_string(address / 16) + "0", nullptr, 16)].push_back(write);
  }
  for (const std::uint32_t outstanding : {0u, 1u, 50u}) {
    struct : hmc::CommandObserver {
      void command(const hmc::DramCommand& command) override {
        using enum hmc::CommandKind;
        const bool write = command.kind == kWrite || command.kind == kWriteAp;
        if (write || command.kind == kRead || command.kind == kReadAp)
          served[command.address].push_back(write);
      }
      std::map<std::uint64_t, std::vector<bool>> served;
    } observer;
    const auto result = replay(text, {.bytes = 16, .outstanding = outstanding}, &observer);
    CHECK(result.reads.count + result.writes.count == 20'000);
    CHECK(observer.served == expected);
  }
}
