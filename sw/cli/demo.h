// SPDX-License-Identifier: Apache-2.0
// `nearcube demo`: the whole idea, small.
#pragma once

#include <cstdint>
#include <string>

#include "sw/cli/run.h"

namespace nearcube::cli {

/// What the demo shows.
struct DemoOptions {
  std::int64_t first = 0;  ///< index of the first Fashion-MNIST test image
  std::int64_t count = 4;  ///< images
  std::string png = "nearcube-demo.png";
};

/// Images through a 5x5 convolution to 8 channels, ReLU and 2x2 max pooling on the cluster's RTL, checked bit
/// by bit; the report, and pictures of inputs and feature maps in the terminal and as PNG. Returns the exit
/// status.
int run_demo(const DemoOptions& demo, const RunOptions& options);

}  // namespace nearcube::cli
