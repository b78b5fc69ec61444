#include "assay/sdk/arrival.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::sdk {
namespace {

constexpr std::int64_t start_ns = 5'000'000'000;

Arrivals arrivals(assay_arrival_process process, double rate_per_s, std::uint64_t seed = 1,
                  std::int64_t from_ns = start_ns) {
    assay_worker_block block{};
    block.arrival_process = process;
    block.arrival_interval_ps = static_cast<std::uint64_t>(std::llround(1e12 / rate_per_s));
    block.arrival_start_ns = from_ns;
    block.seed = seed;
    return Arrivals(block);
}

std::vector<double> intervals_s(Arrivals schedule, std::size_t count) {
    std::vector<double> intervals;
    std::int64_t last = start_ns;
    for (std::size_t i = 0; i < count; ++i) {
        intervals.push_back(static_cast<double>(schedule.next_ns() - last) * 1e-9);
        last = schedule.next_ns();
        schedule.advance();
    }
    return intervals;
}

TEST(Arrivals, AHostThatSaysNothingLeavesTheLoopClosed) {
    EXPECT_FALSE(Arrivals(assay_worker_block{}).open());
    EXPECT_TRUE(arrivals(ASSAY_ARRIVAL_CONSTANT, 1).open());
}

TEST(Arrivals, AnIntervalOfNothingIsNoSchedule) {
    assay_worker_block block{};
    block.arrival_process = ASSAY_ARRIVAL_POISSON;
    EXPECT_FALSE(Arrivals(block).open());
}

TEST(Arrivals, ConstantStartsAreMultiplesOfTheIntervalHoweverLongTheRun) {
    // 7 a second: 142,857,142,857 ps, no whole number of nanoseconds.
    Arrivals schedule = arrivals(ASSAY_ARRIVAL_CONSTANT, 7);
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
        ASSERT_EQ(schedule.next_ns(), start_ns + i * 142'857'142'857 / 1000) << i;
        schedule.advance();
    }
}

TEST(Arrivals, ConstantStartsFasterThanANanosecondDoNotDriftEither) {
    // An interval of 300 ps: ten starts in three nanoseconds.
    Arrivals schedule = arrivals(ASSAY_ARRIVAL_CONSTANT, 1e12 / 300);
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
        ASSERT_EQ(schedule.next_ns(), start_ns + i * 300 / 1000) << i;
        schedule.advance();
    }
}

TEST(Arrivals, ConstantWorkersThatStartApartInterleaveEvenly) {
    constexpr std::int64_t workers = 4;
    std::vector<std::int64_t> all;
    for (std::int64_t w = 0; w < workers; ++w) {
        Arrivals schedule = arrivals(ASSAY_ARRIVAL_CONSTANT, 250, 1, start_ns + w * 1'000'000);
        for (int i = 0; i < 100; ++i, schedule.advance())
            all.push_back(schedule.next_ns());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], start_ns + static_cast<std::int64_t>(i) * 1'000'000);
}

TEST(Arrivals, PoissonIntervalsAreExponentialByKolmogorovAndSmirnov) {
    constexpr double rate = 10'000;
    constexpr std::size_t count = 100'000;
    for (const std::uint64_t seed : {1, 2, 3}) {
        std::vector<double> sorted = intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, rate, seed), count);
        std::sort(sorted.begin(), sorted.end());
        double distance = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double expected = 1 - std::exp(-rate * sorted[i]);
            distance = std::max({distance, std::abs(expected - static_cast<double>(i) / count),
                                 std::abs(expected - static_cast<double>(i + 1) / count)});
        }
        // Critical value of the Kolmogorov distribution at 0.1 %: 1.95 / sqrt(n).
        EXPECT_LT(distance * std::sqrt(static_cast<double>(count)), 1.95) << seed;
    }
}

