#include "core/sample/timeline.hpp"
#include "core/sample/schedule.hpp"

#include "core/base/clock.hpp"

#include <gtest/gtest.h>

namespace assay::sample {
namespace {

constexpr std::int64_t second = 1'000'000'000;

SeriesSpec named(const std::string& metric, bool counter = true) {
    SeriesSpec spec;
    spec.plugin = "host";
    spec.metric = metric;
    spec.unit = "B";
    spec.counter = counter;
    return spec;
}
// A counter's point of whole seconds.
Point grew(std::int64_t start_s, std::int64_t end_s, double growth) {
    return {start_s * second, end_s * second, growth / static_cast<double>(end_s - start_s), growth, Gap::none};
}

TEST(Timeline, MeanIsTotalOverCoveredTimeAndNotTheMeanOfRates) {
    Timeline timeline({});
    const std::size_t series = *timeline.find_or_add(named("disk.read"));
    timeline.add(series, grew(0, 1, 100)); // 100/s
    timeline.add(series, grew(1, 4, 600)); // 200/s
    EXPECT_EQ(timeline.totals(series).total, 700);
    EXPECT_DOUBLE_EQ(*timeline.mean(series), 175);
    EXPECT_EQ(timeline.totals(series).max_at->value, 200);
    EXPECT_EQ(timeline.totals(series).max_at->end_ns, 4 * second);
}

TEST(Timeline, AGapIsKeptWithItsReasonAndCountsForNoTime) {
    Timeline timeline({});
    const std::size_t series = *timeline.find_or_add(named("disk.read"));
    EXPECT_FALSE(timeline.mean(series));
    timeline.add(series, grew(0, 1, 100));
    timeline.add(series, {1 * second, 5 * second, 0, 0, Gap::reset});
    timeline.add(series, grew(5, 6, 300));
    EXPECT_DOUBLE_EQ(*timeline.mean(series), 200);
    EXPECT_EQ(timeline.totals(series).gaps, 1U);
    EXPECT_EQ(timeline.totals(series).last_gap, Gap::reset);
    ASSERT_EQ(timeline.points(series).size(), 3U);
    EXPECT_EQ(timeline.points(series)[1].gap, Gap::reset);
}

TEST(Timeline, ATinyIntervalIsNotTheMaximumUnlessThereIsNothingElse) {
    Timeline::Limits limits;
    limits.max_span_min_ns = second / 2;
    Timeline timeline(limits);
    const std::size_t series = *timeline.find_or_add(named("disk.read"));
    timeline.add(series, {0, 1'000'000, 1e6, 1'000, Gap::none});
    EXPECT_EQ(timeline.totals(series).max_at->value, 1e6);
    timeline.add(series, grew(1, 2, 10));
    EXPECT_EQ(timeline.totals(series).max_at->value, 10);
    timeline.add(series, {2 * second, 2 * second + 1'000'000, 1e6, 1'000, Gap::none});
    EXPECT_EQ(timeline.totals(series).max_at->value, 10);
}

TEST(Timeline, MemoryIsBoundedAndTotalsStayExact) {
    Timeline::Limits limits;
    limits.points = 32;
    Timeline timeline(limits);
    const std::size_t series = *timeline.find_or_add(named("disk.read"));
    double sum = 0;
    for (std::int64_t at = 0; at < 10'000; ++at) {
        const auto growth = static_cast<double>(at % 7);
        sum += growth;
        timeline.add(series, grew(at, at + 1, growth));
    }
    EXPECT_LE(timeline.points(series).size(), 32U);
    EXPECT_GE(timeline.points(series).size(), 16U);
    EXPECT_EQ(timeline.totals(series).total, sum);
    EXPECT_EQ(timeline.totals(series).max_at->value, 6);
    // The points that are left cover the whole time, one after the other, with all that was counted.
    double kept = 0;
    std::int64_t at_ns = 0;
    for (const Point& point : timeline.points(series)) {
        EXPECT_EQ(point.start_ns, at_ns);
        at_ns = point.end_ns;
        kept += point.growth;
        EXPECT_NEAR(point.value, point.growth / (static_cast<double>(point.end_ns - point.start_ns) / 1e9), 1e-9);
    }
    EXPECT_EQ(at_ns, 10'000 * second);
    EXPECT_EQ(kept, sum);
}

TEST(Timeline, MergedGaugesAreWeightedByTime) {
    const SeriesSpec gauge = named("memory.free", false);
    const Point both = merged(gauge, {0, 1 * second, 10, 0, Gap::none}, {1 * second, 4 * second, 50, 0, Gap::none});
    EXPECT_DOUBLE_EQ(both.value, 40);
    EXPECT_EQ(both.start_ns, 0);
    EXPECT_EQ(both.end_ns, 4 * second);
    const Point known = grew(1, 2, 5);
    EXPECT_EQ(merged(gauge, {0, 1 * second, 0, 0, Gap::reset}, known).value, 5);
    EXPECT_EQ(merged(gauge, known, {2 * second, 3 * second, 0, 0, Gap::reset}).end_ns, 2 * second);
}

TEST(Timeline, TheNumberOfSeriesIsBounded) {
    Timeline::Limits limits;
    limits.series = 2;
    Timeline timeline(limits);
    EXPECT_TRUE(timeline.find_or_add(named("a")));
    EXPECT_TRUE(timeline.find_or_add(named("b")));
    EXPECT_FALSE(timeline.find_or_add(named("c")));
    EXPECT_EQ(timeline.left_out(), 1U);
    EXPECT_EQ(timeline.find_or_add(named("b")), 1U) << "what is known is found again";
}

TEST(Timeline, ASeriesOfAnotherScaleIsAnotherOne) {
    Timeline timeline({});
    SeriesSpec spec = named("thread.cpu");
    const auto first = timeline.find_or_add(spec);
    spec.scale = 1e-9;
    const auto second_one = timeline.find_or_add(spec);
    EXPECT_NE(first, second_one);
    EXPECT_EQ(timeline.find_or_add(spec), second_one);
}

TEST(Schedule, DeadlinesAreAbsoluteSoThatLatenessDoesNotAddUp) {
    Schedule schedule(1'000, 100);
    EXPECT_EQ(schedule.next_ns(), 1'100);
    schedule.done(1'130);
    EXPECT_EQ(schedule.next_ns(), 1'200);
    schedule.done(1'199);
    EXPECT_EQ(schedule.next_ns(), 1'300) << "done before its deadline";
    EXPECT_EQ(schedule.missed(), 0U);
}

TEST(Schedule, WhatWasMissedIsCountedAndNotCaughtUpWith) {
    Schedule schedule(0, 100);
    schedule.done(450); // 200, 300 and 400 have passed
    EXPECT_EQ(schedule.next_ns(), 500);
    EXPECT_EQ(schedule.missed(), 3U);
    schedule.done(600); // exactly on the next
    EXPECT_EQ(schedule.next_ns(), 700);
    EXPECT_EQ(schedule.missed(), 4U);
}

TEST(Schedule, TheRunnerTicksAtEachDeadlineAndOnceMoreAtTheEnd) {
    const std::int64_t start_ns = monotonic_ns() + 1'000 * second; // no deadline passes by itself
    Schedule schedule(start_ns, second);
    std::vector<std::int64_t> deadlines;
    int ticks = 0;
    run_schedule(
        schedule,
        [&](std::int64_t deadline_ns) {
            deadlines.push_back(deadline_ns - start_ns);
            return deadlines.size() < 4;
        },
        [&] { ++ticks; });
    EXPECT_EQ(deadlines, (std::vector<std::int64_t>{second, 2 * second, 3 * second, 4 * second}));
    EXPECT_EQ(ticks, 4);
}

} // namespace
} // namespace assay::sample
