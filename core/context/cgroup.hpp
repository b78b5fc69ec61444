// The limits that control groups set on this process, versions 1 and 2 alike, also where both are mounted.
//
// A limit anywhere between the process's group and the root binds, so the tightest of them counts. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::context {

template <class T>
struct Limit {
    T value;
    std::string source; // the file that sets it
};

struct CgroupLimits {
    std::optional<Limit<std::int64_t>> memory_bytes; // v2: the lower of memory.max and memory.high
    std::optional<Limit<double>> cpus;               // quota / period
    std::vector<std::string> io; // files that set an I/O limit, with their content: "…/io.max: 254:0 rbps=1048576"
};

// `root` stands in front of /proc and of every mount point.
CgroupLimits cgroup_limits(const std::string& root = {});

} // namespace assay::context
