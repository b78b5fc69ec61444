// The plan's grammar: what is read, and what is refused with which words.
#include "tests/unit/plan/fixture.hpp"

namespace assay {
namespace {

using test::expect_refused;
using test::parse;
using test::stage_with;

TEST(PlanParse, EveryPartOfAPlanIsRead) {
    const auto plan = parse(R"(name: nvme
context: {layer: node-local, protection: none}
stages:
- name: first
  workload: block
  targets: [/dev/a, /dev/b]
  options: {engine: psync, mix: [4KiB:70, 8KiB:30], title: "a, b"}
  workers: 8
  cpus: 0-3
  start_after: 1s
  time: {warmup: 5s, measure: 30s}
  repeat: 5
  sweep: {block_size: [4KiB, 64KiB], workers: [1, 2]}
- jobs:
    oltp: {workload: block, targets: /dev/a, workers: 4, time: {measure: 10s}}
    backup: {workload: block, start_after: 10s}
  time: {measure: 60s}
)");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->source, "p.yaml");
    EXPECT_EQ(plan->name, "nvme");
    ASSERT_EQ(plan->context.size(), 2u);
    EXPECT_EQ(plan->context[0].key.text, "layer");
    EXPECT_EQ(plan->context[0].value.text, "node-local");
    ASSERT_EQ(plan->stages.size(), 2u);

    const StagePlan& first = plan->stages[0];
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.line, 4);
    EXPECT_EQ(first.repeat.text, "5");
    EXPECT_EQ(first.time.warmup.text, "5s");
    EXPECT_EQ(first.time.measure.text, "30s");
    ASSERT_EQ(first.jobs.size(), 1u);
    const JobPlan& job = first.jobs[0];
    EXPECT_EQ(job.name, "block");
    ASSERT_EQ(job.targets.size(), 2u);
    EXPECT_EQ(job.targets[1].text, "/dev/b");
    EXPECT_EQ(job.targets[1].line, 6);
    EXPECT_EQ(job.targets[1].column, 21);
    EXPECT_EQ(job.workers.text, "8");
    EXPECT_EQ(job.cpus.text, "0-3");
    EXPECT_EQ(job.start_after.text, "1s");
    ASSERT_EQ(job.options.size(), 3u);
    EXPECT_EQ(job.options[1].value.text, "4KiB:70,8KiB:30");
    EXPECT_TRUE(job.options[1].value.list);
    EXPECT_EQ(job.options[2].value.text, "a, b");
    EXPECT_FALSE(job.options[2].value.list);
    ASSERT_EQ(first.sweep.size(), 2u);
    EXPECT_EQ(first.sweep[0].key.text, "block_size");
    EXPECT_EQ(first.sweep[0].values[1].text, "64KiB");

