// A run that contradicts itself nowhere, to be spoiled in one respect by each test.
//
// 20 s of 4 KiB reads at 100,000/s from /data/file on vda: 2,000,000 reads = 8,192,000,000 B, all of which vda moved.
// 2 workers at depth 16 are 32 in flight; 32 / 100,000/s is a mean latency of 320 us. Each worker used 4 s + 6 s of CPU
// time; CPUs 0 and 1 were busy for 20 % user + 30 % system + 5 % softirq = 55 % of each second that was sampled.
#pragma once

#include "core/result/model.hpp"
#include "core/verdict/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace assay::verdict {

inline constexpr std::int64_t second = 1'000'000'000;
inline constexpr std::uint64_t honest_operations = 2'000'000;
inline constexpr std::uint64_t honest_bytes = honest_operations * 4096;
inline constexpr double gib = 1024.0 * 1024 * 1024;

inline Histogram latencies(std::uint64_t count, std::uint64_t each_ns) {
    Histogram histogram;
    histogram.add_bucket(assay_histogram_index(each_ns), count);
    histogram.set_extremes(count * each_ns, each_ns, each_ns, true);
    return histogram;
}

inline result::Operation operation(const std::string& name, result::OperationKind kind, std::uint64_t count,
                                   std::uint64_t bytes, std::uint64_t latency_ns) {
    return {name, kind, count, bytes, 0, {}, {{"completion", latencies(count, latency_ns)}}};
}

// A series of the host sampler: one point a second from 9 s to 31 s, around the window of 10 s to 30 s.
inline result::SampledSeries sampled(const std::string& metric, const std::string& labels, double value) {
    result::SampledSeries series{"host", metric, labels, "s/s", true, {}, 0};
    for (std::int64_t at = 9; at < 31; ++at)
        series.points.push_back({at * second, (at + 1) * second, value});
    return series;
}

inline std::vector<result::SampledSeries> honest_samples() {
    std::vector<result::SampledSeries> samples;
    for (const char* cpu : {"cpu=0", "cpu=1"}) {
        samples.push_back(sampled("cpu.user", cpu, 0.2));
        samples.push_back(sampled("cpu.nice", cpu, 0));
        samples.push_back(sampled("cpu.system", cpu, 0.3));
        samples.push_back(sampled("cpu.idle", cpu, 0.25));
        samples.push_back(sampled("cpu.iowait", cpu, 0.2));
        samples.push_back(sampled("cpu.irq", cpu, 0));
        samples.push_back(sampled("cpu.softirq", cpu, 0.05));
        samples.push_back(sampled("cpu.steal", cpu, 0));
        samples.push_back(sampled("cpu.guest", cpu, 0.1)); // also in user
    }
    samples.push_back(sampled("cgroup.throttled", "cgroup=/,version=2", 0));
    samples.push_back(sampled("cgroup.throttled_time", "cgroup=/,version=2", 0));
    return samples;
}

