// The measured loop of engines that keep requests in flight. This is the hottest code of the project.
//
// A batch: fill every free slot; stamp what was filled; one submit that also waits, if the queue is full; reap and
// record all that completed; publish. Two clock reads, one look at the control words and at most one system call a
// batch; per request one offset, one 48-byte submission entry, one subtraction and one histogram update.
//
// A latency runs from right before the call that submitted the request to right after the one that saw it complete.
// At small depths each request is submitted, and so stamped, by itself.
//
// With a TimedGate a request starts once it is due and a slot is free, whichever comes last; the wait for completions
// then ends when the next one is due.
#pragma once

#include "plugins/block/failure_guard.hpp"
#include "plugins/block/gate.hpp"
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

// Of a timed loop: submits, and waits for a completion or for the next start, whichever comes first.
template <class Engine, class Stream>
int submit_timed(Engine& engine, const Stream& stream, TimedGate& gate, bool full, std::uint32_t reap_batch,
                 std::uint64_t ticks) {
    gate.publish(stream.more());
    // A batch would make those that are due wait for it: only as asked.
    if (full || !stream.more()) return engine.submit(std::max(reap_batch, 1u));
    const std::uint64_t wait_ns = stream.sync_due() ? 0 : gate.wait_ns(ticks);
    return wait_ns == 0 ? engine.submit(0) : engine.submit_within(1, wait_ns);
}

// Each in a function of its own: several loops in one share its registers badly.
template <class Engine, class Stream, class Gate>
[[gnu::noinline]] sdk::Status run_async(Engine& engine, const LoopSetup& setup, Stream stream, Gate gate,
                                        LoopReport& report) {
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
        std::uint64_t looked_at = 0;
        if constexpr (Gate::timed) {
            looked_at = clock.ticks();
            gate.look(looked_at);
        }
        while (room != 0 && stream.more()) {
            if constexpr (Gate::timed) {
                if (!stream.sync_due() && !gate.due()) break;
            }
            common::Request& request = *free[--free_count];
            stream.next(request);
            if constexpr (Gate::timed) {
                if (request.direction != common::Direction::sync) gate.start(request);
            }
            issue<Stream>(engine, request);
            --room;
        }
        const std::uint32_t queued = filled_from - free_count;
        const std::uint32_t in_flight_before = in_flight;
        in_flight += queued;
        if (in_flight == 0) {
            if constexpr (Gate::timed) {
                if (stream.more()) {
                    gate.publish(true);
                    gate.sleep(looked_at);
                    continue;
                }
            }
            break;
        }

        const std::uint64_t submitted_at = clock.ticks();
        std::uint64_t free_ticks = 0;
        for (std::uint32_t i = free_count; i < filled_from; ++i) {
            // Waiting until a request is due is not the generator's doing.
            free_ticks += submitted_at - (Gate::timed ? looked_at : free[i]->stamp_ticks);
            free[i]->stamp_ticks = submitted_at;
        }
        const bool full = in_flight >= limit;
        int error = 0;
        if constexpr (Gate::timed) {
            error =
                submit_timed(engine, stream, gate, full, std::min(setup.config.reap_batch, in_flight), submitted_at);
        } else {
            const bool fill_on = !full && stream.more();
            error = engine.submit(fill_on ? 0 : std::min(policy.batch(), in_flight));
        }
        const std::uint64_t now = clock.ticks();
        if constexpr (Gate::timed) gate.look_at_completions(now);
        submit_max = submit_max_later;
        if (error < 0) [[unlikely]]
            return submit_failed(setup.config, -error);

        const std::uint32_t free_before = free_count;
        engine.reap([&](common::Request& request, std::int64_t result) {
            if (result == stream.expected(request)) [[likely]] {
                const std::uint64_t latency_ns = clock.ns(request.stamp_ticks, now);
                sdk::Recorder& recorder = recorders.of(request);
                recorder.complete(latency_ns, static_cast<std::uint64_t>(result));
                if constexpr (Gate::timed) gate.respond(request, latency_ns, recorder);
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
            if constexpr (Gate::timed) gate.ended(request);
            request.stamp_ticks = now; // from here on its slot is free
            free[free_count++] = &request;
        });
        const std::uint32_t reaped = free_count - free_before;
        if constexpr (Gate::timed) {
            // What completes inside the submission keeps the thread from starting more, whatever the depth.
            if ((full || engine.completes_inline()) && reaped != 0) gate.slots_were_taken(now);
        }
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
    if constexpr (Gate::timed) gate.publish(false);
    report.batches = batches;
    report.reaped = reaped_total;
    return guard.status(recorders.operations());
}

} // namespace assay::block
