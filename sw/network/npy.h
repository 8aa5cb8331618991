// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files (format versions 1.0 to 3.0, numpy.lib.format), fp32 only.
#pragma once

#include <string>

#include "sw/network/tensor.h"

namespace nearcube::network {

/// Reads a little-endian fp32 array in C order. Bad input, with the reason and the file's name, for anything
/// else: another type or byte order (the message says how to convert), Fortran order, a truncated or overlong
/// file.
Tensor read_npy(const std::string& path);

/// Writes format version 1.0. The file appears under its name only when it is complete.
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace nearcube::network
