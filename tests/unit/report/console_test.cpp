#include "core/report/console.hpp"
#include "core/report/text.hpp"
#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <regex>
#include <sstream>

// Facts of the summary, derived by hand from the honest run: 2,000,000 reads and 8,192,000,000 B in 20 s are 100,000/s,
// 409,600,000 B/s = 0.381 GiB/s = 0.410 GB/s, each read took 320 us, 32 were in flight.
namespace assay::report {
namespace {

using namespace assay::verdict;

constexpr const char* honest_row = "100k 0.38 0.41 320 us 320 us 320 us 320 us 320 us 32";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}
std::string squeezed(const std::string& text) { return std::regex_replace(text, std::regex("^ +| +$|( ) +"), "$1"); }
std::vector<std::string> squeezed_lines(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    for (std::string& line : lines)
        line = squeezed(line);
    return lines;
}
int count_lines(const std::string& text, const std::string& line) {
    const std::vector<std::string> lines = squeezed_lines(text);
    return static_cast<int>(std::count(lines.begin(), lines.end(), line));
}
// True if a line of the text, its spaces squeezed, is this.
::testing::AssertionResult has_line(const std::string& text, const std::string& line) {
    if (count_lines(text, line) > 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no line '" << line << "' in:\n" << text;
}
::testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}
::testing::AssertionResult lacks(const std::string& text, const std::string& part) {
    if (text.find(part) == std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "'" << part << "' in:\n" << text;
}

std::string judged_console(result::Run& run, int width = 100) {
    judge(run);
    return console(run, {false, width});
}
// A run of points that sweep two options.
result::Run swept_run() {
    result::Run run = honest_run();
    const result::Point base = run.stages[0].points[0];
    run.stages[0].points.clear();
    for (const char* block_size : {"4KiB", "1MiB"})
        for (const char* queue_depth : {"1", "32"}) {
            result::Point point = base;
            point.parameters = {{"block_size", block_size}, {"queue_depth", queue_depth}};
            run.stages[0].points.push_back(point);
        }
    return run;
}

TEST(Console, ShowsRateBandwidthInBothUnitsLatenciesAndInFlight) {
    result::Run run = honest_run();
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "operation IOPS GiB/s GB/s mean p50 p99 p99.9 max flight"));
    EXPECT_TRUE(has_line(text, std::string("randread ") + honest_row));
}

TEST(Console, SaysWhatRanWhereAndForHowLong) {
    result::Run run = honest_run();
    run.tool_version = "0.1.0";
    run.plan_name = "nightly";
    run.started = "2026-11-30T20:38:40Z";
    run.duration_ns = 185 * second;
    run.context.push_back({"hostname", std::string("bench1"), "", "uname"});
    run.context.push_back({"cpu_count", std::int64_t{2}, "", "sysfs"});
    run.context.push_back({"kernel", std::string("6.18.0"), "", "uname"});
    job_of(run).given_options = {"engine"};
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "assay 0.1.0: nightly, 2026-11-30T20:38:40Z, took 3 min 05 s"));
    EXPECT_TRUE(has_line(text, "bench1: 2 CPUs, 64.0 GiB RAM, Linux 6.18.0"));
    EXPECT_TRUE(has_line(text, "oltp: block, 2 workers, on /data/file; engine io_uring"))
        << "only the options that the user set";
    EXPECT_TRUE(has_line(text, "Measured for 20.0 s after a warm-up of 1.00 s."));
}

TEST(Console, SweptParametersAreColumnsAndNotRepeatedInTheJob) {
    result::Run run = swept_run();
    job_of(run).given_options = {"engine", "queue_depth"};
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "size depth operation IOPS GiB/s GB/s mean p50 p99 p99.9 max flight"));
    for (const char* point : {"4KiB 1", "4KiB 32", "1MiB 1", "1MiB 32"})
        EXPECT_TRUE(has_line(text, std::string(point) + " randread " + honest_row));
    EXPECT_TRUE(lacks(text, "queue_depth 16"));
}

