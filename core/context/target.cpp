#include "core/context/target.hpp"

#include "core/context/block_device.hpp"
#include "core/context/facts.hpp"
#include "core/context/file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace assay {
namespace {

using context::BlockDevice;
using context::Facts;
namespace fs = std::filesystem;

// `path` with its links followed as far as anything exists: a link to nothing leads to where that would be made.
fs::path followed(const std::string& path) {
    constexpr int max_links = 40; // as the kernel
    std::error_code error;
    fs::path at = fs::absolute(path, error);
    for (int links = 0; links < max_links; ++links) {
        const fs::path real = fs::canonical(at, error);
        if (!error) return real;
        const fs::path link = fs::read_symlink(at, error);
        if (error) break;
        at = at.parent_path() / link; // an absolute link replaces what is in front of it
    }
    return at.lexically_normal();
}

// What exists of it: itself, or the closest directory above.
fs::path existing(fs::path path) {
    std::error_code error;
    while (!fs::exists(path, error) && path.has_relative_path())
        path = path.parent_path();
    return path;
}

std::string kind_of(mode_t mode) {
    if (S_ISREG(mode)) return "regular file";
    if (S_ISDIR(mode)) return "directory";
    if (S_ISBLK(mode)) return "block device";
    if (S_ISCHR(mode)) return "character device";
    if (S_ISFIFO(mode)) return "pipe";
    if (S_ISSOCK(mode)) return "socket";
    return "unknown";
}

void add_path_facts(Facts& facts, const fs::path& wanted, const fs::path& found, const struct statx& status) {
    facts.text("path", wanted.string(), "realpath");
    if (wanted != found) {
        facts.text("target_kind", "missing", "statx");
        facts.text("decided_by", found.string(), "statx");
        return;
    }
    facts.text("target_kind", kind_of(status.stx_mode), "statx");
    if (!S_ISREG(status.stx_mode)) return;
    facts.integer("file_size_bytes", static_cast<std::int64_t>(status.stx_size), "B", "statx");
    facts.integer("file_allocated_bytes", static_cast<std::int64_t>(status.stx_blocks * 512), "B", "statx");
}

void add_direct_io_facts(Facts& facts, const struct statx& status) {
#ifdef STATX_DIOALIGN
    if ((status.stx_mask & STATX_DIOALIGN) == 0) return;
    facts.flag("direct_io_supported", status.stx_dio_offset_align != 0, "statx");
    if (status.stx_dio_offset_align == 0) return;
    facts.integer("direct_io_memory_alignment_bytes", status.stx_dio_mem_align, "B", "statx");
    facts.integer("direct_io_offset_alignment_bytes", status.stx_dio_offset_align, "B", "statx");
#else
    static_cast<void>(facts);
    static_cast<void>(status);
#endif
}

void add_devices(const std::vector<BlockDevice>& devices, Facts& facts, TargetContext& target) {
    for (const BlockDevice& device : devices) {
        if (!context::counts_io(device)) {
            facts.text("devices_unknown_why",
                       device.disk + " does not count its I/O (queue/iostats is 0): echo 1 > /sys/block/" +
                           device.disk + "/queue/iostats",
                       "sysfs");
            target.devices.clear();
            return;
        }
        if (std::find(target.devices.begin(), target.devices.end(), device.disk) == target.devices.end())
            target.devices.push_back(device.disk);
    }
}

} // namespace

TargetContext target_context(const std::string& path) {
    TargetContext target;
    Facts facts;
    const fs::path wanted = followed(path);
    const fs::path found = existing(wanted);
    struct statx status {};
    unsigned mask = STATX_BASIC_STATS | STATX_MNT_ID;
#ifdef STATX_DIOALIGN
    mask |= STATX_DIOALIGN;
#endif
    if (::statx(AT_FDCWD, found.c_str(), 0, mask, &status) != 0) {
        facts.text("path", wanted.string(), "realpath");
        facts.text("devices_unknown_why",
                   fmt::format("{} cannot be examined: {}", found.string(), std::strerror(errno)), "statx");
        target.facts = facts.take();
        return target;
    }
    add_path_facts(facts, wanted, found, status);

    std::vector<BlockDevice> devices;
    std::string why;
    if (S_ISBLK(status.stx_mode)) {
        const dev_t number = makedev(status.stx_rdev_major, status.stx_rdev_minor);
        if (auto device = context::find_block_device(number))
            devices.push_back(*device);
        else
            why = fmt::format("/sys/dev/block has no {}:{}", major(number), minor(number));
    } else {
        const context::FileSystem file_system = context::file_system_of(found.string(), status);
        context::add_file_system_facts(facts, file_system);
        devices = file_system.devices;
        why = file_system.devices_unknown_why;
    }
    add_direct_io_facts(facts, status);
    facts.text("devices_unknown_why", why, "mountinfo");
    if (!devices.empty()) context::add_device_facts(facts, devices.front());
    add_devices(devices, facts, target);
    target.facts = facts.take();
    return target;
}

} // namespace assay
