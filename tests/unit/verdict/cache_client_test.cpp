#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

void make_buffered(result::Job& job) {
    job.targets[0].direct = false;
    set_fact(job, "direct_in_force", false);
}
void make_writes(result::Job& job) {
    job.phases[0].operations[0].kind = OperationKind::write;
    job.phases[0].operations[0].name = "write";
    std::swap(job.devices[0].read_bytes, job.devices[0].written_bytes);
}
// A job of the same window on the same device.
result::Job& add_job(result::Run& run, const std::string& name) {
    result::Job job = job_of(run);
    job.name = name;
    repeat_of(run).jobs.push_back(job);
    return repeat_of(run).jobs.back();
}
Level level_of(result::Run& run, const std::string& job) {
    for (const result::Verdict& verdict : verdicts_of(run, "cache.client"))
        if (verdict.job == job) return verdict.level;
    ADD_FAILURE() << "no verdict on " << job;
    return Level::pass;
}

TEST(CacheClient, ReadsThatMemoryAnsweredAreInvalid) {
    result::Run run = honest_run();
    make_buffered(job_of(run));
    phase_of(run).operations[0].bytes = 64ULL << 30;
    job_of(run).targets[0].extents.reset();
    job_of(run).devices[0].read_bytes = static_cast<std::uint64_t>(0.32 * gib);
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::invalid);
    // 0.32 GiB = 327.7 MiB; 1 - 0.32 / 64 = 99.5 %; 5 x 64 GiB of memory.
    EXPECT_EQ(verdict.message, "64.0 GiB reached the workload, 328 MiB left vda. 99.5 % came from memory.");
    EXPECT_EQ(verdict.remedy, "Use at least 320 GiB (5 x 64.0 GiB RAM), or direct: yes.");
    EXPECT_EQ(verdict.arithmetic, "328 MiB / 64.0 GiB = 0.005");
    EXPECT_EQ(verdict.operation, "read");
}

TEST(CacheClient, NineTenthsFromTheDeviceAreEnough) {
    result::Run run = honest_run();
    job_of(run).devices[0].read_bytes = honest_bytes / 10 * 9;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
    // Less 0.9 of what was in flight when the window opened: 2 x 2 workers x 16 x 4 KiB = 256 KiB, 230.4 KiB of it.
    job_of(run).devices[0].read_bytes = honest_bytes / 10 * 9 - 230 * 1024;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::unknown);
    job_of(run).devices[0].read_bytes = honest_bytes / 10 * 9 - 231 * 1024;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::invalid);
}

// 101 reads of 4 KiB reached a worker at depth 16, a burst of 16 of them sent off within the warm-up.
TEST(CacheClient, RequestsThatWereSentOffInTheWarmUpAreNotFromMemory) {
    result::Run run = honest_run();
    result::Phase& phase = phase_of(run);
    phase.workers.resize(1);
    phase.operations[0] = operation("read", OperationKind::read, 101, 101 * 4096, 320'000);
    job_of(run).devices[0].read_bytes = 85 * 4096;
    job_of(run).facts.push_back({"process_read_bytes", std::int64_t{85 * 4096}, "B", "/proc/self/io"});
    result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "Up to 128 KiB of that were in flight when the window opened");
    EXPECT_EQ(verdict.remedy, "Measure longer.");
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::unknown);
    job_of(run).devices[0].read_bytes = 200 * 4096; // enough for all, but the process asked for less
    verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "404 KiB reached the workload, it asked vda for 340 KiB meanwhile.");
    job_of(run).devices[0].read_bytes = 60 * 4096; // 60 < 0.9 x (101 - 32) = 62.1
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::invalid);
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::invalid);
    phase.warmup_ns = 0; // nothing is in flight before the start
    job_of(run).devices[0].read_bytes = 85 * 4096;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::invalid);
}

TEST(CacheClient, MoreFromTheDeviceThanTheWorkloadGotIsNoCache) {
    result::Run run = honest_run(); // read-ahead, or somebody else's reads
    job_of(run).devices[0].read_bytes = 3 * honest_bytes;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
}

TEST(CacheClient, TheLowerOfMemoryAndItsLimitDecidesTheDataset) {
    result::Run run = honest_run();
    make_buffered(job_of(run));
    job_of(run).devices[0].read_bytes = 0;
    run.context.push_back({"memory_limit_bytes", std::int64_t{2} << 30, "B", "cgroup"});
    expect_in(verdict_of(run, "cache.client").remedy, "at least 10.0 GiB (5 x 2.00 GiB RAM)");
}

TEST(CacheClient, ADirectReadThatNoDeviceAnsweredIsNotToldToUseDirect) {
    result::Run run = honest_run();
    job_of(run).devices[0].read_bytes = 0;
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_EQ(verdict.remedy.find("direct: yes"), std::string::npos) << verdict.remedy;
}

TEST(CacheClient, WithoutADeviceNothingIsKnownAndTheReasonIsGiven) {
    result::Run run = honest_run();
    result::Job& job = job_of(run);
    job.targets[0].devices.clear();
    job.targets[0].context = {{"devices_unknown_why", std::string("tmpfs keeps its files in memory"), "", "mountinfo"}};
    job.devices.clear();
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "/data/file: tmpfs keeps its files in memory.");
    EXPECT_FALSE(verdict.remedy.empty());
}

