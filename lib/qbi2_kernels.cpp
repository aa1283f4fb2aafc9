#include "qbi2_kernels.hpp"

#include <array>
#include <bit>

#include "cpu_features.hpp"
#include "format_qbi2.hpp"
#include "le_bytes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define QBIX_TARGET_AVX2 __attribute__((target("avx2")))
#define QBIX_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define QBIX_TARGET_BMI2 __attribute__((target("popcnt,bmi,bmi2")))
#endif

namespace qbix::qbi2 {
namespace {

// ---- the reference ---------------------------------------------------------------------

int find_suffix_portable(const uint8_t* end, unsigned n_suffixes, unsigned suffix_bytes,
                         uint64_t suffix) noexcept {
    int found = -1;
    for (unsigned back = 0; back < n_suffixes; ++back, end -= suffix_bytes) {
        if (load_suffix_before(end, suffix_bytes) == suffix) {
            found = static_cast<int>(n_suffixes - 1 - back);
        }
    }
    return found;
}

// Bit with number `number` of `word`. REQUIRES: number < popcount(word).
int select_in_word(uint64_t word, unsigned number) noexcept {
    constexpr uint64_t kOnes = 0x0101010101010101;
    // Set bits in each byte, then byte i: in bytes 0 to i.
    uint64_t counts = word - ((word >> 1) & 0x55 * kOnes);
    counts = (counts & 0x33 * kOnes) + ((counts >> 2) & 0x33 * kOnes);
    counts = (counts + (counts >> 4)) & 0x0f * kOnes;
    const uint64_t sums = counts * kOnes;
    unsigned shift = 0;
    while ((sums >> shift & 0xff) <= number) shift += 8;
    if (shift != 0) number -= static_cast<unsigned>(sums >> (shift - 8) & 0xff);
    uint64_t rest = word >> shift;
    for (; number != 0; --number) rest &= rest - 1;
    return static_cast<int>(shift) + std::countr_zero(rest);
}

// The shared steps are inlined into functions for different processors, so that counting
// bits is one instruction where there is one.
struct WordHit {
    unsigned word;    // n_words where there is none
    unsigned number;  // of the bit inside it
};

[[gnu::always_inline]] inline unsigned count_bits(const uint8_t* word) noexcept {
    return static_cast<unsigned>(std::popcount(load_le<uint64_t>(word)));
}

// Skips `half` words if the bit is behind them, without a branch: where it is cannot be
// predicted, and a wrong guess of the processor costs more than all the counting.
[[gnu::always_inline]] inline void skip_half(WordHit& hit, unsigned half, unsigned n_set) noexcept {
    const unsigned skip = hit.number >= n_set ? ~0u : 0;
    hit.number -= n_set & skip;
    hit.word += half & skip;
}

[[gnu::always_inline]] inline WordHit find_word(const uint8_t* words, unsigned n_words,
                                                unsigned number) noexcept {
    WordHit hit{0, number};
    if (n_words == kWordsPerBlock) {
        const uint8_t* p = words;
        skip_half(hit, 4,
                  count_bits(p) + count_bits(p + 8) + count_bits(p + 16) + count_bits(p + 24));
        p = words + 8 * hit.word;
        skip_half(hit, 2, count_bits(p) + count_bits(p + 8));
        p = words + 8 * hit.word;
        skip_half(hit, 1, count_bits(p));
    }
    // In a whole block this is the word already, unless the bits are fewer than they should be.
    for (; hit.word < n_words; ++hit.word) {
        const unsigned n_set = count_bits(words + 8 * hit.word);
        if (hit.number < n_set) break;
        hit.number -= n_set;
    }
    return hit;
}

[[gnu::always_inline]] inline BitPair with_next_bit(const uint8_t* words, unsigned n_words,
                                                    unsigned word, int bit) noexcept {
    const int first = static_cast<int>(word * kRowsPerWord) + bit;
    uint64_t rest = load_le<uint64_t>(words + 8 * word) & (~uint64_t{1} << bit);
    while (rest == 0) {
        if (++word == n_words) return {first, -1};
        rest = load_le<uint64_t>(words + 8 * word);
    }
    return {first, static_cast<int>(word * kRowsPerWord) + std::countr_zero(rest)};
}

BitPair select_pair_portable(const uint8_t* words, unsigned n_words, unsigned number) noexcept {
    const WordHit hit = find_word(words, n_words, number);
    if (hit.word == n_words) return {-1, -1};
    const int bit = select_in_word(load_le<uint64_t>(words + 8 * hit.word), hit.number);
    return with_next_bit(words, n_words, hit.word, bit);
}

// ---- x86 -------------------------------------------------------------------------------

#if defined(__x86_64__)

QBIX_TARGET_BMI2 BitPair select_pair_bmi2(const uint8_t* words, unsigned n_words,
                                          unsigned number) noexcept {
    const WordHit hit = find_word(words, n_words, number);
    if (hit.word == n_words) return {-1, -1};
    const uint64_t bit =
        _pdep_u64(uint64_t{1} << hit.number, load_le<uint64_t>(words + 8 * hit.word));
    return with_next_bit(words, n_words, hit.word, std::countr_zero(bit));
}

// Four suffixes that end before `end`, as 64-bit lanes: each half is loaded so that its two
// suffixes end where the load ends.
QBIX_TARGET_AVX2 inline __m256i load_four(const uint8_t* end, unsigned suffix_bytes,
                                          __m256i spread) noexcept {
    const auto* low = reinterpret_cast<const __m128i*>(end - 2 * suffix_bytes - 16);
    const auto* high = reinterpret_cast<const __m128i*>(end - 16);
    const __m256i pairs = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                                  _mm_loadu_si128(high), 1);
    return _mm256_shuffle_epi8(pairs, spread);
}

QBIX_TARGET_AVX2 int find_suffix_avx2(const uint8_t* end, unsigned n_suffixes,
                                      unsigned suffix_bytes, uint64_t suffix) noexcept {
    constexpr char Z = -1;  // a zero byte
    const __m128i spread_half =
        suffix_bytes == 6 ? _mm_setr_epi8(4, 5, 6, 7, 8, 9, Z, Z, 10, 11, 12, 13, 14, 15, Z, Z)
                          : _mm_setr_epi8(2, 3, 4, 5, 6, 7, 8, Z, 9, 10, 11, 12, 13, 14, 15, Z);
    const __m256i spread = _mm256_broadcastsi128_si256(spread_half);
    const __m256i wanted = _mm256_set1_epi64x(static_cast<int64_t>(suffix));
    uint32_t equal = 0;  // bit i: suffix i of the 16 before `end`
    for (unsigned four = 0; four < kMaxRun / 4; ++four) {
        const __m256i lanes = load_four(end - 4 * four * suffix_bytes, suffix_bytes, spread);
        const auto mask = static_cast<uint32_t>(
            _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(lanes, wanted))));
        equal |= mask << (12 - 4 * four);
    }
    equal >>= kMaxRun - n_suffixes;
    return equal == 0 ? -1 : std::countr_zero(equal);
}