TEST(Console, SlowRatesAreShownInMebibytesThroughout) {
    // 409,600,000 B/s is 390.6 MiB/s and 409.6 MB/s; a second point of a tenth of 0.1 GiB/s decides the unit.
    result::Run run = swept_run();
    run.stages[0].points[1].repeats[0].jobs[0].phases[0].operations[0].bytes = 20 * 1024 * 1024 * 10ULL; // 10 MiB/s
    const std::string text = judged_console(run);
    EXPECT_TRUE(has(squeezed(text), "IOPS MiB/s MB/s mean"));
    EXPECT_TRUE(has(squeezed(text), "100k 391 410 320 us"));
    EXPECT_TRUE(has(squeezed(text), " 10.0")); // and 10.5 MB/s, marked: the device moved more than that
    EXPECT_TRUE(has(squeezed(text), " 10.5"));
}

TEST(Console, FitsTheWidthAtAHundredColumns) {
    result::Run run = swept_run();
    for (result::Point& point : run.stages[0].points) {
        point.repeats[0].jobs[0].devices[0].read_bytes /= 50;
        point.repeats.push_back(point.repeats[0]);
        result::Operation write = operation("write", result::OperationKind::write, 1234567, 5056786432, 8'760'000);
        for (result::Repeat& repeat : point.repeats)
            repeat.jobs[0].phases[0].operations.push_back(write);
    }
    for (const int width : {80, 100, 140}) {
        for (const std::string& line : lines_of(judged_console(run, width)))
            EXPECT_LE(display_width(line), width) << line;
    }
}

TEST(Console, SeveralRepeatsShowTheMedianRunAndTheExtremes) {
    result::Run run = honest_run();
    std::vector<result::Repeat>& repeats = run.stages[0].points[0].repeats;
    repeats.resize(3, repeats[0]);
    // 90,000/s at 400 us, 100,000/s at 320 us, 120,000/s at 500 us: the extremes of each number are of different runs.
    repeats[0].jobs[0].phases[0].operations[0] =
        operation("read", result::OperationKind::read, 1'800'000, 7'372'800'000, 400'000);
    repeats[2].jobs[0].phases[0].operations[0] =
        operation("read", result::OperationKind::read, 2'400'000, 9'830'400'000, 500'000);
    const std::string text = console(run, {});
    EXPECT_TRUE(has(text, "3 repeats: the one with the median IOPS"));
    EXPECT_TRUE(has_line(text, std::string("randread ") + honest_row));
    EXPECT_TRUE(has_line(text, "min 90.0k 0.34 0.37 320 us 320 us 320 us 320 us 320 us 32"));
    EXPECT_TRUE(has_line(text, "max 120k 0.46 0.49 500 us 500 us 500 us 500 us 500 us 32"));
}

TEST(Console, AnEvenNumberOfRepeatsShowsARunThatWas) {
    result::Run run = honest_run();
    std::vector<result::Repeat>& repeats = run.stages[0].points[0].repeats;
    repeats.push_back(repeats[0]);
    repeats[1].jobs[0].phases[0].operations[0].operations *= 2; // 200,000/s; 150,000/s was never measured
    const std::string text = console(run, {});
    EXPECT_TRUE(has_line(text, std::string("randread ") + honest_row));
    EXPECT_TRUE(lacks(text, "150k"));
}

TEST(Console, JobsThatRanTogetherAreToldApart) {
    result::Run run = honest_run();
    result::Job backup = job_of(run);
    backup.name = "backup";
    backup.phases[0].name = "write";
    repeat_of(run).jobs.push_back(backup);
    const std::string text = console(run, {});
    EXPECT_TRUE(has_line(text, std::string("oltp randread ") + honest_row));
    EXPECT_TRUE(has_line(text, std::string("backup write ") + honest_row));
}

