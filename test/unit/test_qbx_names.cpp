// The names section against a brute-force twin: sizes, widths, collisions, skew.
#include <boost/test/unit_test.hpp>

#include <map>

#include "qbix/error.hpp"
#include "qbx_names_fixtures.hpp"
#include "scaled.hpp"

using namespace qbx_test;

namespace {

constexpr unsigned kWidths[] = {16, 24, 32};

void check_all(const std::vector<IndexRow>& rows, size_t n_queries = 300) {
    for (const unsigned width : kWidths) {
        BOOST_TEST_CONTEXT(rows.size() << " rows, " << width << " bits") {
            const Fixture fixture(rows, width);
            fixture.names.validate();
            fixture.check_lookups(n_queries, width);
        }
    }
}

// Hashes that all fall into line 3 of about `n_names` / 20 lines.
std::vector<uint64_t> hashes_in_one_line(size_t n_names, std::mt19937_64& random) {
    const uint64_t n_lines = (2 * n_names + 19) / 20;
    const uint64_t width = UINT64_MAX / n_lines;
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < n_names; ++i) hashes.push_back(random());
    for (size_t i = 0; i < n_names; ++i)
        hashes.push_back(3 * width + 1000 + random() % (width / 2));
    return hashes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbx_names)

BOOST_AUTO_TEST_CASE(every_size_up_to_2000) {
    for (size_t n = 0; n <= 2000; n += qbix_test::kSanitizerSlowdown) {
        BOOST_TEST_CONTEXT(n << " records") {
            const Fixture fixture(make_rows(n, n), kWidths[n % 3]);
            BOOST_REQUIRE_EQUAL(fixture.names.n_records(), n);
            fixture.check_lookups(40, n);
            if (n % 7 == 0) fixture.names.validate();
        }
    }
}

BOOST_AUTO_TEST_CASE(sizes_around_region_borders) {
    for (const size_t n : {32767, 32768, 32769, 65536, 65537}) check_all(make_rows(n, n));
}

BOOST_AUTO_TEST_CASE(every_level_finds_the_same) {
    for (const qbx_names::Kernels* kernels : qbx_names::all_kernels()) {
        for (const unsigned width : kWidths) {
            BOOST_TEST_CONTEXT(simd_level_name(kernels->level) << ", " << width << " bits") {
                Fixture(make_rows(3000, 5), width, *kernels).check_lookups(2000, 6);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(batches_of_every_small_size) {
    const Fixture fixture(make_rows(500, 1));
    for (size_t n = 0; n < 100; ++n) fixture.check_lookups(n, n);
}

BOOST_AUTO_TEST_CASE(extreme_hashes) {
    check_all(rows_of({0}));
    check_all(rows_of({UINT64_MAX}));
    std::vector<uint64_t> hashes = {0, 1, UINT64_MAX, UINT64_MAX - 1, 0, UINT64_MAX};
    for (uint64_t i = 0; i < 64; ++i) hashes.push_back(uint64_t{1} << i);
    check_all(rows_of(hashes));
}

BOOST_AUTO_TEST_CASE(names_that_cannot_be_told_apart) {
    // Runs of neighbours: one line and one remainder, up to far more than a line holds.
    std::mt19937_64 random(7);
    std::vector<uint64_t> hashes;
    for (const size_t n : {2, 3, 15, 30, 31, 500}) {
        const uint64_t start = random();
        for (size_t i = 0; i < n; ++i) hashes.push_back(start + i);
    }
    const Fixture fixture(rows_of(hashes));
    Ordinals found;
    fixture.names.find({hashes.back()}, found);
    BOOST_TEST(found.size() == 500U);
    check_all(fixture.rows, 1000);
}

BOOST_AUTO_TEST_CASE(lines_that_overflow) {
    std::mt19937_64 random(8);
    for (const size_t n : {40, 400, 3000}) check_all(rows_of(hashes_in_one_line(n, random)));
}

BOOST_AUTO_TEST_CASE(a_region_with_all_names) {
    // 40,000 names make two regions; all hashes are below 2^63.
    std::mt19937_64 random(9);
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < 40000; ++i) hashes.push_back(random() / 2);
    check_all(rows_of(hashes));
}

BOOST_AUTO_TEST_CASE(one_name_for_all_records) {
    for (const size_t n : {1, 2, 3, 100000}) {
        const Fixture fixture(rows_of(std::vector<uint64_t>(n, 42)));
        BOOST_TEST(fixture.names.n_names() == 1U);
        fixture.names.validate();
        fixture.check_lookups({{42}, {43}, {uint64_t{1} << 63}, {42}});
    }
}

BOOST_AUTO_TEST_CASE(singles_take_no_bits_for_a_second) {
    std::mt19937_64 random(10);
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < 1000; ++i) hashes.push_back(random());
    const Fixture singles(rows_of(hashes));
    singles.check_lookups(1000, 1);
    // 10 bits of an ordinal, 3.2 bytes of a line.
    BOOST_TEST(singles.bytes.size() < 64 + 64 * 50 + 10 * 1000 / 8 + 64 + 32 + 64U);
}

BOOST_AUTO_TEST_CASE(false_candidates_are_as_rare_as_promised) {
    std::mt19937_64 random(11);
    std::vector<NameHash> absent;
    for (size_t i = 0; i < 200000; ++i) absent.push_back({random()});
    const std::vector<IndexRow> rows = make_rows(20000, 12);
    for (const unsigned width : kWidths) {
        OrdinalGroups found;
        const Fixture fixture(rows, width);
        fixture.names.find_batch(absent, found);
        size_t n_false = 0;
        for (size_t i = 0; i < absent.size(); ++i) n_false += !found.of(i).empty();
        // 20 / 65,536 of 200,000 are 61.
        if (width == 16) BOOST_TEST((30 < n_false && n_false < 100));
        if (width != 16) BOOST_TEST(n_false < 4U);
    }
}

BOOST_AUTO_TEST_CASE(matching_is_of_one_line_and_remainder) {
    const Fixture fixture(make_rows(1000, 13));
    for (const IndexRow& row : fixture.rows) {
        BOOST_REQUIRE(fixture.names.matches(row.hash, row.hash));
        BOOST_REQUIRE(!fixture.names.matches(row.hash, {~row.hash.value}));
    }
}

BOOST_AUTO_TEST_CASE(walking_meets_every_name) {
    const Fixture fixture(make_rows(100000, 14));
    std::map<uint64_t, Ordinals> groups;
    for (const IndexRow& row : fixture.rows) groups[row.hash.value].push_back(row.voffset.value);
    auto next = groups.begin();
    fixture.names.walk([&](const QbxNames::Name& name) {
        BOOST_REQUIRE(next != groups.end());
        BOOST_REQUIRE_EQUAL(name.first_ordinal, next->second.front());
        BOOST_REQUIRE_EQUAL(name.n_records, next->second.size());
        ++next;
    });
    BOOST_TEST((next == groups.end()));
    BOOST_TEST(fixture.names.n_names() == groups.size());
}

BOOST_AUTO_TEST_SUITE_END()
