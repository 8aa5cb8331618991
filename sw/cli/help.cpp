// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/base/suggest.h"

namespace nearcube::cli {
namespace {

constexpr std::size_t kTextColumn = 26;
constexpr std::size_t kColumns = 100;

/// "  name    what it is, wrapped at the right margin".
std::string entry(const std::string& name, const std::string& text) {
  std::string result = "  " + name;
  std::size_t column = result.size();
  const auto indent = [&] {
    result += '\n' + std::string(kTextColumn, ' ');
    column = kTextColumn;
  };
  if (column + 1 > kTextColumn) {
    indent();
  } else {
    result.append(kTextColumn - column, ' ');
    column = kTextColumn;
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kTextColumn && column + 1 + word.size() > kColumns) indent();
    if (column > kTextColumn) result += ' ', ++column;
    result += word;
    column += word.size();
  }
  return result + '\n';
}

/// "FILE", or "FILE ..." for as many as one likes.
std::string positional(const CLI::Option& option) {
  return option.get_type_name() + (option.get_items_expected_max() > 1 ? " ..." : "");
}

std::string entry(const CLI::Option& option) {
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word + ", ";
  if (name.empty()) {
    name = positional(option);
  } else {
    name.resize(name.size() - 2);
    // A flag takes nothing.
    if (option.get_items_expected_max() > 0) name += " " + option.get_type_name();
  }
  const std::string fallback = option.get_default_str();
  return entry(name, option.get_description() + (fallback.empty() ? "" : " [" + fallback + "]"));
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  std::string text = app->get_description() + "\n\nusage: " + name;
  const bool workloads = !commands.empty() && commands.front()->get_group() == kWorkloads;
  const bool required = app->get_require_subcommand_min() > 0;
  if (!commands.empty()) text += !workloads ? " COMMAND" : required ? " WORKLOAD" : " [WORKLOAD]";
  for (const CLI::Option* option : app->get_options()) {
    if (!option->nonpositional()) text += " " + positional(*option);
  }
  text += " [OPTIONS]\n";
  std::vector<std::pair<std::string, std::string>> groups;
  for (const CLI::Option* option : app->get_options()) {
    const auto same = [&](const auto& group) { return group.first == option->get_group(); };
    auto at = std::find_if(groups.begin(), groups.end(), same);
    if (at == groups.end()) at = groups.insert(at, {option->get_group(), ""});
    at->second += entry(*option);
  }
  // --help comes first in CLI11's list, and last in a reader's.
  if (groups.size() > 1) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  if (!commands.empty()) {
    text += workloads ? "\nWorkloads\n" : "\nCommands\n";
    for (const CLI::App* command : commands) text += entry(command->get_name(), command->get_description());
  }
  for (const auto& [title, options] : groups) text += "\n" + title + "\n" + options;
  return text + "\n" + app->get_footer() + "\n";
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const auto check = [min, max](std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc() && result.ptr == end && value >= min && value <= max) return std::string();
    if (max == std::numeric_limits<std::uint64_t>::max()) {
      return fmt::format("{} is not a whole number of at least {}", text, min);
    }
    return fmt::format("{} is not a whole number from {} to {}", text, min, max);
  };
  return CLI::Validator(check, "");
}

CLI::Validator share() {
  const auto check = [](std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1;
    return good ? std::string() : fmt::format("{} is not a number from 0 to 1", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return fmt::format("\"{}\" is none of {}{}", text, fmt::join(words, ", "),
                       base::did_you_mean(text, words));
  };
  return CLI::Validator(check, "");
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("a file's name is empty") : std::string(); },
      "");
}

}  // namespace nearcube::cli
