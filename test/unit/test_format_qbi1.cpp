// The bytes of QBI1, against a file written by hand from qbi(5).
#include <boost/test/unit_test.hpp>

#include "format_qbi1.hpp"
#include "qbi_fixtures.hpp"
#include "qbix/error.hpp"

using namespace qbi_test;
using qbix::Error;
using qbix::ErrorCode;
using qbix::QbiIndex;
namespace qbi1 = qbix::qbi1;

namespace {

// Two records of one name, one of another.
const Bytes kFile = from_hex(
    "51424931"  // magic
    "3000"
    "1000"              // head and row size
    "0000000000000000"  // no stored names
    "0300000000000000"  // records
    "6502000000000000"  // size of the BAM
    "d2029649ffffff00"  // its modification time
    "efcdab8967452301"  // hash of its header
    "efbeadde00000000"
    "0000640000000000"
    "efbeadde00000000"
    "0100640000000000"
    "88776655443322ff"
    "ffff640100000000");

const std::vector<IndexRow> kRows = {
    {{0xdeadbeef}, {0x640000}}, {{0xdeadbeef}, {0x640001}}, {{0xff22334455667788}, {0x0164ffff}}};
constexpr BamIdentity kBam{0x265, 0x00ffffff499602d2, 0x0123456789abcdef};

ErrorCode refusal(const Bytes& bytes) {
    try {
        qbi1::decode_head(std::span(bytes).first(std::min(bytes.size(), qbi1::kHeadBytes)),
                          bytes.size(), "x.qbi");
    } catch (const Error& error) {
        BOOST_TEST(std::string(error.what()).find("\"x.qbi\"") != std::string::npos);
        return error.code();
    }
    BOOST_FAIL("accepted");
    return {};
}

Bytes changed(size_t place, uint8_t value) {
    Bytes bytes = kFile;
    bytes[place] = value;
    return bytes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_format_qbi1)

BOOST_AUTO_TEST_CASE(writes_and_reads_the_bytes_of_the_specification) {
    BOOST_TEST((encode_qbi(kRows, IndexFormat::kQbi1, 0, kBam) == kFile));
    const TempFile file(kFile);
    const QbiIndex index(file.path());
    BOOST_TEST((index.bam_identity() == kBam));
    BOOST_TEST(!index.unique_hash_count());
    BOOST_TEST((read_rows(index) == kRows));
    BOOST_TEST((index.find({0xdeadbeef}) == qbix::RowRange{0, 2}));
}

BOOST_AUTO_TEST_CASE(refuses_what_it_does_not_know) {
    BOOST_TEST((refusal(changed(3, '3')) == ErrorCode::kNotIndex));
    for (const size_t place : {4, 5, 6, 7, 8, 15}) {
        BOOST_TEST((refusal(changed(place, 0xee)) == ErrorCode::kNotIndex));
    }
}

BOOST_AUTO_TEST_CASE(refuses_counts_that_do_not_fit_the_file) {
    for (size_t place = 16; place < 24; ++place) {
        BOOST_TEST((refusal(changed(place, 0xff)) == ErrorCode::kBadIndex));
    }
    for (size_t n = 4; n < kFile.size(); ++n) {
        BOOST_TEST((refusal(Bytes(kFile.begin(), kFile.begin() + static_cast<ptrdiff_t>(n))) ==
                    ErrorCode::kBadIndex));
    }
}

BOOST_AUTO_TEST_CASE(sizes_do_not_overflow) {
    BOOST_TEST(qbi1::file_size_bytes(0).value() == 48u);
    BOOST_TEST(qbi1::file_size_bytes(1'000'000).value() == 16'000'048u);
    BOOST_TEST(!qbi1::file_size_bytes(UINT64_MAX / 16));
    BOOST_TEST(!qbi1::file_size_bytes(uint64_t{1} << 60));  // 16 N wraps to 0
    BOOST_CHECK_THROW(qbix::qbi1_size_bytes(UINT64_MAX), Error);
}

BOOST_AUTO_TEST_SUITE_END()
