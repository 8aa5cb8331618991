// SPDX-License-Identifier: Apache-2.0
// Everything a user can get wrong: a clear message, the right exit status, no hang, no partial file.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/scenario.h"

using namespace nearcube;
using test::check;
using test::contains;
using test::invoke;

namespace {

std::string scenarios() { return (test::build_tree() / "firmware" / "test_scenarios.elf").string(); }

test::Outcome scenario(unsigned number, std::vector<std::string> more = {},
                       const test::Setting& setting = {}) {
  return test::run_scenario("test_scenarios", number, std::move(more), setting);
}

enum {
  kDouble,
  kExitCode,
  kLoad,
  kStore,
  kJump,
  kIllegal,
  kNoHandler,
  kDmaError,
  kInvalidCommand,
  kSleep,
  kSleepForNtx,
  kLoop,
  kBeyondCube,
  kBusyCommand,
};

}  // namespace

TEST_CASE("words that do not exist", "[cli][bad]") {
  check(invoke({"rnu"}), 2, {"unknown command \"rnu\"", "did you mean \"run\"?"});
  check(invoke({"run", "conv2"}), 2, {"unknown workload \"conv2\"", "did you mean \"conv2d\"?"});
  check(invoke({"run", "laplace4d"}), 2, {"unknown workload"});
  check(invoke({"foo"}), 2, {"unknown command \"foo\". There are demo"});
  check(invoke({"run", "conv2d", "--kernal", "3"}), 2,
        {"unknown option \"--kernal\", did you mean \"--kernel\"?"});
  check(invoke({"demo", "--imges=2"}), 2, {"unknown option \"--imges\"", "\"--images\"?"});
  check(invoke({"run", "gemm", "5"}), 2, {"not expected: 5", "--name VALUE"});
  check(invoke({}), 2, {"--help"});
  check(invoke({"run"}), 2, {"nothing to run"});
  check(invoke({"run", "gemm", "--x", "3"}), 2, {"--x"});
  check(invoke({"run", "gemm", "--m"}), 2, {"--m: its value is missing"});
  check(invoke({"run", "gemm", "--m", "many"}), 2, {"--m: many is not a whole number from 1"});
  check(invoke({"run", "gemm", "--seed", "-1"}), 2, {"--seed: -1 is not a whole number of at least 0"});
  for (const char* option : {"--elf", "--load", "--dump"}) {
    const std::string what = std::string(option) + " and the workload gemm exclude each other";
    check(invoke({"run", "gemm", option, "x"}), 2, {what, "run --elf FILE"});
    check(invoke({"run", option, "x=y", "gemm"}), 2, {what});
  }
}

TEST_CASE("help and version succeed everywhere", "[cli]") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                     {"run", "--help"},
                                                                     {"demo", "--help"},
                                                                     {"run", "conv2d", "--help"},
                                                                     {"run", "diffusion", "--help"},
                                                                     {"info", "--help"}}) {
    const auto outcome = invoke(arguments);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.out, contains("Example") && contains("  ./nearcube "));
    // What a library makes of types and ranges is not for people.
    CHECK_THAT(outcome.out, !contains("INT") && !contains("2147483647") && !contains("TEXT"));
  }
  const auto version = invoke({"--version"});
  CHECK(version.status == 0);
  CHECK_THAT(version.out, contains("nearcube "));
}

TEST_CASE("info describes what holds, as text and as JSON", "[cli]") {
  const auto text = invoke({"info"});
  CHECK(text.status == 0);
  CHECK_THAT(text.out,
             contains("8 NTX") && contains("0x10000000") && contains("Verilator") && contains("job_runner"));
  const auto json = invoke({"info", "--json"});
  CHECK(nlohmann::json::parse(json.out)["cluster"]["ntx"] == 8);
}

