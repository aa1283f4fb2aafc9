// The scan against htslib, record by record: block sizes, threads, faults.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "bam_maker.hpp"
#include "bam_record.hpp"
#include "bam_scan.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"
#include "scaled.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

// Keeps what it is shown, by ordinal, and the bytes of whole records when asked.
class KeepingVisitor : public RecordVisitor {
   public:
    explicit KeepingVisitor(bool whole_records) : whole_records_(whole_records) {}
    void visit(std::span<const ScannedRecord> records, uint64_t first_ordinal) override {
        for (const ScannedRecord& record : records) {
            const auto qname =
                qname_of(record_read_name(record.bytes), record_l_read_name(record.bytes));
            rows[first_ordinal] = {hash_name(qname), record.voffset};
            if (whole_records_)
                bytes[first_ordinal].assign(record.bytes, record.bytes + record_size(record.bytes));
            ++first_ordinal;
        }
    }
    std::map<uint64_t, IndexRow> rows;
    std::map<uint64_t, std::vector<uint8_t>> bytes;

   private:
    bool whole_records_;
};

struct ScanResult {
    std::vector<IndexRow> rows;
    std::vector<uint8_t> bytes;
    uint64_t n_records = 0;
    std::string error;  // "" when there was none
    ErrorCode code{};
};

ScanResult scan(const std::string& path, size_t n_threads, bool whole_records = false) {
    std::vector<std::unique_ptr<KeepingVisitor>> visitors;
    std::vector<RecordVisitor*> pointers;
    for (size_t i = 0; i < n_threads; ++i) {
        visitors.push_back(std::make_unique<KeepingVisitor>(whole_records));
        pointers.push_back(visitors.back().get());
    }
    ScanResult result;
    ScanOptions options;
    if (!whole_records) options.bytes_needed = kFixedBytes + kMaxReadNameBytes;
    try {
        const BamFile bam(path);
        result.n_records = scan_bam(bam, pointers, options);
    } catch (const Error& error) {
        result.error = error.what();
        result.code = error.code();
    }
    std::map<uint64_t, IndexRow> rows;
    std::map<uint64_t, std::vector<uint8_t>> bytes;
    for (auto& visitor : visitors) {
        rows.merge(visitor->rows);
        bytes.merge(visitor->bytes);
        BOOST_TEST(visitor->rows.empty());  // no ordinal twice
    }
    uint64_t expected_ordinal = 0, n_wrong = 0;
    for (const auto& [ordinal, row] : rows) {
        n_wrong += ordinal != expected_ordinal++;
        result.rows.push_back(row);
    }
    BOOST_TEST(n_wrong == 0U);
    for (const auto& [ordinal, record] : bytes)
        result.bytes.insert(result.bytes.end(), record.begin(), record.end());
    return result;
}

void fill(BamMaker& maker, size_t n_records, unsigned seed, size_t max_bases) {
    std::mt19937 random(seed);
    for (size_t i = 0; i < n_records; ++i)
        maker.add("read" + std::to_string(i / 2), random() % (max_bases + 1));
}

const size_t kThreads[] = {1, 2, 5};

}  // namespace

BOOST_AUTO_TEST_SUITE(bam_scan)

BOOST_DATA_TEST_CASE(equals_htslib_for_any_block_size, boost::unit_test::data::make(kThreads),
                     n_threads) {
    const TempDir dir;
    for (const size_t block_bytes : {1, 37, 100, 1000, 0xff00, 65536}) {
        BamMaker maker;
        fill(maker, block_bytes == 1 ? 50 : block_bytes <= 100 ? 600 : 3000, 1, 200);
        maker.write(dir / "a.bam", block_bytes);
        const auto expected = rows_by_htslib(dir / "a.bam");
        for (const bool whole : {false, true}) {
            const ScanResult result = scan(dir / "a.bam", n_threads, whole);
            BOOST_TEST(result.error == "");
            BOOST_TEST(result.n_records == maker.n_records());
            BOOST_TEST((result.rows == expected));
            if (whole) {
                const auto& stream = maker.stream();
                BOOST_TEST((result.bytes == std::vector<uint8_t>(stream.end() - result.bytes.size(),
                                                                 stream.end())));
            }
        }
    }
}

BOOST_DATA_TEST_CASE(empty_blocks_anywhere, boost::unit_test::data::make(kThreads), n_threads) {
    const TempDir dir;
    for (unsigned seed = 0; seed < 5 + qbix_test::scaled(15); ++seed) {
        BamMaker maker;
        fill(maker, 500, seed, 30);
        std::mt19937 random(seed);
        write_file(dir / "a.bam",
                   maker.file([&] { return random() % 3 == 0 ? 0 : random() % 400; }));
        const ScanResult result = scan(dir / "a.bam", n_threads);
        BOOST_TEST(result.error == "");
        BOOST_TEST((result.rows == rows_by_htslib(dir / "a.bam")));
    }
}

BOOST_DATA_TEST_CASE(records_larger_than_chunks, boost::unit_test::data::make(kThreads),
                     n_threads) {
    const TempDir dir;
    BamMaker maker;
    fill(maker, 10, 3, 100);
    maker.add("giant", 3000000);
    fill(maker, 10, 4, 100);
    maker.add("giant2", 700000);
    write_file(dir / "a.bam", maker.file([] { return 0xff00; }, true, 0));  // stored: many chunks
    for (const bool whole : {false, true}) {
        const ScanResult result = scan(dir / "a.bam", n_threads, whole);
        BOOST_TEST(result.error == "");
        BOOST_TEST((result.rows == rows_by_htslib(dir / "a.bam")));
    }
}

