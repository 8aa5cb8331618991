// SPDX-License-Identifier: Apache-2.0
// Errors a user sees: one message that names what is at fault and what would fix it, and an exit status.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace nearcube::base {

/// Exit status of every Nearcube program. 0 is success.
enum class ExitStatus : int {
  kOther = 1,     ///< anything not listed below
  kBadInput = 2,  ///< the user's files, options or firmware are at fault
  kMismatch = 3,  ///< a result differs from its reference
  kStuck = 4,     ///< a simulation without progress, or out of its cycle limit
};

/// An error with the exit status it ends the program with.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}

  ExitStatus status() const { return status_; }
  int exit_code() const { return static_cast<int>(status_); }

 private:
  ExitStatus status_;
};

/// An error of status `status` with a formatted message: throw error(ExitStatus::kStuck, "...", ...).
template <typename... Args>
Error error(ExitStatus status, fmt::format_string<Args...> format, Args&&... args) {
  return Error(status, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an Error of status kBadInput with a formatted message.
template <typename... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(ExitStatus::kBadInput, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace nearcube::base

namespace nearcube {
using base::bad_input;
using base::Error;
using base::ExitStatus;
}  // namespace nearcube
