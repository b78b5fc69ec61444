#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(PhaseEmpty, AWindowInWhichNothingEndedIsInvalid) {
    result::Run run = honest_run();
    phase_of(run).operations[0] = operation("read", result::OperationKind::read, 0, 0, 0);
    const result::Verdict verdict = verdict_of(run, "phase.empty");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_EQ(verdict.message, "Nothing completed in the measured 20.0 s: there is no result.");
    EXPECT_EQ(exit_code(run, false), 5);
}

TEST(PhaseEmpty, OneOperationIsSomething) {
    result::Run run = honest_run();
    phase_of(run).operations[0].operations = 1;
    EXPECT_EQ(verdict_of(run, "phase.empty").level, Level::pass);
}

TEST(PhaseEmpty, FailuresAreNotNothing) {
    result::Run run = honest_run();
    phase_of(run).operations[0].operations = 0;
    phase_of(run).operations[0].errors = 3;
    EXPECT_EQ(verdict_of(run, "phase.empty").level, Level::pass) << "and invalid by workers.partial";
    EXPECT_EQ(verdict_of(run, "workers.partial").level, Level::invalid);
}

TEST(PhaseEmpty, AScheduleThatIsTooSparseIsToldHowSparse) {
    result::Run run = honest_run();
    phase_of(run).operations[0].operations = 0;
    phase_of(run).arrival = result::Arrival{"constant", 0.05, 0, 0}; // 2 workers: each 40 s
    expect_in(verdict_of(run, "phase.empty").remedy, "over 2 workers each starts a request every 40.0 s");
}

TEST(PhaseEmpty, IsJudgedOnlyWhenTheWindowIsOver) {
    result::Run run = honest_run();
    phase_of(run).operations[0].operations = 0;
    for (const result::Verdict& verdict : judge_so_far(run, repeat_of(run)))
        EXPECT_NE(verdict.check, "phase.empty");
}

TEST(PhaseEmpty, WithoutOperationsToCountItSaysNothing) {
    result::Run run = honest_run();
    phase_of(run).operations.clear();
    EXPECT_TRUE(verdicts_of(run, "phase.empty").empty());
}

} // namespace
} // namespace assay::verdict
