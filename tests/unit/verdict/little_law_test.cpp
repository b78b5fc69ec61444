#include "assay/abi/target.h"
#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

// 20 s of reads by `workers` workers at `depth`, of a workload that measures neither its own time nor what is in
// flight.
result::Run bare_run(std::uint32_t workers, std::int64_t depth, double rate, std::uint64_t latency_ns) {
    result::Run run = honest_run();
    result::Job& job = job_of(run);
    job.workers = workers;
    set_fact(job, "requested_queue_depth", depth);
    set_fact(job, "effective_queue_depth", depth);
    result::Phase& phase = phase_of(run);
    const auto count = static_cast<std::uint64_t>(rate * 20);
    phase.operations = {operation("read", OperationKind::read, count, count * 4096, latency_ns)};
    phase.workers.assign(workers, phase.workers[0]);
    phase.mean_in_flight = 0;
    phase.generator_ns_per_operation.reset();
    return run;
}

// 32 configured, 10,000/s: a mean latency of 3.2 ms would be full.
Level level_at(std::uint64_t latency_ns) {
    result::Run run = bare_run(2, 16, 10'000, latency_ns);
    return verdict_of(run, "little.law").level;
}

TEST(LittleLaw, TheLevelsFollowTheRatioToWhatWasConfigured) {
    EXPECT_EQ(level_at(3'200'000), Level::pass);    // 1
    EXPECT_EQ(level_at(2'880'000), Level::pass);    // 0.90
    EXPECT_EQ(level_at(2'860'000), Level::suspect); // 0.894
    EXPECT_EQ(level_at(1'610'000), Level::suspect); // 0.503
    EXPECT_EQ(level_at(1'590'000), Level::invalid); // 0.497
    EXPECT_EQ(level_at(3'520'000), Level::pass);    // 1.10
    EXPECT_EQ(level_at(3'540'000), Level::suspect); // 1.106
    EXPECT_EQ(level_at(6'390'000), Level::suspect); // 1.997
    EXPECT_EQ(level_at(6'410'000), Level::invalid); // 2.003
}

TEST(LittleLaw, TheWorkedExampleConfirmsAFullQueue) {
    // fio's 128 in flight, 6955 IOPS, 17.98 ms: 6955 x 17.98 ms = 125.05, 128 / 125.05 is 2.4 % off.
    result::Run run = bare_run(4, 32, 6955, 17'980'000);
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::pass);
    expect_in(verdict.message, "125 of 128 in flight: the queue was full.");
}

TEST(LittleLaw, BetweenTwoAndAHalfAndTenPercentOffIsFineButConfirmsNothing) {
    result::Run run = bare_run(2, 16, 10'000, 3'040'000); // 0.95
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::pass);
    EXPECT_EQ(verdict.message.find("full"), std::string::npos) << verdict.message;
}

TEST(LittleLaw, PublishedResultsThatContradictThemselvesAreCaught) {
    // Columns of IOR, 256 processes in all. 4 nodes, read: 10,029,039/s x 17 us = 170.5, 0.67 of 256.
    result::Run four = bare_run(256, 1, 10'029'039, 17'000);
    const result::Verdict verdict = verdict_of(four, "little.law");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "10.0M IOPS x 17.0 us = 170 in flight, 256 were configured (0.67 of it)");
    // 8 nodes, write: 7,660,475/s x 17 us = 130.2, 0.51; read: 24,262,194/s x 5 us = 121.3, 0.47.
    result::Run write = bare_run(256, 1, 7'660'475, 17'000);
    EXPECT_EQ(verdict_of(write, "little.law").level, Level::suspect);
    result::Run read = bare_run(256, 1, 24'262'194, 5'000);
    EXPECT_EQ(verdict_of(read, "little.law").level, Level::invalid);
}

TEST(LittleLaw, TheGeneratorsOwnTimeExplainsPsyncOnAFastDevice) {
    // 1.4 M/s a worker, 560 ns latency: 0.78 of one; 154 ns between operations make it 1.
    result::Run run = bare_run(1, 1, 1'400'000, 560);
    phase_of(run).generator_ns_per_operation = 154;
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::pass);
    expect_in(verdict.message, "1.40M IOPS x (560 ns latency + 154 ns generator) = 1.00 of 1 in flight");
}

TEST(LittleLaw, WhatAnUnmeasuredGeneratorMayTakeIsUnknownNotSuspect) {
    // The same without the generator's time: 714 - 560 = 154 ns are missing.
    result::Run run = bare_run(1, 1, 1'400'000, 560);
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "154 ns an operation is missing");
    // 2.2 us between operations of 7.8 us are more than a generator needs: 100,000/s of 7.8 us are 0.78.
    result::Run slow = bare_run(1, 1, 100'000, 7'800);
    EXPECT_EQ(verdict_of(slow, "little.law").level, Level::suspect);
}

