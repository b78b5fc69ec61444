#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

// The honest run's window is 20 s.
TEST(CpuWait, AWorkerThatWaitedMoreThanATwentiethOfTheWindowIsSuspect) {
    result::Run run = honest_run();
    phase_of(run).workers[0].run_wait_ns = 10'000'000;
    phase_of(run).workers[1].index = 1;
    phase_of(run).workers[1].cpu = 3;
    phase_of(run).workers[1].run_wait_ns = 3 * second;
    const result::Verdict verdict = verdict_of(run, "cpu.wait");
    EXPECT_EQ(verdict.level, Level::suspect);
    EXPECT_EQ(verdict.arithmetic, "worker 1: 3.00 s / 20.0 s = 0.150");
    expect_in(verdict.message, "Worker 1 was ready to run and waited for a CPU for 15.0 %");
    expect_in(verdict.remedy, "CPU 3");
}

TEST(CpuWait, NobodyWaitsForMoreThanAllOfTheWindow) {
    result::Run run = honest_run();
    phase_of(run).workers[0].run_wait_ns = 21 * second; // what was read around a window of 20 s
    const result::Verdict verdict = verdict_of(run, "cpu.wait");
    expect_in(verdict.message, "waited for a CPU for 100 % of the window");
    EXPECT_EQ(verdict.arithmetic, "worker 0: 21.0 s / 20.0 s > 1.000");
}

TEST(CpuWait, ATwentiethIsTheBoundary) {
    result::Run run = honest_run();
    phase_of(run).workers[0].run_wait_ns = second;
    EXPECT_EQ(verdict_of(run, "cpu.wait").level, Level::pass);
    phase_of(run).workers[0].run_wait_ns = second + 1;
    EXPECT_EQ(verdict_of(run, "cpu.wait").level, Level::suspect);
}

TEST(CpuWait, SaysNothingWhereTheKernelDoesNotCountIt) {
    result::Run run = honest_run();
    EXPECT_TRUE(verdicts_of(run, "cpu.wait").empty());
}

} // namespace
} // namespace assay::verdict
