// SPDX-License-Identifier: Apache-2.0
// A table of every command of the NTX and the DMA, for --trace-commands: one line of CSV each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/base/atomic_file.h"
#include "sim/system/command_trace.h"

namespace nearcube::system {

/// Function and source line of a pc; each may be empty.
struct Place {
  std::string function, line;
};

class CommandTable {
 public:
  /// Opens the file; throws Error as base::AtomicFile.
  CommandTable(const std::string& path, std::function<Place(std::uint32_t)> place);

  void add(const CommandRow& row);
  /// Gives the file its name.
  void commit() { file_.commit(); }

 private:
  base::AtomicFile file_;
  std::function<Place(std::uint32_t)> place_;
};

}  // namespace nearcube::system
