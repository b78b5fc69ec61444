#include "plugins/block/target.hpp"

#include "plugins/common/size_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace assay::block {

using common::size_text;

namespace {

sdk::Status bad_target(const Target& target, const std::string& text) {
    return {ASSAY_INVALID_OPTION, "target " + target.path + ": " + text};
}

const char* special_kind(mode_t mode) {
    if (S_ISDIR(mode)) return "is a directory";
    if (S_ISFIFO(mode)) return "is a FIFO";
    if (S_ISCHR(mode)) return "is a character device";
    if (S_ISSOCK(mode)) return "is a socket";
    return "is no regular file";
}

sdk::Status check_access(const Target& target, int mode) {
    if (faccessat(AT_FDCWD, target.path.c_str(), mode, AT_EACCESS) == 0) return {};
    const char* wish = (mode & W_OK) != 0 ? (mode & R_OK) != 0 ? "read and written" : "written" : "read";
    return {ASSAY_PERMISSION, fmt::format("target {}: may not be {} by this user: {}; change its permissions or run as "
                                          "a user who may",
                                          target.path, wish, std::strerror(errno))};
}

sdk::Status device_length(Target& target) {
    common::UniqueFd fd;
    if (auto status = open_target(target, O_RDONLY, fd); !status.ok()) return status;
    std::uint64_t bytes = 0;
    if (ioctl(fd.get(), BLKGETSIZE64, &bytes) != 0)
        return {ASSAY_IO, fmt::format("target {}: its size cannot be read: {}", target.path, std::strerror(errno))};
    target.present_bytes = bytes;
    return {};
}

// A file that is not there yet: may it be created, and where?
sdk::Status check_creatable(const Target& target, const Config& config) {
    namespace fs = std::filesystem;
    struct stat link {};
    if (lstat(target.path.c_str(), &link) == 0)
        return bad_target(target, "is a symbolic link to something that does not exist; name the file itself");
    if (config.layout == LayoutRule::never)
        return {ASSAY_INVALID_OPTION,
                "target " + target.path +
                    ": does not exist, and layout never forbids creating it; use layout auto, or "
                    "name a file that exists",
                "layout"};
    const fs::path parent = fs::absolute(target.path).parent_path();
    struct stat info {};
    if (stat(parent.c_str(), &info) != 0)
        return bad_target(target, fmt::format("its directory {} cannot be used: {}; create it first", parent.string(),
                                              std::strerror(errno)));
    if (!S_ISDIR(info.st_mode))
        return bad_target(target, fmt::format("{} is no directory, so no file can be created in it", parent.string()));
    const std::string place = fs::weakly_canonical(parent).string() + "/";
    if (std::string_view(place).starts_with("/dev/") && !std::string_view(place).starts_with("/dev/shm/"))
        return bad_target(target, "there is no such device, and no file is created below /dev; check the name (lsblk)");
    if (!config.size_bytes)
        return {ASSAY_INVALID_OPTION,
                "target " + target.path +
                    ": does not exist, and without size it is not known how large to make it; "
                    "give size, for example 1GiB",
                "size"};
    if (faccessat(AT_FDCWD, parent.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        return {ASSAY_PERMISSION, fmt::format("target {}: this user may not create files in {}: {}", target.path,
                                              parent.string(), std::strerror(errno))};
    return {};
}

sdk::Status find_region(const Config& config, Target& target) {
    const std::uint64_t block = config.block_bytes;
    const std::uint64_t least = config.largest_block_bytes();
    target.offset_bytes = config.offset_bytes;
    if (!config.size_bytes) {
        const std::uint64_t left =
            target.present_bytes > config.offset_bytes ? target.present_bytes - config.offset_bytes : 0;
        if (left < least)
            return bad_target(
                target, fmt::format("is too small: it has {}, and from offset {} on there is no "
                                    "whole block of {}{}",
                                    size_text(target.present_bytes), size_text(config.offset_bytes), size_text(least),
                                    target.block_device ? "" : "; give size to extend it"));
        target.needed_bytes = target.present_bytes;
        target.length_bytes = left / block * block;
        return {};
    }
    if (*config.size_bytes < least)
        return {ASSAY_INVALID_OPTION,
                fmt::format("size {} is smaller than {} {}: at least one whole block is needed",
                            size_text(*config.size_bytes), config.size_option(), size_text(least)),
                "size"};
    target.needed_bytes = config.offset_bytes + *config.size_bytes;
    target.length_bytes = *config.size_bytes / block * block;
    if (target.needed_bytes <= target.present_bytes) return {};
    if (target.block_device)
        return {ASSAY_INVALID_OPTION,
                fmt::format("target {}: offset {} + size {} = {} lies beyond the device's end at {}", target.path,
                            size_text(config.offset_bytes), size_text(*config.size_bytes),
                            size_text(target.needed_bytes), size_text(target.present_bytes)),
                "size"};
    if (config.layout == LayoutRule::never)
        return {ASSAY_INVALID_OPTION,
                fmt::format("target {}: has {}, but offset {} + size {} = {} are asked for, and layout never "
                            "forbids extending it; use layout auto or a smaller size",
                            target.path, size_text(target.present_bytes), size_text(config.offset_bytes),
                            size_text(*config.size_bytes), size_text(target.needed_bytes)),
                "layout"};
    return {};
}

void plan_layout(const Config& config, Target& target) {
    if (config.layout == LayoutRule::always) {
        target.layout_begin = target.offset_bytes;
        target.layout_end = target.needed_bytes;
    } else if (target.present_bytes < target.needed_bytes) {
        target.reserve = !config.reads();
        if (!target.reserve) {
            target.layout_begin = std::max(target.present_bytes, target.offset_bytes);
            target.layout_end = target.needed_bytes;
        }
    }
}

} // namespace

sdk::Status inspect(const std::string& path, const Config& config, Target& target) {
    target.path = path;
    if (path.empty()) return {ASSAY_INVALID_OPTION, "a target is an empty name; give the path of a file or device"};
    struct stat info {};
    target.exists = stat(path.c_str(), &info) == 0;
    if (!target.exists) {
        if (errno == EACCES)
            return {ASSAY_PERMISSION, fmt::format("target {}: this user may not look into its directory: {}", path,
                                                  std::strerror(errno))};
        if (errno != ENOENT) return bad_target(target, std::string("cannot be used: ") + std::strerror(errno));
        if (auto status = check_creatable(target, config); !status.ok()) return status;
    } else if (S_ISBLK(info.st_mode)) {
        target.block_device = true;
        target.identity = {info.st_rdev, 0};
    } else if (S_ISREG(info.st_mode)) {
        target.identity = {info.st_dev, info.st_ino};
        target.present_bytes = static_cast<std::uint64_t>(info.st_size);
    } else {
        return bad_target(target, std::string(special_kind(info.st_mode)) +
                                      "; the block workload takes regular files and block devices");
    }
    if (target.block_device) {
        if (auto status = device_length(target); !status.ok()) return status;
    }
    if (auto status = find_region(config, target); !status.ok()) return status;
    plan_layout(config, target);
    if (!target.exists) return {};
    const bool writes = config.writes() || target.reserve || target.layout_end > target.layout_begin;
    if (auto status = check_access(target, (config.reads() ? R_OK : 0) | (writes ? W_OK : 0)); !status.ok())
        return status;
    if (!config.direct) return {};
    target.alignment = direct_alignment(target);
    return check_alignment(target, config);
}

sdk::Status check_duplicates(const std::vector<Target>& targets) {
    namespace fs = std::filesystem;
    for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Target& one = targets[i];
            const Target& other = targets[j];
            if (one.exists != other.exists) continue;
            std::error_code ignored;
            const bool same =
                one.exists ? one.identity == other.identity && one.block_device == other.block_device
                           : fs::weakly_canonical(one.path, ignored) == fs::weakly_canonical(other.path, ignored);
            if (same)
                return {ASSAY_INVALID_OPTION,
                        fmt::format("target {} is the same {} as target {}; name each target once", one.path,
                                    one.block_device ? "device" : "file", other.path)};
        }
    return {};
}

sdk::Status open_target(const Target& target, int flags, common::UniqueFd& fd) {
    // O_NONBLOCK only for the opening: a name that was swapped for a FIFO must not hold us up.
    common::UniqueFd opened(open(target.path.c_str(), flags | O_CLOEXEC | O_NONBLOCK));
    if (!opened.valid() && errno == EPERM && (flags & O_NOATIME) != 0)
        return open_target(target, flags & ~O_NOATIME, fd);
    if (!opened.valid()) {
        const int error = errno;
        const std::string start = "target " + target.path + ": ";
        switch (error) {
            case EINVAL:
                if ((flags & O_DIRECT) == 0) break;
                return {ASSAY_UNSUPPORTED, start + "its file system refuses direct I/O (O_DIRECT); use direct no",
                        "direct"};
            case EBUSY:
                return {ASSAY_RESOURCE,
                        start + "is in use: mounted, active as swap, part of a volume, or opened exclusively"};
            case ETXTBSY:
                return {ASSAY_RESOURCE, start + "is in use as swap, or a program that is running"};
            case EACCES:
            case EPERM:
            case EROFS:
                return {ASSAY_PERMISSION, start + "cannot be opened: " + std::strerror(error)};
            case EMFILE:
            case ENFILE:
                return {ASSAY_RESOURCE,
                        start + "too many open files; raise the limit (ulimit -n) or use fewer workers"};
            default:
                break;
        }
        return {ASSAY_IO, start + "cannot be opened: " + std::strerror(error)};
    }
    struct stat info {};
    if (fstat(opened.get(), &info) != 0) return {ASSAY_IO, "target " + target.path + ": " + std::strerror(errno)};
    const Identity now = S_ISBLK(info.st_mode) ? Identity{info.st_rdev, 0} : Identity{info.st_dev, info.st_ino};
    if (S_ISBLK(info.st_mode) != target.block_device || !(now == target.identity))
        return {ASSAY_IO, "target " + target.path + ": is no longer the file that was checked; run again"};
    const int status_flags = fcntl(opened.get(), F_GETFL);
    fcntl(opened.get(), F_SETFL, status_flags & ~O_NONBLOCK); // it would turn into REQ_F_NOWAIT under io_uring
    fd = std::move(opened);
    return {};
}

std::optional<DirectAlignment> direct_alignment(const Target& target) {
    struct statx info {};
    if (statx(AT_FDCWD, target.path.c_str(), 0, STATX_DIOALIGN, &info) == 0 && (info.stx_mask & STATX_DIOALIGN) != 0)
        return DirectAlignment{info.stx_dio_mem_align, info.stx_dio_offset_align, "statx"};
    if (!target.block_device) return {};
    common::UniqueFd fd;
    int logical = 0;
    if (!open_target(target, O_RDONLY, fd).ok() || ioctl(fd.get(), BLKSSZGET, &logical) != 0) return {};
    return DirectAlignment{static_cast<std::uint32_t>(logical), static_cast<std::uint32_t>(logical), "BLKSSZGET"};
}

sdk::Status check_alignment(const Target& target, const Config& config) {
    if (!config.direct || !target.alignment) return {};
    const std::uint32_t unit = target.alignment->offset_bytes;
    if (unit == 0)
        return {ASSAY_UNSUPPORTED, "target " + target.path + ": does not support direct I/O; use direct no", "direct"};
    const auto misfit = [&](const char* key, std::uint64_t value) {
        return sdk::Status(ASSAY_INVALID_OPTION,
                           fmt::format("target {}: {} {} is no multiple of {}, the unit that direct I/O on it "
                                       "needs; use such a multiple, or direct no",
                                       target.path, key, size_text(value), size_text(unit)),
                           key);
    };
    if (config.block_bytes % unit != 0) return misfit(config.size_option(), config.block_bytes);
    if (config.offset_bytes % unit != 0) return misfit("offset", config.offset_bytes);
    return {};
}

} // namespace assay::block
