// qbx_names_avx2.cpp: a line is two vectors.
#if defined(__x86_64__)

#include <immintrin.h>

#include "format_qbx_names.hpp"
#include "qbx_names_kernels.hpp"

#define QBIX_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace qbix::qbx_names {
namespace {

QBIX_TARGET inline __m256i load_half(const uint8_t* line, unsigned half) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line + 32 * half));
}

QBIX_TARGET inline uint32_t in_use(uint32_t equal, const uint8_t* line) noexcept {
    return _bzhi_u32(equal, line_count(load_le<uint32_t>(line)));
}

// Bit i: 16-bit lane i of the line equals `wanted`.
QBIX_TARGET inline uint32_t equal16(const uint8_t* line, uint32_t remainder) noexcept {
    const __m256i wanted = _mm256_set1_epi16(static_cast<int16_t>(remainder));
    const __m256i low = _mm256_cmpeq_epi16(load_half(line, 0), wanted);
    const __m256i high = _mm256_cmpeq_epi16(load_half(line, 1), wanted);
    // Packing takes the four quarters in the order 0 2 1 3.
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
}

QBIX_TARGET void match16(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        masks[i] = in_use(equal16(lines[i], remainders[i]) >> (kSlotsAt / 2), lines[i]);
    }
}

QBIX_TARGET void match24(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        const __m256i wanted = _mm256_set1_epi8(static_cast<int8_t>(remainders[i] >> 16));
        const auto equal_high = static_cast<uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_half(lines[i], 1), wanted)));
        const uint32_t equal_low = equal16(lines[i], remainders[i]);
        masks[i] =
            in_use((equal_low >> (kSlotsAt / 2)) & (equal_high >> (kHighBytesAt - 32)), lines[i]);
    }
}

QBIX_TARGET inline uint32_t equal32(const uint8_t* line, unsigned half, __m256i wanted) noexcept {
    const __m256i equal = _mm256_cmpeq_epi32(load_half(line, half), wanted);
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
}

QBIX_TARGET void match32(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        const __m256i wanted = _mm256_set1_epi32(static_cast<int32_t>(remainders[i]));
        const uint32_t equal = equal32(lines[i], 0, wanted) | equal32(lines[i], 1, wanted) << 8;
        masks[i] = in_use(equal >> (kSlotsAt / 4), lines[i]);
    }
}

}  // namespace

const Kernels kAvx2Kernels = {SimdLevel::kAvx2, match16, match24, match32};

}  // namespace qbix::qbx_names

#endif  // __x86_64__
