// SPDX-License-Identifier: Apache-2.0
#include "sw/plot/chart.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"

namespace nearcube::plot {
namespace {

/// A string of gnuplot's, in which nothing is special (option noenhanced).
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    // A line would end the string.
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "'";
}

void check(const Chart& chart) {
  bool any = false;
  for (const Series& series : chart.series) {
    for (const Series::Point& point : series.points) {
      any = true;
      const bool fits = std::isfinite(point.x) && std::isfinite(point.y) && (!chart.log_x || point.x > 0) &&
                        (!chart.log_y || point.y > 0);
      if (!fits) {
        bad_input("chart '{}': series '{}' has the point ({}, {}), which has no place on its axes",
                  chart.title, series.name, point.x, point.y);
      }
    }
  }
  if (!any) bad_input("chart '{}': nothing to draw", chart.title);
}

const char* style_of(Series::Style style) {
  switch (style) {
    case Series::Style::kPoints:
      return "points pt 7 ps 0.8";
    case Series::Style::kLine:
      return "lines lw 2";
    case Series::Style::kLineAndPoints:
      return "linespoints lw 2 pt 7 ps 0.5";
  }
  return "";
}

}  // namespace

std::string gnuplot_script(const Chart& chart) {
  check(chart);
  std::string script =
      "set terminal svg size 800,560 noenhanced font 'sans-serif,14' background '#ffffff'\n"
      "set grid\nset key at screen 0.5,0.01 center bottom vertical Left reverse\nset border 3\nset tics "
      "nomirror\n";
  script += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", quoted(chart.title),
                        quoted(chart.x_label), quoted(chart.y_label));
  script += chart.log_x ? "set logscale x\n" : "set xrange [0:*]\n";
  script += chart.log_y ? "set logscale y\n" : "set yrange [0:*]\n";
  // A label on the side that has more room.
  double low = 0, high = 0;
  const auto place = [&](double x) { return chart.log_x ? std::log(x) : x; };
  bool first = true;
  for (const Series& series : chart.series) {
    for (const Series::Point& point : series.points) {
      low = first ? place(point.x) : std::min(low, place(point.x));
      high = first ? place(point.x) : std::max(high, place(point.x));
      first = false;
    }
  }
  const auto side = [&](double x) {
    return place(x) > (low + high) / 2 ? "right offset -0.7,-0.6" : "left offset 0.7,-0.6";
  };
  std::string plots, labels;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.points.empty()) continue;
    script += fmt::format("$series{} << EOD\n", i);
    for (const Series::Point& point : series.points) {
      script += fmt::format("{:.9g} {:.9g}\n", point.x, point.y);
      if (!point.label.empty()) {
        labels += fmt::format("set label {} at {:.9g},{:.9g} {}\n", quoted(point.label), point.x, point.y,
                              side(point.x));
      }
    }
    script += "EOD\n";
    plots += fmt::format("{}$series{} using 1:2 with {} lc {} {}", plots.empty() ? "plot " : ", ", i,
                         style_of(series.style), i + 1,
                         series.name.empty() ? "notitle" : "title " + quoted(series.name));
  }
  const auto rows = std::count_if(chart.series.begin(), chart.series.end(),
                                  [](const Series& series) { return !series.name.empty(); });
  script += fmt::format("set bmargin {}\n", 5 + rows);
  return script + labels + plots + "\n";
}

void write_svg(const std::string& path, const Chart& chart) {
  const std::string text = gnuplot_script(chart);
  base::check_writable(path);
  const std::string drawing = base::temporary_name(path);
  const std::string script = drawing + ".gnuplot";
  base::write_file_atomically(script, fmt::format("set output {}\n", quoted(drawing)) + text);
  // What gnuplot says, and how it ends: 127 of the shell if it is not there.
  std::string said, command = "gnuplot '";
  for (const char c : script) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
  command += "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  const int status = pipe == nullptr ? -1 : ::pclose(pipe);
  std::error_code none;
  std::filesystem::remove(script, none);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    base::commit_file(drawing, path);
    return;
  }
  std::filesystem::remove(drawing, none);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw base::error(ExitStatus::kOther, "{}: cannot draw without gnuplot: install gnuplot-nox", path);
  }
  throw base::error(ExitStatus::kOther, "{}: gnuplot failed: {}", path, said);
}

}  // namespace nearcube::plot
