#include "core/base/clock.hpp"

#include "core/base/tsc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>
#include <utility>

namespace assay {
namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;

TEST(Clock, MonotonicNsIsTheKernelsClock) {
    const auto before = std::chrono::steady_clock::now().time_since_epoch();
    const std::int64_t now = monotonic_ns();
    const auto after = std::chrono::steady_clock::now().time_since_epoch();
    EXPECT_GE(now, std::chrono::nanoseconds(before).count());
    EXPECT_LE(now, std::chrono::nanoseconds(after).count());
}

TEST(Clock, TheTscServesOnlyWhereItIsInvariantAndTheKernelTrustsIt) {
    EXPECT_TRUE(tsc_serves_as_clock(true, "tsc\n", "tsc hpet acpi_pm \n"));
    EXPECT_TRUE(tsc_serves_as_clock(true, "kvm-clock\n", "kvm-clock tsc acpi_pm \n"));
    EXPECT_FALSE(tsc_serves_as_clock(true, "kvm-clock\n", "kvm-clock acpi_pm \n")) << "found unstable";
    EXPECT_FALSE(tsc_serves_as_clock(true, "hpet\n", "hpet tsc \n"));
    EXPECT_FALSE(tsc_serves_as_clock(true, "hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page tsc\n"));
    EXPECT_FALSE(tsc_serves_as_clock(true, "", "")) << "unreadable";
    EXPECT_FALSE(tsc_serves_as_clock(true, "kvm-clock", "xtsc tsc2")) << "whole names only";
    EXPECT_FALSE(tsc_serves_as_clock(false, "tsc", "tsc"));
}

TEST(Clock, FactorsAreWithinTheirRoundingAtEveryPlausibleFrequency) {
    for (const double ghz : {0.1, 1.0, 2.1, 2.6, 5.0, 9.9}) {
        const auto clock = clock_from_rates(static_cast<std::uint64_t>(ghz * 1e9), 1'000'000'000);
        ASSERT_TRUE(clock.has_value()) << ghz;
        const std::uint64_t ns = assay_clock_ns(&*clock, 0, static_cast<std::uint64_t>(ghz * 1e9 * 100));
        EXPECT_NEAR(static_cast<double>(ns), 100e9, 100e9 * 5e-6) << ghz;
    }
}

TEST(Clock, DifferencesOfMoreThanFourHoursDoNotOverflow) {
    for (const std::uint64_t hz : {100'000'000ULL, 2'600'000'000ULL, 10'000'000'000ULL}) {
        const auto clock = clock_from_rates(hz, 1'000'000'000);
        ASSERT_TRUE(clock.has_value());
        const std::uint64_t ns = assay_clock_ns(&*clock, 17, 17 + hz * 3600 * 4 + hz * 1800);
        EXPECT_NEAR(static_cast<double>(ns), 4.5 * static_cast<double>(kHourNs),
                    4.5e-6 * static_cast<double>(kHourNs) * 5);
    }
}

TEST(Clock, ImplausibleRatesGiveNoClock) {
    EXPECT_FALSE(clock_from_rates(0, 20'000'000).has_value());
    EXPECT_FALSE(clock_from_rates(20'000'000, 0).has_value());
    EXPECT_FALSE(clock_from_rates(1'000'000, 20'000'000).has_value()) << "50 MHz";
    EXPECT_FALSE(clock_from_rates(400'000'000, 20'000'000).has_value()) << "20 GHz";
    EXPECT_FALSE(clock_from_rates(std::numeric_limits<std::uint64_t>::max(), 20'000'000).has_value());
    EXPECT_FALSE(clock_from_rates(-std::uint64_t{1} << 40, 20'000'000).has_value()) << "a counter that went backwards";
}

// The tightest of several brackets: the counter, and CLOCK_MONOTONIC in its middle.
std::pair<std::uint64_t, std::uint64_t> instant(const assay_clock& clock) {
    std::uint64_t best = UINT64_MAX;
    std::pair<std::uint64_t, std::uint64_t> result;
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t before = assay_clock_ticks(&clock);
        const std::uint64_t ns = assay_clock_monotonic_ns();
        const std::uint64_t after = assay_clock_ticks(&clock);
        if (after - before >= best) continue;
        best = after - before;
        result = {before + best / 2, ns};
    }
    return result;
}

TEST(Clock, TheHotClockAgreesWithTheKernelsToTenPartsInAMillion) {
    const assay_clock& clock = hot_clock();
    ASSERT_GT(clock.mult, 0u);
    double best = 1;
    for (int i = 0; i < 5 && best > 10e-6; ++i) { // a stalled CPU spoils one attempt, not all
        const auto [ticks_a, ns_a] = instant(clock);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto [ticks_b, ns_b] = instant(clock);
        const auto measured = static_cast<double>(assay_clock_ns(&clock, ticks_a, ticks_b));
        const auto expected = static_cast<double>(ns_b - ns_a);
        best = std::min(best, std::fabs(measured / expected - 1));
    }
    EXPECT_LT(best, 10e-6);
}

TEST(Clock, TheHotClockIsCalibratedOnce) {
    const assay_clock* first = &hot_clock();
    const std::int64_t before = monotonic_ns();
    EXPECT_EQ(&hot_clock(), first);
    EXPECT_LT(monotonic_ns() - before, 10'000'000) << "the second call must not calibrate again";
}

TEST(Clock, UtcTextIsIso8601OfNow) {
    const std::time_t before = std::time(nullptr);
    const std::string text = utc_now_text();
    const std::time_t after = std::time(nullptr);
    std::tm parsed{};
    ASSERT_NE(::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed), nullptr) << text;
    EXPECT_EQ(text.size(), 20u);
    EXPECT_GE(::timegm(&parsed), before);
    EXPECT_LE(::timegm(&parsed), after);
}

} // namespace
} // namespace assay
