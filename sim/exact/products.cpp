// SPDX-License-Identifier: Apache-2.0
#include "sim/exact/products.h"

#include <array>
#include <cmath>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nearcube::exact {
namespace {

using Words = const std::uint32_t*;
using Cuts = const double (&)[3];

namespace portable {

constexpr std::size_t kLanes = 2;
constexpr std::size_t kChains = 4;

typedef double TwoDoubles __attribute__((vector_size(8 * kLanes)));

inline TwoDoubles doubles_of(Words words) {
  float x[kLanes];
  std::memcpy(x, words, sizeof x);
  return TwoDoubles{static_cast<double>(x[0]), static_cast<double>(x[1])};
}

#include "sim/exact/passes.inc"

}  // namespace portable

#if defined(__x86_64__)

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kChains = 4;

inline __m256d doubles_of(Words words) {
  __m128 x;
  std::memcpy(&x, words, sizeof x);
  return _mm256_cvtps_pd(x);
}

#include "sim/exact/passes.inc"

}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq")
namespace avx512 {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kChains = 4;

inline __m512d doubles_of(Words words) {
  __m256 x;
  std::memcpy(&x, words, sizeof x);
  // All lanes of a masked conversion: the plain one is written with an undefined value, of which g++ 12
  // warns.
  return _mm512_maskz_cvtps_pd(0xFF, x);
}

#include "sim/exact/passes.inc"

}  // namespace avx512
#pragma GCC pop_options

#endif

}  // namespace

const char* name_of(Path path) {
  switch (path) {
    case Path::kAvx512:
      return "AVX-512";
    case Path::kAvx2:
      return "AVX2";
    default:
      return "portable";
  }
}

std::span<const Path> available_paths() {
  static constexpr std::array<Path, 3> kAll = {Path::kPortable, Path::kAvx2, Path::kAvx512};
  static const std::size_t count = [] {
    std::size_t paths = 1;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      paths = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 3 : 2;
    }
#endif
    return paths;
  }();
  return std::span(kAll).first(count);
}

Path best_path() { return available_paths().back(); }

Reduction reduce(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count) {
#if defined(__x86_64__)
  if (path == Path::kAvx512) return avx512::reduce(a, b, count);
  if (path == Path::kAvx2) return avx2::reduce(a, b, count);
#endif
  return portable::reduce(a, b, count);
}

Split split(Path path, const std::uint32_t* a, const std::uint32_t* b, std::size_t count,
            const Reduction& reduced) {
  // E: `magnitude` is below 2^(E-1), the true sum, which is hardly larger, below 2^E.
  int exponent = 0;
  std::frexp(reduced.magnitude, &exponent);
  ++exponent;
  double cuts[3];
  for (double& cut : cuts) {
    cut = std::ldexp(1.5, exponent + 1);
    exponent -= 40;
  }
#if defined(__x86_64__)
  if (path == Path::kAvx512) return avx512::split(a, b, count, cuts);
  if (path == Path::kAvx2) return avx2::split(a, b, count, cuts);
#endif
  return portable::split(a, b, count, cuts);
}

}  // namespace nearcube::exact
