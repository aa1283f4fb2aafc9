// Records by virtual offset, and their decoding, against htslib.

#include <htslib/kstring.h>
#include <htslib/sam.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>

#include "bam_maker.hpp"
#include "hts_handles.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/record_reader.hpp"

using namespace qbix;
using namespace qbix::test;

namespace {

std::string sam_line(const sam_hdr_t* header, const bam1_t* record) {
    kstring_t text = KS_INITIALIZE;
    BOOST_REQUIRE(sam_format1(header, record, &text) >= 0);
    std::string line(text.s, text.l);
    ks_free(&text);
    return line;
}

std::vector<std::string> lines_by_htslib(const std::string& path) {
    const HtsFilePtr file(hts_open(path.c_str(), "r"));
    const SamHdrPtr header(sam_hdr_read(file.get()));
    const BamPtr record(bam_init1());
    std::vector<std::string> lines;
    while (sam_read1(file.get(), header.get(), record.get()) >= 0)
        lines.push_back(sam_line(header.get(), record.get()));
    return lines;
}

std::string shared_dir() {
    const char* dir = std::getenv("QBIX_SHARED");
    return dir ? dir : "../shared";
}

void check_all_records(const std::string& path) {
    const auto rows = rows_by_htslib(path);
    const auto lines = lines_by_htslib(path);
    const BamFile bam(path);
    RecordReader reader(bam);
    const BamPtr record(bam_init1());
    std::vector<size_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int round = 0; round < 2; ++round) {
        size_t n_wrong = 0;
        for (const size_t i : order) {
            const RecordView view = reader.read(rows[i].voffset);
            n_wrong += hash_name(view.qname()) != rows[i].hash;
            decode_record(view, bam.header(), record.get());
            n_wrong += sam_line(bam.header(), record.get()) != lines[i];
        }
        BOOST_TEST(n_wrong == 0U, path << ": " << n_wrong << " differences");
        std::shuffle(order.begin(), order.end(), std::mt19937(1));
        order.resize(std::min<size_t>(order.size(), 400));  // each inflates a block
    }
}

ErrorCode code_of(RecordReader& reader, uint64_t voffset) {
    try {
        reader.read({voffset});
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode::kUsage;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(record_reader)

BOOST_AUTO_TEST_CASE(equals_htslib_for_any_block_size) {
    const TempDir dir;
    for (const size_t block_bytes : {50, 1000, 0xff00}) {
        BamMaker maker;
        std::mt19937 random(1);
        for (int i = 0; i < 300; ++i) maker.add("r" + std::to_string(i), random() % 300);
        maker.add("large", 200000);
        maker.add("", 10);
        maker.add(std::string(254, 'q'), 3);
        maker.add("no-nul", 4, false);
        maker.add("nonul4", 4, false);
        maker.write(dir / "a.bam", block_bytes);
        check_all_records(dir / "a.bam");
    }
}

BOOST_AUTO_TEST_CASE(real_files) {
    if (!std::filesystem::exists(shared_dir() + "/cases/files")) {
        BOOST_TEST_MESSAGE("skipped: no real files here");
        return;
    }
    size_t n_files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shared_dir() + "/cases/files")) {
        const std::string path = entry.path().string();
        if (entry.path().extension() != ".bam" || path.find("truncated") != std::string::npos ||
            path.find("badheader") != std::string::npos ||
            path.find("bam-js/data") != std::string::npos)
            continue;
        check_all_records(path);
        ++n_files;
    }
    BOOST_TEST(n_files > 30U);
}

BOOST_AUTO_TEST_CASE(offsets_of_nothing) {
    const TempDir dir;
    BamMaker maker;
    for (int i = 0; i < 100; ++i) maker.add("r" + std::to_string(i), 100);
    maker.write(dir / "a.bam", 1000);
    const auto rows = rows_by_htslib(dir / "a.bam");
    const BamFile bam(dir / "a.bam");
    RecordReader reader(bam);
    const uint64_t size = bam.identity().size_bytes;
    BOOST_TEST((code_of(reader, (size + 1000) << 16) == ErrorCode::kForeignIndex));
    BOOST_TEST((code_of(reader, (size - 28) << 16) == ErrorCode::kForeignIndex));
    BOOST_TEST((code_of(reader, rows[50].voffset.value + (1 << 16)) == ErrorCode::kForeignIndex));
    BOOST_TEST((code_of(reader, rows[50].voffset.value | 0xffff) == ErrorCode::kForeignIndex));
    BOOST_TEST((code_of(reader, UINT64_MAX) != ErrorCode::kUsage));
    BOOST_TEST((reader.read(rows[51].voffset).qname() == "r51"));  // still usable
}

BOOST_AUTO_TEST_CASE(each_block_is_inflated_once_in_ascending_order) {
    const TempDir dir;
    BamMaker maker;
    for (int i = 0; i < 500; ++i) maker.add("r" + std::to_string(i), 20);
    maker.write(dir / "a.bam", 2000);
    const BamFile bam(dir / "a.bam");
    RecordReader reader(bam);
    for (const IndexRow& row : rows_by_htslib(dir / "a.bam")) reader.read(row.voffset);
    BOOST_TEST(reader.blocks_read() <= (maker.stream().size() + 1999) / 2000 + 1);
}

BOOST_AUTO_TEST_CASE(damaged_fields_are_refused) {
    const TempDir dir;
    BamMaker maker;
    maker.add("good", 4);
    BamMaker other;
    other.add("badref", 4);
    std::vector<uint8_t> record(other.stream().end() - (36 + 7 + 6), other.stream().end());
    record[4] = 9;  // reference 9 of 1
    record[5] = record[6] = record[7] = 0;
    maker.add_raw(record);
    maker.write(dir / "a.bam");
    const BamFile bam(dir / "a.bam");
    RecordReader reader(bam);
    const auto first = reader.read(bam.first_record());
    const auto second = VirtualOffset{bam.first_record().value + first.bytes.size()};
    const BamPtr decoded(bam_init1());
    BOOST_CHECK_EXCEPTION(decode_record(reader.read(second), bam.header(), decoded.get()), Error,
                          [](const Error& e) { return e.code() == ErrorCode::kDamaged; });
}

BOOST_AUTO_TEST_SUITE_END()
