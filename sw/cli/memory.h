// SPDX-License-Identifier: Apache-2.0
// `nearcube memory`: a cube's memory alone, under made-up traffic or a trace, and what it can do at best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearcube::cli {

/// Which memory, and where the ports sit.
struct MemoryOptions {
  std::string preset = "hmc2-8gb";  ///< of config/cube, or a file
  std::uint64_t granule = 0;        ///< bytes; 0: the preset's
  unsigned ports = 32;
  bool link = false;        ///< ports beyond the serial links, not on the logic base
  bool check_dram = false;  ///< hold every DRAM command against the rules; Error (kOther) if one is broken
  std::string json;         ///< file to write; empty: none
};

/// Every combination is a point.
struct SweepOptions {
  std::vector<std::string> patterns = {"sequential"};
  std::vector<std::uint32_t> bytes = {64};
  std::vector<double> writes = {0};  ///< shares of the requests
  std::vector<std::uint32_t> outstanding = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  std::uint64_t stride = 4096;       ///< bytes, of the pattern stride
  std::uint64_t requests = 100'000;  ///< measured at each point
  std::uint64_t seed = 1;
  std::string csv, svg;  ///< files to write; empty: none
};

/// Prints a row a point, and writes the files asked for: JSON schema nearcube-memory-sweep-1. Throws Error
/// (kBadInput) for options that do not fit the memory.
void sweep_memory(const MemoryOptions& memory, const SweepOptions& sweep);

struct ReplayRequest {
  std::string trace;
  std::uint32_t bytes = 0;        ///< of a request; 0: a granule
  std::uint32_t outstanding = 0;  ///< 0: no limit
};

/// Prints what became of the trace's requests: JSON schema nearcube-memory-replay-1. Throws Error (kBadInput)
/// for a trace or options that do not fit the memory.
void replay_memory(const MemoryOptions& memory, const ReplayRequest& request);

/// Prints bandwidths that follow from the memory's own values, with their formulas, and the parts of the
/// latency of a read when nothing else is under way: JSON schema nearcube-memory-limits-1.
void print_memory_limits(const MemoryOptions& memory);

}  // namespace nearcube::cli
