// SPDX-License-Identifier: Apache-2.0
// The named workloads: right results, and a report whose figures fit together.
#include <nlohmann/json.hpp>

#include "sw/network/npy.h"
#include "tests/cli/program.h"

using namespace nearcube;
using nlohmann::json;
using test::contains;
using test::invoke;

namespace {

json run_json(std::vector<std::string> arguments) {
  const test::Folder folder;
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--json", folder.file("report.json")});
  const auto outcome = invoke(arguments);
  INFO(outcome.out);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, contains(" 0 mismatches"));
  CHECK_THAT(outcome.out, contains("utilization"));
  return json::parse(test::slurp(folder.file("report.json")));
}

void check_identities(const json& report) {
  const json& counters = report["counters"];
  const std::uint64_t cycles = counters["cycles"];
  CHECK(cycles == report["cycles"]);
  std::uint64_t phases = 0;
  for (const json& phase : report["phases"]) phases += phase["cycles"].get<std::uint64_t>();
  CHECK(phases == cycles);
  for (const json& ntx : counters["ntx"]) {
    std::uint64_t sum = 0;
    for (const char* part :
         {"busy", "stall_a", "stall_b", "stall_init", "stall_result", "stall_hazard", "idle"}) {
      sum += ntx[part].get<std::uint64_t>();
    }
    CHECK(sum == cycles);
  }
  const json& core = counters["core"];
  std::uint64_t sum = core["active"].get<std::uint64_t>() + core["asleep"].get<std::uint64_t>();
  for (const char* part : {"stall_load_use", "stall_branch", "stall_jump", "stall_mul_div", "stall_trap",
                           "stall_fetch", "stall_data_tcdm", "stall_data_peripheral", "stall_data_memory"}) {
    sum += core[part].get<std::uint64_t>();
  }
  CHECK(sum == core["cycles"].get<std::uint64_t>());
  CHECK(report["compute_cycles"].get<std::uint64_t>() <= cycles);
  CHECK(report["utilization"].get<double>() <= report["utilization_compute"].get<double>());
}

}  // namespace

TEST_CASE("each workload at three odd sizes equals its reference", "[cli][workloads]") {
  const std::vector<std::vector<std::string>> cases = {
      {"conv2d", "--in-channels", "3", "--out-channels", "5", "--height", "11", "--width", "13", "--kernel",
       "3", "--pad", "1"},
      {"conv2d", "--in-channels", "2", "--out-channels", "9", "--height", "17", "--width", "7", "--kernel",
       "5", "--stride", "2", "--relu", "--bias"},
      {"conv2d", "--batch", "2", "--in-channels", "7", "--out-channels", "3", "--height", "9", "--width", "9",
       "--kernel", "1"},
      {"gemm", "--m", "13", "--n", "7", "--k", "29"},
      {"gemm", "--m", "1", "--n", "33", "--k", "65"},
      {"gemm", "--m", "35", "--n", "3", "--k", "101"},
      {"gemv", "--m", "37", "--n", "53"},
      {"gemv", "--m", "1", "--n", "101"},
      {"gemv", "--m", "129", "--n", "3"},
      {"axpy", "--n", "1"},
      {"axpy", "--n", "1003"},
      {"axpy", "--n", "8191"},
      {"maxpool", "--channels", "3", "--height", "11", "--width", "13"},
      {"maxpool", "--channels", "1", "--height", "9", "--width", "17", "--kernel", "3", "--stride", "2",
       "--pad", "1"},
      {"maxpool", "--channels", "11", "--height", "7", "--width", "5", "--kernel", "3", "--stride", "1"},
      {"relu", "--n", "1"},
      {"relu", "--n", "777"},
      {"relu", "--n", "9999"},
      {"laplace1d", "--width", "3"},
      {"laplace1d", "--width", "501"},
      {"laplace1d", "--width", "9001"},
      {"laplace2d", "--height", "3", "--width", "5"},
      {"laplace2d", "--height", "31", "--width", "47"},
      {"laplace2d", "--height", "101", "--width", "9"},
      {"laplace3d", "--depth", "3", "--height", "5", "--width", "7"},
      {"laplace3d", "--depth", "9", "--height", "11", "--width", "13"},
      {"laplace3d", "--depth", "17", "--height", "3", "--width", "23"},
      {"diffusion", "--height", "7", "--width", "9", "--steps", "1"},
      {"diffusion", "--height", "33", "--width", "21", "--steps", "3", "--rate", "0.2"},
      {"diffusion", "--depth", "5", "--height", "7", "--width", "9", "--steps", "2"},
  };
  for (const auto& arguments : cases) {
    DYNAMIC_SECTION(arguments[0] << " " << arguments[1] << " " << arguments[2] << " ...") {
      for (const char* backend : {"rtl", "fast"}) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--backend", backend});
        const json report = run_json(all);
        CHECK(report["backend"] == backend);
        CHECK(report["mismatches"] == 0);
        CHECK(report["words_checked"].get<std::uint64_t>() > 0);
        check_identities(report);
      }
    }
  }
}

