// A result of one psync job that read and wrote 4 KiB blocks for two seconds, built so that every number can be
// worked out by hand.
#pragma once

#include "assay/abi/target.h"
#include "assay/abi/worker.h"
#include "core/result/model.hpp"
#include "tools/assay/dialects/fio/invocation.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::cli::fio::test {

inline constexpr std::int64_t s = 1'000'000'000;

// 90 of 100 ns, 10 of 3,000,000 ns, times `times`.
inline Histogram latency(std::uint64_t times = 1) {
    Histogram histogram;
    histogram.add_bucket(assay_histogram_index(100), 90 * times);
    histogram.add_bucket(assay_histogram_index(3'000'000), 10 * times);
    histogram.set_extremes((90 * 100 + 10 * 3'000'000) * times, 100, 3'000'000, true);
    return histogram;
}

// `times` x 100 reads and half as many writes of 4 KiB.
inline std::vector<result::Operation> operations(std::uint64_t times) {
    using result::OperationKind;
    return {{"read", OperationKind::read, 200 * times, 200 * times * 4096, 0, {}, {{"latency", latency(2 * times)}}},
            {"write", OperationKind::write, 100 * times, 100 * times * 4096, 0, {}, {{"latency", latency(times)}}},
            {"sync", OperationKind::other, 0, 0, 0, {}, {{"latency", {}}}}};
}

// Over 2 s of window that begin 1 s after the start; a worker is 20 % in user mode and 40 % in the kernel.
inline result::Job job(const std::string& name, std::uint32_t workers = 1, bool shares = false) {
    result::Phase phase;
    phase.name = "randrw";
    phase.window_start_ns = 1 * s;
    phase.window_end_ns = 3 * s;
    phase.operations = operations(workers);
    for (std::uint32_t at = 0; at < workers; ++at) {
        phase.workers.push_back({at, -1, 300, 300 * 4096, 1 * s, 3 * s + 5, 2 * s / 5, 4 * s / 5, 1});
        if (shares) phase.workers.back().each_operation = operations(1);
    }
    // Reads: 50 and 150 in one second each; writes 40 and 60. The warm-up does not count, nor does a short rest.
    const auto point = [&](std::int64_t start, std::int64_t end, std::uint64_t reads, std::uint64_t writes) {
        return result::SeriesPoint{
            start,
            end,
            {{reads * workers, reads * workers * 4096}, {writes * workers, writes * workers * 4096}, {}},
            1,
            false};
    };
    phase.series = {point(0, 1 * s, 1000, 1000), point(1 * s, 2 * s, 50, 40), point(2 * s, 3 * s, 150, 60),
                    point(3 * s, 3 * s + s / 10, 5, 5)};
    phase.series.front().warmup = true;
    result::Job job;
    job.name = name;
    job.workload = "block";
    job.workers = workers;
    job.facts = {{ASSAY_FACT_EFFECTIVE_QUEUE_DEPTH, std::int64_t{16}, "requests", "test"}};
    job.phases = {result::Phase{}, phase};
    job.phases.front().kind = result::PhaseKind::setup;
    job.devices = {{"vda", 4096, 8192, 11, 22, true, "/proc/diskstats", 2 * s}};
    return job;
}

inline result::Run run_of(std::vector<result::Job> jobs) {
    result::Run run;
    run.tool_version = "1.2.3";
    run.started = "2026-11-30T20:38:40Z"; // 1796071120 s after 1970
    run.duration_ns = 3'250'000'000;
    run.stages = {{"one", {{{}, {{std::move(jobs), {}, {}}}}}}};
    return run;
}

inline Job asked(const std::string& name, unsigned numjobs = 1, unsigned group = 0) {
    Job job;
    job.name = name;
    job.plan_job = name;
    job.options = {{"name", name}, {"rw", "randrw"}, {"bs", "4k"}};
    job.numjobs = numjobs;
    job.group = group;
    return job;
}

} // namespace assay::cli::fio::test
