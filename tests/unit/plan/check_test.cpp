// A plan against the workloads' option tables.
#include "tests/unit/plan/fixture.hpp"

#include <cstdlib>

namespace assay {
namespace {

using test::check;
using test::expect_message;
using test::expect_refused;
using test::stage_with;

const PlannedJob& job_of(const CheckedPlan& plan) { return plan.stages.at(0).points.at(0).jobs.at(0); }

TEST(PlanCheck, EveryValueGetsItsType) {
    const auto typed = check(
        "name: n\ncontext: {layer: VM}\nstages:\n- {workload: block, targets: [/a, /b], options: {block_size: "
        "64KiB, mix: [4KiB:70, 8KiB:30]}, workers: 3, cpus: \"0-2,5\", start_after: 250ms, time: {warmup: "
        "1s, measure: 2min}, repeat: 4}\n");
    ASSERT_TRUE(typed.ok()) << typed.status().message();
    EXPECT_EQ(typed->name, "n");
    EXPECT_EQ(typed->context, (std::vector<std::pair<std::string, std::string>>{{"layer", "VM"}}));
    EXPECT_EQ(typed->stages[0].repeat, 4u);
    const PlannedJob& job = job_of(*typed);
    EXPECT_EQ(job.workload, "block");
    EXPECT_EQ(job.targets, (std::vector<std::string>{"/a", "/b"}));
    EXPECT_EQ(job.options.find("block_size")->items[0].integer, 65536);
    EXPECT_TRUE(job.options.find("block_size")->given);
    EXPECT_FALSE(job.options.find("engine")->given);
    EXPECT_EQ(job.options.find("mix")->items[0].weight, 70.0);
    EXPECT_EQ(job.workers, 3u);
    EXPECT_EQ(job.cpus, (std::vector<int>{0, 1, 2, 5}));
    EXPECT_EQ(job.start_after_ns, 250'000'000);
    EXPECT_EQ(job.warmup_ns, 1'000'000'000);
    EXPECT_EQ(job.measure_ns, 120'000'000'000);
}

TEST(PlanCheck, WhatIsNotGivenHasItsDefault) {
    const auto plan = check("stages: [{workload: block}]");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->name, "p") << "the file's name";
    EXPECT_EQ(plan->stages[0].name, "block");
    EXPECT_EQ(plan->stages[0].repeat, 1u);
    ASSERT_EQ(plan->stages[0].points.size(), 1u);
    EXPECT_TRUE(plan->stages[0].points[0].parameters.empty());
    const PlannedJob& job = job_of(*plan);
    EXPECT_EQ(job.workers, 1u);
    EXPECT_TRUE(job.cpus.empty());
    EXPECT_EQ(job.measure_ns, 0) << "the work ends it";
    EXPECT_EQ(job.options.find("block_size")->items[0].integer, 4096);
}

TEST(PlanCheck, AnUnknownOptionNamesWorkloadKeyAndNearest) {
    expect_refused(stage_with("options: {blok_size: 4KiB}"), "p.yaml:3:13: ",
                   {"block has no option \"blok_size\"", "did you mean block_size?", "assay plugins show block"});
    expect_refused("stages:\n- jobs:\n    a: {workload: block}\n    b: {workload: block, options: {xyz: 1}}\n",
                   "p.yaml:4:36: job b: ", {"\"xyz\""});
}

TEST(PlanCheck, AWrongValueNamesOptionTextRuleAndExampleAtItsPlace) {
    expect_refused(stage_with("options: {block_size: 10}"),
                   "p.yaml:3:25: option block_size: ", {"\"10\"", "no unit", "4KiB"});
    expect_refused(stage_with("options: {block_size: 4KB/s}"), "p.yaml:3:25: ", {"\"4KB/s\"", "not a size", "rate"});
    expect_refused(stage_with("options: {block_size: 1B}"), "p.yaml:3:25: ", {"\"1B\"", "less than 512B", "64MiB"});
    expect_refused(stage_with("options: {queue_depth: 0}"), "p.yaml:3:26: ", {"\"0\"", "less than 1", "1 to 4096"});
    expect_refused(stage_with("options: {engine: iouring}"),
                   "p.yaml:3:21: ", {"\"iouring\"", "did you mean io_uring?"});
    expect_refused(stage_with("options: {think: 5}"), "p.yaml:3:20: ", {"\"5\"", "10s"});
    expect_refused(stage_with("options: {block_size: [4KiB, 8KiB]}"),
                   "p.yaml:3:25: ", {"one value, not a list", "sweep"});
    expect_refused(stage_with("options: {title: [a, b]}"), "p.yaml:3:20: ", {"option title", "not a list"});
}

TEST(PlanCheck, AnUnknownWorkloadIsReportedAtItsPlace) {
    expect_refused("stages:\n- workload: blok\n", "p.yaml:2:13: ", {"no workload \"blok\""});
}

TEST(PlanCheck, AMissingRequiredOptionIsReportedAtTheWorkload) {
    expect_refused("stages:\n- workload: object\n",
                   "p.yaml:2:13: ", {"object needs the option bucket", "for example bench"});
    EXPECT_TRUE(check("stages: [{workload: object, options: {bucket: b}}]").ok());
    EXPECT_TRUE(check("stages: [{workload: object, sweep: {bucket: [a, b]}}]").ok()) << "a sweep gives it too";
}

TEST(PlanCheck, CountsAndTimesHaveTheirRange) {
    expect_refused(stage_with("workers: 0"), "p.yaml:3:12: ", {"workers: 0", "1 to 4096"});
    expect_refused(stage_with("workers: 4097"), "p.yaml:3:12: ", {"4097"});
    expect_refused(stage_with("workers: many"), "p.yaml:3:12: ", {"workers: \"many\"", "whole number"});
    expect_refused(stage_with("repeat: 1001"), "p.yaml:3:11: ", {"repeat: 1001", "1 to 1000"});
    expect_refused(stage_with("time: {measure: 10}"), "p.yaml:3:19: ", {"time.measure: \"10\"", "no unit", "10s"});
    expect_refused(stage_with("time: {measure: 0s}"), "p.yaml:3:19: ", {"time.measure", "more than 0", "leave it out"});
    expect_refused(stage_with("time: {warmup: 5KiB}"), "p.yaml:3:18: ", {"time.warmup", "not a duration"});
    expect_refused(stage_with("time: {measure: 366d}"), "p.yaml:3:19: ", {"365d"});
    expect_refused(stage_with("start_after: -1s"), "p.yaml:3:16: ", {"start_after", "negative"});
    EXPECT_TRUE(check(stage_with("time: {warmup: 0s, measure: 365d}")).ok());
    EXPECT_TRUE(check(stage_with("workers: 4096")).ok());
}

TEST(PlanCheck, CpusAreNumbersAndRanges) {
    const auto plan = check(stage_with("cpus: [0, 4-6, 2]"));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(job_of(*plan).cpus, (std::vector<int>{0, 4, 5, 6, 2}));
    for (const std::string bad : {"3-1", "a", "0-", "-1", "0--2", "0-1-2", "0,,1", "8192", "0-99999999999"}) {
        expect_refused(stage_with("cpus: \"" + bad + "\""), "p.yaml:3:9: cpus: ", {"not a CPU", "0-3,8"});
    }
    expect_refused(stage_with("cpus: \"0-4095,0\""), "p.yaml:3:9: ", {"more than 4096 CPUs"});
}

TEST(PlanCheck, AJobsOwnTimeGoesBeforeTheStagesOneByOne) {
    const auto plan = check(
        "stages:\n- jobs:\n    a: {workload: block, time: {measure: 5s}}\n    b: {workload: block}\n"
        "  time: {warmup: 1s, measure: 60s}\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const auto& jobs = plan->stages[0].points[0].jobs;
    EXPECT_EQ(jobs[0].measure_ns, 5'000'000'000);
    EXPECT_EQ(jobs[0].warmup_ns, 1'000'000'000);
    EXPECT_EQ(jobs[1].measure_ns, 60'000'000'000);
}

TEST(PlanCheck, EveryStageHasItsOwnName) {
    const auto plan = check(
        "stages: [{workload: block}, {workload: block}, {name: block-2, workload: block}, "
        "{jobs: {a: {workload: block}, b: {workload: block}}}]");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->stages[0].name, "block");
    EXPECT_EQ(plan->stages[1].name, "block-3") << "block-2 was given to another";
    EXPECT_EQ(plan->stages[2].name, "block-2");
    EXPECT_EQ(plan->stages[3].name, "a+b");
    expect_refused("stages:\n- {name: x, workload: block}\n- {name: x, workload: block}\n",
                   "p.yaml:3:", {"two stages", "\"x\""});
}

TEST(PlanCheck, ATargetThatAResultCouldNotNameIsRefused) {
    const Plan bad = single_job_plan({.workload = "block", .targets = {"/tmp/\xff"}, .options = {}});
    expect_message(check_plan(bad, test::schema_of).status(), "the target ", {"\\xff", "UTF-8"});
    const Plan longer = single_job_plan({.workload = "block", .targets = {std::string(4096, 'x')}, .options = {}});
    expect_message(check_plan(longer, test::schema_of).status(), "the target ", {"4095 bytes"});
    const Plan empty = single_job_plan({.workload = "block", .targets = {""}, .options = {}});
    expect_message(check_plan(empty, test::schema_of).status(), "a target is empty", {});
}

TEST(PlanCheck, MessagesOfTheCommandLineHaveNoPosition) {
    const Plan size = single_job_plan({.workload = "block", .targets = {}, .options = {{"block_size", "10"}}});
    expect_message(check_plan(size, test::schema_of).status(), "option block_size: \"10\" has no unit", {"4KiB"});
    const Plan key = single_job_plan({.workload = "block", .targets = {}, .options = {{"blok_size", "4KiB"}}});
    expect_message(check_plan(key, test::schema_of).status(), "block has no option \"blok_size\"", {"block_size?"});
    const Plan twice =
        single_job_plan({.workload = "block", .targets = {}, .options = {{"title", "a"}, {"title", "b"}}});
    expect_message(check_plan(twice, test::schema_of).status(), "option title is given twice", {});
    const Plan repeat = single_job_plan({.workload = "block", .targets = {}, .options = {}, .repeat = "x"});
    expect_message(check_plan(repeat, test::schema_of).status(), "repeat: \"x\"", {});
    expect_message(check_plan(Plan(), test::schema_of).status(), "the plan has no stages", {});
}

TEST(PlanCheck, ASecretStandsInThePlanAsAReferenceOnly) {
    ::setenv("ASSAY_TEST_KEY", "hunter2", 1);
    const std::string yaml = "stages: [{workload: object, options: {bucket: b, secret_key: env:ASSAY_TEST_KEY}}]";
    const auto plan = check(yaml);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(job_of(*plan).options.find("secret_key")->items[0].text, "hunter2");
    EXPECT_EQ(plan_yaml(*test::parse(yaml)).find("hunter2"), std::string::npos);
    expect_refused("stages: [{workload: object, options: {bucket: b, secret_key: hunter2}}]",
                   "p.yaml:1:62: ", {"env:NAME"});
    ::unsetenv("ASSAY_TEST_KEY");
}

TEST(PlanCheck, AJobMayAskForWhatEachWorkerDid) {
    for (const auto& [line, wanted] :
         {std::pair("workers: 2", false), std::pair("per_worker: yes", true), std::pair("per-worker: off", false)}) {
        const auto plan = check(test::stage_with(line));
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        EXPECT_EQ(plan->stages[0].points[0].jobs[0].per_worker, wanted) << line;
    }
    const auto by_override = check(test::stage_with("workers: 2"), {"per_worker=yes"});
    ASSERT_TRUE(by_override.ok()) << by_override.status().message();
    EXPECT_TRUE(by_override->stages[0].points[0].jobs[0].per_worker);
    test::expect_refused(test::stage_with("per_worker: maybe"), "p.yaml:3:15: per_worker", {"maybe"});
}

} // namespace
} // namespace assay
