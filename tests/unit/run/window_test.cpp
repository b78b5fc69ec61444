// What a window holds: warm-up cut out, exact counts of bounded work, series that add up, measures of the plugin's own.
#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::test {
namespace {

using result::PhaseEnd;
using result::PhaseKind;

TEST(window, a_fixed_amount_of_work_is_counted_exactly_and_ends_the_phase) {
    RunJob job = job_of("counting", {{"operations", "10000"}, {"bytes", "512B"}, {"pause", "100us"}});
    job.workers = 3;
    job.targets = {"/some/file"};
    const Ran ran = run({job});
    ASSERT_EQ(ran.jobs.size(), 1U);
    const result::Job& done = ran.jobs[0];
    EXPECT_EQ(done.failure, "");
    EXPECT_FALSE(done.cut_short);
    EXPECT_EQ(done.workload, "counting");
    EXPECT_EQ(done.given_options, (std::vector<std::string>{"bytes", "operations", "pause"}));
    ASSERT_EQ(done.targets.size(), 1U);
    EXPECT_EQ(done.targets[0].name, "/some/file");
    EXPECT_EQ(done.targets[0].kind, "file");
    EXPECT_TRUE(done.targets[0].reads);
    EXPECT_FALSE(done.targets[0].writes);
    ASSERT_NE(done.fact("finished"), nullptr);
    ASSERT_EQ(done.phases.size(), 1U);
    const result::Phase& phase = done.phases[0];
    EXPECT_EQ(phase.name, "count");
    EXPECT_EQ(phase.end, PhaseEnd::work);
    EXPECT_EQ(phase.warmup_ns, 0);
    ASSERT_EQ(phase.operations.size(), 1U);
    EXPECT_EQ(phase.operations[0].kind, result::OperationKind::read);
    EXPECT_EQ(phase.operations[0].operations, 30'000U);
    EXPECT_EQ(phase.operations[0].bytes, 30'000U * 512U);
    EXPECT_EQ(phase.operations[0].histograms[0].first, "latency");
    EXPECT_EQ(phase.operations[0].histograms[0].second.count(), 30'000U);
    ASSERT_EQ(phase.workers.size(), 3U);
    std::int64_t first_start = INT64_MAX;
    std::int64_t last_end = 0;
    for (const result::Worker& worker : phase.workers) {
        EXPECT_EQ(worker.operations, 10'000U);
        EXPECT_EQ(worker.bytes, 10'000U * 512U);
        first_start = std::min(first_start, worker.started_ns);
        last_end = std::max(last_end, worker.ended_ns);
    }
    EXPECT_EQ(phase.window_start_ns, first_start);
    EXPECT_EQ(phase.window_end_ns, last_end);
    EXPECT_GT(first_start, 0);
}

TEST(window, the_warm_up_is_cut_out_of_counters_and_histograms) {
    // 1 ms each for the first 150 ms, then 1 us: a window that starts at 300 ms must not hold a single 1 ms.
    RunJob job = job_of("synth", {{"switch_after", "150ms"}, {"interval", "500us"}});
    job.workers = 2;
    job.warmup_ns = 300 * ms;
    job.measure_ns = 300 * ms;
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.end, PhaseEnd::time);
    EXPECT_GE(phase.warmup_ns, 300 * ms);
    EXPECT_GE(phase.window_end_ns - phase.window_start_ns, 300 * ms);
    EXPECT_LT(phase.window_end_ns - phase.window_start_ns, 450 * ms);
    const Histogram& reads = phase.operations.at(0).histograms.at(0).second;
    EXPECT_GT(reads.count(), 100U);
    EXPECT_EQ(reads.percentile_ns(99.99), reads.percentile_ns(1));
    EXPECT_LT(reads.max_ns(), 1'024U);
    // A snapshot is consistent per field: between two of them a live worker may be one operation ahead.
    const auto count = static_cast<double>(reads.count());
    EXPECT_NEAR(reads.mean_ns(), 1'000.0, 4 * 1'000.0 / count);
    EXPECT_NEAR(static_cast<double>(phase.operations[0].operations), count, 4);
    EXPECT_NEAR(static_cast<double>(phase.operations[0].bytes), count * 100, 4 * 100);
    EXPECT_NEAR(static_cast<double>(phase.operations[1].bytes), count * 1'000, 4 * 1'000);

    std::uint64_t in_window = 0;
    bool slow_warmup_seen = false;
    for (const result::SeriesPoint& point : phase.series) {
        if (point.warmup) {
            slow_warmup_seen = slow_warmup_seen || point.operations.at(0).max_ns >= 1'000'000;
            EXPECT_LE(point.end_ns, phase.window_start_ns);
        } else {
            in_window += point.operations.at(0).operations;
            EXPECT_LT(point.operations.at(0).max_ns, 1'024U);
        }
    }
    EXPECT_TRUE(slow_warmup_seen);
    EXPECT_EQ(in_window, phase.operations[0].operations) << "the series of the window adds up to the window";
}

TEST(window, percentiles_of_a_known_sequence_are_those_of_the_raw_values) {
    // Worker values are 1..200 ns each, all in buckets of one or two nanoseconds: rank r of 400 is value ceil(r / 2).
    RunJob job = job_of("synth", {{"ramp", "yes"}, {"operations", "200"}, {"interval", "100us"}});
    job.workers = 2;
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    const Histogram& latency = phase.operations.at(0).histograms.at(0).second;
    EXPECT_EQ(latency.count(), 400U);
    EXPECT_EQ(latency.sum_ns(), 2U * (200U * 201U / 2U));
    EXPECT_EQ(latency.min_ns(), 1U);
    EXPECT_EQ(latency.max_ns(), 200U);
    EXPECT_EQ(latency.percentile_ns(50), 100U);
    EXPECT_EQ(latency.percentile_ns(25), 50U);
    EXPECT_NEAR(static_cast<double>(latency.percentile_ns(99)), 198.0, 1.0);
    EXPECT_EQ(latency.percentile_ns(100), 200U);
    EXPECT_TRUE(latency.extremes_exact());
}

TEST(window, each_worker_keeps_its_own_operations_where_the_job_asks_for_them) {
    // 1 ms each for the first 150 ms, then 1 us: the shares are of the window only, like the whole.
    RunJob job = job_of("synth", {{"switch_after", "150ms"}, {"interval", "500us"}});
    job.workers = 2;
    job.warmup_ns = 300 * ms;
    job.measure_ns = 200 * ms;
    EXPECT_TRUE(run({job}).jobs.at(0).phases.at(0).workers.at(0).each_operation.empty());
    job.per_worker = true;
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    ASSERT_EQ(phase.workers.size(), 2U);
    ASSERT_EQ(phase.operations.size(), 2U);
    for (std::size_t at = 0; at < phase.operations.size(); ++at) {
        std::uint64_t operations = 0;
        std::uint64_t bytes = 0;
        Histogram latency;
        for (const result::Worker& worker : phase.workers) {
            ASSERT_EQ(worker.each_operation.size(), 2U);
            const result::Operation& share = worker.each_operation[at];
            EXPECT_EQ(share.name, phase.operations[at].name);
            EXPECT_EQ(share.kind, phase.operations[at].kind);
            EXPECT_GT(share.operations, 0U);
            operations += share.operations;
            bytes += share.bytes;
            latency.merge(share.histograms.at(0).second);
        }
        EXPECT_EQ(operations, phase.operations[at].operations);
        EXPECT_EQ(bytes, phase.operations[at].bytes);
        const Histogram& whole = phase.operations[at].histograms.at(0).second;
        EXPECT_EQ(latency.sparse(), whole.sparse());
        EXPECT_EQ(latency.sum_ns(), whole.sum_ns());
        EXPECT_LT(latency.max_ns(), 1'024U);
    }
}

TEST(window, bounded_by_time_it_is_never_shorter_than_asked_for) {
    for (const std::int64_t warmup_ns : {std::int64_t{0}, 60 * ms}) {
        RunJob job = job_of("counting", {{"pause", "1ms"}});
        job.workers = 4;
        job.warmup_ns = warmup_ns;
        job.measure_ns = 120 * ms;
        const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
        EXPECT_EQ(phase.end, PhaseEnd::time);
        EXPECT_GE(phase.window_end_ns - phase.window_start_ns, 120 * ms);
        EXPECT_LT(phase.window_end_ns - phase.window_start_ns, 250 * ms);
        EXPECT_GT(phase.operations[0].operations, 0U);
    }
}

TEST(window, work_that_is_done_before_the_time_ends_the_phase_at_the_last_workers_end) {
    RunJob job = job_of("synth", {{"operations", "20"}, {"interval", "1ms"}});
    job.workers = 2;
    job.measure_ns = 30'000 * ms;
    const Ran ran = run({job});
    EXPECT_LT(ran.took_ns, 10'000 * ms);
    const result::Phase& phase = ran.jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.end, PhaseEnd::work);
    EXPECT_EQ(phase.operations[0].operations, 40U);
    EXPECT_EQ(phase.window_end_ns, std::max(phase.workers[0].ended_ns, phase.workers[1].ended_ns));
    EXPECT_FALSE(ran.jobs[0].cut_short);
}

TEST(window, work_that_is_done_within_the_warm_up_is_kept_whole) {
    RunJob job = job_of("synth", {{"operations", "10"}, {"interval", "1ms"}});
    job.warmup_ns = 30'000 * ms;
    job.measure_ns = 30'000 * ms;
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run({job}, hooks, stop);
    const result::Phase& phase = ran.jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.end, PhaseEnd::work);
    EXPECT_EQ(phase.warmup_ns, 0) << "nothing was cut";
    EXPECT_EQ(phase.operations[0].operations, 10U);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_opened synth"), 0);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_closed synth"), 0);
}

TEST(window, a_phase_that_returns_at_once_with_nothing_done_is_over_at_once) {
    RunJob job = job_of("waiting", {{"woken_by", "own_end"}});
    job.workers = 8;
    job.measure_ns = 30'000 * ms;
    const Ran ran = run({job});
    EXPECT_LT(ran.took_ns, 5'000 * ms);
    EXPECT_EQ(ran.jobs.at(0).phases.at(0).end, PhaseEnd::work);
    EXPECT_EQ(ran.jobs[0].phases[0].operations[0].operations, 8U);
}

TEST(window, every_measured_phase_gets_its_own_warm_up_and_counts_from_zero) {
    RunJob job = job_of("counting", {{"measured_phases", "3"}, {"pause", "1ms"}, {"setup", "yes"}});
    job.warmup_ns = 60 * ms;
    job.measure_ns = 100 * ms;
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run({job}, hooks, stop);
    const result::Job& done = ran.jobs.at(0);
    ASSERT_EQ(done.phases.size(), 4U);
    EXPECT_EQ(done.phases[0].kind, PhaseKind::setup);
    EXPECT_EQ(done.phases[0].operations[0].operations, 64U);
    std::int64_t previous_end = done.phases[0].window_end_ns;
    for (std::size_t at = 1; at < 4; ++at) {
        const result::Phase& phase = done.phases[at];
        EXPECT_EQ(phase.kind, PhaseKind::measured);
        EXPECT_GE(phase.warmup_ns, 60 * ms);
        EXPECT_GE(phase.window_start_ns, previous_end + 60 * ms);
        // At least 1 ms a batch of 64; a window that kept earlier phases would hold more.
        EXPECT_LE(phase.operations[0].operations,
                  static_cast<std::uint64_t>((phase.window_end_ns - phase.window_start_ns) / ms + 2) * 64);
        previous_end = phase.window_end_ns;
    }
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_opened counting"), 3);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_closed counting"), 3);
}

TEST(window, the_plugins_own_measures_become_mean_in_flight_and_generator_time) {
    RunJob job = job_of("synth", {{"depth", "5"}, {"interval", "500us"}});
    job.workers = 3;
    job.warmup_ns = 50 * ms;
    job.measure_ns = 400 * ms;
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    EXPECT_NEAR(phase.mean_in_flight, 15.0, 0.75);
    for (const result::Worker& worker : phase.workers)
        EXPECT_NEAR(worker.mean_in_flight, 5.0, 0.5);
    ASSERT_TRUE(phase.generator_ns_per_operation.has_value());
    EXPECT_NEAR(*phase.generator_ns_per_operation, 7.0, 0.1);
    ASSERT_EQ(phase.metrics.size(), 3U);
    EXPECT_TRUE(phase.metrics[0].counter);
    EXPECT_FALSE(phase.metrics[2].counter);
    EXPECT_LT(phase.metrics[2].value, 3'000'000U) << "a gauge is its last value, summed over workers";
    EXPECT_GT(phase.metrics[2].value, 2'900'000U);
    for (std::size_t at = 2; at + 1 < phase.series.size(); ++at)
        EXPECT_NEAR(phase.series[at].in_flight, 15.0, 3.0);
}

TEST(window, a_workload_without_such_measures_has_none) {
    RunJob job = job_of("counting", {{"operations", "100"}});
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.mean_in_flight, 0.0);
    EXPECT_FALSE(phase.generator_ns_per_operation.has_value());
}

TEST(window, errors_are_counted_by_kind_and_named) {
    RunJob job = job_of("synth", {{"errors", "4"}, {"operations", "100"}, {"interval", "50us"}});
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    EXPECT_EQ(phase.operations[0].operations, 100U);
    EXPECT_EQ(phase.operations[0].errors, 25U);
    ASSERT_EQ(phase.operations[0].error_counts.size(), 1U);
    EXPECT_EQ(phase.operations[0].error_counts[0].what, "EIO (Input/output error)");
    EXPECT_EQ(phase.operations[0].error_counts[0].count, 25U);
    EXPECT_EQ(phase.operations[1].errors, 0U);
}

TEST(series, intervals_follow_each_other_and_add_up_to_the_window) {
    RunJob job = job_of("counting", {{"pause", "1ms"}});
    job.measure_ns = 1'000 * ms;
    const result::Phase phase = run({job}).jobs.at(0).phases.at(0);
    EXPECT_LE(phase.series.size(), 20U); // 1 s in intervals of 50 ms
    EXPECT_GE(phase.series.size(), 18U) << "one may be missed on a busy machine";
    EXPECT_EQ(phase.series.front().start_ns, phase.window_start_ns);
    EXPECT_EQ(phase.series.back().end_ns, phase.window_end_ns);
    std::uint64_t operations = 0;
    for (std::size_t at = 0; at < phase.series.size(); ++at) {
        const result::SeriesPoint& point = phase.series[at];
        if (at > 0) {
            EXPECT_EQ(point.start_ns, phase.series[at - 1].end_ns);
        }
        operations += point.operations[0].operations;
        EXPECT_LE(point.operations[0].mean_ns, point.operations[0].max_ns);
        EXPECT_LE(point.operations[0].p50_ns, point.operations[0].p99_ns);
        EXPECT_LE(point.operations[0].p99_ns, point.operations[0].max_ns);
    }
    EXPECT_EQ(operations, phase.operations[0].operations);
}

TEST(series, what_is_shown_live_is_the_last_interval) {
    RunJob job = job_of("synth", {{"interval", "1ms"}, {"depth", "2"}, {"errors", "10"}});
    job.measure_ns = 400 * ms;
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run({job}, hooks, stop);
    const auto last = std::find_if(hooks.shown.rbegin(), hooks.shown.rend(),
                                   [](const auto& jobs) { return jobs[0].elapsed_s > 0.2; });
    ASSERT_NE(last, hooks.shown.rend());
    const JobProgress& progress = last->at(0);
    EXPECT_EQ(progress.phase, "synth");
    EXPECT_NEAR(progress.total_s, 0.4, 1e-9);
    EXPECT_NEAR(progress.operations_per_s, 2'000.0, 800.0); // a read and a write every millisecond
    EXPECT_NEAR(progress.bytes_per_s, 1'100'000.0, 450'000.0);
    EXPECT_NEAR(progress.in_flight, 2.0, 0.5);
    EXPECT_GT(progress.errors, 10U);
    EXPECT_EQ(progress.p99_ns, 1'000U);
    EXPECT_GE(hooks.shown.size(), 8U);
    EXPECT_LE(hooks.shown.size(), 14U) << "once an interval and at every change, not more";
}

} // namespace
} // namespace assay::test
