// The bytes of QBI2, against a file written by hand from qbi(5).
#include <boost/test/unit_test.hpp>

#include "format_qbi2.hpp"
#include "qbi_fixtures.hpp"
#include "qbix/error.hpp"

using namespace qbi_test;
using qbix::Error;
using qbix::ErrorCode;
using qbix::QbiIndex;
namespace qbi2 = qbix::qbi2;

namespace {

void append(Bytes& bytes, const char* hex) {
    const Bytes more = from_hex(hex);
    bytes.insert(bytes.end(), more.begin(), more.end());
}

void append_u64(Bytes& bytes, uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<uint8_t>(value >> shift));
}

// Two records of one name, one of each of two others; P = 8. Prefixes 0x00, 0x02, 0xff.
Bytes hand_made() {
    Bytes bytes;
    append(bytes,
           "51424932"
           "8000"
           "0000"
           "08"
           "07"
           "03"
           "01"
           "00000000");
    for (const uint64_t value : {4, 3}) append_u64(bytes, value);                   // N, K
    for (const uint64_t value : {0x265, 0x1234, 0x5678}) append_u64(bytes, value);  // the BAM
    append_u64(bytes, 0);                                                           // seed
    for (const uint64_t value : {128, 160, 168, 184, 2240}) append_u64(bytes, value);
    append_u64(bytes, 2240 + 3 * 7);  // file size
    append_u64(bytes, 257);
    append_u64(bytes, 2);
    for (const uint64_t voff : {0x640000, 0x640001, 0x660000, 0x0164ffff}) append_u64(bytes, voff);
    append_u64(bytes, 0b11101);  // rows 0, 2, 3 and the sentinel
    append_u64(bytes, 0);
    append_u64(bytes, 4);
    for (int prefix = 0; prefix <= 256; ++prefix) {
        append_u64(bytes, prefix <= 0 ? 0 : prefix <= 2 ? 1 : prefix <= 255 ? 2 : 3);
    }
    append(bytes,
           "efbeadde000000"
           "01000000000000"
           "88776655443322");
    return bytes;
}

const std::vector<IndexRow> kRows = {{{0xdeadbeef}, {0x640000}},
                                     {{0xdeadbeef}, {0x640001}},
                                     {{0x0200000000000001}, {0x660000}},
                                     {{0xff22334455667788}, {0x0164ffff}}};
constexpr BamIdentity kBam{0x265, 0x1234, 0x5678};

ErrorCode refusal(const Bytes& bytes) {
    const TempFile file(bytes);
    try {
        const QbiIndex index(file.path());
    } catch (const Error& error) {
        return error.code();
    }
    BOOST_FAIL("accepted");
    return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_format_qbi2)

BOOST_AUTO_TEST_CASE(writes_and_reads_the_bytes_of_the_specification) {
    BOOST_TEST((encode_qbi(kRows, IndexFormat::kQbi2, 8, kBam) == hand_made()));
    const TempFile file(hand_made());
    const QbiIndex index(file.path());
    index.validate();
    BOOST_TEST((index.bam_identity() == kBam));
    BOOST_TEST(index.unique_hash_count().value() == 3u);
    BOOST_TEST((read_rows(index) == kRows));
    BOOST_TEST((index.find({0xdeadbeef}) == qbix::RowRange{0, 2}));
    BOOST_TEST((index.find({0xff22334455667788}) == qbix::RowRange{3, 4}));
    BOOST_TEST(index.find({0xdeadbeee}).empty());
}

// Every bit of the head but those of the BAM's identity, which only the BAM can contradict.
BOOST_AUTO_TEST_CASE(no_flip_in_the_head_is_opened) {
    for (size_t place = 0; place < qbi2::kHeadBytes; ++place) {
        if (place >= 32 && place < 56) continue;
        for (int bit = 0; bit < 8; ++bit) {
            Bytes bytes = hand_made();
            bytes[place] ^= static_cast<uint8_t>(1 << bit);
            const ErrorCode code = refusal(bytes);
            BOOST_TEST((code == ErrorCode::kNotIndex || code == ErrorCode::kBadIndex));
        }
    }
}

BOOST_AUTO_TEST_CASE(no_flip_in_the_ends_of_the_directories_is_opened) {
    // Group bits from the sentinel on, first and last entries of rank and radix.
    for (const size_t place : {161, 167, 168, 175, 176, 183, 184, 191, 2232, 2239}) {
        Bytes bytes = hand_made();
        bytes[place] ^= 0x10;
        BOOST_TEST((refusal(bytes) == ErrorCode::kBadIndex));
    }
}

BOOST_AUTO_TEST_CASE(impossible_counts_make_no_layout) {
    BOOST_TEST(!qbi2::make_layout(3, 4, 8));  // more names than records
    BOOST_TEST(!qbi2::make_layout(3, 0, 8));  // records without a name
    BOOST_TEST(!qbi2::make_layout(0, 1, 16));
    for (const uint64_t n : {UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 - 16}) {
        BOOST_TEST(!qbi2::make_layout(n, n, 16));
    }
    BOOST_TEST(!qbi2::make_layout(uint64_t{1} << 61, 1, 16));  // 8 N wraps to 0
    BOOST_CHECK_THROW(qbix::qbi2_size_bytes(1, 2, 8), Error);
}

BOOST_AUTO_TEST_CASE(sizes_and_the_choice_of_radix_bits) {
    BOOST_TEST(qbix::qbi2_size_bytes(0, 0, 8) == 2208u);
    BOOST_TEST(qbix::qbi2_size_bytes(0, 0, 16) == 524448u);
    BOOST_TEST(qbi2::default_radix_bits(522'240) == 8);
    BOOST_TEST(qbi2::default_radix_bits(522'241) == 16);
    BOOST_TEST(qbix::qbi2_size_bytes(522'240, 522'240, 8) ==
               qbix::qbi2_size_bytes(522'240, 522'240, 16));
}

BOOST_AUTO_TEST_SUITE_END()
