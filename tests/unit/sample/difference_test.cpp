#include "core/sample/difference.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace assay::sample {
namespace {

constexpr Wide two_to(unsigned bits) { return Wide{1} << bits; }
constexpr CounterRule wraps(std::uint32_t width_bits) { return {width_bits, ASSAY_OVERFLOW_WRAPS, 0, 0}; }
constexpr CounterRule saturates(std::uint32_t width_bits) { return {width_bits, ASSAY_OVERFLOW_SATURATES, 0, 0}; }

TEST(Difference, GrowthIsTheDifferenceOfTwoReadings) {
    const Growth growth = counter_growth(wraps(64), 1'000, 1'500, 1);
    EXPECT_EQ(growth.gap, Gap::none);
    EXPECT_EQ(growth.raw, 500);
    EXPECT_EQ(counter_growth(wraps(64), 7, 7, 1).raw, 0);
    EXPECT_EQ(counter_growth(wraps(64), 7, 7, 1).gap, Gap::none);
}

TEST(Difference, AThirtyTwoBitCounterThatWrappedGoesOn) {
    // 0xFFFFFF00 -> 0x100: 0x100 to the wrap and 0x100 after it.
    const Growth growth = counter_growth(wraps(32), 0xFFFFFF00, 0x100, 1);
    EXPECT_EQ(growth.gap, Gap::none);
    EXPECT_EQ(growth.raw, 512);
    EXPECT_EQ(counter_growth(wraps(32), 0xFFFFFFFF, 0, 1).raw, 1);
}

TEST(Difference, MillisecondsOfADiskWrapAfterFortyNineDays) {
    // 49 d 17 h 2 min 47.295 s is 2^32 - 1 ms; 10 s later the kernel shows 9,999.
    EXPECT_EQ(counter_growth(wraps(32), 4'294'967'295, 9'999, 10).raw, 10'000);
}

TEST(Difference, ADecreaseThatWouldMeanMoreThanHalfTheRangeIsAReset) {
    EXPECT_EQ(counter_growth(wraps(32), 1'000'000, 5, 1).gap, Gap::reset);
    EXPECT_EQ(counter_growth(wraps(32), two_to(31), 0, 1).gap, Gap::reset) << "2^31 is more than (2^32 - 1) / 2";
    EXPECT_EQ(counter_growth(wraps(32), two_to(31) + 1, 0, 1).gap, Gap::none) << "2^31 - 1 is not";
}

TEST(Difference, ASixtyFourBitCounterNeverWraps) {
    EXPECT_EQ(counter_growth(wraps(64), std::numeric_limits<std::uint64_t>::max(), 3, 1).gap, Gap::reset);
    EXPECT_EQ(counter_growth(wraps(128), ~Wide{0}, 3, 1).gap, Gap::reset);
}

TEST(Difference, AKnownTopSpeedDecidesWhetherADecreaseCanBeAWrap) {
    CounterRule rule = wraps(32);
    rule.max_per_s = 1'000;
    EXPECT_EQ(counter_growth(rule, two_to(32) - 400, 500, 1).raw, 900);
    EXPECT_EQ(counter_growth(rule, two_to(32) - 600, 500, 1).gap, Gap::reset) << "1,100 in a second is too fast";
    EXPECT_EQ(counter_growth(rule, two_to(32) - 600, 500, 2).raw, 1'100);
}

TEST(Difference, AnIntervalInWhichItCouldWrapTwiceSaysNothing) {
    CounterRule rule = wraps(32);
    rule.max_per_s = 6.25e9; // 25 GB/s in units of four bytes: full after 0.687 s
    EXPECT_EQ(counter_growth(rule, 10, 20, 1).gap, Gap::too_long);
    EXPECT_EQ(counter_growth(rule, 10, 20, 0.5).gap, Gap::none);
}

TEST(Difference, AnInfiniBandCounterSticksAtAllOnes) {
    const Wide full = two_to(32) - 1;
    EXPECT_EQ(counter_growth(saturates(32), full - 100, full, 1).gap, Gap::saturated);
    EXPECT_EQ(counter_growth(saturates(32), full, full, 1).gap, Gap::saturated);
    EXPECT_EQ(counter_growth(saturates(32), full, 0, 1).gap, Gap::saturated) << "reset after it was full";
    EXPECT_EQ(counter_growth(saturates(32), full - 100, full - 1, 1).raw, 99);
    EXPECT_EQ(counter_growth(saturates(32), full - 100, 50, 1).gap, Gap::reset) << "it never wraps";
    EXPECT_EQ(counter_growth(saturates(4), 14, 15, 1).gap, Gap::saturated);
    EXPECT_EQ(counter_growth(saturates(64), two_to(64) - 2, two_to(64) - 1, 1).gap, Gap::saturated);
}

TEST(Difference, A128BitCounterIsDifferencedWhole) {
    // NVMe data units: a carry from the lower into the upper half.
    EXPECT_EQ(counter_growth(wraps(128), two_to(64) - 3, two_to(64) + 5, 1).raw, 8);
    EXPECT_EQ(counter_growth(wraps(128), two_to(100), two_to(100) + two_to(70), 1).raw, 0x1p70);
}

TEST(Difference, AStepBackWithinToleranceIsNoReset) {
    CounterRule rule = wraps(64);
    rule.step_back_max = 100;
    const Growth growth = counter_growth(rule, 5'000, 4'900, 1);
    EXPECT_EQ(growth.gap, Gap::none);
    EXPECT_EQ(growth.raw, 0);
    EXPECT_TRUE(growth.stepped_back);
    EXPECT_EQ(counter_growth(rule, 5'000, 4'899, 1).gap, Gap::reset);
    EXPECT_FALSE(counter_growth(rule, 5'000, 5'000, 1).stepped_back);
}

TEST(Difference, AValueWiderThanItsCounterIsNoValue) {
    EXPECT_EQ(counter_growth(wraps(32), 5, two_to(32), 1).gap, Gap::reset);
}

TEST(Difference, WithoutTimeThereIsNoRate) {
    EXPECT_EQ(counter_growth(wraps(64), 5, 10, 0).gap, Gap::no_time);
    EXPECT_EQ(counter_growth(wraps(64), 5, 10, -1).gap, Gap::no_time);
    EXPECT_EQ(real_growth(wraps(64), 5, 10, 0).gap, Gap::no_time);
}

TEST(Difference, ARealCounterMayNotDecreaseOrBeInfinite) {
    EXPECT_EQ(real_growth(wraps(64), 1.5, 4.0, 1).raw, 2.5);
    EXPECT_EQ(real_growth(wraps(64), 4.0, 1.5, 1).gap, Gap::reset);
    EXPECT_EQ(real_growth(wraps(64), 4.0, std::numeric_limits<double>::infinity(), 1).gap, Gap::absent);
    EXPECT_EQ(real_growth(wraps(64), std::numeric_limits<double>::quiet_NaN(), 4.0, 1).gap, Gap::absent);
}

} // namespace
} // namespace assay::sample
