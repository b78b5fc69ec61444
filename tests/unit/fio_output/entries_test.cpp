// Which entries a report has: clones, jobs and groups; and what went wrong.
#include "tools/assay/dialects/fio/entries.hpp"

#include "tests/unit/fio_output/fixture.hpp"
#include "tools/assay/dialects/fio/output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace assay::cli::fio {
namespace {

using test::asked;

TEST(fio_entries, every_clone_has_its_own_without_group_reporting) {
    Invocation invocation;
    invocation.jobs = {asked("a", 2)};
    const Report report = report_of(invocation, test::run_of({test::job("a", 2, true)}));
    ASSERT_EQ(report.entries.size(), 2U);
    for (const Entry& entry : report.entries) {
        EXPECT_EQ(entry.clones, 1U);
        EXPECT_EQ(entry.directions[0].operations, 200U);
        EXPECT_EQ(entry.directions[0].latency.count(), 200U);
        EXPECT_EQ(entry.directions[0].runtime_ns, 2 * test::s) << "it ended after the window did";
        EXPECT_EQ(entry.clones_runtime_ns, 2 * test::s);
        EXPECT_EQ(entry.directions[0].bandwidth.count, 0U) << "the series knows no clones";
    }
    EXPECT_EQ(report.groups.at(0)[0].bytes, 2U * 819'200U);
    EXPECT_DOUBLE_EQ(report.groups.at(0)[0].bytes_per_s, 819'200.0);
    EXPECT_DOUBLE_EQ(report.groups.at(0)[0].fastest_bytes_per_s, 409'600.0);
}

TEST(fio_entries, clones_that_the_result_does_not_tell_apart_are_one) {
    Invocation invocation;
    invocation.jobs = {asked("a", 2)};
    const Report report = report_of(invocation, test::run_of({test::job("a", 2, false)}));
    ASSERT_EQ(report.entries.size(), 1U);
    EXPECT_EQ(report.entries[0].clones, 2U);
    EXPECT_EQ(report.entries[0].directions[0].operations, 400U);
}

TEST(fio_entries, a_group_is_one_named_after_its_first_job) {
    Invocation invocation;
    invocation.jobs = {asked("a", 2), asked("b", 1), asked("c", 1, 1)};
    for (Job& job : invocation.jobs)
        job.group_reporting = true;
    const Report report =
        report_of(invocation, test::run_of({test::job("a", 2, true), test::job("b"), test::job("c")}));
    ASSERT_EQ(report.entries.size(), 2U);
    const Entry& first = report.entries[0];
    EXPECT_EQ(first.job->name, "a");
    EXPECT_EQ(first.clones, 3U);
    EXPECT_EQ(first.directions[0].operations, 600U);
    EXPECT_EQ(first.directions[0].runtime_ns, 2 * test::s) << "they ran at the same time";
    EXPECT_EQ(first.clones_runtime_ns, 6 * test::s);
    EXPECT_NEAR(first.cpu_percent(first.cpu_user_ns), 20.0, 1e-9) << "of the clones' time, not of the window";
    EXPECT_EQ(first.directions[0].iops.min, 150.0); // 2 x 50 and 50
    EXPECT_EQ(first.directions[0].iops.mean, 300.0);
    EXPECT_EQ(report.entries[1].job->name, "c");
    EXPECT_EQ(report.groups.size(), 2U);
}

TEST(fio_entries, the_runtime_of_a_clone_that_was_done_early_is_its_own) {
    result::Job job = test::job("a", 2, true);
    job.phases.back().workers[1].ended_ns = 2 * test::s; // half the window
    Invocation invocation;
    invocation.jobs = {asked("a", 2)};
    const Report report = report_of(invocation, test::run_of({job}));
    EXPECT_EQ(report.entries[1].directions[0].runtime_ns, 1 * test::s);
    EXPECT_DOUBLE_EQ(report.entries[1].directions[0].operations_per_s(), 200.0);
}

TEST(fio_entries, an_error_is_the_errno_that_most_operations_had) {
    result::Job job = test::job("a");
    result::Operation& reads = job.phases.back().operations[0];
    reads.errors = 6;
    reads.error_counts = {{"short", ASSAY_ERROR_DOMAIN_SHORT, 0, 3},
                          {"EIO", ASSAY_ERROR_DOMAIN_ERRNO, EIO, 1},
                          {"ENOSPC", ASSAY_ERROR_DOMAIN_ERRNO, ENOSPC, 2}};
    Invocation invocation;
    invocation.jobs = {asked("a"), asked("never")};
    const Report report = report_of(invocation, test::run_of({job}));
    ASSERT_EQ(report.entries.size(), 2U);
    EXPECT_EQ(report.entries[0].error, ENOSPC);
    EXPECT_EQ(report.entries[0].directions[0].short_transfers, 3U);
    EXPECT_EQ(report.entries[0].directions[0].issued(), 206U);
    EXPECT_EQ(report.entries[1].error, EIO) << "a job that the result lacks did not run";
    EXPECT_TRUE(report.entries[1].idle() == false);
    EXPECT_FALSE(to_json(invocation, test::run_of({}), true).empty());
    EXPECT_FALSE(to_normal(invocation, result::Run()).empty());
}

TEST(fio_entries, errors_that_end_nothing_are_counted_apart) {
    result::Job job = test::job("a");
    job.phases.back().operations[1].errors = 7;
    job.phases.back().operations[1].error_counts = {{"ENOSPC", ASSAY_ERROR_DOMAIN_ERRNO, ENOSPC, 7}};
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.global_options = {{"continue_on_error", "write"}};
    const Entry entry = report_of(invocation, test::run_of({job})).entries.at(0);
    EXPECT_EQ(entry.error, 0);
    EXPECT_EQ(entry.first_error, ENOSPC);
    EXPECT_EQ(entry.failed(), 7U);
    EXPECT_NE(to_json(invocation, test::run_of({job}), false).find("\"total_err\": 7"), std::string::npos);
    EXPECT_NE(to_normal(invocation, test::run_of({job}))
                  .find("\n     errors    : total=7, first_error=28/<No space left on device>\n"),
              std::string::npos);
}

TEST(fio_entries, a_latency_goal_is_nanoseconds_and_its_window_microseconds) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    EXPECT_EQ(latency_goal_of(invocation, invocation.jobs[0]).target_ns, 0U);
    EXPECT_EQ(latency_goal_of(invocation, invocation.jobs[0]).percentile, 100.0);
    invocation.jobs[0].options = {{"latency_target", "10ms"}, {"latency_window", "1s"}, {"latency_percentile", "99.5"}};
    const LatencyGoal goal = latency_goal_of(invocation, invocation.jobs[0]);
    EXPECT_EQ(goal.target_ns, 10'000'000U); // fio: "latency_target" : 10000000, "latency_window" : 1000000
    EXPECT_EQ(goal.window_us, 1'000'000U);
    EXPECT_EQ(goal.percentile, 99.5);
    invocation.jobs[0].options = {{"latency_target", "10"}};
    EXPECT_EQ(latency_goal_of(invocation, invocation.jobs[0]).target_ns, 10'000U) << "a bare number is microseconds";
}

TEST(fio_entries, batches_go_to_fios_buckets) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    invocation.jobs[0].options = {{"iodepth_batch", "8"}};
    result::Job job = test::job("a");
    job.facts.push_back({ASSAY_FACT_MEAN_REAP_BATCH, 3.6, "requests", "test"});
    const Entry entry = report_of(invocation, test::run_of({job})).entries.at(0);
    const auto share = [](const std::vector<Bucket>& table, const std::string& key) {
        for (const Bucket& bucket : table)
            if (bucket.key == key) return bucket.percent;
        return -1.0;
    };
    EXPECT_EQ(share(submit_batches(entry), "8"), 100.0);
    EXPECT_EQ(share(complete_batches(entry), "4"), 100.0);
    EXPECT_EQ(share(depth_levels(entry), "16"), 100.0);
    invocation.jobs[0].options = {{"iodepth_batch", "0"}}; // all that fit
    EXPECT_EQ(share(submit_batches(report_of(invocation, test::run_of({job})).entries.at(0)), "16"), 100.0);
}

TEST(fio_entries, jobs_that_share_a_disk_do_not_count_it_twice_but_stages_add_up) {
    result::Run run = test::run_of({test::job("a"), test::job("b")});
    run.stages.push_back(test::run_of({test::job("c")}).stages[0]);
    run.stages[0].points[0].repeats[0].samples = {
        // A second of the window at 0.25 busy, one at 0.75, and what lies outside.
        {"host",
         "disk.busy",
         "device=vda",
         "",
         true,
         {{0, test::s, 1}, {test::s, 2 * test::s, 0.25}, {2 * test::s, 4 * test::s, 0.75}},
         0},
        {"host", "disk.read_time", "device=vda", "", true, {{test::s, 3 * test::s, 0.5}}, 0},
        {"host", "disk.read_time", "device=vdb", "", true, {{test::s, 3 * test::s, 7}}, 0}};
    const Report report = report_of({}, run);
    ASSERT_EQ(report.disks.size(), 1U);
    EXPECT_EQ(report.disks[0].name, "vda");
    EXPECT_EQ(report.disks[0].reads, 22U);
    EXPECT_EQ(report.disks[0].writes, 44U);
    EXPECT_EQ(report.disks[0].read_ms, 1000U);
    EXPECT_DOUBLE_EQ(report.disks[0].busy_percent, 25.0); // 1 s of 2 x 2 s; nothing sampled the second stage
}

TEST(fio_entries, the_terse_line_has_the_fields_of_version_3) {
    Invocation invocation;
    invocation.jobs = {asked("a")};
    const std::string line = to_terse(invocation, test::run_of({test::job("a")}));
    // 5 + 2 x (4 + 4 + 4 + 20 + 4 + 5) + 5 + 7 + 10 + 12, and 9 of a disk: fio's manual, terse version 3.
    EXPECT_EQ(std::count(line.begin(), line.end(), ';') + 1, 5 + 2 * 41 + 5 + 7 + 22 + 9);
    EXPECT_EQ(line.find("3;fio-3.33-assay-1.2.3;a;0;0;800;400;100;2000;0;0;0.000000;0.000000;0;3000;300.09"), 0U)
        << line;
}

} // namespace
} // namespace assay::cli::fio
