#include "plugins/block/trim.hpp"

#include "plugins/common/size_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

namespace assay::block {

using common::size_text;

namespace {

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
    if (ioctl(fd.get(), BLKSSZGET, &logical) != 0) return {};
    const auto unit = static_cast<std::uint64_t>(logical);
    if (config.block_bytes % unit == 0 && config.offset_bytes % unit == 0) return {};
    const bool size = config.block_bytes % unit != 0;
    return {ASSAY_INVALID_OPTION,
            fmt::format("target {}: {} {} is no multiple of {}, the device's logical block, in which it discards",
                        target.path, size ? config.size_option() : "offset",
                        size_text(size ? config.block_bytes : config.offset_bytes), size_text(unit)),
            size ? config.size_option() : "offset"};
}

} // namespace

sdk::Status probe_trim(const Target& target, const Config& config) {
    if (target.block_device) return probe_device(target, config);
    common::UniqueFd fd;
    if (auto status = open_target(target, O_WRONLY, fd); !status.ok()) return status;
    // A hole behind the end changes nothing, but tells whether the file system knows holes.
    const auto end = static_cast<off_t>((std::max(target.present_bytes, target.needed_bytes) + 4095) / 4096 * 4096);
    if (fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end, 4096) == 0) return {};
    const int error = errno;
    return {error == EOPNOTSUPP || error == ENOSYS ? ASSAY_UNSUPPORTED : ASSAY_IO,
            fmt::format("target {}: its file system punches no holes into files ({}); pattern {} needs one that does, "
                        "such as ext4, xfs or tmpfs",
                        target.path, std::strerror(error), config.pattern_name()),
            "pattern"};
}

} // namespace assay::block
