#include "core/context/file_system.hpp"

#include "core/base/fd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

namespace assay::context {
namespace {

bool one_of(std::string_view type, std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

// A btrfs may lie on several devices; the kernel lists them below the file system's id.
std::vector<BlockDevice> btrfs_devices(const std::string& path) {
    std::vector<BlockDevice> devices;
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    btrfs_ioctl_fs_info_args info{};
    if (!fd.valid() || ::ioctl(fd.get(), BTRFS_IOC_FS_INFO, &info) != 0) return devices;
    std::string id;
    for (std::size_t at = 0; at < sizeof(info.fsid); ++at) {
        if (at == 4 || at == 6 || at == 8 || at == 10) id += '-';
        id += fmt::format("{:02x}", info.fsid[at]);
    }
    for (const std::string& name : list_directory("/sys/fs/btrfs/" + id + "/devices")) {
        std::optional<BlockDevice> device = find_block_device(name);
        if (!device) return {};
        devices.push_back(std::move(*device));
    }
    return devices.size() == info.num_devices ? devices : std::vector<BlockDevice>();
}

// Of `path` itself, or of the mount point where the user may not open the path.
std::vector<BlockDevice> devices_of(const FileSystem& file_system, dev_t device) {
    if (major(device) != 0) {
        if (const std::optional<BlockDevice> found = find_block_device(device)) return {*found};
        return {};
    }
    if (!file_system.mount || file_system.mount->type != "btrfs") return {};
    std::vector<BlockDevice> devices = btrfs_devices(file_system.path);
    return devices.empty() ? btrfs_devices(file_system.mount->mount_point) : devices;
}

bool carries(const Mount& mount, std::string_view path) {
    const std::string_view point = mount.mount_point == "/" ? std::string_view() : mount.mount_point;
    return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

} // namespace

const Mount* find_mount(const std::vector<Mount>& mounts, std::string_view path, dev_t device,
                        std::optional<std::uint64_t> mount_id) {
    if (mount_id) {
        const auto same = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& m) { return m.id == *mount_id; });
        return same == mounts.end() ? nullptr : &*same;
    }
    const Mount* best = nullptr; // the deepest; of two on one point the later hides the earlier
    for (const Mount& mount : mounts) {
        const bool deeper = best == nullptr || mount.mount_point.size() >= best->mount_point.size();
        if (carries(mount, path) && deeper && (major(device) == 0 || mount.device == device)) best = &mount;
    }
    return best;
}

std::string why_no_device(const std::string& type) {
    if (one_of(type, {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "shmem"}))
        return type + " keeps its files in memory, no block device is below";
    if (one_of(type, {"overlay", "aufs", "unionfs", "ecryptfs"}))
        return type + " passes I/O on to other file systems, whose devices cannot be told from the path";
    if (type.starts_with("nfs") || one_of(type, {"cifs", "smb3", "ceph", "9p", "virtiofs", "lustre", "gpfs", "afs",
                                                 "beegfs", "glusterfs", "orangefs", "pvfs2"}))
        return type + " is served by another machine or by the host, no local block device is below";
    if (type == "fuse" || type.starts_with("fuse."))
        return type + " is served by a program, which may read and write anywhere";
    if (type == "btrfs") return "the devices of this btrfs could not be listed (BTRFS_IOC_FS_INFO, /sys/fs/btrfs)";
    if (type == "zfs") return "zfs keeps its devices to itself; its pool's devices are not in the mount table";
    if (type.empty()) return "it is on no mount that this process can see";
    return type + " has no block device of its own";
}

FileSystem file_system_of(const std::string& path, const struct statx& status) {
    FileSystem file_system;
    file_system.path = path;
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    const std::vector<Mount> mounts = read_mounts();
    std::optional<std::uint64_t> mount_id;
    if ((status.stx_mask & STATX_MNT_ID) != 0) mount_id = status.stx_mnt_id;
    if (const Mount* mount = find_mount(mounts, path, device, mount_id)) file_system.mount = *mount;
    file_system.devices = devices_of(file_system, device);
    if (file_system.devices.empty())
        file_system.devices_unknown_why = why_no_device(file_system.mount ? file_system.mount->type : "");
    return file_system;
}

void add_file_system_facts(Facts& facts, const FileSystem& file_system) {
    constexpr const char* source = "/proc/self/mountinfo";
    if (file_system.mount) {
        const Mount& mount = *file_system.mount;
        facts.text("file_system", mount.type, source);
        if (mount.type == "zfs") facts.text_file("zfs_version", "/sys/module/zfs/version");
        facts.text("mount_point", mount.mount_point, source);
        facts.text("mount_source", mount.source, source);
        if (mount.root != "/") facts.text("mount_root", mount.root, source);
        facts.text("mount_options", mount.options, source);
        facts.text("file_system_options", mount.super_options, source);
    }
    struct statfs space {};
    if (::statfs(file_system.path.c_str(), &space) == 0) {
        const auto block = static_cast<std::int64_t>(space.f_frsize > 0 ? space.f_frsize : space.f_bsize);
        facts.text("file_system_magic", fmt::format("{:#x}", static_cast<std::uint32_t>(space.f_type)), "statfs");
        facts.integer("file_system_block_bytes", block, "B", "statfs");
        const auto add_blocks = [&](const char* key, std::uint64_t blocks) {
            std::int64_t bytes = 0;
            if (!__builtin_mul_overflow(blocks, block, &bytes)) facts.integer(key, bytes, "B", "statfs");
        };
        add_blocks("file_system_size_bytes", space.f_blocks);
        add_blocks("file_system_free_bytes", space.f_bavail);
    }
    if (file_system.devices.size() > 1) {
        std::string names;
        for (const BlockDevice& device : file_system.devices)
            names += (names.empty() ? "" : ", ") + device.name;
        facts.text("file_system_devices", names, "/sys/fs/btrfs");
    }
}

} // namespace assay::context
