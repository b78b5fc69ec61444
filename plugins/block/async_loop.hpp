// The measured loop of engines that keep requests in flight. This is the hottest code of the project.
//
// A batch: fill every free slot; stamp what was filled; one submit that also waits, if the queue is full; reap and
// record all that completed; publish. Two clock reads, one look at the control words and at most one system call a
// batch; per request one offset, one 48-byte submission entry, one subtraction and one histogram update.
//
// A latency runs from right before the call that submitted the request to right after the one that saw it complete.
// At small depths each request is submitted, and so stamped, by itself.
#pragma once

#include "plugins/block/failure_guard.hpp"
#include "plugins/block/loop.hpp"
#include "plugins/block/reap_policy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace assay::block {

constexpr std::uint32_t single_submit_depth = 8;

[[gnu::cold, gnu::noinline]] inline sdk::Status submit_failed(const Config& config, int error) {
    return {ASSAY_IO, fmt::format("engine {}: the kernel takes no more requests: {}", config.engine_name(),
                                  std::strerror(error))};
}

// Of many requests together: a sum of ticks may be too large to convert exactly.
inline std::uint64_t sum_ns(const sdk::Clock& clock, std::uint64_t ticks) {
    return ticks < std::uint64_t{1} << 40 ? clock.ns(0, ticks) : clock.ns(0, ticks >> 20) << 20;
}

template <class Stream, class Engine>
void issue(Engine& engine, common::Request& request) {
    if (Stream::syncs && request.direction == common::Direction::sync)
        engine.queue_sync(request);
    else
        engine.queue(request);
}

template <class Engine, class Stream>
sdk::Status run_async(Engine& engine, const LoopSetup& setup, Stream stream, LoopReport& report) {
    const sdk::Worker worker = setup.worker;
    const sdk::Clock clock = worker.clock();
    const auto depth = static_cast<std::uint32_t>(setup.requests.size());
    const std::uint32_t submit_max_later = depth <= single_submit_depth ? 1 : depth;
    std::uint32_t submit_max = depth; // the first submission fills the queue at once
    Recorders<Stream> recorders(worker);
    LaneTime lane(worker);
    ReapPolicy policy(depth, setup.config.reap_batch);
    FailureGuard guard(setup.config, setup.names);

    // A stack, so that the buffers used last, which the cache still holds, are used next.
    std::vector<common::Request*> slots(depth);
    const std::uint64_t started_at = clock.ticks();
    for (std::uint32_t i = 0; i < depth; ++i) {
        slots[i] = &setup.requests[depth - 1 - i];
        slots[i]->stamp_ticks = started_at;
    }
    common::Request** const free = slots.data();
    std::uint32_t free_count = depth;
    std::uint32_t in_flight = 0;
    std::uint64_t batches = 0;
    std::uint64_t reaped_total = 0;
    std::uint64_t reaped_at = started_at;

    for (;;) {
        if (worker.stopped() || guard.gave_up()) [[unlikely]]
            stream.stop();
        const std::uint32_t limit_word = worker.queue_depth_limit();
        const std::uint32_t limit = limit_word == 0 ? depth : std::min(limit_word, depth);
        std::uint32_t room = std::min({limit > in_flight ? limit - in_flight : 0, engine.room(), submit_max});
        const std::uint32_t filled_from = free_count;
        while (room != 0 && stream.more()) {
            common::Request& request = *free[--free_count];
            stream.next(request);
            issue<Stream>(engine, request);
            --room;
        }
        const std::uint32_t queued = filled_from - free_count;
        const std::uint32_t in_flight_before = in_flight;
        in_flight += queued;
        if (in_flight == 0) break;

        const std::uint64_t submitted_at = clock.ticks();
        std::uint64_t free_ticks = 0;
        for (std::uint32_t i = free_count; i < filled_from; ++i) {
            free_ticks += submitted_at - free[i]->stamp_ticks;
            free[i]->stamp_ticks = submitted_at;
        }
        const bool fill_on = in_flight < limit && stream.more();
        const int error = engine.submit(fill_on ? 0 : std::min(policy.batch(), in_flight));
        const std::uint64_t now = clock.ticks();
        submit_max = submit_max_later;
        if (error < 0) [[unlikely]]
            return submit_failed(setup.config, -error);

        const std::uint32_t free_before = free_count;
        engine.reap([&](common::Request& request, std::int64_t result) {
            if (result == stream.expected(request)) [[likely]] {
                recorders.of(request).complete(clock.ns(request.stamp_ticks, now), static_cast<std::uint64_t>(result));
            } else {
                const int failure = result < 0 ? static_cast<int>(-result) : 0;
                const std::uint64_t successes = recorders.operations();
                if (engine.room() != 0 && guard.try_again(failure, successes)) {
                    issue<Stream>(engine, request);
                    return;
                }
                recorders.of(request).error(failure != 0 ? ASSAY_ERROR_DOMAIN_ERRNO : ASSAY_ERROR_DOMAIN_SHORT,
                                            static_cast<std::uint32_t>(failure));
                guard.failed(request, failure, successes);
            }
            request.stamp_ticks = now; // from here on its slot is free
            free[free_count++] = &request;
        });
        const std::uint32_t reaped = free_count - free_before;
        const std::uint64_t refill_ns = clock.ns(reaped_at, submitted_at);
        const std::uint64_t wait_ns = clock.ns(submitted_at, now);
        lane.generator(sum_ns(clock, free_ticks));
        lane.in_flight(refill_ns, in_flight_before, 0);
        lane.in_flight(wait_ns, in_flight, reaped);
        policy.observe(refill_ns + wait_ns, reaped, lane.in_flight_ns());
        in_flight -= reaped;
        reaped_at = now;
        if (reaped != 0) {
            ++batches;
            reaped_total += reaped;
            recorders.publish();
            lane.publish();
        }
    }
    report.batches = batches;
    report.reaped = reaped_total;
    return guard.status(recorders.operations());
}

} // namespace assay::block
