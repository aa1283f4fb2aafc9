// Name hashes: values of the reference implementation of XXH3-64, and where a QNAME ends.
#include <boost/test/unit_test.hpp>

#include <string>

#include "qbix/name_hash.hpp"

using qbix::hash_name;
using qbix::qname_of;

namespace {

std::string_view qname(const std::string& read_name) {
    return qname_of(reinterpret_cast<const uint8_t*>(read_name.data()),
                    static_cast<uint8_t>(read_name.size()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_name_hash)

BOOST_AUTO_TEST_CASE(known_values) {
    BOOST_TEST(hash_name("").value == 0x2d06800538d394c2);
    BOOST_TEST(hash_name("r").value == 0xbd7b38f7b4af0b35);
    BOOST_TEST(hash_name("read1").value == 0x9bf81d6b3e943563);
    BOOST_TEST(hash_name("ST-K00126:278:HFLC5BBXX:8:1101:23175:2439").value == 0x6527d2767454721f);
    BOOST_TEST(hash_name(std::string(129, 'q')).value == 0x348020316d0e37b5);
    BOOST_TEST(hash_name(std::string(240, 'q')).value == 0x778be05a7922288a);
    BOOST_TEST(hash_name(std::string(241, 'q')).value == 0xf476ea4d5d0cc656);
    BOOST_TEST(hash_name(std::string(254, 'q')).value == 0xaa396d0bfca5c0b3);
    BOOST_TEST(hash_name(std::string(255, 'q')).value == 0x9c2fc2a52ff048a7);
}

BOOST_AUTO_TEST_CASE(a_name_ends_at_its_first_nul_or_with_its_length) {
    using namespace std::string_literals;
    BOOST_TEST(qname("read1\0"s) == "read1");
    BOOST_TEST(qname("read1"s) == "read1");
    BOOST_TEST(qname("re\0d1\0"s) == "re");
    BOOST_TEST(qname("\0"s) == "");
    BOOST_TEST(qname(std::string(255, 'x')).size() == 255u);
    BOOST_TEST(qname("\xff\x80\0"s) == "\xff\x80");
}

BOOST_AUTO_TEST_SUITE_END()
