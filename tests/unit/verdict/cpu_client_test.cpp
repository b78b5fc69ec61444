#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(CpuClient, AWorkerThatUsesAllOfACpuIsSuspect) {
    result::Run run = honest_run();
    phase_of(run).workers[1].index = 1;
    phase_of(run).workers[1].cpu_system_ns = 15'900'000'000; // 4 + 15.9 of 20 s
    const result::Verdict verdict = verdict_of(run, "cpu.client");
    EXPECT_EQ(verdict.level, Level::suspect);
    EXPECT_EQ(verdict.message,
              "Worker 1 used 99.5 % of a CPU (20 % user, 80 % system). 1 of 2 workers are at that limit. The generator "
              "may be the limit, not the target.");
    EXPECT_EQ(verdict.arithmetic, "worker 1: (4.00 s user + 15.9 s system) / 20.0 s = 0.995");
    expect_in(verdict.remedy, "Use more workers");
}

TEST(CpuClient, Busy95PercentIsTheBoundary) {
    result::Run run = honest_run();
    phase_of(run).workers[0].cpu_system_ns = 15 * second - 1;
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::pass);
    phase_of(run).workers[0].cpu_system_ns = 15 * second;
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::suspect);
}

TEST(CpuClient, CountsTheTimeThatAWorkerWasThere) {
    result::Run run = honest_run();
    phase_of(run).workers[0].ended_ns = 20 * second; // 10 s of CPU time in 10 s
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::suspect);
    phase_of(run).workers[0].ended_ns = 0; // to the end
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::pass);
}

TEST(CpuClient, APollingEngineIsNamed) {
    result::Run run = honest_run();
    job_of(run).options.push_back({"poll", "iopoll"});
    phase_of(run).workers[0].cpu_user_ns = 14 * second;
    const result::Verdict verdict = verdict_of(run, "cpu.client");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "(poll iopoll waits awake)");
}

TEST(CpuClient, AnOpenLoopThatKeptItsScheduleWasNotLimited) {
    result::Run run = honest_run();
    phase_of(run).workers[0].cpu_user_ns = 14 * second;
    phase_of(run).arrival = result::Arrival{"constant", 100'000, 20'000, 0}; // 1 % of 2,000,000
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::pass);
    phase_of(run).arrival->late_starts = 20'001;
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::suspect);
}

TEST(CpuClient, IsUnknownWhereNoThreadWasMeasured) {
    result::Run run = honest_run();
    for (result::Worker& worker : phase_of(run).workers)
        worker.cpu_user_ns = worker.cpu_system_ns = 0;
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::unknown);
    phase_of(run).workers.clear();
    EXPECT_TRUE(verdicts_of(run, "cpu.client").empty());
}

} // namespace
} // namespace assay::verdict
