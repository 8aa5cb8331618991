// SPDX-License-Identifier: Apache-2.0
// Two passes over products of binary32 numbers in double precision. A product has at most 48 significant bits
// and lies between 2^-298 and 2^256, so a double holds it exactly, and no sum of them here comes near the
// ends of a double's range. They count on round-to-nearest with subnormals, as a program starts with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nearcube::exact {

/// For which instructions the passes are compiled. The same source makes all three, so they agree bit for bit
/// in what they promise below; `sum` may differ within its bound.
enum class Path { kPortable, kAvx2, kAvx512 };

const char* name_of(Path path);

/// Those that this CPU has, the fastest last.
std::span<const Path> available_paths();

/// The fastest that this CPU has.
Path best_path();

/// A sum with rounding errors, and what bounds them.
///
/// Let u = 2^-53, and let no product pass through more than h additions. Each multiplies the error by at most
/// (1 + u), so |sum - S| <= ((1 + u)^h - 1) T, with S the true sum and T that of the magnitudes, of which
/// `magnitude` has likewise at least (1 - u)^h (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// ed., section 4.2). As long as h < 2^25, (h + 1) u `magnitude` exceeds that bound. error() is larger by 4 u
/// `magnitude`, which leaves room for the roundings of error() itself and of sum +/- error().
struct Reduction {
  double sum = -0.0;     ///< -0 only if every product is -0 (or there is none)
  double magnitude = 0;  ///< of the products' magnitudes; NaN or infinite if an operand is
  double depth = 0;      ///< h

  double error() const { return (depth + 5) * 0x1p-53 * magnitude; }
};

/// Sums the products of the first `count` words of a and b, binary32 as bits.
Reduction reduce(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count);

/// Most products that split() takes.
inline constexpr std::size_t kMostSplit = 4096;

/// A sum in three parts.
///
/// Each product p is cut at the same places, by adding and subtracting 1.5 * 2^(E+1), where the magnitudes
/// sum up to less than 2^E: that leaves a multiple of 2^(E-51), and a rest of at most 2^(E-52), both exactly
/// (Rump, Ogita, Oishi: Accurate floating-point summation, part I, SIAM J. Sci. Comput. 31(1), 2008; Demmel,
/// Nguyen: Fast reproducible floating-point summation, ARITH 2013). Any sum of such multiples is below
/// 2^(E+1), so it is exact in 53 bits in any order. The rests of up to 2^12 products are cut likewise with E
/// - 40, and theirs once more. If nothing is left then, the parts' sum is the products' sum.
struct Split {
  double parts[3] = {0, 0, 0};
  bool exact = false;  ///< nothing is left
};

/// `reduced` is what reduce() said of the same products, with a finite magnitude above 0.
Split split(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count,
            const Reduction& reduced);

}  // namespace nearcube::exact
