// SPDX-License-Identifier: Apache-2.0
// Charts of x and y as SVG, drawn by gnuplot.
#pragma once

#include <string>
#include <vector>

namespace nearcube::plot {

/// Points, or a line through them.
struct Series {
  struct Point {
    double x = 0, y = 0;
    std::string label = {};  ///< written beside it
  };
  enum class Style { kPoints, kLine, kLineAndPoints };

  std::string name;  ///< in the key; empty: not there
  Style style = Style::kLineAndPoints;
  std::vector<Point> points = {};
};

struct Chart {
  std::string title, x_label, y_label;  ///< labels with the unit
  bool log_x = false, log_y = false;
  std::vector<Series> series = {};
};

/// What gnuplot is told; the SVG goes to its standard output. Throws Error (kBadInput) for a chart without
/// points, a value that is no number, or one of 0 and below on a logarithmic axis.
std::string gnuplot_script(const Chart& chart);

/// Writes `chart` to `path`, whole or not at all. Throws Error: as gnuplot_script(); kOther, with what to
/// install, if there is no gnuplot, or with what it says; as base::write_file_atomically.
void write_svg(const std::string& path, const Chart& chart);

}  // namespace nearcube::plot