// A chunk whose data are far larger than what is inflated at once.
BOOST_DATA_TEST_CASE(highly_compressed, boost::unit_test::data::make(kThreads), n_threads) {
    const TempDir dir;
    BamMaker maker;
    for (int i = 0; i < 400; ++i) {
        maker.add("small" + std::to_string(i), 0);
        maker.add("flat" + std::to_string(i), 30000, true, true);
    }
    maker.write(dir / "a.bam");
    BOOST_REQUIRE(rows_by_htslib(dir / "a.bam").size() == 800);
    BOOST_TEST((scan(dir / "a.bam", n_threads).rows == rows_by_htslib(dir / "a.bam")));
}

BOOST_DATA_TEST_CASE(no_records, boost::unit_test::data::make(kThreads), n_threads) {
    const TempDir dir;
    const BamMaker maker;
    for (const bool eof : {true, false}) {
        maker.write(dir / "a.bam", 0xff00, eof);
        const ScanResult result = scan(dir / "a.bam", n_threads);
        BOOST_TEST(result.error == "");
        BOOST_TEST(result.n_records == 0U);
    }
}

// Cut at every byte: all whole records before the cut, then an error, unless the cut falls
// between records and blocks.
BOOST_AUTO_TEST_CASE(truncated_at_every_byte) {
    const TempDir dir;
    BamMaker maker;
    fill(maker, 40, 5, 40);
    const auto whole = maker.file([] { return 700; });
    maker.write(dir / "whole.bam", 700);
    const auto rows = rows_by_htslib(dir / "whole.bam");
    write_file(dir / "a.bam", whole);
    for (size_t n = whole.size(); n-- > 0;) {
        std::filesystem::resize_file(dir / "a.bam", n);
        const ScanResult one = scan(dir / "a.bam", 1);
        if (n % qbix_test::kSanitizerSlowdown == 0) {  // three are slower to start
            const ScanResult three = scan(dir / "a.bam", 3);
            BOOST_TEST(one.error == three.error);
            BOOST_TEST((one.rows == three.rows));
        }
        BOOST_TEST((std::equal(one.rows.begin(), one.rows.end(), rows.begin())));
        if (one.rows.size() < rows.size() && one.error.empty())  // cut between two blocks
            BOOST_TEST(std::memcmp(whole.data() + n, "\x1f\x8b", 2) == 0);
    }
}

// Any damage: the same error and the same records before it, for every number of threads.
BOOST_AUTO_TEST_CASE(damage_does_not_depend_on_threads) {
    const TempDir dir;
    BamMaker maker;
    fill(maker, 4000, 6, 80);
    const auto whole = maker.file([] { return 5000; }, true, 0);  // several chunks
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        auto damaged = whole;
        if (round % 3 == 0) damaged.insert(damaged.begin() + random() % damaged.size(), 17, 'x');
        if (round % 3 == 1) damaged[random() % damaged.size()] ^= 1U << random() % 8;
        if (round % 3 == 2)
            std::fill_n(damaged.begin() + random() % (damaged.size() - 3000), 3000, 0);
        write_file(dir / "a.bam", damaged);
        const ScanResult one = scan(dir / "a.bam", 1);
        const ScanResult four = scan(dir / "a.bam", 4);
        BOOST_TEST(one.error == four.error);
        BOOST_TEST((one.rows == four.rows));
    }
}

BOOST_AUTO_TEST_CASE(damaged_record_is_named) {
    const TempDir dir;
    BamMaker maker;
    maker.add("good");
    std::vector<uint8_t> bad(40, 0xff);
    maker.add_raw(bad);
    maker.write(dir / "a.bam");
    for (const size_t n_threads : kThreads) {
        const ScanResult result = scan(dir / "a.bam", n_threads);
        BOOST_TEST(result.rows.size() == 1U);
        BOOST_TEST((result.code == ErrorCode::kDamaged));
        BOOST_TEST(result.error.find("lengths contradict") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_throwing_visitor_ends_the_scan) {
    struct Thrower : RecordVisitor {
        void visit(std::span<const ScannedRecord>, uint64_t) override {
            throw Error(ErrorCode::kIo, "disk full");
        }
    };
    const TempDir dir;
    BamMaker maker;
    fill(maker, 20000, 8, 50);
    maker.write(dir / "a.bam");
    const BamFile bam(dir / "a.bam");
    Thrower a, b, c;
    RecordVisitor* visitors[] = {&a, &b, &c};
    BOOST_CHECK_THROW(scan_bam(bam, visitors, {}), Error);
}

BOOST_AUTO_TEST_CASE(cancelled) {
    const TempDir dir;
    BamMaker maker;
    fill(maker, 1000, 9, 50);
    maker.write(dir / "a.bam");
    const BamFile bam(dir / "a.bam");
    const std::atomic<bool> cancel{true};
    KeepingVisitor a(false), b(false);
    RecordVisitor* visitors[] = {&a, &b};
    ScanOptions options;
    options.cancel = &cancel;
    BOOST_CHECK_EXCEPTION(scan_bam(bam, visitors, options), Error,
                          [](const Error& e) { return e.code() == ErrorCode::kCancelled; });
}

BOOST_AUTO_TEST_SUITE_END()
