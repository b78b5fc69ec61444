// The file system and mount that carry a path, and the block devices below, where there are any.
//
// Several kinds (btrfs, overlay, network) give their files an anonymous device number, so st_dev alone does not tell.
// Control thread.
#pragma once

#include "core/context/block_device.hpp"
#include "core/context/mounts.hpp"

#include <optional>
#include <string>
#include <vector>

struct statx;

namespace assay::context {

struct FileSystem {
    std::string path;           // the one it was asked for
    std::optional<Mount> mount; // none if it is not in this process's mount table
    std::vector<BlockDevice> devices;
    std::string devices_unknown_why; // where `devices` is empty
};

// `path` exists; `status` is of it, with STATX_MNT_ID if the kernel has it.
FileSystem file_system_of(const std::string& path, const struct statx& status);

// Which of `mounts` carries `path`, whose device is `device` and, from Linux 5.8 on, whose mount is `mount_id`.
const Mount* find_mount(const std::vector<Mount>& mounts, std::string_view path, dev_t device,
                        std::optional<std::uint64_t> mount_id);

// Why I/O on a file system of this type cannot be followed to a block device.
std::string why_no_device(const std::string& type);

void add_file_system_facts(Facts& facts, const FileSystem& file_system);

} // namespace assay::context
