// Several jobs in one point: order, common start, stop, teardown.
#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <time.h>

namespace assay::test {
namespace {

using result::PhaseEnd;
using result::PhaseKind;

// What is asserted about cost holds for a build without sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t slowdown = 10;
#else
constexpr std::int64_t slowdown = 1;
#endif

RunJob named(RunJob job, const std::string& name) {
    job.name = name;
    return job;
}

std::int64_t thread_cpu() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

TEST(point, all_setup_ends_before_anything_is_measured_and_all_teardown_comes_after) {
    std::vector<RunJob> jobs;
    for (const char* name : {"a", "b", "c"}) {
        jobs.push_back(
            named(job_of("counting", {{"setup", "yes"}, {"teardown", "yes"}, {"operations", "640"}, {"pause", "2ms"}}),
                  name));
    }
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run(jobs, hooks, stop);
    std::int64_t setup_end = 0;
    std::int64_t measured_start = INT64_MAX;
    std::int64_t measured_end = 0;
    std::int64_t teardown_start = INT64_MAX;
    for (const result::Job& job : ran.jobs) {
        ASSERT_EQ(job.phases.size(), 3U);
        EXPECT_EQ(job.phases[0].kind, PhaseKind::setup);
        EXPECT_EQ(job.phases[0].end, PhaseEnd::work);
        EXPECT_EQ(job.phases[2].kind, PhaseKind::teardown);
        setup_end = std::max(setup_end, job.phases[0].window_end_ns);
        measured_start = std::min(measured_start, job.phases[1].window_start_ns);
        measured_end = std::max(measured_end, job.phases[1].window_end_ns);
        teardown_start = std::min(teardown_start, job.phases[2].window_start_ns);
        EXPECT_EQ(job.phases[1].operations[0].operations, 640U);
        EXPECT_FALSE(job.cut_short);
    }
    EXPECT_LT(setup_end, measured_start);
    EXPECT_LT(measured_end, teardown_start);
    const std::vector<std::string> before_measuring{"targets_declared a", "targets_declared b", "targets_declared c",
                                                    "setup_finished a",   "setup_finished b",   "setup_finished c",
                                                    "window_opened a",    "window_opened b",    "window_opened c"};
    ASSERT_EQ(hooks.events.size(), 12U);
    EXPECT_TRUE(std::equal(before_measuring.begin(), before_measuring.end(), hooks.events.begin()));
    EXPECT_TRUE(hooks.shown.back()[0].finished);
}

TEST(point, jobs_start_at_a_common_instant_and_a_delayed_one_that_much_later) {
    RunJob first = named(job_of("counting", {{"pause", "1ms"}}), "first");
    first.workers = 4;
    first.measure_ns = 500 * ms;
    RunJob second = named(first, "second");
    RunJob late = named(first, "late");
    late.start_after_ns = 200 * ms;
    const Ran ran = run({first, second, late});
    const std::int64_t start = ran.jobs.at(0).phases.at(0).window_start_ns;
    EXPECT_EQ(ran.jobs.at(1).phases.at(0).window_start_ns, start);
    EXPECT_GE(ran.jobs.at(2).phases.at(0).window_start_ns, start + 200 * ms);
    EXPECT_LT(ran.jobs.at(2).phases.at(0).window_start_ns, start + 300 * ms);
    for (std::size_t job = 0; job < 2; ++job) {
        for (const result::Worker& worker : ran.jobs[job].phases[0].workers) {
            EXPECT_GE(worker.started_ns, start);
            EXPECT_LT(worker.started_ns, start + 50 * ms);
        }
    }
    EXPECT_GE(ran.jobs[2].phases[0].window_end_ns - ran.jobs[2].phases[0].window_start_ns, 500 * ms);
}

TEST(point, sixty_four_jobs_start_in_well_below_a_second) {
    std::vector<RunJob> jobs;
    for (int at = 0; at < 64; ++at) {
        jobs.push_back(named(job_of("counting", {{"operations", "1"}}), "job" + std::to_string(at)));
        jobs.back().workers = 2;
    }
    const Ran ran = run(jobs);
    EXPECT_LT(ran.took_ns, slowdown * 1'000 * ms);
    std::int64_t first = INT64_MAX;
    std::int64_t last = 0;
    for (const result::Job& job : ran.jobs) {
        EXPECT_EQ(job.phases.at(0).operations[0].operations, 2U);
        for (const result::Worker& worker : job.phases[0].workers) {
            first = std::min(first, worker.started_ns);
            last = std::max(last, worker.started_ns);
        }
    }
    EXPECT_LT(last - first, slowdown * 100 * ms);
}

TEST(point, the_control_thread_uses_less_than_one_percent_of_a_cpu_while_workers_run) {
    RunJob job = job_of("waiting", {{"woken_by", "eventfd"}});
    job.workers = 16;
    RunSettings settings = quick_settings();
    settings.interval_ns = 1'000 * ms;
    const auto cpu_for = [&](std::int64_t measure_ns) {
        job.measure_ns = measure_ns;
        const std::int64_t before = thread_cpu();
        run({job}, settings);
        return thread_cpu() - before;
    };
    const std::int64_t start_cost = cpu_for(50 * ms);
    EXPECT_LT(cpu_for(2'050 * ms) - start_cost, slowdown * 20 * ms);
}

TEST(stop, a_stopped_window_keeps_what_was_measured_and_teardown_still_runs) {
    RunJob job = job_of("counting", {{"pause", "1ms"}, {"teardown", "yes"}, {"measured_phases", "2"}});
    job.workers = 2;
    job.measure_ns = 60'000 * ms;
    RecordingHooks hooks;
    const Ran ran = run_and_stop({job}, hooks, 200 * ms);
    EXPECT_LT(ran.took_ns, 10'000 * ms);
    const result::Job& done = ran.jobs.at(0);
    EXPECT_TRUE(done.cut_short);
    EXPECT_EQ(done.failure, "");
    ASSERT_EQ(done.phases.size(), 2U) << "the second measured phase must not start";
    EXPECT_EQ(done.phases[0].end, PhaseEnd::stopped);
    EXPECT_GT(done.phases[0].operations[0].operations, 0U);
    const std::int64_t window = done.phases[0].window_end_ns - done.phases[0].window_start_ns;
    EXPECT_GT(window, 50 * ms);
    EXPECT_LT(window, 5'000 * ms);
    EXPECT_EQ(done.phases[1].kind, PhaseKind::teardown);
    EXPECT_EQ(done.phases[1].end, PhaseEnd::work);
    EXPECT_EQ(done.phases[1].operations[0].operations, 128U);
    EXPECT_NE(done.fact("finished"), nullptr);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_closed counting"), 1);
}

TEST(stop, during_the_warm_up_there_is_no_cut_and_no_device_window) {
    RunJob job = job_of("counting", {{"pause", "1ms"}});
    job.warmup_ns = 60'000 * ms;
    job.measure_ns = 60'000 * ms;
    RecordingHooks hooks;
    const result::Job done = run_and_stop({job}, hooks, 150 * ms).jobs.at(0);
    EXPECT_TRUE(done.cut_short);
    ASSERT_EQ(done.phases.size(), 1U);
    EXPECT_EQ(done.phases[0].end, PhaseEnd::stopped);
    EXPECT_EQ(done.phases[0].warmup_ns, 0);
    EXPECT_GT(done.phases[0].operations[0].operations, 0U);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_opened counting"), 0);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_closed counting"), 0);
}

TEST(stop, before_a_delayed_job_starts_leaves_it_unmeasured_but_torn_down) {
    RunJob running = named(job_of("counting", {{"pause", "1ms"}}), "running");
    running.measure_ns = 60'000 * ms;
    RunJob delayed = named(job_of("counting", {{"teardown", "yes"}}), "delayed");
    delayed.measure_ns = 60'000 * ms;
    delayed.start_after_ns = 60'000 * ms;
    RecordingHooks hooks;
    const Ran ran = run_and_stop({running, delayed}, hooks, 100 * ms);
    EXPECT_LT(ran.took_ns, 10'000 * ms);
    ASSERT_EQ(ran.jobs.at(1).phases.size(), 1U);
    EXPECT_EQ(ran.jobs[1].phases[0].kind, PhaseKind::teardown);
    EXPECT_TRUE(ran.jobs[1].cut_short);
    EXPECT_TRUE(ran.jobs[0].cut_short);
}

TEST(stop, requested_beforehand_runs_nothing) {
    StopFlag stop;
    stop.request(15);
    RecordingHooks hooks;
    const Ran ran = run({job_of("counting", {{"operations", "10"}})}, hooks, stop);
    ASSERT_TRUE(ran.status.ok()) << ran.status.message();
    EXPECT_TRUE(ran.jobs.at(0).phases.empty());
    EXPECT_TRUE(ran.jobs[0].cut_short);
}

TEST(stop, after_all_windows_are_over_does_not_mark_the_job_as_cut_short) {
    RunJob job = job_of("counting", {{"operations", "64"}, {"teardown", "yes"}, {"pause", "200ms"}});
    RecordingHooks hooks;
    StopFlag stop;
    hooks.on_progress = [&] {
        if (hooks.shown.back()[0].kind == PhaseKind::teardown) stop.request(2);
    };
    const Ran ran = run({job}, hooks, stop);
    EXPECT_FALSE(ran.jobs.at(0).cut_short);
    EXPECT_EQ(ran.jobs[0].phases.at(1).end, PhaseEnd::work) << "teardown ends by itself also after a stop";
}

TEST(stop, reaches_a_worker_through_word_eventfd_and_interrupt_alike) {
    for (const char* by : {"word", "eventfd", "interrupt"}) {
        RunJob job = job_of("waiting", {{"woken_by", by}});
        job.workers = 4;
        job.measure_ns = 100 * ms;
        const Ran ran = run({job});
        EXPECT_EQ(ran.jobs.at(0).failure, "") << by;
        EXPECT_EQ(ran.jobs[0].phases.at(0).end, PhaseEnd::time) << by;
        EXPECT_LT(ran.took_ns, 5'000 * ms) << by;
    }
}

TEST(barrier, lets_nobody_through_before_all_have_come) {
    RunJob job = job_of("meeting", {{"rounds", "500"}});
    job.workers = 4;
    const result::Job done = run({job}).jobs.at(0);
    EXPECT_EQ(done.failure, "");
    EXPECT_EQ(done.phases.at(0).operations[0].operations, 2'000U);
    ASSERT_NE(done.fact("met_too_early"), nullptr);
    EXPECT_EQ(std::get<std::int64_t>(done.fact("met_too_early")->value), 0);
}

TEST(barrier, a_stop_frees_whoever_waits_and_is_no_failure) {
    RunJob job = job_of("meeting", {{"rounds", "0"}, {"absent", "1"}, {"absence", "stays_busy"}});
    job.workers = 3;
    job.measure_ns = 150 * ms;
    const Ran ran = run({job});
    EXPECT_EQ(ran.jobs.at(0).failure, "");
    EXPECT_EQ(ran.jobs[0].phases.at(0).end, PhaseEnd::time);
    EXPECT_LT(ran.took_ns, 5'000 * ms);

    job.measure_ns = 60'000 * ms;
    RecordingHooks hooks;
    const result::Job stopped = run_and_stop({job}, hooks, 100 * ms).jobs.at(0);
    EXPECT_EQ(stopped.failure, "");
    EXPECT_EQ(stopped.phases.at(0).end, PhaseEnd::stopped);
}

TEST(barrier, a_worker_that_left_is_not_waited_for) {
    RunJob job = job_of("meeting", {{"absent", "2"}, {"absence", "returns"}});
    job.workers = 3;
    const result::Job done = run({job}).jobs.at(0);
    EXPECT_NE(done.failure.find("another worker had left the phase"), std::string::npos) << done.failure;
    EXPECT_EQ(done.phases.at(0).end, PhaseEnd::failed);
}

TEST(barrier, the_failure_that_broke_it_is_the_one_reported) {
    RunJob job = job_of("meeting", {{"absent", "2"}, {"absence", "fails"}});
    job.workers = 3;
    const result::Job done = run({job}).jobs.at(0);
    EXPECT_NE(done.failure.find("worker 2"), std::string::npos) << done.failure;
    EXPECT_NE(done.failure.find("could not come"), std::string::npos) << done.failure;
}

} // namespace
} // namespace assay::test
