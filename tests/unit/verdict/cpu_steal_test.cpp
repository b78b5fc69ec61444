#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(CpuSteal, MoreThanTwoPercentOfTheCpuTimeIsSuspect) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.steal", "cpu=1", 0.1); // 0.1 s/s / 2 CPUs = 5 %
    const result::Verdict verdict = verdict_of(run, "cpu.steal");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "gave 5.0 % of the CPU time to others, of CPU 1 10.0 %.");
    EXPECT_EQ(verdict.arithmetic, "0.100 s stolen a second / 2 CPUs = 5.00 %");
    ASSERT_EQ(verdict.evidence.size(), 4U);
    EXPECT_EQ(std::get<std::int64_t>(verdict.evidence[2].value), 1) << "worst_cpu";
}

TEST(CpuSteal, TwoPercentIsTheBoundary) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.steal", "cpu=0", 0.0399);
    EXPECT_EQ(verdict_of(run, "cpu.steal").level, Level::pass);
    set_sampled(run, "cpu.steal", "cpu=0", 0.0401);
    EXPECT_EQ(verdict_of(run, "cpu.steal").level, Level::suspect);
}

TEST(CpuSteal, StolenTimeIsNotBusyTime) {
    result::Run run = honest_run();
    set_sampled(run, "cpu.steal", "cpu=0", 0.45);
    EXPECT_EQ(verdict_of(run, "cpu.hot").level, Level::pass);
}

TEST(CpuSteal, IsUnknownWhereTheWindowIsNotCovered) {
    result::Run run = honest_run();
    for (result::SampledSeries& series : repeat_of(run).samples)
        series.points.resize(10);
    EXPECT_EQ(verdict_of(run, "cpu.steal").level, Level::unknown);
}

} // namespace
} // namespace assay::verdict
