// When the next request may start: at once, by the schedule of an open loop, or after think time.
//
// A loop is compiled with one of the two gates. OpenGate is nothing at all, so that a closed loop pays nothing.
// TimedGate knows the schedule (assay/abi/arrival.h) and think time, keeps the counters that go with them, and turns
// the hot clock's ticks into CLOCK_MONOTONIC. One worker's thread; hot, some 10 ns a request besides the arrival.
#pragma once

#include "assay/sdk/arrival.hpp"
#include "assay/sdk/worker.hpp"
#include "plugins/block/loop.hpp"
#include "plugins/common/request.hpp"

#include <algorithm>
#include <cstdint>

namespace assay::block {

struct OpenGate {
    static constexpr bool timed = false;
};

// CLOCK_MONOTONIC of an instant of the hot clock. Looks at both clocks every millisecond, so that neither's drift
// against the other adds up.
class MonotonicTime {
public:
    explicit MonotonicTime(const assay_worker_block& block)
        : clock_(block.clock), anchor_lasts_ticks_((anchor_lasts_ns << block.clock.shift) / block.clock.mult) {
        anchor();
    }
    std::int64_t ns(std::uint64_t ticks) {
        if (ticks > anchor_ticks_ + anchor_lasts_ticks_) [[unlikely]]
            anchor();
        return ticks >= anchor_ticks_ ? anchor_ns_ + static_cast<std::int64_t>(clock_.ns(anchor_ticks_, ticks))
                                      : anchor_ns_ - static_cast<std::int64_t>(clock_.ns(ticks, anchor_ticks_));
    }

private:
    static constexpr std::uint64_t anchor_lasts_ns = 1'000'000;
    void anchor();

    sdk::Clock clock_;
    std::uint64_t anchor_lasts_ticks_;
    std::uint64_t anchor_ticks_ = 0;
    std::int64_t anchor_ns_ = 0;
};

class TimedGate {
public:
    static constexpr bool timed = true;

    // Sets the thread's timer slack to 1 ns: the default of 50 us would make every start late.
    explicit TimedGate(const LoopSetup& setup);

    // Takes note of what time it is, for due() and start().
    void look(std::uint64_t ticks) { now_ns_ = time_.ns(ticks); }
    [[nodiscard]] bool due() const { return now_ns_ >= start_ns(); }
    // The request that was due starts now.
    void start(common::Request& request) {
        if (!arrivals_.open()) return;
        request.intended_ns = arrivals_.next_ns();
        if (request.intended_ns < slots_free_since_ns_) {
            ++late_starts_;
            __atomic_store_n(late_word_, late_starts_, __ATOMIC_RELAXED);
        }
        arrivals_.advance();
    }
    // To be called before anything that can block. `more`: whether there is a next request.
    void publish(bool more) {
        __atomic_store_n(next_word_,
                         more && arrivals_.open() ? static_cast<std::uint64_t>(arrivals_.next_ns()) : std::uint64_t{0},
                         __ATOMIC_RELAXED);
    }
    // How long to wait for the next start, never longer than the stop word may go unseen; 0 if it is too short to
    // sleep. A thread wakes some 20 us after it wanted to, which would be part of every response: so it wants to wake
    // that much earlier, as it learns from how it did so far, and spends the rest awake.
    [[nodiscard]] std::uint64_t wait_ns(std::uint64_t ticks) {
        const std::int64_t now_ns = time_.ns(ticks);
        wake_at_ns_ = std::min(start_ns() - wake_lag_ns_, now_ns + wait_ns_max);
        if (wake_at_ns_ - now_ns >= wait_ns_min) return static_cast<std::uint64_t>(wake_at_ns_ - now_ns);
        wake_at_ns_ = 0;
        return 0;
    }
    // Sleeps as long as that.
    void sleep(std::uint64_t ticks);

    // Until `ticks` every slot was taken.
    void slots_were_taken(std::uint64_t ticks) { slots_free_since_ns_ = time_.ns(ticks); }
    // All that ended() and respond() are told of next completed by `ticks`.
    void look_at_completions(std::uint64_t ticks) {
        completed_ns_ = time_.ns(ticks);
        if (wake_at_ns_ != 0) woke(completed_ns_);
    }
    // A request completed, with or without success: think time may begin.
    void ended(const common::Request& request) {
        if (think_ns_ == 0 || request.direction == common::Direction::sync) return;
        if (++since_thought_ < think_every_) return;
        since_thought_ = 0;
        hold_until_ns_ = std::max(hold_until_ns_, completed_ns_) + think_ns_;
    }
    // Records the response time of one that succeeded.
    void respond(const common::Request& request, std::uint64_t latency_ns, sdk::Recorder& recorder) const {
        if (!arrivals_.open() || request.direction == common::Direction::sync) return;
        const std::int64_t response_ns = completed_ns_ - request.intended_ns;
        // No response is shorter than its service, whatever the rounding of two clocks says.
        recorder.add(histogram_response,
                     std::max(latency_ns, static_cast<std::uint64_t>(std::max<std::int64_t>(response_ns, 0))));
    }

private:
    static constexpr std::int64_t wait_ns_min = 5'000; // a sleep costs as much
    static constexpr std::int64_t wait_ns_max = 50'000'000;
    static constexpr std::int64_t wake_lag_ns_max = 50'000;
    static constexpr std::int64_t wake_lag_step_ns = 250;

    // Moves the lag to what four wakes in five stay below.
    void woke(std::int64_t now_ns) {
        const std::int64_t late_ns = now_ns - wake_at_ns_;
        wake_at_ns_ = 0;
        if (late_ns < 0) return; // by a completion
        wake_lag_ns_ += late_ns > wake_lag_ns_ ? 4 * wake_lag_step_ns : -wake_lag_step_ns;
        wake_lag_ns_ = std::clamp(wake_lag_ns_, std::int64_t{0}, wake_lag_ns_max);
    }
    [[nodiscard]] std::int64_t start_ns() const {
        return arrivals_.open() ? std::max(arrivals_.next_ns(), hold_until_ns_) : hold_until_ns_;
    }

    MonotonicTime time_;
    sdk::Arrivals arrivals_;
    std::int64_t now_ns_ = 0;
    std::int64_t completed_ns_ = 0;
    std::int64_t slots_free_since_ns_ = 0;
    std::uint64_t late_starts_;
    std::uint64_t* late_word_;
    std::uint64_t* next_word_;
    std::int64_t think_ns_;
    std::uint64_t think_every_;
    std::uint64_t since_thought_ = 0;
    std::int64_t hold_until_ns_ = 0;
    std::int64_t wake_at_ns_ = 0; // of the wait that goes on; 0: none
    std::int64_t wake_lag_ns_ = 0;
};

} // namespace assay::block