    const StagePlan& second = plan->stages[1];
    ASSERT_EQ(second.jobs.size(), 2u);
    EXPECT_EQ(second.jobs[0].name, "oltp");
    EXPECT_EQ(second.jobs[0].targets[0].text, "/dev/a");
    EXPECT_EQ(second.jobs[0].time.measure.text, "10s");
    EXPECT_EQ(second.jobs[1].start_after.text, "10s");
    EXPECT_EQ(second.jobs[1].time.measure.text, "");
}

TEST(PlanParse, ValuesStayTheTextThatWasWritten) {
    const auto plan =
        parse(stage_with("options: {a: yes, b: 010, c: 1e3, d: 0x10, e: 1_000, f: \"~\", g: 2026-01-01, h: 'null'}"));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::vector<std::string> expected = {"yes", "010", "1e3", "0x10", "1_000", "~", "2026-01-01", "null"};
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(plan->stages[0].jobs[0].options[i].value.text, expected[i]);
}

TEST(PlanParse, AnUnknownKeyNamesTheNearestAndAllThereAre) {
    expect_refused("nmae: x\nstages: [{workload: block}]",
                   "p.yaml:1:1: ", {"\"nmae\"", "a plan", "did you mean name?", "stages"});
    expect_refused(stage_with("worker: 2"),
                   "p.yaml:3:3: ", {"\"worker\"", "a stage", "did you mean workers?", "repeat"});
    expect_refused("stages:\n- jobs:\n    a: {workload: block, option: {}}",
                   "p.yaml:3:26: ", {"\"option\"", "a job", "options"});
    expect_refused(stage_with("time: {mesure: 1s}"), "p.yaml:3:10: ", {"\"mesure\"", "measure"});
    expect_refused("context: {layr: x}\nstages: [{workload: block}]", "p.yaml:1:11: ", {"\"layr\"", "layer"});
}

TEST(PlanParse, WhatThisVersionDoesNotDoSaysSo) {
    for (const std::string key : {"expect", "budget", "health", "intent", "server_cache", "ceiling"}) {
        const std::vector<std::string> parts = {key + " is not supported by this version of assay"};
        expect_refused("name: x\n" + key + ": [a]\nstages: [{workload: block}]\n", "p.yaml:2:1: ", parts);
        expect_refused(stage_with(key + ": {a: b}"), "p.yaml:3:3: ", parts);
        expect_refused("stages:\n- jobs:\n    a: {" + key + ": 1, workload: block}", "p.yaml:3:9: ", parts);
    }
    expect_refused("context: {server_cache: 0}\nstages: [{workload: block}]",
                   "p.yaml:1:11: ", {"server_cache is not supported"});
}

TEST(PlanParse, AStageIsOneJobOrNamedJobs) {
    expect_refused("stages:\n- targets: [a]\n", "p.yaml:2:3: ", {"names a workload or has jobs"});
    expect_refused("stages:\n- workload: block\n  jobs: {a: {workload: block}}\n",
                   "p.yaml:2:3: ", {"workload belongs to each job"});
    expect_refused("stages:\n- jobs: {}\n", "p.yaml:2:9: ", {"1 to 1024 jobs", "has 0"});
    expect_refused("stages:\n- jobs: {a: {targets: [x]}}\n", "p.yaml:2:10: ", {"job a names no workload"});
    expect_refused("stages:\n- jobs: {a: {workload: block, repeat: 2}}\n",
                   "p.yaml:2:31: ", {"repeat belongs to the stage"});
    expect_refused("stages:\n- jobs: {a.b: {workload: block}}\n", "p.yaml:2:10: ", {"\"a.b\"", "letters"});
    expect_refused("stages:\n- jobs: [block]\n", "p.yaml:2:9: ", {"jobs must be a map, not a list"});
    std::string many = "stages:\n- jobs:\n";
    for (int i = 0; i < 1025; ++i)
        many.append("    j").append(std::to_string(i)).append(": {workload: block}\n");
    expect_refused(many, "p.yaml:3:5: ", {"1024 jobs", "1025"});
}

TEST(PlanParse, StagesAreAListOfMaps) {
    expect_refused("name: x\n", "p.yaml:1:1: ", {"no stages"});
    expect_refused("stages:\n", "p.yaml:1:1: ", {"stages must be a list, not nothing"});
    expect_refused("stages: []\n", "p.yaml:1:9: ", {"1 to 1024 stages", "has 0"});
    expect_refused("stages: {workload: block}\n", "p.yaml:1:9: ", {"stages must be a list, not a map"});
    expect_refused("stages: [block]\n", "p.yaml:1:10: ", {"a stage must be a map, not a text"});
    std::string many = "stages:\n";
    for (int i = 0; i < 1025; ++i)
        many += "- workload: block\n";
    expect_refused(many, "p.yaml:2:1: ", {"1024 stages", "1025"});
}

TEST(PlanParse, AValueOfTheWrongShapeIsNamed) {
    expect_refused(stage_with("workers: [1]"), "p.yaml:3:12: ", {"workers must be a text, not a list"});
    expect_refused(stage_with("workers:"), "p.yaml:3:3: ", {"workers must be a text, not nothing"});
    expect_refused(stage_with("workers: \"\""), "p.yaml:3:12: ", {"workers is empty"});
    expect_refused(stage_with("options: block"), "p.yaml:3:12: ", {"options must be a map, not a text"});
    expect_refused(stage_with("options: {engine: {a: b}}"),
                   "p.yaml:3:21: ", {"engine must be a text or a list, not a map"});
    expect_refused(stage_with("options: {engine: }"), "p.yaml:3:13: ", {"engine has no value"});
    expect_refused(stage_with("options: {engine: ~}"), "p.yaml:3:13: ", {"engine has no value", "\"null\" in quotes"});
    expect_refused(stage_with("options: {mix: []}"), "p.yaml:3:18: ", {"mix is an empty list"});
    expect_refused(stage_with("options: {mix: [[4KiB]]}"), "p.yaml:3:19: ", {"mix is a list", "must be a text"});
    expect_refused(stage_with("options: {mix: [\"4KiB,8KiB\"]}"), "p.yaml:3:19: ", {"\"4KiB,8KiB\"", "comma"});
    expect_refused(stage_with("targets: [a, \"\"]"), "p.yaml:3:16: ", {"a target must be a text"});
    expect_refused(stage_with("targets: {a: b}"), "p.yaml:3:12: ", {"targets must be a list, not a map"});
    expect_refused(stage_with("time: 10s"), "p.yaml:3:9: ", {"time must be a map"});
    expect_refused(stage_with("sweep: {queue_depth: []}"), "p.yaml:3:24: ", {"queue_depth has no values"});
    expect_refused("name: [a]\nstages: [{workload: block}]", "p.yaml:1:7: ", {"name must be a text"});
    expect_refused("name: " + std::string(300, 'x') + "\nstages: [{workload: block}]",
                   "p.yaml:1:7: ", {"300 bytes", "256"});
    std::string targets = "a";
    for (int i = 0; i < 1024; ++i)
        targets += ",a";
    expect_refused(stage_with("targets: [" + targets + "]"), "p.yaml:3:12: ", {"1025 targets", "1024"});
}

TEST(PlanParse, TheFirstOfSeveralErrorsIsReported) {
    expect_refused("nmae: x\nstages:\n- workload: block\n  wrokers: 2\n", "p.yaml:1:1: ", {"nmae"});
}

TEST(PlanParse, ASingleJobPlanIsOneStageAsTyped) {
    const Plan plan = single_job_plan({.workload = "block",
                                       .targets = {"/tmp/f"},
                                       .options = {{"block_size", "8KiB"}},
                                       .workers = "2",
                                       .cpus = "0",
                                       .warmup = "1s",
                                       .measure = "2s",
                                       .repeat = "3"});
    const auto checked = check_plan(plan, test::schema_of);
    ASSERT_TRUE(checked.ok()) << checked.status().message();
    ASSERT_EQ(checked->stages.size(), 1u);
    EXPECT_EQ(checked->name, "block");
    EXPECT_EQ(checked->stages[0].name, "block");
    EXPECT_EQ(checked->stages[0].repeat, 3u);
    ASSERT_EQ(checked->stages[0].points.size(), 1u);
    const PlannedJob& job = checked->stages[0].points[0].jobs[0];
    EXPECT_EQ(job.targets, (std::vector<std::string>{"/tmp/f"}));
    EXPECT_EQ(job.options.find("block_size")->items[0].integer, 8192);
    EXPECT_EQ(job.workers, 2u);
    EXPECT_EQ(job.cpus, (std::vector<int>{0}));
    EXPECT_EQ(job.warmup_ns, 1'000'000'000);
    EXPECT_EQ(job.measure_ns, 2'000'000'000);
}

} // namespace
} // namespace assay
