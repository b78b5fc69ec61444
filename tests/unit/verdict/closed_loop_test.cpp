#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

// 100,000/s over 20 s: 2,000,000 offered, all of which completed.
result::Run open_run(const std::string& process = "constant") {
    result::Run run = honest_run();
    phase_of(run).arrival = result::Arrival{process, 100'000, 12, 0};
    phase_of(run).operations[0].histograms.emplace_back("response", latencies(honest_operations, 330'000));
    return run;
}
void complete(result::Run& run, std::uint64_t count) { phase_of(run).operations[0].operations = count; }

TEST(ClosedLoop, LatenciesOfAClosedLoopAreLabelledInOneLine) {
    result::Run run = honest_run();
    const result::Verdict verdict = verdict_of(run, "closed.loop");
    EXPECT_EQ(verdict.level, Level::note);
    EXPECT_EQ(verdict.message, "Latencies are service times (closed loop).");
}

TEST(ClosedLoop, WithoutLatenciesThereIsNothingToLabel) {
    result::Run run = honest_run();
    phase_of(run).operations[0].histograms.clear();
    EXPECT_TRUE(verdicts_of(run, "closed.loop").empty());
}

TEST(ClosedLoop, AnOpenLoopThatKeptUpShowsItsArithmetic) {
    result::Run run = open_run();
    const result::Verdict verdict = verdict_of(run, "closed.loop");
    EXPECT_EQ(verdict.level, Level::pass);
    EXPECT_EQ(verdict.message,
              "Open loop (constant): 2.00M offered, 2.00M completed, 12 started late, 0 missed. Response times count "
              "from the intended start.");
    EXPECT_EQ(verdict.arithmetic,
              "100k/s x 20.000 s = 2000000 offered; 2000000 completed (100.00 %); 12 late, 0 missed");
}

TEST(ClosedLoop, CompletingLessThan99PercentIsNotKeepingUp) {
    result::Run run = open_run();
    complete(run, 1'980'000); // 99 %
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::pass);
    complete(run, 1'979'997); // and less than one a worker below it
    const result::Verdict verdict = verdict_of(run, "closed.loop");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "did not keep up");
}

TEST(ClosedLoop, MissingMoreThan1PercentOfTheStartsIsNotKeepingUp) {
    result::Run run = open_run();
    phase_of(run).arrival->missed_starts = 20'002; // 1 % and one a worker
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::pass);
    phase_of(run).arrival->missed_starts = 20'003;
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
}

TEST(ClosedLoop, FailedRequestsWereStartedAsWell) {
    result::Run run = open_run();
    complete(run, 1'900'000);
    phase_of(run).operations[0].errors = 100'000;
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::pass);
}

TEST(ClosedLoop, ThePacedOperationsAreCountedOnly) {
    result::Run run = open_run();
    complete(run, 1'000'000);
    phase_of(run).operations.push_back(operation("fsync", result::OperationKind::other, 1'000'000, 0, 1000));
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
}

TEST(ClosedLoop, APoissonProcessMayScatterByThreeRoots) {
    result::Run run = open_run("poisson");
    // 10/s over 20 s are 200 offered; 0.99 x 200 = 198, less 2 workers, less 3 x sqrt(200) = 42.4: 153.6.
    phase_of(run).arrival->offered_per_s = 10;
    complete(run, 154);
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::pass);
    complete(run, 153);
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
    phase_of(run).arrival->process = "constant";
    complete(run, 195);
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
}

TEST(ClosedLoop, AnOpenLoopWithoutARateIsUnknown) {
    result::Run run = open_run();
    phase_of(run).arrival->offered_per_s = 0;
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::unknown);
}

} // namespace
} // namespace assay::verdict
