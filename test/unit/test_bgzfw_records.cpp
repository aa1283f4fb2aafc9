// test_bgzfw_records.cpp: checks of records and headers that come from outside.
#include <boost/test/unit_test.hpp>

#include "bgzfw_support.hpp"
#include "record_check.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

std::string refusal(const Bytes& record, uint32_t n_references = 2) {
    try {
        checked_record_size(record, n_references);
    } catch (const Error& e) {
        return e.code() == ErrorCode::kRecord ? e.what() : "wrong code";
    }
    return "";
}

std::string header_refusal(const std::string& text) {
    try {
        BamHeader::from_sam_text(text);
    } catch (const Error& e) {
        return e.code() == ErrorCode::kHeader ? e.what() : "wrong code";
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_records)

BOOST_AUTO_TEST_CASE(good_record) {
    const Bytes record = make_record("r", 100, 1);
    BOOST_TEST(checked_record_size(record, 0) == 100u);
    Bytes two = record;
    two.insert(two.end(), record.begin(), record.end());
    BOOST_TEST(checked_record_size(two, 0) == 100u);
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_record_is_refused) {
    const Bytes record = make_record("r", 100, 1);
    for (size_t n = 0; n < record.size(); ++n) {
        BOOST_TEST(refusal(Bytes(record.begin(), record.begin() + static_cast<long>(n))) != "");
    }
}

BOOST_AUTO_TEST_CASE(lengths_inside_against_block_size) {
    const Bytes good = make_record("r", 100, 1);
    const auto with = [&](size_t at, uint32_t value) {
        Bytes r = good;
        put_u32(r, at, value);
        return r;
    };
    BOOST_TEST(refusal(with(0, 20)) != "");          // shorter than the fixed fields
    BOOST_TEST(refusal(with(0, 0xffffffff)) != "");  // 4 GB
    BOOST_TEST(refusal(with(20, 1000)) != "");       // l_seq
    BOOST_TEST(refusal(with(20, 0x7fffffff)) != "");
    BOOST_TEST(refusal(with(20, 0xffffffff)) != "");
    Bytes r = good;
    r[16] = r[17] = 255;  // n_cigar_op
    BOOST_TEST(refusal(r) != "");
    r = good;
    r[12] = 0;  // l_read_name
    BOOST_TEST(refusal(r) != "");
    r[12] = 1;  // the name's end is not a NUL
    BOOST_TEST(refusal(r) != "");
}

BOOST_AUTO_TEST_CASE(references_against_the_header) {
    for (size_t at : {4, 24}) {
        for (uint32_t number : {0u, 1u, 0xffffffffu}) {
            Bytes r = make_record("r", 100, 1);
            put_u32(r, at, number);
            BOOST_TEST(refusal(r, 2) == "");
        }
        for (uint32_t number : {2u, 0xfffffffeu, 0x80000000u}) {
            Bytes r = make_record("r", 100, 1);
            put_u32(r, at, number);
            BOOST_TEST(refusal(r, 2) != "");
        }
    }
}

BOOST_AUTO_TEST_CASE(header_from_text) {
    const BamHeader header = test_header();
    BOOST_TEST(header.text() == kHeaderText);
    BOOST_TEST(header.n_references() == 2u);
    const Bytes expected = {2,    0, 0, 0, 5, 0, 0,   0,   'c', 'h', 'r', '1',  0,    0x40, 0x42,
                            0x0f, 0, 5, 0, 0, 0, 'c', 'h', 'r', '2', 0,   0x80, 0x84, 0x1e, 0};
    BOOST_TEST((Bytes(header.bytes().end() - 30, header.bytes().end()) == expected));
    BOOST_TEST((header.bytes()[0] == 'B' && header.bytes()[3] == 1));
}

BOOST_AUTO_TEST_CASE(header_text_variants) {
    BOOST_TEST(BamHeader::from_sam_text("").bytes().size() == 12u);
    BOOST_TEST(BamHeader::from_sam_text("@CO\tno newline").text() == "@CO\tno newline\n");
    BOOST_TEST(BamHeader::from_sam_text("@SQ\tLN:5\tSN:a\r\n").n_references() == 1u);
    BOOST_TEST(BamHeader::from_sam_text("@SQ\tSN:a\tLN:5000000000\n").n_references() == 1u);
    BOOST_TEST(BamHeader::from_sam_text(std::string("@CO\ta\n\0\0", 8)).text().size() == 8u);
    BOOST_TEST(header_refusal("read\t0\n") != "");
    BOOST_TEST(header_refusal("@SQ\tSN:a\n") != "");
    BOOST_TEST(header_refusal("@SQ\tLN:5\n") != "");
    BOOST_TEST(header_refusal("@SQ\tSN:a\tLN:\n") != "");
    BOOST_TEST(header_refusal("@SQ\tSN:a\tLN:5x\n") != "");
    BOOST_TEST(header_refusal("@SQ\tSN:a\tLN:-5\n") != "");
    BOOST_TEST(header_refusal("@CO\ta\n\n@CO\tb\n") != "");
}

BOOST_AUTO_TEST_CASE(header_from_bytes_is_kept_or_refused) {
    const BamHeader header = test_header();
    const Bytes bytes(header.bytes().begin(), header.bytes().end());
    const BamHeader same = BamHeader::from_bytes(bytes);
    BOOST_TEST((Bytes(same.bytes().begin(), same.bytes().end()) == bytes));
    BOOST_TEST(same.n_references() == 2u);
    for (size_t n = 0; n < bytes.size(); ++n) {
        BOOST_CHECK_THROW(BamHeader::from_bytes(std::span(bytes).first(n)), Error);
    }
    Bytes longer = bytes;
    longer.push_back(0);
    BOOST_CHECK_THROW(BamHeader::from_bytes(longer), Error);
    Bytes huge = bytes;
    put_u32(huge, 4, 0xffffffff);
    BOOST_CHECK_THROW(BamHeader::from_bytes(huge), Error);
}

BOOST_AUTO_TEST_CASE(bad_record_fails_the_writer_at_once_and_for_good) {
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), test_header());
    writer.write_encoded(make_record("good", 100, 1));
    Bytes bad = make_record("bad", 100, 1);
    bad.pop_back();
    BOOST_CHECK_THROW(writer.write_encoded(bad), Error);
    BOOST_CHECK_THROW(writer.write_encoded(make_record("good", 100, 1)), Error);
    BOOST_CHECK_THROW(writer.close(), Error);
    BOOST_TEST(decode_file(scratch.file("x.bam")).n_eof_blocks == 0);
}

BOOST_AUTO_TEST_SUITE_END()
