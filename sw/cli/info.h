// SPDX-License-Identifier: Apache-2.0
// `nearcube info`: configuration, address map, versions.
#pragma once

#include <string>

namespace nearcube::cli {

/// Prints what holds for a run with this configuration, as --config names it (empty: the default), as text or
/// JSON.
void print_info(const std::string& name, bool json);

/// "nearcube 0.1.0"
std::string version();

}  // namespace nearcube::cli
