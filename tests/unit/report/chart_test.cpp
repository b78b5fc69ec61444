#include "core/report/chart.hpp"
#include "core/report/history.hpp"
#include "core/report/segments.hpp"
#include "core/report/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace assay::report {
namespace {

TEST(Chart, EveryEighthOfTheTopIsAStep) {
    const std::vector<double> values = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(chart(values, 1, 8, true), std::vector<std::string>{" ▁▂▃▄▅▆▇█"});
    EXPECT_EQ(chart(values, 1, 8, false), std::vector<std::string>{" .,:-=+*#"});
}

TEST(Chart, RowsShareTheHeight) {
    // Of 16 steps: 4 of 16 is half a row, 8 one row, 12 one and a half, 16 two.
    EXPECT_EQ(chart(std::vector<double>{4, 8, 12, 16}, 2, 16, true), (std::vector<std::string>{"  ▄█", "▄███"}));
}

TEST(Chart, WhatIsNotZeroIsSeenAndWhatIsZeroIsNot) {
    EXPECT_EQ(chart(std::vector<double>{1, 0, 1e9}, 1, 1e9, true)[0], "▁ █");
}

TEST(Chart, SurvivesWhatIsNoNumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(chart(std::vector<double>{nan, infinite, -1}, 1, 8, true)[0], " █ ");
    EXPECT_EQ(chart(std::vector<double>{1, 2}, 1, 0, true)[0], "  ");
    EXPECT_EQ(chart({}, 3, 1, true), (std::vector<std::string>(3)));
}

TEST(Bar, OnlyAllOfItFillsItAndSomethingIsNeverNothing) {
    EXPECT_EQ(bar_columns(0, 10), 0);
    EXPECT_EQ(bar_columns(0.001, 10), 1);
    EXPECT_EQ(bar_columns(0.5, 10), 5);
    EXPECT_EQ(bar_columns(0.999, 10), 9);
    EXPECT_EQ(bar_columns(1, 10), 10);
    EXPECT_EQ(bar_columns(7, 10), 10);
    EXPECT_EQ(bar_text(3, true, true), "███");
    EXPECT_EQ(bar_text(2, false, false), "..");
}

JobProgress at(double elapsed_s, double rate, const char* phase = "randread") {
    JobProgress job;
    job.phase = phase;
    job.elapsed_s = elapsed_s;
    job.operations_per_s = rate;
    job.bytes_per_s = rate * 4096;
    job.p99_ns = 1000;
    return job;
}

TEST(History, KeepsIntervalsInOrderAndTheNewestWhenThereAreMany) {
    History history;
    const auto many = static_cast<int>(History::intervals_max) + 10;
    for (int interval = 1; interval <= many; ++interval)
        history.add(at(interval, interval));
    ASSERT_EQ(history.intervals().size(), History::intervals_max);
    EXPECT_EQ(history.intervals().front().operations_per_s, 11); // 522 came, the first 10 went
    EXPECT_EQ(history.intervals().back().operations_per_s, many);
}

TEST(History, ANewPhaseStartsAnew) {
    History history;
    history.add(at(1, 100, "layout"));
    history.add(at(1, 200, "randread"));
    ASSERT_EQ(history.intervals().size(), 1U);
    EXPECT_EQ(history.intervals()[0].operations_per_s, 200);
    history.add(at(0.5, 300, "randread")); // the same phase of the next run
    EXPECT_EQ(history.intervals().size(), 1U);
}

TEST(History, AReadingThatIsShownTwiceCountsOnceButIdleTimeIsKept) {
    History history;
    history.add(at(0, 0)); // the start: no interval is over
    history.add(at(1, 100));
    history.add(at(1.5, 100)); // the end of the warm-up, between two readings
    history.add(at(2, 0));
    history.add(at(3, 0));
    ASSERT_EQ(history.intervals().size(), 3U);
    EXPECT_EQ(history.intervals()[2].operations_per_s, 0);
}

TEST(Segments, FieldsGoByWhatMattersLeastAndTheLastOneIsCut) {
    const std::vector<Field> fields = {{{{"rate"}}, 3}, {{{"in flight"}}, 1}, {{{"p99"}}, 2}};
    EXPECT_EQ(text_of(row_of(fields, 20, 2)), "rate  in flight  p99"); // 4 + 2 + 9 + 2 + 3
    EXPECT_EQ(text_of(row_of(fields, 19, 2)), "rate  p99");
    EXPECT_EQ(text_of(row_of(fields, 8, 2)), "rate");
    EXPECT_EQ(text_of(row_of({{{{"longer"}}, 1}}, 5, 2)), "lo...");
}

TEST(Segments, ACutAnywhereIsAsWideAsAllowedOrOneColumnLess) {
    const Line line = {{"ab"}, {"データ"}, {"cd"}, {"e"}}; // 2 + 6 + 2 + 1 columns
    for (int width = 0; width <= 12; ++width) {
        EXPECT_LE(width_of(cut(line, width)), width);
        EXPECT_GE(width_of(cut(line, width)), std::min(width, 11) - 1);
    }
    EXPECT_EQ(text_of(cut(line, 10)), "abデー...");
}

TEST(Segments, TheRightPartGoesWhereBothDoNotFit) {
    EXPECT_EQ(text_of(spread({{"left"}}, {{"right"}}, 12)), "left   right");
    EXPECT_EQ(text_of(spread({{"left"}}, {{"right"}}, 10)), "left");
}

} // namespace
} // namespace assay::report
