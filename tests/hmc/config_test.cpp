// SPDX-License-Identifier: Apache-2.0
// Cube configurations: what they say, and what is refused by file, key and reason.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/hmc/cube.h"
#include "tests/support/catch.h"

using namespace nearcube;
using hmc::CubeConfig;
using test::contains;
namespace fs = std::filesystem;

namespace {

const std::string kDefault = "config/cube/hmc2-8gb.yaml";

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The default with the line of `key` in `section` replaced ("" removes it).
std::string changed(const std::string& section, const std::string& key, const std::string& line) {
  std::istringstream in(text_of(kDefault));
  std::string result, now;
  bool found = false;
  for (std::string text; std::getline(in, text);) {
    if (!text.empty() && text[0] != ' ' && text[0] != '#') now = text.substr(0, text.find(':'));
    if (now == section && text.starts_with("  " + key + ":")) {
      found = true;
      if (!line.empty()) result += "  " + line + "\n";
    } else {
      result += text + "\n";
    }
  }
  REQUIRE(found);
  return result;
}

class File {
 public:
  explicit File(const std::string& content) {
    path_ = fs::temp_directory_path() / ("cube_" + std::to_string(::getpid()) + ".yaml");
    std::ofstream(path_) << content;
  }
  ~File() { fs::remove(path_); }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

void refuse(const std::string& section, const std::string& key, const std::string& line,
            const std::string& says) {
  const File file(changed(section, key, line));
  INFO(section << "." << key << ": " << line);
  try {
    hmc::read_cube_config(file.path());
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    CHECK_THAT(error.what(), contains(file.path() + ":") && contains(says));
  }
}

}  // namespace

TEST_CASE("times in ns become the clocks that cover them") {
  const CubeConfig config = hmc::read_cube_config("config/cube/smc.yaml");
  CHECK(config.timing.t_rcd == 18);     // 13.75 / 0.8
  CHECK(config.timing.t_ras == 35);     // 27.5 / 0.8
  CHECK(config.timing.t_wr == 19);      // 15 / 0.8
  CHECK(config.timing.t_rrd == 4);      // 2.8 / 0.8
  CHECK(config.timing.t_rfc == 106);    // 84.6 / 0.8
  CHECK(config.timing.t_refi == 9765);  // the refresh comes no later than that
}

TEST_CASE("each byte of a cube has its own place") {
  base::Random random(5);
  for (const char* name : {"hmc-2gb", "hmc-4gb", "hmc2-8gb", "smc"}) {
    for (const std::uint64_t granule : {32, 64, 128, 256}) {
      const CubeConfig config =
          hmc::with_granule(hmc::read_cube_config(std::string("config/cube/") + name + ".yaml"), granule);
      CHECK(hmc::locate(config, 0).vault == 0);
      CHECK(hmc::locate(config, granule).vault == 1);
      CHECK(hmc::locate(config, granule * config.vaults).bank == 1);
      CHECK(hmc::locate(config, granule * config.vaults * config.banks).column == granule % config.row_bytes);
      const std::uint64_t rows = config.capacity_bytes / config.vaults / config.banks / config.row_bytes;
      for (int i = 0; i < 1000; ++i) {
        const std::uint64_t address = random.below(config.capacity_bytes);
        const hmc::Location place = hmc::locate(config, address);
        CHECK(hmc::address_of(config, place) == address);
        CHECK(place.vault < config.vaults);
        CHECK(place.bank < config.banks);
        CHECK(place.column < config.row_bytes);
        CHECK(place.row < rows);
      }
    }
  }
}

TEST_CASE("a wrong cube is refused by file, key and reason") {
  refuse("cube", "vaults", "", "key cube.vaults: missing");
  refuse("cube", "vaults", "vaults: 0", "key cube.vaults: 0 is not in 1 .. 256");
  refuse("cube", "vaults", "vaults: 24", "key cube.vaults: must be a power of two");
  refuse("cube", "banks", "banks: -8", "key cube.banks: -8 is not in");
  refuse("cube", "banks", "banks: many", "key cube.banks: \"many\" is not a whole number");
  refuse("cube", "capacity", "capacity: 3 GiB", "key cube.capacity: must be a power of two");
  refuse("cube", "capacity", "capacity: 8 ns", "key cube.capacity: \"8 ns\" is not a size");
  refuse("cube", "granule", "granule: 48 B", "key cube.granule: must be a power of two");
  refuse("cube", "granule", "granule: 512", "key cube.granule: 512 B is not in");
  refuse("cube", "row", "row: 256 B\n  rows: 3", "unknown key cube.rows");
  refuse("timing", "tRCD", "tRCD: 17",
         "key timing.tRCD: \"17\" is not a number with a unit, clk or ps or ns");
  refuse("timing", "tRCD", "tRCD: -17 clk", "key timing.tRCD: \"-17 clk\" is below 0 clk");
  refuse("timing", "tRCD", "tRCD: 1.5 clk", "key timing.tRCD: must be whole clocks");
  refuse("timing", "tRCD", "tRCD: 0 clk", "key timing.tRCD: not in 1");
  refuse("timing", "tRFC", "tRFC: 420 GB", "key timing.tRFC: \"420 GB\" is not a number with a unit");
  refuse("timing", "tREFI", "tREFI: 420 clk", "key timing.tREFI: below tRFC + 2 (tRAS + tRP)");
  refuse("timing", "tRAS", "tRAS: 3 clk", "key timing.tRAS: below tRCD");
  refuse("timing", "tCK", "tCK: 0.8", "key timing.tCK: \"0.8\" is not a number with a unit");
  refuse("timing", "tCK", "tCK: 0 ns", "key timing.tCK: not in 0.1 .. 100 ns");
  refuse("timing", "tWTR", "", "key timing.tWTR: missing");
  refuse("vault_bus", "rate", "rate: 2.5 ns",
         "key vault_bus.rate: \"2.5 ns\" is not a number with a unit, Gb/s");
  refuse("vault_bus", "width", "width: 32", "key vault_bus.width: \"32\" is not");
  refuse("controller", "write_high", "write_high: 33", "key controller.write_high: 33 is not in 1 .. 32");
  refuse("controller", "write_low", "write_low: 24", "key controller.write_low: 24 is not in 0 .. 23");
  refuse("crossbar", "request", "request: 2 clk", "key crossbar.request: \"2 clk\" is not");
  refuse("links", "count", "count: 0", "key links.count: 0 is not in");
  refuse("links", "lanes", "lanes: x", "key links.lanes: \"x\"");
}

TEST_CASE("a breach of a port's rules names the request") {
  const CubeConfig config = hmc::read_cube_config(kDefault);
  hmc::Cube cube(config, 2);
  cube.advance(1'000'000);
  const auto refused = [&](const hmc::Request& request, const char* says) {
    CHECK_THROWS_WITH(cube.submit(request), contains(says));
  };
  refused({.address = 60, .bytes = 8, .time_ps = 1'000'000}, "crosses a granule");
  refused({.address = 64, .bytes = 0, .time_ps = 1'000'000}, "empty");
  refused({.address = config.capacity_bytes, .bytes = 8, .time_ps = 1'000'000}, "outside the cube");
  refused({.address = 0, .bytes = 8, .port = 2, .time_ps = 1'000'000}, "no such port");
  refused({.address = 0, .bytes = 8, .time_ps = 1'000'000 - cube.lookahead_ps() - 1}, "time is past");
  cube.submit({.address = 0, .bytes = 8, .time_ps = 1'000'000 - cube.lookahead_ps()});
  CHECK(cube.in_flight() == 1);
}