inline result::Run honest_run() {
    result::Phase phase;
    phase.name = "randread";
    phase.warmup_ns = second;
    phase.window_start_ns = 10 * second;
    phase.window_end_ns = 30 * second;
    phase.operations = {operation("read", result::OperationKind::read, honest_operations, honest_bytes, 320'000)};
    phase.workers.resize(2);
    for (result::Worker& worker : phase.workers) {
        worker.started_ns = 9 * second;
        worker.ended_ns = 30 * second + 1000;
        worker.cpu_user_ns = 4 * second;
        worker.cpu_system_ns = 6 * second;
    }
    phase.mean_in_flight = 32;
    phase.generator_ns_per_operation = 100;

    result::Target target;
    target.name = "/data/file";
    target.kind = "file";
    target.reads = true;
    target.direct = true;
    target.length_bytes = honest_bytes;
    target.devices = {"vda"};
    target.extents = result::Extents{true, "", honest_bytes, honest_bytes, 0, 0};

    result::Job job;
    job.name = "oltp";
    job.workload = "block";
    job.options = {{"engine", "io_uring"}, {"queue_depth", "16"}};
    job.workers = 2;
    job.targets = {target};
    job.facts = {{"requested_queue_depth", std::int64_t{16}, "requests", "options"},
                 {"effective_queue_depth", std::int64_t{16}, "requests", "io_uring"},
                 {"direct_in_force", true, "", "F_GETFL"},
                 {"synchronous_engine", false, "", "engine"},
                 {"longest_pause_ns", std::int64_t{400'000}, "ns", "control thread"}};
    job.phases = {phase};
    job.devices = {{"vda", honest_bytes, 0, honest_operations, 0, true, "/proc/diskstats", 20 * second}};

    result::Run run;
    run.context = {{"memory_total_bytes", std::int64_t{64} << 30, "B", "/proc/meminfo"}};
    run.stages = {{"s", {{{}, {{{job}, {}, honest_samples()}}}}}};
    return run;
}

inline result::Repeat& repeat_of(result::Run& run) { return run.stages[0].points[0].repeats[0]; }
inline result::Job& job_of(result::Run& run) { return repeat_of(run).jobs[0]; }
inline result::Phase& phase_of(result::Run& run) { return job_of(run).phases[0]; }

inline result::SampledSeries& series_of(result::Run& run, std::string_view metric, std::string_view labels) {
    for (result::SampledSeries& series : repeat_of(run).samples)
        if (series.metric == metric && series.labels == labels) return series;
    ADD_FAILURE() << metric << " " << labels;
    return repeat_of(run).samples.front();
}
// A CPU that is neither busy nor stolen waits for I/O, as long as it did, and idles: every second adds up.
inline void fill_idle(result::Run& run) {
    for (result::SampledSeries& idle : repeat_of(run).samples) {
        if (idle.metric != "cpu.idle") continue;
        for (result::SampledSeries::Point& point : idle.points) {
            double left = 1;
            double* waiting = nullptr;
            for (result::SampledSeries& other : repeat_of(run).samples) {
                if (other.labels != idle.labels || other.metric == "cpu.idle" || other.metric == "cpu.guest") continue;
                for (result::SampledSeries::Point& each : other.points) {
                    if (each.start_ns != point.start_ns) continue;
                    if (other.metric == "cpu.iowait")
                        waiting = &each.value;
                    else
                        left -= each.value;
                }
            }
            left = std::max(left, 0.0);
            if (waiting != nullptr) *waiting = std::min(*waiting, left);
            point.value = left - (waiting == nullptr ? 0 : *waiting);
        }
    }
}
inline void set_sampled(result::Run& run, std::string_view metric, std::string_view labels, double value) {
    for (result::SampledSeries::Point& point : series_of(run, metric, labels).points)
        point.value = value;
    fill_idle(run);
}

inline void set_fact(result::Job& job, const std::string& key, result::Value value) {
    for (result::Fact& fact : job.facts)
        if (fact.key == key) fact.value = std::move(value);
}
inline void drop_fact(result::Job& job, const std::string& key) {
    std::erase_if(job.facts, [&](const result::Fact& fact) { return fact.key == key; });
}

// All verdicts of one check on the first repeat, in order.
inline std::vector<result::Verdict> verdicts_of(result::Run& run, std::string_view check) {
    judge(run);
    std::vector<result::Verdict> found;
    for (const result::Verdict& verdict : repeat_of(run).verdicts)
        if (verdict.check == check) found.push_back(verdict);
    return found;
}

// The one verdict of a check; a failure if there is none or more than one.
inline result::Verdict verdict_of(result::Run& run, std::string_view check) {
    const std::vector<result::Verdict> found = verdicts_of(run, check);
    EXPECT_EQ(found.size(), 1U) << check;
    return found.empty() ? result::Verdict{} : found[0];
}

inline void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

} // namespace assay::verdict
