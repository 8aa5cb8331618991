// SPDX-License-Identifier: Apache-2.0
// YAML read strictly: an unknown, missing, repeated or mistyped key is an error with file, line and key.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nearcube::base {

/// One mapping of a YAML file. Ask for every key it may have, then call finish(), which rejects the others.
/// Every function throws Error (kBadInput): "FILE:LINE: key a.b: reason".
class YamlSection {
 public:
  /// The file's top level.
  static YamlSection load(const std::string& path);

  YamlSection section(const std::string& key);
  bool has(const std::string& key);

  std::int64_t integer(const std::string& key, std::int64_t min, std::int64_t max);
  /// Bytes: a number, or one with B, KiB, MiB or GiB.
  std::uint64_t bytes(const std::string& key, std::uint64_t min, std::uint64_t max);
  /// A finite number.
  double number(const std::string& key, double min, double max);
  /// A number with one of `units` behind it: "13.75 ns". The number is finite and at least `min`.
  struct Quantity {
    double value = 0;
    std::string unit;
  };
  Quantity quantity(const std::string& key, const std::vector<std::string>& units, double min);
  std::string text(const std::string& key);
  std::string choice(const std::string& key, const std::vector<std::string>& choices);

  /// Throws for a key that nobody asked for.
  void finish() const;
  /// Throws about `key` (or, if absent, this section).
  [[noreturn]] void fail(const std::string& key, const std::string& reason) const;

 private:
  YamlSection(std::string file, std::string path, YAML::Node node);
  YAML::Node find(const std::string& key) const;
  YAML::Node require(const std::string& key);
  std::string scalar(const std::string& key, const char* expected);

  std::string file_;
  std::string path_;  // "memory." below memory
  YAML::Node node_;
  std::set<std::string> asked_;
};

}  // namespace nearcube::base
