#include "plugins/block/layout.hpp"

#include "plugins/common/data.hpp"
#include "plugins/common/mapping.hpp"
#include "plugins/common/prng.hpp"
#include "plugins/common/size_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::block {

using common::size_text;

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{2} << 20;
constexpr std::uint32_t shaped_block_bytes = 4096;
constexpr std::uint64_t report_every_ns = 100'000'000;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

bool not_supported(int error) { return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL; }

// What happens to a target whose layout does not come to its end.
std::string undone(const Target& target) {
    if (target.created) return "; the file made for it is removed again";
    if (!target.block_device && target.present_bytes < target.needed_bytes)
        return fmt::format("; the file is cut back to its {}", size_text(target.present_bytes));
    return "";
}

// What to do where there is no room.
const char* remedy(int error) {
    if (error == EFBIG)
        return "; raise the limit on file sizes (ulimit -f), if the file system holds such a file, or use a smaller "
               "size";
    if (error == ETXTBSY) return "; it is in use as swap: swapoff it first, or name another file";
    return error == ENOSPC || error == EDQUOT ? "; free some space or use a smaller size" : "";
}

// Whether the file system has room for what the file does not hold yet. Where it does not say, yes.
bool fits(int fd, std::uint64_t bytes) {
    struct statvfs space {};
    struct stat file {};
    if (fstatvfs(fd, &space) != 0 || fstat(fd, &file) != 0) return true;
    const std::uint64_t held = static_cast<std::uint64_t>(file.st_blocks) * 512;
    const std::uint64_t blocks = geteuid() == 0 ? space.f_bfree : space.f_bavail;
    return bytes <= held || (bytes - held) / space.f_frsize <= blocks;
}

} // namespace

Layout::Layout(std::vector<Target>& targets, std::uint32_t workers, const common::DataShape& data)
    : targets_(targets), data_(data), salt_(common::data_salt()), running_(workers) {
    for (const Target& target : targets_)
        total_bytes_ += target.layout_end - target.layout_begin;
}

sdk::Status Layout::open() {
    for (Target& target : targets_) {
        const bool data = target.layout_end > target.layout_begin;
        if (!data && !target.reserve) continue;
        target.complete = false;
        if (target.reserve) {
            if (auto status = reserve(target); !status.ok()) return status;
            continue;
        }
        auto task = std::make_unique<Task>();
        task->target = &target;
        if (auto status = open_target(target, O_RDWR, task->plain); !status.ok()) return status;
        // Past the page cache where possible: else a buffered run would read its own layout from memory.
        (void)open_target(target, O_RDWR | O_DIRECT, task->direct);
        if (target.alignment)
            task->unit_bytes = std::max<std::uint64_t>(task->unit_bytes, target.alignment->offset_bytes);
        task->next_chunk = target.layout_begin / chunk_bytes;
        // Known beforehand, so that a layout that cannot end well does not fill the disk on its way there.
        if (!target.block_device && !fits(task->plain.get(), target.layout_end - target.layout_begin))
            return write_failed(*task, ENOSPC);
        // Contiguous space; the length stays, so that it never counts unwritten blocks.
        if (!target.block_device &&
            fallocate(task->plain.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(target.layout_begin),
                      static_cast<off_t>(target.layout_end - target.layout_begin)) != 0 &&
            !not_supported(errno))
            return write_failed(*task, errno);
        tasks_.push_back(std::move(task));
    }
    return {};
}

sdk::Status Layout::reserve(Target& target) {
    common::UniqueFd fd;
    if (auto status = open_target(target, O_RDWR, fd); !status.ok()) return status;
    const auto from = static_cast<off_t>(target.present_bytes);
    const auto end = static_cast<off_t>(target.needed_bytes);
    int error = fallocate(fd.get(), 0, from, end - from) == 0 ? 0 : errno;
    if (error != 0 && not_supported(error)) error = ftruncate(fd.get(), end) == 0 ? 0 : errno;
    if (error != 0)
        return {error == ENOSPC || error == EDQUOT || error == EFBIG ? ASSAY_RESOURCE : ASSAY_IO,
                fmt::format("target {}: {} cannot be reserved: {}{}{}", target.path,
                            size_text(target.needed_bytes - target.present_bytes), std::strerror(error), remedy(error),
                            undone(target))};
    target.complete = true;
    return {};
}

