// Damaged and cut indexes of a small BAM: an error, or a name reported missing; never a crash,
// a hang, or a record of another name. The full check catches every flip but in the mtime.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "bam_maker.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/qbi_index.hpp"
#include "scaled.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

struct Layout {
    const char* name;
    IndexFormat format;
    int radix_bits;
    size_t mtime_at;  // of the 8 bytes that no check looks at
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) { return out << layout.name; }

const Layout kSmallLayouts[] = {{"qbi1", IndexFormat::kQbi1, 0, 32},
                                {"qbi2 P=8", IndexFormat::kQbi2, 8, 40}};
const Layout kLargeLayouts[] = {{"qbi2 P=12", IndexFormat::kQbi2, 12, 40},
                                {"qbi2 P=16", IndexFormat::kQbi2, 16, 40}};

// Behind the head every byte in turn, under the sanitizers every seventh or so.
constexpr size_t kHead = 200;
constexpr size_t kStep = qbix_test::kSanitizerSlowdown > 1 ? 7 : 1;

constexpr int kNames = 40;
std::string name_of(int i) { return "read" + std::to_string(i); }

struct Fixture {
    TempDir dir;
    std::string bam_path = dir / "a.bam";
    std::string index_path = dir / "a.bam.qbi";
    std::vector<uint8_t> whole;
    size_t mtime_at;

    explicit Fixture(const Layout& layout) : mtime_at(layout.mtime_at) {
        BamMaker maker;
        for (int i = 0; i < kNames; ++i)
            for (int k = 0; k <= i % 3; ++k) maker.add(name_of(i), 5);
        maker.write(bam_path, 600);
        BuildOptions options;
        options.format = layout.format;
        options.radix_bits = layout.radix_bits;
        build_index(bam_path, options);
        whole = read_file(index_path);
    }

    // Asks the index on disk for everything. Errors are fine, wrong records are not.
    void use_everything(const BamFile& bam) {
        try {
            const QbiIndex index(index_path);
            NameFetcher fetcher(index, bam);
            for (int i = 0; i < kNames; ++i) try {
                    fetch_name(index, fetcher, name_of(i), [&](const RecordView& record) {
                        BOOST_REQUIRE(record.qname() == name_of(i));
                    });
                } catch (const Error&) {
                }
            std::vector<IndexRow> rows(7);
            RowCursor cursor(index);
            while (cursor.next(rows) > 0) {
            }
            std::vector<HashGroup> groups(7);
            GroupCursor group_cursor(index);
            while (group_cursor.next(groups) > 0) {
            }
        } catch (const Error&) {
        }
    }

    // In place: replacing a file costs some file systems a write to the disk.
    void set_byte(size_t at, uint8_t value) {
        std::fstream file(index_path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(value));
        BOOST_REQUIRE(file.flush());
    }

    // Flips one bit of the byte `at`, asks for everything, and puts the bit back.
    void flip_and_use(const BamFile& bam, size_t at) {
        set_byte(at, whole[at] ^ static_cast<uint8_t>(1U << at * 5 % 8));
        use_everything(bam);
        const bool in_mtime = at >= mtime_at && at < mtime_at + 8;
        BOOST_REQUIRE_MESSAGE(full_check_passes(bam) == in_mtime, "byte " << at);
        set_byte(at, whole[at]);
    }

    bool full_check_passes(const BamFile& bam) {
        try {
            check_full(QbiIndex(index_path), bam, 1, uint64_t{16} << 20, nullptr);
            return true;
        } catch (const Error&) {
            return false;
        }
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(qbi_damage)

BOOST_DATA_TEST_CASE(every_byte_flipped, boost::unit_test::data::make(kSmallLayouts), layout) {
    Fixture f(layout);
    const BamFile bam(f.bam_path);
    BOOST_REQUIRE(f.full_check_passes(bam));
    for (size_t at = 0; at < f.whole.size(); at += at < kHead ? 1 : kStep) f.flip_and_use(bam, at);
}

// The directories of these are long: a sample.
BOOST_DATA_TEST_CASE(some_bytes_flipped, boost::unit_test::data::make(kLargeLayouts), layout) {
    Fixture f(layout);
    const BamFile bam(f.bam_path);
    const size_t long_step = f.whole.size() / 300 * kStep;
    for (size_t at = 0; at < f.whole.size(); at += at < kHead ? 1 : at < 1500 ? kStep : long_step)
        f.flip_and_use(bam, at);
}

// Counts and places with their high bits set, or all bits.
BOOST_DATA_TEST_CASE(absurd_numbers_in_the_head, boost::unit_test::data::make(kSmallLayouts),
                     layout) {
    Fixture f(layout);
    const BamFile bam(f.bam_path);
    for (size_t at = 0; at + 8 <= (layout.radix_bits ? 128U : 48U); at += 8)
        for (const uint64_t value :
             {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 40}) {
            auto damaged = f.whole;
            std::copy_n(reinterpret_cast<const uint8_t*>(&value), 8, damaged.begin() + at);
            write_file(f.index_path, damaged);
            f.use_everything(bam);
            BOOST_TEST((f.full_check_passes(bam) == (at == layout.mtime_at || damaged == f.whole)));
        }
}

BOOST_DATA_TEST_CASE(cut_at_every_length, boost::unit_test::data::make(kSmallLayouts), layout) {
    Fixture f(layout);
    for (size_t n = f.whole.size(); n-- > 0;) {
        std::filesystem::resize_file(f.index_path, n);
        BOOST_CHECK_THROW(QbiIndex(f.index_path), Error);
    }
    auto longer = f.whole;
    longer.push_back(0);
    write_file(f.index_path, longer);
    BOOST_CHECK_THROW(QbiIndex(f.index_path), Error);
}

BOOST_AUTO_TEST_CASE(an_index_of_another_file_is_refused) {
    Fixture f(kSmallLayouts[1]);
    BamMaker other;
    for (int i = 0; i < kNames; ++i)
        for (int k = 0; k <= i % 3; ++k) other.add(name_of(kNames - 1 - i), 5);
    other.write(f.dir / "b.bam", 600);
    const BamFile bam(f.dir / "b.bam");
    BOOST_CHECK_EXCEPTION(check_belongs(QbiIndex(f.index_path), bam), Error,
                          [](const Error& e) { return e.code() == ErrorCode::kForeignIndex; });
    BOOST_CHECK_EXCEPTION(
        [&] {
            auto bytes = read_file(f.bam_path);
            bytes.push_back(0);
            write_file(f.bam_path, bytes);
            check_belongs(QbiIndex(f.index_path), BamFile(f.bam_path));
        }(),
        Error, [](const Error& e) { return e.code() == ErrorCode::kForeignIndex; });
}

BOOST_AUTO_TEST_SUITE_END()
