#include "core/report/live.hpp"
#include "core/report/text.hpp"
#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace assay::report {
namespace {

JobProgress measuring() {
    JobProgress job;
    job.name = "oltp";
    job.phase = "randread";
    job.kind = result::PhaseKind::measured;
    job.elapsed_s = 4.5;
    job.total_s = 10;
    job.operations_per_s = 815'000;
    job.bytes_per_s = 815'000.0 * 4096; // 3.11 GiB/s
    job.p99_ns = 12'300;
    job.in_flight = 31.6;
    return job;
}

TEST(LiveLine, ShowsPhaseProgressTimeLeftRateLatencyAndInFlight) {
    // 4.5 of 10 s: 45 %, 5.5 s left, which rounds to 6.
    EXPECT_EQ(live_line({measuring()}, 100),
              "randread 45 %  6 s left  815k IOPS  3.11 GiB/s  p99 12.3 us  31.6 in flight");
}

TEST(LiveLine, FitsEveryWidthAndKeepsWhatMattersMost) {
    JobProgress failing = measuring();
    failing.errors = 2;
    for (int width = 5; width <= 120; ++width)
        EXPECT_LE(display_width(live_line({failing, measuring()}, width)), width);
    EXPECT_EQ(live_line({failing}, 60), "randread 45 %  6 s left  815k IOPS  p99 12.3 us  2 errors");
    EXPECT_EQ(live_line({failing}, 32), "randread 45 %  2 errors");
}

TEST(LiveLine, MarksTheWarmUp) {
    JobProgress job = measuring();
    job.warmup = true;
    EXPECT_EQ(live_line({job}, 100).substr(0, 23), "randread (warm-up) 45 %");
}

TEST(LiveLine, JobsAtTheSameTimeAreNamed) {
    JobProgress backup = measuring();
    backup.name = "backup";
    backup.finished = true;
    EXPECT_EQ(
        live_line({measuring(), backup}, 120),
        "oltp randread 45 %  6 s left  815k IOPS  3.11 GiB/s  p99 12.3 us  31.6 in flight | backup randread done");
}

TEST(LiveLine, WorkThatIsDoneFirstDecidesProgressAndTimeLeft) {
    JobProgress job = measuring();
    job.total_bytes = 1'000'000'000;
    job.done_bytes = 900'000'000; // 90 %; 100 MB at 50 MB/s are 2 s, before the 5.5 s of the clock
    job.bytes_per_s = 50'000'000;
    EXPECT_EQ(live_line({job}, 100).substr(0, 24), "randread 90 %  2 s left ");
}

TEST(LiveLine, SetupShowsBandwidthOnly) {
    JobProgress job = measuring();
    job.kind = result::PhaseKind::setup;
    job.phase = "layout";
    job.total_s = 0;
    job.total_bytes = 4ULL << 30;
    job.done_bytes = 1ULL << 30;
    job.bytes_per_s = 1024.0 * 1024 * 1024;
    EXPECT_EQ(live_line({job}, 100), "layout 25 %  3 s left  1.00 GiB/s");
}

TEST(LiveLine, LongTimesAreInMinutes) {
    JobProgress job = measuring();
    job.total_s = 130;
    EXPECT_NE(live_line({job}, 100).find("2 min 06 s left"), std::string::npos); // 125.5
}

TEST(LiveLine, NeverShowsMoreThanAllOrLessThanNothing) {
    JobProgress job = measuring();
    job.elapsed_s = 12;
    EXPECT_EQ(live_line({job}, 100).substr(0, 23), "randread 100 %  0 s lef");
    job.total_s = std::numeric_limits<double>::quiet_NaN();
    job.operations_per_s = std::numeric_limits<double>::infinity();
    EXPECT_EQ(live_line({job}, 100).find("nan"), std::string::npos);
    EXPECT_EQ(live_line({}, 100), "");
}

TEST(LiveLine, UnboundedPhasesHaveNoProgress) {
    JobProgress job = measuring();
    job.total_s = 0;
    EXPECT_EQ(live_line({job}, 100), "randread 815k IOPS  3.11 GiB/s  p99 12.3 us  31.6 in flight");
}

TEST(PlainLines, OneALineAJobWithNothingLeftOut) {
    JobProgress backup = measuring();
    backup.name = "backup\n";
    backup.errors = 1;
    EXPECT_EQ(plain_lines({measuring(), backup}),
              (std::vector<std::string>{
                  "oltp randread: 45 %, 6 s left, 815k IOPS, 3.11 GiB/s, p99 12.3 us, 31.6 in flight",
                  "backup? randread: 45 %, 6 s left, 815k IOPS, 3.11 GiB/s, p99 12.3 us, 31.6 in flight, 1 error"}));
}

TEST(FinishedLine, GivesTheRatesOfAJob) {
    result::Run run = verdict::honest_run();
    // 409,600,000 B/s are 390.6 MiB/s.
    EXPECT_EQ(finished_line(verdict::job_of(run)), "oltp: read 100k IOPS 391 MiB/s p99 320 us");
    verdict::job_of(run).cut_short = true;
    EXPECT_EQ(finished_line(verdict::job_of(run)), "oltp: read 100k IOPS 391 MiB/s p99 320 us (cut short)");
}

TEST(FinishedLine, MarksWhatAVerdictDisproves) {
    result::Run run = verdict::honest_run();
    verdict::job_of(run).devices[0].read_bytes = 0;
    verdict::judge(run);
    EXPECT_EQ(finished_line(verdict::job_of(run), verdict::repeat_of(run).verdicts),
              "oltp: read 100k IOPS! 391 MiB/s! p99 320 us!");
}

TEST(FinishedLine, SaysWhatFailed) {
    result::Run run = verdict::honest_run();
    verdict::job_of(run).phases.clear();
    verdict::job_of(run).failure = "no space left on device";
    EXPECT_EQ(finished_line(verdict::job_of(run)), "oltp: failed: no space left on device");
}

TEST(PlainLines, ComeAtMostOnceASecondWhateverTheInterval) {
    constexpr std::int64_t ms = 1'000'000;
    OnceASecond pace;
    int shown = 0;
    for (std::int64_t at = 0; at <= 10'000; at += 100)
        shown += pace.due(at * ms) ? 1 : 0;
    EXPECT_EQ(shown, 11); // at 0, 1, ... 10 s
}

TEST(PlainLines, OfEverySecondAreAllShownThoughTheyJitterAndNoneIsCaughtUp) {
    constexpr std::int64_t ms = 1'000'000;
    OnceASecond pace;
    for (const std::int64_t at : {0, 1010, 1990, 3000, 60'000})
        EXPECT_TRUE(pace.due(at * ms)) << at;
    EXPECT_FALSE(pace.due(60'500 * ms));
    EXPECT_TRUE(pace.due(61'000 * ms));
}

} // namespace
} // namespace assay::report
