// SPDX-License-Identifier: Apache-2.0
// Random NTX commands, valid and invalid, and a shrinker that makes a failing one readable.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/golden/ntx_golden.h"
#include "tests/golden/random_values.h"
#include "tests/support/random.h"

namespace nearcube::golden {

/// A command with the scratchpad that it starts from.
struct CommandCase {
  Command command;
  std::vector<std::uint32_t> tcdm;
};

struct RandomCommandOptions {
  std::uint32_t tcdm_words = 16384;  ///< at least 1024
  AccumulatorFormat format{};
  std::optional<std::uint32_t> opcode;  ///< this operation only; else any, evenly
  std::uint64_t max_steps = 300;        ///< of a usual command
  /// One command in so many has a loop of 65,536 trips (and up to 131,072 steps); 0: none. Its strides are
  /// small, so that it stays in the scratchpad, and it seldom stores each step.
  std::uint64_t full_loop_every = 500;
};

/// A valid command that stays in the scratchpad and reads no word that one of its own steps stored before.
///
/// All triples store <= init <= outer are equally likely, and so are the defined aux values, both polarities,
/// all init sources and irq modes; `overlap` is left clear (what precedes a command is its sender's matter).
/// Strides are positive, negative, zero or those of a dense nest. Where AGU2's words overlap the words read
/// (in-place updates), they do so without a hazard.
Command random_command(test::Random& random, const RandomCommandOptions& options = {});

/// A command that is refused, or stopped on its way: a random command with one thing made wrong. Its golden
/// outcome has a cause, and no hazard before it. `tcdm` decides about MASKMAC's hits.
Command random_invalid_command(test::Random& random, const std::vector<std::uint32_t>& tcdm,
                               const RandomCommandOptions& options = {});

/// A scratchpad whose stretches of words are of various kinds of data, and some words are small unsigned
/// counts (for count modes).
std::vector<std::uint32_t> random_scratchpad(test::Random& random, std::uint32_t words);

/// A random command on a random scratchpad, without a hazard.
CommandCase random_case(test::Random& random, const RandomCommandOptions& options = {});

/// The simplest case found for which `fails` still holds, starting from `failing` (for which it must). Tries
/// lower loop counts and levels, zero strides, cleared options, and plain data; never keeps a case with a
/// hazard. Calls `fails` at most `budget` times.
CommandCase shrink(const CommandCase& failing, const std::function<bool(const CommandCase&)>& fails,
                   unsigned budget = 2000, AccumulatorFormat format = {});

/// The command and the words it reads, for a report.
std::string to_string(const CommandCase& failing, AccumulatorFormat format = {});

}  // namespace nearcube::golden
