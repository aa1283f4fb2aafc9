// Where an index is looked for.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bam_maker.hpp"
#include "qbix/index_path.hpp"

using namespace qbix;

namespace {

void check_candidates(const std::string& path, const std::vector<std::string>& want) {
    BOOST_TEST_CONTEXT(path) {
        BOOST_TEST(index_path_candidates(path) == want, boost::test_tools::per_element());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_index_path)

BOOST_AUTO_TEST_CASE(candidates) {
    check_candidates("x.bam", {"x.bam.qbx", "x.qbx", "x.bam.qbi", "x.qbi"});
    check_candidates("d.bam/x", {"d.bam/x.qbx", "d.bam/x.qbi"});
    check_candidates("d.bam/x.bam",
                     {"d.bam/x.bam.qbx", "d.bam/x.qbx", "d.bam/x.bam.qbi", "d.bam/x.qbi"});
    check_candidates("x.cram", {"x.cram.qbx", "x.cram.qbi"});
    check_candidates("a?b.bam", {"a?b.bam.qbx", "a?b.qbx", "a?b.bam.qbi", "a?b.qbi"});
    check_candidates("x.bam.bam", {"x.bam.bam.qbx", "x.bam.qbx", "x.bam.bam.qbi", "x.bam.qbi"});
    check_candidates("http://h/x.bam", {"http://h/x.bam.qbx", "http://h/x.qbx",
                                        "http://h/x.bam.qbi", "http://h/x.qbi"});
    check_candidates("https://h/x.bam?a=1.bam&b#c",
                     {"https://h/x.bam.qbx?a=1.bam&b#c", "https://h/x.qbx?a=1.bam&b#c",
                      "https://h/x.bam.qbi?a=1.bam&b#c", "https://h/x.qbi?a=1.bam&b#c"});
    check_candidates("s3://bucket/x?sig", {"s3://bucket/x.qbx?sig", "s3://bucket/x.qbi?sig"});
}

BOOST_AUTO_TEST_CASE(urls) {
    BOOST_TEST(is_url("http://h/x"));
    BOOST_TEST(is_url("s3+https://h/x"));
    BOOST_TEST(!is_url("://x"));
    BOOST_TEST(!is_url("dir/a://b"));
    BOOST_TEST(!is_url("x.bam"));
    BOOST_TEST(!is_url(""));
}

BOOST_AUTO_TEST_CASE(first_that_exists) {
    test::TempDir dir;
    std::string bam = dir / "x.bam";
    BOOST_TEST(find_index_path(bam) == "");
    test::write_file(dir / "x.qbi", {});
    BOOST_TEST(find_index_path(bam) == dir / "x.qbi");
    test::write_file(dir / "x.bam.qbi", {});
    BOOST_TEST(find_index_path(bam) == dir / "x.bam.qbi");
    test::write_file(dir / "x.qbx", {});
    BOOST_TEST(find_index_path(bam) == dir / "x.qbx");
    test::write_file(dir / "x.bam.qbx", {});
    BOOST_TEST(find_index_path(bam) == dir / "x.bam.qbx");
}

BOOST_AUTO_TEST_CASE(remote_never_by_base_name) {
    test::TempDir dir;
    test::write_file(dir / "x.bam.qbi", {});
    std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(std::filesystem::path(dir / "x.bam").parent_path());
    BOOST_TEST(find_index_path("http://127.0.0.1:1/x.bam") == "");
    std::filesystem::current_path(before);
}

BOOST_AUTO_TEST_SUITE_END()
