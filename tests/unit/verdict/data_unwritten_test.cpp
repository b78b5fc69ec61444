#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

constexpr std::uint64_t mib = 1024 * 1024;

result::Run run_with(std::uint64_t unwritten_bytes, std::uint64_t hole_bytes) {
    result::Run run = honest_run();
    job_of(run).targets[0].extents =
        result::Extents{true, "", 64 * mib, 64 * mib - unwritten_bytes - hole_bytes, unwritten_bytes, hole_bytes};
    return run;
}

TEST(DataUnwritten, ASparseFileIsInvalid) {
    result::Run run = run_with(0, 64 * mib);
    const result::Verdict verdict = verdict_of(run, "data.unwritten");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "64.0 MiB of the 64.0 MiB that are read from /data/file were never written (100 %).");
    EXPECT_EQ(verdict.operation, "read");
}

TEST(DataUnwritten, AnAllocatedFileThatWasNeverWrittenIsInvalid) {
    result::Run run = run_with(64 * mib, 0);
    EXPECT_EQ(verdict_of(run, "data.unwritten").level, Level::invalid);
}

TEST(DataUnwritten, OneBlockNeverWrittenIsInvalidAndNoneIsFine) {
    result::Run one = run_with(0, 4096);
    EXPECT_EQ(verdict_of(one, "data.unwritten").level, Level::invalid);
    expect_in(verdict_of(one, "data.unwritten").message, "(less than 0.1 %)");
    result::Run none = run_with(0, 0);
    EXPECT_EQ(verdict_of(none, "data.unwritten").level, Level::pass);
}

TEST(DataUnwritten, ShowsTheArithmetic) {
    // 16 + 16 of 64 MiB are 50 %.
    result::Run run = run_with(16 * mib, 16 * mib);
    EXPECT_EQ(verdict_of(run, "data.unwritten").arithmetic,
              "(16.0 MiB allocated, never written + 16.0 MiB hole) / 64.0 MiB = 50.0 %");
}

TEST(DataUnwritten, WithoutFiemapNothingIsKnown) {
    result::Run run = honest_run();
    job_of(run).targets[0].extents = result::Extents{false, "tmpfs has no FIEMAP", 0, 0, 0, 0};
    const result::Verdict verdict = verdict_of(run, "data.unwritten");
    EXPECT_EQ(verdict.level, Level::unknown);
    expect_in(verdict.message, "tmpfs has no FIEMAP");
    job_of(run).targets[0].extents.reset();
    EXPECT_EQ(verdict_of(run, "data.unwritten").level, Level::unknown);
}

TEST(DataUnwritten, DoesNotApplyToBlockDevicesNorToWrites) {
    result::Run device = honest_run();
    job_of(device).targets[0].kind = "block device";
    job_of(device).targets[0].extents.reset();
    EXPECT_TRUE(verdicts_of(device, "data.unwritten").empty());

    result::Run writes = run_with(0, 64 * mib);
    phase_of(writes).operations[0].kind = result::OperationKind::write;
    EXPECT_TRUE(verdicts_of(writes, "data.unwritten").empty());
}

TEST(DataUnwritten, OneBareFileAmongSeveralIsNamed) {
    result::Run run = honest_run();
    result::Target bare = job_of(run).targets[0];
    bare.name = "/data/bare";
    bare.extents = result::Extents{true, "", 64 * mib, 0, 0, 64 * mib};
    job_of(run).targets.push_back(bare);
    const result::Verdict verdict = verdict_of(run, "data.unwritten");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "from /data/bare were never written");
}

TEST(DataUnwritten, AHoleThatAnEarlierMeasuredPhaseFilledProvesNothing) {
    result::Run run = run_with(0, 64 * mib);
    result::Phase write = phase_of(run);
    write.name = "write";
    write.operations[0].kind = result::OperationKind::write;
    job_of(run).phases.insert(job_of(run).phases.begin(), write);
    EXPECT_EQ(verdict_of(run, "data.unwritten").level, Level::unknown);
}

} // namespace
} // namespace assay::verdict
