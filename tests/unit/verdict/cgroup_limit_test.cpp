#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

void limit_cpu(result::Run& run, double cpus) {
    run.context.push_back({"cpu_limit", cpus, "CPUs", "/sys/fs/cgroup/x/cpu.max"});
}
void limit_io(result::Run& run, const std::string& text) {
    run.context.push_back({"cgroup_io_limits", text, "", "cgroup"});
    job_of(run).targets[0].context.push_back({"disk_number", std::string("254:0"), "", "sysfs"});
}
void throttle(result::Run& run, double share) {
    set_sampled(run, "cgroup.throttled_time", "cgroup=/,version=2", share);
    set_sampled(run, "cgroup.throttled", "cgroup=/,version=2", 9.5);
}

TEST(CgroupLimit, NoLimitIsFine) {
    result::Run run = honest_run();
    EXPECT_EQ(verdict_of(run, "cgroup.limit").message, "No cgroup limits CPU time or I/O.");
}

TEST(CgroupLimit, ALimitThatWasNotReachedIsANote) {
    result::Run run = honest_run();
    limit_cpu(run, 1.5);
    const result::Verdict verdict = verdict_of(run, "cgroup.limit");
    EXPECT_EQ(verdict.level, Level::note);
    EXPECT_EQ(verdict.message, "A cgroup limits the CPU time to 1.5 CPUs; it was not reached.");
}

TEST(CgroupLimit, BeingStoppedByItIsSuspect) {
    result::Run run = honest_run();
    limit_cpu(run, 0.5);
    throttle(run, 0.4);
    const result::Verdict verdict = verdict_of(run, "cgroup.limit");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message,
              "Cgroup / was stopped by the CPU limit of 0.5 CPUs for 400 ms a second of CPU time, in "
              "9.5 periods a second.");
    EXPECT_EQ(verdict.arithmetic, "0.4000 s stopped / s");
    expect_in(verdict.remedy, "cpu.max");
}

TEST(CgroupLimit, OnePercentOfTheTimeIsTheBoundary) {
    result::Run run = honest_run();
    throttle(run, 0.0099);
    EXPECT_EQ(verdict_of(run, "cgroup.limit").level, Level::note);
    throttle(run, 0.0101);
    EXPECT_EQ(verdict_of(run, "cgroup.limit").level, Level::suspect);
}

TEST(CgroupLimit, OfSeveralGroupsTheOneThatWasStoppedLongestIsNamed) {
    result::Run run = honest_run();
    repeat_of(run).samples.push_back(sampled("cgroup.throttled_time", "cgroup=/batch,version=1", 0.3));
    throttle(run, 0.1);
    expect_in(verdict_of(run, "cgroup.limit").message, "Cgroup /batch was stopped by its CPU limit for 300 ms");
}

TEST(CgroupLimit, WithoutSamplesALimitIsStillToldAndNoLimitIsNotClaimed) {
    result::Run run = honest_run();
    repeat_of(run).samples.clear();
    EXPECT_TRUE(verdicts_of(run, "cgroup.limit").empty());
    limit_cpu(run, 2);
    const result::Verdict verdict = verdict_of(run, "cgroup.limit");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "whether it was reached was not sampled");
}

TEST(CgroupLimit, AnIoLimitElsewhereIsANote) {
    result::Run run = honest_run();
    limit_io(run, "/sys/fs/cgroup/x/io.max: 8:0 rbps=409600000 wbps=max riops=max wiops=max");
    const result::Verdict verdict = verdict_of(run, "cgroup.limit");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "8:0 rbps=409600000");
}

// The honest run reads 409,600,000 B/s with 100,000 requests a second.
TEST(CgroupLimit, ARateNearAnIoLimitOfItsDeviceIsSuspect) {
    for (const auto& [limits, level] :
         {std::pair{"/x/io.max: 254:0 rbps=450000000 wbps=max riops=max wiops=max", Level::suspect}, // 0.91
          {"/x/io.max: 254:0 rbps=460000000 wbps=max riops=max wiops=max", Level::note},             // 0.89
          {"/x/io.max: 254:0 rbps=max wbps=409600000 riops=max wiops=max", Level::note},             // no writes
          {"/x/io.max: 8:0 rbps=1 wbps=1 riops=1 wiops=1,254:0 rbps=max wbps=max riops=100000 wiops=max",
           Level::suspect},
          {"/y/blkio.throttle.read_bps_device: 254:0 409600000", Level::suspect},
          {"/y/blkio.throttle.write_bps_device: 254:0 1; /y/blkio.throttle.read_iops_device: 254:0 99000",
           Level::suspect},
          {"/y/blkio.throttle.read_bps_device: 254:0 40960000", Level::note}}) { // ten times: not subject to it
        result::Run run = honest_run();
        limit_io(run, limits);
        EXPECT_EQ(verdict_of(run, "cgroup.limit").level, level) << limits;
    }
}

TEST(CgroupLimit, TheArithmeticOfAReachedIoLimitIsShown) {
    result::Run run = honest_run();
    limit_io(run, "/y/blkio.throttle.read_bps_device: 254:0 409600000");
    const result::Verdict verdict = verdict_of(run, "cgroup.limit");
    EXPECT_EQ(verdict.arithmetic, "409600000 / 409600000 = 1.000");
    expect_in(verdict.message, "The rate is that of a cgroup's I/O limit (read_bps 409600000 on 254:0)");
}

} // namespace
} // namespace assay::verdict
