// Opening, lookup and cursors of QBI1 and QBI2 against a brute-force twin.
#include <boost/test/unit_test.hpp>

#include "qbi_fixtures.hpp"
#include "qbi_state.hpp"
#include "qbix/error.hpp"
#include "scaled.hpp"

using namespace qbi_test;
using qbix::Error;
using qbix::ErrorCode;
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

// Rows, and what an index over them must answer.
struct Expectation {
    explicit Expectation(const std::vector<IndexRow>& all_rows)
        : rows(all_rows), twin(rows), queries(make_queries(twin, 1000)) {
        for (const NameHash query : queries) answers.push_back(twin.find(query));
    }
    std::vector<IndexRow> rows;
    Twin twin;
    std::vector<NameHash> queries;
    std::vector<RowRange> answers;
};

// Counts, for a test macro an answer takes longer than the answer.
void check_lookups(const QbiIndex& index, const Expectation& expectation) {
    const auto& [rows, twin, queries, answers] = expectation;
    std::vector<RowRange> found(queries.size(), RowRange{1, 0});
    index.find_batch(queries, found);
    std::vector<VirtualOffset> voffsets;
    size_t n_wrong = 0;
    for (size_t i = 0; i < queries.size(); ++i) {
        const RowRange expected = answers[i];
        n_wrong += index.find(queries[i]) != expected;
        n_wrong += found[i] != expected;
        voffsets.clear();
        index.read_voffsets(expected, voffsets);
        n_wrong += voffsets.size() != expected.size();
        for (size_t v = 0; v < voffsets.size(); ++v) {
            n_wrong += voffsets[v] != rows[expected.begin + v].voffset;
        }
    }
    BOOST_REQUIRE_EQUAL(n_wrong, 0u);
}

// The same by every instruction-set version.
void check_kernels(const QbiIndex& index, const Expectation& expectation) {
    if (index.format() == IndexFormat::kQbi1) return;
    const auto& [rows, twin, queries, answers] = expectation;
    std::vector<RowRange> found(queries.size());
    for (const qbix::qbi2::Kernels& kernels : qbix::qbi2::all_kernels()) {
        const auto lookup = qbix::make_qbi2_lookup(index.state().bytes, index.path(),
                                                   index.state().layout, kernels);
        lookup->find_batch(queries, found);
        size_t n_wrong = 0;
        for (size_t i = 0; i < queries.size(); ++i) {
            n_wrong += found[i] != answers[i];
            n_wrong += lookup->find(queries[i]) != found[i];
        }
        BOOST_REQUIRE_EQUAL(n_wrong, 0u);
    }
}

