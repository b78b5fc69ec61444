#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

void make_device(result::Run& run) {
    job_of(run).targets[0].kind = "block device";
    job_of(run).targets[0].name = "/dev/vda";
    job_of(run).targets[0].extents.reset();
}
void make_writes(result::Run& run) {
    phase_of(run).operations[0].kind = OperationKind::write;
    job_of(run).targets[0].reads = false;
    job_of(run).targets[0].writes = true;
    std::swap(job_of(run).devices[0].read_bytes, job_of(run).devices[0].written_bytes);
    std::swap(job_of(run).devices[0].read_operations, job_of(run).devices[0].write_operations);
}
void make_buffered(result::Run& run) {
    job_of(run).targets[0].direct = false;
    set_fact(job_of(run), "direct_in_force", false);
}
void set_file_system(result::Run& run, const std::string& type) {
    job_of(run).targets[0].context = {{"file_system", type, "", ""}};
}
result::DeviceDelta& vda(result::Run& run) { return job_of(run).devices[0]; }

TEST(NoiseBackground, ReadsThatAreNotOursAreSuspect) {
    result::Run run = honest_run();
    set_file_system(run, "ext4");
    vda(run).read_bytes = honest_bytes / 3 * 4; // a quarter is somebody else's
    const result::Verdict verdict = verdict_of(run, "noise.background");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "25.0 % of what vda moved was not this run's: 2.54 GiB read and 0 B written by others.");
    expect_in(verdict.remedy, "iotop");
}

// Reads of others are certain, writes may be the page cache's: the message and its arithmetic name the same bytes.
TEST(NoiseBackground, TheArithmeticIsThatOfTheMessage) {
    result::Run run = honest_run();
    set_file_system(run, "btrfs"); // may write more than it is given
    phase_of(run).operations.push_back(operation("write", OperationKind::write, 1000, 4'096'000, 1000));
    job_of(run).targets[0].writes = true;
    job_of(run).facts.push_back({"process_read_bytes", static_cast<std::int64_t>(honest_bytes), "B", ""});
    vda(run).read_bytes = 2 * honest_bytes;
    vda(run).written_bytes = honest_bytes;
    const result::Verdict verdict = verdict_of(run, "noise.background");
    EXPECT_EQ(verdict.level, Level::suspect);
    // 3 x 7.63 GiB moved; a third are reads of others.
    expect_in(verdict.message, "33.3 % of what vda moved was not this run's: 7.63 GiB read and 0 B written by others.");
    EXPECT_EQ(verdict.arithmetic, "(7.63 GiB read + 0 B written of others) / 22.9 GiB = 0.333");
}

TEST(NoiseBackground, WritesOfOthersBesideOurReadsCountInTheTotal) {
    result::Run run = honest_run();
    vda(run).written_bytes = honest_bytes / 25; // 1/26 = 3.8 %
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).written_bytes = honest_bytes / 15; // 1/16 = 6.3 %
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
}

TEST(NoiseBackground, ATwentiethIsTheBoundary) {
    result::Run run = honest_run();
    make_device(run);
    const double ours = static_cast<double>(honest_bytes) + 2 * 32 * 4096; // and what crosses the window's edges
    vda(run).read_bytes = static_cast<std::uint64_t>(ours / 0.9501);
    vda(run).read_operations = vda(run).read_bytes / 65536; // few: the bytes decide
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).read_bytes = static_cast<std::uint64_t>(ours / 0.9499);
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
}

TEST(NoiseBackground, LittleInAbsoluteTermsIsHousekeeping) {
    result::Run run = honest_run();
    phase_of(run).operations[0] = operation("read", OperationKind::read, 2000, 2000 * 4096, 10'000'000);
    vda(run) = {"vda", 2000 * 4096, 20 * 1'000'000, 2000, 100, true, "/proc/diskstats", 20 * second}; // 1 MB/s
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).written_bytes = 20 * 1'100'000;
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
}

TEST(NoiseBackground, SmallRequestsOfOthersCountByTheirNumber) {
    result::Run run = honest_run();
    make_device(run);
    phase_of(run).operations[0] = operation("read", OperationKind::read, 20'000, 20'000 * 4096, 1'000'000);
    vda(run) = {"vda", 20'000 * 4096, 2100 * 512, 20'000, 2100, true, "/proc/diskstats", 20 * second};
    // 2100 less 2 x 32 at the edges = 2036 in 20 s: more than 100/s, 9.2 % of 22,100.
    const result::Verdict verdict = verdict_of(run, "noise.background");
    EXPECT_EQ(verdict.level, Level::suspect);
    expect_in(verdict.message, "9.2 % of the requests of vda were not this run's: 102 a second by others.");
    vda(run).write_operations = 2050; // 1986: less than 100/s
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
}

