// SPDX-License-Identifier: Apache-2.0
#include "sw/analysis/roofline.h"

#include "sim/base/error.h"
#include "tests/support/catch.h"

using namespace nearcube;
using nlohmann::json;
using test::contains;

namespace {

const analysis::Roof kCluster{"cluster", 20, 10};

json report() {
  return {{"schema", "nearcube-run-1"},
          {"title", "gemm of 2"},
          {"workload", "gemm"},
          {"macs", 1000},
          {"dma_bytes", 500},
          {"gflops", 15.0},
          {"roofs", {{{"name", "cluster"}, {"gflops", 20.0}, {"gb_per_s", 10.0}}}}};
}

}  // namespace

TEST_CASE("a roof allows the lower of its two limits") {
  CHECK(kCluster.at(0.5) == 5);
  CHECK(kCluster.at(2) == 20);
  CHECK(kCluster.at(100) == 20);
}

TEST_CASE("a report is a kernel under its roofs") {
  const auto measured = analysis::from_report(report(), "r.json");
  CHECK(measured.kernel.name == "gemm of 2");
  CHECK(measured.kernel.flops_per_byte == 4);
  CHECK(measured.kernel.gflops == 15);
  REQUIRE(measured.roofs.size() == 1);
  CHECK(measured.roofs[0].gb_per_s == 10);

  const std::string table = analysis::roofline_table(measured.roofs, {measured.kernel, {"axpy", 0.1, 0.5}});
  CHECK_THAT(table, contains("gemm of 2       4.000       15.00       20.00    75.0 %  compute\n"));
  CHECK_THAT(table, contains("axpy            0.100        0.50        1.00    50.0 %  memory\n"));
}

TEST_CASE("the chart has the roofs' ridges and leaves room around the kernels") {
  const auto chart = analysis::roofline({kCluster, {"cube", 320, 160}}, {{"axpy", 1.0 / 6, 1}});
  REQUIRE(chart.series.size() == 3);
  CHECK(chart.log_x);
  CHECK(chart.log_y);
  const auto& roof = chart.series[0].points;
  REQUIRE(roof.size() == 3);
  CHECK(roof[0].x == 1.0 / 32);
  CHECK(roof[0].y == 10.0 / 32);
  CHECK(roof[1].x == 2);
  CHECK(roof[1].y == 20);
  CHECK(roof[2].x == 8);
  CHECK(roof[2].y == 20);
  CHECK(chart.series[1].points[1].y == 320);
  CHECK(chart.series[2].points[0].label == "axpy");
}

TEST_CASE("what is no report, or has nothing to show, is refused by name") {
  const auto refuse = [](const char* key, const json& value, const char* says) {
    json bad = report();
    bad[key] = value;
    CHECK_THROWS_WITH(analysis::from_report(bad, "r.json"), contains("r.json: ") && contains(says));
  };
  refuse("schema", "else", "no report");
  refuse("roofs", nullptr, "roofs is missing");
  refuse("roofs", json::array(), "roofs is missing");
  refuse("roofs", json::array({{{"name", "x"}, {"gflops", 0}}}), "roofs: key gflops");
  refuse("macs", nullptr, "key macs");
  refuse("dma_bytes", 0, "key dma_bytes");
  refuse("gflops", "fast", "key gflops");
  CHECK_THROWS_WITH(analysis::from_report(json::array(), "r.json"), contains("no report"));
}
