// SPDX-License-Identifier: Apache-2.0
// The wrapper around the Verilated cluster: clock, reset, and traces that are whole or not there.
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "sim/rtl/cluster.h"
#include "sim/rtl/fst_file.h"
#include "tests/support/catch.h"

using namespace nearcube;
namespace fs = std::filesystem;
using test::contains;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "nearcube-rtl-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Records the cycles from `from` to `to` of a run of `cycles`.
bool record(const std::string& file, std::uint64_t from, std::uint64_t to, std::uint64_t cycles,
            const std::string& scope = "") {
  rtl::Cluster cluster({.traceable = true});
  cluster.start_trace({.file = file, .from = from, .to = to, .scope = scope});
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) cluster.cycle();
  return cluster.finish_trace();
}

/// No file may grow beyond `bytes` while this lives: writes fail as on a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &now) == 0);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("core ticks come at the clock ratio, also after a second reset", "[rtl]") {
  rtl::Cluster cluster({});
  for (int round = 0; round < 2; ++round) {
    CHECK(cluster.cycles() == 0);
    unsigned ticks = 0;
    for (int cycle = 0; cycle < 100; ++cycle) {
      if (cluster.core_tick()) ++ticks;
      cluster.cycle();
    }
    CHECK(ticks == 50);
    CHECK(cluster.cycles() == 100);
    cluster.reset({});
  }
}

TEST_CASE("a trace is a whole FST file with a save file that names its signals", "[rtl][trace]") {
  Folder folder;
  const std::string file = folder.file("run.fst");
  CHECK(record(file, 10, 50, 200));
  CHECK(folder.entries() == 2);
  const auto signals = rtl::read_fst_signals(file);
  const auto has = [&](const std::string& name) {
    return std::any_of(signals.begin(), signals.end(),
                       [&](const auto& signal) { return signal.name == name; });
  };
  CHECK(has("TOP.cluster.core_tick_o"));
  CHECK(has("TOP.cluster.data_addr_i"));
  const std::string save = slurp(file + ".gtkw");
  CHECK_THAT(save, contains("[dumpfile] \"run.fst\""));
  CHECK_THAT(save, contains("-Core data port"));
  CHECK_THAT(save, contains("-AXI reads"));
  CHECK_THAT(save, contains("+{data_addr_i} TOP.cluster.data_addr_i[31:0]"));
}

TEST_CASE("the same run gives the same bytes", "[rtl][trace]") {
  Folder folder;
  CHECK(record(folder.file("a.fst"), 0, 100, 200));
  CHECK(record(folder.file("b.fst"), 0, 100, 200));
  CHECK(slurp(folder.file("a.fst")) == slurp(folder.file("b.fst")));
}

TEST_CASE("a smaller window makes a smaller file, one that is never reached none", "[rtl][trace]") {
  Folder folder;
  CHECK(record(folder.file("all.fst"), 0, ~std::uint64_t{0}, 20000));
  CHECK(record(folder.file("some.fst"), 100, 200, 20000));
  CHECK(fs::file_size(folder.file("some.fst")) < fs::file_size(folder.file("all.fst")));
  CHECK_FALSE(record(folder.file("none.fst"), 300, 400, 200));
  CHECK(folder.entries() == 4);
}

TEST_CASE("a scope that does not exist is named, one that does is all there is in the file", "[rtl][trace]") {
  Folder folder;
  CHECK_THROWS_WITH(record(folder.file("x.fst"), 0, 10, 20, "clustr"),
                    contains("--trace-scope clustr") && contains("did you mean \"cluster\"?"));
  CHECK(folder.entries() == 0);
  CHECK(record(folder.file("x.fst"), 0, 10, 20, "cluster"));
  for (const auto& signal : rtl::read_fst_signals(folder.file("x.fst"))) {
    CHECK(signal.name.compare(0, 12, "TOP.cluster.") == 0);
  }
}

TEST_CASE("places that cannot hold a trace are refused before the run", "[rtl][trace]") {
  Folder folder;
  const auto status = [&](const std::string& file, std::uint64_t from, std::uint64_t to) {
    try {
      record(file, from, to, 1);
    } catch (const Error& error) {
      return error.exit_code();
    }
    return 0;
  };
  CHECK(status(folder.file("no/such/x.fst"), 0, 1) == 2);
  CHECK(status("/dev/full", 0, 1) == 2);
  CHECK(status(folder.file("."), 0, 1) == 2);
  CHECK(status(folder.file("x.fst"), 5, 4) == 2);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a trace cut short by a full disk is an error and leaves no file", "[rtl][trace]") {
  Folder folder;
  const std::string file = folder.file("full.fst");
  {
    rtl::Cluster cluster({.traceable = true});
    cluster.start_trace({.file = file});
    for (std::uint64_t cycle = 0; cycle < 20000; ++cycle) cluster.cycle();
    // The library keeps values back and writes most of the file at its end.
    FileLimit limit(400);
    try {
      cluster.finish_trace();
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.exit_code() == 1);
      CHECK_THAT(error.what(), contains("disk full"));
    }
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("a file cut anywhere is not taken for whole", "[rtl][trace]") {
  Folder folder;
  const std::string file = folder.file("x.fst");
  REQUIRE(record(file, 0, 1000, 2000));
  const std::string whole = slurp(file);
  const std::string cut = folder.file("cut.fst");
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    std::ofstream(cut, std::ios::binary) << whole.substr(0, size);
    CAPTURE(size);
    CHECK_THROWS_AS(rtl::read_fst_signals(cut), Error);
  }
}
