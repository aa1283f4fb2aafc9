// test_bgzfw_htslib.cpp: bam1_t, sam_hdr_t and SAM text become what htslib's own writer makes
// of them.
#include <htslib/sam.h>
#include <htslib/thread_pool.h>

#include <boost/test/unit_test.hpp>
#include <functional>
#include <iostream>

#include "bgzfw/bam1.hpp"
#include "bgzfw_support.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

struct HtsCloser {
    void operator()(htsFile* f) const { hts_close(f); }
    void operator()(sam_hdr_t* h) const { sam_hdr_destroy(h); }
    void operator()(bam1_t* b) const { bam_destroy1(b); }
};
template <class T>
using Owned = std::unique_ptr<T, HtsCloser>;

struct HtsRecords {
    Owned<sam_hdr_t> header;
    std::vector<Owned<bam1_t>> records;
};

// Of long files the beginning; whole ones are for the test of the command.
constexpr size_t kMostRecords = 1000;

// Empty header when the file cannot be read to its end.
HtsRecords read_with_htslib(const std::string& path) {
    HtsRecords all;
    Owned<htsFile> file(hts_open(path.c_str(), "r"));
    if (!file || hts_get_format(file.get())->category != sequence_data) return {};
    all.header.reset(sam_hdr_read(file.get()));
    if (!all.header) return {};
    while (all.records.size() < kMostRecords) {
        Owned<bam1_t> record(bam_init1());
        const int status = sam_read1(file.get(), all.header.get(), record.get());
        if (status == -1) return all;
        if (status < -1) return {};
        all.records.push_back(std::move(record));
    }
    return all;
}

// False when htslib itself cannot write the records.
bool write_with_htslib(const HtsRecords& all, const std::string& path, const char* mode) {
    htsFile* file = hts_open(path.c_str(), mode);
    BOOST_TEST_REQUIRE(file != nullptr);
    bool ok = sam_hdr_write(file, all.header.get()) == 0;
    for (const auto& record : all.records) {
        ok = ok && sam_write1(file, all.header.get(), record.get()) >= 0;
    }
    return hts_close(file) == 0 && ok;
}

std::string shared_cases() {
    const char* shared = std::getenv("QBIX_SHARED");
    return std::string(shared ? shared : "../shared") + "/cases/files";
}

void check_binary(const HtsRecords& all, const DecodedBam& expected, Backend backend) {
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), render_header(all.header.get()),
                  {.backend = backend, .level = 1, .workers = 2});
    for (const auto& record : all.records) writer.write(*record);
    writer.close();
    const auto bam = decode_file(scratch.file("x.bam"));
    BOOST_TEST((bam.header == expected.header));
    BOOST_TEST((bam.records == expected.records));
    BOOST_TEST(bam.payload_sizes == expected.payload_sizes);  // the same rule for borders
}

void check_text(const std::string& sam_path, const DecodedBam& expected) {
    const Bytes sam = read_file(sam_path);
    const std::string_view text(reinterpret_cast<const char*>(sam.data()), sam.size());
    size_t header_end = 0;
    while (header_end < text.size() && text[header_end] == '@') {
        header_end = std::min(text.find('\n', header_end), text.size() - 1) + 1;
    }
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), BamHeader::from_bytes(expected.header), {.level = 1});
    writer.write_sam(text.substr(header_end));
    writer.close();
    BOOST_TEST((decode_file(scratch.file("x.bam")).records == expected.records));
}

void check_case(const std::string& path, int& n_checked, int& n_skipped) {
    const ScratchDir scratch;
    HtsRecords all = read_with_htslib(path);
    if (!all.header || !write_with_htslib(all, scratch.file("expected.bam"), "wb")) {
        ++n_skipped;
        return;
    }
    ++n_checked;
    BOOST_TEST_CONTEXT(path) {
        const auto expected = decode_file(scratch.file("expected.bam"));
        for (Backend backend : available_backends()) check_binary(all, expected, backend);
        // Text cannot say all that binary can (types of integers): read back what it says.
        const std::string sam = scratch.file("x.sam");
        if (!write_with_htslib(all, sam, "w")) return;
        const HtsRecords from_text = read_with_htslib(sam);
        if (!from_text.header) return;
        write_with_htslib(from_text, scratch.file("from_text.bam"), "wb");
        check_text(sam, decode_file(scratch.file("from_text.bam")));
    }
}

HtsRecords one_record(const std::string& sam_line) {
    HtsRecords all;
    all.header.reset(sam_hdr_parse(std::strlen(kHeaderText), kHeaderText));
    all.records.emplace_back(bam_init1());
    kstring_t line = KS_INITIALIZE;
    kputsn(sam_line.data(), sam_line.size(), &line);
    BOOST_TEST_REQUIRE(sam_parse1(&line, all.header.get(), all.records[0].get()) >= 0);
    ks_free(&line);
    return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_htslib)

BOOST_AUTO_TEST_CASE(shared_case_files) {
    const std::string dir = shared_cases();
    if (!std::filesystem::is_directory(dir)) {
        BOOST_TEST_MESSAGE("no " << dir << ": all case files skipped");
        return;
    }
    hts_set_log_level(HTS_LOG_OFF);
    int n_checked = 0, n_skipped = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir)) {
        const auto suffix = entry.path().extension();
        if (entry.is_regular_file() && (suffix == ".bam" || suffix == ".sam")) {
            check_case(entry.path(), n_checked, n_skipped);
        }
    }
    hts_set_log_level(HTS_LOG_WARNING);
    BOOST_TEST_MESSAGE(n_checked << " case files checked, " << n_skipped
                                 << " that htslib cannot copy skipped");
    BOOST_TEST(n_checked > 40);
}

