// SPDX-License-Identifier: Apache-2.0
// What --help prints, and numbers on the command line with errors in plain words.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace nearcube::cli {

/// The group of those commands of a command that are workloads.
inline constexpr const char* kWorkloads = "Workloads";

/// Options in their groups, one line each with the default in brackets, then commands and examples. The text
/// does not depend on the version of CLI11; docs/reference/help.md is made of it.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// Accepts a whole number from `min` to `max` and says so if it is none.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max = std::numeric_limits<std::uint64_t>::max());

/// Accepts a number from 0 to 1, and no NaN.
CLI::Validator share();

/// Accepts one of these words, and says which one may be meant.
CLI::Validator one_of(const std::vector<std::string>& words);

/// Accepts the name of a file; an empty one is a variable of the user's script that was not set.
CLI::Validator file_name();

}  // namespace nearcube::cli
