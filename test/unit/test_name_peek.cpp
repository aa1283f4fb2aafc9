// Names of records out of blocks that are inflated in part, against htslib; and what is no record.
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>

#include "bam_maker.hpp"
#include "name_peek.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

using namespace qbix;
using namespace qbix::test;

BOOST_AUTO_TEST_SUITE(test_name_peek)

BOOST_AUTO_TEST_CASE(names_are_those_of_htslib) {
    const TempDir dir;
    const std::string path = dir / "x.bam";
    BamMaker maker;
    for (int i = 0; i < 3000; ++i)
        maker.add(i % 100 == 0 ? std::string(254, 'x') : "read" + std::to_string(i),
                  i % 50 == 0 ? 3000 : 40);
    maker.write(path);
    NamePeek peek(path);
    size_t n_seen = 0;
    const auto rows = rows_by_htslib(path);
    for (const IndexRow& row : rows) {
        const auto qname = peek.qname_at(row.voffset);
        if (!qname) continue;  // over the end of a block
        ++n_seen;
        BOOST_TEST((hash_name(*qname) == row.hash));
    }
    BOOST_TEST(n_seen > rows.size() * 9 / 10);
}

BOOST_AUTO_TEST_CASE(no_record_is_no_name) {
    const TempDir dir;
    const std::string path = dir / "x.bam";
    BamMaker maker;
    for (int i = 0; i < 2000; ++i) maker.add("read" + std::to_string(i), 50);
    maker.write(path);
    auto bytes = read_file(path);
    NamePeek peek(path);
    BOOST_TEST(!peek.qname_at(VirtualOffset{bytes.size() << 16}));
    BOOST_TEST(!peek.qname_at(VirtualOffset{(bytes.size() - 28) << 16}));  // the EOF block
    BOOST_TEST(!peek.qname_at(VirtualOffset{7 << 16}));
    // Any place of any block: no crash, and mostly no name.
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) peek.qname_at(VirtualOffset{random() % 0xffff});
    // Damaged blocks: an answer of some kind.
    for (int i = 0; i < 200; ++i) {
        auto damaged = bytes;
        damaged[18 + random() % (damaged.size() - 18)] ^= static_cast<uint8_t>(1 + random() % 255);
        damaged.resize(damaged.size() - random() % 2000);
        write_file(dir / "damaged.bam", damaged);
        NamePeek(dir / "damaged.bam").qname_at(VirtualOffset{random() % 0xffff});
    }
}

BOOST_AUTO_TEST_CASE(no_such_file) { BOOST_CHECK_THROW(NamePeek("/nosuch/x.bam"), Error); }

BOOST_AUTO_TEST_SUITE_END()
