// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/base/random.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"
#include "sim/base/wrapping_counters.h"
#include "tests/support/catch.h"

using namespace nearcube;
namespace fs = std::filesystem;

namespace {

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "nearcube-base-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

ExitStatus status_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.status();
  }
  FAIL("no error");
  return ExitStatus::kOther;
}

}  // namespace

TEST_CASE("errors carry a message and an exit status", "[base]") {
  try {
    bad_input("{}: line {} is empty", "file", 7);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "file: line 7 is empty");
    CHECK(error.exit_code() == 2);
  }
  CHECK(base::error(ExitStatus::kStuck, "x").exit_code() == 4);
  CHECK(base::error(ExitStatus::kMismatch, "x").exit_code() == 3);
}

TEST_CASE("files are written whole and read back", "[base]") {
  Folder folder;
  const std::string path = folder.file("a");
  base::write_file_atomically(path, std::string_view("one"));
  base::write_file_atomically(path, std::string_view("two\0three", 9));
  const auto content = base::read_file(path, "test file");
  CHECK(std::string(content.begin(), content.end()) == std::string("two\0three", 9));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a failed write leaves nothing behind", "[base]") {
  Folder folder;
  CHECK(status_of([&] { base::write_file_atomically(folder.file("no/such/a"), std::string_view("x")); }) ==
        ExitStatus::kBadInput);
  fs::create_directory(folder.file("d"));
  CHECK(status_of([&] { base::write_file_atomically(folder.file("d"), std::string_view("x")); }) ==
        ExitStatus::kBadInput);
  CHECK(folder.entries() == 1);
  try {
    base::write_file_atomically("/dev/full", std::string_view("x"));
    FAIL("/dev/full took a byte");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::kOther);
    CHECK_THAT(error.what(), nearcube::test::contains("disk is full"));
  }
  CHECK(fs::exists("/dev/full"));
}

TEST_CASE("a file is whole or the one before, whenever the program is killed", "[base]") {
  Folder folder;
  const std::string path = folder.file("a");
  const std::string one(300000, '1');
  const std::string two(1000000, '2');
  base::write_file_atomically(path, one);
  base::Random random(1);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (;;) {
        base::write_file_atomically(path, two);
        base::write_file_atomically(path, one);
      }
    }
    ::usleep(static_cast<useconds_t>(1000 + random.below(20000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto content = base::read_file(path, "test file");
    const std::string text(content.begin(), content.end());
    CAPTURE(round, text.size());
    CHECK((text == one || text == two));
  }
}

TEST_CASE("a symbolic link is followed, and stays", "[base]") {
  Folder folder;
  fs::create_directory(folder.file("d"));
  fs::create_symlink("d/real", folder.file("link"));
  base::check_writable(folder.file("link"));
  base::write_file_atomically(folder.file("link"), std::string_view("one"));
  base::write_file_atomically(folder.file("link"), std::string_view("two"));
  CHECK(fs::is_symlink(folder.file("link")));
  const auto content = base::read_file(folder.file("d/real"), "test file");
  CHECK(std::string(content.begin(), content.end()) == "two");
  fs::create_symlink("b", folder.file("a"));
  fs::create_symlink("a", folder.file("b"));
  CHECK(status_of([&] { base::write_file_atomically(folder.file("a"), std::string_view("x")); }) ==
        ExitStatus::kBadInput);
}

TEST_CASE("what cannot be written is known before, and trying leaves nothing", "[base]") {
  Folder folder;
  base::check_writable(folder.file("new"));
  base::check_writable("/dev/null");
  CHECK(folder.entries() == 0);
  for (const std::string& path :
       {folder.file("."), folder.file("no/such/a"), folder.file(std::string(300, 'x')), std::string()}) {
    CHECK(status_of([&] { base::check_writable(path); }) == ExitStatus::kBadInput);
  }
}

TEST_CASE("an open file is added to, not replaced", "[base]") {
  Folder folder;
  const int fd = ::open(folder.file("out").c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(::write(fd, "report ", 7) == 7);
  base::write_file_atomically("/proc/self/fd/" + std::to_string(fd), std::string_view("json"));
  ::close(fd);
  const auto content = base::read_file(folder.file("out"), "test file");
  CHECK(std::string(content.begin(), content.end()) == "report json");
}

TEST_CASE("pipes without another end and devices without an end do not hang", "[base]") {
  Folder folder;
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(status_of([&] { base::read_file(folder.file("pipe"), "test file"); }) == ExitStatus::kBadInput);
  CHECK(status_of([&] { base::write_file_atomically(folder.file("pipe"), std::string_view("x")); }) ==
        ExitStatus::kBadInput);
  CHECK(status_of([&] { base::read_file("/dev/zero", "test file"); }) == ExitStatus::kBadInput);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  base::write_file_atomically("/proc/self/fd/" + std::to_string(ends[1]), std::string_view("through"));
  ::close(ends[1]);
  const auto content = base::read_file("/proc/self/fd/" + std::to_string(ends[0]), "test file");
  ::close(ends[0]);
  CHECK(std::string(content.begin(), content.end()) == "through");
}

TEST_CASE("reading names the file and what it should have been", "[base]") {
  Folder folder;
  try {
    base::read_file(folder.file("gone"), "ELF file");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), nearcube::test::contains("gone") && nearcube::test::contains("ELF file"));
    CHECK(error.status() == ExitStatus::kBadInput);
  }
  CHECK(status_of([&] { base::read_file(folder.file("."), "ELF file"); }) == ExitStatus::kBadInput);
}

