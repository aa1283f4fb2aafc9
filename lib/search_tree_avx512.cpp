// search_tree_avx512.cpp: searching with 512-bit vectors: a node, or a line of the
// directory, is one vector, and its comparison one mask.
#if defined(__x86_64__)

#include <immintrin.h>

#include "search_tree_kernel.hpp"

#define QBIX_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))

namespace qbix::search_tree {
namespace {

QBIX_TARGET __attribute__((always_inline)) inline uint64_t count_below(const uint64_t* node,
                                                                       uint64_t key) {
    const __mmask8 below = _mm512_cmplt_epu64_mask(_mm512_load_si512(node),
                                                   _mm512_set1_epi64(static_cast<int64_t>(key)));
    return static_cast<unsigned>(_mm_popcnt_u32(_cvtmask8_u32(below)));
}

QBIX_TARGET __attribute__((always_inline)) inline uint64_t equal_mask(const uint64_t* node,
                                                                      uint64_t key) {
    return _cvtmask8_u32(_mm512_cmpeq_epu64_mask(_mm512_load_si512(node),
                                                 _mm512_set1_epi64(static_cast<int64_t>(key))));
}

QBIX_TARGET __attribute__((always_inline)) inline uint64_t count_below(const DirectoryLine& line,
                                                                       uint16_t within) {
    const __mmask32 below = _mm512_cmplt_epu16_mask(
        _mm512_load_si512(&line), _mm512_set1_epi16(static_cast<int16_t>(within)));
    // Lanes 0 and 1 are first_leaf.
    return static_cast<unsigned>(_mm_popcnt_u32(_cvtmask32_u32(below) & ~3U));
}

#include "search_tree_traverse.inc"

}  // namespace

const Kernel kAvx512Kernel = {SimdLevel::kAvx512, kAllWays};

}  // namespace qbix::search_tree

#endif  // __x86_64__