TEST(LittleLaw, AFullQueueThatReapsInBatchesIsFine) {
    // 8 of 128 at a time leave 124 in flight; the generator refills at once.
    result::Run run = bare_run(1, 128, 400'000, 310'000); // 124
    phase_of(run).mean_in_flight = 124;
    phase_of(run).generator_ns_per_operation = 10'000; // 4 of 128 slots
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
}

TEST(LittleLaw, ADeviceThatCompletesWhileRequestsAreSubmittedIsANoteNotAnAlarm) {
    // libaio on zram: 32 a batch are in flight, 128 configured; 1.4 M/s x 22.86 us = 32. Slots taken last-in first-out,
    // so that most were never used and the generator's time is small.
    result::Run run = bare_run(1, 128, 1'400'000, 22'857);
    phase_of(run).mean_in_flight = 32;
    phase_of(run).generator_ns_per_operation = 20;
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "The queue was not full: 32 in flight on average, 128 configured.");
    EXPECT_EQ(verdict.remedy, "Report it as 32 in flight, not as depth 128.");
    // First-in first-out: every slot is free three quarters of the time, and latency + generator add up to 128.
    phase_of(run).generator_ns_per_operation = 68'571;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::note);
}

TEST(LittleLaw, RequestsReapedInBatchesMayLookLongerInFlightThanTheyWere) {
    // 64 of 128 at a time: completing evenly over the wait, 128 - 63/2 = 96.5 are in flight, but all carry the stamp of
    // the end, which makes 128. One of the figures would be wrong where completions are reaped one by one.
    result::Run run = bare_run(1, 128, 400'000, 320'000);
    phase_of(run).mean_in_flight = 96.5;
    phase_of(run).generator_ns_per_operation = 10;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::suspect);
    job_of(run).facts.push_back({"mean_reap_batch", 64.0, "requests", "workload"});
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "The queue was not full: 96.5 in flight on average, 128 configured.");
    phase_of(run).mean_in_flight = 56; // 128 / 2 = 64 at least; 64 / 56 = 1.14
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::suspect);
    phase_of(run).mean_in_flight = 145; // more than the latencies account for is never honest: 128 / 145 = 0.88
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::suspect);
}

TEST(LittleLaw, AQueueThatTheDeviceCutShortIsToldOnceByDepthInert) {
    // libaio on zram, found out by the workload: batches of 32 complete inside the call: 32 by their stamps, 16.5
    // evenly.
    result::Run run = bare_run(1, 32, 1'400'000, 22'700); // 31.8
    set_fact(job_of(run), "requested_queue_depth", std::int64_t{128});
    job_of(run).facts.push_back({"mean_reap_batch", 32.0, "requests", "workload"});
    phase_of(run).mean_in_flight = 16.4;
    phase_of(run).generator_ns_per_operation = 143; // 0.2
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    EXPECT_EQ(verdict_of(run, "depth.inert").level, Level::note);
}

TEST(LittleLaw, AQueueIsFullFromNineTenthsOn) {
    result::Run run = bare_run(1, 100, 10'000, 9'100'000);
    phase_of(run).mean_in_flight = 91;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    phase_of(run).operations = {operation("read", OperationKind::read, 200'000, 200'000 * 4096, 8'900'000)};
    phase_of(run).mean_in_flight = 89;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::note);
}

TEST(LittleLaw, ACountThatContradictsTheLatenciesIsCaughtThoughTheQueueSeemsFull) {
    // Completions counted at submission: latencies say 32, the workload counted 20 (ratio 1.6), then 15 (2.13).
    result::Run run = honest_run();
    phase_of(run).mean_in_flight = 20;
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "100k IOPS x 320 us = 32 in flight, but the workload counted 20");
    phase_of(run).mean_in_flight = 15;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::invalid);
    phase_of(run).mean_in_flight = 64.1; // 0.499
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::invalid);
    phase_of(run).mean_in_flight = 29.2; // 32 / 29.2 = 1.096
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
}

TEST(LittleLaw, MoreInFlightThanSlotsIsCaughtEvenWhenCounted) {
    result::Run run = bare_run(2, 16, 100'000, 480'000); // 48 of 32
    phase_of(run).mean_in_flight = 48;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::suspect);
    phase_of(run).operations = {operation("read", OperationKind::read, 2'000'000, honest_bytes, 650'000)}; // 65 of 32
    phase_of(run).mean_in_flight = 65;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::invalid);
}

TEST(LittleLaw, ABatchThatWaitsForABlockingSubmissionIsNoContradiction) {
    // Buffered libaio: depth 64 is 1, but a batch of 32 carries one stamp; 100,000/s x 320 us = 32, between 1 and 64.
    result::Run run = bare_run(1, 64, 100'000, 320'000);
    set_fact(job_of(run), "effective_queue_depth", std::int64_t{1});
    phase_of(run).mean_in_flight = 32;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    EXPECT_EQ(verdict_of(run, "depth.inert").level, Level::suspect);
}

