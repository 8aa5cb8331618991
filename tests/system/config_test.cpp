// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "sim/system/cluster_config.h"
#include "tests/support/catch.h"

using namespace nearcube;
namespace fs = std::filesystem;

namespace {

std::string text_of(const std::string& preset) {
  std::ifstream in("config/cluster/" + preset + ".yaml");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The error of the default configuration with the first match of `from` replaced by `to`.
std::string error_with(const std::string& from, const std::string& to) {
  const std::string before = text_of("default");
  const std::string after =
      std::regex_replace(before, std::regex(from), to, std::regex_constants::format_first_only);
  REQUIRE(after != before);
  std::string name = (fs::temp_directory_path() / "nearcube-config-XXXXXX").string();
  REQUIRE(mkstemp(name.data()) >= 0);
  std::ofstream(name) << after;
  std::string message = "no error";
  try {
    system::load_cluster_config(name);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::kBadInput);
    message = error.what();
    const std::size_t at = message.find(name);
    CHECK(at == 0);
    if (at == 0) message = message.substr(name.size());
  }
  fs::remove(name);
  return message;
}

}  // namespace

TEST_CASE("the default configuration is what the specification says", "[config]") {
  const auto config = system::load_cluster_config("config/cluster/default.yaml");
  CHECK(config.cluster == system::ClusterParameters());
  CHECK(config.ntx_hz == 1.25e9);
  CHECK(config.core_hz() == 625e6);
  CHECK(config.memory_bytes == 2ull << 30);
  CHECK(config.timing.read_latency_core_cycles == 25);
  CHECK(config.untouched == memory::Untouched::kPoison);
}

TEST_CASE("the published preset differs in banks, multicast and operand FIFOs only", "[config]") {
  const auto published = system::load_cluster_config("config/cluster/published.yaml");
  system::ClusterParameters expected;
  expected.tcdm_banks = 32;
  expected.multicast = false;
  expected.operand_fifo_depth = 5;
  CHECK(published.cluster == expected);

  std::istringstream ours(text_of("default")), theirs(text_of("published"));
  const std::regex value("^ *([a-z_]+: *[^#]*[^# ]) *(#.*)?$");
  const auto values = [&](std::istream& in) {
    std::set<std::string> all;
    std::string line;
    std::smatch match;
    while (std::getline(in, line)) {
      if (std::regex_match(line, match, value)) all.insert(match[1]);
    }
    return all;
  };
  const auto a = values(ours), b = values(theirs);
  std::set<std::string> only_in_ours;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                      std::inserter(only_in_ours, only_in_ours.end()));
  CHECK(only_in_ours == std::set<std::string>{"tcdm_banks: 64", "multicast: true", "operand_fifo_depth: 8"});
  CHECK(a.size() == b.size());
}

TEST_CASE("every value of a preset has a comment with its source or reason", "[config]") {
  for (const char* preset : {"default", "published"}) {
    std::istringstream text(text_of(preset));
    std::string line;
    int values = 0;
    while (std::getline(text, line)) {
      if (std::regex_search(line, std::regex("^  [a-z_]+: "))) {
        CAPTURE(preset, line);
        CHECK(line.find(" # ") != std::string::npos);
        ++values;
      }
    }
    CHECK(values > 15);
  }
}

