// SPDX-License-Identifier: Apache-2.0
// Random requests to a cube, what it may and may not do with them, and its commands under the rule checker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/dram_check/rule_checker.h"
#include "sim/hmc/cube.h"
#include "sim/hmc/cube_config.h"

namespace nearcube::test {

enum class Pattern { kSequential, kRandom, kOneBank, kOneVault, kStrided, kHotSpots };
inline constexpr Pattern kPatterns[] = {Pattern::kSequential, Pattern::kRandom,  Pattern::kOneBank,
                                        Pattern::kOneVault,   Pattern::kStrided, Pattern::kHotSpots};
const char* name(Pattern pattern);

struct Traffic {
  Pattern pattern = Pattern::kRandom;
  std::uint64_t seed = 1;
  std::uint64_t requests = 1000;
  std::uint32_t ports = 1;
  std::uint32_t outstanding = 32;  ///< of all ports together
  std::uint32_t write_percent = 30;
  std::uint32_t max_bytes = 0;  ///< 32 to this in powers of two, at most the granule; 0: the granule
  std::uint64_t pause_ps = 0;   ///< up to so long between two requests

  std::string describe() const;
};

/// The requests of `traffic`, times included (those of a machine that never waits: drive() delays them).
std::vector<hmc::Request> requests(const hmc::CubeConfig& config, const Traffic& traffic);

/// Sends `requests`, in order, never more than `outstanding` at once, until all are answered. The result is
/// empty or says what went wrong first: a request that was lost, answered or carried out twice, carried out
/// as another one, answered before it was carried out or asked for, or carried out before an older one of its
/// address; a command that breaks a rule of `rules`; data of a command that is not its request's.
std::string drive(const hmc::CubeConfig& config, const dram_check::DramRules& rules,
                  const std::vector<hmc::Request>& requests, std::uint32_t ports, std::uint32_t outstanding);

/// The shortest list it can find, by leaving requests out, for which drive() still complains.
std::vector<hmc::Request> shrink(const hmc::CubeConfig& config, const dram_check::DramRules& rules,
                                 std::vector<hmc::Request> requests, std::uint32_t ports,
                                 std::uint32_t outstanding);

std::string text(const std::vector<hmc::Request>& requests);

}  // namespace nearcube::test
