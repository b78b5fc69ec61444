#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

result::Verdict verdict_after(std::int64_t window_ns, result::PhaseEnd end = result::PhaseEnd::time) {
    result::Run run = honest_run();
    phase_of(run).window_end_ns = phase_of(run).window_start_ns + window_ns;
    phase_of(run).end = end;
    return verdict_of(run, "phase.short");
}

TEST(PhaseShort, TenSecondsAreEnoughAndLessIsSuspect) {
    EXPECT_EQ(verdict_after(10 * second).level, Level::pass);
    EXPECT_EQ(verdict_after(9'940'000'000).level, Level::suspect);
    EXPECT_EQ(verdict_after(1).level, Level::suspect);
}

TEST(PhaseShort, AllowsTheClockItsJitter) { EXPECT_EQ(verdict_after(9'960'000'000).level, Level::pass); }

TEST(PhaseShort, SaysHowLongItWasAndHowToMeasureLonger) {
    const result::Verdict verdict = verdict_after(1'200'000'000);
    EXPECT_EQ(verdict.message,
              "randread was measured for 1.20 s. Below 10 s, start-up and caches are a large part of any figure.");
    EXPECT_EQ(verdict.arithmetic, "1.200 s < 10 s");
    expect_in(verdict.remedy, "--measure 11s");
    EXPECT_EQ(verdict.phase, "randread");
    EXPECT_EQ(std::get<std::int64_t>(verdict.evidence[0].value), 1'200'000'000);
}

TEST(PhaseShort, OfAPhaseThatItsWorkEndedSaysHowMuchWorkTenSecondsAre) {
    // 8,192,000,000 B in 2 s: ten seconds take 40,960,000,000 B = 38.1 GiB.
    const result::Verdict verdict = verdict_after(2 * second, result::PhaseEnd::work);
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.remedy, "at 3.81 GiB/s, 10 s take 38.1 GiB");
}

TEST(PhaseShort, OfAStoppedPhaseDoesNotAskForAnotherTime) {
    const result::Verdict verdict = verdict_after(2 * second, result::PhaseEnd::stopped);
    EXPECT_EQ(verdict.level, Level::suspect);
    EXPECT_EQ(verdict.remedy.find("--measure"), std::string::npos);
}

TEST(PhaseShort, JudgesEveryMeasuredPhaseAndNoOther) {
    result::Run run = honest_run();
    result::Phase setup = phase_of(run);
    setup.kind = result::PhaseKind::setup;
    setup.window_end_ns = setup.window_start_ns + second;
    result::Phase second_phase = phase_of(run);
    second_phase.name = "randwrite";
    second_phase.window_end_ns = second_phase.window_start_ns + second;
    job_of(run).phases = {setup, phase_of(run), second_phase};
    const std::vector<result::Verdict> verdicts = verdicts_of(run, "phase.short");
    ASSERT_EQ(verdicts.size(), 2U);
    EXPECT_EQ(verdicts[0].level, Level::pass);
    EXPECT_EQ(verdicts[1].level, Level::suspect);
    EXPECT_EQ(verdicts[1].phase, "randwrite");
}

} // namespace
} // namespace assay::verdict