BOOST_AUTO_TEST_CASE(cigar_of_more_than_65535_operations) {
    std::string cigar, seq, qual;
    for (int i = 0; i < 40000; ++i) cigar += "1M1I";
    seq.assign(80000, 'A');
    qual.assign(80000, 'I');
    const HtsRecords all = one_record("long\t0\tchr1\t100\t60\t" + cigar + "\t*\t0\t0\t" + seq +
                                      "\t" + qual + "\tNM:i:40000\tXZ:Z:after");
    const ScratchDir scratch;
    BOOST_TEST_REQUIRE(write_with_htslib(all, scratch.file("expected.bam"), "wb"));
    const auto expected = decode_file(scratch.file("expected.bam"));
    for (Backend backend : available_backends()) check_binary(all, expected, backend);
}

BOOST_AUTO_TEST_CASE(records_that_bam_cannot_hold) {
    HtsRecords all = one_record("r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*");
    bam1_t& record = *all.records[0];
    BOOST_TEST(bgzfw_bam1_size(&record) > 0u);
    record.core.pos = int64_t{1} << 31;
    BOOST_TEST(bgzfw_bam1_size(&record) == 0u);
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), test_header());
    BOOST_CHECK_THROW(writer.write(record), Error);
    record.core.pos = 0;
    record.core.isize = -(int64_t{1} << 31) - 1;
    BOOST_TEST(bgzfw_bam1_size(&record) == 0u);
}

BOOST_AUTO_TEST_CASE(sam_lines_of_all_endings) {
    const std::string a = "a\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\tNM:i:-1\tXA:A:c";
    const std::string b = "b\t0\tchr2\t7\t3\t2M\t=\t9\t-4\tNN\t*\tXB:B:s,-1,2\tXF:f:1.5";
    const ScratchDir scratch;
    std::vector<std::vector<Bytes>> results;
    for (const std::string& text : {a + "\n" + b + "\n", a + "\n" + b, a + "\r\n" + b + "\r\n"}) {
        Writer writer(scratch.file("x.bam"), test_header());
        writer.write_sam(text);
        writer.close();
        results.push_back(decode_file(scratch.file("x.bam")).records);
        BOOST_TEST(results.back().size() == 2u);
        BOOST_TEST((results.back() == results.front()));
    }
}

BOOST_AUTO_TEST_CASE(malformed_sam_is_an_error) {
    hts_set_log_level(HTS_LOG_OFF);
    for (const char* line : {"a\t4\t*", "a\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIII",
                             "a\t0\tchr1\t1\t0\t3M\t*\t0\t0\tACGT\tIIII", "nonsense"}) {
        const ScratchDir scratch;
        Writer writer(scratch.file("x.bam"), test_header());
        BOOST_CHECK_THROW(writer.write_sam(line), Error);
        BOOST_CHECK_THROW(writer.close(), Error);
    }
    hts_set_log_level(HTS_LOG_WARNING);
}

BOOST_AUTO_TEST_CASE(sam_text_where_references_are_only_in_the_binary_list) {
    const BamHeader header = test_header();
    Bytes bytes(header.bytes().begin(), header.bytes().end());
    const size_t l_text = header.text().size();
    bytes.erase(bytes.begin() + 8, bytes.begin() + 8 + static_cast<long>(l_text));
    put_u32(bytes, 4, 0);
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), BamHeader::from_bytes(bytes));
    writer.write_sam("b\t0\tchr2\t7\t3\t2M\t=\t9\t-4\tNN\t*\n");
    writer.close();
    const auto bam = decode_file(scratch.file("x.bam"));
    BOOST_TEST((bam.header == bytes));
    BOOST_TEST(load_u32(bam.records.at(0).data() + 4) == 1u);
}

BOOST_AUTO_TEST_CASE(header_that_nobody_filled) {
    const Owned<sam_hdr_t> header(sam_hdr_init());
    BOOST_TEST(render_header(header.get()).bytes().size() == 12u);
}

BOOST_AUTO_TEST_CASE(shared_thread_pool) {
    hts_tpool* pool = hts_tpool_init(3);
    const auto records = make_records(500, 5);
    {
        const ScratchDir scratch;
        Writer a(scratch.file("a.bam"), test_header(), {.level = 1, .htslib_pool = pool});
        Writer b(scratch.file("b.bam"), test_header(), {.level = 1, .htslib_pool = pool});
        BOOST_TEST((a.backend() == Backend::kHtslib));
        for (size_t i = 0; i < records.size(); ++i) {
            a.write_encoded(records[i]);
            b.write_encoded(records[i]);
        }
        a.close();
        b.close();
        BOOST_TEST((decode_file(scratch.file("a.bam")).records == records));
        BOOST_TEST((decode_file(scratch.file("b.bam")).records == records));
        BOOST_CHECK_THROW(Writer(scratch.file("c.bam"), test_header(),
                                 {.backend = Backend::kLibdeflate, .htslib_pool = pool}),
                          Error);
    }
    hts_tpool_destroy(pool);
}

BOOST_AUTO_TEST_SUITE_END()
