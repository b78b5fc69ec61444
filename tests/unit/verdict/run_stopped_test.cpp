#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

TEST(RunStopped, SixSecondsInWhichNothingRanAreNamed) {
    result::Run run = honest_run();
    set_fact(job_of(run), "longest_pause_ns", 6 * second);
    const result::Verdict verdict = verdict_of(run, "run.stopped");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message,
              "assay did not run for 6.00 s inside a measured window: it was stopped (Ctrl-Z, SIGSTOP");
    EXPECT_EQ(verdict.arithmetic, "6.000 s > 1 s");
}

TEST(RunStopped, ASecondIsTheBoundary) {
    result::Run run = honest_run();
    set_fact(job_of(run), "longest_pause_ns", second);
    EXPECT_EQ(verdict_of(run, "run.stopped").level, Level::pass);
    set_fact(job_of(run), "longest_pause_ns", second + 1'000'000);
    EXPECT_EQ(verdict_of(run, "run.stopped").level, Level::suspect);
}

TEST(RunStopped, AResultThatDoesNotSayIsNotJudged) {
    result::Run run = honest_run();
    drop_fact(job_of(run), "longest_pause_ns");
    EXPECT_TRUE(verdicts_of(run, "run.stopped").empty());
}

} // namespace
} // namespace assay::verdict
