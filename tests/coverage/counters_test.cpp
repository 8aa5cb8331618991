// SPDX-License-Identifier: Apache-2.0
// A coverage build's counters against branches counted here. (Verilator 5.006 with its splitting of processes
// counts them by the condition's value at the end of the process.)
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "Vclamp.h"
#include "sim/rtl/simulation.h"
#include "tests/support/catch.h"

namespace {

/// The value of a field of one of Verilator's records: \1 key \2 value.
std::string field(const std::string& record, const std::string& key) {
  const std::size_t at = record.find('\1' + key + '\2');
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 2;
  return record.substr(begin, record.find_first_of("\1'", begin) - begin);
}

}  // namespace

TEST_CASE("branches are counted as taken, whatever they do to their condition") {
  nearcube::rtl::Simulation<Vclamp> model(1);
  // The first evaluation is Verilator's own settling, and counts too.
  model->value_i = 0;
  model->eval();
  std::map<std::string, unsigned> taken;
  for (unsigned value = 1; value < 256; ++value) {
    model->value_i = static_cast<std::uint8_t>(value);
    model->eval();
    REQUIRE(model->clamped_o == (value > 99));
    ++taken[value > 99 ? "13-15" : value == 7 ? "16-17" : "none"];
  }

  std::string file = (std::filesystem::temp_directory_path() / "nearcube-coverage-XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  REQUIRE(descriptor >= 0);
  close(descriptor);
  model.context().coveragep()->write(file.c_str());
  std::map<std::string, unsigned> counted;
  std::ifstream in(file);
  for (std::string record; std::getline(in, record);) {
    if (field(record, "o") == "if" || field(record, "o") == "elsif") {
      counted[field(record, "S")] += static_cast<unsigned>(std::stoul(record.substr(record.rfind(' '))));
    }
  }
  std::filesystem::remove(file);
  REQUIRE(counted.size() == 2);
  for (const auto& [lines, count] : counted) {
    CAPTURE(lines);
    CHECK(count == taken.at(lines));
  }
}