TEST_CASE("a mistake in a configuration is named by file, line, key and reason", "[config]") {
  CHECK(error_with("ntx: 8", "ntxs: 8") == ":10: key cluster.ntx: missing");
  CHECK(error_with("outstanding: 32", "outstanding: 32\n  outstandign: 1") ==
        ":31: unknown key memory.outstandign, did you mean \"outstanding\"?");
  CHECK(error_with("untouched: poison", "untouched: poisn") ==
        ":31: key memory.untouched: \"poisn\" is none of zero, poison, did you mean \"poison\"?");
  CHECK(error_with("ntx: 8", "ntx: eight") == ":10: key cluster.ntx: \"eight\" is not a whole number");
  CHECK(error_with("ntx: 8", "ntx: 8.5") == ":10: key cluster.ntx: \"8.5\" is not a whole number");
  CHECK(error_with("ntx: 8", "ntx: 0") == ":10: key cluster.ntx: 0 is not in 1 .. 8");
  CHECK(error_with("multicast: true", "multicast: ture") ==
        ":13: key cluster.multicast: \"ture\" is none of true, false, did you mean \"true\"?");
  CHECK(error_with("operand_fifo_depth: 8", "operand_fifo_depth: 1") ==
        ":14: key cluster.operand_fifo_depth: 1 is not in 2 .. 64");
  CHECK(error_with("ntx: 8", "ntx: [8]") == ":10: key cluster.ntx: must be a whole number");
  CHECK(error_with("capacity_bytes: 2 GiB", "capacity_bytes: 0") ==
        ":24: key memory.capacity_bytes: 0 B is not in 4 KiB .. 1 TiB");
  CHECK_THAT(error_with("capacity_bytes: 2 GiB", "capacity_bytes: 2 GB"),
             nearcube::test::contains("is not a size"));
  CHECK_THAT(error_with("capacity_bytes: 2 GiB", "capacity_bytes: 5000"),
             nearcube::test::contains("multiple of 4 KiB"));
  CHECK_THAT(error_with("read_bytes_per_core_cycle: 8", "read_bytes_per_core_cycle: 0"),
             nearcube::test::contains("key memory.read_bytes_per_core_cycle: 0 is not in"));
  CHECK_THAT(error_with("read_latency_ns: 40", "read_latency_ns: nan"),
             nearcube::test::contains("is not a number"));
  CHECK_THAT(error_with("read_latency_ns: 40", "read_latency_ns: 40\n  read_latency_core_cycles: 3"),
             nearcube::test::contains("one unit only"));
  CHECK_THAT(error_with("read_latency_ns: 40 .*", ""),
             nearcube::test::contains("memory.read_latency_ns: missing"));
  CHECK_THAT(error_with("clock:", "clocks:"), nearcube::test::contains("key clock: missing"));
  CHECK_THAT(error_with("ntx: 8", "ntx: 8\n  ntx: 8"), nearcube::test::contains("given twice"));
  CHECK_THAT(error_with("nearcube-cluster-1", "nearcube-cluster-2"), nearcube::test::contains("key schema"));
  CHECK_THAT(error_with("ntx: 8", "ntx: {8"), nearcube::test::contains("not YAML"));
  CHECK_THAT(error_with("clock:\n  ntx_hz: 1.25e9", "clock: 5\n"),
             nearcube::test::contains("must be a mapping"));
  CHECK_THROWS_WITH(system::load_cluster_config("no/such.yaml"),
                    nearcube::test::contains("no/such.yaml: cannot read the configuration"));
}

TEST_CASE("a latency may be given in core cycles", "[config]") {
  CHECK(error_with("read_latency_ns: 40", "read_latency_core_cycles: 7") == "no error");
}

TEST_CASE("a configuration cut anywhere is bad input or, without its last comment, the same", "[config]") {
  const std::string whole = text_of("default");
  const auto right = system::load_cluster_config("config/cluster/default.yaml");
  std::string name = (fs::temp_directory_path() / "nearcube-config-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  REQUIRE(fd >= 0);
  ::close(fd);
  const std::size_t last_value = whole.find("20000000000") + std::string("20000000000").size();
  for (std::size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 7) {
    std::ofstream(name) << whole.substr(0, size);
    CAPTURE(size);
    try {
      const auto config = system::load_cluster_config(name);
      // A shorter number is a number.
      CHECK(size > whole.find("max_cycles: ") + std::string("max_cycles: ").size());
      CHECK((config.max_cycles == right.max_cycles) == (size >= last_value));
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::kBadInput);
      CHECK_THAT(error.what(), test::contains(name + ":"));
      CHECK(size < last_value);
    }
  }
  fs::remove(name);
}
