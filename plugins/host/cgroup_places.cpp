#include "plugins/host/cgroup_places.hpp"

#include "plugins/host/labels.hpp"
#include "plugins/host/scan.hpp"

namespace assay::host {
namespace {

struct Mount {
    std::string root;    // the cgroup that is mounted, "/" unless a container sees a part
    std::string at;      // where
    std::string options; // of version 1: its controllers, among others
    bool unified = false;
};

bool has_item(std::string_view list, std::string_view item) {
    Scan scan(list);
    for (std::string_view each; scan.until(',', each);)
        if (each == item) return true;
    return scan.rest() == item;
}

// "33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime shared:5 - cgroup cgroup rw,cpu"
std::vector<Mount> cgroup_mounts(const Roots& roots, Buffer& buffer) {
    std::vector<Mount> mounts;
    const auto text = read_once(roots.proc + "/self/mountinfo", buffer);
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line);) {
        const std::size_t dash = line.find(" - cgroup");
        if (dash == std::string_view::npos) continue;
        Scan left(line);
        left.skip(3);
        Mount mount;
        mount.root = without_octal_escapes(left.word());
        mount.at = without_octal_escapes(left.word());
        Scan right(line.substr(dash + 3));
        mount.unified = right.word() == "cgroup2";
        right.skip();
        mount.options = right.word();
        constexpr std::string_view sys = "/sys/";
        if (mount.at.starts_with(sys)) mount.at = roots.sys + mount.at.substr(sys.size() - 1);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

// "/a" of "/a/b"; "" of "/a" and of what has no slash.
std::string parent(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

// Appends the group and all above it that this mount shows.
void add_levels(const Mount& mount, std::string_view controller, std::string_view name,
                std::vector<CgroupPlace>& places) {
    if (!name.starts_with('/')) return;
    std::string inside(name);
    if (mount.root != "/") {
        const bool below =
            name.starts_with(mount.root) && (name.size() == mount.root.size() || name[mount.root.size()] == '/');
        inside = below ? std::string(name.substr(mount.root.size())) : std::string();
    }
    if (inside.starts_with("/..")) inside.clear(); // outside of this cgroup namespace: only its root can be seen
    while (inside.ends_with('/'))
        inside.pop_back();
    std::string full(name);
    for (std::size_t level = 0; level < cgroup_levels_max; ++level) {
        places.push_back({std::string(controller), full.empty() ? "/" : full, mount.at + inside});
        if (inside.empty()) return;
        inside = parent(inside);
        full = parent(full);
    }
}

} // namespace

std::vector<CgroupPlace> cgroup_places(const Roots& roots, Buffer& buffer) {
    const std::vector<Mount> mounts = cgroup_mounts(roots, buffer);
    std::vector<CgroupPlace> places;
    const auto text = read_once(roots.proc + "/self/cgroup", buffer);
    Scan lines(text.value_or(std::string_view()));
    for (std::string_view line; lines.line(line);) { // "4:memory:/a/b", "0::/a/b"
        Scan scan(line);
        std::string_view number;
        std::string_view controllers;
        if (!scan.until(':', number) || !scan.until(':', controllers)) continue;
        const auto add = [&](std::string_view controller, bool unified) {
            for (const Mount& mount : mounts) {
                if (mount.unified != unified || (!unified && !has_item(mount.options, controller))) continue;
                return add_levels(mount, controller, scan.rest(), places);
            }
        };
        if (number == "0" && controllers.empty()) add("", true);
        for (const std::string_view controller : {"cpu", "cpuacct", "memory", "blkio"})
            if (has_item(controllers, controller)) add(controller, false);
    }
    return places;
}

} // namespace assay::host
