// The measured loop of pread and pwrite: one request at a time. Hot.
//
// Two clock reads a request, so that a latency holds the call and nothing of the generator. Counters are published
// about every 100 us, and so with every request of a device slower than that.
#pragma once

#include "plugins/block/failure_guard.hpp"
#include "plugins/block/loop.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace assay::block {

constexpr std::uint64_t publish_every_ns = 100'000;

// The bare system call: the C library's pread is a cancellation point, which costs two locked instructions in a process
// with threads.
inline std::int64_t transfer(long number, int fd, const common::Request& request, std::uint64_t bytes) {
    for (;;) {
        const long done = syscall(number, fd, request.buffer, bytes, static_cast<off_t>(request.offset_bytes));
        if (done >= 0) [[likely]]
            return done;
        if (errno != EINTR) return -static_cast<std::int64_t>(errno);
    }
}

inline std::int64_t sync_file(int fd, common::SyncCall call) {
    return (call == common::SyncCall::fsync ? fsync(fd) : fdatasync(fd)) == 0 ? 0 : -static_cast<std::int64_t>(errno);
}

template <class Stream>
sdk::Status run_sync(const LoopSetup& setup, Stream stream, LoopReport& report) {
    const sdk::Worker worker = setup.worker;
    const sdk::Clock clock = worker.clock();
    const std::uint64_t block_bytes = setup.config.block_bytes;
    const int* const files = setup.files.data();
    Recorders<Stream> recorders(worker);
    LaneTime lane(worker);
    FailureGuard guard(setup.config, setup.names);
    common::Request request = setup.requests[0];
    std::uint64_t unpublished_ns = 0;
    std::uint64_t ended_at = clock.ticks();

    while (stream.more() && !worker.stopped() && !guard.gave_up()) {
        stream.next(request);
        const int fd = files[request.part];
        const std::uint64_t started_at = clock.ticks();
        const std::uint64_t generator_ns = clock.ns(ended_at, started_at);
        std::int64_t result = 0;
        if (Stream::syncs && request.direction == common::Direction::sync)
            result = sync_file(fd, setup.config.sync_call);
        else if (Stream::first == common::Direction::read &&
                 (!Stream::writes || request.direction == common::Direction::read))
            result = transfer(SYS_pread64, fd, request, block_bytes);
        else
            result = transfer(SYS_pwrite64, fd, request, block_bytes);
        ended_at = clock.ticks();
        const std::uint64_t latency_ns = clock.ns(started_at, ended_at);
        lane.generator(generator_ns);
        lane.in_flight(latency_ns, 1, 1);
        if (result == stream.expected(request)) [[likely]] {
            recorders.of(request).complete(latency_ns, static_cast<std::uint64_t>(result));
        } else {
            const int failure = result < 0 ? static_cast<int>(-result) : 0;
            recorders.of(request).error(failure != 0 ? ASSAY_ERROR_DOMAIN_ERRNO : ASSAY_ERROR_DOMAIN_SHORT,
                                        static_cast<std::uint32_t>(failure));
            guard.failed(request, failure, recorders.operations());
        }
        unpublished_ns += generator_ns + latency_ns;
        if (unpublished_ns >= publish_every_ns) {
            unpublished_ns = 0;
            recorders.publish();
            lane.publish();
        }
    }
    recorders.publish();
    lane.publish();
    report.batches = report.reaped = recorders.operations();
    return guard.status(recorders.operations());
}

} // namespace assay::block