TEST(Console, OperationsOfAMixHaveARowEach) {
    result::Run run = honest_run();
    phase_of(run).name = "randrw";
    // 200,000 writes of 4096 B in 20 s: 10,000/s, 40,960,000 B/s; 2,000 fsyncs: 100/s of no bytes.
    phase_of(run).operations.push_back(operation("write", result::OperationKind::write, 200'000, 819'200'000, 1'000));
    phase_of(run).operations.push_back(operation("fsync", result::OperationKind::other, 2'000, 0, 2'000'000));
    phase_of(run).operations.push_back(operation("trim", result::OperationKind::other, 0, 0, 1));
    const std::string text = console(run, {});
    EXPECT_TRUE(has_line(text, "randrw read 100k 391 410 320 us 320 us 320 us 320 us 320 us 32"));
    EXPECT_TRUE(has_line(text, "randrw write 10.0k 39.1 41.0 1.00 us 1.00 us 1.00 us 1.00 us 1.00 us -"));
    EXPECT_TRUE(has_line(text, "randrw fsync 100 - - 2.00 ms 2.00 ms 2.00 ms 2.00 ms 2.00 ms -"));
    EXPECT_TRUE(lacks(text, "trim"));
}

TEST(Console, ANumberThatACheckDisprovesIsNeverPrintedBare) {
    result::Run run = honest_run();
    job_of(run).devices[0].read_bytes = 0;
    phase_of(run).operations.push_back(operation("write", result::OperationKind::write, 0, 0, 1));
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "randread 100k! 0.38! 0.41! 320 us! 320 us! 320 us! 320 us! 320 us! 32!"));
    EXPECT_TRUE(has(text, "! a check says that this number is not what it seems to be"));
    EXPECT_TRUE(has(text, "INVALID cache.client: 7.63 GiB reached the workload, 0 B left vda."));
    EXPECT_TRUE(has(text, "INVALID: numbers marked ! are not what they seem to be."));
}

TEST(Console, OnlyTheOperationThatAVerdictIsAboutIsMarked) {
    result::Run run = honest_run();
    phase_of(run).operations.push_back(
        operation("write", result::OperationKind::write, 2'000'000, 8'192'000'000, 320'000));
    result::Verdict verdict;
    verdict.check = "cache.client";
    verdict.level = result::Level::invalid;
    verdict.job = "oltp";
    verdict.operation = "read";
    repeat_of(run).verdicts = {verdict};
    const std::string text = console(run, {});
    EXPECT_TRUE(has(squeezed(text), "randread read 100k! "));
    EXPECT_TRUE(has(squeezed(text), "randread write 100k 0"));
    repeat_of(run).verdicts[0].phase = "another";
    EXPECT_TRUE(lacks(console(run, {}), "100k!"));
}

TEST(Console, AnInvalidRepeatMarksTheRowThatStandsForAll) {
    result::Run run = honest_run();
    std::vector<result::Repeat>& repeats = run.stages[0].points[0].repeats;
    repeats.resize(3, repeats[0]);
    repeats[2].jobs[0].devices[0].read_bytes = 0;
    EXPECT_TRUE(has(judged_console(run), "100k!"));
}

TEST(Console, ASuspectNumberHasItsOwnMark) {
    result::Run run = honest_run();
    set_fact(job_of(run), "synchronous_engine", true);
    set_fact(job_of(run), "requested_queue_depth", std::int64_t{64});
    set_fact(job_of(run), "effective_queue_depth", std::int64_t{1});
    const std::string text = judged_console(run);
    EXPECT_TRUE(has(text, "100k?"));
    EXPECT_TRUE(has(text, "? a check has doubts about this number"));
    EXPECT_TRUE(lacks(text, "!"));
}

TEST(Console, SetupIsOneLineAndNoResult) {
    result::Run run = honest_run();
    result::Phase layout = phase_of(run);
    layout.name = "layout";
    layout.kind = result::PhaseKind::setup;
    layout.operations = {operation("write", result::OperationKind::write, 256, 256ULL << 20, 1'000'000)};
    layout.window_end_ns = layout.window_start_ns + 1'200'000'000;
    job_of(run).phases.insert(job_of(run).phases.begin(), layout);
    const std::string text = judged_console(run);
    EXPECT_EQ(count_lines(text, "layout 256 MiB in 1.20 s"), 1);
    EXPECT_TRUE(lacks(squeezed(text), "layout 213"));
}