TEST_CASE("the fast backend does the same work, in about as many cycles", "[cli][workloads]") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"conv2d", "--in-channels", "4", "--out-channels", "8", "--height", "16", "--width", "16",
            "--kernel", "3"},
           {"gemm", "--m", "32", "--n", "32", "--k", "64"},
           {"gemm", "--m", "9", "--n", "13", "--k", "5000"},  // sums over several tiles
           {"gemv", "--m", "128", "--n", "256"},
           {"axpy", "--n", "8000"},
           {"maxpool", "--channels", "4", "--height", "32", "--width", "32"},
           {"laplace3d", "--depth", "9", "--height", "16", "--width", "16"}}) {
    DYNAMIC_SECTION(arguments[0] << " " << arguments[2] << " " << arguments.back()) {
      std::vector<std::string> fast = arguments;
      fast.insert(fast.end(), {"--backend", "fast", "--clusters", "2"});
      std::vector<std::string> rtl = arguments;
      rtl.insert(rtl.end(), {"--clusters", "2"});
      const json estimate = run_json(fast);
      const json report = run_json(rtl);
      CHECK(estimate["cycles"].get<double>() == Approx(report["cycles"].get<double>()).epsilon(0.05));
      for (std::size_t n = 0; n < report["counters"]["ntx"].size(); ++n) {
        for (const char* count : {"busy", "macs", "results", "commands"}) {
          CHECK(estimate["counters"]["ntx"][n][count] == report["counters"]["ntx"][n][count]);
        }
      }
      CHECK(estimate["dma_bytes"] == report["dma_bytes"]);
    }
  }
}

TEST_CASE("the report has every key that a script may count on", "[cli]") {
  const json report = run_json({"gemm", "--m", "9", "--n", "9", "--k", "9", "--seed", "5"});
  for (const char* key :
       {"schema", "workload", "backend", "clusters", "cycles", "compute_cycles", "macs", "utilization",
        "utilization_compute", "gflops", "dma_bytes", "offload_cycles_per_command", "mismatches", "max_ulp",
        "simulated_khz", "host_seconds", "counters"}) {
    CHECK(report.contains(key));
  }
  CHECK(report["schema"] == "nearcube-run-1");
  CHECK(report["workload"] == "gemm");
  CHECK(report["backend"] == "rtl");
  CHECK(report["clusters"] == 1);
  CHECK(report["seed"] == 5);
  CHECK(report["macs"] == 9 * 9 * 9);
  const double cycles = report["cycles"];
  CHECK(report["utilization"].get<double>() == Approx(9 * 9 * 9 / (8 * cycles)));
  CHECK(report["gflops"].get<double>() == Approx(2 * 9 * 9 * 9 * 1.25 / cycles));
  // Reading A and B, 9 x 9 words each, at 4 B an NTX cycle takes longer than 9 x 9 x 9 / 8.
  CHECK(report["bound_cycles"] == 2 * 9 * 9);
  CHECK(report["bound_by"] == "memory read");
  CHECK(report["bound_share"].get<double>() == Approx(2 * 9 * 9 / cycles));
  CHECK(report["offload_cycles_per_command"].get<double>() > 0);
  CHECK(report["simulated_khz"].get<double>() > 0);
}

