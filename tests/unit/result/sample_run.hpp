// A result in which every member differs from its default and from its neighbours, so that a lost or swapped one shows.
#pragma once

#include "core/result/model.hpp"

namespace assay::result {

inline Histogram sample_histogram() {
    // 990 values of 100 ns and 10 of 1 ms: sum 990 * 100 + 10 * 1,000,000.
    Histogram histogram;
    histogram.add_bucket(assay_histogram_index(100), 990);
    histogram.add_bucket(assay_histogram_index(1'000'000), 10);
    histogram.set_extremes(10'099'000, 100, 1'000'000, true);
    return histogram;
}

inline Phase sample_phase() {
    Histogram submission;
    submission.add_bucket(assay_histogram_index(5000), 7);
    submission.set_extremes(35'000, 4990, 5010, false);

    Phase phase;
    phase.name = "randread";
    phase.kind = PhaseKind::measured;
    phase.end = PhaseEnd::work;
    phase.warmup_ns = 1'000'000'000;
    phase.window_start_ns = 2'000'000'000;
    phase.window_end_ns = 4'000'000'000;
    phase.operations = {{"read",
                         OperationKind::read,
                         1000,
                         4'096'000,
                         3,
                         {{"EIO (Input/output error)", 1, 5, 2}, {"short transfer", 2, 0, 1}},
                         {{"completion", sample_histogram()}, {"submission", submission}}},
                        {"fsync", OperationKind::other, 0, 0, 0, {}, {{"completion", {}}}}};
    phase.metrics = {{"in_flight_time_ns", "ns", true, UINT64_MAX}, {"depth_now", "requests", false, 31}};
    phase.workers = {{0,
                      3,
                      600,
                      2'457'600,
                      2'000'000'001,
                      3'999'999'999,
                      11,
                      12,
                      7.75,
                      15,
                      {{"read", OperationKind::read, 600, 2'457'600, 2, {}, {{"completion", sample_histogram()}}}}},
                     {1, -1, 400, 1'638'400, 2'000'000'002, 3'999'999'998, 13, 14, 8.25}};
    phase.series = {
        {1'500'000'000,
         2'500'000'000,
         {{501, 2'052'096, 1, 101, 100, 1'003'519, 1'000'000, SeriesPoint::PerOperation::Response{21, 22, 23}}, {}},
         15.5,
         true}};
    phase.mean_in_flight = 16.0;
    phase.generator_ns_per_operation = 57.25;
    phase.process_cpu_ns = 1'234'567'890;
    phase.arrival = Arrival{"poisson", 1234.5, 17, 19};
    return phase;
}

inline Job sample_job() {
    Target target;
    target.name = "/data/\xc3\xa4 \"b\"\\c\n";
    target.kind = "file";
    target.reads = true;
    target.direct = true;
    target.offset_bytes = 4096;
    target.length_bytes = UINT64_MAX;
    target.unique_bytes = 8192;
    target.context = {{"file_system", std::string("ext4"), "", "/proc/self/mountinfo"}};
    target.devices = {"vda", "vdb"};
    target.extents = Extents{true, "because", 100, 70, 20, 10};

    Job job;
    job.name = "oltp";
    job.workload = "block";
    job.options = {{"zeta", "1"}, {"engine", "io_uring"}, {"block_size", "4KiB"}};
    job.given_options = {"engine"};
    job.workers = 2;
    job.targets = {target, Target{"b", "block device", false, true, false, 1, 2, 3, {}, {}, {}}};
    job.facts = {{"text", std::string("t"), "", "s1"},
                 {"integer", std::int64_t{-5}, "B", "s2"},
                 {"real", 5.0, "ns", "s3"},
                 {"bool", true, "", "s4"},
                 {"third", 1.0 / 3.0, "", ""}};
    job.phases = {sample_phase(), Phase{}};
    job.devices = {{"vda", 1, 2, 3, 4, false, "/proc/diskstats", 2'000'000'000}};
    job.failure = "the device went away";
    job.cut_short = true;
    return job;
}

inline Run sample_run() {
    Verdict verdict;
    verdict.check = "cache.client";
    verdict.version = 3;
    verdict.level = Level::suspect;
    verdict.scope = "stage 1, point 1, repeat 1, job oltp, randread";
    verdict.job = "oltp";
    verdict.phase = "randread";
    verdict.operation = "read";
    verdict.message = "m";
    verdict.arithmetic = "a";
    verdict.threshold = "t";
    verdict.remedy = "r";
    verdict.evidence = {{"e", std::int64_t{1} << 62, "B", "es"}};

    const SampledSeries sampled{
        "host", "cpu.softirq", "cpu=1,kind=x%2Cy",
        "s/s",  true,          {{1'000'000'000, 1'999'999'999, 0.125}, {1'999'999'999, 3'000'000'001, 0.5}},
        2};

    Run run;
    run.tool_version = "1.2.3";
    run.started = "2026-11-30T20:38:40Z";
    run.duration_ns = 5'000'000'000;
    run.command_line = {"assay", "run", "plan.yaml"};
    run.plan_name = "p";
    run.plan_yaml = "name: p\n";
    run.context = {{"cpu_count", std::int64_t{2}, "CPUs", "sysfs"}};
    run.plugins = {{"block", "org.assay.block", "0.1.0", "/lib/block.so", std::string(64, 'a'), "0123abcd"}};
    run.stages = {
        {"first", {{{{"queue_depth", "16"}, {"block_size", "4KiB"}}, {{{sample_job()}, {verdict}, {sampled}}}}}},
        {"second", {}}};
    run.cut_short = true;
    run.cut_reason = "interrupted by SIGINT";
    return run;
}

} // namespace assay::result
