// The writer: the same bytes however the rows are cut into pieces and from however many
// threads, and the same bytes as the files that the existing tool wrote.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <mutex>
#include <thread>

#include "qbi_fixtures.hpp"
#include "qbix/error.hpp"

using namespace qbi_test;
using qbix::QbiIndex;
using qbix::QbiWriter;
using qbix::RowPiece;

namespace {

class LockedMemory final : public qbix::ByteSink {
   public:
    void write_at(uint64_t place, std::span<const uint8_t> written) override {
        const std::lock_guard lock(mutex_);
        if (bytes.size() < place + written.size()) bytes.resize(place + written.size(), 0xee);
        std::copy(written.begin(), written.end(), bytes.begin() + static_cast<ptrdiff_t>(place));
    }
    Bytes bytes;

   private:
    std::mutex mutex_;
};

std::vector<RowPiece> cut(const std::vector<IndexRow>& rows, size_t max_piece, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<RowPiece> pieces;
    for (size_t begin = 0; begin < rows.size();) {
        const size_t n = std::min<size_t>(1 + random() % max_piece, rows.size() - begin);
        const bool continues = begin != 0 && rows[begin].hash == rows[begin - 1].hash;
        pieces.push_back({begin, std::span(rows).subspan(begin, n), continues});
        begin += n;
    }
    return pieces;
}

// Threads take pieces in ascending order, as the builder's do.
Bytes encode_in_pieces(const std::vector<RowPiece>& pieces, uint64_t n_rows, Form form,
                       const BamIdentity& bam, int n_threads) {
    LockedMemory memory;
    QbiWriter writer(memory, form.format, form.radix_bits, bam);
    writer.begin(n_rows);
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < pieces.size(); i = next++) writer.consume(pieces[i]);
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < n_threads; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    writer.finish();
    BOOST_REQUIRE_EQUAL(writer.size_bytes(), memory.bytes.size());
    return memory.bytes;
}

void check_all_cuts(const std::vector<IndexRow>& rows, Form form, const BamIdentity& bam,
                    const Bytes& expected) {
    BOOST_REQUIRE(encode_qbi(rows, form.format, form.radix_bits, bam) == expected);
    for (const size_t max_piece : {1, 3, 100, 1000, 100000}) {
        const std::vector<RowPiece> pieces = cut(rows, max_piece, max_piece);
        for (const int n_threads : {1, 3}) {
            BOOST_REQUIRE(encode_in_pieces(pieces, rows.size(), form, bam, n_threads) == expected);
        }
    }
}

std::vector<std::filesystem::path> golden_files() {
    std::vector<std::filesystem::path> files;
    for (const char* dir : {"golden", "golden/bam"}) {
        std::error_code absent;
        for (const auto& entry : std::filesystem::directory_iterator(shared_dir() / dir, absent)) {
            if (entry.path().extension().string().starts_with(".qbi")) files.push_back(entry);
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbi_writer)

BOOST_AUTO_TEST_CASE(golden_files_are_read_and_written_again) {
    const auto files = golden_files();
    if (files.empty()) {
        BOOST_TEST_MESSAGE("SKIPPED 1: no golden files in " << shared_dir());
        return;
    }
    for (const auto& path : files) {
        BOOST_TEST_CONTEXT(path) {
            const QbiIndex index(path);
            index.validate();
            const Form form{index.format(), index.radix_bits()};
            check_all_cuts(read_rows(index), form, index.bam_identity(), read_file(path));
        }
    }
}

BOOST_AUTO_TEST_CASE(pieces_and_threads_do_not_show) {
    for (const size_t n_rows : {0, 1, 63, 64, 65, 511, 512, 513, 3000}) {
        for (const size_t max_group : {1, 3, 700}) {
            const std::vector<IndexRow> rows = make_rows(n_rows, max_group, n_rows);
            for (const Form form : kForms) {
                const Bytes whole = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
                check_all_cuts(rows, form, kIdentity, whole);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_group_over_many_pieces) {
    std::vector<IndexRow> rows;
    for (uint64_t i = 0; i < 100000; ++i) rows.push_back({{i < 7 ? i : 7}, {i + 1}});
    const Form form{IndexFormat::kQbi2, 8};
    const Bytes whole = encode_qbi(rows, form.format, form.radix_bits, kIdentity);
    BOOST_TEST((encode_in_pieces(cut(rows, 300, 1), rows.size(), form, kIdentity, 3) == whole));
}

BOOST_AUTO_TEST_CASE(abort_ends_a_wait_for_an_earlier_piece) {
    const std::vector<IndexRow> rows = make_rows(200, 2, 1);
    const std::vector<RowPiece> pieces = cut(rows, 50, 1);
    LockedMemory memory;
    QbiWriter writer(memory, IndexFormat::kQbi2, 0, kIdentity);
    writer.begin(rows.size());
    std::atomic<bool> cancelled{false};
    std::thread later([&] {
        try {
            writer.consume(pieces[1]);
        } catch (const qbix::Error& error) {
            cancelled = error.code() == qbix::ErrorCode::kCancelled;
        }
    });
    writer.abort();
    later.join();
    BOOST_TEST(cancelled);
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
    LockedMemory memory;
    for (const int radix_bits : {-1, 1, 9, 24}) {
        BOOST_CHECK_THROW(QbiWriter(memory, IndexFormat::kQbi2, radix_bits, kIdentity),
                          qbix::Error);
    }
    BOOST_CHECK_THROW(QbiWriter(memory, IndexFormat::kQbi1, 8, kIdentity), qbix::Error);
    QbiWriter writer(memory, IndexFormat::kQbi2, 0, kIdentity);
    writer.begin(3);
    BOOST_CHECK_THROW(writer.finish(), qbix::Error);  // no row came
}

BOOST_AUTO_TEST_SUITE_END()
