// cpu_features.hpp: which vector instructions this processor has, asked at run time.
//
// Nothing here is compiled with -march flags. A file that has a faster version of something
// marks those functions __attribute__((target(...))) under `#if defined(__x86_64__)`, keeps
// a plain version as the reference, and chooses between them by best_simd_level().
#pragma once

namespace qbix {

// In rising order; each level has all that the ones before it have.
enum class SimdLevel : int {
    kScalar = 0,
    kAvx2 = 1,    // AVX2, BMI1, BMI2, POPCNT
    kAvx512 = 2,  // and AVX-512 F, BW, DQ, VL
};

// The highest level that the processor and the operating system support. Any thread; costs
// a few comparisons, so ask once per object or per long call.
SimdLevel best_simd_level() noexcept;

// "scalar", "AVX2", "AVX-512".
const char* simd_level_name(SimdLevel level) noexcept;

}  // namespace qbix