TEST(LittleLaw, TimeInFsyncMayOrMayNotCountAsInFlight) {
    // One worker: 5,000 writes/s of 100 us and 2,500 fsyncs/s of 200 us fill it: 0.5 + 0.5.
    result::Run run = bare_run(1, 1, 5'000, 100'000);
    phase_of(run).operations = {operation("write", OperationKind::write, 100'000, 100'000 * 4096, 100'000),
                                operation("fsync", OperationKind::other, 50'000, 0, 200'000)};
    for (const double measured : {0.5, 1.0, 0.75, 0.0}) {
        phase_of(run).mean_in_flight = measured;
        EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass) << measured;
    }
}

TEST(LittleLaw, AGeneratorThatTakesMostOfTheTimeAtDepthOneIsNoted) {
    // 1 worker, 1,000,000/s of 400 ns: busy 40 % of the time.
    result::Run run = bare_run(1, 1, 1'000'000, 400);
    phase_of(run).mean_in_flight = 0.4;
    phase_of(run).generator_ns_per_operation = 600;
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "busy for 40.0 % of the time");
}

TEST(LittleLaw, WorkersThatFinishedTheirWorkEarlyAreNotMissed) {
    // Fixed work: the second worker ended half-way, so 24 of 32 were configured on average: 24 / 75,000/s = 320 us.
    result::Run run = honest_run();
    result::Phase& phase = phase_of(run);
    phase.end = result::PhaseEnd::work;
    phase.operations = {operation("read", OperationKind::read, 1'500'000, 1'500'000ULL * 4096, 320'000)};
    phase.workers[1].ended_ns = 20 * second;
    phase.mean_in_flight = 0;
    phase.generator_ns_per_operation.reset();
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::pass);
    expect_in(verdict.message, "24 of 24 in flight: the queue was full.");
}

TEST(LittleLaw, RampAndDrainOfAShortPhaseAreAllowedFor) {
    // 2 s of fixed work, 100 ms a read: up to 0.05 + 0.05 of the window is ramp and drain. 256/s x 100 ms = 25.6 of 32.
    result::Run run = bare_run(2, 16, 10'000, 1);
    result::Phase& phase = phase_of(run);
    phase.end = result::PhaseEnd::work;
    phase.window_end_ns = phase.window_start_ns + 2 * second;
    for (result::Worker& worker : phase.workers)
        worker.ended_ns = phase.window_end_ns;
    phase.operations = {operation("read", OperationKind::read, 580, 580 * 4096, 100'000'000)}; // 29 of 32: 0.906
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    phase.operations = {operation("read", OperationKind::read, 530, 530 * 4096, 100'000'000)}; // 0.828 / 0.9 = 0.92
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    phase.operations = {operation("read", OperationKind::read, 500, 500 * 4096, 100'000'000)}; // 0.781 / 0.9 = 0.868
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::suspect);
}

TEST(LittleLaw, APhaseOfAFewOperationsIsNotJudged) {
    result::Run run = bare_run(2, 16, 10'000, 1);
    result::Phase& phase = phase_of(run);
    phase.window_end_ns = phase.window_start_ns + second;
    phase.operations = {operation("read", OperationKind::read, 32, 32 * 4096, 900'000'000)};
    const result::Verdict verdict = verdict_of(run, "little.law");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "lasted 1.00 s, its slowest operation 900 ms");
}

TEST(LittleLaw, WithoutADepthOnlyTheCountCanBeChecked) {
    result::Run run = honest_run();
    drop_fact(job_of(run), "effective_queue_depth");
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::pass);
    phase_of(run).mean_in_flight = 0;
    EXPECT_EQ(verdict_of(run, "little.law").level, Level::unknown);
}

TEST(LittleLaw, SaysNothingWithoutLatenciesOrWithManyFailures) {
    result::Run run = honest_run();
    phase_of(run).operations[0].errors = 30'000; // 1.5 %
    EXPECT_TRUE(verdicts_of(run, "little.law").empty());
    phase_of(run).operations[0].errors = 15'000; // 0.74 %
    EXPECT_EQ(verdicts_of(run, "little.law").size(), 1U);
    phase_of(run).operations[0].histograms.clear();
    EXPECT_TRUE(verdicts_of(run, "little.law").empty());
}

TEST(LittleLaw, IsNotForLoadsThatLeaveTheQueueEmptyOnPurpose) {
    result::Run paced = honest_run();
    phase_of(paced).arrival = result::Arrival{"constant", 100, 0, 0};
    EXPECT_TRUE(verdicts_of(paced, "little.law").empty());
    result::Run thinking = honest_run();
    job_of(thinking).facts.push_back({ASSAY_FACT_PAUSES, true, "", "option think_time"});
    EXPECT_TRUE(verdicts_of(thinking, "little.law").empty());
    set_fact(job_of(thinking), ASSAY_FACT_PAUSES, false);
    EXPECT_FALSE(verdicts_of(thinking, "little.law").empty());
}

} // namespace
} // namespace assay::verdict
