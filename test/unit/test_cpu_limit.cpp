// CPU quotas of control groups, in trees of files that stand for /proc and /sys.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "bam_maker.hpp"
#include "cpu_limit.hpp"

using qbix::cli::allowed_cpus;

namespace {

struct Trees {
    qbix::test::TempDir dir;
    std::string proc = dir / "proc";
    std::string sys = dir / "sys";
    int all = allowed_cpus("/nonexistent", "/nonexistent");  // by affinity alone

    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << text;
    }
    int allowed() const { return allowed_cpus(proc, sys); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(test_cpu_limit)

BOOST_AUTO_TEST_CASE(no_groups) {
    Trees trees;
    BOOST_TEST(trees.all >= 1);
    BOOST_TEST(trees.allowed() == trees.all);
}

BOOST_AUTO_TEST_CASE(version_2) {
    Trees trees;
    trees.put(trees.proc + "/self/cgroup", "0::/a/b\n");
    BOOST_TEST(trees.allowed() == trees.all);  // no files
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "max 100000\n");
    BOOST_TEST(trees.allowed() == trees.all);
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "100000 100000\n");
    BOOST_TEST(trees.allowed() == 1);
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "1000 100000\n");
    BOOST_TEST(trees.allowed() == 1);
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "100001 100000\n");
    BOOST_TEST(trees.allowed() == std::min(2, trees.all));
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "90000000 100000\n");
    BOOST_TEST(trees.allowed() == std::min(900, trees.all));
}

BOOST_AUTO_TEST_CASE(version_2_limit_of_a_group_above) {
    Trees trees;
    trees.put(trees.proc + "/self/cgroup", "0::/a/b\n");
    trees.put(trees.sys + "/fs/cgroup/a/b/cpu.max", "max 100000\n");
    trees.put(trees.sys + "/fs/cgroup/a/cpu.max", "50000 100000\n");
    BOOST_TEST(trees.allowed() == 1);
}

BOOST_AUTO_TEST_CASE(version_2_container_root) {
    Trees trees;
    trees.put(trees.proc + "/self/cgroup", "0::/of/the/host\n");
    trees.put(trees.sys + "/fs/cgroup/cpu.max", "50000 100000\n");
    BOOST_TEST(trees.allowed() == 1);
}

BOOST_AUTO_TEST_CASE(version_1) {
    Trees trees;
    trees.put(trees.proc + "/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/j\n3:cpuset:/s\n");
    std::string group = trees.sys + "/fs/cgroup/cpu,cpuacct/j";
    trees.put(group + "/cpu.cfs_quota_us", "-1\n");
    trees.put(group + "/cpu.cfs_period_us", "100000\n");
    BOOST_TEST(trees.allowed() == trees.all);
    trees.put(group + "/cpu.cfs_quota_us", "100000\n");
    BOOST_TEST(trees.allowed() == 1);
}

BOOST_AUTO_TEST_CASE(odd_lines_are_ignored) {
    Trees trees;
    trees.put(trees.proc + "/self/cgroup", "\nx\n0::\n0::relative\n1:cpu\n:::\n");
    trees.put(trees.sys + "/fs/cgroup/cpu.max", "x y\n");
    BOOST_TEST(trees.allowed() == trees.all);
}

BOOST_AUTO_TEST_SUITE_END()
