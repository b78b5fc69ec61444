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

// One of two workers was done after 5 s of 20 s: 50,000/s x 5 s + 50,000/s x 20 s = 1,250,000 offered.
TEST(ClosedLoop, AWorkerThatIsDoneOffersNothingMore) {
    result::Run run = open_run();
    phase_of(run).workers[0].ended_ns = 15 * second;
    complete(run, 1'250'000);
    const result::Verdict verdict = verdict_of(run, "closed.loop");
    EXPECT_EQ(verdict.level, Level::pass);
    EXPECT_EQ(verdict.arithmetic,
              "100k/s x 12.500 s (mean until a worker was done) = 1250000 offered; 1250000 completed (100.00 %); "
              "12 late, 0 missed");
    complete(run, 1'200'000);
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
}

// Work of 16 requests at 100/s, each of which takes 100 ms: the last starts at 150 ms and ends at 250 ms. Rate x time
// is 25, the schedule's 10 in the last 100 ms were never due.
TEST(ClosedLoop, WaitingForTheLastRequestsOfFixedWorkOffersNothing) {
    result::Run run = open_run();
    result::Phase& phase = phase_of(run);
    phase.end = result::PhaseEnd::work;
    phase.workers.resize(1);
    phase.arrival = result::Arrival{"constant", 100, 0, 0};
    phase.operations[0] = operation("read", result::OperationKind::read, 16, 16 * 4096, 100'000'000);
    phase.operations[0].histograms.emplace_back("response", latencies(16, 100'000'000));
    phase.window_end_ns = phase.window_start_ns + second / 4;
    phase.workers[0].ended_ns = phase.window_end_ns;
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::pass);
}

// The same 2,000,000 requests take 30 s instead of 20 s: the mean response time is 5 s.
TEST(ClosedLoop, FixedWorkThatTakesLongerThanItsScheduleIsNotKeepingUp) {
    result::Run run = open_run();
    result::Phase& phase = phase_of(run);
    phase.end = result::PhaseEnd::work;
    phase.window_end_ns = 40 * second;
    for (result::Worker& worker : phase.workers)
        worker.ended_ns = 40 * second;
    phase.operations[0].histograms.back().second = latencies(honest_operations, 5 * second);
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::suspect);
}

TEST(ClosedLoop, AnOpenLoopWithoutARateIsUnknown) {
    result::Run run = open_run();
    phase_of(run).arrival->offered_per_s = 0;
    EXPECT_EQ(verdict_of(run, "closed.loop").level, Level::unknown);
}

} // namespace
} // namespace assay::verdict