TEST(Arrivals, PoissonIntervalsHaveTheMeanAndTheDeviationOfAnExponential) {
    constexpr double rate = 10'000;
    constexpr std::size_t count = 1'000'000;
    const std::vector<double> intervals = intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, rate), count);
    double sum = 0;
    double squares = 0;
    for (const double interval : intervals) {
        sum += interval * rate;
        squares += interval * rate * interval * rate;
    }
    const double mean = sum / count;
    // Standard errors: 1/sqrt(n) of the mean; sqrt(8/n)/2 of the deviation. Five of them.
    EXPECT_NEAR(mean, 1, 0.005);
    EXPECT_NEAR(std::sqrt(squares / count - mean * mean), 1, 0.0071);
}

TEST(Arrivals, PoissonIntervalsAreIndependentOfTheOnesBefore) {
    constexpr std::size_t count = 1'000'000;
    const std::vector<double> intervals = intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, 10'000), count);
    for (const std::size_t lag : {1, 2, 7}) {
        double product = 0;
        for (std::size_t i = lag; i < count; ++i)
            product += (intervals[i] * 1e4 - 1) * (intervals[i - lag] * 1e4 - 1);
        // Of independent ones the correlation is normal with deviation 1/sqrt(n) = 0.001.
        EXPECT_NEAR(product / count, 0, 0.005) << "lag " << lag;
    }
}

TEST(Arrivals, PoissonCountsAWindowWithTheVarianceOfItsMean) {
    // 10 expected in each of 10,000 windows of 1 ms: the index of dispersion is 1, deviation sqrt(2/10,000) = 0.014.
    std::vector<double> counts(10'000);
    for (Arrivals schedule = arrivals(ASSAY_ARRIVAL_POISSON, 10'000); schedule.next_ns() < start_ns + 10'000'000'000;
         schedule.advance())
        counts[static_cast<std::size_t>(schedule.next_ns() - start_ns) / 1'000'000] += 1;
    double sum = 0;
    double squares = 0;
    for (const double count : counts) {
        sum += count;
        squares += count * count;
    }
    const double mean = sum / 10'000;
    EXPECT_NEAR((squares / 10'000 - mean * mean) / mean, 1, 0.07);
}

TEST(Arrivals, PoissonWorkersWithSeedsOfTheirOwnMakeOnePoissonProcess) {
    // Superposition: three at a third of the rate each. Their intervals are exponential again.
    constexpr double rate = 9'000;
    std::vector<std::int64_t> all;
    for (const std::uint64_t seed : {100, 101, 102}) {
        Arrivals schedule = arrivals(ASSAY_ARRIVAL_POISSON, rate / 3, seed);
        for (; schedule.next_ns() < start_ns + 10'000'000'000; schedule.advance())
            all.push_back(schedule.next_ns());
    }
    std::sort(all.begin(), all.end());
    EXPECT_NEAR(static_cast<double>(all.size()), 90'000, 5 * 300); // Poisson: deviation sqrt(90,000)
    std::vector<double> intervals;
    for (std::size_t i = 1; i < all.size(); ++i)
        intervals.push_back(static_cast<double>(all[i] - all[i - 1]) * 1e-9);
    std::sort(intervals.begin(), intervals.end());
    double distance = 0;
    const auto count = static_cast<double>(intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i)
        distance = std::max(distance, std::abs(1 - std::exp(-rate * intervals[i]) - static_cast<double>(i) / count));
    EXPECT_LT(distance * std::sqrt(count), 1.95);
}

TEST(Arrivals, TheSameSeedMakesTheSameScheduleAndAnotherSeedAnother) {
    const auto first = intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, 100, 7), 100);
    EXPECT_EQ(intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, 100, 7), 100), first);
    EXPECT_NE(intervals_s(arrivals(ASSAY_ARRIVAL_POISSON, 100, 8), 100), first);
}

TEST(Arrivals, RatesBelowOneASecondWorkToo) {
    Arrivals schedule = arrivals(ASSAY_ARRIVAL_CONSTANT, 1e-6);
    schedule.advance();
    EXPECT_EQ(schedule.next_ns(), start_ns + 1'000'000'000'000'000);
}

} // namespace
} // namespace assay::sdk
