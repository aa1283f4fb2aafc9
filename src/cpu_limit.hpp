// cpu_limit.hpp: how many CPUs this process may keep busy.
#pragma once

#include <string>

namespace qbix::cli {

// The CPUs of the affinity mask, lowered by the CPU quota of the control group (version 2
// or 1) and of the groups above it, rounded up; at least 1. The paths are where /proc and
// /sys are mounted.
int allowed_cpus(const std::string& proc = "/proc", const std::string& sys = "/sys");

}  // namespace qbix::cli
