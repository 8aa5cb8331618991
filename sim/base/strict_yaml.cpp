// SPDX-License-Identifier: Apache-2.0
#include "sim/base/strict_yaml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/suggest.h"
#include "sim/base/units.h"

namespace nearcube::base {
namespace {

bool parse_integer(const std::string& text, std::int64_t& value) {
  const bool negative = !text.empty() && text[0] == '-';
  const bool hex = text.compare(0, 2, "0x") == 0;
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, value, hex ? 16 : 10);
  return result.ec == std::errc() && result.ptr == end && begin != end && !(hex && negative);
}

}  // namespace

YamlSection::YamlSection(std::string file, std::string path, YAML::Node node)
    : file_(std::move(file)), path_(std::move(path)), node_(std::move(node)) {
  if (!node_.IsMap()) {
    // An empty file has no mark.
    bad_input("{}:{}: {} must be a mapping of keys to values", file_, std::max(node_.Mark().line, 0) + 1,
              path_.empty() ? "the file" : "key " + path_.substr(0, path_.size() - 1));
  }
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) bad_input("{}:{}: a key must be a word", file_, entry.first.Mark().line + 1);
    if (!seen.insert(entry.first.Scalar()).second) {
      bad_input("{}:{}: key {}{} is given twice", file_, entry.first.Mark().line + 1, path_,
                entry.first.Scalar());
    }
  }
}

YamlSection YamlSection::load(const std::string& path) {
  const auto content = read_file(path, "configuration");
  YAML::Node node;
  try {
    node = YAML::Load(std::string(content.begin(), content.end()));
  } catch (const YAML::Exception& error) {
    bad_input("{}:{}: not YAML: {}", path, error.mark.line + 1, error.msg);
  }
  return YamlSection(path, "", node);
}

void YamlSection::fail(const std::string& key, const std::string& reason) const {
  const YAML::Node value = find(key);
  const int line = (value ? value : node_).Mark().line + 1;
  bad_input("{}:{}: key {}{}: {}", file_, line, path_, key, reason);
}

YAML::Node YamlSection::find(const std::string& key) const {
  // operator[] on a const node does not insert.
  const YAML::Node& node = node_;
  const YAML::Node found = node[key];
  return found ? found : YAML::Node(YAML::NodeType::Undefined);
}

bool YamlSection::has(const std::string& key) {
  asked_.insert(key);
  return static_cast<bool>(find(key));
}

YAML::Node YamlSection::require(const std::string& key) {
  asked_.insert(key);
  YAML::Node found = find(key);
  if (!found) fail(key, "missing");
  return found;
}

YamlSection YamlSection::section(const std::string& key) {
  return YamlSection(file_, path_ + key + ".", require(key));
}

std::string YamlSection::scalar(const std::string& key, const char* expected) {
  const YAML::Node value = require(key);
  if (!value.IsScalar() || value.Scalar().empty()) fail(key, fmt::format("must be {}", expected));
  return value.Scalar();
}

std::int64_t YamlSection::integer(const std::string& key, std::int64_t min, std::int64_t max) {
  const std::string text = scalar(key, "a whole number");
  std::int64_t value = 0;
  if (!parse_integer(text, value)) fail(key, fmt::format("\"{}\" is not a whole number", text));
  if (value < min || value > max) fail(key, fmt::format("{} is not in {} .. {}", value, min, max));
  return value;
}

std::uint64_t YamlSection::bytes(const std::string& key, std::uint64_t min, std::uint64_t max) {
  const std::string text = scalar(key, "a size in bytes");
  const std::size_t digits = text.find_first_of(" KMGB");
  const std::string unit =
      digits == std::string::npos ? "" : text.substr(text.find_first_not_of(' ', digits));
  const unsigned shift = unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 0;
  std::int64_t value = 0;
  if ((shift == 0 && !unit.empty() && unit != "B") || !parse_integer(text.substr(0, digits), value) ||
      value < 0 || value > INT64_MAX >> shift) {
    fail(key, fmt::format("\"{}\" is not a size: a number of bytes, or one with B, KiB, MiB or GiB", text));
  }
  const std::uint64_t size = static_cast<std::uint64_t>(value) << shift;
  if (size < min || size > max) {
    fail(key, fmt::format("{} is not in {} .. {}", format_bytes(size), format_bytes(min), format_bytes(max)));
  }
  return size;
}

double YamlSection::number(const std::string& key, double min, double max) {
  const std::string text = scalar(key, "a number");
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value)) {
    fail(key, fmt::format("\"{}\" is not a number", text));
  }
  if (value < min || value > max) fail(key, fmt::format("{} is not in {} .. {}", value, min, max));
  return value;
}

YamlSection::Quantity YamlSection::quantity(const std::string& key, const std::vector<std::string>& units,
                                            double min) {
  const std::string wanted = fmt::format("a number with a unit, {}", fmt::join(units, " or "));
  const std::string text = scalar(key, wanted.c_str());
  Quantity result;
  const auto number = std::from_chars(text.data(), text.data() + text.size(), result.value);
  const std::string rest(number.ptr, text.data() + text.size());
  const std::size_t unit = rest.find_first_not_of(' ');
  result.unit = unit == std::string::npos ? "" : rest.substr(unit);
  if (number.ec != std::errc() || !std::isfinite(result.value) ||
      std::find(units.begin(), units.end(), result.unit) == units.end()) {
    fail(key, fmt::format("\"{}\" is not {}", text, wanted));
  }
  if (result.value < min) fail(key, fmt::format("\"{}\" is below {} {}", text, min, result.unit));
  return result;
}

std::string YamlSection::text(const std::string& key) { return scalar(key, "a text"); }

std::string YamlSection::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::string value = text(key);
  for (const std::string& option : choices) {
    if (value == option) return value;
  }
  fail(key,
       fmt::format("\"{}\" is none of {}{}", value, fmt::join(choices, ", "), did_you_mean(value, choices)));
}

void YamlSection::finish() const {
  const std::vector<std::string> known(asked_.begin(), asked_.end());
  for (const auto& entry : node_) {
    const std::string& key = entry.first.Scalar();
    if (asked_.count(key) == 0) {
      bad_input("{}:{}: unknown key {}{}{}", file_, entry.first.Mark().line + 1, path_, key,
                did_you_mean(key, known));
    }
  }
}

}  // namespace nearcube::base
