// test_search_tree.cpp: every layout, SIMD level, question and traversal of SearchTree
// against std::lower_bound.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "cpu_features.hpp"
#include "qbix/error.hpp"
#include "qbix/search_tree.hpp"
#include "scaled.hpp"

using qbix::Ask;
using qbix::SearchTree;
using qbix::SearchTreeOptions;
using qbix::SimdLevel;

namespace {

using Keys = std::vector<uint64_t>;
using Random = std::mt19937_64;

constexpr Ask kAsks[] = {Ask::kLowerBound, Ask::kUpperBound, Ask::kFind};

uint64_t expected(Ask ask, const Keys& keys, uint64_t key) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), key);
    const uint64_t position = at - keys.begin();
    const bool present = at != keys.end() && *at == key;
    if (ask == Ask::kFind) return present ? position : SearchTree::kAbsent;
    return position + (ask == Ask::kUpperBound && present);
}

// ---- kinds of keys

void sort_unique(Keys& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Keys hashes(size_t n, Random& random) {
    Keys keys;
    while (keys.size() < n) {
        for (size_t i = keys.size(); i < n; ++i) keys.push_back(random());
        sort_unique(keys);
    }
    return keys;
}

Keys sparse_ids(size_t n, Random& random) {
    Keys keys;
    for (uint64_t key = random() % 1000; keys.size() < n; key += 1 + random() % 500) {
        keys.push_back(key);
    }
    return keys;
}

// Runs of consecutive numbers at exponentially growing distances: too uneven for a directory.
Keys uneven(size_t n, Random& random) {
    Keys keys;
    uint64_t key = 0;
    while (keys.size() < n) {
        for (uint64_t run = 1 + random() % 90; run-- && keys.size() < n;) keys.push_back(key++);
        key += uint64_t{1} << random() % 44;
    }
    return keys;
}

// Both ends of the range of keys: 0 and 2^64-1 are among them.
Keys extremes(size_t n, Random&) {
    Keys keys;
    for (size_t i = 0; i < n; ++i) keys.push_back(i % 2 ? UINT64_MAX - i / 2 : i / 2);
    sort_unique(keys);
    return keys;
}

// Hashes, and 33 consecutive keys: leaves that a directory cannot tell apart.
Keys hashes_and_run(size_t n, Random& random) {
    Keys keys = hashes(n, random);
    for (uint64_t i = 0; i < 33 && i < n; ++i) keys.push_back((uint64_t{1} << 63) + i);
    sort_unique(keys);
    return keys;
}

using Kind = Keys (*)(size_t, Random&);
constexpr Kind kKinds[] = {hashes, sparse_ids, uneven, extremes, hashes_and_run};

// ---- queries

// `n` of them: the extremes, keys and their neighbours, and anything.
Keys queries_for(const Keys& keys, size_t n, Random& random) {
    Keys queries = {0, UINT64_MAX, 1, UINT64_MAX - 1};
    while (queries.size() < n) {
        const uint64_t key = keys.empty() ? random() : keys[random() % keys.size()];
        const uint64_t near[] = {key, key - 1, key + 1, random()};
        queries.push_back(near[random() % 4]);
    }
    queries.resize(n);
    return queries;
}

Keys keys_and_neighbours(const Keys& keys) {
    Keys queries;
    for (uint64_t key : keys) queries.insert(queries.end(), {key - 1, key, key + 1});
    queries.insert(queries.end(), {0, UINT64_MAX});
    return queries;
}

// ---- the ways of asking

using Many = void (*)(const SearchTree&, Ask, std::span<const uint64_t>, std::span<uint64_t>);

void one_by_one(const SearchTree& tree, Ask ask, std::span<const uint64_t> keys,
                std::span<uint64_t> answers) {
    for (size_t i = 0; i < keys.size(); ++i) {
        if (ask == Ask::kLowerBound) answers[i] = tree.lower_bound(keys[i]);
        if (ask == Ask::kUpperBound) answers[i] = tree.upper_bound(keys[i]);
        if (ask == Ask::kFind) answers[i] = tree.find(keys[i]).value_or(SearchTree::kAbsent);
    }
}

template <unsigned kInFlight>
void batch(const SearchTree& tree, Ask ask, std::span<const uint64_t> keys,
           std::span<uint64_t> answers) {
    tree.batch<kInFlight>(ask, keys, answers);
}

void interleaved(const SearchTree& tree, Ask ask, std::span<const uint64_t> keys,
                 std::span<uint64_t> answers) {
    tree.interleaved(ask, keys, answers);
}

void two_threads(const SearchTree& tree, Ask ask, std::span<const uint64_t> keys,
                 std::span<uint64_t> answers) {
    tree.parallel(ask, keys, answers, 2);
}

struct Way {
    const char* name;
    Many ask;
};
constexpr Way kWays[] = {{"one by one", one_by_one},
                         {"batch<16>", batch<16>},
                         {"batch<32>", batch<32>},
                         {"batch<128>", batch<128>},
                         {"interleaved", interleaved}};
constexpr Way kTwoThreads = {"two threads", two_threads};

// Answers beyond the queries must stay untouched.
constexpr size_t kGuard = 3;
constexpr uint64_t kUntouched = 0x5ca1ab1e;

void check_way(const SearchTree& tree, const Way& way, Ask ask, const Keys& queries,
               const Keys& want) {
    Keys answers(queries.size() + kGuard, kUntouched);
    way.ask(tree, ask, queries, answers);
    for (size_t i = 0; i < kGuard; ++i) {
        BOOST_REQUIRE_EQUAL(answers[queries.size() + i], kUntouched);
    }
    for (size_t i = 0; i < queries.size(); ++i) {
        if (answers[i] == want[i]) continue;
        BOOST_FAIL(way.name << ", " << qbix::simd_level_name(tree.simd()) << ", directory "
                            << tree.has_directory() << ", ask " << static_cast<int>(ask) << ", "
                            << tree.size() << " keys, query " << i << " of " << queries.size()
                            << " = " << queries[i] << ": " << answers[i] << " and not " << want[i]);
    }
}

std::vector<SearchTree> all_trees(const Keys& keys) {
    std::vector<SearchTree> trees;
    for (int level = 0; level <= static_cast<int>(qbix::best_simd_level()); ++level) {
        for (bool directory : {false, true}) {
            SearchTreeOptions options{.directory = directory, .max_simd = SimdLevel{level}};
            trees.emplace_back(keys, options);
            BOOST_REQUIRE(trees.back().simd() == SimdLevel{level});
            if (!directory) BOOST_REQUIRE(!trees.back().has_directory());
        }
    }
    return trees;
}

void check_all(const Keys& keys, const Keys& queries) {
    Keys want[3];
    for (Ask ask : kAsks) {
        for (uint64_t key : queries)
            want[static_cast<int>(ask)].push_back(expected(ask, keys, key));
    }
    for (const SearchTree& tree : all_trees(keys)) {
        for (Ask ask : kAsks) {
            for (const Way& way : kWays) {
                check_way(tree, way, ask, queries, want[static_cast<int>(ask)]);
            }
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_search_tree)

BOOST_AUTO_TEST_CASE(simd_levels_of_this_machine) {
    const int best = static_cast<int>(qbix::best_simd_level());
    BOOST_TEST_MESSAGE("SIMD levels tested: " << best + 1 << " of 3, up to "
                                              << qbix::simd_level_name(SimdLevel{best}));
    BOOST_TEST(best >= 0);
    BOOST_TEST((SearchTree(Keys{1}).simd() == SimdLevel{best}));
}

BOOST_AUTO_TEST_CASE(all_sizes_to_2000) {
    // Under the sanitizers not all of those above the first sizes with three levels.
    for (size_t n = 0; n <= 2000; n += n > 700 ? qbix_test::kSanitizerSlowdown : 1) {
        Random random(n);
        // Up to 200 keys every kind of keys, then one after the other.
        for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
            if (n > 200 && n % std::size(kKinds) != kind) continue;
            const Keys keys = kKinds[kind](n, random);
            check_all(keys, queries_for(keys, 50 + n % 131, random));
        }
        const Keys keys = hashes(n, random);
        check_all(keys, queries_for(keys, 40 + n % 67, random));
    }
}

BOOST_AUTO_TEST_CASE(every_key_and_its_neighbours) {
    for (size_t n :
         {1, 7, 8, 9, 63, 64, 65, 71, 72, 73, 80, 81, 88, 647, 648, 649, 5831, 5832, 5833}) {
        Random random(n);
        for (Kind kind : kKinds) {
            const Keys keys = kind(n, random);
            check_all(keys, keys_and_neighbours(keys));
        }
    }
}

BOOST_AUTO_TEST_CASE(random_large_ones) {
    Random random(6);
    for (Kind kind : kKinds) {
        const Keys keys = kind(100'000 + random() % 300'000, random);
        check_all(keys, queries_for(keys, 20'011, random));
    }
}

BOOST_AUTO_TEST_CASE(extreme_keys) {
    const Keys sets[] = {{},
                         {0},
                         {UINT64_MAX},
                         {0, UINT64_MAX},
                         {UINT64_MAX - 1, UINT64_MAX},
                         {uint64_t{1} << 63},
                         {(uint64_t{1} << 63) - 1, uint64_t{1} << 63}};
    for (const Keys& keys : sets) check_all(keys, keys_and_neighbours(keys));
    // The greatest keys there are, with and without the very last, around whole leaves.
    for (uint64_t n : {7, 8, 9, 16, 72, 648, 1296}) {
        for (uint64_t last : {UINT64_MAX, UINT64_MAX - 1}) {
            Keys keys;
            for (uint64_t i = n; i-- > 0;) keys.push_back(last - i);
            check_all(keys, keys_and_neighbours(keys));
        }
    }
}

BOOST_AUTO_TEST_CASE(every_tail_of_a_batch) {
    Random random(7);
    for (Kind kind : {hashes, uneven}) {
        const Keys keys = kind(3000, random);
        for (size_t n = 0; n <= 3 * 128 + 1; n += n > 140 ? qbix_test::kSanitizerSlowdown : 1)
            check_all(keys, queries_for(keys, n, random));
    }
}

BOOST_AUTO_TEST_CASE(many_threads) {
    Random random(8);
    for (Kind kind : {hashes, uneven}) {
        const Keys keys = kind(50'000, random);
        const SearchTree tree(keys);
        for (size_t n : {0, 1, 16384, 16385, 100'003}) {
            const Keys queries = queries_for(keys, n, random);
            for (Ask ask : kAsks) {
                Keys want;
                for (uint64_t key : queries) want.push_back(expected(ask, keys, key));
                check_way(tree, kTwoThreads, ask, queries, want);
                Keys answers(n);
                for (unsigned n_threads : {0U, 1U, 7U}) {
                    std::fill(answers.begin(), answers.end(), kUntouched);
                    tree.parallel(ask, queries, answers, n_threads);
                    BOOST_TEST(answers == want);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(which_keys_get_a_directory) {
    Random random(9);
    for (size_t n : {100, 1000, 100'000}) {
        BOOST_TEST(SearchTree(hashes(n, random)).has_directory());
        BOOST_TEST(SearchTree(sparse_ids(n, random)).has_directory());
    }
    Keys consecutive(10'000);
    for (size_t i = 0; i < consecutive.size(); ++i) consecutive[i] = 77 + i;
    BOOST_TEST(SearchTree(consecutive).has_directory());
    BOOST_TEST(!SearchTree(uneven(10'000, random)).has_directory());
    // Somewhat denser in places is allowed, too dense for a line is not.
    for (uint64_t times_denser : {3, 30}) {
        Keys keys = hashes(10'000, random);
        for (size_t i = 0; i < keys.size(); i += 2) keys[i] /= times_denser;
        sort_unique(keys);
        BOOST_TEST(SearchTree(keys).has_directory() == (times_denser == 3));
        check_all(keys, queries_for(keys, 1000, random));
    }
    // 33 keys in a row cannot be told apart by 16 bits, which is allowed; 100 are too many.
    BOOST_TEST(SearchTree(hashes_and_run(10'000, random)).has_directory());
    Keys long_run = hashes(10'000, random);
    for (uint64_t i = 0; i < 100; ++i) long_run.push_back((uint64_t{1} << 62) + i);
    sort_unique(long_run);
    BOOST_TEST(!SearchTree(long_run).has_directory());
    check_all(long_run, keys_and_neighbours(long_run));
}

BOOST_AUTO_TEST_CASE(built_from_other_ranges) {
    const std::deque<uint32_t> ids = {2, 3, 5, 7, 4'000'000'000};
    const SearchTree tree(ids.begin(), ids.end());
    BOOST_TEST(tree.size() == 5U);
    BOOST_TEST(*tree.find(4'000'000'000) == 4U);
    BOOST_TEST(!tree.contains(4));
    BOOST_TEST(tree.lower_bound(4) == 2U);
    BOOST_TEST(tree.upper_bound(5) == 3U);
    BOOST_TEST(std::equal(tree.keys().begin(), tree.keys().end(), ids.begin(), ids.end()));
    BOOST_TEST(SearchTree(ids.end(), ids.end()).size() == 0U);
}

BOOST_AUTO_TEST_CASE(moving_keeps_the_answers) {
    Random random(10);
    const Keys keys = hashes(10'000, random);
    SearchTree tree(keys);
    SearchTree other(Keys{1, 2, 3});
    other = std::move(tree);
    const SearchTree last(std::move(other));
    BOOST_TEST(last.size() == keys.size());
    BOOST_TEST(*last.find(keys[5000]) == 5000U);
    BOOST_TEST(last.size_bytes() >= keys.size() * 8);
}

BOOST_AUTO_TEST_CASE(keys_out_of_order_are_refused) {
    const auto is_usage = [](const qbix::Error& error) {
        return error.code() == qbix::ErrorCode::kUsage;
    };
    BOOST_CHECK_EXCEPTION(SearchTree(Keys{1, 2, 2}), qbix::Error, is_usage);
    BOOST_CHECK_EXCEPTION(SearchTree(Keys{2, 1}), qbix::Error, is_usage);
    Keys keys(1000);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    keys[999] = 0;
    const auto names_the_place = [](const qbix::Error& error) {
        return std::string(error.what()).find("key 999 (from 0)") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(SearchTree{keys}, qbix::Error, names_the_place);
}

BOOST_AUTO_TEST_CASE(too_little_room_is_refused) {
    const SearchTree tree(Keys{1, 2, 3});
    const Keys queries(10);
    Keys answers(9, kUntouched);
    BOOST_CHECK_THROW(tree.batch<16>(Ask::kFind, queries, answers), qbix::Error);
    BOOST_CHECK_THROW(tree.interleaved(Ask::kFind, queries, answers), qbix::Error);
    BOOST_CHECK_THROW(tree.parallel(Ask::kFind, queries, answers, 2), qbix::Error);
    BOOST_TEST(answers == Keys(9, kUntouched));
}

BOOST_AUTO_TEST_SUITE_END()
