// Rows through buckets and sort, against std::sort: memory limits, threads, skew.

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <mutex>
#include <random>

#include "bam_maker.hpp"
#include "name_rows.hpp"
#include "qbix/error.hpp"
#include "row_buckets.hpp"
#include "row_sort.hpp"
#include "row_sorter.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

// Puts pieces in their places and checks what RowSink promises.
class CollectingSink : public RowSink {
   public:
    void begin(uint64_t n_rows) override { rows.resize(n_rows); }
    void consume(const RowPiece& piece) override {
        const std::lock_guard lock(mutex_);
        BOOST_TEST(!piece.rows.empty());
        std::copy(piece.rows.begin(), piece.rows.end(), rows.begin() + piece.first_row);
        n_consumed_ += piece.rows.size();
        if (piece.continues_group) continued.push_back(piece.first_row);
    }
    void abort() noexcept override { aborted = true; }
    void finish() override {
        BOOST_TEST(n_consumed_ == rows.size());
        finished = true;
    }
    std::vector<IndexRow> rows;
    std::vector<uint64_t> continued;
    bool finished = false, aborted = false;

   private:
    std::mutex mutex_;
    uint64_t n_consumed_ = 0;
};

std::vector<IndexRow> uniform_rows(size_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<IndexRow> rows;
    uint64_t voffset = 0;
    for (size_t i = 0; i < n; ++i) {
        voffset += random() % 1000 == 0 ? uint64_t{1} << 44 : random() % (uint64_t{1} << 24);
        rows.push_back(
            {{i % 3 == 0 && i > 0 ? rows[random() % i].hash.value : random()}, {voffset}});
    }
    return rows;
}

// Deals `rows` out to collections as threads of a scan would, sorts them, compares.
void check_sort(const std::vector<IndexRow>& rows, size_t n_threads, uint64_t bucket_memory,
                uint64_t sort_memory, bool spill_all) {
    const TempDir dir;
    std::vector<std::unique_ptr<RowBuckets>> owners;
    std::vector<const RowBuckets*> collections;
    for (size_t i = 0; i < n_threads; ++i) {
        owners.push_back(std::make_unique<RowBuckets>(bucket_memory, dir / "rows"));
        collections.push_back(owners.back().get());
    }
    for (size_t i = 0; i < rows.size(); ++i)
        owners[i / 100 % n_threads]->add(rows[i].hash, rows[i].voffset);
    if (spill_all)
        for (auto& owner : owners) owner->spill_all();

    CollectingSink sink;
    sort_rows(collections, sink, {n_threads, sort_memory, dir / "sort", nullptr});
    auto expected = rows;
    std::sort(expected.begin(), expected.end());
    BOOST_TEST(sink.finished);
    BOOST_TEST((sink.rows == expected));
    for (const uint64_t row : sink.continued)
        BOOST_TEST((expected[row].hash == expected[row - 1].hash));
    BOOST_TEST(std::filesystem::is_empty(dir / ""));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(row_sorter)

BOOST_AUTO_TEST_CASE(in_memory) {
    for (const size_t n : {0, 1, 2, 1000, 100000})
        for (const size_t n_threads : {1, 3})
            check_sort(uniform_rows(n, 1), n_threads, 64 << 20, 64 << 20, false);
}

BOOST_AUTO_TEST_CASE(spilled) {
    for (const bool spill_all : {false, true})
        for (const size_t n_threads : {1, 3})
            check_sort(uniform_rows(600000, 2), n_threads, 2 << 20, 64 << 20, spill_all);
}

BOOST_AUTO_TEST_CASE(buckets_larger_than_memory) {
    check_sort(uniform_rows(1200000, 3), 2, 2 << 20, 100000, true);
}

BOOST_AUTO_TEST_CASE(one_name_larger_than_memory) {
    auto rows = uniform_rows(300000, 4);
    for (auto& row : rows) row.hash = {0x1234567890abcdef};
    rows[1000].hash = {5};
    for (const uint64_t sort_memory : {uint64_t{100000}, uint64_t{64} << 20})
        check_sort(rows, 2, 2 << 20, sort_memory, true);
}

BOOST_AUTO_TEST_CASE(extreme_values) {
    std::vector<IndexRow> rows;
    for (const uint64_t hash :
         {uint64_t{0}, UINT64_MAX, uint64_t{1} << 56, (uint64_t{1} << 56) - 1})
        for (const uint64_t step : {0, 1, 2})
            rows.push_back({{hash}, {0}}), rows.back().voffset.value = step * (UINT64_MAX / 2 - 1);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.voffset < b.voffset; });
    check_sort(rows, 1, 2 << 20, 64 << 20, false);
}

