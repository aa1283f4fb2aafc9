// Bytes of an index, mapped and through pages: the same bytes, the same answers.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <thread>

#include "index_bytes.hpp"
#include "le_bytes.hpp"
#include "qbi_fixtures.hpp"
#include "qbix/error.hpp"
#include "row_lookup.hpp"

using namespace qbi_test;
using qbix::IndexBytes;
using qbix::RowLookup;
using qbix::RowRange;
using qbix::SectionWalker;

namespace {

Bytes random_bytes(size_t n) {
    std::mt19937_64 random(n);
    Bytes bytes(n);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

std::unique_ptr<const RowLookup> make_lookup(const IndexBytes& bytes, const std::string& path,
                                             Form form, const std::vector<IndexRow>& rows) {
    if (form.format == IndexFormat::kQbi1) return qbix::make_qbi1_lookup(bytes, rows.size());
    const auto layout =
        qbix::qbi2::make_layout(rows.size(), Twin(rows).groups().size(), form.radix_bits);
    return qbix::make_qbi2_lookup(bytes, path, layout.value());
}

// What each row's hash and its neighbour hash find, with offsets.
size_t count_wrong_answers(const RowLookup& lookup, const std::vector<IndexRow>& rows) {
    const Twin twin(rows);
    std::vector<NameHash> hashes;
    for (const IndexRow& row : rows) hashes.insert(hashes.end(), {row.hash, {row.hash.value + 1}});
    std::vector<RowRange> found(hashes.size());
    lookup.find_batch(hashes, found);
    std::vector<VirtualOffset> voffsets;
    size_t n_wrong = 0;
    for (size_t i = 0; i < hashes.size(); ++i) {
        n_wrong += found[i] != twin.find(hashes[i]);
        n_wrong += lookup.find(hashes[i]) != found[i];
        voffsets.clear();
        lookup.read_voffsets(found[i], voffsets);
        for (size_t v = 0; v < voffsets.size(); ++v) {
            n_wrong += voffsets[v] != rows[found[i].begin + v].voffset;
        }
    }
    return n_wrong;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_index_bytes)

// More pages than are kept, in random order, from two threads.
BOOST_AUTO_TEST_CASE(pages_hold_the_bytes_of_the_file) {
    const Bytes whole = random_bytes(3'000'001);
    const TempFile file(whole);
    const IndexBytes paged(file.path(), false);
    BOOST_REQUIRE(paged.mapped() == nullptr);
    BOOST_REQUIRE_EQUAL(paged.size_bytes(), whole.size());
    std::atomic<size_t> n_wrong{0};
    const auto read_some = [&](uint64_t seed) {
        std::mt19937_64 random(seed);
        Bytes out;
        for (int i = 0; i < 2000; ++i) {
            const size_t place = i == 0 ? whole.size() - 9 : random() % whole.size();
            out.resize(std::min<size_t>(whole.size() - place, 1 + random() % 70'000));
            paged.read(place, out);
            n_wrong +=
                !std::equal(out.begin(), out.end(), whole.begin() + static_cast<ptrdiff_t>(place));
        }
    };
    std::thread other(read_some, 1);
    read_some(2);
    other.join();
    BOOST_TEST(n_wrong == 0u);
}

BOOST_AUTO_TEST_CASE(a_walker_shows_the_bytes_of_the_file) {
    const Bytes whole = random_bytes(5'000'003);
    const TempFile file(whole);
    for (const bool map_local : {true, false}) {
        const IndexBytes bytes(file.path(), map_local);
        const uint64_t begin = 1000;
        const uint64_t end = whole.size();
        SectionWalker walker(bytes, begin, end);
        std::mt19937_64 random(4);
        for (uint64_t place = begin; place < end;) {
            const size_t n = std::min<uint64_t>(1 + random() % 9000, end - place);
            const uint8_t* view = walker.view(place, n);
            BOOST_REQUIRE(std::equal(view, view + n, &whole[place]));
            place += n - random() % 8 % n;  // views may overlap
        }
    }
}

BOOST_AUTO_TEST_CASE(lookups_through_pages_answer_as_mapped_ones_do) {
    for (const size_t n_rows : {0, 1, 700, 4000}) {
        const std::vector<IndexRow> rows = make_rows(n_rows, 3, n_rows);
        for (const Form form : kForms) {
            const TempFile file(encode_qbi(rows, form.format, form.radix_bits, kIdentity));
            for (const bool map_local : {true, false}) {
                const IndexBytes bytes(file.path(), map_local);
                const auto lookup = make_lookup(bytes, file.path(), form, rows);
                BOOST_REQUIRE_EQUAL(count_wrong_answers(*lookup, rows), 0u);
            }
        }
    }
}

// A file that shrinks behind an open handle is reported, not read past.
BOOST_AUTO_TEST_CASE(a_file_that_ends_early_is_an_error) {
    TempFile file(random_bytes(3'000'000));
    const IndexBytes paged(file.path(), false);
    Bytes out(2'500'000);  // more than all pages
    paged.read(0, out);
    file.write(random_bytes(1000));
    out.resize(8);
    for (int i = 0; i < 70; ++i) BOOST_CHECK_THROW(paged.read(2'900'000, out), qbix::Error);
    // Nor does a page that was given up for it pass for the old one.
    BOOST_CHECK_THROW(paged.read(426'000, out), qbix::Error);
}

BOOST_AUTO_TEST_SUITE_END()
