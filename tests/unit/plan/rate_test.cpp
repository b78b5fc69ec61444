// Rates, arrivals and samplers in plans.
#include "tests/unit/plan/fixture.hpp"

namespace assay {
namespace {

using test::check;
using test::expect_refused;
using test::stage_with;

std::vector<std::string> rates(const PlannedStage& stage) {
    std::vector<std::string> texts;
    for (const PlannedPoint& point : stage.points)
        for (const auto& [key, text] : point.parameters)
            if (key == "rate") texts.push_back(text);
    return texts;
}

TEST(PlanRate, AJobHasARateAndAnArrival) {
    const auto plan = check(stage_with("rate: 10k/s") + "  arrival: poisson\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const PlannedJob& job = plan->stages[0].points[0].jobs[0];
    EXPECT_EQ(job.rate_per_s, 10'000.0);
    EXPECT_FALSE(job.rate_of_max);
    EXPECT_EQ(job.arrival, ASSAY_ARRIVAL_POISSON);
}

TEST(PlanRate, MaxAndNothingAreTheClosedLoop) {
    for (const char* line : {"rate: max", "workers: 1"}) {
        const auto plan = check(stage_with(line));
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        EXPECT_FALSE(plan->stages[0].points[0].jobs[0].rate_per_s);
        EXPECT_FALSE(plan->stages[0].points[0].jobs[0].rate_of_max);
    }
}

TEST(PlanRate, ACurveIsTheMaximumAndTenSharesOfIt) {
    const std::vector<std::string> all = {"max", "10%", "20%", "30%", "40%", "50%", "60%", "70%", "80%", "90%", "100%"};
    for (const char* line : {"rate: curve", "sweep: {rate: curve}", "sweep: {rate: [curve]}"}) {
        const auto plan = check(stage_with(line));
        ASSERT_TRUE(plan.ok()) << line << ": " << plan.status().message();
        EXPECT_EQ(rates(plan->stages[0]), all) << line;
        EXPECT_FALSE(plan->stages[0].points[0].jobs[0].rate_of_max);
        EXPECT_EQ(plan->stages[0].points[3].jobs[0].rate_of_max, 0.3);
    }
}

TEST(PlanRate, ACurveOfOneOfSeveralJobsSweepsItAlone) {
    const auto plan =
        check("stages:\n- jobs:\n    a-b: {workload: block, rate: curve}\n    c: {workload: block, rate: 5/s}\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_EQ(plan->stages[0].points.size(), 11u);
    EXPECT_EQ(plan->stages[0].points[10].jobs[0].rate_of_max, 1.0);
    EXPECT_EQ(plan->stages[0].points[10].jobs[1].rate_per_s, 5.0);
}

TEST(PlanRate, ACurveMultipliesWithOtherSweeps) {
    const auto plan = check(stage_with("sweep: {queue_depth: [1, 4]}") + "  rate: curve\n");
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->stages[0].points.size(), 22u);
    EXPECT_EQ(plan->stages[0].points[11].parameters,
              (std::vector<std::pair<std::string, std::string>>{{"queue_depth", "4"}, {"rate", "max"}}));
}

TEST(PlanRate, WhatCannotBeIsRefused) {
    expect_refused(stage_with("rate: 10000"), "p.yaml:3:9: rate: ", {"10000", "5000/s", "curve"});
    expect_refused(stage_with("rate: 0/s"), "p.yaml:3:9: rate: 0/s starts nothing", {});
    expect_refused(stage_with("rate: 50%"), "p.yaml:3:9: rate: 50% is a share of a maximum", {"[max, 50%]"});
    expect_refused(stage_with("sweep: {rate: [50%, max]}"), "p.yaml:3:18: rate: 50% is a share", {});
    expect_refused(stage_with("sweep: {rate: [max, 0%]}"), "p.yaml:3:23: rate: 0% of the maximum starts nothing", {});
    expect_refused(stage_with("sweep: {rate: [max, 110%]}"), "p.yaml:3:23: rate: ", {"110%"});
    expect_refused(stage_with("sweep: {rate: [10/s, 10/s]}"), "p.yaml:3:24: the sweep over rate has 10/s twice", {});
    expect_refused(stage_with("rate: 5/s") + "  sweep: {rate: [1/s]}\n", "p.yaml:4:11: ", {"also given a value"});
    expect_refused(stage_with("rate: curve") + "  sweep: {rate: [1/s]}\n", "p.yaml:3:9: ", {"swept twice"});
    expect_refused(stage_with("arrival: poisson"), "p.yaml:3:12: arrival is given without a rate", {"rate 10k/s"});
    expect_refused(stage_with("rate: 5/s") + "  arrival: uniform\n", "p.yaml:4:12: arrival: \"uniform\"",
                   {"constant", "poisson"});
}

Result<CheckedPlan> check_with_samplers(const std::string& yaml) {
    const Result<Plan> plan = test::parse(yaml);
    if (!plan) return plan.status();
    return check_plan(*plan, test::schema_of, test::schema_of); // "object" stands in for a sampler
}

constexpr const char* kStage = "stages: [{workload: block}]\n";

TEST(PlanSamplers, AreNamesOrMapsOfOptionsAndSelections) {
    const auto plan = check_with_samplers(
        std::string("samplers: [block, {object: {bucket: b, select: ['cpu.*', 'disk.read{device=vda}']}}]\n") + kStage);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    ASSERT_TRUE(plan->samplers);
    ASSERT_EQ(plan->samplers->size(), 2u);
    EXPECT_EQ((*plan->samplers)[1].options.find("bucket")->items[0].text, "b");
    EXPECT_EQ((*plan->samplers)[1].select, (std::vector<std::string>{"cpu.*", "disk.read{device=vda}"}));
}

TEST(PlanSamplers, NoneIsAChoiceAndNothingIsNone) {
    const auto none = check_with_samplers(std::string("samplers: none\n") + kStage);
    ASSERT_TRUE(none.ok()) << none.status().message();
    ASSERT_TRUE(none->samplers);
    EXPECT_TRUE(none->samplers->empty());
    EXPECT_FALSE(check_with_samplers(kStage)->samplers);
}

TEST(PlanSamplers, WhatIsWrongIsNamedWithItsPlace) {
    const auto refused = [](const std::string& line) {
        return check_with_samplers(line + "\n" + kStage).status().message();
    };
    EXPECT_EQ(refused("samplers: [{object: {bukket: b}}]").rfind("p.yaml:1:22: ", 0), 0u);
    EXPECT_EQ(refused("samplers: [block, block]").rfind("p.yaml:1:19: the sampler block is named twice", 0), 0u);
    EXPECT_EQ(refused("samplers: [nothing]").rfind("p.yaml:1:12: ", 0), 0u);
    EXPECT_EQ(refused("samplers: [[a]]").rfind("p.yaml:1:12: a sampler is a name", 0), 0u);
    EXPECT_EQ(refused("samplers: {}").rfind("p.yaml:1:", 0), 0u);
}

} // namespace
} // namespace assay
