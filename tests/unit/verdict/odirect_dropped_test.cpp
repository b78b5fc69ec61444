#include "tests/unit/verdict/honest_run.hpp"

#include <gtest/gtest.h>

namespace assay::verdict {
namespace {

using result::Level;

// On a file system whose devices are not known, as in most of these cases.
result::Run run_on(const std::string& file_system) {
    result::Run run = honest_run();
    result::Target& target = job_of(run).targets[0];
    target.context = {{"file_system", file_system, "", "mountinfo"}};
    target.devices.clear();
    job_of(run).devices.clear();
    return run;
}
void add_context(result::Run& run, const std::string& key, result::Value value) {
    job_of(run).targets[0].context.push_back({key, std::move(value), "", ""});
}

TEST(OdirectDropped, BytesThatPassedTheDevicesAreTheBestProof) {
    result::Run run = honest_run();
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::pass);
    EXPECT_EQ(verdict.message, "O_DIRECT is in force, and the bytes passed the devices.");
    expect_in(verdict.arithmetic, "7.63 GiB on the devices / 7.63 GiB by the workload = 1.000");
}

TEST(OdirectDropped, DoesNotApplyWhereItWasNotAskedFor) {
    result::Run run = run_on("tmpfs");
    job_of(run).targets[0].direct = false;
    set_fact(job_of(run), "direct_in_force", false);
    EXPECT_TRUE(verdicts_of(run, "odirect.dropped").empty());
    result::Run network = honest_run();
    job_of(network).targets[0].kind = "endpoint";
    EXPECT_TRUE(verdicts_of(network, "odirect.dropped").empty());
}

TEST(OdirectDropped, AFileOpenedWithoutTheFlagIsInvalid) {
    result::Run run = honest_run();
    set_fact(job_of(run), "direct_in_force", false);
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "/data/file was not opened with O_DIRECT");
}

TEST(OdirectDropped, TmpfsAcceptsItAndIgnoresIt) {
    result::Run run = run_on("tmpfs");
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "/data/file is on tmpfs, whose files are memory");
}

TEST(OdirectDropped, AFileThatStatxSaysTakesNoDirectIoIsInvalid) {
    result::Run run = run_on("ext4");
    add_context(run, "direct_io_supported", true);
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
    job_of(run).targets[0].context.back().value = false;
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::invalid);
}

TEST(OdirectDropped, JournalledDataGoesThroughThePageCache) {
    result::Run run = run_on("ext4");
    add_context(run, "file_system_options", std::string("rw,data=ordered"));
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
    job_of(run).targets[0].context.back().value = std::string("rw,data=journal");
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.remedy, "data=ordered");
}

TEST(OdirectDropped, ZfsIgnoresItBefore23) {
    for (const auto& [version, level] : {std::pair{"0.8.6-1", Level::invalid},
                                         {"2.2.99-1", Level::invalid},
                                         {"2.3.0-rc1", Level::unknown},
                                         {"3.0", Level::unknown},
                                         {"unreleased", Level::unknown}}) {
        result::Run run = run_on("zfs");
        add_context(run, "zfs_version", std::string(version));
        EXPECT_EQ(verdict_of(run, "odirect.dropped").level, level) << version;
    }
    result::Run run = run_on("zfs");
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::unknown);
}

TEST(OdirectDropped, WhatPassesIoOnIsUnknownUnlessItSaysOrShowsThatItIsDirect) {
    for (const char* type : {"fuse.sshfs", "fuseblk", "overlay", "virtiofs"}) {
        result::Run run = run_on(type);
        EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::unknown) << type;
        add_context(run, "direct_io_supported", true);
        EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass) << type;
    }
    result::Run counted = honest_run();
    add_context(counted, "file_system", std::string("fuseblk"));
    EXPECT_EQ(verdict_of(counted, "odirect.dropped").level, Level::pass);
}

TEST(OdirectDropped, FewerBytesOnTheDeviceThanTheWorkloadMovedAreInvalid) {
    result::Run run = honest_run();
    job_of(run).devices[0].read_bytes = honest_bytes / 10 * 9;
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
    job_of(run).devices[0].read_bytes = honest_bytes / 2;
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::invalid);
    EXPECT_EQ(verdict.message,
              "O_DIRECT is set on /data/file, yet 3.81 GiB of 7.63 GiB read left its devices: what is below the file "
              "did not honour it.");
    expect_in(verdict.arithmetic, "= 0.500");
}

TEST(OdirectDropped, WritesAreComparedAsWell) {
    result::Run run = honest_run();
    phase_of(run).operations[0].kind = result::OperationKind::write;
    std::swap(job_of(run).devices[0].read_bytes, job_of(run).devices[0].written_bytes);
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
    job_of(run).devices[0].written_bytes /= 2;
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::invalid);
}

TEST(OdirectDropped, ReadsOfWhatWasNeverWrittenAreNoCase) {
    result::Run run = honest_run();
    job_of(run).targets[0].extents->hole_bytes = honest_bytes;
    job_of(run).devices[0].read_bytes = 0;
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
}

TEST(OdirectDropped, OfSeveralTargetsTheWorstIsNamed) {
    result::Run run = run_on("ext4");
    result::Target second_target = job_of(run).targets[0];
    second_target.name = "/dev/shm/file";
    second_target.context[0].value = std::string("tmpfs");
    job_of(run).targets.push_back(second_target);
    const result::Verdict verdict = verdict_of(run, "odirect.dropped");
    EXPECT_EQ(verdict.level, Level::invalid);
    expect_in(verdict.message, "/dev/shm/file is on tmpfs");
}

TEST(OdirectDropped, ABlockDeviceHasNoFileSystemToAsk) {
    result::Run run = run_on("devtmpfs");
    job_of(run).targets[0].kind = "block device";
    EXPECT_EQ(verdict_of(run, "odirect.dropped").level, Level::pass);
}

} // namespace
} // namespace assay::verdict
