#include "plugins/common/aio_engine.hpp"

#include "plugins/common/kernel_memory.hpp"

#include <fmt/core.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::common {

namespace {

constexpr std::uint32_t setbacks_max = 10'000; // 1 s of 100 us
constexpr std::uint64_t ns_per_s = 1'000'000'000;

long aio_setup(std::uint32_t depth, aio_context_t* context) { return syscall(SYS_io_setup, depth, context); }
long aio_destroy(aio_context_t context) { return syscall(SYS_io_destroy, context); }
long aio_submit(aio_context_t context, std::uint32_t count, iocb** batch) {
    return syscall(SYS_io_submit, context, static_cast<long>(count), batch);
}
// UINT64_MAX: waits without end.
long aio_getevents(aio_context_t context, std::uint32_t least, std::uint32_t most, io_event* events,
                   std::uint64_t timeout_ns) {
    if (least == 0) timeout_ns = 0;
    timespec limit{static_cast<time_t>(timeout_ns / ns_per_s), static_cast<long>(timeout_ns % ns_per_s)};
    return syscall(SYS_io_getevents, context, static_cast<long>(least), static_cast<long>(most), events,
                   timeout_ns == UINT64_MAX ? nullptr : &limit);
}

sdk::Status refused(int error, std::uint32_t depth) {
    if (error == EAGAIN)
        return {ASSAY_RESOURCE,
                fmt::format("engine libaio: the kernel's limit on asynchronous requests is used up (io_setup for {}): "
                            "raise sysctl fs.aio-max-nr, lower queue_depth, or choose engine io_uring",
                            depth),
                "queue_depth"};
    const assay_status code = error == ENOSYS ? ASSAY_UNSUPPORTED : ASSAY_RESOURCE;
    return {code,
            fmt::format("engine libaio cannot be used here (io_setup: {}); choose engine io_uring or psync",
                        std::strerror(error)),
            "engine"};
}

} // namespace

AioEngine::~AioEngine() {
    if (context_ == 0) return;
    kernel_memory_about_to_unmap();
    aio_destroy(context_); // waits for what is in flight
}

sdk::Status AioEngine::probe() {
    aio_context_t context = 0;
    if (aio_setup(1, &context) != 0) return refused(errno, 1);
    aio_destroy(context);
    return {};
}

sdk::Status AioEngine::open(const AioSetup& setup, std::span<Request> requests) {
    if (aio_setup(setup.depth, &context_) != 0) return refused(errno, setup.depth);
    kernel_memory_mapped();
    sync_opcode_ = setup.sync_call == SyncCall::fdatasync ? IOCB_CMD_FDSYNC : IOCB_CMD_FSYNC;
    for (const int fd : setup.files)
        files_.push_back(static_cast<std::uint32_t>(fd));
    controls_.resize(requests.size());
    for (Request& request : requests)
        controls_[request.slot].aio_data = reinterpret_cast<std::uint64_t>(&request);
    waited_for_.resize(setup.depth);
    auto* ring = reinterpret_cast<Ring*>(context_);
    const bool known = ring->magic == ring_magic && ring->incompat_features == 0 && ring->header_length == sizeof(Ring);
    ring_ = known ? ring : nullptr;
    return {};
}

int AioEngine::submit_within(std::uint32_t wait_for, std::uint64_t timeout_ns) {
    std::uint32_t done = 0;
    while (done < queued_) {
        const long count = aio_submit(context_, queued_ - done, batch_ + done);
        if (count > 0) {
            done += static_cast<std::uint32_t>(count);
            continue;
        }
        const int error = count == 0 ? EAGAIN : errno;
        if (error == EINTR) continue;
        if (error != EAGAIN && error != ENOMEM) return -error;
        break;
    }
    in_kernel_ += done;
    submitted_last_ = done;
    if (done < queued_) {
        std::move(batch_ + done, batch_ + queued_, batch_);
        queued_ -= done;
        if (done != 0) setbacks_ = 0;
        if (in_kernel_ == 0) {
            if (++setbacks_ > setbacks_max) return -EAGAIN;
            const timespec pause{0, 100'000};
            nanosleep(&pause, nullptr);
            return 0;
        }
        wait_for = 1;
        timeout_ns = UINT64_MAX;
    } else {
        queued_ = 0;
    }
    return wait(std::min(wait_for, in_kernel_), timeout_ns);
}

std::uint32_t AioEngine::waiting_in_ring() const {
    const std::uint32_t tail = __atomic_load_n(&ring_->tail, __ATOMIC_ACQUIRE);
    const std::uint32_t head = ring_->head;
    return tail >= head ? tail - head : tail + ring_->nr - head;
}

int AioEngine::wait(std::uint32_t wait_for, std::uint64_t timeout_ns) {
    waited_last_ = ring_ == nullptr || (wait_for > 0 && waiting_in_ring() < wait_for);
    if (!waited_last_) return 0;
    const long count = aio_getevents(context_, wait_for, static_cast<std::uint32_t>(waited_for_.size()),
                                     waited_for_.data(), timeout_ns);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    waited_ = static_cast<std::uint32_t>(count);
    return 0;
}

} // namespace assay::common