TEST(Console, SetupThatCountedNothingIsShownIfItTookTime) {
    result::Run run = honest_run();
    result::Phase prepare = phase_of(run);
    prepare.name = "prepare";
    prepare.kind = result::PhaseKind::setup;
    prepare.operations.clear();
    prepare.window_end_ns = prepare.window_start_ns + 700'000'000;
    job_of(run).phases.insert(job_of(run).phases.begin(), prepare);
    EXPECT_TRUE(has_line(judged_console(run), "prepare in 700 ms"));
    job_of(run).phases[0].window_end_ns = prepare.window_start_ns + 1'000'000;
    EXPECT_TRUE(lacks(judged_console(run), "prepare"));
}

TEST(Console, FixedWorkSaysHowMuchAndInWhatTime) {
    result::Run run = honest_run();
    phase_of(run).end = result::PhaseEnd::work;
    EXPECT_TRUE(has_line(judged_console(run), "fixed work: read 7.63 GiB in 20.0 s"));
}

TEST(Console, ARunThatWasCutShortSaysSoAtTheTopAndAtTheJob) {
    result::Run run = honest_run();
    run.cut_short = true;
    run.cut_reason = "interrupted by SIGINT";
    job_of(run).cut_short = true;
    phase_of(run).end = result::PhaseEnd::stopped;
    phase_of(run).window_end_ns = phase_of(run).window_start_ns + 3 * second;
    const std::string text = judged_console(run);
    EXPECT_LT(text.find("CUT SHORT: interrupted by SIGINT."), text.find("operation"));
    EXPECT_TRUE(has_line(text, "cut short after 3.00 s"));
}

TEST(Console, ErrorsAndFailuresAreWithTheirRow) {
    result::Run run = honest_run();
    phase_of(run).operations[0].errors = 15;
    phase_of(run).operations[0].error_counts = {{"short transfer", 2, 0, 3}, {"EIO (Input/output error)", 1, 5, 12}};
    job_of(run).failure = "the device went away";
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "errors: 12 x EIO (Input/output error), 3 x short transfer"));
    EXPECT_TRUE(has_line(text, "failed after 20.0 s: the device went away"));
}

TEST(Console, AJobThatMeasuredNothingHasARowToo) {
    result::Run run = honest_run();
    job_of(run).phases.clear();
    job_of(run).failure = "no space left on device";
    const std::string text = judged_console(run);
    EXPECT_TRUE(has_line(text, "nothing measured"));
    EXPECT_TRUE(has_line(text, "failed: no space left on device"));
}

TEST(Console, TheSameFindingOnManyPointsIsOneEntry) {
    result::Run run = swept_run();
    for (result::Point& point : run.stages[0].points)
        point.repeats[0].jobs[0].devices[0].read_bytes = 0;
    const std::string text = judged_console(run);
    EXPECT_EQ(text.find("INVALID cache.client"), text.rfind("INVALID cache.client"));
    EXPECT_TRUE(has_line(text, "4 times, first at stage 1, point 1, repeat 1, job oltp, randread"));
}

TEST(Console, WhatIsInvalidIsToldForEachJobAndWhatIsSuspectOnce) {
    result::Run run = honest_run();
    result::Job other = job_of(run);
    other.name = "backup";
    repeat_of(run).jobs.push_back(other);
    for (result::Job& job : repeat_of(run).jobs) {
        job.phases[0].operations[0].errors = 1;
        set_fact(job, "requested_queue_depth", std::int64_t{64});
        set_fact(job, "effective_queue_depth", std::int64_t{1});
    }
    const std::string text = judged_console(run);
    EXPECT_NE(text.find("INVALID workers.partial"), text.rfind("INVALID workers.partial"));
    EXPECT_TRUE(has(text, "SUSPECT depth.inert"));
    EXPECT_EQ(text.find("SUSPECT depth.inert"), text.rfind("SUSPECT depth.inert"));
    EXPECT_TRUE(has_line(text, "2 times, first at stage 1, point 1, repeat 1, job oltp"));
}