sdk::Status Layout::run(const sdk::Worker& worker, const sdk::Host& host) {
    sdk::Status status;
    for (const auto& task : tasks_) {
        if (broken_.load()) break;
        status = write_chunks(*task, worker, host);
        if (!status.ok()) broken_.store(true);
    }
    if (running_.fetch_sub(1) == 1) {
        sdk::Status end = broken_.load() ? sdk::Status() : finish(host);
        abandon();
        if (status.ok()) status = std::move(end);
    }
    return status;
}

sdk::Status Layout::write_chunks(Task& task, const sdk::Worker& worker, const sdk::Host& host) {
    const common::Mapping buffer = common::Mapping::allocate(chunk_bytes);
    if (buffer.data() == nullptr)
        return {ASSAY_RESOURCE, fmt::format("no memory for a layout buffer of {}", size_text(chunk_bytes))};
    const Target& target = *task.target;
    const std::uint64_t salt = common::derive_seed(salt_, worker.global_index());
    common::DataSource source(salt);
    common::ShapedData shaped(data_, salt, shaped_block_bytes);
    for (;;) {
        const std::uint64_t chunk = task.next_chunk.fetch_add(1);
        const std::uint64_t begin = std::max(chunk * chunk_bytes, target.layout_begin);
        const std::uint64_t end = std::min((chunk + 1) * chunk_bytes, target.layout_end);
        if (begin >= end) return {};
        if (worker.stopped())
            return {ASSAY_CANCELLED, fmt::format("target {}: layout was stopped{}", target.path, undone(target))};
        if (broken_.load()) return {};
        const auto data = buffer.span().first(end - begin);
        if (data_.plain())
            source.fill(data);
        else
            shaped.fill(data);
        // Direct I/O takes whole units; what is left at either end of the region goes through the page cache.
        const std::uint64_t inner_begin = std::min(round_up(begin, task.unit_bytes), end);
        const std::uint64_t inner_end = std::max(end / task.unit_bytes * task.unit_bytes, inner_begin);
        for (const auto& [from, to] : {std::pair{begin, inner_begin}, {inner_begin, inner_end}, {inner_end, end}}) {
            // The buffer's start is aligned, and what the data is does not depend on where: every piece may begin
            // there.
            if (auto status = write_range(task, data.first(to - from), from); !status.ok()) return status;
        }
        report(host, end - begin);
    }
}

sdk::Status Layout::write_range(const Task& task, std::span<const std::byte> data, std::uint64_t offset) {
    while (!data.empty()) {
        const bool whole = offset % task.unit_bytes == 0 && data.size() % task.unit_bytes == 0;
        const int fd = whole && task.direct.valid() ? task.direct.get() : task.plain.get();
        const ssize_t done = pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return write_failed(task, done < 0 ? errno : ENOSPC);
        offset += static_cast<std::uint64_t>(done);
        data = data.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

sdk::Status Layout::write_failed(const Task& task, int error) const {
    const Target& target = *task.target;
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return {full ? ASSAY_RESOURCE : ASSAY_IO,
            fmt::format("target {}: layout of {} failed after {}: {}{}{}", target.path,
                        size_text(target.layout_end - target.layout_begin), size_text(done_bytes_.load()),
                        std::strerror(error), remedy(error), undone(target))};
}

sdk::Status Layout::finish(const sdk::Host& host) {
    for (const auto& task : tasks_) {
        if (fsync(task->plain.get()) != 0) return write_failed(*task, errno);
        posix_fadvise(task->plain.get(), 0, 0, POSIX_FADV_DONTNEED);
        task->target->complete = true;
    }
    if (total_bytes_ > 0) host.progress(total_bytes_, total_bytes_);
    return {};
}

void Layout::abandon() {
    for (Target& target : targets_) {
        if (target.complete) continue;
        target.complete = true; // there is nothing left to take back
        common::UniqueFd fd;
        if (target.block_device || !open_target(target, O_RDWR, fd).ok()) continue;
        if (target.created)
            unlink(target.path.c_str());
        else if (target.present_bytes < target.needed_bytes &&
                 ftruncate(fd.get(), static_cast<off_t>(target.present_bytes)) != 0)
            continue; // the file keeps a longer tail than it had; there is nobody left to tell
    }
    tasks_.clear();
}

void Layout::report(const sdk::Host& host, std::uint64_t added_bytes) {
    const std::uint64_t done = done_bytes_.fetch_add(added_bytes) + added_bytes;
    const std::uint64_t now = assay_clock_monotonic_ns();
    std::uint64_t last = reported_at_ns_.load();
    if (now - last < report_every_ns || !reported_at_ns_.compare_exchange_strong(last, now)) return;
    host.progress(done, total_bytes_);
}

} // namespace assay::block
