#include "core/sample/history.hpp"

#include <gtest/gtest.h>

namespace assay::sample {
namespace {

constexpr std::int64_t second = 1'000'000'000;

SeriesSpec counter_of(double scale = 1, std::uint32_t width_bits = 64) {
    SeriesSpec spec;
    spec.metric = "disk.read";
    spec.unit = "B";
    spec.counter = true;
    spec.scale = scale;
    spec.rule.width_bits = width_bits;
    return spec;
}
assay_sample_value raw(std::uint64_t value) {
    assay_sample_value made{};
    made.as.u64 = value;
    made.present = 1;
    return made;
}
constexpr assay_sample_value missing{};

// A reading at its own instant.
std::optional<Point> add(History& history, const SeriesSpec& spec, const assay_sample_value& value,
                         std::int64_t instant_ns) {
    return history.add(spec, value, instant_ns, instant_ns);
}

TEST(History, TheFirstReadingIsNeverARate) {
    History history;
    EXPECT_FALSE(add(history, counter_of(), raw(123'456'789), second));
}

TEST(History, ARateIsScaledGrowthOverTheTrueTime) {
    History history;
    const SeriesSpec sectors = counter_of(512);
    add(history, sectors, raw(1'000), 10 * second);
    // Late by a quarter: 5,000 sectors in 1.25 s are 2,560,000 B, or 2,048,000 B/s.
    const auto point = add(history, sectors, raw(6'000), 11'250'000'000);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->gap, Gap::none);
    EXPECT_EQ(point->growth, 2'560'000);
    EXPECT_EQ(point->value, 2'048'000);
    EXPECT_EQ(point->start_ns, 10 * second);
    EXPECT_EQ(point->end_ns, 11'250'000'000);
}

TEST(History, ARepeatedInstantIsSilentAndTheNextDifferenceIsFromTheOlderReading) {
    History history;
    const SeriesSpec spec = counter_of();
    add(history, spec, raw(100), 1 * second);
    EXPECT_FALSE(history.add(spec, raw(100), 1 * second, 2 * second));
    EXPECT_FALSE(history.add(spec, raw(100), 1 * second, 3 * second));
    EXPECT_FALSE(history.add(spec, raw(100), second / 2, 3 * second)) << "an older instant says nothing new either";
    const auto point = add(history, spec, raw(400), 4 * second);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->value, 100) << "300 in the 3 s since the source was read last";
    EXPECT_EQ(point->start_ns, 1 * second);
}

TEST(History, AResetLosesOneIntervalAndIsNamed) {
    History history;
    const SeriesSpec spec = counter_of();
    add(history, spec, raw(1'000'000), 1 * second);
    const auto reset = add(history, spec, raw(50), 2 * second);
    ASSERT_TRUE(reset);
    EXPECT_EQ(reset->gap, Gap::reset);
    EXPECT_EQ(reset->growth, 0);
    const auto next = add(history, spec, raw(80), 3 * second);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->gap, Gap::none);
    EXPECT_EQ(next->value, 30);
}

TEST(History, AThirtyTwoBitWrapIsARateLikeAnyOther) {
    History history;
    const SeriesSpec spec = counter_of(1e-3, 32);
    add(history, spec, raw(4'294'967'000), 1 * second);
    const auto point = add(history, spec, raw(204), 2 * second); // 296 to the wrap, 204 after it: 500 ms in 1 s
    ASSERT_TRUE(point);
    EXPECT_DOUBLE_EQ(point->value, 0.5);
}

TEST(History, AbsenceIsOneGapAndTheFirstReadingAfterItStartsAnew) {
    History history;
    const SeriesSpec spec = counter_of();
    EXPECT_FALSE(history.add(spec, missing, 1 * second, 1 * second)) << "nothing was known that could be lost";
    add(history, spec, raw(10), 2 * second);
    const auto gap = add(history, spec, missing, 3 * second);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->gap, Gap::absent);
    EXPECT_EQ(gap->start_ns, 2 * second);
    EXPECT_EQ(gap->end_ns, 3 * second);
    EXPECT_FALSE(add(history, spec, missing, 4 * second));
    EXPECT_FALSE(add(history, spec, raw(500), 5 * second)) << "what it grew while nobody looked is no rate";
    EXPECT_EQ(add(history, spec, raw(507), 6 * second)->value, 7);
}

TEST(History, AValueWithoutAnInstantIsAbsent) {
    History history;
    add(history, counter_of(), raw(10), 2 * second);
    const auto gap = history.add(counter_of(), raw(20), 0, 3 * second);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->gap, Gap::absent);
}

TEST(History, IdleTimeThatStepsBackCountsNothingTwice) {
    History history;
    SeriesSpec idle = counter_of(0.01);
    idle.rule.step_back_max = 100;
    add(history, idle, raw(1'000), 1 * second);
    const auto back = add(history, idle, raw(995), 2 * second);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->gap, Gap::none);
    EXPECT_EQ(back->value, 0);
    const auto next = add(history, idle, raw(1'060), 3 * second);
    ASSERT_TRUE(next);
    EXPECT_DOUBLE_EQ(next->growth, 0.6) << "60 ticks above the 1,000 that were counted, not 65";
    EXPECT_EQ(next->start_ns, 2 * second);
}

TEST(History, A128BitValueHasTwoHalves) {
    History history;
    SeriesSpec units = counter_of(512'000, 128);
    units.value = ASSAY_VALUE_U128;
    assay_sample_value first = raw(~std::uint64_t{0});
    first.high = 1;
    assay_sample_value second_value = raw(1);
    second_value.high = 2;
    add(history, units, first, 1 * second);
    EXPECT_EQ(add(history, units, second_value, 2 * second)->growth, 2 * 512'000);
}

TEST(History, AFullCounterHasNoRateUntilItIsReset) {
    History history;
    SeriesSpec data = counter_of(4, 32);
    data.rule.overflow = ASSAY_OVERFLOW_SATURATES;
    add(history, data, raw(4'294'967'000), 1 * second);
    EXPECT_EQ(add(history, data, raw(4'294'967'295), 2 * second)->gap, Gap::saturated);
    EXPECT_EQ(add(history, data, raw(4'294'967'295), 3 * second)->gap, Gap::saturated);
    EXPECT_EQ(add(history, data, raw(0), 4 * second)->gap, Gap::saturated);
    EXPECT_EQ(add(history, data, raw(1'000), 5 * second)->value, 4'000);
}

TEST(History, AGaugeIsValidFromItsFirstReading) {
    History history;
    SeriesSpec celsius;
    celsius.value = ASSAY_VALUE_I64;
    celsius.scale = 1e-3;
    assay_sample_value cold{};
    cold.present = 1;
    cold.as.i64 = -5'500;
    const auto point = add(history, celsius, cold, 1 * second);
    ASSERT_TRUE(point);
    EXPECT_DOUBLE_EQ(point->value, -5.5);
    EXPECT_EQ(point->start_ns, point->end_ns);
    EXPECT_FALSE(history.add(celsius, cold, 1 * second, 2 * second)) << "the same instant again";
    EXPECT_EQ(add(history, celsius, cold, 3 * second)->start_ns, 1 * second);
}

TEST(History, NegativeCountersAndNumbersThatAreNoneAreAbsent) {
    History history;
    SeriesSpec spec = counter_of();
    spec.value = ASSAY_VALUE_I64;
    assay_sample_value negative{};
    negative.present = 1;
    negative.as.i64 = -1;
    add(history, spec, raw(5), 1 * second);
    EXPECT_EQ(add(history, spec, negative, 2 * second)->gap, Gap::absent);
    History other;
    SeriesSpec gauge;
    gauge.value = ASSAY_VALUE_F64;
    assay_sample_value nan{};
    nan.present = 1;
    nan.as.f64 = __builtin_nan("");
    EXPECT_FALSE(add(other, gauge, nan, 1 * second));
}

TEST(History, AForgottenSeriesStartsAnew) {
    History history;
    add(history, counter_of(), raw(10), 1 * second);
    history.forget();
    EXPECT_FALSE(add(history, counter_of(), raw(1'000), 2 * second));
}

} // namespace
} // namespace assay::sample
