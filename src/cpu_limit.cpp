#include "cpu_limit.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>
#include <thread>

namespace qbix::cli {
namespace {

int affinity_cpus() {
#ifdef __linux__
    // The kernel refuses a set smaller than its own; large machines need more than CPU_SETSIZE.
    for (size_t n = CPU_SETSIZE; n <= size_t{1} << 20; n *= 2) {
        cpu_set_t* set = CPU_ALLOC(n);
        bool is_read = set && sched_getaffinity(0, CPU_ALLOC_SIZE(n), set) == 0;
        int count = is_read ? CPU_COUNT_S(CPU_ALLOC_SIZE(n), set) : 0;
        CPU_FREE(set);
        if (is_read) return std::max(count, 1);
    }
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int cpus_of_quota(double quota_us, double period_us, int cpus) {
    if (quota_us <= 0 || period_us <= 0) return cpus;
    return std::clamp(static_cast<int>(std::ceil(quota_us / period_us)), 1, cpus);
}

// "max 100000" or "200000 100000".
int limited_by_v2(const std::string& group_dir, int cpus) {
    std::ifstream file(group_dir + "/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max") return cpus;
    return cpus_of_quota(std::strtod(quota.c_str(), nullptr), period, cpus);
}

int limited_by_v1(const std::string& group_dir, int cpus) {
    std::ifstream quota_file(group_dir + "/cpu.cfs_quota_us");
    std::ifstream period_file(group_dir + "/cpu.cfs_period_us");
    double quota = 0, period = 0;
    if (!(quota_file >> quota) || !(period_file >> period)) return cpus;
    return cpus_of_quota(quota, period, cpus);
}

// Applies `limit` to the group and to those above it. In a container the path may be that
// of the host and not exist; the root then holds the container's own limit.
template <class Limit>
int limited_by_tree(const std::string& root, std::string group, int cpus, Limit limit) {
    for (;;) {
        cpus = limit(root + group, cpus);
        if (group.empty() || group == "/") return cpus;
        group.resize(group.rfind('/'));
    }
}

bool has_cpu_controller(std::string_view controllers) {
    for (;;) {
        size_t comma = controllers.find(',');
        if (controllers.substr(0, comma) == "cpu") return true;
        if (comma == std::string_view::npos) return false;
        controllers.remove_prefix(comma + 1);
    }
}

}  // namespace

int allowed_cpus(const std::string& proc, const std::string& sys) {
    int cpus = affinity_cpus();
    std::ifstream groups(proc + "/self/cgroup");
    // Lines are "ID:CONTROLLERS:PATH"; version 2 has no controllers.
    for (std::string line; std::getline(groups, line);) {
        size_t first = line.find(':');
        size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos || line[second + 1] != '/') continue;
        std::string controllers = line.substr(first + 1, second - first - 1);
        std::string group = line.substr(second + 1);
        if (controllers.empty())
            cpus = limited_by_tree(sys + "/fs/cgroup", group, cpus, limited_by_v2);
        else if (has_cpu_controller(controllers))
            cpus = limited_by_tree(sys + "/fs/cgroup/" + controllers, group, cpus, limited_by_v1);
    }
    return cpus;
}

}  // namespace qbix::cli