TEST_CASE("shapes that make no sense", "[cli][bad]") {
  check(invoke({"run", "gemm", "--m", "0"}), 2, {"--m"});
  check(invoke({"run", "gemm", "--m", "-3"}), 2, {"--m"});
  check(invoke({"run", "gemm", "--m", "99999999999999999999"}), 2, {"--m"});
  check(invoke({"run", "gemm", "--m", "2147483647", "--k", "2147483647"}), 2,
        {"does not fit the cube's memory"});
  check(invoke({"run", "axpy", "--n", "2147483647"}), 2, {"does not fit the cube's memory of 2 GiB"});
  check(invoke({"run", "conv2d", "--height", "4", "--width", "4", "--kernel", "9"}), 2, {"kernel"});
  check(invoke({"run", "conv2d", "--stride", "0"}), 2, {"--stride"});
  check(invoke({"run", "maxpool", "--kernel", "100"}), 2, {});
  check(invoke({"run", "diffusion", "--rate", "nan"}), 2, {"--rate"});
}

TEST_CASE("inputs that are not there or do not fit", "[cli][bad]") {
  check(invoke({"run", "relu", "--input", "no/such.npy"}), 2, {"no/such.npy"});
  check(invoke({"run", "relu", "--input", "/proc/self/exe"}), 2, {"not an NPY file"});
  check(invoke({"run", "conv2d", "--in-channels", "1", "--input", "fashion-mnist:10000"}), 2, {"10000"});
  check(invoke({"run", "conv2d", "--in-channels", "1", "--input", "fashion-mnist:-1"}), 2, {"-1"});
  check(invoke({"run", "conv2d", "--in-channels", "1", "--input", "fashion-mnist:x"}), 2,
        {"not the number of an image"});
  check(invoke({"run", "conv2d", "--height", "30", "--input", "fashion-mnist:1"}), 2,
        {"--height 30 does not fit"});
  test::Folder folder;
  network::write_npy(folder.file("x.npy"), network::Tensor({2, 3, 4}));
  check(invoke({"run", "gemm", "--input", folder.file("x.npy")}), 2, {"2x3x4", "takes 2 dimensions"});
}

TEST_CASE("configurations with mistakes or for another model", "[cli][bad]") {
  test::Folder folder;
  const std::string config = test::slurp(test::build_tree() / "config" / "cluster" / "default.yaml");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::ofstream(folder.file("c.yaml")) << std::regex_replace(config, std::regex(from), to);
    return invoke({"run", "axpy", "--n", "8", "--config", folder.file("c.yaml")});
  };
  check(with("outstanding: 32", "outstandign: 32"), 2, {"c.yaml:", "memory.outstanding: missing"});
  check(with("clock:", "colour: red\nclock:"), 2, {"c.yaml:", "unknown key colour"});
  check(with("tcdm_banks: 64", "tcdm_banks: 16"), 2,
        {"c.yaml: no RTL model was built for these parameters", "default (tcdm_banks: 16 instead of 64)",
         "published (tcdm_banks: 16 instead of 32, multicast: true instead of false, operand_fifo_depth: 8 "
         "instead of 5)"});
  check(with("accumulator_lsb: -298", "accumulator_lsb: -150"), 2,
        {"default (accumulator_lsb: -150 instead of -298)"});
  check(invoke({"run", "axpy", "--n", "8", "--config", "publishd"}), 2,
        {"--config publishd: neither a file nor one of the presets default, published", "did you mean"});
  check(invoke({"run", "axpy", "--n", "8", "--backend", "fast", "--trace", folder.file("t.fst")}), 2,
        {"the fast backend has no signals"});
  check(invoke({"run", "axpy", "--n", "8", "--backend", "fats"}), 2, {"none of rtl, fast, did you mean"});
  check(invoke({"run", "axpy", "--n", "8", "--config", "published", "--trace", folder.file("t.fst")}), 2,
        {"published.yaml: waveforms: the RTL model of preset published was built without them", "default"});
  check(invoke({"compare", "axpy", "--n", "8", "--config", "default", "--config", "no/such.yaml"}), 2,
        {"no/such.yaml"});
  check(invoke({"compare"}), 2, {});
  check(invoke({"compare", "axpi"}), 2, {"unknown workload \"axpi\"", "axpy"});
  check(with("capacity_bytes: 2 GiB", "capacity_bytes: 4 KiB"), 2,
        {"need more than 1.00 MiB", "memory.capacity_bytes", "--config", "up to 2 GiB"});
  const std::string job_runner = (test::build_tree() / "firmware" / "job_runner.elf").string();
  check(invoke({"run", "--elf", job_runner, "--config", folder.file("c.yaml")}), 2,
        {"memory.capacity_bytes of " + folder.file("c.yaml")});
  for (const char* nothing : {"", "\n", "# a comment\n", "---\n"}) {
    INFO(nothing);
    std::ofstream(folder.file("c.yaml")) << nothing;
    check(invoke({"info", "--config", folder.file("c.yaml")}), 2, {"c.yaml:", "the file must be a mapping"});
  }
  check(invoke({"info", "--config", "no/such.yaml"}), 2, {"no/such.yaml"});
  check(invoke({"run", "axpy", "--n", "8"}, {.environment = {{"NEARCUBE_HOME", folder.path()}}}), 2,
        {"config/cluster/default.yaml"});
}

