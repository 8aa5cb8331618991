// SPDX-License-Identifier: Apache-2.0
// Runs the program `nearcube` and looks at what it says.
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace nearcube::test {

namespace fs = std::filesystem;

/// The build tree: this test is in its folder tests/.
inline fs::path build_tree() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "nearcube-cli-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

struct Outcome {
  int status = -1;  ///< exit status; 128 + signal if one ended it
  std::string out, err;
};

/// How to run it.
struct Setting {
  rlim_t file_limit = RLIM_INFINITY;  ///< largest file it may write, in bytes
  double interrupt_after = 0;         ///< seconds until the signal; 0: none
  int signal = SIGINT;
  std::string kill_when = {};  ///< SIGKILL as soon as a file whose name begins so exists
  std::vector<std::pair<std::string, std::string>> environment = {};
};

/// Runs build/bin/nearcube with these arguments. A run of more than five minutes is a failure.
inline Outcome invoke(const std::vector<std::string>& arguments, const Setting& setting = {}) {
  const Folder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  const std::string program = (build_tree() / "bin" / "nearcube").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    if (setting.file_limit != RLIM_INFINITY) {
      const rlimit limit{setting.file_limit, setting.file_limit};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    // Root obeys permissions, too: what it executes now has no way round them.
    ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0);
    // Whatever the tests were started under.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    for (const auto& [name, value] : setting.environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  const auto start = std::chrono::steady_clock::now();
  bool interrupted = false;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (setting.interrupt_after > 0 && !interrupted && seconds > setting.interrupt_after) {
      ::kill(child, setting.signal);
      interrupted = true;
    }
    if (!setting.kill_when.empty()) {
      const fs::path start_of_name = setting.kill_when;
      for (const auto& entry : fs::directory_iterator(start_of_name.parent_path())) {
        if (entry.path().string().starts_with(setting.kill_when)) ::kill(child, SIGKILL);
      }
      continue;
    }
    if (seconds > 300) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      FAIL("nearcube does not end");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurp(out);
  outcome.err = slurp(err);
  return outcome;
}

}  // namespace nearcube::test
