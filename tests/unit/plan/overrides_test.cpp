// --set KEY=VALUE.
#include "tests/unit/plan/fixture.hpp"

namespace assay {
namespace {

using test::expect_message;
using test::parse;

constexpr const char* kPlan = R"(name: n
stages:
- workload: block
  targets: [/dev/a]
  options: {block_size: 4KiB}
  time: {warmup: 1s, measure: 30s}
  sweep: {queue_depth: [1, 4]}
- jobs:
    oltp: {workload: block, workers: 4, time: {measure: 10s}}
    back-up: {workload: block, options: {engine: psync}}
  sweep: {oltp.block_size: [4KiB, 8KiB]}
)";

Plan with(const std::vector<std::string>& sets) {
    const auto plan = parse(kPlan, sets);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return plan.ok() ? *plan : Plan();
}

std::string option(const JobPlan& job, const std::string& key) {
    for (const PlanEntry& entry : job.options) {
        if (entry.key.text == key) return entry.value.text;
    }
    return "(none)";
}

TEST(PlanOverrides, AnOptionIsSetInEveryJob) {
    const Plan plan = with({"engine=libaio", "block-size=16KiB"});
    for (const StagePlan& stage : plan.stages) {
        for (const JobPlan& job : stage.jobs) {
            EXPECT_EQ(option(job, "engine"), "libaio");
            EXPECT_EQ(option(job, "block_size"), "16KiB");
        }
    }
    EXPECT_TRUE(test::check(kPlan, {"block_size=16KiB"}).ok()) << "the sweep over it ended, so nothing contradicts";
}

TEST(PlanOverrides, AnOverrideEndsASweepOverTheSameKey) {
    EXPECT_EQ(with({"title=x"}).stages[0].sweep.size(), 1u);
    EXPECT_TRUE(with({"queue_depth=2"}).stages[0].sweep.empty());
    EXPECT_TRUE(with({"block_size=2KiB"}).stages[1].sweep.empty());
    EXPECT_EQ(with({"depth=2"}).stages[0].sweep.size(), 1u) << "the end of a key is not the key";
}

TEST(PlanOverrides, StageAndJobSettingsAreSetEverywhere) {
    const Plan plan =
        with({"workers=3", "cpus=0-1", "repeat=2", "time.measure=7s", "time.warmup=2s", "targets=[/x, /y]", "name=m"});
    EXPECT_EQ(plan.name, "m");
    for (const StagePlan& stage : plan.stages) {
        EXPECT_EQ(stage.repeat.text, "2");
        EXPECT_EQ(stage.time.measure.text, "7s");
        EXPECT_EQ(stage.time.warmup.text, "2s");
        for (const JobPlan& job : stage.jobs) {
            EXPECT_EQ(job.workers.text, "3");
            EXPECT_EQ(job.cpus.text, "0-1");
            ASSERT_EQ(job.targets.size(), 2u);
            EXPECT_EQ(job.targets[1].text, "/y");
        }
    }
    EXPECT_EQ(plan.stages[1].jobs[0].time.measure.text, "7s") << "a job's own time is overridden too";
    EXPECT_EQ(plan.stages[1].jobs[0].time.warmup.text, "") << "and not made where it was not";
    EXPECT_EQ(with({"targets=/a b"}).stages[0].jobs[0].targets[0].text, "/a b");
}

TEST(PlanOverrides, APathSetsOnePlace) {
    const Plan plan =
        with({"stages.0.options.engine=psync", "stages.1.jobs.oltp.options.title=a=b",
              "stages.1.jobs.back-up.workers=9", "stages.1.time.measure=5s", "stages.0.sweep.queue_depth=[2, 3]",
              "stages.1.sweep.oltp.block_size=16KiB", "context.layer=VM"});
    EXPECT_EQ(option(plan.stages[0].jobs[0], "engine"), "psync");
    EXPECT_EQ(option(plan.stages[0].jobs[0], "block_size"), "4KiB");
    EXPECT_EQ(option(plan.stages[1].jobs[0], "title"), "a=b");
    EXPECT_EQ(option(plan.stages[1].jobs[1], "title"), "(none)");
    EXPECT_EQ(plan.stages[1].jobs[1].workers.text, "9");
    EXPECT_EQ(plan.stages[1].time.measure.text, "5s");
    ASSERT_EQ(plan.stages[0].sweep[0].values.size(), 2u);
    EXPECT_EQ(plan.stages[0].sweep[0].values[1].text, "3");
    ASSERT_EQ(plan.stages[1].sweep[0].values.size(), 1u);
    EXPECT_EQ(plan.stages[1].sweep[0].values[0].text, "16KiB");
    EXPECT_EQ(plan.context[0].value.text, "VM");
}

TEST(PlanOverrides, TheLastOfTwoWins) {
    EXPECT_EQ(option(with({"title=a", "title=b"}).stages[0].jobs[0], "title"), "b");
}

TEST(PlanOverrides, AWrongOverrideNamesItselfAndHasNoPositionInTheFile) {
    const auto refused = [](const std::string& set, const std::vector<std::string>& parts) {
        SCOPED_TRACE(set);
        const Status status = test::check(kPlan, {set}).status();
        expect_message(status, "", parts);
        EXPECT_EQ(status.message().find("p.yaml"), std::string::npos) << status.message();
    };
    refused("block_size", {"--set \"block_size\"", "KEY=VALUE"});
    refused("=4KiB", {"--set", "KEY=VALUE"});
    refused("", {"--set", "KEY=VALUE"});
    refused("title=\xff", {"--set", "\\xff"});
    refused("stages.2.options.engine=psync", {"--set stages.2.options.engine=psync", "entries 0 to 1", "\"2\""});
    refused("stages.x.options.engine=psync", {"--set", "\"x\""});
    refused("stages.-1.repeat=1", {"\"-1\""});
    refused("stages.1.jobs.oltpp.workers=1", {"\"oltpp\"", "stages.1.jobs", "did you mean oltp?"});
    refused("stages.0.optoins.engine=psync", {"\"optoins\"", "did you mean options?"});
    refused("stages.0=x", {"stages is a list"});
    refused("stages.0.workload.x=1", {"stages.0.workload is a text"});
    refused("stages.0.=1", {"--set"});
    refused("oltp.block_size=4KiB", {"--set", "neither an option nor a path", "stages.0.jobs.NAME"});
    refused("time.mesure=1s", {"--set", "time.measure=VALUE"});
    refused("stages.0.wrokers=2", {"\"wrokers\"", "did you mean workers?"});
    refused("blok_size=4KiB", {"\"blok_size\"", "did you mean block_size?"});
    refused("block_size=10", {"option block_size", "\"10\"", "no unit"});
    refused("repeat=0", {"repeat: 0", "1 to 1000"});
    refused("time.measure=10", {"time.measure", "\"10\"", "no unit"});
    refused("workers=", {"workers is empty"});
}

TEST(PlanOverrides, AFileThatIsNotAPlanIsReportedAsThat) {
    expect_message(test::check("- a\n", {"block_size=4KiB"}).status(), "p.yaml:1:1: ", {"a list"});
    expect_message(test::check("stages: 7\n", {"block_size=4KiB"}).status(), "p.yaml:1:9: ", {"stages must be a list"});
    expect_message(test::check("stages: [7, {jobs: 3}]\n", {"block_size=4KiB", "time.measure=1s"}).status(),
                   "p.yaml:1:10: ", {"a stage must be a map"});
}

} // namespace
} // namespace assay
