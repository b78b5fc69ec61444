#include "plugins/block/gate.hpp"

#include "core/base/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace assay::block {
namespace {

TEST(MonotonicTime, TurnsTicksIntoTheClockThatSchedulesAreWrittenIn) {
    assay_worker_block block{};
    block.clock = hot_clock();
    const sdk::Clock clock(block.clock);
    MonotonicTime time(block);
    std::int64_t worst_ns = 0;
    for (int i = 0; i < 200; ++i) {
        const std::int64_t before = monotonic_ns();
        const std::uint64_t ticks = clock.ticks();
        const std::int64_t after = monotonic_ns();
        const std::int64_t at = time.ns(ticks);
        worst_ns = std::max({worst_ns, before - at, at - after});
        std::this_thread::sleep_for(std::chrono::microseconds(300)); // over several anchors
    }
    // A thread that is held up between reading one clock and the other is off by no more than that in a row of three.
    EXPECT_LT(worst_ns, 20'000);
}

TEST(MonotonicTime, KnowsInstantsBeforeItLookedLast) {
    assay_worker_block block{};
    block.clock = hot_clock();
    const sdk::Clock clock(block.clock);
    MonotonicTime time(block);
    const std::uint64_t early = clock.ticks();
    const std::int64_t first = time.ns(early);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    time.ns(clock.ticks()); // looks again
    EXPECT_NEAR(static_cast<double>(time.ns(early) - first), 0, 20'000);
}

TEST(MonotonicTime, WorksWhereTheHotClockIsThatClock) {
    assay_worker_block block{};
    block.clock = {ASSAY_CLOCK_MONOTONIC, 0, 1};
    MonotonicTime time(block);
    const auto now = static_cast<std::uint64_t>(monotonic_ns());
    EXPECT_NEAR(static_cast<double>(time.ns(now) - static_cast<std::int64_t>(now)), 0, 2000);
}

} // namespace
} // namespace assay::block
