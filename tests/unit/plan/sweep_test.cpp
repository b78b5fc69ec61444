// Sweeps: what is expanded, in which order, and what is refused.
#include "tests/unit/plan/fixture.hpp"

#include <chrono>

namespace assay {
namespace {

using test::check;
using test::expect_refused;
using test::stage_with;

constexpr const char* kTwoJobs =
    "stages:\n- jobs:\n    a: {workload: block}\n    b: {workload: object, options: {bucket: x}}\n";

std::vector<std::string> labels(const PlannedStage& stage) {
    std::vector<std::string> result;
    for (const PlannedPoint& point : stage.points) {
        std::string label;
        for (const auto& [key, text] : point.parameters)
            label += key + "=" + text + " ";
        result.push_back(label);
    }
    return result;
}

TEST(PlanSweep, AllCombinationsAreRunTheFirstKeySlowest) {
    const auto plan = check(stage_with("sweep: {block_size: [4KiB, 64KiB], queue_depth: [1, 4, 16]}"));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const PlannedStage& stage = plan->stages[0];
    EXPECT_EQ(labels(stage),
              (std::vector<std::string>{"block_size=4KiB queue_depth=1 ", "block_size=4KiB queue_depth=4 ",
                                        "block_size=4KiB queue_depth=16 ", "block_size=64KiB queue_depth=1 ",
                                        "block_size=64KiB queue_depth=4 ", "block_size=64KiB queue_depth=16 "}));
    const PlannedJob& last = stage.points[5].jobs[0];
    EXPECT_EQ(last.options.find("block_size")->items[0].integer, 65536);
    EXPECT_EQ(last.options.find("queue_depth")->items[0].integer, 16);
    EXPECT_TRUE(last.options.find("queue_depth")->given);
    EXPECT_EQ(stage.points[0].jobs[0].options.find("block_size")->items[0].integer, 4096);
}

TEST(PlanSweep, WorkersAndASingleValueCanBeSwept) {
    const auto plan = check(stage_with("sweep: {workers: [1, 8], engine: psync}"));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(plan->stages[0].points.size(), 2u);
    EXPECT_EQ(plan->stages[0].points[1].jobs[0].workers, 8u);
    EXPECT_EQ(plan->stages[0].points[1].jobs[0].options.find("engine")->items[0].integer, 0);
}

TEST(PlanSweep, AListOptionIsSweptOverLists) {
    const auto plan = check(stage_with("sweep: {mix: [[4KiB:70, 8KiB:30], 4KiB]}"));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(plan->stages[0].points.size(), 2u);
    EXPECT_EQ(plan->stages[0].points[0].jobs[0].options.find("mix")->items.size(), 2u);
}

TEST(PlanSweep, AKeyOfOneJobLeavesTheOthersAlone) {
    const auto plan = check(std::string(kTwoJobs) + "  sweep: {a.queue_depth: [2, 3], b.workers: [5]}\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(plan->stages[0].points.size(), 2u);
    const auto& jobs = plan->stages[0].points[1].jobs;
    EXPECT_EQ(jobs[0].options.find("queue_depth")->items[0].integer, 3);
    EXPECT_EQ(jobs[1].options.find("queue_depth")->items[0].integer, 1);
    EXPECT_EQ(jobs[0].workers, 1u);
    EXPECT_EQ(jobs[1].workers, 5u);
    EXPECT_EQ(plan->stages[0].points[1].parameters[0].first, "a.queue_depth");
}

TEST(PlanSweep, AKeyWithoutAJobGoesToEveryJobThatHasIt) {
    const auto plan = check(std::string(kTwoJobs) + "  sweep: {queue_depth: [7], block_size: [8KiB], workers: [2]}\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const auto& jobs = plan->stages[0].points[0].jobs;
    EXPECT_EQ(jobs[0].options.find("queue_depth")->items[0].integer, 7);
    EXPECT_EQ(jobs[1].options.find("queue_depth")->items[0].integer, 7);
    EXPECT_EQ(jobs[0].options.find("block_size")->items[0].integer, 8192);
    EXPECT_EQ(jobs[0].workers, 2u);
    EXPECT_EQ(jobs[1].workers, 2u);
}

TEST(PlanSweep, AnOptionThatDoesNotExistNamesWorkloadKeyAndNearest) {
    expect_refused(stage_with("sweep: {blok_size: [4KiB]}"), "p.yaml:3:11: ",
                   {"sweep over \"blok_size\"", "block has no such option", "did you mean block_size?",
                    "assay plugins show block"});
    expect_refused(stage_with("sweep:\n    queue_depth: [1]\n    que_depth:\n    - 4\n"),
                   "p.yaml:5:5: ", {"\"que_depth\"", "queue_depth?"});
    expect_refused(std::string(kTwoJobs) + "  sweep: {buket: [a]}\n",
                   "p.yaml:5:11: ", {"block and object", "did you mean bucket?"});
    expect_refused(std::string(kTwoJobs) + "  sweep: {a.bucket: [a]}\n",
                   "p.yaml:5:11: ", {"\"bucket\"", "block has no such option"});
    expect_refused(std::string(kTwoJobs) + "  sweep: {c.queue_depth: [1]}\n",
                   "p.yaml:5:11: ", {"job \"c\"", "it has a, b"});
    expect_refused(stage_with("sweep: {worker: [1]}"), "p.yaml:3:11: ", {"did you mean workers?"});
}

TEST(PlanSweep, AWrongValueIsNamedAtItsPlace) {
    expect_refused(stage_with("sweep: {block_size: [4KiB, 10]}"),
                   "p.yaml:3:30: ", {"option block_size", "\"10\"", "no unit"});
    expect_refused(stage_with("sweep: {queue_depth: [1, 0]}"), "p.yaml:3:28: ", {"less than 1"});
    expect_refused(stage_with("sweep: {workers: [1, 0]}"), "p.yaml:3:24: ", {"workers: 0", "1 to 4096"});
    expect_refused(stage_with("sweep: {block_size: [[4KiB, 8KiB]]}"), "p.yaml:3:24: ", {"not a list"});
    expect_refused(stage_with("sweep: {block_size: [4KiB, 8KiB, 4096B]}"), "p.yaml:3:36: ", {"4KiB twice", "repeat"});
}

TEST(PlanSweep, AValueHasOneSourceOnly) {
    expect_refused(stage_with("options: {block_size: 4KiB}\n  sweep: {block_size: [8KiB]}"),
                   "p.yaml:4:11: ", {"\"block_size\"", "also given"});
    expect_refused(stage_with("workers: 2\n  sweep: {workers: [1]}"), "p.yaml:4:11: ", {"\"workers\"", "also given"});
    expect_refused(std::string(kTwoJobs) + "  sweep: {queue_depth: [1, 2], a.queue_depth: [1]}\n",
                   "p.yaml:5:32: ", {"\"a.queue_depth\"", "job a", "swept twice"});
    expect_refused(std::string(kTwoJobs) + "  sweep: {bucket: [y]}\n",
                   "p.yaml:5:11: ", {"\"bucket\"", "job b", "also given"});
}

std::string numbers(int count) {
    std::string text = "[1";
    for (int i = 2; i <= count; ++i)
        text.append(", ").append(std::to_string(i));
    return text + "]";
}

TEST(PlanSweep, ThePointsOfAWholePlanAreBounded) {
    const std::string one =
        "- workload: block\n  sweep: {queue_depth: " + numbers(250) + ", workers: " + numbers(200) + "}\n";
    const auto begin = std::chrono::steady_clock::now();
    const auto full = check("stages:\n" + one + one);
    ASSERT_TRUE(full.ok()) << full.status().message();
    EXPECT_EQ(full->stages[0].points.size() + full->stages[1].points.size(), 100'000u);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20.0);
    expect_refused("stages:\n" + one + one + "- workload: block\n", "", {"100000 points", "split the plan"});
    expect_refused(stage_with("sweep: {queue_depth: " + numbers(4000) + ", workers: " + numbers(4000) + "}"),
                   "p.yaml:3:11: ", {"more than 100000 points"});
}

TEST(PlanSweep, ASmallPlanCannotExpandToAHugeOne) {
    std::string targets = std::string(3000, 'x');
    for (int i = 0; i < 200; ++i)
        targets.append(", ").append(3000, 'x');
    expect_refused(stage_with("targets: [" + targets + "]\n  sweep: {queue_depth: " + numbers(2000) + "}"),
                   "p.yaml:4:11: ", {"2000 points of", "1GiB"});
}

} // namespace
} // namespace assay
