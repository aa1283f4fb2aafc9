// Every instruction-set version of the lookup's inner steps against plain loops.
#include <boost/test/unit_test.hpp>

#include <random>
#include <vector>

#include "qbi2_kernels.hpp"

using namespace qbix::qbi2;

namespace {

std::vector<uint8_t> random_suffixes(std::mt19937_64& random, unsigned n, unsigned suffix_bytes) {
    // Before the run stand bytes that must not matter.
    std::vector<uint8_t> bytes(kRunReachBytes + n * suffix_bytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

uint64_t suffix_at(const uint8_t* bytes, unsigned suffix_bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < suffix_bytes; ++i) value |= uint64_t{bytes[i]} << (8 * i);
    return value;
}

BitPair naive_select(const std::vector<uint64_t>& words, unsigned number) {
    std::vector<int> places;
    for (int bit = 0; bit < static_cast<int>(words.size() * 64); ++bit) {
        if (words[static_cast<size_t>(bit / 64)] >> (bit % 64) & 1) places.push_back(bit);
    }
    if (number >= places.size()) return {-1, -1};
    return {places[number], number + 1 < places.size() ? places[number + 1] : -1};
}

void check_select(const Kernels& kernels, const std::vector<uint64_t>& words) {
    for (unsigned number = 0; number <= 512; number += number < 70 ? 1 : 37) {
        const BitPair expected = naive_select(words, number);
        const BitPair found = kernels.select_pair(reinterpret_cast<const uint8_t*>(words.data()),
                                                  static_cast<unsigned>(words.size()), number);
        BOOST_REQUIRE_EQUAL(found.first, expected.first);
        if (expected.first >= 0) BOOST_REQUIRE_EQUAL(found.second, expected.second);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbi2_kernels)

BOOST_AUTO_TEST_CASE(find_suffix_finds_each_and_nothing_else) {
    std::mt19937_64 random(1);
    for (const Kernels& kernels : all_kernels()) {
        BOOST_TEST_CONTEXT(kernels.name) for (const unsigned suffix_bytes : {6u, 7u}) {
            for (unsigned n = 0; n <= kMaxRun; ++n) {
                const std::vector<uint8_t> bytes = random_suffixes(random, n, suffix_bytes);
                const uint8_t* run = bytes.data() + kRunReachBytes;
                const uint8_t* end = run + n * suffix_bytes;
                for (unsigned i = 0; i < n; ++i) {
                    const uint64_t suffix = suffix_at(run + i * suffix_bytes, suffix_bytes);
                    BOOST_REQUIRE_EQUAL(kernels.find_suffix(end, n, suffix_bytes, suffix),
                                        static_cast<int>(i));
                    BOOST_REQUIRE_EQUAL(kernels.find_suffix(end, n, suffix_bytes, suffix ^ 256),
                                        -1);
                }
                // The suffix before the run is not in it.
                const uint64_t before = suffix_at(run - suffix_bytes, suffix_bytes);
                BOOST_REQUIRE_EQUAL(kernels.find_suffix(end, n, suffix_bytes, before), -1);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(select_pair_finds_neighbouring_bits) {
    std::mt19937_64 random(2);
    for (const Kernels& kernels : all_kernels()) {
        BOOST_TEST_CONTEXT(kernels.name) for (unsigned n_words = 1; n_words <= 8; ++n_words) {
            check_select(kernels, std::vector<uint64_t>(n_words, 0));
            check_select(kernels, std::vector<uint64_t>(n_words, UINT64_MAX));
            check_select(kernels, std::vector<uint64_t>(n_words, 1));
            check_select(kernels, std::vector<uint64_t>(n_words, uint64_t{1} << 63));
            for (int round = 0; round < 20; ++round) {
                std::vector<uint64_t> words(n_words);
                for (uint64_t& word : words) {
                    word = random() & random();
                    if (random() % 3 == 0) word = 0;
                }
                check_select(kernels, words);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
