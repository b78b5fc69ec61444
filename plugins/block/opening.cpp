// The opening of targets: what prepare() does before any phase runs. Control thread.
#include "plugins/block/trim.hpp"
#include "plugins/block/workload.hpp"
#include "plugins/common/aio_engine.hpp"
#include "plugins/common/uring_engine.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::block {

sdk::Status BlockWorkload::prepare() {
    if (auto status = probe_engine(); !status.ok()) return status;
    raise_file_limit();
    if (auto status = create_missing(); !status.ok()) return status;
    for (const Target& target : targets_) {
        const bool writes = config_.writes() || target.layout_end > target.layout_begin;
        if (!target.block_device || !writes) continue;
        // Holds off mounts and other exclusive users until we are done.
        if (auto status = open_target(target, O_RDWR | O_EXCL, guards_.emplace_back()); !status.ok()) return status;
    }
    if (auto status = layout_->open(); !status.ok()) return status;
    if (config_.trims())
        for (const Target& target : targets_)
            if (auto status = probe_trim(target, config_); !status.ok()) return status;
    for (Seat& seat : seats_)
        if (auto status = open_seat(seat); !status.ok()) return status;
    report_facts();
    return {};
}

sdk::Status BlockWorkload::probe_engine() const {
    switch (config_.engine_in_force()) {
        case Engine::io_uring:
            return common::UringEngine::probe(config_.poll);
        case Engine::libaio:
            return common::AioEngine::probe();
        case Engine::psync:
            break;
    }
    return {};
}

// Every worker opens its targets itself, so that threads share no file position or reference count.
void BlockWorkload::raise_file_limit() const {
    std::size_t wanted = 256;
    for (const Seat& seat : seats_)
        wanted += seat.parts.size() + 2;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit); // if it is not enough, opening says so
}

sdk::Status BlockWorkload::create_missing() {
    for (Target& target : targets_) {
        if (target.exists) continue;
        const common::UniqueFd fd(open(target.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
        if (!fd.valid()) {
            const int error = errno;
            const assay_status code = error == EACCES || error == EPERM || error == EROFS     ? ASSAY_PERMISSION
                                      : error == ENOSPC || error == EDQUOT || error == EMFILE ? ASSAY_RESOURCE
                                                                                              : ASSAY_IO;
            return {code, fmt::format("target {}: cannot be created: {}{}", target.path, std::strerror(error),
                                      error == EMFILE ? "; raise the limit (ulimit -n)" : "")};
        }
        target.created = true;
        target.complete = false;
        struct stat info {};
        if (fstat(fd.get(), &info) != 0)
            return {ASSAY_IO, fmt::format("target {}: {}", target.path, std::strerror(errno))};
        target.identity = {info.st_dev, info.st_ino};
        if (!config_.direct) continue;
        target.alignment = direct_alignment(target);
        if (auto status = check_alignment(target, config_); !status.ok()) return status;
    }
    return {};
}

sdk::Status BlockWorkload::open_seat(Seat& seat) const {
    const int access = config_.writes() ? config_.reads() ? O_RDWR : O_WRONLY : O_RDONLY;
    for (const WorkerPart& mine : seat.parts) {
        const Target& target = targets_[mine.target];
        common::UniqueFd& fd = seat.fds.emplace_back();
        // Updating access times would cost about 15 ns a read, and they are not what is measured; fio does the same.
        const int durable = config_.sync_writes == SyncWrites::sync    ? O_SYNC
                            : config_.sync_writes == SyncWrites::dsync ? O_DSYNC
                                                                       : 0;
        const int flags = access | O_NOATIME | (config_.direct ? O_DIRECT : 0) | (config_.writes() ? durable : 0);
        if (auto status = open_target(target, flags, fd); !status.ok()) return status;
        // A buffered run starts without what happens to be cached of its region, and says in which order it comes: else
        // the kernel reads ahead of random requests, and half of them find their data in memory. fio does the same.
        if (!config_.direct) {
            const auto offset = static_cast<off_t>(target.offset_bytes);
            const auto length = static_cast<off_t>(target.length_bytes);
            posix_fadvise(fd.get(), offset, length, POSIX_FADV_DONTNEED);
            posix_fadvise(fd.get(), offset, length, config_.random() ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
        }
        seat.files.push_back(fd.get());
        seat.names.push_back(target.path);
        seat.devices.push_back(target.block_device ? 1 : 0);
        seat.extents.push_back(mine.part);
    }
    return {};
}

sdk::Status BlockWorkload::unlink_targets() const {
    for (const Target& target : targets_) {
        if (target.block_device) continue;
        common::UniqueFd fd;
        // Only what was measured: a file that has taken the name since stays.
        if (auto status = open_target(target, O_RDONLY, fd); !status.ok()) return status;
        if (unlink(target.path.c_str()) != 0)
            return {ASSAY_IO, fmt::format("target {}: cannot be removed: {}", target.path, std::strerror(errno))};
    }
    return {};
}

} // namespace assay::block