TEST(CacheClient, CountersThatAreMissingBackwardsOrOfAnotherWindowProveNothing) {
    result::Run run = honest_run();
    result::DeviceDelta& vda = job_of(run).devices[0];
    vda.read_bytes = 0;
    vda.valid = false;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::unknown);
    vda.valid = true;
    vda.window_ns = 18 * second; // 0.90 of 20 s
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::unknown);
    vda.window_ns = 19 * second + second / 2; // 0.975
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::invalid);
    job_of(run).devices.clear();
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::unknown);
}

TEST(CacheClient, ABlockDeviceWhoseCountersStandStillDoesNotCount) {
    result::Run run = honest_run();
    job_of(run).targets[0].kind = "block device";
    job_of(run).targets[0].extents.reset();
    job_of(run).devices[0] = {"ram0", 0, 0, 0, 0, true, "/proc/diskstats", 20 * second};
    job_of(run).targets[0].devices = {"ram0"};
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::unknown);
    make_buffered(job_of(run)); // then a cache may have answered everything
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::invalid);
}

TEST(CacheClient, DoesNotApplyWithoutAPathOrWithoutAMeasuredPhase) {
    result::Run network = honest_run();
    job_of(network).targets[0].kind = "endpoint";
    EXPECT_TRUE(verdicts_of(network, "cache.client").empty());
    result::Run failed = honest_run();
    job_of(failed).phases.clear();
    EXPECT_TRUE(verdicts_of(failed, "cache.client").empty());
}

TEST(CacheClient, LeavesReadsOfHolesToTheCheckThatKnowsThem) {
    result::Run run = honest_run();
    job_of(run).targets[0].extents = result::Extents{true, "", honest_bytes, 0, 0, honest_bytes};
    job_of(run).devices[0].read_bytes = 0;
    EXPECT_TRUE(verdicts_of(run, "cache.client").empty());
    // Half a file: only its written half can come from the device.
    job_of(run).targets[0].extents = result::Extents{true, "", honest_bytes, honest_bytes / 2, honest_bytes / 2, 0};
    job_of(run).devices[0].read_bytes = honest_bytes / 2;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
}

TEST(CacheClient, DirectWritesMustReachTheDevice) {
    result::Run run = honest_run();
    make_writes(job_of(run));
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
    job_of(run).devices[0].written_bytes = honest_bytes / 2;
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_EQ(verdict.message,
              "7.63 GiB were written by the workload, 3.81 GiB reached vda meanwhile. 50.0 % stayed in memory.");
    EXPECT_EQ(verdict.operation, "write");
}

TEST(CacheClient, BufferedWritesThatLagAreANote) {
    result::Run run = honest_run();
    make_buffered(job_of(run));
    make_writes(job_of(run));
    job_of(run).devices[0].written_bytes = honest_bytes / 4;
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "75.0 % stayed in memory.");
    expect_in(verdict.remedy, "page cache's rate");
}

TEST(CacheClient, ReadsAndWritesOfAMixAreJudgedApart) {
    result::Run run = honest_run();
    phase_of(run).operations.push_back(operation("write", OperationKind::write, 1000, 4'096'000, 1000));
    job_of(run).devices[0].written_bytes = 0;
    const std::vector<result::Verdict> verdicts = verdicts_of(run, "cache.client");
    ASSERT_EQ(verdicts.size(), 2U);
    EXPECT_EQ(verdicts[0].operation, "read");
    EXPECT_EQ(verdicts[0].level, Level::pass);
    EXPECT_EQ(verdicts[1].operation, "write");
    EXPECT_EQ(verdicts[1].level, Level::invalid);
}

TEST(CacheClient, JobsOnOneDeviceAreComparedTogether) {
    result::Run run = honest_run();
    add_job(run, "backup");
    // Both got 8.192 GB; a device that moved that once answered half of it.
    EXPECT_EQ(level_of(run, "oltp"), Level::invalid);
    EXPECT_EQ(level_of(run, "backup"), Level::invalid);
    expect_in(verdicts_of(run, "cache.client")[0].message, "15.3 GiB reached jobs oltp and backup together");
    for (result::Job& job : repeat_of(run).jobs)
        job.devices[0].read_bytes = 2 * honest_bytes;
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
    EXPECT_EQ(level_of(run, "backup"), Level::pass);
}

TEST(CacheClient, ADirectJobIsNotBlamedForACachedNeighbour) {
    result::Run run = honest_run();
    make_buffered(add_job(run, "backup")); // all from memory: the device moved the direct job's bytes only
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
    EXPECT_EQ(level_of(run, "backup"), Level::invalid);
    expect_in(verdicts_of(run, "cache.client")[1].message, "7.63 GiB reached the workload, 0 B left vda. 100 % came");
}

