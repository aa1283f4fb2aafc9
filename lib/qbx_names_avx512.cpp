// qbx_names_avx512.cpp: a line is one vector, and its comparison one mask.
#if defined(__x86_64__)

#include <immintrin.h>

#include "format_qbx_names.hpp"
#include "qbx_names_kernels.hpp"

#define QBIX_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))

namespace qbix::qbx_names {
namespace {

QBIX_TARGET inline __m512i load_line(const uint8_t* line) noexcept {
    return _mm512_loadu_si512(line);
}

// Of the bits of `equal` those of slots in use.
QBIX_TARGET inline uint32_t in_use(uint32_t equal, const uint8_t* line) noexcept {
    return _bzhi_u32(equal, line_count(load_le<uint32_t>(line)));
}

QBIX_TARGET void match16(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        const __m512i wanted = _mm512_set1_epi16(static_cast<int16_t>(remainders[i]));
        const __mmask32 equal = _mm512_cmpeq_epi16_mask(load_line(lines[i]), wanted);
        masks[i] = in_use(_cvtmask32_u32(equal) >> (kSlotsAt / 2), lines[i]);
    }
}

QBIX_TARGET void match24(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        const __m512i line = load_line(lines[i]);
        const __m512i low = _mm512_set1_epi16(static_cast<int16_t>(remainders[i]));
        const __m512i high = _mm512_set1_epi8(static_cast<int8_t>(remainders[i] >> 16));
        const uint32_t equal_low = _cvtmask32_u32(_mm512_cmpeq_epi16_mask(line, low));
        const uint64_t equal_high = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(line, high));
        const auto equal =
            static_cast<uint32_t>((equal_low >> (kSlotsAt / 2)) & (equal_high >> kHighBytesAt));
        masks[i] = in_use(equal, lines[i]);
    }
}

QBIX_TARGET void match32(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                         size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        const __m512i wanted = _mm512_set1_epi32(static_cast<int32_t>(remainders[i]));
        const __mmask16 equal = _mm512_cmpeq_epi32_mask(load_line(lines[i]), wanted);
        masks[i] = in_use(_cvtmask16_u32(equal) >> (kSlotsAt / 4), lines[i]);
    }
}

}  // namespace

const Kernels kAvx512Kernels = {SimdLevel::kAvx512, match16, match24, match32};

}  // namespace qbix::qbx_names

#endif  // __x86_64__
