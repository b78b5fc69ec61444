#include "core/context/cgroup.hpp"

#include "core/base/text.hpp"
#include "core/context/facts.hpp"
#include "core/context/mounts.hpp"

#include <algorithm>
#include <string_view>

namespace assay::context {
namespace {

// One line of /proc/self/cgroup: "4:memory:/a/b", and "0::/a/b" for version 2.
struct Membership {
    std::vector<std::string_view> controllers;
    std::string path;
    bool v2 = false;
};

std::vector<Membership> parse_memberships(std::string_view text) {
    std::vector<Membership> memberships;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        memberships.push_back({split(controllers, ','), std::string(line.substr(second + 1)), controllers.empty()});
    }
    return memberships;
}

bool has(const std::vector<std::string_view>& list, std::string_view item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

// The directories from the process's group up to the one that is mounted.
std::vector<std::string> group_directories(const Membership& group, const Mount& mount, const std::string& root) {
    std::string below = group.path;
    // Inside a container the mount may show a subtree only, or the path may lie outside of what is mounted.
    const std::string prefix = mount.root == "/" ? "" : mount.root;
    if (below.starts_with(prefix) && (below.size() == prefix.size() || below[prefix.size()] == '/'))
        below.erase(0, prefix.size());
    else
        below.clear();
    while (below.ends_with('/'))
        below.pop_back();
    std::vector<std::string> directories;
    while (true) {
        directories.push_back(root + mount.mount_point + below);
        const std::size_t slash = below.rfind('/');
        if (slash == std::string::npos) return directories;
        below.erase(slash);
    }
}

template <class T>
void tighten(std::optional<Limit<T>>& limit, std::optional<T> value, const std::string& source) {
    if (value && (!limit || *value < limit->value)) limit = Limit<T>{*value, source};
}

std::optional<std::int64_t> memory_limit(const std::string& file) {
    // Version 1 has no word for "none": it stores the largest page-aligned count.
    constexpr std::int64_t no_limit = std::int64_t{1} << 60;
    const std::optional<std::int64_t> bytes = read_integer(file); // "max" is no integer
    return bytes && *bytes >= 0 && *bytes < no_limit ? bytes : std::nullopt;
}

std::optional<double> ratio(std::optional<std::int64_t> quota_us, std::optional<std::int64_t> period_us) {
    if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt; // v1: -1 is none
    return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<double> cpu_limit_v2(const std::string& file) {
    const std::string text = read_text(file, 128).value_or("");
    const std::vector<std::string_view> parts = split(text, ' '); // "50000 100000", "max 100000"
    return parts.size() == 2 ? ratio(to_integer(parts[0]), to_integer(parts[1])) : std::nullopt;
}

void note_io(std::vector<std::string>& io, const std::string& file) {
    constexpr std::size_t max_files = 32;
    const std::string text = read_text(file, 4096).value_or("");
    if (text.empty() || io.size() >= max_files) return;
    std::string line = file + ": " + text;
    std::replace(line.begin(), line.end(), '\n', ',');
    io.push_back(std::move(line));
}

void read_v2(const std::string& directory, CgroupLimits& limits) {
    for (const char* name : {"/memory.max", "/memory.high"})
        tighten(limits.memory_bytes, memory_limit(directory + name), directory + name);
    tighten(limits.cpus, cpu_limit_v2(directory + "/cpu.max"), directory + "/cpu.max");
    note_io(limits.io, directory + "/io.max");
}

void read_v1(const std::string& directory, const std::vector<std::string_view>& controllers, CgroupLimits& limits) {
    if (has(controllers, "memory")) {
        const std::string file = directory + "/memory.limit_in_bytes";
        tighten(limits.memory_bytes, memory_limit(file), file);
    }
    if (has(controllers, "cpu")) {
        const std::string file = directory + "/cpu.cfs_quota_us";
        tighten(limits.cpus, ratio(read_integer(file), read_integer(directory + "/cpu.cfs_period_us")), file);
    }
    if (has(controllers, "blkio")) {
        for (const char* name : {"read_bps", "write_bps", "read_iops", "write_iops"})
            note_io(limits.io, directory + "/blkio.throttle." + name + "_device");
    }
}

} // namespace

CgroupLimits cgroup_limits(const std::string& root) {
    CgroupLimits limits;
    const std::string text = read_text(root + "/proc/self/cgroup").value_or("");
    const std::vector<Mount> mounts = read_mounts(root);
    for (const Membership& group : parse_memberships(text)) {
        for (const Mount& mount : mounts) {
            const std::vector<std::string_view> mounted = split(mount.super_options, ',');
            const bool carries =
                group.v2 ? mount.type == "cgroup2"
                         : mount.type == "cgroup" && std::all_of(group.controllers.begin(), group.controllers.end(),
                                                                 [&](auto name) { return has(mounted, name); });
            if (!carries) continue;
            for (const std::string& directory : group_directories(group, mount, root)) {
                if (group.v2)
                    read_v2(directory, limits);
                else
                    read_v1(directory, group.controllers, limits);
            }
            break; // the same hierarchy may be mounted again elsewhere
        }
    }
    return limits;
}

} // namespace assay::context