TEST(CacheClient, OnlyTheOverlapOfAnotherJobsWindowCounts) {
    result::Run run = honest_run();
    result::Job& backup = add_job(run, "backup");
    // 20 s to 40 s: half of its bytes fall into 10 s to 30 s.
    backup.phases[0].window_start_ns = 20 * second;
    backup.phases[0].window_end_ns = 40 * second;
    job_of(run).devices[0].read_bytes = honest_bytes + honest_bytes / 2;
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
    // 1.25 / 1.5 = 0.83, but it may have moved a quarter there and three quarters later.
    job_of(run).devices[0].read_bytes = honest_bytes + honest_bytes / 4;
    EXPECT_EQ(level_of(run, "oltp"), Level::unknown);
    job_of(run).devices[0].read_bytes = honest_bytes / 4 * 3; // too little for this job alone
    EXPECT_EQ(level_of(run, "oltp"), Level::invalid);
}

TEST(CacheClient, TheSeriesTellsWhenAnotherJobReadAndIncludesItsWarmup) {
    result::Run run = honest_run();
    result::Job& backup = add_job(run, "backup");
    // A warm-up of one fixed amount inside this job's window, nothing afterwards.
    backup.phases[0].window_start_ns = 30 * second;
    backup.phases[0].window_end_ns = 50 * second;
    backup.phases[0].series = {{10 * second, 30 * second, {{1, honest_bytes, 0, 0, 0, 0, 0}}, 1, true}};
    job_of(run).devices[0].read_bytes = honest_bytes; // half of what both read meanwhile
    EXPECT_EQ(level_of(run, "oltp"), Level::invalid);
    backup.phases[0].series[0].end_ns = 50 * second; // over 40 s: none, some or all of it meanwhile
    const result::Verdict verdict = verdicts_of(run, "cache.client")[0];
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "How much of job backup's interval of 40.0 s moved inside this window is not known.");
    expect_in(verdict.remedy, "Use a shorter --interval");
    EXPECT_EQ(verdicts_of(run, "odirect.dropped")[0].level, Level::unknown);
    job_of(run).devices[0].read_bytes = honest_bytes / 2; // not enough for this job alone
    EXPECT_EQ(level_of(run, "oltp"), Level::invalid);
    job_of(run).devices[0].read_bytes = honest_bytes;
    backup.phases[0].series[0].start_ns = 30 * second; // not meanwhile
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
}

TEST(CacheClient, AJobThatSharesOneOfItsTwoDevicesLeavesOneBoundOpen) {
    result::Run run = honest_run();
    result::Job& striped = add_job(run, "striped");
    striped.targets[0].devices = {"vda", "vdb"};
    striped.devices.push_back({"vdb", honest_bytes, 0, 1, 0, true, "/proc/diskstats", 20 * second});
    // vda moved 1.5 times what oltp got: enough for it alone, too little if all of the other's came from vda as well.
    job_of(run).devices[0].read_bytes = honest_bytes / 2 * 3;
    striped.devices[0].read_bytes = honest_bytes / 2 * 3;
    EXPECT_EQ(level_of(run, "oltp"), Level::unknown);
    // Both devices are the other's: 2.5 for 2.
    EXPECT_EQ(level_of(run, "striped"), Level::pass);
    job_of(run).devices[0].read_bytes = honest_bytes / 2;
    EXPECT_EQ(level_of(run, "oltp"), Level::invalid);
    job_of(run).devices[0].read_bytes = honest_bytes * 2;
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
}

TEST(CacheClient, JobsOnDifferentDevicesDoNotMeet) {
    result::Run run = honest_run();
    result::Job& other = add_job(run, "other");
    other.targets[0].devices = {"vdb"};
    other.devices[0].device = "vdb";
    other.devices[0].read_bytes = 0;
    EXPECT_EQ(level_of(run, "oltp"), Level::pass);
    EXPECT_EQ(level_of(run, "other"), Level::invalid);
}

TEST(CacheClient, WhatTheDeviceDidForOthersDoesNotHideReadsFromMemory) {
    result::Run run = honest_run();
    make_buffered(job_of(run));
    job_of(run).devices[0].read_bytes = 3 * honest_bytes; // somebody else's
    job_of(run).facts.push_back({"process_read_bytes", static_cast<std::int64_t>(honest_bytes), "B", "/proc/self/io"});
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
    set_fact(job_of(run), "process_read_bytes", static_cast<std::int64_t>(honest_bytes / 10 * 9));
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
    set_fact(job_of(run), "process_read_bytes", static_cast<std::int64_t>(honest_bytes / 4));
    const result::Verdict verdict = verdict_of(run, "cache.client");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_NE(verdict.message.find("75.0 % came from memory"), std::string::npos) << verdict.message;
}

TEST(CacheClient, ALoopDeviceThatReadsItsFileThroughTheCacheIsNoted) {
    result::Run run = honest_run();
    job_of(run).targets[0].context.push_back({"loop_direct_io", false, "", "loop/dio"});
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::note);
    job_of(run).targets[0].context.back().value = true;
    EXPECT_EQ(verdict_of(run, "cache.client").level, Level::pass);
}

} // namespace
} // namespace assay::verdict
