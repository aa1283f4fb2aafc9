// A file that appears whole or not at all.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "bam_maker.hpp"
#include "output_file.hpp"
#include "qbix/error.hpp"

using namespace qbix;
using namespace qbix::test;

namespace {

const std::vector<uint8_t> kBytes{1, 2, 3, 4};

size_t n_files(const TempDir& dir) {
    size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir / "")) ++n;
    return n;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(output_file)

BOOST_AUTO_TEST_CASE(commit_renames) {
    const TempDir dir;
    OutputFile file(dir / "x");
    file.write_at(2, kBytes);
    BOOST_TEST(!std::filesystem::exists(dir / "x"));
    file.commit();
    BOOST_TEST((read_file(dir / "x") == std::vector<uint8_t>{0, 0, 1, 2, 3, 4}));
    BOOST_TEST(n_files(dir) == 1U);
}

BOOST_AUTO_TEST_CASE(symbolic_links_are_followed) {
    namespace fs = std::filesystem;
    const TempDir dir;
    fs::create_directory(dir / "a");
    fs::create_directory(dir / "b");
    fs::create_symlink("../b/second", dir / "a/first");
    fs::create_symlink(dir / "real", dir / "b/second");
    for (int round = 0; round < 2; ++round) {  // the file is not there, and then is
        OutputFile file(dir / "a/first");
        file.write_at(0, kBytes);
        file.commit();
        BOOST_TEST(fs::is_symlink(dir / "a/first"));
        BOOST_TEST(fs::is_symlink(dir / "b/second"));
        BOOST_TEST(!fs::is_symlink(dir / "real"));
        BOOST_TEST((read_file(dir / "real") == kBytes));
    }
    fs::create_symlink("loop", dir / "loop");
    BOOST_CHECK_THROW(OutputFile(dir / "loop"), Error);
}

BOOST_AUTO_TEST_CASE(without_commit_nothing_is_left) {
    const TempDir dir;
    write_file(dir / "x", kBytes);
    { OutputFile(dir / "x").write_at(0, std::vector<uint8_t>{9}); }
    BOOST_TEST((read_file(dir / "x") == kBytes));
    BOOST_TEST(n_files(dir) == 1U);
}

BOOST_AUTO_TEST_CASE(the_permissions_follow_the_umask) {
    const TempDir dir;
    const mode_t old_mask = umask(027);
    OutputFile(dir / "x").commit();
    umask(old_mask);
    struct stat status;
    BOOST_REQUIRE(stat((dir / "x").c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0640U);
}

BOOST_AUTO_TEST_CASE(abandoned_files_are_removed_but_not_those_in_use) {
    const TempDir dir;
    write_file(dir / "x.tmp.abandn", kBytes);
    write_file(dir / "x.tmp.locked", kBytes);
    write_file(dir / "x.tmp.other-name", kBytes);
    write_file(dir / "y.tmp.abandn", kBytes);
    const UniqueFd locked(open((dir / "x.tmp.locked").c_str(), O_RDWR));
    BOOST_REQUIRE(flock(locked.get(), LOCK_EX) == 0);
    OutputFile(dir / "x").commit();
    BOOST_TEST(!std::filesystem::exists(dir / "x.tmp.abandn"));
    BOOST_TEST(std::filesystem::exists(dir / "x.tmp.locked"));
    BOOST_TEST(std::filesystem::exists(dir / "x.tmp.other-name"));
    BOOST_TEST(std::filesystem::exists(dir / "y.tmp.abandn"));
}

BOOST_AUTO_TEST_CASE(two_writers_of_one_path) {
    const TempDir dir;
    OutputFile first(dir / "x"), second(dir / "x");
    first.write_at(0, kBytes);
    second.write_at(0, std::vector<uint8_t>{7});
    first.commit();
    second.commit();
    BOOST_TEST((read_file(dir / "x") == std::vector<uint8_t>{7}));
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_replaced) {
    const TempDir dir;
    BOOST_CHECK_THROW(OutputFile("/dev/null"), Error);
    BOOST_CHECK_THROW(OutputFile(dir / ""), Error);
    BOOST_CHECK_THROW(OutputFile(dir / "missing/x"), Error);
    BOOST_REQUIRE(mkfifo((dir / "fifo").c_str(), 0600) == 0);
    BOOST_CHECK_THROW(OutputFile(dir / "fifo"), Error);
    BOOST_TEST(n_files(dir) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
