#include "core/verdict/host_load.hpp"
#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(CpuHot, ACpuThatIsHalfBusyIsFineAndTheArithmeticSaysSo) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=1", 0.4);
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.level, Level::pass);
    EXPECT_EQ(verdict.message, "The busiest CPU, 1, was 75.0 % busy; the mean over 2 CPUs was 65.0 %.");
    EXPECT_EQ(verdict.arithmetic, "CPU 1: 40.0 % user + 30.0 % system + 0.0 % irq + 5.0 % softirq = 75.0 %");
}

TEST(CpuHot, NamesTheOneHotCpuAndTheMeanBesideIt) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=1", 0.64); // + 0.3 + 0.05 = 0.99; the mean is (0.55 + 0.99) / 2
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "CPU 1 was 99.0 % busy; the mean over 2 CPUs was 77.0 %.");
    EXPECT_EQ(verdict.message.find("softirq"), std::string::npos) << verdict.message;
    expect_in(verdict.remedy, "perf top -C 1");
}

TEST(CpuHot, Busy95PercentIsTheBoundary) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=0", 0.5999);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
    set_sampled(run, "cpu.user", "cpu=0", 0.6001);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::suspect);
}

TEST(CpuHot, NiceAndInterruptsAreBusyGuestAndWaitingForIoAreNot) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.iowait", "cpu=0", 0.45);
    set_sampled(run, "cpu.guest", "cpu=0", 0.45);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
    set_sampled(run, "cpu.nice", "cpu=0", 0.21);
    set_sampled(run, "cpu.irq", "cpu=0", 0.2);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::suspect);
}

TEST(CpuHot, MostlySoftInterruptsAreNamedAndTheirRemedyIsAnother) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.softirq", "cpu=0", 0.49); // of 0.99: less than half
    EXPECT_EQ(verdict_of(run, "cpu.hot").message.find("softirq"), std::string::npos);
    set_sampled(run, "cpu.user", "cpu=0", 0.1);
    set_sampled(run, "cpu.system", "cpu=0", 0.09);
    set_sampled(run, "cpu.softirq", "cpu=0", 0.81); // of 1.00
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    expect_in(verdict.message, "CPU 0 was 100 % busy");
    expect_in(verdict.message,
              "81.0 % of that were interrupts (softirq): the receive path of a network or the completion");
    expect_in(verdict.remedy, "IRQ affinity");
    expect_in(verdict.remedy, "RSS");
}

TEST(CpuHot, TheKindsOfSoftInterruptsTellWhichPathItIs) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.softirq", "cpu=0", 0.8);
    repeat_of(run).samples.push_back(sampled("softirq.count", "cpu=0,kind=NET_RX", 50'000));
    repeat_of(run).samples.push_back(sampled("softirq.count", "cpu=0,kind=BLOCK", 100));
    repeat_of(run).samples.push_back(sampled("softirq.count", "cpu=1,kind=BLOCK", 90'000));
    expect_in(verdict_of(run, "cpu.hot").message, "(softirq): the receive path of the network.");
    set_sampled(run, "softirq.count", "cpu=0,kind=BLOCK", 60'000);
    expect_in(verdict_of(run, "cpu.hot").message, "(softirq): the completion path of a block device.");
}

TEST(CpuHot, HalfOfTheWindowAtTheLimitIsEnough) {
    result::Run run = honest_run();
    result::SampledSeries& user = series_of(run, "cpu.user", "cpu=0"); // points 1 .. 20 lie in the window
    for (std::size_t at = 1; at <= 9; ++at)
        user.points[at].value = 0.64;
    fill_idle(run);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
    user.points[10].value = 0.64; // 10 of 20 s at 99 %, 10 s at 55 %: 77 % over all
    fill_idle(run);
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "CPU 0 was at least 95 % busy for 50.0 % of the time, 77.0 % over all of it");
}

TEST(CpuHot, IntervalsTooShortForTicksDoNotCountAsHot) {
    result::Run run = honest_run();
    for (result::SampledSeries& series : repeat_of(run).samples) {
        series.points.clear();
        // 0.1 s each: every second one full, as a CPU of 75 % looks in ticks of 10 ms now and then.
        for (std::int64_t at = 0; at < 200; ++at) {
            const std::int64_t start = 10 * second + at * second / 10;
            const double value = series.metric == "cpu.user" ? (at % 2 == 0 ? 1 : 0.5) : 0;
            series.points.push_back({start, start + second / 10, value});
        }
    }
    fill_idle(run);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
}

// 0.875 s counted of each second: 0.583 s busy, 0.292 s idle.
TEST(CpuHot, SharesAreOfTheTimeThatTheKernelCounted) {
    result::Run run = honest_run();
    for (const auto& [metric, value] : {std::pair{"cpu.user", 0.4},
                                        {"cpu.system", 0.183},
                                        {"cpu.softirq", 0.0},
                                        {"cpu.iowait", 0.0},
                                        {"cpu.idle", 0.292}})
        for (result::SampledSeries::Point& point : series_of(run, metric, "cpu=0").points)
            point.value = value;
    expect_in(verdict_of(run, "cpu.hot").message, "The busiest CPU, 0, was 66.6 % busy"); // 0.583 / 0.875
    for (const auto& [metric, value] : {std::pair{"cpu.user", 0.5}, {"cpu.system", 0.375}, {"cpu.idle", 0.0}})
        for (result::SampledSeries::Point& point : series_of(run, metric, "cpu=0").points)
            point.value = value;
    expect_in(verdict_of(run, "cpu.hot").message, "CPU 0 was 100 % busy"); // never idle
}

TEST(CpuHot, WhatHappenedOutsideOfTheWindowIsNotItsLoad) {
    result::Run run = honest_run();
    result::SampledSeries& user = series_of(run, "cpu.user", "cpu=0");
    user.points.front().value = 1;
    user.points.back().value = 1;
    expect_in(verdict_of(run, "cpu.hot").message, "was 55.0 % busy");
}

TEST(CpuHot, OtherHotCpusAreListed) {
    result::Run run = honest_run();
    for (const char* cpu : {"cpu=2", "cpu=3"})
        repeat_of(run).samples.push_back(sampled("cpu.user", cpu, 0.96));
    set_sampled(run, "cpu.user", "cpu=0", 0.62); // 0.97, 0.55, 0.96, 0.96: 3.44 / 4
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    expect_in(verdict.message, "CPU 0 was 97.0 % busy; the mean over 4 CPUs was 86.0 %. So were CPUs 2, 3.");
    expect_in(verdict.message, "cannot get faster than it");
}

TEST(CpuHot, AMachineWithoutAnIdleCpuIsCalledThat) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=0", 0.62);
    set_sampled(run, "cpu.user", "cpu=1", 0.64);
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.message,
              "CPU 1 was 99.0 % busy; the mean over 2 CPUs was 98.0 %. So was CPU 0. No CPU was left: "
              "the rate may be this machine's, not the target's.");
    expect_in(verdict.remedy, "more machines");
}

TEST(CpuHot, AWorkerPinnedThereIsMentioned) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=1", 0.64);
    phase_of(run).workers[0].cpu = 1;
    expect_in(verdict_of(run, "cpu.hot").remedy, "1 worker of this job is pinned to it");
}

