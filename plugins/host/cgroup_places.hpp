// Finds the directories of the control groups that this process, and what it starts, lives under. Limits apply from
// every level up to the root, so each level is a place of its own. Slow path only.
#pragma once

#include "plugins/host/kernel_file.hpp"

#include <string>
#include <vector>

namespace assay::host {

struct CgroupPlace {
    std::string controller; // "cpu", "cpuacct", "memory", "blkio", ... of version 1; "" is the unified hierarchy (2)
    std::string name;       // "/system.slice/a.service", as /proc/self/cgroup says it
    std::string directory;
    bool operator==(const CgroupPlace&) const = default;
};

inline constexpr std::size_t cgroup_levels_max = 8;

// From the process's own group upwards; empty where no hierarchy is mounted.
std::vector<CgroupPlace> cgroup_places(const Roots& roots, Buffer& buffer);

} // namespace assay::host