TEST_CASE("runs are drawn under their machine's roofline", "[cli]") {
  const test::Folder folder;
  const auto gemm = test::invoke({"run", "gemm", "--m", "16", "--n", "16", "--k", "32", "--json",
                                  folder.file("gemm.json"), "--roofline", folder.file("one.svg")});
  INFO(gemm.err);
  REQUIRE(gemm.status == 0);
  CHECK_THAT(test::slurp(folder.file("one.svg")),
             contains("gemm 16x32 * 32x16") && contains("20 Gflop/s, 10 GB/s"));
  REQUIRE(test::invoke({"run", "axpy", "--n", "500", "--json", folder.file("axpy.json")}).status == 0);
  const auto both = test::invoke(
      {"roofline", folder.file("gemm.json"), folder.file("axpy.json"), "--svg", folder.file("both.svg")});
  INFO(both.err);
  CHECK(both.status == 0);
  CHECK_THAT(both.out, contains("gemm 16x32 * 32x16") && contains("axpy of 500 elements"));
  CHECK_THAT(test::slurp(folder.file("both.svg")), contains("axpy of 500 elements"));
  std::ofstream(folder.file("bad.json")) << "{";
  for (const auto& [file, says] :
       {std::pair{"bad.json", "bad.json: this is no JSON"}, {"none.json", "none.json"}}) {
    const auto refused = test::invoke({"roofline", folder.file(file), "--svg", folder.file("x.svg")});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, contains(says));
  }
  CHECK_FALSE(test::fs::exists(folder.file("x.svg")));
}

TEST_CASE("a report has the same keys whatever ran, with null for what nobody measured", "[cli]") {
  const auto keys = [](const json& report) {
    std::vector<std::string> names;
    for (const auto& [name, value] : report.items()) names.push_back(name);
    return names;
  };
  const std::string elf = (test::build_tree() / "firmware" / "axpy.elf").string();
  const test::Folder folder;
  for (const bool complete : {true, false}) {
    std::vector<std::string> arguments = {"run", "--elf", elf, "--json", folder.file("report.json")};
    if (!complete) arguments.insert(arguments.end(), {"--max-cycles", "5000"});
    REQUIRE(invoke(arguments).status == (complete ? 0 : 4));
    const json own = json::parse(test::slurp(folder.file("report.json")));
    CHECK(keys(own) == keys(run_json({"relu", "--n", "8"})));
    for (const char* key : {"offload_cycles_per_command", "offload_share", "offload_wait_cycles_per_command",
                            "offload_wait_share", "mismatches", "max_ulp", "first_mismatch"}) {
      INFO(key);
      CHECK(own[key].is_null());
    }
    CHECK(own["words_checked"] == 0);
    CHECK(own["exit_code"].is_null() != complete);
    CHECK(own["workload"] == "elf");
    CHECK(own["shape"]["elf"] == elf);
    CHECK(own["faults"].empty());
    // The NTX count the MACs.
    CHECK((own["macs"].get<std::uint64_t>() > 0) == complete);
  }
}

TEST_CASE("the same seed gives the same run, whatever registers start with", "[cli]") {
  json a = run_json({"gemm", "--m", "17", "--n", "9", "--k", "33", "--seed", "3"});
  json b = run_json({"gemm", "--m", "17", "--n", "9", "--k", "33", "--seed", "3"});
  for (const char* key : {"host_seconds", "host_cpu_seconds", "simulated_khz"}) {
    a.erase(key);
    b.erase(key);
  }
  CHECK(a == b);
  // Another seed draws other numbers and other start values; the cycles stay.
  const json c = run_json({"gemm", "--m", "17", "--n", "9", "--k", "33", "--seed", "4"});
  CHECK(c["cycles"] == a["cycles"]);
}