TEST(NoiseBackground, LargeRequestsThatTheKernelSplitsAreNotOthers) {
    result::Run run = honest_run();
    make_device(run);
    phase_of(run).operations[0] =
        operation("read", OperationKind::read, honest_bytes / (4 << 20), honest_bytes, 320'000);
    vda(run).read_operations = honest_bytes / 65536; // 64 for each of 4 MiB
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
}

TEST(NoiseBackground, ReadAheadThatTheKernelCountsAsOursIsOurs) {
    result::Run run = honest_run();
    make_buffered(run);
    vda(run).read_bytes = 2 * honest_bytes;
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::unknown) << "it may be read-ahead";
    job_of(run).facts.push_back({"process_read_bytes", static_cast<std::int64_t>(2 * honest_bytes), "B", ""});
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    job_of(run).facts.back().value = static_cast<std::int64_t>(honest_bytes);
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
}

TEST(NoiseBackground, WritesOfThePageCacheCannotBeToldFromOthers) {
    result::Run run = honest_run();
    make_writes(run);
    make_buffered(run);
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).written_bytes = 2 * honest_bytes;
    const result::Verdict verdict = verdict_of(run, "noise.background");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "page cache");
}

TEST(NoiseBackground, AnEarlierStagesDirtyPagesAreNotOthers) {
    result::Run run = honest_run();
    result::Run earlier = honest_run();
    make_writes(earlier);
    make_buffered(earlier);
    run.stages.push_back(earlier.stages[0]);
    vda(run).written_bytes = honest_bytes;
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::unknown);
}

TEST(NoiseBackground, WritesToADeviceHaveNoFileSystemToExcuseThem) {
    result::Run run = honest_run();
    make_device(run);
    make_writes(run);
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).written_bytes = honest_bytes * 2;
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
}

TEST(NoiseBackground, TheJournalOfAFileSystemIsOurs) {
    result::Run run = honest_run();
    make_writes(run);
    set_file_system(run, "ext4");
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
    vda(run).written_bytes = 3 * honest_bytes; // two blocks beside each of one
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::unknown);
    vda(run).written_bytes = 4 * honest_bytes; // a quarter of that is more than it may add
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::suspect);
    set_file_system(run, "btrfs"); // copies, and copies on write
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::unknown);
}

TEST(NoiseBackground, JobsOfOneRunAreNotNoiseToEachOther) {
    result::Run run = honest_run();
    make_device(run);
    result::Job other = job_of(run);
    other.name = "backup";
    repeat_of(run).jobs.push_back(other);
    for (result::Job& job : repeat_of(run).jobs)
        job.devices[0].read_bytes = 2 * honest_bytes;
    for (const result::Verdict& verdict : verdicts_of(run, "noise.background"))
        EXPECT_EQ(verdict.level, Level::pass) << verdict.message;
    for (result::Job& job : repeat_of(run).jobs)
        job.devices[0].read_bytes = 3 * honest_bytes;
    for (const result::Verdict& verdict : verdicts_of(run, "noise.background"))
        EXPECT_EQ(verdict.level, Level::suspect) << verdict.message;
}

TEST(NoiseBackground, HolesMayBeReadFromTheDeviceOrNot) {
    result::Run run = honest_run();
    job_of(run).targets[0].extents->hole_bytes = honest_bytes / 2;
    EXPECT_EQ(verdict_of(run, "noise.background").level, Level::pass);
}

TEST(NoiseBackground, SaysNothingWhereTheCountersCannotBeCompared) {
    result::Run invalid = honest_run();
    vda(invalid).valid = false;
    EXPECT_TRUE(verdicts_of(invalid, "noise.background").empty());
    result::Run unknown = honest_run();
    job_of(unknown).targets[0].devices.clear();
    EXPECT_TRUE(verdicts_of(unknown, "noise.background").empty());
    result::Run failing = honest_run();
    phase_of(failing).operations[0].errors = 1;
    EXPECT_TRUE(verdicts_of(failing, "noise.background").empty());
}

} // namespace
} // namespace assay::verdict
