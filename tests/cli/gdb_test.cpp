// SPDX-License-Identifier: Apache-2.0
// `nearcube run --gdb`, driven by gdb-multiarch with the firmware's symbols, and by a client that misbehaves.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <regex>

#include "tests/cli/program.h"
#include "tests/cli/scenario.h"

using namespace nearcube;
using test::contains;

namespace {

std::string scenarios() { return (test::build_tree() / "firmware" / "test_scenarios.elf").string(); }

/// A program under way, whose output can be looked at. It is killed when this goes away.
class Process {
 public:
  explicit Process(const std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const std::string out = folder_.file("out");
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
  }
  ~Process() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  std::string output() const { return test::slurp(folder_.file("out")); }
  void signal(int number) const { ::kill(child_, number); }

  /// Exit status; 128 + signal if one ended it. A minute is the limit.
  int wait() {
    int status = 0;
    for (int i = 0; i < 6000; ++i) {
      if (::waitpid(child_, &status, WNOHANG) != 0) {
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL("it does not end; so far it said: " << output());
    return -1;
  }

  /// The first group of `pattern`, once the output has it.
  std::string find(const std::string& pattern) const {
    for (int i = 0; i < 6000; ++i) {
      const std::string text = output();
      std::smatch match;
      if (std::regex_search(text, match, std::regex(pattern))) return match[1];
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL("it never said " << pattern << " but " << output());
    return {};
  }

 private:
  test::Folder folder_;
  pid_t child_ = -1;
};

class Simulation : public Process {
 public:
  Simulation()
      : Process(
            {(test::build_tree() / "bin" / "nearcube").string(), "run", "--elf", scenarios(), "--gdb", "0"}),
        port(std::stoi(find("localhost:([0-9]+)"))) {}
  const int port;
};

/// What GDB prints when it carries out these commands, connected.
std::string gdb(int port, const std::vector<std::string>& commands) {
  std::vector<std::string> words = {"gdb-multiarch",
                                    "-nx",
                                    "-batch",
                                    "-ex",
                                    "set confirm off",
                                    "-ex",
                                    "target remote localhost:" + std::to_string(port)};
  for (const std::string& command : commands) {
    words.push_back("-ex");
    words.push_back(command);
  }
  words.push_back(scenarios());
  Process process(words);
  process.wait();
  return process.output();
}

/// A client that speaks as it likes.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Client() { ::close(socket_); }
  void send(const std::string& bytes) const {
    REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  /// What comes until it contains `end`; what came so far if the other side closes.
  std::string receive(const std::string& end) const {
    std::string all;
    char byte = 0;
    while (all.find(end) == std::string::npos && ::recv(socket_, &byte, 1, 0) == 1) all.push_back(byte);
    return all;
  }

 private:
  int socket_;
};

}  // namespace

TEST_CASE("GDB breaks, watches, steps and runs to the end", "[gdb]") {
  Simulation simulation;
  const std::string said = gdb(
      simulation.port, {"break main", "continue", "set var numbers[2] = 21", "watch numbers[2]", "continue",
                        "info line *$pc", "stepi", "print numbers[2] + 1", "delete", "monitor cycles",
                        "print/x $misa", "x/1xw 0x40000000", "info registers a0", "continue"});
  INFO(said);
  CHECK_THAT(said, contains("Breakpoint 1, main ()"));
  CHECK_THAT(said, contains("Hardware watchpoint 2: numbers[2]"));
  CHECK_THAT(said, contains("Old value = 21") && contains("New value = 42"));
  CHECK_THAT(said, contains("scenarios.c\" starts at address") && contains("<main+"));
  CHECK_THAT(said, contains("$1 = 43"));
  CHECK_THAT(said, contains("NTX clock cycles since reset"));
  CHECK_THAT(said, contains("Cannot access memory at address 0x40000000"));
  CHECK_THAT(said, contains("[Inferior 1 (Remote target) exited normally]"));
  CHECK(simulation.wait() == 0);
  CHECK_THAT(simulation.output(), contains("doubled 12 numbers") && contains("a debugger connected"));
}

TEST_CASE("GDB sees the exit code", "[gdb]") {
  Simulation simulation;
  const std::string said =
      gdb(simulation.port, {"break main", "continue", "set var scenario = 1", "continue"});
  INFO(said);
  CHECK_THAT(said, contains("exited with code 07"));
  CHECK(simulation.wait() == 1);
}

TEST_CASE("GDB shows an exception where it happened, and can kill the run", "[gdb]") {
  Simulation simulation;
  const std::string said = gdb(simulation.port, {"break main", "continue", "set var scenario = 3", "continue",
                                                 "backtrace", "print/x $mtval", "kill"});
  INFO(said);
  CHECK_THAT(said, contains("Program received signal SIGSEGV"));
  CHECK_THAT(said, contains("in nc_write (value=1") && contains("main () at"));
  CHECK_THAT(said, contains("$1 = 0x40000004"));
  CHECK(simulation.wait() == 1);
  CHECK_THAT(simulation.output(), contains("killed by the debugger"));
}

TEST_CASE("GDB leaves and comes back", "[gdb]") {
  Simulation simulation;
  const std::string first =
      gdb(simulation.port, {"break main", "continue", "set var scenario = 11", "detach"});
  INFO(first);
  CHECK_THAT(first, contains("detached"));
  simulation.find("(the debugger detached)");
  const std::string second = gdb(simulation.port, {"backtrace", "disconnect"});
  INFO(second);
  CHECK_THAT(second, contains("main ()"));
  simulation.find("(connection broke)");
  const std::string third = gdb(simulation.port, {"set var scenario = 0", "print scenario", "kill"});
  CHECK_THAT(third, contains("$1 = 0"));
  CHECK(simulation.wait() == 1);
}

TEST_CASE("Ctrl-C ends a run that waits for a debugger", "[gdb]") {
  Simulation simulation;
  simulation.signal(SIGINT);
  CHECK(simulation.wait() == 1);
  CHECK_THAT(simulation.output(), contains("interrupted after"));
}

TEST_CASE("a client that misbehaves does no harm", "[gdb]") {
  Simulation simulation;
  {
    const Client client(simulation.port);
    client.send("GET / HTTP/1.1\r\n\r\n$m80000000,4#00$qC#b4");
    CHECK_THAT(client.receive("#c5"), contains("-+$QC1#c5"));
  }
  {
    const Client client(simulation.port);
    client.send("$m800000");  // and away
  }
  {
    const Client client(simulation.port);
    const Client second(simulation.port);
    second.send("$qC#b4");  // answered when the first has gone
    client.send("+$Z0,");
    client.send("80000000,2#00$?#3f");
    CHECK_THAT(client.receive("#b6"), contains("$T02#b6"));
    // Running, and asked to stop in the same breath.
    client.send("$c#63\x03");
    CHECK_THAT(client.receive("#b6"), contains("$T02#b6"));
    client.send("$D#44");
    CHECK_THAT(client.receive("#9a"), contains("$OK#9a"));
    CHECK_THAT(second.receive("#c5"), contains("$QC1#c5"));
    second.send("$k#6b");
  }
  CHECK(simulation.wait() == 1);
}

TEST_CASE("a port that cannot be had", "[gdb][bad]") {
  Simulation simulation;
  test::check(test::invoke({"run", "axpy", "--n", "8", "--gdb", std::to_string(simulation.port)}), 2,
              {"--gdb " + std::to_string(simulation.port), "cannot listen", "Choose another, or 0"});
  test::check(test::invoke({"run", "axpy", "--n", "8", "--gdb", "65536"}), 2, {"--gdb: 65536"});
}