TEST_CASE("units", "[base]") {
  CHECK(base::with_separators(0) == "0");
  CHECK(base::with_separators(999) == "999");
  CHECK(base::with_separators(1000) == "1,000");
  CHECK(base::with_separators(1234567) == "1,234,567");
  CHECK(base::format_bytes(12) == "12 B");
  CHECK(base::format_bytes(65536) == "64 KiB");
  CHECK(base::format_bytes(1572865) == "1.50 MiB");
  CHECK(base::format_percent(0.1234) == "12.3 %");
  CHECK(base::cycles_to_ns(5) == Approx(4.0));
  CHECK(base::ns_to_cycles(4.0) == 5);
  CHECK(base::ns_to_cycles(4.1) == 6);
}

TEST_CASE("random numbers are the published ones, bounded, and spread", "[base]") {
  base::Random random(1234567);
  // First outputs of splitmix64 with this seed, from its reference implementation.
  CHECK(random.next() == 6457827717110365317ull);
  CHECK(random.next() == 3203168211198807973ull);
  std::set<std::uint64_t> seen;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto value = random.below(10);
    REQUIRE(value < 10);
    seen.insert(value);
    const double x = static_cast<double>(random.normal());
    sum += x;
    squares += x * x;
  }
  CHECK(seen.size() == 10);
  CHECK(sum / 10000 == Approx(0.0).margin(0.05));
  CHECK(squares / 10000 == Approx(1.0).margin(0.05));
}

TEST_CASE("the first interrupt is noted", "[base]") {
  base::catch_interrupts();
  const base::NoteInterrupts noting;
  CHECK_FALSE(base::interrupted());
  std::raise(SIGINT);
  CHECK(base::interrupted());
  CHECK(base::interrupt_signal() == SIGINT);
  base::clear_interrupt();
  CHECK_FALSE(base::interrupted());
}

TEST_CASE("an interrupt that nobody is to note, or that nobody took, ends the program", "[base]") {
  for (const bool noted : {false, true}) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::close(STDERR_FILENO);
      base::catch_interrupts();
      if (noted) {
        const base::NoteInterrupts noting;
        std::raise(SIGTERM);
        if (!base::interrupted()) ::_exit(7);
      } else {
        std::raise(SIGTERM);
      }
      ::_exit(8);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
  }
}

TEST_CASE("a mistyped name finds its neighbour, a foreign one does not", "[base]") {
  const std::vector<std::string> names = {"conv2d", "gemm", "gemv", "maxpool", "relu"};
  CHECK(base::closest("conv2", names) == "conv2d");
  CHECK(base::closest("covn2d", names) == "conv2d");
  CHECK(base::closest("max-pool", names) == "maxpool");
  CHECK(base::closest("gem", names) == "gemm");
  CHECK(base::closest("laplace", names).empty());
  CHECK(base::did_you_mean("rleu", names) == ", did you mean \"relu\"?");
  CHECK(base::did_you_mean("", names).empty());
}

TEST_CASE("Counters of 32 bits add up to 64 across every wrap") {
  base::WrappingCounters counters(3);
  // A slow one, one that moves by nearly 2^32 between samples, one that stands still.
  constexpr std::uint64_t kSteps[] = {1, 0xFFFFFFFF, 0};
  std::uint64_t true_values[3] = {0xFFFFFFF0, 5, 7};
  counters.sample(std::vector<std::uint32_t>{0xFFFFFFF0, 5, 7});
  for (int sample = 0; sample < 100; ++sample) {
    std::vector<std::uint32_t> now;
    for (int i = 0; i < 3; ++i) {
      true_values[i] += kSteps[i];
      now.push_back(static_cast<std::uint32_t>(true_values[i]));
    }
    counters.sample(now);
  }
  CHECK(counters.totals() == std::vector<std::uint64_t>(std::begin(true_values), std::end(true_values)));
  CHECK(counters.totals()[0] == 0x100000054);

  // The program zeroes them: what comes after counts from there, and is no wrap.
  counters.clear();
  CHECK(counters.totals() == std::vector<std::uint64_t>{0, 0, 0});
  counters.sample(std::vector<std::uint32_t>{3, 0, 9});
  counters.sample(std::vector<std::uint32_t>{3, 0xFFFFFFFF, 8});
  CHECK(counters.totals() == std::vector<std::uint64_t>{3, 0xFFFFFFFF, 0x100000008});
  CHECK_THROWS_AS(counters.sample(std::vector<std::uint32_t>{1}), Error);
}
