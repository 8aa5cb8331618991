// SPDX-License-Identifier: Apache-2.0
#include "sw/plot/chart.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "sim/base/error.h"
#include "tests/support/catch.h"

using namespace nearcube;
using plot::Chart;
using plot::Series;
using test::contains;
namespace fs = std::filesystem;

namespace {

Chart chart() {
  return {.title = "A 'title' of one\nline",
          .x_label = "x, s",
          .y_label = "y, B",
          .log_x = true,
          .log_y = false,
          .series = {{.name = "line", .style = Series::Style::kLine, .points = {{1, 0}, {1000, 2.5}}},
                     {.name = "", .style = Series::Style::kPoints, .points = {{10, 1, "here & <there>"}}}}};
}

class Folder {
 public:
  Folder() {
    path_ = fs::temp_directory_path() / ("it's plot " + std::to_string(::getpid()));
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  auto entries() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

 private:
  fs::path path_;
};

std::string slurp(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a chart becomes an SVG with its words in it") {
  const Folder folder;
  plot::write_svg(folder.file("a'b.svg"), chart());
  const std::string svg = slurp(folder.file("a'b.svg"));
  CHECK_THAT(svg, contains("<svg") && contains("</svg>") && contains("A 'title' of one line") &&
                      contains("here &amp; &lt;there") && contains(">line<"));
  CHECK(folder.entries() == 1);
  // The same again, byte for byte.
  plot::write_svg(folder.file("b.svg"), chart());
  CHECK(slurp(folder.file("b.svg")) == svg);
}

TEST_CASE("what has no place on the axes is refused by name, and nothing is written") {
  const Folder folder;
  for (const double x : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Chart bad = chart();
    bad.series[0].points[1].x = x;
    CHECK_THROWS_WITH(plot::write_svg(folder.file("a.svg"), bad), contains("series 'line' has the point ("));
  }
  Chart empty = chart();
  for (Series& series : empty.series) series.points.clear();
  CHECK_THROWS_WITH(plot::write_svg(folder.file("a.svg"), empty), contains("nothing to draw"));
  CHECK_THROWS_WITH(plot::write_svg(folder.file("no/a.svg"), chart()), contains("no/a.svg"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("without gnuplot it is said what to install") {
  const Folder folder;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  CHECK_THROWS_WITH(plot::write_svg(folder.file("a.svg"), chart()), contains("install gnuplot-nox"));
  ::setenv("PATH", path.c_str(), 1);
  CHECK(folder.entries() == 0);
}
