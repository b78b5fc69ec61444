// Shares of a maximum become rates.
#include "core/session/rate_of_max.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

OptionSet no_options() {
    Result<Schema> schema =
        Schema::from_table("none", {sizeof(assay_option_table), 0, sizeof(assay_option), 0, nullptr});
    return *OptionSet::defaults(std::make_shared<const Schema>(*schema));
}

PlannedJob planned(const std::string& name, std::optional<double> share) {
    PlannedJob job{.name = name, .workload = "w", .targets = {}, .options = no_options(), .cpus = {}};
    job.rate_of_max = share;
    return job;
}

RunJob to_run(const std::string& name) { return {name, nullptr, no_options(), {}, 1, {}, 0, 0, 0, 1}; }

// A job that completed `reads` and `writes`, and as many syncs as reads, in two seconds.
result::Job measured(const std::string& name, std::uint64_t reads, std::uint64_t writes) {
    result::Phase phase;
    phase.window_end_ns = 2'000'000'000;
    phase.operations = {{"read", result::OperationKind::read, reads, 0, 0, {}, {}},
                        {"write", result::OperationKind::write, writes, 0, 0, {}, {}},
                        {"sync", result::OperationKind::other, reads, 0, 0, {}, {}}};
    result::Job job;
    job.name = name;
    job.phases = {phase};
    return job;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

result::Point point(Parameters parameters, std::vector<result::Job> jobs) {
    return {std::move(parameters), {{std::move(jobs), {}}}};
}

TEST(RateOfMax, IsTheShareOfTheMeanOverRepeatsOfReadsAndWrites) {
    result::Stage stage;
    stage.points = {point({{"rate", "max"}}, {measured("a", 6'000, 2'000)})}; // 4000/s
    stage.points[0].repeats.push_back({{measured("a", 10'000, 2'000)}, {}});  // 6000/s
    std::vector<RunJob> jobs = {to_run("a")};
    const PlannedPoint planned_point{{{"rate", "30%"}}, {planned("a", 0.3)}};
    ASSERT_TRUE(resolve_rates(planned_point, stage, jobs).ok());
    EXPECT_DOUBLE_EQ(jobs[0].rate_per_s.value(), 1'500); // 0.3 x 5000
}

TEST(RateOfMax, IsOfThePointThatDiffersInTheRateOnly) {
    result::Stage stage;
    stage.points = {point({{"queue_depth", "1"}, {"rate", "max"}}, {measured("a", 200, 0)}),
                    point({{"queue_depth", "1"}, {"rate", "50%"}}, {measured("a", 100, 0)}),
                    point({{"queue_depth", "8"}, {"rate", "max"}}, {measured("a", 1'000, 0)})};
    std::vector<RunJob> jobs = {to_run("a")};
    ASSERT_TRUE(resolve_rates({{{"queue_depth", "8"}, {"rate", "50%"}}, {planned("a", 0.5)}}, stage, jobs).ok());
    EXPECT_DOUBLE_EQ(jobs[0].rate_per_s.value(), 250);
}

TEST(RateOfMax, OfOneJobLeavesTheOthersAlone) {
    result::Stage stage;
    stage.points = {point({{"a_b.rate", "max"}}, {measured("a-b", 20, 0), measured("c", 4'000, 0)})};
    std::vector<RunJob> jobs = {to_run("a-b"), to_run("c")};
    ASSERT_TRUE(resolve_rates({{{"a_b.rate", "100%"}}, {planned("a-b", 1.0), planned("c", {})}}, stage, jobs).ok());
    EXPECT_DOUBLE_EQ(jobs[0].rate_per_s.value(), 10);
    EXPECT_FALSE(jobs[1].rate_per_s);
}

TEST(RateOfMax, OfNothingIsAnError) {
    result::Stage stage;
    stage.points = {point({{"rate", "max"}}, {measured("a", 0, 0)})};
    std::vector<RunJob> jobs = {to_run("a")};
    const Status status = resolve_rates({{{"rate", "50%"}}, {planned("a", 0.5)}}, stage, jobs);
    EXPECT_EQ(status.failure(), Failure::run_failed);
    EXPECT_NE(status.message().find("job a"), std::string::npos);
}

} // namespace
} // namespace assay
