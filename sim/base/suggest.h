// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known name that a mistyped one is closest to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace nearcube::base {

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `name`; empty if
/// even that one is more than a third of the name's length, and more than one edit, away.
std::string closest(std::string_view name, std::span<const std::string> candidates);

/// ", did you mean \"x\"?" or an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace nearcube::base
