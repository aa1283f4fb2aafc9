// cpu_features.cpp: the processor's features, by way of the compiler's own cpuid helper.
#include "cpu_features.hpp"

namespace qbix {

SimdLevel best_simd_level() noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx2 && avx512) return SimdLevel::kAvx512;
    if (avx2) return SimdLevel::kAvx2;
#endif
    return SimdLevel::kScalar;
}

const char* simd_level_name(SimdLevel level) noexcept {
    switch (level) {
        case SimdLevel::kAvx512:
            return "AVX-512";
        case SimdLevel::kAvx2:
            return "AVX2";
        case SimdLevel::kScalar:
            break;
    }
    return "scalar";
}

}  // namespace qbix