TEST_CASE("ELF files that are none, foreign or cut", "[cli][bad]") {
  test::Folder folder;
  check(invoke({"run", "--elf", "no/such.elf"}), 2, {"no/such.elf"});
  check(invoke({"run", "--elf", "/proc/self/exe"}), 2, {"/proc/self/exe"});
  check(invoke({"run", "--elf", "/dev/null"}), 2, {"/dev/null"});
  const std::string whole = test::slurp(scenarios());
  for (const std::size_t size : {std::size_t{3}, std::size_t{40}, std::size_t{100}, whole.size() / 3}) {
    std::ofstream(folder.file("cut.elf"), std::ios::binary) << whole.substr(0, size);
    check(invoke({"run", "--elf", folder.file("cut.elf")}), 2, {"cut.elf"});
  }
}

TEST_CASE("arrays in and out of a user's firmware", "[cli]") {
  test::Folder folder;
  network::Tensor values({12});
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::uint32_t bits = 1000 + i;
    std::memcpy(&values[i], &bits, sizeof bits);
  }
  network::write_npy(folder.file("in.npy"), values, network::Element::kInt32);
  const auto outcome = scenario(kDouble, {"--load", "numbers=" + folder.file("in.npy"), "--dump",
                                          "numbers:3x4:int32=" + folder.file("out.npy")});
  check(outcome, 0, {});
  CHECK_THAT(outcome.out, contains("doubled 12 numbers"));
  const network::Tensor result = network::read_npy_bits(folder.file("out.npy"));
  CHECK(result.shape() == network::Shape{3, 4});
  for (std::uint32_t i = 0; i < 12; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, result.data() + i, sizeof bits);
    CHECK(bits == 2 * (1000 + i));
  }
}

TEST_CASE("arrays that do not fit or are not there", "[cli][bad]") {
  test::Folder folder;
  network::write_npy(folder.file("13.npy"), network::Tensor({13}));
  check(scenario(kDouble, {"--load", "numbers=" + folder.file("13.npy")}), 2,
        {"52 B do not fit numbers, which has 48 B"});
  check(scenario(kDouble, {"--load", "nmbers=" + folder.file("13.npy")}), 2, {"nmbers", "numbers"});
  check(scenario(kDouble, {"--load", "numbers"}), 2, {"--load numbers: must be"});
  check(scenario(kDouble, {"--load", "0x3=" + folder.file("13.npy")}), 2, {"not a multiple of 4"});
  check(scenario(kDouble, {"--load", "0x40000000=" + folder.file("13.npy")}), 2,
        {"neither in the cube's memory"});
  check(scenario(kDouble, {"--load", "0xyz=" + folder.file("13.npy")}), 2, {"not a hexadecimal address"});
  check(scenario(kDouble, {"--dump", "numbers:99=" + folder.file("o.npy")}), 2, {"do not fit numbers"});
  check(scenario(kDouble, {"--dump", "numbers:3y4=" + folder.file("o.npy")}), 2, {"is not a shape"});
  check(scenario(kDouble, {"--dump", "numbers:4:fp64=" + folder.file("o.npy")}), 2,
        {"neither fp32 nor int32"});
  check(scenario(kDouble, {"--dump", "0x10000000:999999999=" + folder.file("o.npy")}), 2,
        {"neither in the cube's memory"});
  CHECK(folder.entries() == 1);
}

