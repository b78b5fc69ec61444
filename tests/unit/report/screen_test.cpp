#include "core/report/screen.hpp"
#include "core/report/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::report {
namespace {

JobProgress measuring(const std::string& name) {
    JobProgress job;
    job.name = name;
    job.phase = "randread";
    job.kind = result::PhaseKind::measured;
    job.elapsed_s = 4;
    job.total_s = 10;
    job.operations_per_s = 815'000;
    job.bytes_per_s = 815'000.0 * 4096; // 3.11 GiB/s
    job.p50_ns = 12'300;
    job.p99_ns = 45'600;
    job.p999_ns = 101'000;
    job.max_ns = 1'200'000;
    job.in_flight = 16;
    return job;
}

LiveView view_of(std::vector<JobProgress> jobs) {
    LiveView view;
    view.plan = "nightly";
    view.position.stage = "oltp";
    view.run_s = 65;
    for (JobProgress& job : jobs) {
        History history;
        for (int interval = 1; interval <= 20; ++interval) {
            JobProgress then = job;
            then.elapsed_s = interval * 0.2;
            then.operations_per_s = 1000.0 * interval;
            history.add(then);
        }
        view.histories.push_back(history);
    }
    view.jobs = std::move(jobs);
    return view;
}

LiveView full_view(const std::string& name = "oltp") {
    JobProgress failing = measuring("backup");
    failing.errors = 3;
    failing.warmup = true;
    LiveView view = view_of({measuring(name), failing});
    view.position.parameters = {{"block_size", "4KiB"}, {"queue_depth", "16"}};
    view.position.total_runs = 12;
    view.position.done_runs = 2;
    view.position.repeats = 3;
    view.host.cpus = {{0, 0.1, 0}, {1, 0.9, 0.6}, {2, 0.5, 0.1}, {3, 0.05, 0}, {4, 0.4, 0}, {5, 0.3, 0}};
    view.host.devices = {{"vda", 3.1e9, 0, 0.98}, {"nvme10n1", 0, 12e6, 0.02}};
    view.notices = {{result::Level::suspect, "SUSPECT cpu.hot", "cpu 1 was busy for 99 % of the window", 2},
                    {result::Level::invalid, "INVALID cache.client", "the page cache answered " + name, 1}};
    view.finished = {"[1/12] block_size=4KiB " + name + ": read 800k IOPS", "[2/12] block_size=4KiB: read 810k IOPS"};
    return view;
}

std::string text_of(const std::vector<Line>& lines) {
    std::string text;
    for (const Line& line : lines)
        text += text_of(line) + "\n";
    return text;
}

bool has(const std::vector<Line>& lines, const std::string& what) {
    return text_of(lines).find(what) != std::string::npos;
}

void expect_fits(const LiveView& view) {
    for (int columns = 1; columns <= 200; ++columns) {
        for (const int rows : {1, 2, 3, 5, 8, 10, 15, 24, 40, 80}) {
            const std::vector<Line> lines = layout(view, columns, rows);
            ASSERT_LE(lines.size(), static_cast<std::size_t>(rows)) << columns;
            for (const Line& line : lines)
                ASSERT_LE(width_of(line), columns) << rows << ": " << text_of(line);
        }
    }
}

TEST(LiveScreen, FitsEverySizeOfTerminal) {
    expect_fits(full_view());
    expect_fits(LiveView{});
    LiveView ascii = full_view();
    ascii.utf8 = false;
    expect_fits(ascii);
}

TEST(LiveScreen, FitsWithNamesOfWideCharactersAndOfGreatLength) {
    expect_fits(full_view("データベース負荷試験"));
    expect_fits(full_view(std::string(300, 'x')));
}

TEST(LiveScreen, NamesFromOutsideCannotDriveTheTerminal) {
    LiveView view = full_view(
        "a\033[2Jb\nc\x9b"
        "31m");
    view.plan = "p\033]0;x\a";
    view.position.stage = "s\r";
    view.position.parameters = {{"k\033", "v\b"}};
    view.host.devices[0].name = "d\033[H";
    view.notices.push_back({result::Level::note, "", "m\033[5m\n", 1});
    for (const Line& line : layout(view, 200, 80)) {
        const std::string text = text_of(line);
        EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }))
            << text;
        EXPECT_EQ(printable(text), text);
    }
}

TEST(LiveScreen, ShowsEverythingOnAnOrdinaryTerminal) {
    LiveView view = full_view();
    view.jobs.resize(1);
    view.histories.resize(1);
    const std::vector<Line> lines = layout(view, 100, 30);
    EXPECT_TRUE(text_of(lines.front()).starts_with(" assay  nightly › oltp  block_size"));
    for (const char* part : {"block_size=4KiB queue_depth=16",
                             "run 3/12",
                             "repeat 1/3",
                             "1:05", // 65 s
                             "measuring",
                             " 40 %",
                             "6 s left", // 4 of 10 s
                             "randread",
                             "815k IOPS",
                             "3.11 GiB/s",
                             "16 in flight",
                             "no errors",
                             "p50 12.3 us",
                             "p99 45.6 us",
                             "p99.9 101 us",
                             "max 1.20 ms",
                             "max 20.0k",
                             "vda",
                             "2.89 GiB/s",
                             "11.4 MiB/s",
                             "SUSPECT cpu.hot (2x): cpu 1",
                             "INVALID cache.client: the page cache",
                             "[2/12] block_size=4KiB: read 810k IOPS",
                             "q stop"})
        EXPECT_TRUE(has(lines, part)) << part << "\n" << text_of(lines);
    EXPECT_EQ(lines.size(), 30U);
    EXPECT_TRUE(text_of(lines.back()).starts_with(" q stop"));
}

