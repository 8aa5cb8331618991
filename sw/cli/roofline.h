// SPDX-License-Identifier: Apache-2.0
// `nearcube roofline`: reports of earlier runs in one picture.
#pragma once

#include <string>
#include <vector>

namespace nearcube::cli {

/// Prints a table of the runs that `reports` (files of `nearcube run --json`) tell of, and draws them under
/// all their roofs to `svg`. Throws Error (kBadInput) that names the file at fault.
void run_roofline(const std::vector<std::string>& reports, const std::string& svg);

}  // namespace nearcube::cli
