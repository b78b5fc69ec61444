#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;
using result::OperationKind;

constexpr std::uint64_t mib = 1024 * 1024;

// Trims `trimmed` of a file of 64 MiB with `hole` bytes of holes.
result::Run trim_run(std::uint64_t trimmed, std::uint64_t hole) {
    result::Run run = honest_run();
    phase_of(run).operations = {operation("trim", OperationKind::other, trimmed / 4096, trimmed, 10'000)};
    result::Target& target = job_of(run).targets[0];
    target.reads = false;
    target.writes = true;
    target.length_bytes = 64 * mib;
    target.extents = result::Extents{true, "", 64 * mib, 64 * mib - hole, 0, hole};
    return run;
}

TEST(TrimEmpty, OnePassOverAWrittenFileIsFine) {
    result::Run run = trim_run(64 * mib, 0);
    EXPECT_EQ(verdict_of(run, "trim.empty").level, Level::pass);
    EXPECT_TRUE(verdicts_of(run, "data.unwritten").empty()) << "nothing is read";
}

TEST(TrimEmpty, AFileOfHolesIsInvalid) {
    result::Run run = trim_run(64 * mib, 64 * mib);
    const result::Verdict verdict = verdict_of(run, "trim.empty");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "64.0 MiB of the 64.0 MiB that are trimmed were holes before (100 %)");
    expect_in(verdict.remedy, "Write the whole range first");
    result::Run half = trim_run(64 * mib, 32 * mib);
    EXPECT_EQ(verdict_of(half, "trim.empty").level, Level::pass);
    half = trim_run(64 * mib, 33 * mib);
    EXPECT_EQ(verdict_of(half, "trim.empty").level, Level::invalid);
}

TEST(TrimEmpty, MoreThanOnePassIsNotedAndTheWarmUpsTrimsCount) {
    result::Run run = trim_run(160 * mib, 0);
    result::Verdict verdict = verdict_of(run, "trim.empty");
    EXPECT_EQ(verdict.level, Level::note);
    expect_in(verdict.message, "160 MiB of a range of 64.0 MiB were trimmed. After the first pass nothing was left");
    expect_in(verdict.arithmetic, "= 2.50 passes");
    run = trim_run(48 * mib, 0);
    phase_of(run).series = {{9 * second, 10 * second, {{1, 32 * mib, 0, 0, 0, 0, 0}}, 1, true},
                            {10 * second, 30 * second, {{1, 48 * mib, 0, 0, 0, 0, 0}}, 1, false}};
    EXPECT_EQ(verdict_of(run, "trim.empty").level, Level::note) << "80 of 64 MiB";
}

TEST(TrimEmpty, ADevicesPassesAreCountedWithoutExtents) {
    result::Run run = trim_run(64 * mib, 0);
    job_of(run).targets[0].kind = "block device";
    job_of(run).targets[0].extents.reset();
    EXPECT_EQ(verdict_of(run, "trim.empty").level, Level::pass);
    phase_of(run).operations[0].bytes = 65 * mib;
    EXPECT_EQ(verdict_of(run, "trim.empty").level, Level::note);
}

TEST(TrimEmpty, AMixWithWritesIsNoCase) {
    result::Run run = trim_run(160 * mib, 0);
    phase_of(run).operations.push_back(operation("write", OperationKind::write, 10, 40'960, 1000));
    EXPECT_TRUE(verdicts_of(run, "trim.empty").empty());
}

} // namespace
} // namespace assay::verdict