TEST(Console, VerdictsComeWorstFirstAndPassesAreCountedOnly) {
    result::Run run = honest_run();
    // phase.short is suspect, cache.client invalid, little.law a note, data.unwritten unknown; of these six two pass.
    constexpr std::string_view asked[] = {"phase.short",    "cache.client", "little.law",
                                          "data.unwritten", "depth.inert",  "workers.partial"};
    phase_of(run).window_end_ns = phase_of(run).window_start_ns + 5 * second;
    phase_of(run).operations = {operation("read", result::OperationKind::read, 500'000, 2'048'000'000, 200'000)};
    phase_of(run).mean_in_flight = 20;
    job_of(run).devices[0].read_bytes = 0;
    job_of(run).targets[0].extents = result::Extents{false, "no FIEMAP here", 0, 0, 0, 0};
    judge(run);
    std::erase_if(repeat_of(run).verdicts, [&](const result::Verdict& verdict) {
        return std::find(std::begin(asked), std::end(asked), verdict.check) == std::end(asked);
    });
    const std::string text = console(run, {false, 100});
    EXPECT_TRUE(has_line(text, "Verdicts: 1 invalid, 1 suspect, 1 unknown, 1 note, 2 pass"));
    const std::size_t invalid = text.find("INVALID cache.client");
    const std::size_t suspect = text.find("SUSPECT phase.short");
    const std::size_t unknown = text.find("UNKNOWN data.unwritten");
    const std::size_t note = text.find("NOTE little.law");
    EXPECT_LT(invalid, suspect);
    EXPECT_LT(suspect, unknown);
    EXPECT_LT(unknown, note);
    EXPECT_LT(note, text.size());
    EXPECT_TRUE(lacks(text, "PASS"));
    EXPECT_TRUE(has(text, "5.000 s < 10 s; rule: a measured phase lasts at least 10 s")) << "the arithmetic is shown";
    EXPECT_TRUE(has(text, "--measure 11s")) << "and what to do";
}

TEST(Console, TheLastLineSaysHowFarToTrustTheNumbers) {
    result::Run run = honest_run();
    EXPECT_EQ(lines_of(judged_console(run)).back(), "Nothing contradicts the numbers.");
    job_of(run).targets[0].extents.reset();
    EXPECT_TRUE(has(lines_of(judged_console(run)).back(), "UNVERIFIED"));
    set_fact(job_of(run), "requested_queue_depth", std::int64_t{64});
    set_fact(job_of(run), "effective_queue_depth", std::int64_t{1});
    EXPECT_TRUE(has(lines_of(judged_console(run)).back(), "SUSPECT"));
    job_of(run).devices[0].read_bytes = 0;
    EXPECT_TRUE(has(lines_of(judged_console(run)).back(), "INVALID"));
}

TEST(Console, HasNoColourUnlessAskedFor) {
    result::Run run = honest_run();
    run.cut_short = true;
    job_of(run).devices[0].read_bytes = 0;
    judge(run);
    EXPECT_TRUE(lacks(console(run, {false, 100}), "\033"));
    const std::string coloured = console(run, {true, 100});
    EXPECT_TRUE(has(coloured, "\033[1;31mINVALID\033[0m cache.client"));
    // Colour changes nothing else, and every colour ends.
    EXPECT_EQ(std::regex_replace(coloured, std::regex("\033\\[[0-9;]*m"), ""), console(run, {false, 100}));
    EXPECT_EQ(std::regex_replace(coloured, std::regex("\033\\[[1-9][0-9;]*m[^\n\033]*\033\\[0m"), "").find('\033'),
              std::string::npos);
}

TEST(Console, NamesFromOutsideCannotDriveTheTerminal) {
    result::Run run = honest_run();
    const std::string evil = "x\033]0;owned\007\xff\n";
    run.plan_name = run.cut_reason = run.stages[0].name = evil;
    run.cut_short = true;
    job_of(run).name = phase_of(run).name = phase_of(run).operations[0].name = job_of(run).failure = evil;
    job_of(run).targets[0].name = evil;
    run.stages[0].points[0].parameters = {{evil, evil}};
    phase_of(run).operations[0].error_counts = {{evil, 1, 1, 1}};
    phase_of(run).operations[0].errors = 1;
    job_of(run).targets[0].extents.reset();
    const std::string text = judged_console(run);
    EXPECT_TRUE(lacks(text, "\033"));
    EXPECT_TRUE(lacks(text, "\007"));
    EXPECT_TRUE(lacks(text, "\xff"));
}

TEST(Console, AnEmptyRunIsStillASummary) { EXPECT_TRUE(has(console({}, {}), "assay")); }

} // namespace
} // namespace assay::report
