// The measured loop of pread, pwrite and trim calls: one request at a time. Hot.
//
// Two clock reads a request, so that a latency holds the call and nothing of the generator. Counters are published
// about every 100 us, and so with every request of a device slower than that.
#pragma once

#include "plugins/block/failure_guard.hpp"
#include "plugins/block/gate.hpp"
#include "plugins/block/loop.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace assay::block {

constexpr std::uint64_t publish_every_ns = 100'000;

// The bare system call: the C library's pread is a cancellation point, which costs two locked instructions in a process
// with threads.
inline std::int64_t transfer(long number, int fd, const common::Request& request) {
    for (;;) {
        const long done = syscall(number, fd, request.buffer, request.bytes, static_cast<off_t>(request.offset_bytes));
        if (done >= 0) [[likely]]
            return done;
        if (errno != EINTR) return -static_cast<std::int64_t>(errno);
    }
}

inline std::int64_t sync_file(int fd, common::SyncCall call) {
    return (call == common::SyncCall::fsync ? fsync(fd) : fdatasync(fd)) == 0 ? 0 : -static_cast<std::int64_t>(errno);
}

// The bytes given back, as a write would return them.
inline std::int64_t discard(int fd, bool device, const common::Request& request) {
    std::uint64_t range[2] = {request.offset_bytes, request.bytes};
    const int done = device ? ioctl(fd, BLKDISCARD, range)
                            : fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                        static_cast<off_t>(request.offset_bytes), static_cast<off_t>(request.bytes));
    return done == 0 ? static_cast<std::int64_t>(request.bytes) : -static_cast<std::int64_t>(errno);
}

// Each in a function of its own: several loops in one share its registers badly.
template <class Stream, class Gate>
[[gnu::noinline]] sdk::Status run_sync(const LoopSetup& setup, Stream stream, Gate gate, LoopReport& report) {
    const sdk::Worker worker = setup.worker;
    const sdk::Clock clock = worker.clock();
    const int* const files = setup.files.data();
    Recorders<Stream> recorders(worker);
    LaneTime lane(worker);
    FailureGuard guard(setup.config, setup.names);
    common::Request request = setup.requests[0];
    std::uint64_t unpublished_ns = 0;
    std::uint64_t ended_at = clock.ticks();

    while (stream.more() && !worker.stopped() && !guard.gave_up()) {
        std::uint64_t looked_at = 0;
        if constexpr (Gate::timed) {
            looked_at = clock.ticks();
            gate.look(looked_at);
            if (!stream.sync_due() && !gate.due()) {
                recorders.publish();
                lane.publish();
                gate.publish(true);
                gate.sleep(looked_at);
                continue;
            }
        }
        stream.next(request);
        if constexpr (Gate::timed) {
            if (request.direction != common::Direction::sync) gate.start(request);
            gate.publish(stream.more());
        }
        const int fd = files[request.part];
        const std::uint64_t started_at = clock.ticks();
        const std::uint64_t generator_ns = clock.ns(Gate::timed ? looked_at : ended_at, started_at);
        std::int64_t result = 0;
        if (Stream::syncs && request.direction == common::Direction::sync)
            result = sync_file(fd, setup.config.sync_call);
        else if (Stream::first == common::Direction::read &&
                 (!Stream::writes || request.direction == common::Direction::read))
            result = transfer(SYS_pread64, fd, request);
        else if (Stream::trims && request.direction == common::Direction::trim)
            result = discard(fd, setup.devices[request.part] != 0, request);
        else
            result = transfer(SYS_pwrite64, fd, request);
        ended_at = clock.ticks();
        const std::uint64_t latency_ns = clock.ns(started_at, ended_at);
        if constexpr (Gate::timed) gate.look_at_completions(ended_at);
        lane.generator(generator_ns);
        lane.in_flight(latency_ns, 1, 1);
        if (result == stream.expected(request)) [[likely]] {
            sdk::Recorder& recorder = recorders.of(request);
            recorder.complete(latency_ns, static_cast<std::uint64_t>(result));
            if constexpr (Gate::timed) gate.respond(request, latency_ns, recorder);
        } else {
            const int failure = result < 0 ? static_cast<int>(-result) : 0;
            recorders.of(request).error(failure != 0 ? ASSAY_ERROR_DOMAIN_ERRNO : ASSAY_ERROR_DOMAIN_SHORT,
                                        static_cast<std::uint32_t>(failure));
            guard.failed(request, failure, recorders.operations());
        }
        if constexpr (Gate::timed) {
            gate.ended(request);
            gate.slots_were_taken(ended_at);
        }
        unpublished_ns += generator_ns + latency_ns;
        if (unpublished_ns >= publish_every_ns) {
            unpublished_ns = 0;
            recorders.publish();
            lane.publish();
        }
    }
    if constexpr (Gate::timed) gate.publish(false);
    recorders.publish();
    lane.publish();
    report.batches = report.reaped = recorders.operations();
    return guard.status(recorders.operations());
}

} // namespace assay::block
