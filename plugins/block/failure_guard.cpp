#include "plugins/block/failure_guard.hpp"

#include "assay/abi/clock.h"
#include "plugins/common/size_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::block {

using common::size_text;

namespace {

const char* remedy(int error, const Config& config) {
    switch (error) {
        case 0:
            return "the target ends earlier than it did at the start";
        case EIO:
        case ENODEV:
        case ENXIO:
        case ESHUTDOWN:
            return "the device may be gone or broken: see the kernel's log (dmesg)";
        case EINVAL:
            return config.direct ? "the target may need another alignment for direct I/O: try a block_size of 4KiB, or "
                                   "direct no"
                                 : "the target does not take such requests";
        case EOPNOTSUPP:
            return config.poll == common::UringPoll::iopoll
                       ? "the device has no polled queues (for NVMe: nvme.poll_queues=N at boot); use poll none"
                       : "the target does not support this operation";
        case ENOSPC:
        case EDQUOT:
            return "there is no space left for what is written; use layout always to find that out first";
        case EFBIG:
            return "the limit on file sizes (ulimit -f), or the file system's largest file, is smaller: raise it, or "
                   "use "
                   "a smaller size";
        case ETXTBSY:
            return "it is in use as swap: swapoff it first, or name another target";
        default:
            return "see the kernel's log (dmesg)";
    }
}

} // namespace

void FailureGuard::failed(const common::Request& request, int error, std::uint64_t successes) {
    const std::uint64_t now = assay_clock_monotonic_ns();
    if (successes != successes_at_start_) {
        successes_at_start_ = successes;
        failures_ = 0;
        started_ns_ = now;
    }
    ++failures_;
    last_ = request;
    last_error_ = error;
    // A queue full of requests may fail at once after one hiccup: that alone is not the end.
    const bool for_long = now - started_ns_ >= failing_ns_max && failures_ > std::max(config_.slots(), 3u);
    gave_up_ = gave_up_ || failures_ >= failures_max || for_long;
}

bool FailureGuard::try_again(int error, std::uint64_t successes) {
    if (error != EAGAIN && error != EINTR) return false;
    if (successes != successes_at_again_) again_ = 0;
    successes_at_again_ = successes;
    return ++again_ <= again_max;
}

sdk::Status FailureGuard::status(std::uint64_t successes) const {
    if (!gave_up_ && (successes > 0 || failures_ == 0)) return {};
    static constexpr const char* verbs[] = {"read", "write", "sync call", "trim"};
    return {last_error_ == EOPNOTSUPP ? ASSAY_UNSUPPORTED : ASSAY_IO,
            fmt::format("target {}: all of the last {} requests failed; the last was a {} at offset {}: {}; {}",
                        names_[last_.part], failures_, verbs[static_cast<std::size_t>(last_.direction)],
                        size_text(last_.offset_bytes),
                        last_error_ == 0 ? "fewer bytes than asked for" : std::strerror(last_error_),
                        remedy(last_error_, config_)),
            last_error_ == EOPNOTSUPP && config_.poll == common::UringPoll::iopoll ? "poll" : ""};
}

} // namespace assay::block
