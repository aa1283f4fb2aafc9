// The names section does not depend on how its rows come: pieces, threads, order of arrival.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include "qbix/error.hpp"
#include "qbx_names_fixtures.hpp"
#include "row_sorter.hpp"
#include "scaled.hpp"
#include "thread_group.hpp"

using namespace qbx_test;

namespace {

class LockedMemory final : public ByteSink {
   public:
    void write_at(uint64_t place, std::span<const uint8_t> written) override {
        const std::lock_guard lock(mutex_);
        if (bytes.size() < place + written.size()) bytes.resize(place + written.size());
        std::copy(written.begin(), written.end(), bytes.begin() + static_cast<ptrdiff_t>(place));
        most_at_once = std::max(most_at_once, written.size());
    }
    Bytes bytes;
    size_t most_at_once = 0;

   private:
    std::mutex mutex_;
};

class FullDisk final : public ByteSink {
   public:
    void write_at(uint64_t, std::span<const uint8_t>) override {
        throw Error(ErrorCode::kIo, "disk full");
    }
};

// Cuts `rows` into pieces of random sizes up to `most`, taken by `n_threads` in order.
void write_in_pieces(QbxNamesWriter& writer, const std::vector<IndexRow>& rows, size_t most,
                     size_t n_threads, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<RowPiece> pieces;
    for (size_t at = 0; at < rows.size();) {
        const size_t n = std::min(1 + random() % most, rows.size() - at);
        const bool continues = at > 0 && rows[at - 1].hash == rows[at].hash;
        pieces.push_back({at, std::span(rows).subspan(at, n), continues});
        at += n;
    }
    writer.begin(rows.size());
    std::atomic<size_t> next{0};
    run_threads(
        n_threads,
        [&](size_t) {
            for (size_t i; (i = next.fetch_add(1)) < pieces.size();) writer.consume(pieces[i]);
        },
        [&] { writer.abort(); });
    writer.finish();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbx_names_writer)

BOOST_AUTO_TEST_CASE(pieces_and_threads_do_not_show) {
    for (const size_t n : {size_t{1000}, size_t{40000}, 30000 + qbix_test::scaled(270000)}) {
        const std::vector<IndexRow> rows = make_rows(n, n);
        const Bytes whole = encode_qbx_names(rows);
        for (const size_t most : {n / 100 + 1, n / 5}) {
            for (const size_t n_threads : {1, 4}) {
                LockedMemory sink;
                QbxNamesWriter writer(sink);
                write_in_pieces(writer, rows, most, n_threads, most);
                BOOST_TEST((sink.bytes == whole));
                BOOST_TEST(writer.size_bytes() == whole.size());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(pieces_of_one_row) {
    const std::vector<IndexRow> rows = make_rows(2000, 3);
    LockedMemory sink;
    QbxNamesWriter writer(sink, 24);
    write_in_pieces(writer, rows, 1, 3, 0);
    BOOST_TEST((sink.bytes == encode_qbx_names(rows, 24)));
}

BOOST_AUTO_TEST_CASE(a_long_group_is_written_as_it_grows) {
    std::vector<uint64_t> hashes(1'500'000, uint64_t{3} << 60);
    for (size_t i = 0; i < hashes.size(); i += 50000) hashes[i] = i << 40;
    const std::vector<IndexRow> rows = rows_of(hashes);
    LockedMemory sink;
    QbxNamesWriter writer(sink);
    write_in_pieces(writer, rows, 100'000, 2, 1);
    BOOST_TEST(sink.most_at_once < size_t{1400} << 10);
    BOOST_TEST((sink.bytes == encode_qbx_names(rows)));
    const auto section = QbxSection::of_memory(sink.bytes);
    const QbxNames names(*section);
    names.validate();
    Ordinals found;
    names.find({uint64_t{3} << 60}, found);
    BOOST_TEST(found.size() == hashes.size() - 30);
}

BOOST_AUTO_TEST_CASE(rows_of_the_sorter) {
    const std::vector<IndexRow> rows = make_rows(60000, 5);
    std::vector<IndexRow> by_ordinal = rows;
    std::sort(by_ordinal.begin(), by_ordinal.end(),
              [](const IndexRow& a, const IndexRow& b) { return a.voffset < b.voffset; });
    const Bytes whole = encode_qbx_names(rows);
    for (const uint64_t memory : {uint64_t{1} << 26, uint64_t{1} << 16}) {
        RowBuckets buckets(uint64_t{1} << 24, "/tmp/qbix-test");
        for (const IndexRow& row : by_ordinal) buckets.add(row.hash, row.voffset);
        LockedMemory sink;
        QbxNamesWriter writer(sink);
        const RowBuckets* const collections[] = {&buckets};
        sort_rows(collections, writer,
                  {.n_threads = 2, .memory_bytes = memory, .spill_prefix = "/tmp/qbix-test"});
        BOOST_TEST((sink.bytes == whole));
    }
}

BOOST_AUTO_TEST_CASE(errors_end_the_build) {
    const std::vector<IndexRow> rows = make_rows(300000, 6);
    FullDisk sink;
    QbxNamesWriter writer(sink);
    BOOST_CHECK_THROW(write_in_pieces(writer, rows, 10000, 3, 0), Error);
    BOOST_CHECK_THROW(QbxNamesWriter(sink, 20), Error);
    LockedMemory memory;
    QbxNamesWriter unfinished(memory);
    unfinished.begin(5);
    BOOST_CHECK_THROW(unfinished.finish(), Error);
}

BOOST_AUTO_TEST_SUITE_END()
