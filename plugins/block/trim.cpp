#include "plugins/block/trim.hpp"

#include "plugins/common/size_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

namespace assay::block {

using common::size_text;

namespace {

constexpr std::uint64_t largest_file_system_block = 65536;

// A number of the device's queue; a partition has that of its disk.
std::optional<std::uint64_t> queue_number(dev_t device, const char* name) {
    const std::string base = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
    for (const char* up : {"/queue/", "/../queue/"}) {
        std::ifstream file(base + up + name);
        std::uint64_t value = 0;
        if (file >> value) return value;
    }
    return std::nullopt;
}

// `unit`: less than that is not given back.
sdk::Status check_unit(const Target& target, const Config& config, std::uint64_t unit, const char* what) {
    if (config.block_bytes % unit == 0 && config.offset_bytes % unit == 0) return {};
    const bool size = config.block_bytes % unit != 0;
    return {ASSAY_INVALID_OPTION,
            fmt::format("target {}: {} {} is no multiple of {}, {}: nothing smaller is given back by a trim",
                        target.path, size ? config.size_option() : "offset",
                        size_text(size ? config.block_bytes : config.offset_bytes), size_text(unit), what),
            size ? config.size_option() : "offset"};
}

sdk::Status probe_device(const Target& target, const Config& config) {
    if (queue_number(target.identity.device, "discard_max_bytes").value_or(1) == 0)
        return {ASSAY_UNSUPPORTED,
                fmt::format("target {}: this device cannot discard blocks (its queue/discard_max_bytes is 0); pattern "
                            "{} needs one that can",
                            target.path, config.pattern_name()),
                "pattern"};
    common::UniqueFd fd;
    if (auto status = open_target(target, O_RDONLY, fd); !status.ok()) return status;
    int logical = 512;
    if (ioctl(fd.get(), BLKSSZGET, &logical) != 0) logical = 512;
    // A device takes a discard of less than it keeps track of, and does nothing.
    const std::uint64_t tracked = queue_number(target.identity.device, "discard_granularity").value_or(0);
    const auto block = static_cast<std::uint64_t>(logical);
    if (tracked > block) return check_unit(target, config, tracked, "the device's discard granularity");
    return check_unit(target, config, block, "the device's logical block");
}

// A hole of less than a block of the file system is filled with zeros instead.
sdk::Status check_file(const Target& target, const Config& config, int fd) {
    struct statvfs info {};
    if (fstatvfs(fd, &info) != 0) return {};
    // More than that is what a network transfers at a time, not what is allocated.
    if (info.f_frsize == 0 || info.f_frsize > largest_file_system_block) return {};
    return check_unit(target, config, info.f_frsize, "its file system's block");
}

} // namespace

sdk::Status probe_trim(const Target& target, const Config& config) {
    if (target.block_device) return probe_device(target, config);
    common::UniqueFd fd;
    if (auto status = open_target(target, O_WRONLY, fd); !status.ok()) return status;
    // A hole behind the end changes nothing, but tells whether the file system knows holes.
    const auto end = static_cast<off_t>((std::max(target.present_bytes, target.needed_bytes) + 4095) / 4096 * 4096);
    if (fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end, 4096) == 0)
        return check_file(target, config, fd.get());
    const int error = errno;
    if (error == ETXTBSY)
        return {ASSAY_RESOURCE,
                fmt::format("target {}: is in use as swap; swapoff it first, or name another file", target.path)};
    return {error == EOPNOTSUPP || error == ENOSYS ? ASSAY_UNSUPPORTED : ASSAY_IO,
            fmt::format("target {}: its file system punches no holes into files ({}); pattern {} needs one that does, "
                        "such as ext4, xfs or tmpfs",
                        target.path, std::strerror(error), config.pattern_name()),
            "pattern"};
}

} // namespace assay::block