void check_cursors(const QbiIndex& index, const Expectation& expectation) {
    const auto& [rows, twin, queries, answers] = expectation;
    for (const size_t n_at_once : {1, 63, 1000, 5000}) {
        BOOST_REQUIRE(read_rows(index, 0, n_at_once) == rows);
        const std::vector<HashGroup> groups = read_groups(index, n_at_once);
        BOOST_REQUIRE_EQUAL(groups.size(), twin.groups().size());
        auto expected = twin.groups().begin();
        size_t n_wrong = 0;
        for (const HashGroup& group : groups) {
            n_wrong += group.hash.value != expected->first || group.rows != expected->second;
            ++expected;
        }
        BOOST_REQUIRE_EQUAL(n_wrong, 0u);
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

void check_index(const Expectation& expectation, Form form) {
    const std::vector<IndexRow>& rows = expectation.rows;
    BOOST_TEST_CONTEXT(name_of(form) << ", " << rows.size() << " rows") {
        const Bytes bytes = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
        const TempFile file(bytes);
        const QbiIndex index(file.path());
        BOOST_REQUIRE_EQUAL(index.record_count(), rows.size());
        BOOST_REQUIRE_EQUAL(index.size_bytes(), bytes.size());
        BOOST_REQUIRE(index.bam_identity() == kIdentity);
        BOOST_REQUIRE_EQUAL(index.radix_bits(), form.radix_bits);
        index.validate();
        check_lookups(index, expectation);
        check_kernels(index, expectation);
        check_cursors(index, expectation);
    }
}

void check_all_forms(const std::vector<IndexRow>& rows) {
    const Expectation expectation(rows);
    for (const Form form : kForms) check_index(expectation, form);
}

// Errors are fine. Where nothing is reported and the structure holds, the groups must be
// those of the twin: only hashes and offsets may differ.
void check_damaged(const std::string& path, const std::vector<IndexRow>& rows, const Twin& twin) {
    bool valid = false;
    std::vector<NameHash> hashes;
    for (const auto& [hash, range] : twin.groups()) hashes.push_back({hash});
    std::vector<RowRange> found(hashes.size());
    try {
        const QbiIndex index(path);
        try {
            index.validate();
            valid = true;
        } catch (const Error&) {
        }
        std::vector<VirtualOffset> voffsets;
        for (const NameHash hash : hashes) try {
                index.read_voffsets(index.find(hash), voffsets);
            } catch (const Error&) {
                BOOST_REQUIRE(!valid);
            }
        for (size_t row = 0; row < rows.size(); row += 1 + rows.size() / 100) try {
                index.row_at(row);
            } catch (const Error&) {
                BOOST_REQUIRE(!valid);
            }
        const size_t n_groups = read_groups(index).size();
        const size_t n_rows = read_rows(index).size();
        BOOST_REQUIRE(n_rows == rows.size());
        if (valid && index.format() == IndexFormat::kQbi2) {
            BOOST_REQUIRE_EQUAL(n_groups, twin.groups().size());
        }
        index.find_batch(hashes, found);
        for (size_t i = 0; valid && i < hashes.size(); ++i) {
            const RowRange expected = twin.find(hashes[i]);
            BOOST_REQUIRE(found[i].empty() || found[i] == expected ||
                          index.format() == IndexFormat::kQbi1);
        }
    } catch (const Error&) {
        BOOST_REQUIRE(!valid);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbi_index)

BOOST_AUTO_TEST_CASE(answers_as_the_twin_does) {
    for (const size_t n_rows : {0, 1, 2, 63, 64, 65, 511, 512, 513, 1023, 1024, 5000}) {
        for (const size_t max_group : {1, 3, 700}) {
            check_all_forms(make_rows(n_rows, max_group, n_rows + max_group));
        }
    }
}

BOOST_AUTO_TEST_CASE(answers_on_many_rows) {
    check_all_forms(make_rows(20000 + qbix_test::scaled(80000), 2, 5));
}

BOOST_AUTO_TEST_CASE(answers_on_huge_groups) {
    std::vector<IndexRow> rows;
    uint64_t voffset = 0;
    for (const auto& [hash, n] : std::vector<std::pair<uint64_t, int>>{
             {0, 100000}, {7, 1}, {1ull << 48, 513}, {UINT64_MAX - 5, 1}, {UINT64_MAX, 70000}}) {
        for (int i = 0; i < n; ++i) rows.push_back({{hash}, {voffset += 3}});
    }
    check_all_forms(rows);
}

BOOST_AUTO_TEST_CASE(answers_on_hashes_that_are_not_uniform) {
    std::vector<IndexRow> rows;
    for (uint64_t i = 0; i < 5000 + qbix_test::scaled(25000); ++i) rows.push_back({{i * i}, {i}});
    for (uint64_t i = 0; i < 20; ++i) rows.push_back({{(1ull << 63) + (1ull << i)}, {i}});
    check_all_forms(rows);
}

// Every bit of small indexes flipped (every fifth under the sanitizers, so one or two of each
// byte): opened, validated, asked and walked. What opens and
// validates may differ in offsets, hashes and the BAM's identity only.
BOOST_AUTO_TEST_CASE(no_flip_misleads_unseen) {
    const std::vector<IndexRow> rows = make_rows(66, 3, 9);
    const Twin twin(rows);
    for (const Form form : {kForms[0], kForms[1]}) {
        const Bytes whole = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
        const TempFile file(whole);
        for (size_t bit = 0; bit < whole.size() * 8; bit += qbix_test::kSanitizerSlowdown) {
            file.set_byte(bit / 8, whole[bit / 8] ^ static_cast<uint8_t>(1 << bit % 8));
            check_damaged(file.path(), rows, twin);
            file.set_byte(bit / 8, whole[bit / 8]);
        }
    }
}

// Sections filled with noise: directories that point anywhere.
BOOST_AUTO_TEST_CASE(noise_is_survived) {
    const std::vector<IndexRow> rows = make_rows(3000, 3, 11);
    const Twin twin(rows);
    std::mt19937_64 random(3);
    for (const Form form : kForms) {
        const Bytes whole = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
        for (int round = 0; round < 40; ++round) {
            Bytes damaged = whole;
            const size_t begin = 128 + random() % (damaged.size() - 128);
            const size_t end = begin + random() % (damaged.size() - begin);
            for (size_t i = begin; i < end; ++i) damaged[i] = static_cast<uint8_t>(random());
            const TempFile file(damaged);
            check_damaged(file.path(), rows, twin);
        }
    }
}

// What opening and lookups need not see.
BOOST_AUTO_TEST_CASE(validation_sees_what_is_only_out_of_order) {
    const auto is_valid = [](const Bytes& bytes) {
        const TempFile file(bytes);
        try {
            QbiIndex(file.path()).validate();
            return true;
        } catch (const Error& error) {
            BOOST_TEST((error.code() == ErrorCode::kBadIndex));
            return false;
        }
    };
    const std::vector<IndexRow> one_group = {{{5}, {7}}, {{5}, {7}}};
    const std::vector<IndexRow> swapped = {{{5}, {8}}, {{5}, {7}}};
    const std::vector<IndexRow> beyond = {{{5}, {kIdentity.size_bytes << 16}}};
    for (const Form form : kForms) {
        for (const auto& rows : {one_group, swapped, beyond}) {
            BOOST_TEST(!is_valid(encode_qbi(rows, form.format, form.radix_bits, kIdentity)));
        }
    }
    // P = 12 leaves four bits of a suffix unused.
    Bytes bytes = encode_qbi(std::vector<IndexRow>{{{5}, {7}}}, IndexFormat::kQbi2, 12, kIdentity);
    BOOST_TEST(is_valid(bytes));
    bytes.back() |= 0x10;
    BOOST_TEST(!is_valid(bytes));
}

// The rows end, but not all hashes were handed out.
BOOST_AUTO_TEST_CASE(a_cursor_counts_the_groups) {
    const std::vector<IndexRow> rows = make_rows(100, 1, 2);
    const auto layout = qbix::qbi2::make_layout(100, 100, 8);
    Bytes bytes = encode_qbi(rows, IndexFormat::kQbi2, 8, kIdentity);
    bytes[layout->word_place(0) + 3] ^= 0x08;
    const TempFile file(bytes);
    const QbiIndex index(file.path());
    BOOST_CHECK_THROW(read_rows(index), Error);
    BOOST_CHECK_THROW(read_groups(index), Error);
}

BOOST_AUTO_TEST_CASE(what_is_no_index_is_refused) {
    const auto code_of = [](const std::string& path) {
        try {
            const QbiIndex index(path);
        } catch (const Error& error) {
            return error.code();
        }
        throw std::runtime_error("opened");
    };
    BOOST_TEST((code_of("/nonexistent/x.qbi") == ErrorCode::kOpen));
    BOOST_TEST((code_of("/tmp") == ErrorCode::kNotIndex));
    BOOST_TEST((code_of(TempFile(Bytes{}).path()) == ErrorCode::kNotIndex));
    BOOST_TEST((code_of(TempFile(Bytes{'Q', 'B', 'I'}).path()) == ErrorCode::kNotIndex));
    BOOST_TEST((code_of(TempFile(Bytes{'B', 'A', 'M', 1, 0, 0}).path()) == ErrorCode::kNotIndex));
    BOOST_TEST((code_of(TempFile(Bytes{'Q', 'B', 'I', '2', 0}).path()) == ErrorCode::kBadIndex));
}

BOOST_AUTO_TEST_SUITE_END()