TEST_CASE("firmware that goes wrong says where and why", "[cli][bad]") {
  check(scenario(kExitCode), 1, {"ended with exit code 7"});
  check(scenario(kLoad), 2, {"uncaught exception", "load", "0x40000000", "main"});
  check(scenario(kStore), 2, {"uncaught exception", "store", "0x40000004", "main"});
  check(scenario(kJump), 2, {"uncaught exception", "instruction", "0x40000008"});
  check(scenario(kIllegal), 2, {"uncaught exception", "illegal instruction", "main"});
  check(scenario(kNoHandler), 2, {"uncaught exception", "0x4000000c", "main"});
  check(scenario(kBeyondCube), 2, {"uncaught exception", "load", "0xfffffff0", "main"});
  check(scenario(kDmaError), 2, {"ended with exit code 3", "DMA transfer 1 failed"});
  check(scenario(kInvalidCommand), 2, {"ended with exit code 4", "NTX 2 refused a command"});
}

TEST_CASE("a program that makes no progress ends with each unit's state", "[cli][bad]") {
  const auto asleep = scenario(kSleep);
  CHECK(asleep.status == 4);
  CHECK_THAT(asleep.out, contains("NOT COMPLETE: stuck") && contains("core    asleep at") && contains("WFI"));
  const auto waiting = scenario(kSleepForNtx);
  CHECK(waiting.status == 4);
  CHECK_THAT(waiting.out, contains("enabled events: NTX 5") && contains("core waits for NTX 5"));
}

TEST_CASE("a program that does not end, ends at its limit", "[cli][bad]") {
  test::Folder folder;
  const auto outcome = scenario(kLoop, {"--max-cycles", "50000", "--json", folder.file("report.json")});
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.out, contains("the limit of 50,000 cycles"));
  const auto report = nlohmann::json::parse(test::slurp(folder.file("report.json")));
  CHECK(report["end"] == "max-cycles");
  CHECK(report["cycles"].get<std::uint64_t>() >= 50000);
  CHECK(report["cycles"].get<std::uint64_t>() < 50010);
  CHECK(report["mismatches"].is_null());
}

TEST_CASE("a long command is progress", "[cli]") {
  const auto outcome = scenario(kBusyCommand, {"--max-cycles", "100000"});
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.out, contains("the limit of 100,000 cycles") && contains("NTX 1   MAC active"));
}

TEST_CASE("Ctrl-C, the end of the session and kill end a run with the report so far", "[cli][bad]") {
  for (const int signal : {SIGINT, SIGHUP, SIGTERM}) {
    INFO(signal);
    test::Folder folder;
    const auto outcome = scenario(
        kLoop, {"--json", folder.file("report.json"), "--trace", folder.file("t.fst"), "--trace-to", "1000"},
        {.interrupt_after = 1.0, .signal = signal});
    INFO(outcome.err);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.out, contains("NOT COMPLETE: interrupted after") && contains("simulated"));
    CHECK(nlohmann::json::parse(test::slurp(folder.file("report.json")))["end"] == "interrupted");
    CHECK(std::filesystem::exists(folder.file("t.fst")));
    CHECK(std::filesystem::exists(folder.file("t.fst.gtkw")));
    CHECK(folder.entries() == 3);
  }
}