// Four suffixes that end before `end`, as 64-bit lanes.
QBIX_TARGET_AVX512 inline uint32_t equal_of_four(const uint8_t* end, __mmask32 kept, __m256i spread,
                                                 __m256i wanted) noexcept {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 32));
    return _mm256_cmpeq_epi64_mask(_mm256_maskz_permutexvar_epi8(kept, spread, bytes), wanted);
}

// Where in 32 bytes the bytes of the last four suffixes stand, lane by lane.
constexpr std::array<uint8_t, 32> spread_of(unsigned suffix_bytes) {
    std::array<uint8_t, 32> places{};
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned first = 32 - 4 * suffix_bytes + i / 8 * suffix_bytes;
        places[i] = static_cast<uint8_t>(i % 8 < suffix_bytes ? first + i % 8 : 0);
    }
    return places;
}
alignas(32) constexpr std::array<uint8_t, 32> kSpread6 = spread_of(6);
alignas(32) constexpr std::array<uint8_t, 32> kSpread7 = spread_of(7);

QBIX_TARGET_AVX512 int find_suffix_avx512(const uint8_t* end, unsigned n_suffixes,
                                          unsigned suffix_bytes, uint64_t suffix) noexcept {
    const bool six = suffix_bytes == 6;
    const __m256i spread =
        _mm256_load_si256(reinterpret_cast<const __m256i*>((six ? kSpread6 : kSpread7).data()));
    const __mmask32 kept = six ? 0x3f3f3f3f : 0x7f7f7f7f;
    const __m256i wanted = _mm256_set1_epi64x(static_cast<int64_t>(suffix));
    const unsigned step = 4 * suffix_bytes;
    uint32_t equal = equal_of_four(end, kept, spread, wanted) << 12;
    equal |= equal_of_four(end - step, kept, spread, wanted) << 8;
    equal |= equal_of_four(end - 2 * step, kept, spread, wanted) << 4;
    equal |= equal_of_four(end - 3 * step, kept, spread, wanted);
    equal >>= kMaxRun - n_suffixes;
    return equal == 0 ? -1 : std::countr_zero(equal);
}

bool has_avx2() noexcept { return best_simd_level() >= SimdLevel::kAvx2; }

bool has_avx512() noexcept {
    return best_simd_level() >= SimdLevel::kAvx512 && __builtin_cpu_supports("avx512vbmi");
}

// On the first Zen generations pdep is microcode and slower than the portable steps.
bool has_fast_bmi2() noexcept {
    return has_avx2() && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

#endif

}  // namespace

const Kernels& portable_kernels() noexcept {
    static constexpr Kernels kPortable = {"portable", find_suffix_portable, select_pair_portable};
    return kPortable;
}

std::vector<Kernels> all_kernels() {
    std::vector<Kernels> kernels = {portable_kernels()};
#if defined(__x86_64__)
    const auto select_pair = has_fast_bmi2() ? select_pair_bmi2 : select_pair_portable;
    if (has_fast_bmi2()) kernels.push_back({"bmi2", find_suffix_portable, select_pair});
    if (has_avx2()) kernels.push_back({"avx2", find_suffix_avx2, select_pair});
    if (has_avx512()) kernels.push_back({"avx512", find_suffix_avx512, select_pair});
#endif
    return kernels;
}

const Kernels& best_kernels() {
    static const Kernels kBest = all_kernels().back();
    return kBest;
}

}  // namespace qbix::qbi2
