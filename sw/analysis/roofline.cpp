// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace nearcube::analysis {
namespace {

/// A number above 0 of an object; throws Error that says where it is missing.
double positive(const nlohmann::json& object, const char* key, const std::string& where) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number() ||
      object[key].get<double>() <= 0) {
    bad_input(
        "{}: key {} is no number above 0; a roofline needs the report of a run that counted work and "
        "bytes (nearcube run ... --json FILE)",
        where, key);
  }
  return object[key].get<double>();
}

std::string text(const nlohmann::json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : std::string();
}

}  // namespace

double Roof::at(double flops_per_byte) const { return std::min(gflops, gb_per_s * flops_per_byte); }

Measured from_report(const nlohmann::json& report, const std::string& file) {
  if (text(report, "schema") != "nearcube-run-1") {
    bad_input("{}: this is no report of \"nearcube run --json\": its key schema is not nearcube-run-1", file);
  }
  Measured measured;
  if (!report.contains("roofs") || !report["roofs"].is_array() || report["roofs"].empty()) {
    bad_input("{}: key roofs is missing: the report is of an older nearcube; run it again", file);
  }
  for (const auto& roof : report["roofs"]) {
    measured.roofs.push_back({.name = text(roof, "name"),
                              .gflops = positive(roof, "gflops", file + ": roofs"),
                              .gb_per_s = positive(roof, "gb_per_s", file + ": roofs")});
  }
  measured.kernel = {
      .name = text(report, "title"),
      .flops_per_byte = 2 * positive(report, "macs", file) / positive(report, "dma_bytes", file),
      .gflops = positive(report, "gflops", file),
  };
  if (measured.kernel.name.empty()) measured.kernel.name = text(report, "workload");
  return measured;
}

plot::Chart roofline(const std::vector<Roof>& roofs, const std::vector<Kernel>& kernels) {
  // From a quarter of the smallest intensity in sight to four times the largest, in powers of two.
  double low = 1, high = 1;
  for (const Roof& roof : roofs) {
    low = std::min(low, roof.gflops / roof.gb_per_s);
    high = std::max(high, roof.gflops / roof.gb_per_s);
  }
  for (const Kernel& kernel : kernels) {
    low = std::min(low, kernel.flops_per_byte);
    high = std::max(high, kernel.flops_per_byte);
  }
  low = std::exp2(std::floor(std::log2(low)) - 2);
  high = std::exp2(std::ceil(std::log2(high)) + 2);

  plot::Chart chart{.title = "Roofline",
                    .x_label = "arithmetic intensity, flop/B of memory traffic",
                    .y_label = "Gflop/s",
                    .log_x = true,
                    .log_y = true};
  for (const Roof& roof : roofs) {
    const double ridge = roof.gflops / roof.gb_per_s;
    chart.series.push_back(
        {.name = fmt::format("{}: {:.4g} Gflop/s, {:.4g} GB/s", roof.name, roof.gflops, roof.gb_per_s),
         .style = plot::Series::Style::kLine,
         .points = {{low, roof.at(low)}, {ridge, roof.gflops}, {high, roof.gflops}}});
  }
  plot::Series measured{.name = "measured", .style = plot::Series::Style::kPoints};
  for (const Kernel& kernel : kernels) {
    measured.points.push_back({kernel.flops_per_byte, kernel.gflops, kernel.name});
  }
  chart.series.push_back(std::move(measured));
  return chart;
}

std::string roofline_table(const std::vector<Roof>& roofs, const std::vector<Kernel>& kernels) {
  std::size_t width = 6;
  for (const Kernel& kernel : kernels) width = std::max(width, kernel.name.size());
  std::string table = fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}  {:>8}  bound by\n", "kernel", width,
                                  "flop/B", "Gflop/s", "roof", "share");
  const Roof& roof = roofs.front();
  for (const Kernel& kernel : kernels) {
    const double allowed = roof.at(kernel.flops_per_byte);
    table += fmt::format("{:<{}}  {:>10.3f}  {:>10.2f}  {:>10.2f}  {:>6.1f} %  {}\n", kernel.name, width,
                         kernel.flops_per_byte, kernel.gflops, allowed, 100 * kernel.gflops / allowed,
                         allowed < roof.gflops ? "memory" : "compute");
  }
  return table + fmt::format("roof: {}\n", roof.name);
}

}  // namespace nearcube::analysis
