// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files (format versions 1.0 to 3.0, numpy.lib.format) of 32-bit elements.
#pragma once

#include <string>

#include "sw/network/tensor.h"

namespace nearcube::network {

/// Reads a little-endian fp32 array in C order. Bad input, with the reason and the file's name, for anything
/// else: another type or byte order (the message says how to convert), Fortran order, a truncated or overlong
/// file.
Tensor read_npy(const std::string& path);

/// What the 32 bits of an element are.
enum class Element { kFp32, kInt32 };

/// As read_npy, but takes little-endian int32 and uint32 as well, bit by bit; for arrays of a user's
/// firmware.
Tensor read_npy_bits(const std::string& path);

/// Writes format version 1.0. The file appears under its name only when it is complete.
void write_npy(const std::string& path, const Tensor& tensor, Element element = Element::kFp32);

}  // namespace nearcube::network