TEST_CASE("a full disk is an error, and no file is left that looks whole", "[cli][bad]") {
  test::Folder folder;
  check(invoke({"run", "axpy", "--n", "8", "--json", "/dev/full"}), 1, {"/dev/full", "disk is full"});
  check(invoke({"run", "axpy", "--n", "8", "--json", folder.file("no/such/report.json")}), 2,
        {"no/such/report.json"});
  check(invoke({"run", "axpy", "--n", "8", "--output", "/dev/full"}), 1, {"/dev/full", "disk is full"});
  check(invoke({"demo", "--images", "1", "--png", "/dev/full"}), 1, {"/dev/full", "disk is full"});
  check(scenario(kDouble, {"--dump", "numbers:12=/dev/full"}), 1, {"/dev/full", "disk is full"});
  std::filesystem::create_symlink("/dev/full", folder.file("full.fst"));
  check(invoke({"run", "axpy", "--n", "8", "--trace", folder.file("full.fst")}), 2, {"not a regular file"});
  std::filesystem::remove(folder.file("full.fst"));
  check(invoke({"run", "axpy", "--n", "8", "--trace", folder.file("small.fst")}, {.file_limit = 1024}), 1,
        {"small.fst", "ulimit"});
  // Large enough for the trace library's own files, too small for the trace.
  const auto outcome =
      invoke({"run", "axpy", "--n", "4000", "--trace", folder.file("t.fst")}, {.file_limit = 600000});
  check(outcome, 1, {"t.fst", "disk full"});
  CHECK_THAT(outcome.out, contains(" 0 mismatches"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("a program that is killed while it writes leaves nothing that looks whole", "[cli][bad]") {
  test::Folder folder;
  const std::string file = folder.file("memory.npy");
  // 12 MiB take a moment to write and to sync.
  const auto outcome =
      scenario(kDouble, {"--dump", "0x80000000:3145728=" + file}, {.kill_when = file + ".part."});
  CHECK(outcome.status == 128 + SIGKILL);
  CHECK_FALSE(std::filesystem::exists(file));
  // The next run is not in its way.
  check(scenario(kDouble, {"--dump", "0x80000000:3145728=" + file}), 0, {});
  CHECK(network::read_npy_bits(file).size() == 3145728);
}

TEST_CASE("outputs that cannot be written, or would replace each other, are known before the run",
          "[cli][bad]") {
  test::Folder folder;
  const std::string file = folder.file("a");
  const std::vector<std::string> endless = {"run", "gemm", "--m", "2000", "--n", "2000", "--k", "9000"};
  const auto refuses = [&](std::vector<std::string> more, const std::vector<std::string>& messages) {
    more.insert(more.begin(), endless.begin(), endless.end());
    check(invoke(more), 2, messages);
  };
  refuses({"--json", folder.file("no/such/a")}, {"no/such/a"});
  // Every output: into a folder that is none, is not there, is the file itself, or may not be written, even
  // by root.
  std::filesystem::create_directory(folder.file("d.fst"));
  const auto read_only = std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec;
  std::filesystem::create_directory(folder.file("read-only"));
  std::filesystem::permissions(folder.file("read-only"), read_only);
  const std::string locked = folder.file("read-only/a.fst");
  for (const char* option : {"--json", "--output", "--trace"}) {
    refuses({option, folder.file("d.fst")}, {"d.fst: cannot write: Is a directory"});
    refuses({option, folder.file("no/such/a.fst")},
            {"no/such/a.fst: cannot write: No such file or directory"});
    refuses({option, "/dev/null/a.fst"}, {"/dev/null/a.fst: cannot write: Not a directory"});
    refuses({option, locked}, {locked + ": cannot write: Permission denied"});
  }
  for (const std::string& place : {folder.file("d.fst"), folder.file("no/such/a"), locked}) {
    check(invoke({"demo", "--png", place}), 2,
          {place + ": cannot write", "--png FILE puts the picture elsewhere"});
    check(scenario(kLoop, {"--dump", "numbers:12=" + place}), 2, {place + ": cannot write"});
  }
  std::filesystem::remove(folder.file("d.fst"));
  std::filesystem::remove(folder.file("read-only"));
  refuses({"--json", ""}, {"--json", "name is empty"});
  refuses({"--config", ""}, {"--config", "name is empty"});
  refuses({"--json", file, "--output", folder.path() + "/./a"}, {"two outputs"});
  refuses({"--json", file + ".fst", "--trace", file + ".fst"}, {"two outputs"});
  refuses({"--output", file + ".fst.gtkw", "--trace", file + ".fst"}, {"two outputs"});
  refuses({"--trace", folder.file("a.vcd")}, {"--trace", "FST format only", "a.fst"});
  refuses({"--trace", file}, {"FST format only", "a.fst"});
  CHECK(folder.entries() == 0);
}

TEST_CASE("output that nobody receives", "[cli][bad]") {
  const auto shell = [](const std::string& text) {
    const std::string program = (test::build_tree() / "bin" / "nearcube").string();
    const int status = std::system(("nearcube='" + program + "'; " + text).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  };
  test::Folder folder;
  for (const char* what : {"info", "info --json", "--help", "run --help", "--version", "run axpy --n 8"}) {
    INFO(what);
    CHECK(shell(std::string("$nearcube ") + what + " > /dev/full 2> /dev/null") == 1);
  }
  CHECK(shell("$nearcube run axpy --n 0 2>&-") == 2);
  CHECK(shell("$nearcube run --elf no/such >&- 2>&- <&-") == 2);
  // A reader that has seen enough: the files are written all the same.
  CHECK(shell("cd " + folder.path() +
              " && { $nearcube run axpy --n 8 --json j; echo $? > status; } | true") == 0);
  CHECK(test::slurp(folder.file("status")) == "0\n");
  CHECK(nlohmann::json::parse(test::slurp(folder.file("j")))["mismatches"] == 0);
}

TEST_CASE("a slow memory is not a stuck one", "[cli]") {
  test::Folder folder;
  std::string config = test::slurp(test::build_tree() / "config" / "cluster" / "default.yaml");
  config = std::regex_replace(config, std::regex("watchdog_cycles: [0-9]+"), "watchdog_cycles: 1000");
  config = std::regex_replace(config, std::regex("_latency_ns: 40"), "_latency_ns: 5000");
  std::ofstream(folder.file("c.yaml")) << config;
  const auto outcome = invoke({"run", "axpy", "--n", "8", "--config", folder.file("c.yaml")});
  INFO(outcome.out);
  CHECK(outcome.status == 0);
}

TEST_CASE("Ctrl-C ends the program before and after the run, too", "[cli][bad]") {
  const auto outcome = invoke({"run", "axpy", "--n", "90000000"}, {.interrupt_after = 1.0});
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.err, contains("interrupted"));
}

TEST_CASE("trace options that make no sense", "[cli][bad]") {
  test::Folder folder;
  const std::string file = folder.file("t.fst");
  check(invoke({"run", "axpy", "--n", "8", "--trace-from", "3"}), 2,
        {"--trace-from and --trace-to need --trace FILE.fst"});
  check(invoke({"run", "axpy", "--n", "8", "--trace", file, "--trace-from", "9", "--trace-to", "3"}), 2,
        {"before it begins"});
  check(invoke({"run", "axpy", "--n", "8", "--trace", file, "--trace-scope", "cluster.nowhere"}), 2,
        {"no such instance"});
  check(invoke({"run", "axpy", "--n", "8", "--trace", file, "--trace-from", "999999999"}), 2,
        {"no trace was written"});
  CHECK(folder.entries() == 0);
}
