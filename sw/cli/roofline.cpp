// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/roofline.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sw/analysis/roofline.h"

namespace nearcube::cli {

void run_roofline(const std::vector<std::string>& reports, const std::string& svg) {
  base::check_writable(svg);
  std::vector<analysis::Roof> roofs;
  std::vector<analysis::Kernel> kernels;
  for (const std::string& file : reports) {
    const auto bytes = base::read_file(file, "report");
    const auto json = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (json.is_discarded())
      bad_input("{}: this is no JSON; a report is written by nearcube run --json", file);
    const auto measured = analysis::from_report(json, file);
    kernels.push_back(measured.kernel);
    for (const analysis::Roof& roof : measured.roofs) {
      const bool known = std::any_of(roofs.begin(), roofs.end(), [&](const analysis::Roof& other) {
        return other.name == roof.name && other.gflops == roof.gflops && other.gb_per_s == roof.gb_per_s;
      });
      if (!known) roofs.push_back(roof);
    }
  }
  plot::write_svg(svg, analysis::roofline(roofs, kernels));
  std::fputs(analysis::roofline_table(roofs, kernels).c_str(), stdout);
  std::printf("wrote %s\n", svg.c_str());
}

}  // namespace nearcube::cli
