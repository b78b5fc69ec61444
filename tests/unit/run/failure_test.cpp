// What goes wrong, and what is left of the result then.
#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::test {
namespace {

using result::PhaseEnd;
using result::PhaseKind;

RunJob failing(const std::string& where, const std::string& how) {
    RunJob job = job_of("failing", {{"where", where}, {"how", how}});
    job.measure_ns = 30'000 * ms;
    return job;
}

Ran run_failing(const RunJob& job, RecordingHooks& hooks) {
    const StopFlag stop;
    Ran ran = run({job}, hooks, stop);
    EXPECT_LT(ran.took_ns, 10'000 * ms);
    return ran;
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(failure, an_option_refused_by_configure_is_a_usage_error_that_names_it) {
    RecordingHooks hooks;
    const Ran ran = run_failing(failing("configure", "option"), hooks);
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    expect_contains(ran.status.message(), {"option how", "3 is odd"});
    EXPECT_TRUE(hooks.events.empty()) << "nothing may follow a configure() that failed";
}

TEST(failure, an_option_refused_by_prepare_is_a_usage_error_too) {
    RecordingHooks hooks;
    const Ran ran = run_failing(failing("prepare", "option"), hooks);
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    expect_contains(ran.status.message(), {"option how", "3 is odd"});
}

TEST(failure, a_configure_that_fails_otherwise_fails_the_run) {
    RecordingHooks hooks;
    const Ran ran = run_failing(failing("configure", "reason"), hooks);
    EXPECT_EQ(ran.status.failure(), Failure::run_failed);
    expect_contains(ran.status.message(), {"configure", "the made-up device is gone"});
}

TEST(failure, a_prepare_that_fails_is_recorded_in_the_job) {
    RecordingHooks hooks;
    const Ran ran = run_failing(failing("prepare", "reason"), hooks);
    ASSERT_TRUE(ran.status.ok()) << ran.status.message();
    expect_contains(ran.jobs.at(0).failure, {"prepare", "the made-up device is gone"});
    EXPECT_TRUE(ran.jobs[0].phases.empty());
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "setup_finished failing"), 0);
}

TEST(failure, targets_that_are_refused_stop_the_point_before_anything_is_opened) {
    RecordingHooks hooks;
    hooks.refusal = unsafe_error("/dev/sda is mounted");
    const Ran ran = run_failing(job_of("counting", {{"operations", "10"}}), hooks);
    EXPECT_EQ(ran.status.failure(), Failure::unsafe);
    expect_contains(ran.status.message(), {"/dev/sda is mounted"});
    EXPECT_EQ(hooks.events.size(), 1U);
}

TEST(failure, a_status_without_a_reason_still_names_worker_plugin_phase_and_status) {
    RecordingHooks hooks;
    const Ran ran = run_failing(failing("run", "silent"), hooks);
    expect_contains(ran.jobs.at(0).failure, {"worker 0", "failing", "'wait'", "ASSAY_IO"});
}

TEST(failure, an_option_named_by_a_worker_is_in_the_jobs_failure) {
    RecordingHooks hooks;
    RunJob job = failing("run", "option");
    const Ran ran = run_failing(job, hooks);
    ASSERT_TRUE(ran.status.ok());
    expect_contains(ran.jobs.at(0).failure, {"option how", "3 is odd"});
}

TEST(failure, exceptions_of_a_plugin_become_failures) {
    RecordingHooks hooks;
    expect_contains(run_failing(failing("run", "runtime_error"), hooks).jobs.at(0).failure, {"thrown on purpose"});
    expect_contains(run_failing(failing("run", "bad_alloc"), hooks).jobs.at(0).failure, {"out of memory"});
    expect_contains(run_failing(failing("run", "integer"), hooks).jobs.at(0).failure, {"an exception"});
    expect_contains(run_failing(failing("configure", "runtime_error"), hooks).status.message(), {"thrown on purpose"});
}

TEST(failure, of_one_worker_ends_its_phase_keeps_the_counts_and_skips_the_rest_of_the_job) {
    RunJob job = job_of("failing", {{"where", "run"}, {"worker", "2"}});
    job.workers = 4;
    job.measure_ns = 30'000 * ms;
    RecordingHooks hooks;
    const result::Job done = run_failing(job, hooks).jobs.at(0);
    expect_contains(done.failure, {"worker 2", "the made-up device is gone"});
    ASSERT_EQ(done.phases.size(), 2U) << "no teardown after a run() that failed";
    EXPECT_EQ(done.phases[1].end, PhaseEnd::failed);
    EXPECT_GE(done.phases[1].operations[0].operations, 6U);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "window_closed failing"), 1);
}

