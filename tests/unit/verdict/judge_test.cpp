#include "core/verdict/check.hpp"
#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace assay::verdict {
namespace {

using result::Level;

TEST(Judge, AnHonestRunPassesEveryCheckAndItsLatenciesAreLabelled) {
    result::Run run = honest_run();
    judge(run);
    std::set<std::string> checks;
    for (const result::Verdict& verdict : repeat_of(run).verdicts) {
        const Level expected = verdict.check == "closed.loop" ? Level::note : Level::pass;
        EXPECT_EQ(verdict.level, expected) << verdict.check << ": " << verdict.message;
        checks.insert(verdict.check);
    }
    EXPECT_EQ(checks, (std::set<std::string>{"cache.client", "cgroup.limit", "closed.loop", "cpu.client", "cpu.hot",
                                             "cpu.steal", "data.unwritten", "depth.inert", "little.law",
                                             "noise.background", "odirect.dropped", "phase.empty", "phase.short",
                                             "run.stopped", "workers.partial"}));
}

TEST(Judge, EveryVerdictCarriesWhatItIsMadeOf) {
    result::Run run = honest_run();
    judge(run);
    for (const result::Verdict& verdict : repeat_of(run).verdicts) {
        EXPECT_FALSE(verdict.message.empty()) << verdict.check;
        EXPECT_FALSE(verdict.arithmetic.empty()) << verdict.check;
        EXPECT_FALSE(verdict.threshold.empty()) << verdict.check;
        EXPECT_FALSE(verdict.evidence.empty()) << verdict.check;
        EXPECT_EQ(verdict.job, "oltp") << verdict.check;
        expect_in(verdict.scope, "stage 1, point 1, repeat 1, job oltp");
    }
}

TEST(Judge, JudgingAgainReplacesTheVerdictsByTheSameOnes) {
    result::Run run = honest_run();
    judge(run);
    const std::vector<result::Verdict> first = repeat_of(run).verdicts;
    judge(run);
    ASSERT_EQ(repeat_of(run).verdicts.size(), first.size());
    for (std::size_t at = 0; at < first.size(); ++at)
        EXPECT_EQ(repeat_of(run).verdicts[at].message, first[at].message);
}

TEST(Judge, JudgesOneRepeatAndLeavesTheOthersAlone) {
    result::Run run = honest_run();
    result::Point& point = run.stages[0].points[0];
    point.repeats.push_back(point.repeats[0]);
    judge(run, 0, 0, 1);
    EXPECT_TRUE(point.repeats[0].verdicts.empty());
    ASSERT_FALSE(point.repeats[1].verdicts.empty());
    expect_in(point.repeats[1].verdicts[0].scope, "repeat 2");
}

TEST(Judge, TheCatalogueSaysWhatEachCheckLooksFor) {
    std::set<std::string_view> ids;
    for (const Check& check : catalogue()) {
        EXPECT_TRUE(ids.insert(check.id).second) << check.id;
        EXPECT_FALSE(check.summary.empty()) << check.id;
        EXPECT_GE(check.version, 1) << check.id;
    }
    EXPECT_EQ(ids.size(), 17U);
}

void set_level(result::Run& run, Level level) {
    result::Verdict verdict;
    verdict.level = level;
    repeat_of(run).verdicts = {verdict};
}

TEST(ExitCode, FollowsTheWorstVerdict) {
    result::Run run = honest_run();
    for (const auto& [level, lenient, strict] : {std::tuple{Level::pass, 0, 0},
                                                 {Level::note, 0, 0},
                                                 {Level::unknown, 0, 0},
                                                 {Level::suspect, 0, 4},
                                                 {Level::invalid, 5, 5}}) {
        set_level(run, level);
        EXPECT_EQ(exit_code(run, false), lenient) << level_name(level);
        EXPECT_EQ(exit_code(run, true), strict) << level_name(level);
    }
}

TEST(ExitCode, AFailedJobIsAFailedRunWhateverTheVerdicts) {
    result::Run run = honest_run();
    set_level(run, Level::invalid);
    job_of(run).failure = "the device went away";
    EXPECT_EQ(exit_code(run, false), 3);
}

TEST(ExitCode, OfNothingMeasuredIsFine) { EXPECT_EQ(exit_code({}, true), 0); }

// Whatever a result file holds, judging it ends.
TEST(Judge, SurvivesNonsense) {
    result::Run run = honest_run();
    result::Job& job = job_of(run);
    job.workers = 0;
    job.targets[0].extents = result::Extents{true, "", 0, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    set_fact(job, "requested_queue_depth", std::int64_t{INT64_MAX});
    set_fact(job, "effective_queue_depth", std::string("sixteen"));
    job.phases[0].window_end_ns = std::int64_t{1} << 62;
    job.phases[0].operations[0].errors = UINT64_MAX;
    job.phases[0].series = {{5, 5, {{}, {}, {}}, 0, false}, {9, 3, {}, 0, true}};
    job.phases.push_back({});
    result::Phase& phase = job.phases[0];
    phase.arrival = result::Arrival{"", -1, UINT64_MAX, UINT64_MAX};
    phase.workers[0].cpu_user_ns = INT64_MIN;
    phase.workers[1].started_ns = INT64_MAX;
    run.context.push_back({"cgroup_io_limits", std::string(": ; x: , ;: ; io.max: 0:0 rbps=,=,rbps"), "", ""});
    result::SampledSeries& user = series_of(run, "cpu.user", "cpu=0");
    user.points.push_back({INT64_MAX, INT64_MIN, 1e300});
    user.points.push_back({INT64_MIN, INT64_MAX, std::numeric_limits<double>::quiet_NaN()});
    series_of(run, "cpu.user", "cpu=1").labels = "cpu=99999999999999999999";
    repeat_of(run).jobs.push_back(job);
    repeat_of(run).jobs.push_back({});
    judge(run);
    EXPECT_EQ(exit_code(run, false), 5);
}

} // namespace
} // namespace assay::verdict
