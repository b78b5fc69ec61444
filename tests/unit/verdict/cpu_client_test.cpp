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

// 20 s at 100,000/s, all workers spinning; response times are of 320 us service and what passed before the start.
result::Run spinning_open_run(std::uint64_t response_ns) {
    result::Run run = honest_run();
    phase_of(run).workers[0].cpu_user_ns = 14 * second;
    phase_of(run).arrival = result::Arrival{"constant", 100'000, 0, 0};
    phase_of(run).operations[0].histograms.emplace_back("response", latencies(honest_operations, response_ns));
    return run;
}

TEST(CpuClient, AnOpenLoopThatKeptItsScheduleWasNotLimited) {
    result::Run run = spinning_open_run(330'000);
    phase_of(run).arrival->late_starts = 20'000; // 1 % of 2,000,000
    const result::Verdict verdict = verdict_of(run, "cpu.client");
    EXPECT_EQ(verdict.level, Level::pass);
    expect_in(verdict.message, "the generator kept up");
    phase_of(run).arrival->late_starts = 20'001;
    EXPECT_EQ(verdict_of(run, "cpu.client").level, Level::suspect);
}

TEST(CpuClient, AnOpenLoopWhoseThreadStartsLateIsLimitedByIt) {
    result::Run just = spinning_open_run(355'000); // 35 / 355 = 9.9 %
    EXPECT_EQ(verdict_of(just, "cpu.client").level, Level::pass);
    result::Run late = spinning_open_run(357'000); // 37 / 357 = 10.4 %
    EXPECT_EQ(verdict_of(late, "cpu.client").level, Level::suspect);
    result::Run silent = spinning_open_run(330'000);
    phase_of(silent).operations[0].histograms.pop_back(); // no response times: nothing shows that it kept up
    EXPECT_EQ(verdict_of(silent, "cpu.client").level, Level::suspect);
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