TEST(failure, of_one_job_stops_the_others_and_keeps_what_they_measured) {
    RunJob bad = failing("run", "reason");
    RunJob good = job_of("counting", {{"pause", "1ms"}, {"teardown", "yes"}});
    good.measure_ns = 30'000 * ms;
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run({good, bad}, hooks, stop);
    ASSERT_TRUE(ran.status.ok());
    EXPECT_LT(ran.took_ns, 10'000 * ms);
    const result::Job& other = ran.jobs.at(0);
    EXPECT_EQ(other.failure, "");
    EXPECT_TRUE(other.cut_short);
    ASSERT_EQ(other.phases.size(), 2U);
    EXPECT_EQ(other.phases[0].end, PhaseEnd::stopped);
    EXPECT_GT(other.phases[0].operations[0].operations, 0U);
    EXPECT_EQ(other.phases[1].kind, PhaseKind::teardown);
    EXPECT_NE(other.fact("finished"), nullptr);
    EXPECT_NE(ran.jobs.at(1).failure, "");
}

TEST(failure, in_setup_leaves_nothing_measured) {
    RunJob bad = failing("setup", "reason");
    RunJob good = job_of("counting", {{"operations", "10"}});
    RecordingHooks hooks;
    const StopFlag stop;
    const Ran ran = run({bad, good}, hooks, stop);
    ASSERT_TRUE(ran.status.ok());
    expect_contains(ran.jobs.at(0).failure, {"'setup'"});
    EXPECT_TRUE(ran.jobs.at(1).phases.empty());
    EXPECT_EQ(ran.jobs[1].fact("batch_operations"), nullptr) << "the next job must not even be prepared";
    EXPECT_TRUE(ran.jobs[1].cut_short);
    EXPECT_EQ(std::count(hooks.events.begin(), hooks.events.end(), "setup_finished counting"), 0);
}

TEST(failure, while_draining_keeps_the_window_that_was_closed) {
    RunJob job = failing("drain", "reason");
    job.measure_ns = 150 * ms;
    RecordingHooks hooks;
    const result::Job done = run_failing(job, hooks).jobs.at(0);
    expect_contains(done.failure, {"the made-up device is gone"});
    ASSERT_EQ(done.phases.size(), 2U);
    EXPECT_EQ(done.phases[1].end, PhaseEnd::failed);
    EXPECT_GE(done.phases[1].window_end_ns - done.phases[1].window_start_ns, 150 * ms);
}

TEST(failure, in_teardown_and_in_finish_is_recorded_after_the_measured_phase) {
    for (const char* where : {"teardown", "finish"}) {
        RunJob job = failing(where, "reason");
        job.measure_ns = 50 * ms;
        RecordingHooks hooks;
        const result::Job done = run_failing(job, hooks).jobs.at(0);
        expect_contains(done.failure, {where, "the made-up device is gone"});
        ASSERT_EQ(done.phases.size(), 3U);
        EXPECT_EQ(done.phases[1].end, PhaseEnd::time);
    }
}

TEST(failure, a_cpu_that_is_not_there_is_a_usage_error_naming_it_and_those_that_are) {
    RunJob job = job_of("counting", {{"operations", "10"}});
    job.cpus = {0, 4095};
    RecordingHooks hooks;
    const Ran ran = run_failing(job, hooks);
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    expect_contains(ran.status.message(), {"CPU 4095", "allowed are 0"});
    EXPECT_TRUE(hooks.events.empty());
}

TEST(failure, a_job_without_workers_is_a_usage_error) {
    RunJob job = job_of("counting", {{"operations", "10"}});
    job.workers = 0;
    RecordingHooks hooks;
    EXPECT_EQ(run_failing(job, hooks).status.failure(), Failure::usage);
}

TEST(plain_c, a_workload_in_c_runs_and_counts) {
    RunJob job = job_of("plain", {{"operations", "500"}});
    job.workers = 2;
    const result::Job done = run({job}).jobs.at(0);
    EXPECT_EQ(done.phases.at(0).operations.at(0).operations, 500U);
    EXPECT_EQ(done.phases[0].operations.at(1).operations, 500U);
    EXPECT_EQ(done.phases[0].operations[1].bytes, 500U * 512U);
    EXPECT_EQ(done.phases[0].operations[0].histograms[0].second.percentile_ns(50), 100U);
    EXPECT_EQ(done.phases[0].operations[1].histograms[0].second.percentile_ns(50), 101U);
    ASSERT_NE(done.fact("language"), nullptr);
    EXPECT_EQ(std::get<std::string>(done.fact("language")->value), "C11");
}

TEST(plain_c, its_error_names_the_option) {
    RecordingHooks hooks;
    const Ran ran = run_failing(job_of("plain", {{"operations", "501"}}), hooks);
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    expect_contains(ran.status.message(), {"option operations", "must be even"});
}

} // namespace
} // namespace assay::test
