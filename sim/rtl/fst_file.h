// SPDX-License-Identifier: Apache-2.0
// Finished FST waveform files: whole or not, and what is in them.
#pragma once

#include <string>
#include <vector>

namespace nearcube::rtl {

/// A recorded signal: "TOP.cluster.data_req_i" without its range, and its width in bits.
struct FstSignal {
  std::string name;
  std::string range;  ///< "[31:0]" or empty
  unsigned width = 0;
};

/// All signals, in the order of the file. Throws Error (kOther) if the file is not whole: a block beyond its
/// end, no hierarchy, no header (layout: GTKWave's fstapi.h, block types).
std::vector<FstSignal> read_fst_signals(const std::string& path);

/// Replaces the date in the file's header, so that the same run gives the same bytes.
void erase_fst_date(const std::string& path);

/// Text of a GTKWave save file for `trace` (the name it will find it under): the cluster's ports in groups,
/// open; then of each unit the ports that say what it does, closed.
std::string gtkwave_save_file(const std::string& trace, const std::vector<FstSignal>& signals);

}  // namespace nearcube::rtl
