#include "plugins/block/gate.hpp"

#include "assay/abi/clock.h"

#include <sys/prctl.h>
#include <time.h>

namespace assay::block {

// Both clocks at once, as far as that can be had: of a few attempts the one that took least.
void MonotonicTime::anchor() {
    std::uint64_t shortest = UINT64_MAX;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::uint64_t before = clock_.ticks();
        const auto now_ns = static_cast<std::int64_t>(assay_clock_monotonic_ns());
        const std::uint64_t took = clock_.ticks() - before;
        if (took >= shortest) continue;
        shortest = took;
        anchor_ticks_ = before + took / 2;
        anchor_ns_ = now_ns;
    }
}

TimedGate::TimedGate(const LoopSetup& setup)
    : time_(setup.worker.block()),
      arrivals_(setup.worker.block()),
      late_word_(setup.worker.metric(metric_late_starts)),
      next_word_(setup.worker.metric(metric_next_start)),
      think_ns_(setup.config.think_ns),
      think_every_(setup.config.think_every) {
    late_starts_ = *late_word_;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

void TimedGate::sleep(std::uint64_t ticks) {
    if (wait_ns(ticks) == 0) return;
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    const timespec until{static_cast<time_t>(wake_at_ns_ / ns_per_s), static_cast<long>(wake_at_ns_ % ns_per_s)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    woke(static_cast<std::int64_t>(assay_clock_monotonic_ns()));
}

} // namespace assay::block