TEST(LiveScreen, TheBusiestFourCoresComeFirstAndSoftirqIsNamedWhereItIsMostOfIt) {
    const std::string screen = text_of(layout(full_view(), 200, 40));
    const std::string text = screen.substr(screen.find("cores"));
    // Busy: cpu 1 90 % (60 of it softirq), 2 50 % (10), 4 40 %, 5 30 %; 0 and 3 are not among the four.
    const auto at = [&](const char* what) { return text.find(what); };
    EXPECT_LT(at(" 90 % softirq"), at(" 50 % "));
    EXPECT_LT(at(" 50 % "), at(" 40 % "));
    EXPECT_LT(at(" 40 % "), at(" 30 % "));
    EXPECT_NE(at(" 30 % "), std::string::npos);
    EXPECT_EQ(at(" 50 % softirq"), std::string::npos);
    EXPECT_EQ(at(" 10 % "), std::string::npos);
}

TEST(LiveScreen, OnASmallTerminalRatesProgressAndTheNewestWarningStay) {
    LiveView view = full_view();
    view.jobs.resize(1);
    view.histories.resize(1);
    const std::vector<Line> small = layout(view, 40, 10);
    for (const char* part : {"815k IOPS", "3.11 GiB/s", "40 %", "p50", "p99", "INVALID cache.client", "q stop"})
        EXPECT_TRUE(has(small, part)) << part << "\n" << text_of(small);
    const std::vector<Line> tiny = layout(view, 40, 3);
    for (const char* part : {"815k IOPS", "40 %", "INVALID cache.client"})
        EXPECT_TRUE(has(tiny, part)) << part << "\n" << text_of(tiny);
}

TEST(LiveScreen, WhatIsNotThereTakesNoRow) {
    const std::vector<Line> lines = layout(view_of({measuring("oltp")}), 80, 24);
    for (const char* part : {"cores", "devices", "finished", "SUSPECT", "run ", "repeat"})
        EXPECT_FALSE(has(lines, part)) << part;
}

TEST(LiveScreen, ErrorsAreCountedAndTheWarmUpIsMarked) {
    const std::vector<Line> lines = layout(full_view(), 100, 40);
    EXPECT_TRUE(has(lines, "3 errors")) << text_of(lines);
    EXPECT_TRUE(has(lines, "warm-up"));
    EXPECT_TRUE(has(lines, "backup randread"));
}

TEST(LiveScreen, JobsThatDoNotFitAreCounted) {
    std::vector<JobProgress> jobs;
    for (int job = 0; job < 50; ++job)
        jobs.push_back(measuring("job" + std::to_string(job)));
    // 3 rows are title, progress and footer; 20 jobs and one row for the other 30 fill the rest of 24.
    EXPECT_TRUE(has(layout(view_of(jobs), 80, 24), "30 more jobs")) << text_of(layout(view_of(jobs), 80, 24));
}

TEST(LiveScreen, ClockAndProgressGoOnBetweenReports) {
    LiveView view = view_of({measuring("oltp")});
    view.age_s = 2; // 6 of 10 s
    EXPECT_TRUE(has(layout(view, 80, 24), " 60 %"));
    view.age_s = 100; // no further than the end
    EXPECT_TRUE(has(layout(view, 80, 24), "100 %"));
}

TEST(LiveScreen, SaysThatItIsStoppingAndHowToEndAtOnce) {
    LiveView view = view_of({measuring("oltp")});
    view.stopping = true;
    const std::vector<Line> lines = layout(view, 80, 24);
    EXPECT_TRUE(has(lines, "stopping: waiting for what is in flight"));
    EXPECT_TRUE(has(lines, "Ctrl-C ends at once"));
}

TEST(LiveScreen, WithoutUtf8ThereIsOnlyAscii) {
    LiveView view = full_view("größe");
    view.utf8 = false;
    const std::string text = text_of(layout(view, 120, 40));
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; })) << text;
    EXPECT_NE(text.find("gr??e randread"), std::string::npos); // a question mark a character
    EXPECT_NE(text.find("nightly > oltp"), std::string::npos);
}

TEST(LiveScreen, ALayoutShowsBytesNotOperations) {
    JobProgress job = measuring("oltp");
    job.kind = result::PhaseKind::setup;
    job.phase = "layout";
    job.total_s = 0;
    job.total_bytes = 4ULL << 30U;
    job.done_bytes = 1ULL << 30U;
    const std::vector<Line> lines = layout(view_of({job}), 80, 24);
    EXPECT_TRUE(has(lines, "preparing"));
    EXPECT_TRUE(has(lines, " 25 %")); // 1 of 4 GiB
    EXPECT_TRUE(has(lines, "3.11 GiB/s"));
    EXPECT_FALSE(has(lines, "IOPS"));
}

} // namespace
} // namespace assay::report