// Offsets exactly at the limits of the 40-bit distance.
BOOST_AUTO_TEST_CASE(distances_between_offsets) {
    std::vector<IndexRow> rows;
    uint64_t voffset = 77;
    for (const uint64_t step : {uint64_t{1}, (uint64_t{1} << 40) - 2, (uint64_t{1} << 40) - 1,
                                uint64_t{1} << 40, (uint64_t{1} << 40) + 1, uint64_t{65535}})
        for (int i = 0; i < 200; ++i) {
            rows.push_back({{uint64_t(i) << 30}, {voffset}});
            voffset += step;
        }
    check_sort(rows, 1, 2 << 20, 64 << 20, false);
}

BOOST_AUTO_TEST_CASE(a_failing_sink_is_aborted_and_its_error_thrown) {
    struct FailingSink : CollectingSink {
        void consume(const RowPiece& piece) override {
            if (piece.first_row > 0) throw Error(ErrorCode::kIo, "disk full");
        }
    };
    RowBuckets rows(2 << 20, "unused");
    for (const IndexRow& row : uniform_rows(10000, 5)) rows.add(row.hash, row.voffset);
    const RowBuckets* collections[] = {&rows};
    FailingSink sink;
    BOOST_CHECK_THROW(sort_rows(collections, sink, {3, 1 << 20, "unused", nullptr}), Error);
    BOOST_TEST(sink.aborted);
    BOOST_TEST(!sink.finished);
}

BOOST_AUTO_TEST_CASE(spilling_where_nothing_can_be_written) {
    RowBuckets rows(2 << 20, "/nonexistent-directory/rows");
    BOOST_CHECK_EXCEPTION(
        {
            for (const IndexRow& row : uniform_rows(500000, 6)) rows.add(row.hash, row.voffset);
        },
        Error, [](const Error& e) { return e.code() == ErrorCode::kOpen; });
}

BOOST_AUTO_TEST_CASE(bins_with_any_number_of_common_bits) {
    std::mt19937_64 random(7);
    for (const int n_common : {0, 8, 40})
        for (const size_t n : {0, 1, 2, 3, 100, 5000}) {
            std::vector<IndexRow> rows(n), sorted(n);
            for (auto& row : rows) row = {{n_common ? random() >> n_common : random()}, {random()}};
            BinSorter().sort(rows, n_common, sorted);
            std::sort(rows.begin(), rows.end());
            BOOST_TEST((rows == sorted));
        }
}

BOOST_AUTO_TEST_CASE(whole_pass_for_any_memory_and_threads) {
    const TempDir dir;
    BamMaker maker;
    for (int i = 0; i < 30000; ++i) maker.add("read" + std::to_string(i / 3), 5);
    maker.write(dir / "a.bam");
    auto expected = rows_by_htslib(dir / "a.bam");
    std::sort(expected.begin(), expected.end());
    const BamFile bam(dir / "a.bam");
    for (const size_t n_threads : {1, 2, 7}) {
        CollectingSink sink;
        NameRowsOptions options;
        options.n_threads = n_threads;
        options.memory_bytes = kLeastMemoryBytes;
        options.spill_prefix = dir / "spill";
        BOOST_TEST(stream_name_rows(bam, sink, options).n_records == expected.size());
        BOOST_TEST((sink.rows == expected));
    }
    NameRowsOptions too_little;
    too_little.memory_bytes = kLeastMemoryBytes - 1;
    CollectingSink sink;
    BOOST_CHECK_THROW(stream_name_rows(bam, sink, too_little), Error);
}

BOOST_AUTO_TEST_SUITE_END()
