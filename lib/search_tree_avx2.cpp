// search_tree_avx2.cpp: searching with 256-bit vectors, two to a node.
//
// AVX2 compares signed numbers only: flipping the top bit of both sides makes the unsigned
// order the signed one.
#if defined(__x86_64__)

#include <immintrin.h>

#include "search_tree_kernel.hpp"

#define QBIX_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace qbix::search_tree {
namespace {

QBIX_TARGET __attribute__((always_inline)) inline uint64_t mask_of(__m256i low, __m256i high) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(low))) |
           static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(high))) << 4;
}

QBIX_TARGET __attribute__((always_inline)) inline uint64_t count_below(const uint64_t* node,
                                                                       uint64_t key) {
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i wanted = _mm256_xor_si256(_mm256_set1_epi64x(static_cast<int64_t>(key)), top);
    const auto* halves = reinterpret_cast<const __m256i*>(node);
    const __m256i low = _mm256_xor_si256(_mm256_load_si256(halves), top);
    const __m256i high = _mm256_xor_si256(_mm256_load_si256(halves + 1), top);
    return static_cast<unsigned>(
        _mm_popcnt_u64(mask_of(_mm256_cmpgt_epi64(wanted, low), _mm256_cmpgt_epi64(wanted, high))));
}

QBIX_TARGET __attribute__((always_inline)) inline uint64_t equal_mask(const uint64_t* node,
                                                                      uint64_t key) {
    const __m256i wanted = _mm256_set1_epi64x(static_cast<int64_t>(key));
    const auto* halves = reinterpret_cast<const __m256i*>(node);
    return mask_of(_mm256_cmpeq_epi64(wanted, _mm256_load_si256(halves)),
                   _mm256_cmpeq_epi64(wanted, _mm256_load_si256(halves + 1)));
}

QBIX_TARGET __attribute__((always_inline)) inline uint64_t count_below(const DirectoryLine& line,
                                                                       uint16_t within) {
    const __m256i top = _mm256_set1_epi16(INT16_MIN);
    const __m256i wanted = _mm256_xor_si256(_mm256_set1_epi16(static_cast<int16_t>(within)), top);
    const auto* halves = reinterpret_cast<const __m256i*>(&line);
    const __m256i low = _mm256_xor_si256(_mm256_load_si256(halves), top);
    const __m256i high = _mm256_xor_si256(_mm256_load_si256(halves + 1), top);
    // Lanes 0 and 1 are first_leaf. The 16-bit lanes are packed to one mask bit each; the
    // order that packing leaves them in does not matter to a count, but these two stay first.
    const __m256i below =
        _mm256_packs_epi16(_mm256_cmpgt_epi16(wanted, low), _mm256_cmpgt_epi16(wanted, high));
    return static_cast<unsigned>(
        _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_epi8(below)) & ~3U));
}

#include "search_tree_traverse.inc"

}  // namespace

const Kernel kAvx2Kernel = {SimdLevel::kAvx2, kAllWays};

}  // namespace qbix::search_tree

#endif  // __x86_64__