TEST_CASE("one command compares two machines", "[cli]") {
  const test::Folder folder;
  // Each NTX reads its own row of A and all read one of B: without multicast they take turns.
  const auto outcome =
      invoke({"compare", "gemm", "--m", "16", "--n", "16", "--k", "64", "--json", folder.file("both.json")});
  INFO(outcome.out);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const char* text : {"default", "published", "utilization", "bank conflicts", "mismatches"})
    CHECK_THAT(outcome.out, contains(text));
  const json both = json::parse(test::slurp(folder.file("both.json")));
  CHECK(both["schema"] == "nearcube-compare-1");
  REQUIRE(both["runs"].size() == 2);
  for (const json& run : both["runs"]) {
    CHECK(run["mismatches"] == 0);
    check_identities(run);
  }
  const json &ours = both["runs"][0], &published = both["runs"][1];
  CHECK(ours["counters"]["banks"].size() == 64);
  CHECK(published["counters"]["banks"].size() == 32);
  CHECK(published["hardware"]["multicast"] == false);
  CHECK(published["hardware"]["operand_fifo_depth"] == 5);
  CHECK(published["cycles"] > ours["cycles"]);
  // The same run alone has the same cycles.
  CHECK(run_json({"gemm", "--m", "16", "--n", "16", "--k", "64", "--config", "published"})["cycles"] ==
        published["cycles"]);
}

TEST_CASE("an array from a file and its result", "[cli]") {
  const test::Folder folder;
  network::write_npy(folder.file("x.npy"), network::Tensor({5}, {1, -2, 3, -4, 0}));
  const auto outcome =
      invoke({"run", "relu", "--input", folder.file("x.npy"), "--output", folder.file("y.npy")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const network::Tensor y = network::read_npy(folder.file("y.npy"));
  CHECK(std::vector<float>(y.data(), y.data() + y.size()) == std::vector<float>{1, 0, 3, 0, 0});
}

TEST_CASE("a Fashion-MNIST image through a convolution", "[cli]") {
  const json report = run_json(
      {"conv2d", "--input", "fashion-mnist:7", "--in-channels", "1", "--out-channels", "4", "--kernel", "5"});
  CHECK(report["shape"]["height"] == 28);
  CHECK(report["words_checked"] == 4 * 24 * 24);
}

TEST_CASE("a trace of a window comes with its save file", "[cli][trace]") {
  const test::Folder folder;
  const auto outcome = invoke({"run", "axpy", "--n", "64", "--trace", folder.file("run.fst"), "--trace-from",
                               "100", "--trace-to", "400"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(folder.entries() == 2);
  CHECK_THAT(test::slurp(folder.file("run.fst.gtkw")),
             contains("[dumpfile] \"run.fst\"") && contains("-AXI reads"));
}

TEST_CASE("results that differ end with status 3 and the first mismatch", "[cli]") {
  // A job runner that succeeds without doing anything: the outputs stay as the memory was.
  const test::Folder folder;
  const auto build = test::build_tree();
  std::filesystem::create_directories(folder.file("firmware"));
  std::filesystem::copy(build / "config", folder.file("config"), std::filesystem::copy_options::recursive);
  std::filesystem::copy(build / "firmware" / "test_scenarios.elf", folder.file("firmware/job_runner.elf"));
  const auto outcome =
      invoke({"run", "gemm", "--m", "3", "--n", "5", "--k", "2", "--json", folder.file("r.json")},
             {.environment = {{"NEARCUBE_HOME", folder.path()}}});
  INFO(outcome.out);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, test::contains("15 of 15 words differ from the reference"));
  CHECK_THAT(outcome.out,
             test::contains("first mismatch: ") && test::contains("C[0][0] is -nan (0xffbadbad), must be"));
  const json report = json::parse(test::slurp(folder.file("r.json")));
  CHECK(report["mismatches"] == 15);
  CHECK(report["first_mismatch"]["index"] == "[0][0]");
  CHECK(report["first_mismatch"]["got_bits"] == "0xffbadbad");
  CHECK(report["offload_cycles_per_command"].is_null());
}
