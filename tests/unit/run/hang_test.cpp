// A plugin that never returns: the result is kept, the rest of the point ends in order, the plugin is left alone.
#include "tests/unit/run/harness.hpp"

#include <gtest/gtest.h>

namespace assay::test {
namespace {

RunSettings impatient() {
    RunSettings settings = quick_settings();
    settings.drain_timeout_ns = 200 * ms;
    return settings;
}

TEST(hang, a_worker_that_ignores_the_stop_is_given_up_and_named) {
    RunJob stuck = job_of("waiting", {{"woken_by", "nothing"}, {"only_worker", "1"}});
    stuck.workers = 3;
    stuck.measure_ns = 100 * ms;
    const Ran ran = run({stuck}, impatient());
    EXPECT_TRUE(ran.hung);
    EXPECT_LT(ran.took_ns, 5'000 * ms);
    const result::Job& job = ran.jobs.at(0);
    EXPECT_NE(job.failure.find("worker 1 of plugin 'waiting'"), std::string::npos) << job.failure;
    EXPECT_NE(job.failure.find("'wait'"), std::string::npos) << job.failure;
    EXPECT_NE(job.failure.find("200ms"), std::string::npos) << job.failure;
    ASSERT_EQ(job.phases.size(), 1U);
    EXPECT_EQ(job.phases[0].end, result::PhaseEnd::hung);
    EXPECT_EQ(job.phases[0].operations[0].operations, 3U) << "what the counters say is kept";
    EXPECT_GE(job.phases[0].window_end_ns - job.phases[0].window_start_ns, 100 * ms);
}

TEST(hang, of_one_job_lets_the_others_end_in_order) {
    RunJob stuck = job_of("waiting", {{"woken_by", "nothing"}});
    stuck.measure_ns = 100 * ms;
    RunJob good = job_of("counting", {{"pause", "1ms"}, {"teardown", "yes"}});
    good.measure_ns = 30'000 * ms;
    const Ran ran = run({stuck, good}, impatient());
    EXPECT_TRUE(ran.hung);
    EXPECT_LT(ran.took_ns, 5'000 * ms);
    const result::Job& other = ran.jobs.at(1);
    EXPECT_EQ(other.failure, "");
    ASSERT_EQ(other.phases.size(), 2U);
    EXPECT_EQ(other.phases[0].end, result::PhaseEnd::stopped);
    EXPECT_GT(other.phases[0].operations[0].operations, 0U);
    EXPECT_NE(other.fact("finished"), nullptr);
}

TEST(hang, after_a_stop_by_the_user_is_given_up_after_the_drain_timeout) {
    RunJob stuck = job_of("waiting", {{"woken_by", "nothing"}});
    stuck.measure_ns = 60'000 * ms;
    RecordingHooks hooks;
    const Ran ran = run_and_stop({stuck}, hooks, 100 * ms, impatient());
    EXPECT_TRUE(ran.hung);
    EXPECT_GE(ran.took_ns, 300 * ms);
    EXPECT_LT(ran.took_ns, 5'000 * ms);
}

} // namespace
} // namespace assay::test
