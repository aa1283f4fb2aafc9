// Opening, lookup and cursors of QBI1 and QBI2 against a brute-force twin.
#include <boost/test/unit_test.hpp>

#include "qbi_fixtures.hpp"
#include "qbix/error.hpp"

using namespace qbi_test;
using qbix::HashGroup;
using qbix::QbiIndex;
using qbix::RowRange;

namespace {

// Present hashes, their neighbours, and random ones.
std::vector<NameHash> make_queries(const Twin& twin, size_t n_random) {
    std::vector<NameHash> queries = {{0}, {1}, {UINT64_MAX}, {UINT64_MAX - 1}};
    for (const auto& [hash, rows] : twin.groups()) {
        queries.insert(queries.end(), {{hash}, {hash - 1}, {hash + 1}});
    }
    std::mt19937_64 random(7);
    for (size_t i = 0; i < n_random; ++i) queries.push_back({random()});
    std::shuffle(queries.begin(), queries.end(), random);
    return queries;
}

void check_lookups(const QbiIndex& index, const std::vector<IndexRow>& rows) {
    const Twin twin(rows);
    const std::vector<NameHash> queries = make_queries(twin, 1000);
    std::vector<RowRange> found(queries.size(), RowRange{1, 0});
    index.find_batch(queries, found);
    std::vector<VirtualOffset> voffsets;
    for (size_t i = 0; i < queries.size(); ++i) {
        const RowRange expected = twin.find(queries[i]);
        BOOST_REQUIRE(index.find(queries[i]) == expected);
        BOOST_REQUIRE(found[i] == expected);
        voffsets.clear();
        index.read_voffsets(expected, voffsets);
        BOOST_REQUIRE_EQUAL(voffsets.size(), expected.size());
        for (size_t v = 0; v < voffsets.size(); ++v) {
            BOOST_REQUIRE(voffsets[v] == rows[expected.begin + v].voffset);
        }
    }
}

void check_cursors(const QbiIndex& index, const std::vector<IndexRow>& rows) {
    for (const size_t n_at_once : {1, 63, 1000, 5000}) {
        BOOST_REQUIRE(read_rows(index, 0, n_at_once) == rows);
        const std::vector<HashGroup> groups = read_groups(index, n_at_once);
        const Twin twin(rows);
        BOOST_REQUIRE_EQUAL(groups.size(), twin.groups().size());
        auto expected = twin.groups().begin();
        for (const HashGroup& group : groups) {
            BOOST_REQUIRE_EQUAL(group.hash.value, expected->first);
            BOOST_REQUIRE(group.rows == expected->second);
            ++expected;
        }
    }
    std::mt19937_64 random(rows.size());
    for (int i = 0; i < 10; ++i) {
        const size_t first = i == 0 ? rows.size() : random() % (rows.size() + 1);
        BOOST_REQUIRE(
            read_rows(index, first) ==
            std::vector<IndexRow>(rows.begin() + static_cast<ptrdiff_t>(first), rows.end()));
        if (first < rows.size()) BOOST_REQUIRE(index.row_at(first) == rows[first]);
    }
}

void check_index(const std::vector<IndexRow>& rows, Form form) {
    BOOST_TEST_CONTEXT(name_of(form) << ", " << rows.size() << " rows") {
        const Bytes bytes = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
        const TempFile file(bytes);
        const QbiIndex index(file.path());
        BOOST_REQUIRE_EQUAL(index.record_count(), rows.size());
        BOOST_REQUIRE_EQUAL(index.size_bytes(), bytes.size());
        BOOST_REQUIRE(index.bam_identity() == kIdentity);
        BOOST_REQUIRE_EQUAL(index.radix_bits(), form.radix_bits);
        index.validate();
        check_lookups(index, rows);
        check_cursors(index, rows);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbi_index)

BOOST_AUTO_TEST_CASE(answers_as_the_twin_does) {
    for (const size_t n_rows : {0, 1, 2, 63, 64, 65, 511, 512, 513, 1023, 1024, 20000}) {
        for (const size_t max_group : {1, 3, 700}) {
            const std::vector<IndexRow> rows = make_rows(n_rows, max_group, n_rows + max_group);
            for (const Form form : kForms) check_index(rows, form);
        }
    }
}

BOOST_AUTO_TEST_CASE(answers_on_many_rows) {
    const std::vector<IndexRow> rows = make_rows(100000, 2, 5);
    for (const Form form : kForms) check_index(rows, form);
}

BOOST_AUTO_TEST_CASE(answers_on_huge_groups) {
    std::vector<IndexRow> rows;
    uint64_t voffset = 0;
    for (const auto& [hash, n] : std::vector<std::pair<uint64_t, int>>{
             {0, 100000}, {7, 1}, {1ull << 48, 513}, {UINT64_MAX - 5, 1}, {UINT64_MAX, 70000}}) {
        for (int i = 0; i < n; ++i) rows.push_back({{hash}, {voffset += 3}});
    }
    for (const Form form : kForms) check_index(rows, form);
}

BOOST_AUTO_TEST_CASE(answers_on_hashes_that_are_not_uniform) {
    std::vector<IndexRow> rows;
    for (uint64_t i = 0; i < 30000; ++i) rows.push_back({{i * i}, {i}});
    for (uint64_t i = 0; i < 20; ++i) rows.push_back({{(1ull << 63) + (1ull << i)}, {i}});
    for (const Form form : kForms) check_index(rows, form);
}

BOOST_AUTO_TEST_SUITE_END()
