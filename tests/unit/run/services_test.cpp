// What the host accepts from a plugin, copies and bounds: log lines, facts, targets, errors, progress.
#include "tests/unit/run/scripted.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace assay::test {
namespace {

TEST_F(Contract, log_lines_past_a_hundred_a_second_are_counted_instead) {
    script_.prepare = [](const assay_host* host) {
        for (int line = 0; line < 1'000; ++line)
            host->log(host, ASSAY_LOG_INFO, ("line\n" + std::to_string(line)).c_str());
        return ASSAY_OK;
    };
    run_it(job());
    const std::vector<LogLine> lines = hooks_.log_lines();
    ASSERT_EQ(lines.size(), 101U) << "all thousand lines come within a second";
    EXPECT_EQ(lines[0].text, "line 0");
    EXPECT_EQ(lines[0].job, "scripted");
    EXPECT_EQ(lines[99].text, "line 99");
    EXPECT_EQ(lines[100].text.rfind("900 more log lines suppressed", 0), 0U) << lines[100].text;
    EXPECT_EQ(lines[100].severity, ASSAY_LOG_WARNING);
}

TEST_F(Contract, facts_are_copied_replaced_by_key_and_bounded) {
    script_.prepare = [](const assay_host* host) {
        assay_fact fact{sizeof(assay_fact), ASSAY_FACT_INTEGER, "queue_depth", "requests", "", "test", 1, 0};
        host->report_fact(host, &fact);
        fact.integer = 2;
        host->report_fact(host, &fact);
        const std::string huge(1'000'000, 'x');
        fact = {sizeof(assay_fact), ASSAY_FACT_TEXT, "huge", "", huge.c_str(), "test", 0, 0};
        host->report_fact(host, &fact);
        fact = {sizeof(assay_fact), ASSAY_FACT_REAL, "infinite", "", "", "test", 0, 1e308 * 10};
        host->report_fact(host, &fact);
        for (int at = 0; at < 5'000; ++at) {
            const std::string key = "many_" + std::to_string(at);
            fact = {sizeof(assay_fact), ASSAY_FACT_BOOL, key.c_str(), "", "", "test", 1, 0};
            host->report_fact(host, &fact);
        }
        host->report_fact(host, nullptr);
        fact = {8, ASSAY_FACT_BOOL, nullptr, nullptr, nullptr, nullptr, 1, 0};
        host->report_fact(host, &fact);
        return ASSAY_OK;
    };
    const result::Job done = run_it(job()).jobs.at(0);
    EXPECT_EQ(done.facts.size(), 1'024U + 1); // and the host's own: longest_pause_ns
    EXPECT_EQ(std::get<std::int64_t>(done.fact("queue_depth")->value), 2);
    EXPECT_EQ(std::get<std::string>(done.fact("huge")->value).size(), 64U * 1024U);
    EXPECT_TRUE(std::holds_alternative<std::string>(done.fact("infinite")->value)) << "JSON has no infinity";
    EXPECT_EQ(std::get<bool>(done.fact("many_0")->value), true);
    EXPECT_EQ(hooks_.log_lines().size(), 1U);
}

TEST_F(Contract, targets_carry_region_and_flags_and_are_accepted_from_configure_only) {
    const auto report = [](const assay_host* host, const char* name) {
        const assay_target target{sizeof(assay_target),
                                  ASSAY_TARGET_BLOCK_DEVICE,
                                  ASSAY_TARGET_WRITES | ASSAY_TARGET_DIRECT,
                                  0,
                                  name,
                                  4096,
                                  8192,
                                  1024};
        host->report_target(host, &target);
    };
    script_.configure = [&](const assay_host* host) { return report(host, "/dev/one"), ASSAY_OK; };
    script_.prepare = [&](const assay_host* host) { return report(host, "/dev/two"), ASSAY_OK; };
    const result::Job done = run_it(job()).jobs.at(0);
    ASSERT_EQ(done.targets.size(), 1U);
    EXPECT_EQ(done.targets[0].name, "/dev/one");
    EXPECT_EQ(done.targets[0].kind, "block device");
    EXPECT_TRUE(done.targets[0].writes);
    EXPECT_TRUE(done.targets[0].direct);
    EXPECT_FALSE(done.targets[0].reads);
    EXPECT_EQ(done.targets[0].offset_bytes, 4096U);
    EXPECT_EQ(done.targets[0].length_bytes, 8192U);
    EXPECT_EQ(done.targets[0].unique_bytes, 1024U);
    ASSERT_EQ(hooks_.log_lines().size(), 1U);
    EXPECT_NE(hooks_.log_lines()[0].text.find("/dev/two"), std::string::npos);
}

TEST_F(Contract, an_error_set_by_a_thread_of_the_plugins_own_counts_for_the_call_that_fails) {
    script_.run = [](const assay_host* host, assay_worker*, std::uint32_t) {
        std::thread([&] { host->set_error(host, nullptr, "the pool thread saw it"); }).join();
        return ASSAY_IO;
    };
    const result::Job done = run_it(job()).jobs.at(0);
    EXPECT_NE(done.failure.find("the pool thread saw it"), std::string::npos) << done.failure;
}

TEST_F(Contract, errors_of_two_workers_do_not_get_mixed_up) {
    std::atomic<int> ready = 0;
    script_.run = [&](const assay_host* host, assay_worker* worker, std::uint32_t) {
        host->set_error(host, nullptr, ("reason of " + std::to_string(worker->block->local_index)).c_str());
        ++ready;
        while (ready < 2)
            std::this_thread::yield();
        return worker->block->local_index == 1 ? ASSAY_IO : ASSAY_OK;
    };
    RunJob two = job();
    two.workers = 2;
    const result::Job done = run_it(two).jobs.at(0);
    EXPECT_NE(done.failure.find("worker 1"), std::string::npos) << done.failure;
    EXPECT_NE(done.failure.find("reason of 1"), std::string::npos) << done.failure;
}

TEST_F(Contract, progress_that_the_plugin_reports_reaches_the_live_line) {
    script_.phases.insert(script_.phases.begin(), {sizeof(assay_phase), ASSAY_PHASE_SETUP, "lay out", 1'000});
    script_.run = [](const assay_host* host, assay_worker*, std::uint32_t phase) {
        if (phase != 0) return ASSAY_OK;
        host->report_progress(host, 600, 2'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return ASSAY_OK;
    };
    run_it(job());
    const bool seen = std::any_of(hooks_.shown.begin(), hooks_.shown.end(), [](const auto& jobs) {
        return jobs[0].phase == "lay out" && jobs[0].done_bytes == 600 && jobs[0].total_bytes == 2'000;
    });
    EXPECT_TRUE(seen);
}

TEST_F(Contract, the_host_knows_no_extension_yet_and_says_so_with_null) {
    const void* found = this;
    script_.configure = [&](const assay_host* host) {
        found = host->get_extension(host, "assay.trace/1");
        return ASSAY_OK;
    };
    run_it(job());
    EXPECT_EQ(found, nullptr);
}

} // namespace
} // namespace assay::test