TEST(CpuHot, SaysNothingWhenNothingWasSampled) {
    result::Run run = honest_run();
    repeat_of(run).samples.clear();
    EXPECT_TRUE(verdicts_of(run, "cpu.hot").empty());
    EXPECT_TRUE(verdicts_of(run, "cpu.steal").empty());
}

TEST(CpuHot, SamplesWithoutCpusLeaveItUnknown) {
    result::Run run = honest_run();
    repeat_of(run).samples = {sampled("disk.read", "device=vda", 1)};
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.level, Level::unknown);
    EXPECT_EQ(verdict.message, "The samples of this repeat hold no CPU times.");
}

TEST(CpuHot, SamplesMustCoverNineTenthsOfTheWindow) {
    result::Run run = honest_run();
    for (result::SampledSeries& series : repeat_of(run).samples)
        series.points.erase(series.points.begin(), series.points.begin() + 3); // from 12 s on: 18 of 20 s
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
    for (result::SampledSeries& series : repeat_of(run).samples)
        series.points.erase(series.points.begin()); // 17 of 20 s
    const result::Verdict verdict = verdict_of(run, "cpu.hot");
    EXPECT_EQ(verdict.level, Level::unknown);
    EXPECT_EQ(verdict.message, "The samples cover 85.0 % of the window for CPU 0; at least 90 % are needed.");
}

TEST(CpuHot, AHotCpuCountsAlthoughAnotherWasNotSeen) {
    result::Run run = honest_run();
    series_of(run, "cpu.user", "cpu=0").points.resize(3);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::unknown);
    set_sampled(run, "cpu.user", "cpu=1", 0.64);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::suspect);
}

TEST(CpuHot, AWindowOfLessThanHalfASecondIsTooShortForTicks) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.user", "cpu=0", 0.7);
    phase_of(run).window_end_ns = 10 * second + second / 2 - 1;
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::unknown);
    phase_of(run).window_end_ns = 10 * second + second / 2;
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::suspect);
}

TEST(MeanOver, WeighsPointsByTheirTimeInsideTheWindow) {
    result::Phase phase;
    phase.window_start_ns = 10 * second;
    phase.window_end_ns = 14 * second;
    result::SampledSeries series;
    // 1 s of 8 (the other second lies before), 2 s of 2; 1 s of the window is not covered.
    series.points = {{9 * second, 11 * second, 8}, {11 * second, 13 * second, 2}};
    const SampledMean mean = mean_over(series, phase);
    EXPECT_DOUBLE_EQ(mean.mean, 4); // (8 + 2 x 2) / 3
    EXPECT_DOUBLE_EQ(mean.covered, 0.75);
}

} // namespace
} // namespace assay::verdict
