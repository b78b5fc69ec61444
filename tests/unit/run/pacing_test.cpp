// The open loop as the host sets it up and counts it.
#include "core/run/measures.hpp"
#include "tests/unit/run/scripted.hpp"

#include <algorithm>

namespace assay::test {
namespace {

constexpr assay_metric next_start{
    sizeof(assay_metric), ASSAY_METRIC_GAUGE, ASSAY_ROLE_NEXT_START, 0, "next_start_ns", "ns", ""};
constexpr assay_metric late_starts{
    sizeof(assay_metric), ASSAY_METRIC_COUNTER, ASSAY_ROLE_LATE_STARTS, 0, "late_starts", "requests", ""};
constexpr assay_metric metrics[] = {next_start, late_starts};

class OpenLoop : public Contract {
protected:
    OpenLoop() {
        descriptor_.metric_count = 2;
        descriptor_.metric_stride = sizeof(assay_metric);
        descriptor_.metrics = metrics;
    }
    RunJob paced(double rate_per_s, std::uint32_t workers) {
        RunJob paced = job();
        paced.rate_per_s = rate_per_s;
        paced.workers = workers;
        return paced;
    }
};

TEST_F(OpenLoop, each_worker_gets_an_equal_part_and_constant_arrivals_are_spread_over_them) {
    std::vector<assay_worker_block> blocks(4);
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t) {
        blocks[worker->block->local_index] = *worker->block;
        return assay_status{ASSAY_OK};
    };
    const Ran ran = run_it(paced(1'000, 4));
    ASSERT_TRUE(ran.status.ok()) << ran.status.message();
    for (std::uint32_t worker = 0; worker < 4; ++worker) {
        EXPECT_EQ(blocks[worker].arrival_process, ASSAY_ARRIVAL_CONSTANT);
        EXPECT_EQ(blocks[worker].arrival_interval_ps, 4'000'000'000U); // 4 workers / 1000 a second = 4 ms
        EXPECT_EQ(blocks[worker].arrival_start_ns - blocks[0].arrival_start_ns, 1'000'000 * worker);
    }
    ASSERT_TRUE(ran.jobs[0].phases[0].arrival);
    EXPECT_EQ(ran.jobs[0].phases[0].arrival->process, "constant");
    EXPECT_EQ(ran.jobs[0].phases[0].arrival->offered_per_s, 1'000);
}

TEST_F(OpenLoop, a_closed_loop_has_no_arrivals) {
    assay_worker_block block{};
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t) {
        block = *worker->block;
        return assay_status{ASSAY_OK};
    };
    const Ran ran = run_it(job());
    EXPECT_EQ(block.arrival_process, ASSAY_ARRIVAL_CLOSED);
    EXPECT_EQ(block.arrival_interval_ps, 0U);
    EXPECT_FALSE(ran.jobs[0].phases[0].arrival);
}

TEST_F(OpenLoop, setup_is_not_paced) {
    script_.phases = {{sizeof(assay_phase), ASSAY_PHASE_SETUP, "layout", 0},
                      {sizeof(assay_phase), ASSAY_PHASE_MEASURED, "measured", 0}};
    std::uint64_t interval_ps[2] = {1, 1};
    script_.run = [&](const assay_host*, assay_worker* worker, std::uint32_t phase) {
        interval_ps[phase] = worker->block->arrival_interval_ps;
        return assay_status{ASSAY_OK};
    };
    run_it(paced(10, 1));
    EXPECT_EQ(interval_ps[0], 0U);
    EXPECT_EQ(interval_ps[1], 100'000'000'000U);
}

TEST_F(OpenLoop, a_workload_that_cannot_be_paced_is_refused_a_rate) {
    descriptor_.metric_count = 0;
    const Ran ran = run_it(paced(10, 1));
    EXPECT_EQ(ran.status.failure(), Failure::usage);
    EXPECT_NE(ran.status.message().find("cannot start requests by a schedule"), std::string::npos);
}

TEST_F(OpenLoop, instants_are_not_shown_as_a_metric) {
    const Ran ran = run_it(paced(10, 1));
    ASSERT_EQ(ran.jobs[0].phases[0].metrics.size(), 1U);
    EXPECT_EQ(ran.jobs[0].phases[0].metrics[0].key, "late_starts");
}

// Two workers of 500 starts a second each. The window ends at 10 s; one is a second behind: the start it stands at, and
// 500 more in that second. The other is ahead of its schedule, a third has ended and starts nothing more.
TEST(OpenLoopArithmetic, what_was_due_and_not_started_is_missed) {
    RecorderShape shape;
    shape.metrics = {{"next", "ns", ASSAY_METRIC_GAUGE, ASSAY_ROLE_NEXT_START},
                     {"late", "requests", ASSAY_METRIC_COUNTER, ASSAY_ROLE_LATE_STARTS}};
    Snapshot between;
    between.worker_metrics = {{9'000'000'000, 7}, {10'000'500'000, 2}};
    const result::Arrival arrival =
        arrival_of(between, shape, ASSAY_ARRIVAL_POISSON, 1'000, 5'000'000'000, 10'000'000'000);
    EXPECT_EQ(arrival.missed_starts, 501U);
    EXPECT_EQ(arrival.late_starts, 9U);
    EXPECT_EQ(arrival.process, "poisson");
    between.worker_metrics = {{0, 0}, {0, 0}};
    EXPECT_EQ(arrival_of(between, shape, ASSAY_ARRIVAL_POISSON, 1'000, 5'000'000'000, 10'000'000'000).missed_starts,
              0U);
}

// Two workers of 500,000 starts a second each are both 2 s behind when a window of 1 s ends: of the 2,000,000 that are
// overdue, half were due in the warm-up before it.
TEST(OpenLoopArithmetic, what_was_due_before_the_window_is_not_missed_in_it) {
    RecorderShape shape;
    shape.metrics = {{"next", "ns", ASSAY_METRIC_GAUGE, ASSAY_ROLE_NEXT_START}};
    Snapshot between;
    between.worker_metrics = {{8'000'000'000}, {8'000'000'000}};
    const result::Arrival arrival =
        arrival_of(between, shape, ASSAY_ARRIVAL_CONSTANT, 1'000'000, 9'000'000'000, 10'000'000'000);
    EXPECT_EQ(arrival.missed_starts, 1'000'000U);
    // Never more than was offered, also where the start it stands at is the first of a window of half an interval.
    between.worker_metrics = {{9'000'000'000}, {9'000'000'000}};
    EXPECT_LE(arrival_of(between, shape, ASSAY_ARRIVAL_CONSTANT, 1, 9'000'000'000, 10'000'000'000).missed_starts, 1U);
}

TEST_F(Contract, what_a_phase_has_counted_is_told_while_it_runs) {
    script_.run = [](const assay_host*, assay_worker* worker, std::uint32_t) {
        assay_op_counters* counters = assay_op_counters_of(assay_worker_op(worker, 0, 0));
        while (assay_worker_stopped(worker) == 0) {
            assay_counter_add(&counters->operations, 1);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return assay_status{ASSAY_OK};
    };
    RunJob timed = job();
    timed.measure_ns = 1'300'000'000;
    const Ran ran = run_it(timed);
    ASSERT_TRUE(ran.status.ok()) << ran.status.message();
    ASSERT_FALSE(hooks_.so_far.empty());
    const result::Phase& so_far = hooks_.so_far.front().at(0).phases.at(0);
    EXPECT_GT(so_far.operations[0].operations, 0U);
    EXPECT_LT(so_far.operations[0].operations, ran.jobs[0].phases[0].operations[0].operations);
    EXPECT_EQ(so_far.window_start_ns, ran.jobs[0].phases[0].window_start_ns);
    EXPECT_LT(so_far.window_end_ns, ran.jobs[0].phases[0].window_end_ns);
}

} // namespace
} // namespace assay::test
